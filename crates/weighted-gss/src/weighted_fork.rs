//! The weighted graph: forks below which several weights occur, above unweighted sets with one weight each.
//!
//! A weight stands as near to the root as it can: a set whose stacks all have one weight is that weight beside an
//! unweighted set, whatever its size. Only forks with at least two different weights below them are [`WeightedFork`]s.
//! So the common operations never touch weights, a change of weight leaves the stacks shared, and mapping weights
//! costs as many calls as there are weighted edges.
//!
//! ```text
//!   {a b: 1, c b: 2}          mixed fork ── a ──► 1, unweighted {b}
//!                                      └─── c ──► 2, unweighted {b}     (one shared object)
//! ```

use std::sync::{Arc, OnceLock};

use crate::chain::{dismantle, Branching, Chain};
use crate::fork::{assemble, Plain};
use crate::weight::Join;

/// A weighted set in normal form.
pub(crate) enum Repr<S, W> {
    /// No stack.
    Empty,
    /// All stacks have this weight.
    Uniform(W, Plain<S>),
    /// Runs above a fork with different weights; never the bottom.
    Mixed(Mixed<S, W>),
}

/// Stacks of at least two different weights.
pub(crate) type Mixed<S, W> = Chain<S, WeightedFork<S, W>>;

/// A branching node with at least two different weights below it.
pub(crate) struct WeightedFork<S, W> {
    /// The weight of the stack that ends here, if one does.
    pub(crate) end: Option<W>,
    /// Distinct top symbols with the stacks below; none of them is empty.
    pub(crate) edges: Vec<(S, Repr<S, W>)>,
    depth: usize,
    /// The join of all weights below, once somebody has asked.
    pub(crate) joined: OnceLock<W>,
}

impl<S, W> Branching<S> for WeightedFork<S, W> {
    fn depth(&self) -> usize {
        self.depth
    }

    fn take_tails(&mut self, out: &mut Vec<Mixed<S, W>>) {
        for (_, tail) in self.edges.drain(..) {
            if let Repr::Mixed(mixed) = tail {
                out.push(mixed);
            }
        }
    }
}

impl<S, W> Drop for WeightedFork<S, W> {
    fn drop(&mut self) {
        if !self.edges.is_empty() {
            let mut pending = Vec::new();
            self.take_tails(&mut pending);
            dismantle(pending, Chain::Bottom);
        }
    }
}

impl<S, W: Clone> Clone for Repr<S, W> {
    #[inline]
    fn clone(&self) -> Self {
        match self {
            Repr::Empty => Repr::Empty,
            Repr::Uniform(weight, plain) => Repr::Uniform(weight.clone(), plain.clone()),
            Repr::Mixed(mixed) => Repr::Mixed(mixed.clone()),
        }
    }
}

impl<S, W> Repr<S, W> {
    /// Length of the longest stack.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Repr::Empty => 0,
            Repr::Uniform(_, plain) => plain.depth(),
            Repr::Mixed(mixed) => mixed.depth(),
        }
    }

    /// Uniform, or empty when there is no set.
    pub(crate) fn uniform(weight: W, plain: Option<Plain<S>>) -> Self {
        plain.map_or(Repr::Empty, |plain| Repr::Uniform(weight, plain))
    }
}

impl<S: Clone, W: Clone> Repr<S, W> {
    /// With `symbol` on top of every stack.
    pub(crate) fn push(&self, symbol: S) -> Self {
        match self {
            Repr::Empty => Repr::Empty,
            Repr::Uniform(weight, plain) => Repr::Uniform(weight.clone(), plain.push(symbol)),
            Repr::Mixed(mixed) => Repr::Mixed(mixed.push(symbol)),
        }
    }

    /// With `symbols` (bottom to top) on top of every stack.
    pub(crate) fn push_all(&self, symbols: impl IntoIterator<Item = S>) -> Self {
        match self {
            Repr::Empty => Repr::Empty,
            Repr::Uniform(weight, plain) => Repr::Uniform(weight.clone(), plain.push_all(symbols)),
            Repr::Mixed(mixed) => Repr::Mixed(mixed.push_all(symbols)),
        }
    }

    /// Without the topmost `count` symbols of the leading run, and how many remain to be popped.
    pub(crate) fn skip(&self, count: usize) -> (Self, usize) {
        match self {
            Repr::Empty => (Repr::Empty, 0),
            Repr::Uniform(weight, plain) => {
                let (rest, remaining) = plain.skip(count);
                (Repr::Uniform(weight.clone(), rest), remaining)
            }
            Repr::Mixed(mixed) => {
                let (rest, remaining) = mixed.skip(count);
                (Repr::Mixed(rest), remaining)
            }
        }
    }

    /// The normal form of a set given by an end and edges of distinct symbols: lifts a weight that all have in common.
    ///
    /// # Errors
    /// When comparing weights fails.
    pub(crate) fn assemble<J: Join<W>>(end: Option<W>, edges: Vec<(S, Self)>, join: &J) -> Result<Self, J::Error> {
        let mut edges = edges;
        edges.retain(|(_, tail)| !matches!(tail, Repr::Empty));
        if let (None, [(symbol, tail)]) = (&end, edges.as_slice()) {
            return Ok(tail.push(symbol.clone()));
        }
        Ok(match common_weight(end.as_ref(), &edges, join)? {
            Some(weight) => Repr::uniform(weight, assemble(end.is_some(), plain_edges(edges))),
            None if edges.is_empty() => Repr::Empty,
            None => Repr::Mixed(Chain::Fork(Arc::new(WeightedFork::new(end, edges)))),
        })
    }
}

impl<S, W> WeightedFork<S, W> {
    /// A node of these parts, which must have different weights.
    pub(crate) fn new(end: Option<W>, edges: Vec<(S, Repr<S, W>)>) -> Self {
        let depth = 1 + edges.iter().map(|(_, tail)| tail.depth()).max().unwrap_or(0);
        WeightedFork { end, edges, depth, joined: OnceLock::new() }
    }
}

/// The one weight of the end and of all edges, if there is only one.
pub(crate) fn common_weight<S, W: Clone, J: Join<W>>(
    end: Option<&W>,
    edges: &[(S, Repr<S, W>)],
    join: &J,
) -> Result<Option<W>, J::Error> {
    let mut common = end;
    for (_, tail) in edges {
        let Repr::Uniform(weight, _) = tail else { return Ok(None) };
        match common {
            None => common = Some(weight),
            Some(first) if !join.equal(first, weight)? => return Ok(None),
            Some(_) => {}
        }
    }
    Ok(common.cloned())
}

fn plain_edges<S, W>(edges: Vec<(S, Repr<S, W>)>) -> Vec<(S, Plain<S>)> {
    edges
        .into_iter()
        .filter_map(|(symbol, tail)| match tail {
            Repr::Uniform(_, plain) => Some((symbol, plain)),
            _ => None,
        })
        .collect()
}
