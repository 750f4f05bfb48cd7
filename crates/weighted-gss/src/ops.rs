//! Operations on weighted sets in normal form, with a [`Join`] that may fail: what the public types are made of.
//!
//! Each is defined by its effect on the explicit map from stacks to weights; the map is the oracle of the tests.

use std::convert::Infallible;
use std::hash::Hash;

use crate::chain::Chain;
use crate::cursor::Cursor;
use crate::fork::{self, Plain};
use crate::merge::{merge, merge_all};
use crate::weight::Join;
use crate::weighted_fork::Repr;

/// Every non-empty stack without its top.
pub(crate) fn pop<S, W, J>(set: &Repr<S, W>, join: &J) -> Result<Repr<S, W>, J::Error>
where
    S: Clone + Eq + Hash,
    W: Clone,
    J: Join<W>,
{
    match set {
        Repr::Empty => Ok(Repr::Empty),
        Repr::Uniform(weight, plain) => Ok(Repr::uniform(weight.clone(), fork::pop(plain))),
        Repr::Mixed(Chain::Fork(fork)) => match fork.edges.as_slice() {
            [(_, left), (_, right)] => merge(left, right, join),
            edges => merge_all(edges.iter().map(|(_, tail)| tail), join),
        },
        Repr::Mixed(run) => Ok(Repr::Mixed(run.skip(1).0)),
    }
}

/// Every stack of at least `count` symbols without its topmost `count`: runs are skipped, forks popped.
pub(crate) fn popn<S, W, J>(set: &Repr<S, W>, count: usize, join: &J) -> Result<Repr<S, W>, J::Error>
where
    S: Clone + Eq + Hash,
    W: Clone,
    J: Join<W>,
{
    if count == 1 {
        return pop(set, join);
    }
    let (mut set, mut remaining) = set.skip(count);
    while remaining > 0 && !matches!(set, Repr::Empty) {
        (set, remaining) = pop(&set, join)?.skip(remaining - 1);
    }
    Ok(set)
}

/// The unweighted counterpart of [`popn`].
pub(crate) fn popn_plain<S: Clone + Eq + Hash>(plain: &Plain<S>, count: usize) -> Option<Plain<S>> {
    let (mut plain, mut remaining) = plain.skip(count);
    while remaining > 0 {
        (plain, remaining) = fork::pop(&plain)?.skip(remaining - 1);
    }
    Some(plain)
}

/// The stacks with `symbol` on top, without it.
pub(crate) fn pop_top<S: Clone + Eq, W: Clone>(set: &Repr<S, W>, symbol: &S) -> Repr<S, W> {
    let of_fork = |edge: Option<Repr<S, W>>| edge.unwrap_or(Repr::Empty);
    match set {
        Repr::Empty => Repr::Empty,
        Repr::Uniform(weight, Chain::Fork(fork)) => {
            of_fork(find(&fork.edges, symbol).map(|tail| Repr::Uniform(weight.clone(), tail.clone())))
        }
        Repr::Mixed(Chain::Fork(fork)) => of_fork(find(&fork.edges, symbol).cloned()),
        Repr::Uniform(_, plain) if plain.run_top() == Some(symbol) => set.skip(1).0,
        Repr::Mixed(mixed) if mixed.run_top() == Some(symbol) => set.skip(1).0,
        _ => Repr::Empty,
    }
}

fn find<'a, S: Eq, T>(edges: &'a [(S, T)], symbol: &S) -> Option<&'a T> {
    edges.iter().find(|(known, _)| known == symbol).map(|(_, tail)| tail)
}

/// The stacks with `symbol` on top.
pub(crate) fn retain_top<S: Clone + Eq, W: Clone>(set: &Repr<S, W>, symbol: &S) -> Repr<S, W> {
    match Cursor::root(set).and_then(|root| root.symbols().next()) {
        Some(top) if top == symbol => set.clone(),
        Some(_) => Repr::Empty,
        None => pop_top(set, symbol).push(symbol.clone()),
    }
}

/// The empty stack alone.
pub(crate) fn retain_empty<S, W: Clone>(set: &Repr<S, W>) -> Repr<S, W> {
    match Cursor::root(set).and_then(Cursor::end_weight) {
        Some(weight) => Repr::Uniform(weight.clone(), Chain::Bottom),
        None => Repr::Empty,
    }
}

/// Distinct tops with the stacks below them.
pub(crate) fn pop_branches<S, W: Clone>(set: &Repr<S, W>) -> Branches<'_, S, W> {
    match set {
        Repr::Empty => Branches::One(None),
        Repr::Uniform(weight, Chain::Fork(fork)) => Branches::Plain(weight, fork.edges.iter()),
        Repr::Mixed(Chain::Fork(fork)) => Branches::Mixed(fork.edges.iter()),
        Repr::Uniform(weight, plain) => {
            Branches::One(plain.run_top().map(|top| (top, Repr::Uniform(weight.clone(), plain.skip_one()))))
        }
        Repr::Mixed(mixed) => Branches::One(mixed.run_top().map(|top| (top, Repr::Mixed(mixed.skip_one())))),
    }
}

/// Iterator of [`pop_branches`].
pub(crate) enum Branches<'a, S, W> {
    One(Option<(&'a S, Repr<S, W>)>),
    Plain(&'a W, std::slice::Iter<'a, (S, Plain<S>)>),
    Mixed(std::slice::Iter<'a, (S, Repr<S, W>)>),
}

impl<'a, S, W: Clone> Iterator for Branches<'a, S, W> {
    type Item = (&'a S, Repr<S, W>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Branches::One(branch) => branch.take(),
            Branches::Plain(weight, edges) => {
                edges.next().map(|(symbol, tail)| (symbol, Repr::Uniform(weight.clone(), tail.clone())))
            }
            Branches::Mixed(edges) => edges.next().map(|(symbol, tail)| (symbol, tail.clone())),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = match self {
            Branches::One(branch) => usize::from(branch.is_some()),
            Branches::Plain(_, edges) => edges.len(),
            Branches::Mixed(edges) => edges.len(),
        };
        (len, Some(len))
    }
}

/// The value of a computation that cannot fail.
pub(crate) fn infallible<T>(result: Result<T, Infallible>) -> T {
    let Ok(value) = result;
    value
}
