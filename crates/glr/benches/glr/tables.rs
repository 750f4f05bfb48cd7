//! How long tables take to build, and an action to look up.

use std::hint::black_box;

use criterion::{criterion_group, Criterion};
use glrmask_automata::{Id, TerminalId};
use glrmask_glr::{Adjacency, Limits, LrState, RuleSet, Tables};

use crate::grammars;

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
        let Ok(tables) = Tables::build(&rules, &limits) else { continue };
        let (count, states, kib) = (rules.rules.len(), tables.states(), tables.memory_usage() / 1024);
        let id = format!("build/{name} ({count} rules, {states} states, {kib} KiB)");
        criterion.bench_function(&id, |b| b.iter(|| Tables::build(black_box(&rules), &limits)));
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
