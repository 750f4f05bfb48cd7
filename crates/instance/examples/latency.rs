//! What the filter costs on a real vocabulary: `cargo run --release -p glrmask-instance --example latency -- RANKS`.
//!
//! RANKS is a file of tokens as tiktoken has them (base64 and a number per line). Arrays of 10, 100 and 1 000 items are
//! written, twenty items more are read token by token, and the filter is timed at each. The grammar is an automaton, so
//! what is measured is the filter alone; the questions it asks the grammar are counted at each token: which bytes may come,
//! and how often all in all it asks where one leads.

use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use glrmask_automata::{ByteSet, Dfa, Limits, Regex, StateId};
use glrmask_instance::{filter, ArrayRules, Continuations, Place, Rules, TokenWalk, Tracker};
use glrmask_vocab::{mask, TokenId, Vocab};

const STRING: &str = r#""([^"\\\x00-\x1f]|\\(["\\/bfnrt]|u[0-9a-fA-F]{4}))*""#;
const INTEGER: &str = "-?(0|[1-9][0-9]*)";

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: latency RANKS")?;
    let vocab = read(&std::fs::read_to_string(path)?)?;
    let begin = Instant::now();
    let walk = TokenWalk::new(&vocab);
    let mut out = io::stdout();
    writeln!(out, "{} tokens, looked at in {:?}", vocab.len(), begin.elapsed())?;
    writeln!(
        out,
        "{:24} {:>9} {:>9} {:>9} {:>21} {:>9}",
        "items", "p50", "p99", "max", "questions: mean, max", "steps"
    )?;
    let object = format!(r#"\{{"id":{INTEGER},"name":{STRING}(,"tags":\[({STRING}(,{STRING})*)?\])?\}}"#);
    let kinds: [Kind<'_>; 4] = [
        ("strings", STRING, |i| format!("\"{}\"", word(i))),
        ("integers", INTEGER, |i| (i * 7919 % 10_007).to_string()),
        ("objects, id first", &object, |i| format!("{{\"id\":{i},\"name\":\"{}\"}}", word(i))),
        ("objects, ids alike", &object, |i| format!("{{\"id\":{},\"name\":\"{}\"}}", i % 3, word(i))),
    ];
    for (name, item, write_item) in kinds {
        let dfa =
            Regex::parse(&format!(r"\[({item}(,{item})*)?\]"), &Default::default())?.compile(&Limits::default())?;
        for count in [10, 100, 1000] {
            let measured = measure(&dfa, &vocab, &walk, count, write_item)?;
            writeln!(out, "{:24} {}", format!("{count} {name}"), measured)?;
        }
    }
    Ok(())
}

/// A name, a pattern of items, and the item of each number.
type Kind<'a> = (&'a str, &'a str, fn(usize) -> String);

/// A word that looks like others, and no two alike.
fn word(i: usize) -> String {
    let parts = ["data", "user", "temp", "in", "north", "max", "web", "lo", "graph", "re"];
    format!("{}{}_{}{}", parts[i % 10], parts[i / 10 % 10], parts[i / 100 % 10], i / 1000)
}

fn read(text: &str) -> Result<Vocab, Box<dyn Error>> {
    let token = |line: &str| line.split(' ').next().map(base64);
    let tokens = text.lines().filter_map(token).collect::<Option<Vec<Vec<u8>>>>().ok_or("not base64")?;
    Ok(Vocab::new((0..).map(TokenId).zip(tokens))?)
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for digit in text.bytes().filter(|&digit| digit != b'=') {
        bits = bits << 6 | alphabet.iter().position(|&other| other == digit)? as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

struct Grammar<'a> {
    dfa: &'a Dfa,
    state: StateId,
    /// Times it was asked for all bytes, and where one leads.
    questions: usize,
    single: usize,
}

impl Continuations for Grammar<'_> {
    type Error = std::convert::Infallible;
    type Place = StateId;

    fn start(&mut self) -> StateId {
        self.state
    }

    fn next_bytes(&mut self, place: StateId) -> Result<ByteSet, Self::Error> {
        self.questions += 1;
        Ok(self.dfa.next_bytes(place))
    }

    fn step(&mut self, place: StateId, byte: u8) -> Result<Option<StateId>, Self::Error> {
        self.single += 1;
        Ok(Some(self.dfa.next(place, byte)).filter(|&next| next != Dfa::DEAD))
    }
}

/// Times at each token of twenty items behind `count` others.
fn measure(
    dfa: &Dfa,
    vocab: &Vocab,
    walk: &TokenWalk,
    count: usize,
    item: fn(usize) -> String,
) -> Result<String, Box<dyn Error>> {
    let array = ArrayRules { unique: true, ..ArrayRules::default() };
    let mut tracker = Tracker::new(Arc::new(Rules::new(vec![Place { array, ..Place::default() }])?));
    let items = |range: std::ops::Range<usize>| range.map(item).collect::<Vec<_>>().join(",");
    let begin = format!("[{}", items(0..count));
    tracker.advance(begin.as_bytes())?;
    let mut grammar = Grammar { dfa, state: dfa.run(dfa.start(), begin.as_bytes()), questions: 0, single: 0 };
    let (mut times, mut questions) = (Vec::new(), Vec::new());
    let rest = format!(",{}", items(count..count + 20));
    let mut rest = rest.as_bytes();
    while !rest.is_empty() {
        let mut words = vec![0; vocab.mask_words()];
        let allowed = vocab.iter().filter(|(_, bytes)| dfa.run(grammar.state, bytes) != Dfa::DEAD);
        allowed.for_each(|(id, _)| mask::set(&mut words, id));
        (grammar.questions, grammar.single) = (0, 0);
        let mut best = Duration::MAX;
        for _ in 0..3 {
            let mut words = words.clone();
            let begin = Instant::now();
            filter(&tracker, walk, vocab, &mut words, &mut grammar)?;
            best = best.min(begin.elapsed());
        }
        times.push(best);
        questions.push((grammar.questions / 3, grammar.single / 3));
        let token =
            vocab.iter().map(|(_, bytes)| bytes).filter(|bytes| rest.starts_with(bytes)).max_by_key(|b| b.len());
        let token = token.ok_or("a byte that is no token")?;
        tracker.advance(token)?;
        grammar.state = dfa.run(grammar.state, token);
        rest = &rest[token.len()..];
    }
    times.sort();
    questions.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    let mean = questions.iter().map(|(asked, _)| asked).sum::<usize>() as f64 / questions.len() as f64;
    let steps: usize = questions.iter().map(|(_, steps)| steps).sum();
    let micros = |time: Duration| format!("{:.1} µs", time.as_secs_f64() * 1e6);
    let (max, _) = questions.last().copied().unwrap_or_default();
    Ok(format!("{:>9} {:>9} {:>9} {mean:>14.1} {max:>6} {steps:>9}", micros(at(50)), micros(at(99)), micros(at(100))))
}
