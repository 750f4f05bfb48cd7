//! [`Gss`]: a set of stacks without weights.
//!
//! The same operations as [`WeightedGss`] where they make sense; also what all stacks of one weight are stored as.

use std::hash::Hash;

use smallvec::smallvec;

use crate::chain::Chain;
use crate::cursor::{Cursor, Symbols};
use crate::fork::{self, Plain};
use crate::linear::Linear;
use crate::ops::{popn_plain, Branches};
use crate::weighted::{NodeId, WeightedGss};
use crate::weighted_fork::Repr;

/// A persistent set of stacks over symbols `S`.
///
/// ```
/// use weighted_gss::Gss;
///
/// let set = Gss::from_stacks([vec![1, 2], vec![1, 3]]);
/// assert_eq!(set.pop().to_stacks(10)?, [[1]]);
/// # Ok::<(), weighted_gss::Error>(())
/// ```
pub struct Gss<S> {
    /// `None` when there is no stack.
    pub(crate) chain: Option<Plain<S>>,
}

const UNIT: &() = &();

impl<S> Clone for Gss<S> {
    #[inline]
    fn clone(&self) -> Self {
        Gss { chain: self.chain.clone() }
    }
}

impl<S> Default for Gss<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S> Gss<S> {
    /// No stack. `O(1)`, no allocation.
    #[must_use]
    pub const fn new() -> Self {
        Gss { chain: None }
    }

    pub(crate) fn root(&self) -> Option<Cursor<'_, S, ()>> {
        self.chain.as_ref().map(|chain| Cursor::Plain(UNIT, chain))
    }

    /// Whether there is no stack. `O(1)`.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chain.is_none()
    }

    /// Length of the longest stack; 0 when there is none. `O(1)`.
    #[must_use]
    pub fn max_depth(&self) -> usize {
        self.chain.as_ref().map_or(0, Chain::depth)
    }

    /// Whether the empty stack is in the set. `O(1)`.
    #[must_use]
    pub fn has_empty_stack(&self) -> bool {
        self.root().and_then(Cursor::end_weight).is_some()
    }

    /// The symbol on top of every stack; `None` when tops differ, the empty stack is there, or no stack is. `O(1)`.
    #[inline]
    #[must_use]
    pub fn top(&self) -> Option<&S> {
        self.chain.as_ref().and_then(Chain::run_top)
    }

    /// The distinct top symbols. `O(1)` each.
    pub fn tops(&self) -> impl Iterator<Item = &S> + '_ {
        let edges = self.root().map(Cursor::edges).into_iter().flatten().map(|(symbol, _)| symbol);
        self.top().into_iter().chain(edges)
    }

    /// The symbols that all stacks have in common on top, top first. See [`WeightedGss::linear_prefix`].
    #[must_use]
    pub fn linear_prefix(&self) -> Symbols<'_, S, ()> {
        self.root().map_or_else(Symbols::nothing, Cursor::symbols)
    }

    /// The single stack, when the set holds exactly one. `O(1)`, no allocation.
    #[inline]
    #[must_use]
    pub fn linear(&self) -> Option<Linear<'_, S, ()>> {
        match &self.chain {
            Some(chain) if chain.is_straight() => Some(Linear::new(UNIT, chain)),
            _ => None,
        }
    }

    /// Identity for memo tables during a traversal. `O(1)`.
    #[must_use]
    pub fn node_id(&self) -> NodeId {
        NodeId::new(self.chain.as_ref().map(Chain::id))
    }
}

impl<S: Clone + Eq + Hash> Gss<S> {
    /// One stack, bottom to top. `O(n)`.
    #[must_use]
    pub fn from_stack(stack: impl IntoIterator<Item = S>) -> Self {
        Gss { chain: Some(Chain::above(Chain::Bottom, stack)) }
    }

    /// These stacks, each bottom to top. Linear in the number of symbols.
    #[must_use]
    pub fn from_stacks<I: IntoIterator<Item = S>>(stacks: impl IntoIterator<Item = I>) -> Self {
        Self::merge_all(stacks.into_iter().map(Self::from_stack))
    }

    /// This set and one more stack, bottom to top.
    #[must_use]
    pub fn with_stack(&self, stack: impl IntoIterator<Item = S>) -> Self {
        self.merge(&Self::from_stack(stack))
    }

    /// The stacks of both.
    #[must_use]
    pub fn merge(&self, other: &Self) -> Self {
        match (&self.chain, &other.chain) {
            (None, _) => other.clone(),
            (_, None) => self.clone(),
            (Some(left), Some(right)) => Gss { chain: Some(fork::union(left, right)) },
        }
    }

    /// The stacks of all sets. Faster than merging one after the other.
    #[must_use]
    pub fn merge_all(sets: impl IntoIterator<Item = Self>) -> Self {
        let mut parts = smallvec![];
        parts.extend(sets.into_iter().filter_map(|set| set.chain));
        Gss { chain: fork::union_all(parts) }
    }

    /// With `symbol` on top of every stack. `O(1)`.
    #[must_use]
    pub fn push(&self, symbol: S) -> Self {
        Gss { chain: self.chain.as_ref().map(|chain| chain.push(symbol)) }
    }

    /// [`push`](Self::push) in place: an append where this is the only handle. `O(1)` amortised.
    #[inline]
    pub fn push_mut(&mut self, symbol: S) {
        if let Some(chain) = &mut self.chain {
            chain.push_mut(symbol);
        }
    }

    /// Every non-empty stack without its top. `O(1)` unless tops differ.
    #[must_use]
    pub fn pop(&self) -> Self {
        self.popn(1)
    }

    /// Every stack of at least `count` symbols without its topmost `count`.
    #[must_use]
    pub fn popn(&self, count: usize) -> Self {
        Gss { chain: self.chain.as_ref().and_then(|chain| popn_plain(chain, count)) }
    }

    /// [`popn`](Self::popn) in place. `O(1)` within a segment.
    #[inline]
    pub fn popn_mut(&mut self, count: usize) {
        let done = self.chain.as_mut().is_none_or(|chain| chain.skip_within(count));
        if !done {
            *self = self.popn(count);
        }
    }

    fn as_set(&self) -> Repr<S, ()> {
        Repr::uniform((), self.chain.clone())
    }

    fn of_set(set: Repr<S, ()>) -> Self {
        match set {
            Repr::Uniform((), chain) => Gss { chain: Some(chain) },
            _ => Gss { chain: None },
        }
    }

    /// The stacks with `symbol` on top. `O(b)`.
    #[must_use]
    pub fn retain_top(&self, symbol: &S) -> Self {
        Self::of_set(crate::ops::retain_top(&self.as_set(), symbol))
    }

    /// The empty stack alone, if it is there. `O(1)`.
    #[must_use]
    pub fn retain_empty(&self) -> Self {
        Self::of_set(crate::ops::retain_empty(&self.as_set()))
    }

    /// The stacks with `symbol` on top, without it. `O(b)`.
    #[must_use]
    pub fn pop_top(&self, symbol: &S) -> Self {
        Self::of_set(crate::ops::pop_top(&self.as_set(), symbol))
    }

    /// The distinct top symbols, each with what lies below it. `O(1)` each.
    pub fn pop_branches(&self) -> impl Iterator<Item = (&S, Gss<S>)> + '_ {
        let branches = match &self.chain {
            None => Branches::One(None),
            Some(Chain::Fork(fork)) => Branches::Plain(UNIT, fork.edges.iter()),
            Some(chain) => Branches::One(chain.run_top().map(|top| (top, Repr::Uniform((), chain.skip_one())))),
        };
        branches.map(|(symbol, tail)| (symbol, Self::of_set(tail)))
    }

    /// These stacks with one weight. `O(1)`.
    #[must_use]
    pub fn with_weight<W>(&self, weight: W) -> WeightedGss<S, W> {
        WeightedGss::from_unweighted(self.clone(), weight)
    }
}
