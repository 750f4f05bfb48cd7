//! Each operation on the graph, and on the explicit map where the map can do it in reasonable time.

use std::collections::HashMap;
use std::hint::black_box;

use criterion::{criterion_group, criterion_main, Criterion};
use weighted_gss::{Weight, WeightedGss};

#[derive(Clone, Copy, PartialEq, Eq)]
struct Facts(u64);

impl Weight for Facts {
    fn join(&self, other: &Self) -> Self {
        Facts(self.0 | other.0)
    }
}

type Graph = WeightedGss<u32, Facts>;
type Map = HashMap<Vec<u32>, Facts>;

fn two_stacks() -> Graph {
    Graph::from_stack([0], Facts(1)).merge(&Graph::from_stack([1], Facts(2)))
}

/// `2^(rounds + 1)` stacks.
fn grow(rounds: u32) -> Graph {
    (0..rounds).fold(two_stacks(), |gss, i| gss.push(2 * i + 2).merge(&gss.push(2 * i + 3)))
}

fn map_of(stacks: impl IntoIterator<Item = (Vec<u32>, Facts)>) -> Map {
    let mut map = Map::new();
    for (stack, weight) in stacks {
        map.entry(stack).and_modify(|known| *known = known.join(&weight)).or_insert(weight);
    }
    map
}

fn map_grow(rounds: u32) -> Map {
    (0..rounds).fold(map_of([(vec![0], Facts(1)), (vec![1], Facts(2))]), |map, i| {
        let push = |symbol: u32| {
            map.iter().map(move |(stack, weight)| (stack.iter().copied().chain([symbol]).collect(), *weight))
        };
        map_of(push(2 * i + 2).chain(push(2 * i + 3)))
    })
}

fn map_pop(map: &Map) -> Map {
    map_of(map.iter().filter_map(|(stack, weight)| Some((stack.split_last()?.1.to_vec(), *weight))))
}

fn listed() -> Vec<(Vec<u32>, Facts)> {
    (0..1024).map(|i| (vec![i & 1, (i >> 1) & 3, (i >> 3) & 7, i], Facts(u64::from(i & 3)))).collect()
}

/// What a parser does at nearly every step: one stack, one handle.
fn one_stack(c: &mut Criterion) {
    let mut group = c.benchmark_group("one stack of 512");
    let deep = Graph::from_stack(0..512, Facts(1));
    let mut own = deep.map_weights(|weight| *weight).popn(0);
    own.push_mut(1);
    group.bench_function("push_mut, popn_mut (only handle)", |b| {
        b.iter(|| {
            own.push_mut(black_box(7));
            own.push_mut(black_box(8));
            own.popn_mut(black_box(2));
        });
    });
    group.bench_function("clone", |b| b.iter(|| deep.clone()));
    group.bench_function("top", |b| b.iter(|| black_box(&deep).top().copied()));
    group.bench_function("linear, first 4", |b| {
        b.iter(|| black_box(&deep).linear().map(|stack| stack.iter().take(4).sum::<u32>()));
    });
    group.bench_function("push", |b| b.iter(|| deep.push(black_box(7))));
    group.bench_function("clone, push_mut 3 times", |b| {
        b.iter(|| {
            let mut copy = deep.clone();
            (0..3).for_each(|symbol| copy.push_mut(black_box(symbol)));
            copy
        });
    });
    group.bench_function("popn 100", |b| b.iter(|| deep.popn(black_box(100))));
    group.bench_function("fork twice", |b| b.iter(|| (deep.push(black_box(1)), deep.push(black_box(2)))));
    group.bench_function("fork, merge, pop", |b| {
        b.iter(|| deep.push(black_box(1)).merge(&deep.push(black_box(2))).pop());
    });
    group.finish();
}

fn many_stacks(c: &mut Criterion) {
    let mut group = c.benchmark_group("many stacks");
    let (big, big_map) = (grow(11), map_grow(11));
    group.bench_function("grow 16 rounds", |b| b.iter(|| grow(black_box(16))));
    group.sample_size(10).bench_function("grow 16 rounds, map", |b| b.iter(|| map_grow(black_box(15))));
    group.bench_function("pop 4096", |b| b.iter(|| big.pop()));
    group.bench_function("pop 4096, map", |b| b.iter(|| map_pop(&big_map)));
    group.bench_function("pop_branches 4096", |b| b.iter(|| big.pop_branches().collect::<Vec<_>>()));
    group.bench_function("map_weights 4096", |b| b.iter(|| big.map_weights(|weight| Facts(weight.0 << 1))));
    group.bench_function("map_weights 4096, map", |b| {
        b.iter(|| big_map.iter().map(|(stack, weight)| (stack.clone(), Facts(weight.0 << 1))).collect::<Map>());
    });
    let apart = (grow(11), grow(11));
    group.bench_function("merge 4096 with an equal copy", |b| b.iter(|| apart.0.merge(&apart.1)));
    group.finish();
}

fn listing(c: &mut Criterion) {
    let mut group = c.benchmark_group("1024 listed stacks");
    let stacks = listed();
    let gss = Graph::from_stacks(stacks.clone());
    group.bench_function("from_stacks", |b| {
        b.iter(|| Graph::from_stacks(stacks.iter().map(|(stack, weight)| (stack.iter().copied(), *weight))));
    });
    group.bench_function("from_stacks, map", |b| b.iter(|| map_of(stacks.iter().cloned())));
    group.bench_function("to_stacks", |b| b.iter(|| gss.to_stacks(4096)));
    group.bench_function("pop", |b| b.iter(|| gss.pop()));
    group.finish();
}

criterion_group!(benches, one_stack, many_stacks, listing);
criterion_main!(benches);
