//! The oracle: an explicit map from stacks to weights, and an interpreter that runs the same operations on both.
//!
//! [`run_ops`] takes any bytes, so that property tests and fuzzers share it.

#![allow(clippy::unwrap_used, reason = "a panic is how an oracle reports")]

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use weighted_gss::{ByWeight, Gss, Join, Weight, WeightedGss};

/// A set of up to eight facts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Facts(pub(crate) u8);

impl Weight for Facts {
    fn join(&self, other: &Self) -> Self {
        Facts(self.0 | other.0)
    }
}

type Tested = WeightedGss<u8, Facts>;
/// Stacks, bottom to top, with their weights.
type Model = BTreeMap<Vec<u8>, Facts>;

/// Largest model an operation may produce; larger ones are skipped.
const MAX_STACKS: usize = 300;
const MAX_DEPTH: usize = 64;
const REGISTERS: usize = 4;

/// A value and what it stands for.
#[derive(Clone, Default)]
struct Pair {
    gss: Tested,
    model: Model,
}

fn insert(model: &mut Model, stack: Vec<u8>, weight: Facts) {
    model.entry(stack).and_modify(|known| *known = known.join(&weight)).or_insert(weight);
}

fn collect(stacks: impl IntoIterator<Item = (Vec<u8>, Facts)>) -> Model {
    let mut model = Model::new();
    stacks.into_iter().for_each(|(stack, weight)| insert(&mut model, stack, weight));
    model
}

fn union(left: &Model, right: &Model) -> Model {
    collect(left.clone().into_iter().chain(right.clone()))
}

fn popn(model: &Model, count: usize) -> Model {
    let long_enough = model.iter().filter(|(stack, _)| stack.len() >= count);
    collect(long_enough.map(|(stack, weight)| (stack[..stack.len() - count].to_vec(), *weight)))
}

fn retain(model: &Model, keep: impl Fn(&[u8]) -> bool) -> Model {
    model.iter().filter(|(stack, _)| keep(stack)).map(|(stack, weight)| (stack.clone(), *weight)).collect()
}

/// Bytes as a stream of small numbers; zeros at the end.
struct Source<'a>(&'a [u8]);

impl Source<'_> {
    fn below(&mut self, limit: u8) -> u8 {
        match self.0.split_first() {
            Some((first, rest)) => {
                self.0 = rest;
                first % limit
            }
            None => 0,
        }
    }

    fn symbol(&mut self) -> u8 {
        self.below(4)
    }

    fn weight(&mut self) -> Facts {
        Facts(self.below(8))
    }

    fn stack(&mut self) -> Vec<u8> {
        (0..self.below(12)).map(|_| self.symbol()).collect()
    }
}

/// Runs the operations that `data` spells and compares with the model after each.
///
/// # Panics
/// When the tested type and the model disagree.
pub(crate) fn run_ops(data: &[u8]) {
    let mut source = Source(data);
    let mut registers: [Pair; REGISTERS] = Default::default();
    while !source.0.is_empty() {
        let target = usize::from(source.below(4));
        let operands = [usize::from(source.below(4)), usize::from(source.below(4))];
        let [left, right] = operands.map(|register| registers[register].clone());
        let keep_handle = source.below(2) == 0;
        if !keep_handle {
            // Drops the other handles, so that in-place operations have something to do.
            registers[operands[0]] = Pair::default();
        }
        let result = apply(&mut source, left, &right);
        let fits = result.model.len() <= MAX_STACKS && result.model.keys().all(|stack| stack.len() <= MAX_DEPTH);
        if fits {
            compare(&result, source.symbol());
            assert_eq!(result.gss == right.gss, result.model == right.model, "equality");
            registers[target] = result;
        }
        // Nothing done to one value may show in another.
        registers.iter().for_each(|pair| assert_same(&pair.gss, &pair.model));
    }
}

/// One operation on both sides.
fn apply(source: &mut Source<'_>, left: Pair, right: &Pair) -> Pair {
    let Pair { mut gss, model } = left;
    match source.below(24) {
        0 => {
            let (stack, weight) = (source.stack(), source.weight());
            Pair { gss: Tested::from_stack(stack.clone(), weight), model: collect([(stack, weight)]) }
        }
        1 => {
            let stacks: Vec<_> = (0..source.below(20)).map(|_| (source.stack(), source.weight())).collect();
            Pair { gss: Tested::from_stacks(stacks.clone()), model: collect(stacks) }
        }
        2 | 3 => {
            let symbol = source.symbol();
            let model = collect(model.into_iter().map(|(stack, weight)| ([stack, vec![symbol]].concat(), weight)));
            Pair { gss: gss.push(symbol), model }
        }
        4 | 5 => {
            let symbols = source.stack();
            symbols.iter().for_each(|symbol| gss.push_mut(*symbol));
            let model = collect(model.into_iter().map(|(stack, weight)| ([stack, symbols.clone()].concat(), weight)));
            Pair { gss, model }
        }
        6 => Pair { gss: gss.pop(), model: popn(&model, 1) },
        7 => {
            let count = usize::from(source.below(12));
            Pair { gss: gss.popn(count), model: popn(&model, count) }
        }
        8 => {
            let count = usize::from(source.below(6));
            gss.popn_mut(count);
            Pair { gss, model: popn(&model, count) }
        }
        9 | 10 => Pair { gss: gss.merge(&right.gss), model: union(&model, &right.model) },
        11 => {
            let pushed = [gss.push(0), right.gss.clone(), gss.push(1), gss];
            let model = pushed.iter().map(listed).fold(Model::new(), |all, one| union(&all, &one));
            Pair { gss: Tested::merge_all(pushed), model }
        }
        12 => {
            let symbol = source.symbol();
            let kept = retain(&model, |stack| stack.last() == Some(&symbol));
            Pair { gss: gss.pop_top(&symbol), model: popn(&kept, 1) }
        }
        13 => {
            let symbol = source.symbol();
            let model = retain(&model, |stack| stack.last() == Some(&symbol));
            Pair { gss: gss.retain_top(&symbol), model }
        }
        14 => Pair { gss: gss.retain_empty(), model: retain(&model, <[u8]>::is_empty) },
        15 => {
            let branches: Vec<_> = gss.pop_branches().map(|(symbol, tail)| tail.push(*symbol)).collect();
            Pair { gss: Tested::merge_all(branches), model: retain(&model, |stack| !stack.is_empty()) }
        }
        16 => {
            let mask = source.below(8);
            let mapped = model.into_iter().map(|(stack, weight)| (stack, Facts(weight.0 & mask)));
            Pair { gss: gss.map_weights(|weight| Facts(weight.0 & mask)), model: mapped.collect() }
        }
        17 => {
            let fact = 1 << source.below(3);
            let keep = |weight: Facts| (weight.0 & fact == 0).then_some(Facts(weight.0 ^ 7));
            let mapped = model.into_iter().filter_map(|(stack, weight)| keep(weight).map(|weight| (stack, weight)));
            Pair { gss: gss.filter_map_weights(|weight| keep(*weight)), model: mapped.collect() }
        }
        18 => {
            let (stack, weight) = (source.stack(), source.weight());
            let model = union(&model, &collect([(stack.clone(), weight)]));
            Pair { gss: gss.with_stack(stack, weight), model }
        }
        19 => {
            let weight = source.weight();
            let gss = Tested::from_unweighted(unweighted(&gss, &right.gss), weight);
            Pair { gss, model: union(&model, &right.model).into_keys().map(|stack| (stack, weight)).collect() }
        }
        20 => {
            failing_merge(source.below(4), &gss, &right.gss);
            Pair { gss, model }
        }
        21 => {
            let minimal = gss.minimize();
            compare_sharing(&minimal);
            Pair { gss: minimal, model }
        }
        22 => {
            let sets = [gss.push(0), right.gss.clone(), right.gss.push(0), gss.pop(), gss];
            let model = sets.iter().map(listed).fold(Model::new(), |all, one| union(&all, &one));
            let gss = Tested::merge_minimal(sets);
            compare_sharing(&gss);
            Pair { gss, model }
        }
        // Equal stacks built apart: nothing is shared, everything must meet.
        _ => Pair { gss: gss.merge(&Tested::from_stacks(model.clone())), model },
    }
}

fn listed(gss: &Tested) -> Model {
    gss.to_stacks(usize::MAX).unwrap().into_iter().collect()
}

/// The union of both sets of stacks, with every unweighted operation checked on the way.
fn unweighted(left: &Tested, right: &Tested) -> Gss<u8> {
    let (left, right) = (left.to_unweighted(), right.to_unweighted());
    let both = left.merge(&right);
    both.check_invariants().unwrap();
    let stacks: BTreeSet<Vec<u8>> = both.to_stacks(usize::MAX).unwrap().into_iter().collect();
    let expected = [&left, &right].into_iter().flat_map(|gss| gss.to_stacks(usize::MAX).unwrap()).collect();
    assert_eq!(stacks, expected);
    assert_eq!(both, Gss::from_stacks(stacks.iter().cloned()));
    assert_eq!(both.max_depth(), stacks.iter().map(Vec::len).max().unwrap_or(0));
    let popped: BTreeSet<Vec<u8>> = both.popn(2).to_stacks(usize::MAX).unwrap().into_iter().collect();
    assert_eq!(popped, stacks.iter().filter_map(|stack| Some(stack[..stack.len().checked_sub(2)?].to_vec())).collect());
    let tails: Vec<Gss<u8>> = both.pop_branches().map(|(_, tail)| tail).collect();
    assert_eq!(Gss::merge_all(tails), both.pop());
    assert_eq!(both.retain_top(&1), both.pop_top(&1).push(1));
    assert_eq!(both.retain_empty().is_empty(), !both.has_empty_stack());
    both
}

/// A join that gives up after so many calls.
struct Failing(Cell<u8>);

impl Join<Facts> for Failing {
    type Error = &'static str;

    fn join(&self, left: &Facts, right: &Facts) -> Result<Facts, &'static str> {
        let left_calls = self.0.get().checked_sub(1).ok_or("enough joined")?;
        self.0.set(left_calls);
        Ok(left.join(right))
    }

    fn equal(&self, left: &Facts, right: &Facts) -> Result<bool, &'static str> {
        Ok(left == right)
    }
}

/// A merge either fails, or gives what the merge that cannot fail gives; the operands are compared by the caller.
fn failing_merge(calls: u8, left: &Tested, right: &Tested) {
    match left.try_merge(right, &Failing(Cell::new(calls))) {
        Ok(merged) => assert_eq!(Ok(true), merged.try_eq(&left.merge(right), &ByWeight)),
        Err(error) => assert_eq!(error, "enough joined"),
    }
}

fn assert_same(gss: &Tested, model: &Model) {
    let stacks = gss.to_stacks(usize::MAX).unwrap();
    assert_eq!(stacks.len(), model.len(), "each stack once: {stacks:?}");
    assert_eq!(&stacks.into_iter().collect::<Model>(), model);
}

/// Every question, asked of both.
fn compare(pair: &Pair, symbol: u8) {
    let Pair { gss, model } = pair;
    gss.check_invariants().unwrap();
    assert_same(gss, model);
    assert_eq!(gss.is_empty(), model.is_empty());
    assert_eq!(gss.max_depth(), model.keys().map(Vec::len).max().unwrap_or(0));
    assert_eq!(gss.empty_weight(), model.get(&vec![]));
    assert_eq!(gss.has_empty_stack(), model.contains_key(&vec![]));
    let tops: BTreeSet<u8> = model.keys().filter_map(|stack| stack.last().copied()).collect();
    assert_eq!(gss.tops().copied().collect::<BTreeSet<u8>>(), tops);
    assert_eq!(gss.tops().count(), tops.len());
    let only_top = (tops.len() == 1 && !gss.has_empty_stack()).then(|| tops.first()).flatten();
    assert_eq!(gss.top(), only_top);
    assert_eq!(gss.joined_weight(), model.values().copied().reduce(|a, b| a.join(&b)));
    let weights = |all: Vec<&Facts>| all.into_iter().copied().collect::<BTreeSet<Facts>>();
    assert_eq!(weights(gss.weights()), weights(model.values().collect()));
    assert_eq!(gss.uniform().is_some(), model.values().collect::<BTreeSet<_>>().len() == 1);
    assert!(gss.memory_usage() >= size_of::<Tested>());
    compare_prefix(gss, model);
    compare_branches(gss, model, symbol);
    compare_limit(gss, model);
}

/// In a minimal graph equal sets are one object, whatever leads there; sets of one weight whatever that weight is.
fn compare_sharing(gss: &Tested) {
    let mut known = BTreeMap::new();
    let mut pending = vec![gss.clone()];
    let mut held = Vec::new();
    while let Some(set) = pending.pop() {
        let mut stacks = listed(&set);
        if set.uniform().is_some() {
            stacks.values_mut().for_each(|weight| *weight = Facts(0));
        }
        let id = *known.entry((set.uniform().is_some(), stacks)).or_insert(set.node_id());
        assert_eq!(id, set.node_id(), "equal sets apart");
        if held.len() < 2_000 {
            pending.extend(set.pop_branches().map(|(_, tail)| tail));
        }
        held.push(set);
    }
}

fn compare_prefix(gss: &Tested, model: &Model) {
    let prefix: Vec<u8> = gss.linear_prefix().copied().collect();
    let common = |len: usize| {
        let top = |stack: &Vec<u8>| stack.iter().rev().nth(len).copied();
        let tops: BTreeSet<Option<u8>> = model.keys().map(top).collect();
        tops.first().copied().flatten().filter(|_| tops.len() == 1)
    };
    let expected: Vec<u8> = (0..).map_while(common).collect();
    assert_eq!(prefix, expected);
    match (gss.linear(), model.first_key_value()) {
        (Some(linear), Some((stack, weight))) => {
            assert_eq!(model.len(), 1);
            assert_eq!(linear.iter().copied().collect::<Vec<_>>(), stack.iter().rev().copied().collect::<Vec<_>>());
            assert_eq!((linear.weight(), linear.len(), linear.top()), (weight, stack.len(), stack.last()));
            (0..=stack.len()).for_each(|depth| assert_eq!(linear.get(depth), stack.iter().rev().nth(depth)));
        }
        (None, _) => assert_ne!(model.len(), 1),
        (Some(_), None) => panic!("a stack out of nothing"),
    }
}

fn compare_branches(gss: &Tested, model: &Model, symbol: u8) {
    for (top, tail) in gss.pop_branches() {
        tail.check_invariants().unwrap();
        assert_same(&tail, &popn(&retain(model, |stack| stack.last() == Some(top)), 1));
    }
    assert_eq!(gss.pop_branches().len(), gss.tops().count());
    assert_eq!(gss.pop_top(&symbol).is_empty(), !gss.tops().any(|top| *top == symbol));
}

fn compare_limit(gss: &Tested, model: &Model) {
    assert!(gss.to_stacks(model.len()).is_ok());
    if let Some(limit) = model.len().checked_sub(1) {
        let mut visited = 0;
        let outcome = gss.visit_stacks(limit, |_, _| {
            visited += 1;
            ControlFlow::Continue(())
        });
        assert_eq!((outcome.unwrap_err().limit(), visited), (Some(limit), limit));
    }
}
