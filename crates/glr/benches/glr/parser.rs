//! How long it takes to read a terminal.

use std::hint::black_box;

use criterion::{criterion_group, BatchSize, Criterion, Throughput};
use glrmask_automata::{Id, TerminalId};
use glrmask_glr::{parser, Limits, RuleSet, Tables};

use crate::grammars;

/// A grammar with a text, as terminals.
struct Case {
    name: &'static str,
    rules: RuleSet,
    text: Vec<TerminalId>,
}

/// `words` by the numbers that a grammar's notation gives its terminals: in order of appearance.
fn text(terminals: &[&str], words: &str) -> Vec<TerminalId> {
    let number = |word| terminals.iter().position(|&name| name == word);
    words.split_whitespace().filter_map(number).map(TerminalId::from_usize).collect()
}

fn cases() -> [Case; 3] {
    let json = ["lbrace", "rbrace", "lbracket", "rbracket", "str", "num", "true", "false", "null", "comma", "colon"];
    let object = "lbrace str colon num comma str colon lbracket num comma true comma null rbracket rbrace comma ";
    let document = format!("lbracket {} null rbracket", object.repeat(8));
    let operators = format!("{} id", "id plus id times ".repeat(12));
    [
        Case { name: "json", rules: grammars::json(), text: text(&json, &document) },
        Case {
            name: "right recursion",
            rules: grammars::grammar("S = a S b | a b"),
            text: [[TerminalId(0); 64], [TerminalId(1); 64]].concat(),
        },
        Case {
            name: "ambiguous operators",
            rules: grammars::grammar("E = E plus E | E times E | id"),
            text: text(&["plus", "times", "id"], &operators),
        },
    ]
}

fn shift(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("shift");
    for Case { name, rules, text } in cases() {
        let Ok(tables) = Tables::build(&rules, &Limits::default()) else { continue };
        group.throughput(Throughput::Elements(text.len() as u64));
        // In place, on a stack that has its capacity already.
        let read = |stacks: &mut _| text.iter().all(|&t| parser::shift_terminal_mut(&tables, stacks, t));
        assert!(read(&mut parser::start(())), "{name}");
        group.bench_function(name, |b| {
            b.iter_batched_ref(|| parser::start(()), |stacks| black_box(read(stacks)), BatchSize::SmallInput)
        });
    }
}

/// Every terminal on every state of a JSON document in turn, without reading it.
fn ask(criterion: &mut Criterion) {
    let [Case { rules, text, .. }, ..] = cases();
    let Ok(tables) = Tables::build(&rules, &Limits::default()) else { return };
    let mut stacks = parser::start(());
    let mut states = Vec::new();
    for &t in &text {
        parser::shift_terminal_mut(&tables, &mut stacks, t);
        states.push(stacks.clone());
    }
    let mut group = criterion.benchmark_group("ask");
    group.throughput(Throughput::Elements((states.len() * tables.terminals()) as u64));
    group.bench_function("can_shift/json", |b| {
        let terminals = || (0..tables.terminals()).map(TerminalId::from_usize);
        let count = |stacks| terminals().filter(|&t| parser::can_shift(&tables, stacks, t)).count();
        b.iter(|| states.iter().map(count).sum::<usize>())
    });
    group.throughput(Throughput::Elements(states.len() as u64));
    group.bench_function("accepts_end/json", |b| {
        b.iter(|| states.iter().filter(|stacks| parser::accepts_end(&tables, stacks)).count())
    });
}

criterion_group!(benches, shift, ask);
