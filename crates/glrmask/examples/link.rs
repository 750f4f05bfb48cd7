//! What linking takes beside compiling: `cargo run --release --example link -- [RANKS [PROPERTIES]]`.
//!
//! An object of 2 000 properties in `"<tool>" child "</tool>"`, compiled as bound, prepared, and linked, all in one mode.
//! RANKS is a file of tiktoken ranks; without it the vocabulary is made up. Milliseconds, least and most of three.

use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use glrmask::compiler::Stage;
use glrmask::{CompileOptions, Constraint, Grammar, Optimization, PrepareOptions, StageTime, TokenId, Vocab};

const RUNS: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let tokens = arguments.next().map_or_else(|| Ok(made_up()), |path| ranks(&path))?;
    let properties = arguments.next().map_or(Ok(2_000), |n| n.parse())?;
    let mut out = io::stdout();
    writeln!(out, "{:34} {:>17} {:>15} {:>15} {:>15}", "", "compile", "prepare", "link", "of that: fill")?;
    for (name, required, rest) in [("optional", false, "false"), ("required", true, "false"), ("open", false, "true")] {
        let schema = schema(properties, required, rest)?;
        for mode in [Optimization::FastBuild, Optimization::Auto, Optimization::FastRuntime] {
            measure(&mut out, name, &schema, &tokens, mode)?;
        }
    }
    Ok(())
}

fn measure(
    out: &mut impl Write,
    name: &str,
    schema: &str,
    tokens: &[Vec<u8>],
    mode: Optimization,
) -> Result<(), Box<dyn Error>> {
    let options = CompileOptions { optimization: mode, threads: Some(1), ..CompileOptions::default() };
    let (mut compiled, mut prepared, mut linked, mut filled) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let child = Grammar::from_json_schema(schema)?;
    let envelope = Grammar::from_glrm("start s; extern grammar child; nt s = \"<tool>\" child \"</tool>\";")?;
    for _ in 0..RUNS {
        // A vocabulary of its own for each, so that neither finds what the other has left there.
        let vocab = vocab(tokens)?;
        let mut bound = envelope.clone();
        bound.bind("child", child.clone())?;
        let begin = Instant::now();
        let whole = bound.compile(&vocab, &options)?;
        compiled.push(begin.elapsed());
        let vocab = self::vocab(tokens)?;
        let begin = Instant::now();
        let child = child.prepare(&vocab, &PrepareOptions { optimization: mode, ..PrepareOptions::default() })?;
        prepared.push(begin.elapsed());
        let mut outer = envelope.prepare(&vocab, &PrepareOptions::default())?;
        outer.bind("child", child)?;
        let mut fill = Duration::ZERO;
        let begin = Instant::now();
        let parts = outer.link_timed(&options, &mut |stage: StageTime| {
            if stage.stage == Stage::Fill {
                fill = stage.time;
            }
        })?;
        linked.push(begin.elapsed());
        filled.push(fill);
        same(&whole, &parts)?;
    }
    let [compiled, prepared, linked, filled] = [compiled, prepared, linked, filled].map(|times| range(&times));
    writeln!(out, "{name:12} {:21} {compiled:>17} {prepared:>15} {linked:>15} {filled:>15}", format!("{mode:?}"))?;
    Ok(())
}

/// Both allow the same along one text.
fn same(one: &Constraint, other: &Constraint) -> Result<(), Box<dyn Error>> {
    let (mut a, mut b) = (one.start(), other.start());
    let (mut x, mut y) = (vec![0; one.mask_words()], vec![0; one.mask_words()]);
    for _ in 0..40 {
        a.fill_mask(&mut x)?;
        b.fill_mask(&mut y)?;
        if x != y {
            return Err("masks differ".into());
        }
        let Some(token) = glrmask::vocab::mask::iter(&x).last() else { break };
        a.commit_token(token)?;
        b.commit_token(token)?;
    }
    Ok(())
}

fn range(times: &[Duration]) -> String {
    let of = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1e3);
    format!("{:.1}–{:.1}", of(times.iter().min()), of(times.iter().max()))
}

fn schema(properties: usize, required: bool, rest: &str) -> Result<String, std::fmt::Error> {
    let types = ["string", "integer", "boolean"];
    let (mut members, mut names) = (String::new(), String::new());
    for i in 0..properties {
        let comma = if i == 0 { "" } else { ", " };
        write!(members, "{comma}\"property_{i}\": {{\"type\": \"{}\"}}", types[i % 3])?;
        write!(names, "{comma}\"property_{i}\"")?;
    }
    let names = if required { names } else { String::new() };
    Ok(format!(
        "{{\"type\": \"object\", \"properties\": {{{members}}}, \"required\": [{names}], \
         \"additionalProperties\": {rest}}}"
    ))
}

fn vocab(tokens: &[Vec<u8>]) -> Result<Vocab, Box<dyn Error>> {
    Ok(Vocab::new((0..).map(TokenId).zip(tokens))?)
}

/// A base64 string and a rank per line.
fn ranks(path: &str) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let tokens = text.lines().filter_map(|line| line.split_whitespace().next());
    Ok(tokens.map(base64).collect::<Option<_>>().ok_or("not a file of ranks")?)
}

fn base64(text: &str) -> Option<Vec<u8>> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut count, mut bytes) = (0u32, 0, Vec::new());
    for digit in text.trim_end_matches('=').bytes() {
        bits = bits << 6 | DIGITS.iter().position(|&known| known == digit)? as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

/// Every byte, and 60 000 words of one to three syllables.
fn made_up() -> Vec<Vec<u8>> {
    let syllables: Vec<String> =
        "bcdfghjklmnprstvw".chars().flat_map(|c| "aeiou".chars().map(move |v| format!("{c}{v}"))).collect();
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    for a in &syllables {
        for b in &syllables {
            for c in [" ", "", "\"", "_", "1", "\": ", "n", "s"] {
                tokens.push(format!("{a}{b}{c}").into_bytes());
            }
        }
    }
    tokens
}
