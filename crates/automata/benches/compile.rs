//! How long terminals take from text to minimal automaton.

use std::hint::black_box;

use criterion::{criterion_group, criterion_main, Criterion};
use glrmask_automata::{Dfa, Limits, ParseConfig, Regex};

const JSON_STRING: &str = r#""([^"\\\x00-\x1F]|\\(["\\/bfnrt]|u[0-9a-fA-F]{4}))*""#;

fn parse(pattern: &str) -> Regex {
    Regex::parse(pattern, &ParseConfig::default()).unwrap_or_else(|error| panic!("{pattern}: {error}"))
}

fn compile(regex: &Regex) -> Dfa {
    regex.compile(&Limits::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn patterns(c: &mut Criterion) {
    let word = Regex::literal("\"surname\":").clone();
    c.bench_function("literal of 10 bytes", |b| b.iter(|| compile(black_box(&word))));
    for (name, pattern) in [
        ("JSON string", JSON_STRING),
        ("JSON number", r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?"),
        ("identifier", r"[\p{L}_][\p{L}\p{Nd}_]*"),
        ("date-time", r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?Z"),
        ("string of at most 10 000", r#""[^"]{0,10000}""#),
        ("6 000 states with a cycle", r#""([a-y]{0,3000}z)*([a-y]{0,3000}"|x)"#),
    ] {
        let regex = parse(pattern);
        c.bench_function(&format!("compile {name}"), |b| b.iter(|| compile(black_box(&regex))));
        if pattern.len() < 60 {
            c.bench_function(&format!("parse {name}"), |b| b.iter(|| parse(black_box(pattern))));
        }
    }
}

fn sets(c: &mut Criterion) {
    let words: Vec<String> = (0..3000u32).map(|i| format!("key_{:x}", i.wrapping_mul(2_654_435_761))).collect();
    let literals: Vec<(&[u8], u32)> = words.iter().map(|word| (word.as_bytes(), 0)).collect();
    let labelled: Vec<(&[u8], u32)> = words.iter().zip(0..).map(|(word, i)| (word.as_bytes(), i)).collect();
    c.bench_function("3 000 literals, one label", |b| b.iter(|| Dfa::from_literals(black_box(&literals))));
    c.bench_function("3 000 literals, own labels", |b| b.iter(|| Dfa::from_literals(black_box(&labelled))));
    let keys: Vec<Dfa> = words.iter().take(300).map(|word| compile(&Regex::literal(format!("\"{word}\"")))).collect();
    let string = compile(&parse(JSON_STRING));
    let parts: Vec<(&Dfa, u32)> = keys.iter().chain([&string]).zip(0..).collect();
    c.bench_function("union of a string and 300 keys", |b| {
        b.iter(|| Dfa::union(black_box(&parts), &Limits::default()).map(|dfa| dfa.len()))
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).warm_up_time(std::time::Duration::from_millis(200))
        .measurement_time(std::time::Duration::from_millis(600)).without_plots();
    targets = patterns, sets
}
criterion_main!(benches);
