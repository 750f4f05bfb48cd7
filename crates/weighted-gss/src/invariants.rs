//! The normal form, checked: for tests, fuzzers, and whoever suspects a weight of breaking its laws.

use std::hash::Hash;

use rustc_hash::FxHashSet;

use crate::chain::{Branching, Chain, ChainId};
use crate::cursor::Cursor;
use crate::error::Error;
use crate::gss::Gss;
use crate::ops::infallible;
use crate::weight::{ByWeight, Weight};
use crate::weighted::WeightedGss;
use crate::weighted_fork::{common_weight, Mixed, Repr};

/// Checks every place reachable from `root` once.
fn check<S: Eq + Hash, W: Weight>(root: Option<Cursor<'_, S, W>>) -> Result<(), Error> {
    let mut seen: FxHashSet<ChainId> = FxHashSet::default();
    let mut pending: Vec<Cursor<'_, S, W>> = root.into_iter().collect();
    while let Some(place) = pending.pop() {
        if seen.insert(place.id()) {
            check_place(place)?;
            pending.extend(place.below());
        }
    }
    Ok(())
}

fn check_place<S: Eq + Hash, W: Weight>(place: Cursor<'_, S, W>) -> Result<(), Error> {
    let run = match place {
        Cursor::Plain(_, plain) => plain.broken_rule(),
        Cursor::Mixed(mixed) => mixed.broken_rule(),
    };
    match run.or_else(|| broken_fork(place)).or_else(|| broken_weights(place)) {
        Some(rule) => Err(Error::broken_invariant(rule)),
        None => Ok(()),
    }
}

fn broken_fork<S: Eq + Hash, W>(place: Cursor<'_, S, W>) -> Option<&'static str> {
    let depth = match place {
        Cursor::Plain(_, Chain::Fork(fork)) => fork.depth(),
        Cursor::Mixed(Chain::Fork(fork)) => fork.depth(),
        _ => return None,
    };
    let edges: Vec<(&S, usize)> = place.edges().map(|(symbol, tail)| (symbol, tail.depth())).collect();
    let symbols: FxHashSet<&S> = edges.iter().map(|(symbol, _)| *symbol).collect();
    let ways = edges.len() + usize::from(place.end_weight().is_some());
    let rules = [
        (!edges.is_empty() && ways >= 2, "a fork has two ways to go on"),
        (symbols.len() == edges.len(), "the edges of a fork have distinct symbols"),
        (edges.iter().map(|(_, below)| below + 1).max() == Some(depth), "a fork knows its depth"),
    ];
    rules.iter().find(|(holds, _)| !holds).map(|(_, rule)| *rule)
}

fn broken_weights<S, W: Weight>(place: Cursor<'_, S, W>) -> Option<&'static str> {
    match place {
        Cursor::Mixed(Chain::Bottom) => Some("a weighted run ends in a weighted fork"),
        Cursor::Mixed(mixed) => broken_lifting(mixed),
        Cursor::Plain(..) => None,
    }
}

fn broken_lifting<S, W: Weight>(mixed: &Mixed<S, W>) -> Option<&'static str> {
    let Chain::Fork(fork) = mixed else { return None };
    if fork.edges.iter().any(|(_, tail)| matches!(tail, Repr::Empty)) {
        return Some("no edge leads to the empty set");
    }
    let common = infallible(common_weight(fork.end.as_ref(), &fork.edges, &ByWeight));
    common.is_some().then_some("a common weight is lifted")
}

impl<S: Eq + Hash, W: Weight> WeightedGss<S, W> {
    /// Checks the rules of the representation. Linear in the graph.
    ///
    /// # Errors
    /// Names the first rule found broken.
    pub fn check_invariants(&self) -> Result<(), Error> {
        check(Cursor::root(&self.set))
    }
}

impl<S: Eq + Hash> Gss<S> {
    /// See [`WeightedGss::check_invariants`].
    ///
    /// # Errors
    /// Names the first rule found broken.
    pub fn check_invariants(&self) -> Result<(), Error> {
        check(self.root())
    }
}
