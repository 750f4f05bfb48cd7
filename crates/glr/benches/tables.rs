//! How long tables take to build, and an action to look up.

#[path = "../tests/it/grammars.rs"]
mod grammars;

use std::hint::black_box;

use criterion::{criterion_group, criterion_main, Criterion};
use glrmask_automata::{Id, TerminalId};
use glrmask_glr::{Adjacency, Limits, LrState, RuleSet, Tables};

fn named() -> [(&'static str, RuleSet); 4] {
    [
        ("json", grammars::json()),
        ("objects", grammars::objects(6, 18)),
        ("chain-300", grammars::chain(300)),
        ("language", grammars::language()),
    ]
}

fn build(criterion: &mut Criterion) {
    let limits = Limits::default();
    for (name, rules) in named() {
        if let Ok(tables) = Tables::build(&rules, &limits) {
            let (states, conflicts, bytes) = (tables.states(), tables.conflicts(), tables.memory_usage());
            let (rules, terminals) = (rules.rules.len(), rules.terminals);
            println!(
                "{name}: {rules} rules, {terminals} terminals, {states} states, {conflicts} conflicts, {bytes} bytes"
            );
        }
        criterion.bench_function(&format!("build/{name}"), |b| b.iter(|| Tables::build(black_box(&rules), &limits)));
        criterion
            .bench_function(&format!("adjacency/{name}"), |b| b.iter(|| Adjacency::new(black_box(&rules), &limits)));
    }
}

/// All (state, terminal) pairs, so mostly misses and cold rows: the worst mix.
fn lookup(criterion: &mut Criterion) {
    for (name, rules) in named() {
        let Ok(tables) = Tables::build(&rules, &Limits::default()) else { continue };
        let pairs = || {
            let states = (0..tables.states()).map(LrState::from_usize);
            states.flat_map(|s| (0..tables.terminals()).map(move |t| (s, TerminalId::from_usize(t))))
        };
        let count = pairs().count();
        criterion.bench_function(&format!("lookup/{name} x {count}"), |b| {
            b.iter(|| {
                pairs().filter(|&(s, t)| tables.shift(s, t).is_some() || !tables.reductions(s, t).is_empty()).count()
            })
        });
    }
}

criterion_group!(benches, build, lookup);
criterion_main!(benches);
