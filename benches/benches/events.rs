//! What token events and markers cost: JSON as it is, with a token event as one more value, with markers around every
//! value. The same text each time, decoded with tables that are filled already.

use std::time::Duration;

use criterion::{criterion_group, criterion_main, BatchSize, BenchmarkId, Criterion, Throughput};
use glrmask_benches::{replay, tokens, vocabulary, Error};
use glrmask_compiler::{analyze, compile, Config};
use glrmask_grammar::{builtin, glrm};
use glrmask_runtime::ConstraintState;

const TEXT: &str = include_str!("../inputs/order.json");

fn grammars() -> Result<[(&'static str, String); 3], Error> {
    let json = builtin::source("json").ok_or("no grammar of JSON")?;
    let marked = json.replace("nt value = ", "nt value = @mark(1) any @mark(2); nt any = ");
    Ok([
        ("plain", json.clone().into_owned()),
        ("token events", json.replace("| \"null\";", "| \"null\" | @token(5, 7, 1000-40000);")),
        ("markers", marked),
    ])
}

fn events(c: &mut Criterion) {
    if let Err(error) = try_events(c) {
        panic!("{error}");
    }
}

fn try_events(c: &mut Criterion) -> Result<(), Error> {
    let vocab = vocabulary(64_000)?;
    let text = tokens(&vocab, TEXT)?;
    let mut group = c.benchmark_group("events");
    for (name, source) in grammars()? {
        let grammar = glrm::parse(&source)?;
        let constraint = compile(&grammar, &vocab, &Config::default())?;
        let mut words = vec![0; constraint.mask_words()];
        replay(&mut constraint.start(), &text, &mut words)?;
        group.throughput(Throughput::Elements(1));
        group.bench_function(BenchmarkId::new("analyze", name), |b| b.iter(|| analyze(&grammar, &Config::default())));
        group.throughput(Throughput::Elements(text.len() as u64));
        group.bench_function(BenchmarkId::new("mask and commit", name), |b| {
            b.iter_batched_ref(|| constraint.start(), |s| replay(s, &text, &mut words), BatchSize::SmallInput)
        });
        group.bench_function(BenchmarkId::new("commit alone", name), |b| {
            let commit = |state: &mut ConstraintState| text.iter().try_for_each(|&token| state.commit_token(token));
            b.iter_batched_ref(|| constraint.start(), commit, BatchSize::SmallInput)
        });
    }
    group.finish();
    Ok(())
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1)).without_plots();
    targets = events
}
criterion_main!(benches);
