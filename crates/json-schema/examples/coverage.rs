//! Compiles a corpus of schemas and judges their instances with a plain recogniser.
//!
//!     cargo run --release --example coverage -- corpus.jsonl
//!
//! Each line is `{"id": …, "schema": …, "tests": [{"valid": …, "text": …}, …]}`, where `text` is the instance as JSON
//! text in a string. Prints each refusal and each wrong verdict, then counts by reason and compile times.

#[path = "../tests/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Instant;

use glrmask_json_schema::json::{self, Node, Value};
use glrmask_json_schema::{compile, Compiled, Options, SchemaError};

/// Longest instance that the recogniser is asked about: it is cubic.
const MAX_TEXT: usize = 3000;

type Failure = Box<dyn std::error::Error>;

#[derive(Default)]
struct Counts {
    schemas: usize,
    compiled: usize,
    instances: usize,
    wrongly_refused: usize,
    wrongly_accepted: usize,
    reasons: BTreeMap<String, usize>,
    micros: Vec<u128>,
}

fn main() -> Result<(), Failure> {
    let path = std::env::args().nth(1).ok_or("usage: coverage corpus.jsonl")?;
    let corpus = std::fs::read_to_string(path)?;
    let mut out = std::io::stdout().lock();
    let mut counts = Counts::default();
    for line in corpus.lines().filter(|line| !line.trim().is_empty()) {
        judge(line, &mut counts, &mut out)?;
    }
    report(&mut counts, &mut out)
}

fn judge(line: &str, counts: &mut Counts, out: &mut impl Write) -> Result<(), Failure> {
    let node = json::parse(line, 600)?;
    let Value::Object(members) = &node.value else { return Err("a line is not an object".into()) };
    let id = members.get("id").and_then(text).unwrap_or("?");
    let schema = members.get("schema").and_then(|node| line.get(node.bytes.0..node.bytes.1)).ok_or("no schema")?;
    counts.schemas += 1;
    let (compiled, micros) = timed(schema);
    match compiled {
        Ok(compiled) => {
            counts.compiled += 1;
            counts.micros.push(micros);
            let (n, t) = (compiled.grammar.productions.len(), compiled.grammar.terminals.len());
            writeln!(out, "ok {id}: {micros} us, {n} productions, {t} terminals")?;
            let recognizer = match support::Recognizer::new(&compiled.grammar) {
                Ok(recognizer) => recognizer,
                Err(error) => return Ok(writeln!(out, "TOO LARGE {id}: {error}")?),
            };
            let Some(Value::Array(tests)) = members.get("tests").map(|node| &node.value) else { return Ok(()) };
            for test in tests {
                instance(id, test, &recognizer, counts, out)?;
            }
        }
        Err(error) => {
            *counts.reasons.entry(reason(&error)).or_default() += 1;
            writeln!(out, "refused {id}: {micros} us, {error}")?;
        }
    }
    Ok(())
}

/// The best of five runs.
fn timed(schema: &str) -> (Result<Compiled, SchemaError>, u128) {
    let mut best = u128::MAX;
    for _ in 0..4 {
        let start = Instant::now();
        let _ = compile(schema, &Options::default());
        best = best.min(start.elapsed().as_micros());
    }
    let start = Instant::now();
    let compiled = compile(schema, &Options::default());
    (compiled, best.min(start.elapsed().as_micros()))
}

fn instance(
    id: &str,
    test: &Node,
    recognizer: &support::Recognizer,
    counts: &mut Counts,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let Value::Object(members) = &test.value else { return Ok(()) };
    let valid = members.get("valid").is_some_and(|node| node.value == Value::Bool(true));
    let Some(text) = members.get("text").and_then(text).filter(|text| text.len() <= MAX_TEXT) else { return Ok(()) };
    counts.instances += 1;
    match (valid, recognizer.accepts(text)) {
        (true, false) => {
            counts.wrongly_refused += 1;
            writeln!(out, "WRONGLY REFUSED {id}: {text}")?;
        }
        (false, true) => {
            counts.wrongly_accepted += 1;
            writeln!(out, "WRONGLY ACCEPTED {id}: {text}")?;
        }
        _ => {}
    }
    Ok(())
}

fn text(node: &Node) -> Option<&str> {
    match &node.value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn reason(error: &SchemaError) -> String {
    let message = error.message().split([':', '"']).next().unwrap_or("");
    format!("{:?} {} {message}", error.category(), error.keyword().unwrap_or("-"))
}

fn report(counts: &mut Counts, out: &mut impl Write) -> Result<(), Failure> {
    let Counts { schemas, compiled, instances, wrongly_refused, wrongly_accepted, reasons, micros } = counts;
    writeln!(out, "{compiled} of {schemas} schemas compile")?;
    writeln!(out, "{instances} instances, {wrongly_refused} wrongly refused, {wrongly_accepted} wrongly accepted")?;
    micros.sort_unstable();
    let at = |q: usize| micros.get(micros.len() * q / 100).or(micros.last()).copied().unwrap_or(0);
    writeln!(out, "compile time in us: p50 {}, p90 {}, p99 {}, max {}", at(50), at(90), at(99), at(100))?;
    let mut sorted: Vec<_> = reasons.iter().collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, count) in sorted {
        writeln!(out, "{count:5} {reason}")?;
    }
    Ok(())
}
