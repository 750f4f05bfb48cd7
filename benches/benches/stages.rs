//! The stages from text to mask: reading, normalising, tables, everything that needs no vocabulary, a constraint with
//! its first mask, and decoding with tables that are still to fill or filled already.
//!
//! Automata, vocabulary, tables and graph-structured stacks have finer benchmarks in their own crates.

use std::hint::black_box;
use std::time::Duration;

use criterion::{criterion_group, criterion_main, BatchSize, BenchmarkId, Criterion, Throughput};
use glrmask_benches::{inputs, replay, tokens, vocabulary, Error, Input};
use glrmask_compiler::{analyze, compile, Config};
use glrmask_glr::{Adjacency, Rule, RuleSet, Tables};
use glrmask_grammar::{normalize, Grammar, NormalizeConfig, Normalized};
use glrmask_runtime::{Constraint, ConstraintState};
use glrmask_vocab::{TokenId, Vocab};

const VOCABULARY: usize = 64_000;

/// An input, read, with its text as tokens.
struct Case {
    input: Input,
    grammar: Grammar,
    text: Vec<TokenId>,
}

fn cases(vocab: &Vocab) -> Result<Vec<Case>, Error> {
    let case = |input: Input| Ok(Case { grammar: input.grammar()?, text: tokens(vocab, &input.text)?, input });
    inputs().into_iter().map(case).collect()
}

fn stages(c: &mut Criterion) {
    if let Err(error) = try_stages(c) {
        panic!("{error}");
    }
}

fn try_stages(c: &mut Criterion) -> Result<(), Error> {
    let vocab = vocabulary(VOCABULARY)?;
    let config = Config::default();
    for case in cases(&vocab)? {
        building(c, &case, &vocab, &config)?;
        decoding(c, &case, &compile(&case.grammar, &vocab, &config)?)?;
    }
    Ok(())
}

fn building(c: &mut Criterion, case: &Case, vocab: &Vocab, config: &Config) -> Result<(), Error> {
    let Case { input, grammar, .. } = case;
    let mut bench = |stage: &str, run: &mut dyn FnMut()| {
        c.bench_with_input(BenchmarkId::new(stage, input.name), &(), |b, ()| b.iter(&mut *run));
    };
    let normalized = normalize(grammar, &NormalizeConfig::default())?;
    let rules = rule_set(grammar, &normalized);
    bench("read", &mut || drop(black_box(input.grammar())));
    bench("normalize", &mut || drop(black_box(normalize(grammar, &NormalizeConfig::default()))));
    bench("tables", &mut || drop(black_box(Tables::build(&rules, &config.tables))));
    bench("adjacency", &mut || drop(black_box(Adjacency::new(&rules, &config.tables))));
    bench("analyze", &mut || drop(black_box(analyze(grammar, config))));
    bench("compile, first mask", &mut || drop(black_box(first_mask(grammar, vocab, config))));
    Ok(())
}

fn rule_set(grammar: &Grammar, normalized: &Normalized) -> RuleSet {
    RuleSet {
        terminals: grammar.terminals.len(),
        nonterminals: normalized.nonterminals,
        rules: normalized.productions.iter().map(|p| Rule { lhs: p.lhs, rhs: p.rhs.clone() }).collect(),
        start: normalized.start,
    }
}

/// With automata and walks of the grammar's lexemes on the vocabulary already, as from the second compile on.
fn first_mask(grammar: &Grammar, vocab: &Vocab, config: &Config) -> Result<Vec<u32>, Error> {
    let constraint = compile(grammar, vocab, config)?;
    let mut words = vec![0; constraint.mask_words()];
    constraint.start().fill_mask(&mut words)?;
    Ok(words)
}

fn decoding(c: &mut Criterion, case: &Case, filled: &Constraint) -> Result<(), Error> {
    let Case { input, grammar, text } = case;
    let mut words = vec![0; filled.mask_words()];
    replay(&mut filled.start(), text, &mut words)?;
    let mut group = c.benchmark_group("decode");
    group.throughput(Throughput::Elements(text.len() as u64));
    group.bench_function(BenchmarkId::new("tables to fill", input.name), |b| {
        let fresh = || compile(grammar, filled.vocab(), &Config::default()).map(|constraint| constraint.start());
        b.iter_batched(fresh, |state| replay(&mut state?, text, &mut words), BatchSize::SmallInput)
    });
    group.bench_function(BenchmarkId::new("tables filled", input.name), |b| {
        b.iter_batched_ref(|| filled.start(), |state| replay(state, text, &mut words), BatchSize::SmallInput)
    });
    group.bench_function(BenchmarkId::new("commit alone", input.name), |b| {
        let commit = |state: &mut ConstraintState| text.iter().try_for_each(|&token| state.commit_token(token));
        b.iter_batched_ref(|| filled.start(), commit, BatchSize::SmallInput)
    });
    group.finish();
    Ok(())
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600)).without_plots();
    targets = stages
}
criterion_main!(benches);
