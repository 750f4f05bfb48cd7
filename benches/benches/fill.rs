//! Filling the tables before decoding, and what is kept of them: a profile on its own, everything on one thread and on two,
//! saving and loading.

use std::hint::black_box;
use std::time::Duration;

use criterion::{criterion_group, criterion_main, BatchSize, Criterion};
use glrmask_automata::lexdag::ConditionSetId;
use glrmask_benches::{inputs, vocabulary, Error};
use glrmask_compiler::{compile, Config, Optimization};
use glrmask_lexer::{profile, LexerCache, LexerError, Profile};
use glrmask_runtime::{Budget, Constraint};
use glrmask_vocab::Vocab;

const VOCABULARY: usize = 64_000;
/// Filling everything before decoding is not for programming languages; this bounds what is measured there.
const STATES: usize = 20_000;

fn fills(c: &mut Criterion) {
    if let Err(error) = try_fills(c) {
        panic!("{error}");
    }
}

fn try_fills(c: &mut Criterion) -> Result<(), Error> {
    let vocab = vocabulary(VOCABULARY)?;
    for input in inputs() {
        let grammar = input.grammar()?;
        let mut config = Config::default();
        config.policy.optimization = Optimization::FastBuild;
        let empty = || compile(&grammar, &vocab, &config);
        let constraint = empty()?;
        c.bench_function(&format!("profile at a boundary/{}", input.name), |b| {
            b.iter(|| black_box(boundary_profile(&constraint, &vocab)));
        });
        for threads in [1, 2] {
            let name = format!("fill, threads {threads}/{}", input.name);
            let budget = Budget { states: STATES, threads, ..Budget::default() };
            c.bench_function(&name, |b| {
                // The first fill leaves the walks of lexemes on the vocabulary, as the first grammar of a server does.
                b.iter_batched(
                    &empty,
                    |constraint| constraint?.fill(&budget).map_err(Error::from),
                    BatchSize::SmallInput,
                )
            });
        }
        constraint.fill(&Budget { states: STATES, ..Budget::default() })?;
        let artifact = constraint.save(true)?;
        c.bench_function(&format!("save/{}", input.name), |b| b.iter(|| constraint.save(true)));
        c.bench_function(&format!("load/{}", input.name), |b| {
            b.iter(|| black_box(Constraint::load(&artifact, Some(&vocab))));
        });
    }
    Ok(())
}

/// Where any lexeme may start, with nothing known yet.
fn boundary_profile(constraint: &Constraint, vocab: &Vocab) -> Result<Profile, LexerError> {
    let mut cache = LexerCache::new();
    let start = cache.anywhere(constraint.lexer(), ConditionSetId::NONE);
    profile(constraint.lexer(), &mut cache, vocab, start)
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600)).without_plots();
    targets = fills
}
criterion_main!(benches);
