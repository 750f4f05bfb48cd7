//! A borrowed place in a graph, weighted or not: what every read-only traversal walks with.
//!
//! Weighted forks lead to unweighted sets with one weight each; a cursor carries that weight down, so that visiting,
//! comparing, measuring and drawing are written once.

use crate::chain::{Chain, ChainId, ChainSymbols};
use crate::fork::Plain;
use crate::weighted_fork::{Mixed, Repr};

/// A place in a graph.
pub(crate) enum Cursor<'a, S, W> {
    /// All stacks from here have this weight.
    Plain(&'a W, &'a Plain<S>),
    /// Weights differ further down.
    Mixed(&'a Mixed<S, W>),
}

impl<S, W> Clone for Cursor<'_, S, W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, W> Copy for Cursor<'_, S, W> {}

impl<'a, S, W> Cursor<'a, S, W> {
    /// The root of a set, unless it is empty.
    pub(crate) fn root(set: &'a Repr<S, W>) -> Option<Self> {
        match set {
            Repr::Empty => None,
            Repr::Uniform(weight, plain) => Some(Cursor::Plain(weight, plain)),
            Repr::Mixed(mixed) => Some(Cursor::Mixed(mixed)),
        }
    }

    /// Identity of the stacks (for unweighted places: without the weight).
    pub(crate) fn id(self) -> ChainId {
        match self {
            Cursor::Plain(_, plain) => plain.id(),
            Cursor::Mixed(mixed) => mixed.id(),
        }
    }

    /// Identity of the segment or fork, whatever part of it is seen.
    pub(crate) fn node(self) -> ChainId {
        match self {
            Cursor::Plain(_, plain) => plain.node(),
            Cursor::Mixed(mixed) => mixed.node(),
        }
    }

    /// Length of the longest stack.
    pub(crate) fn depth(self) -> usize {
        match self {
            Cursor::Plain(_, plain) => plain.depth(),
            Cursor::Mixed(mixed) => mixed.depth(),
        }
    }

    /// The places directly below this segment or fork.
    pub(crate) fn below(self) -> impl Iterator<Item = Self> {
        self.as_run().map(|(_, below)| below).into_iter().chain(self.edges().map(|(_, tail)| tail))
    }

    /// The symbols of the leading run, top first.
    pub(crate) fn symbols(self) -> Symbols<'a, S, W> {
        Symbols(match self {
            Cursor::Plain(_, plain) => Either::Plain(plain.symbols()),
            Cursor::Mixed(mixed) => Either::Mixed(mixed.symbols()),
        })
    }

    /// The visible symbols of the first segment (bottom to top) and the place below it, of a run.
    pub(crate) fn as_run(self) -> Option<(&'a [S], Self)> {
        match self {
            Cursor::Plain(weight, plain) => {
                plain.as_run().map(|(symbols, below)| (symbols, Cursor::Plain(weight, below)))
            }
            Cursor::Mixed(mixed) => mixed.as_run().map(|(symbols, below)| (symbols, Cursor::Mixed(below))),
        }
    }

    /// The weight of the empty stack.
    pub(crate) fn end_weight(self) -> Option<&'a W> {
        match self {
            Cursor::Plain(weight, Chain::Bottom) => Some(weight),
            Cursor::Plain(weight, Chain::Fork(fork)) => fork.ends.then_some(weight),
            Cursor::Mixed(Chain::Fork(fork)) => fork.end.as_ref(),
            _ => None,
        }
    }

    /// The edges of a fork; none elsewhere.
    pub(crate) fn edges(self) -> Edges<'a, S, W> {
        match self {
            Cursor::Plain(weight, Chain::Fork(fork)) => Edges::Plain(weight, fork.edges.iter()),
            Cursor::Mixed(Chain::Fork(fork)) => Edges::Mixed(fork.edges.iter()),
            _ => Edges::Mixed([].iter()),
        }
    }

    /// Bytes of the node here, without what lies below.
    pub(crate) fn node_bytes(self) -> usize {
        let own = match self {
            Cursor::Plain(_, plain) => plain.node_bytes(),
            Cursor::Mixed(mixed) => mixed.node_bytes(),
        };
        own + match self {
            Cursor::Plain(_, Chain::Fork(fork)) => fork.edges.capacity() * size_of::<(S, Plain<S>)>(),
            Cursor::Mixed(Chain::Fork(fork)) => fork.edges.capacity() * size_of::<(S, Repr<S, W>)>(),
            _ => 0,
        }
    }
}

/// The edges of a fork.
pub(crate) enum Edges<'a, S, W> {
    Plain(&'a W, std::slice::Iter<'a, (S, Plain<S>)>),
    Mixed(std::slice::Iter<'a, (S, Repr<S, W>)>),
}

impl<'a, S, W> Iterator for Edges<'a, S, W> {
    type Item = (&'a S, Cursor<'a, S, W>);

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Edges::Plain(weight, edges) => {
                let weight: &'a W = weight;
                edges.next().map(|(symbol, tail)| (symbol, Cursor::Plain(weight, tail)))
            }
            Edges::Mixed(edges) => edges.find_map(|(symbol, tail)| Cursor::root(tail).map(|tail| (symbol, tail))),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Edges::Plain(_, edges) => edges.size_hint(),
            Edges::Mixed(edges) => (0, Some(edges.len())),
        }
    }
}

/// The symbols that all stacks of a set have in common on top, top first: see
/// [`WeightedGss::linear_prefix`](crate::WeightedGss::linear_prefix).
pub struct Symbols<'a, S, W>(Either<'a, S, W>);

enum Either<'a, S, W> {
    Nothing,
    Plain(ChainSymbols<'a, S, crate::fork::Fork<S>>),
    Mixed(ChainSymbols<'a, S, crate::weighted_fork::WeightedFork<S, W>>),
}

impl<S, W> Symbols<'_, S, W> {
    /// No symbol.
    pub(crate) fn nothing() -> Self {
        Symbols(Either::Nothing)
    }
}

impl<S, W> Clone for Symbols<'_, S, W> {
    fn clone(&self) -> Self {
        Symbols(match &self.0 {
            Either::Nothing => Either::Nothing,
            Either::Plain(symbols) => Either::Plain(symbols.clone()),
            Either::Mixed(symbols) => Either::Mixed(symbols.clone()),
        })
    }
}

impl<'a, S, W> Iterator for Symbols<'a, S, W> {
    type Item = &'a S;

    #[inline]
    fn next(&mut self) -> Option<&'a S> {
        match &mut self.0 {
            Either::Nothing => None,
            Either::Plain(symbols) => symbols.next(),
            Either::Mixed(symbols) => symbols.next(),
        }
    }
}

impl<S: std::fmt::Debug, W> std::fmt::Debug for Symbols<'_, S, W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
