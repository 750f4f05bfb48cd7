//! [`WeightedGss`]: a finite map from stacks to weights, as a value.
//!
//! Every operation is defined by the map it stands for; the graph only makes it cheap. The operations that may have to
//! join weights come in two forms: plain ones for a [`Weight`] type and `try_` ones for a [`Join`].

use std::hash::Hash;

use crate::chain::{Chain, ChainId};
use crate::cursor::{Cursor, Symbols};
use crate::gss::Gss;
use crate::linear::Linear;
use crate::ops::{self, infallible, Branches};
use crate::weight::{ByWeight, Join, Weight};
use crate::weighted_fork::Repr;
use crate::{map, merge, minimize};

/// A persistent set of stacks over symbols `S`, each with one weight `W`.
///
/// Values are cheap to clone (one or two reference counts) and share structure; no operation changes a value seen
/// through another handle. The `_mut` forms work in place where the handle is the only one, without allocating in the
/// steady state. `Send` and `Sync` when `S` and `W` are.
///
/// Costs are stated for the usual shape, a few stacks that share long runs. Operations on a fork of `b` branches cost
/// at least `O(b)`; merging costs the size of the part of the operands that is neither shared between them nor below
/// different symbols.
///
/// ```
/// use std::collections::BTreeSet;
/// use weighted_gss::WeightedGss;
///
/// let one = |x| BTreeSet::from([x]);
/// let left = WeightedGss::from_stack(['a', 'b'], one(1));
/// let right = WeightedGss::from_stack(['a', 'c'], one(2));
/// let both = left.merge(&right).push('d');
/// assert_eq!(both.top(), Some(&'d'));
///
/// // Popping twice makes the two stacks equal: they merge, and their weights join.
/// let merged = both.popn(2);
/// assert_eq!(merged.to_stacks(10)?, [(vec!['a'], BTreeSet::from([1, 2]))]);
/// # Ok::<(), weighted_gss::Error>(())
/// ```
pub struct WeightedGss<S, W> {
    pub(crate) set: Repr<S, W>,
}

/// Identity of a set's stacks by address, for memo tables that live no longer than the graph.
///
/// As long as both sets are alive, equal ids mean equal stacks; unequal ids mean nothing. The weight of a
/// [`uniform`](WeightedGss::uniform) set is *not* part of its id: key by it as well, or handle it apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(Option<ChainId>);

impl NodeId {
    pub(crate) fn new(id: Option<ChainId>) -> Self {
        NodeId(id)
    }
}

impl<S, W: Clone> Clone for WeightedGss<S, W> {
    #[inline]
    fn clone(&self) -> Self {
        WeightedGss { set: self.set.clone() }
    }
}

impl<S, W> Default for WeightedGss<S, W> {
    fn default() -> Self {
        Self::new()
    }
}

/// Construction and questions that need nothing of the types.
impl<S, W> WeightedGss<S, W> {
    /// No stack. `O(1)`, no allocation.
    #[must_use]
    pub const fn new() -> Self {
        WeightedGss { set: Repr::Empty }
    }

    /// All stacks of `stacks` with one weight. `O(1)`.
    #[must_use]
    pub fn from_unweighted(stacks: Gss<S>, weight: W) -> Self {
        WeightedGss { set: Repr::uniform(weight, stacks.chain) }
    }

    /// Whether there is no stack. `O(1)`.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self.set, Repr::Empty)
    }

    /// Length of the longest stack; 0 when there is none. `O(1)`.
    #[must_use]
    pub fn max_depth(&self) -> usize {
        self.set.depth()
    }

    /// Whether the empty stack is in the set. `O(1)`.
    #[must_use]
    pub fn has_empty_stack(&self) -> bool {
        self.empty_weight().is_some()
    }

    /// The weight of the empty stack. `O(1)`.
    #[must_use]
    pub fn empty_weight(&self) -> Option<&W> {
        Cursor::root(&self.set).and_then(Cursor::end_weight)
    }

    /// The symbol on top of every stack; `None` when tops differ, the empty stack is there, or no stack is. `O(1)`.
    #[inline]
    #[must_use]
    pub fn top(&self) -> Option<&S> {
        match &self.set {
            Repr::Empty => None,
            Repr::Uniform(_, plain) => plain.run_top(),
            Repr::Mixed(mixed) => mixed.run_top(),
        }
    }

    /// The distinct top symbols. `O(1)` each.
    pub fn tops(&self) -> impl Iterator<Item = &S> + '_ {
        let edges = Cursor::root(&self.set).map(Cursor::edges).into_iter().flatten().map(|(symbol, _)| symbol);
        self.top().into_iter().chain(edges)
    }

    /// The symbols that all stacks have in common on top, top first: up to the first place where stacks differ or one
    /// of them ends. `O(1)` per symbol, no allocation.
    #[must_use]
    pub fn linear_prefix(&self) -> Symbols<'_, S, W> {
        Cursor::root(&self.set).map_or_else(Symbols::nothing, Cursor::symbols)
    }

    /// The single stack with its weight, when the set holds exactly one. `O(1)`, no allocation.
    #[inline]
    #[must_use]
    pub fn linear(&self) -> Option<Linear<'_, S, W>> {
        match &self.set {
            Repr::Uniform(weight, plain) if plain.is_straight() => Some(Linear::new(weight, plain)),
            _ => None,
        }
    }

    /// The weight of all stacks, when they have one in common. `O(1)`.
    #[inline]
    #[must_use]
    pub fn uniform(&self) -> Option<&W> {
        match &self.set {
            Repr::Uniform(weight, _) => Some(weight),
            _ => None,
        }
    }

    /// The weights as stored: every weight of a stack at least once, equal ones possibly several times. Linear in the
    /// number of weighted edges.
    #[must_use]
    pub fn weights(&self) -> Vec<&W> {
        map::weights(&self.set)
    }

    /// Number of nodes with several ways to go on, not counted beyond `limit`: how branched the graph is, and whether
    /// [`minimize`](Self::minimize) may pay. Linear in `limit` and the runs above the forks counted.
    #[must_use]
    pub fn count_forks(&self, limit: usize) -> usize {
        map::count_forks(&self.set, limit)
    }

    /// Identity for memo tables during a traversal. `O(1)`.
    #[must_use]
    pub fn node_id(&self) -> NodeId {
        NodeId(Cursor::root(&self.set).map(Cursor::id))
    }
}

/// Operations that copy symbols and weights, but never join weights.
impl<S: Clone + Eq + Hash, W: Clone> WeightedGss<S, W> {
    /// One stack, bottom to top. `O(n)`.
    #[must_use]
    pub fn from_stack(stack: impl IntoIterator<Item = S>, weight: W) -> Self {
        WeightedGss { set: Repr::Uniform(weight, Chain::above(Chain::Bottom, stack)) }
    }

    /// With `symbol` on top of every stack. `O(1)`.
    #[must_use]
    pub fn push(&self, symbol: S) -> Self {
        WeightedGss { set: self.set.push(symbol) }
    }

    /// [`push`](Self::push) in place: an append where this is the only handle. `O(1)` amortised.
    #[inline]
    pub fn push_mut(&mut self, symbol: S) {
        match &mut self.set {
            Repr::Empty => {}
            Repr::Uniform(_, plain) => plain.push_mut(symbol),
            Repr::Mixed(mixed) => mixed.push_mut(symbol),
        }
    }

    /// The stacks with `symbol` on top. `O(b)`.
    #[must_use]
    pub fn retain_top(&self, symbol: &S) -> Self {
        WeightedGss { set: ops::retain_top(&self.set, symbol) }
    }

    /// The empty stack alone, if it is there. `O(1)`.
    #[must_use]
    pub fn retain_empty(&self) -> Self {
        WeightedGss { set: ops::retain_empty(&self.set) }
    }

    /// The stacks with `symbol` on top, without it. `O(b)`.
    #[must_use]
    pub fn pop_top(&self, symbol: &S) -> Self {
        WeightedGss { set: ops::pop_top(&self.set, symbol) }
    }

    /// The distinct top symbols, each with what lies below it. The empty stack has no top and is left out. `O(1)` each.
    #[must_use]
    pub fn pop_branches(&self) -> PopBranches<'_, S, W> {
        PopBranches(ops::pop_branches(&self.set))
    }

    /// The stacks without their weights. `O(1)` for a uniform set, else linear in the weighted part.
    #[must_use]
    pub fn to_unweighted(&self) -> Gss<S> {
        let shape = infallible(map::filter_map(&self.set, |_| Ok(Some(())), &ByWeight));
        match shape {
            Repr::Uniform((), plain) => Gss { chain: Some(plain) },
            _ => Gss { chain: None },
        }
    }

    /// Replaces every weight by `map` of it. `map` is called once for each *stored* weight, not for each stack; the
    /// stacks stay shared. Linear in the weighted part: one call for a uniform set.
    #[must_use]
    pub fn map_weights<V: Weight>(&self, mut map: impl FnMut(&W) -> V) -> WeightedGss<S, V> {
        self.filter_map_weights(|weight| Some(map(weight)))
    }

    /// Like [`map_weights`](Self::map_weights); stacks whose weight becomes `None` go.
    #[must_use]
    pub fn filter_map_weights<V: Weight>(&self, mut map: impl FnMut(&W) -> Option<V>) -> WeightedGss<S, V> {
        infallible(self.try_filter_map_weights(|weight| Ok(map(weight)), &ByWeight))
    }

    /// [`filter_map_weights`](Self::filter_map_weights) with a `map` and a [`Join`] that may fail.
    ///
    /// # Errors
    /// The first error of `map` or `join`.
    pub fn try_filter_map_weights<V: Clone, J: Join<V>>(
        &self,
        map: impl FnMut(&W) -> Result<Option<V>, J::Error>,
        join: &J,
    ) -> Result<WeightedGss<S, V>, J::Error> {
        Ok(WeightedGss { set: map::filter_map(&self.set, map, join)? })
    }
}

/// Operations that may join weights, for [`Weight`] types.
impl<S: Clone + Eq + Hash, W: Weight> WeightedGss<S, W> {
    /// These stacks, each bottom to top. Linear in the number of symbols.
    #[must_use]
    pub fn from_stacks<I: IntoIterator<Item = S>>(stacks: impl IntoIterator<Item = (I, W)>) -> Self {
        Self::merge_all(stacks.into_iter().map(|(stack, weight)| Self::from_stack(stack, weight)))
    }

    /// This set and one more stack, bottom to top.
    #[must_use]
    pub fn with_stack(&self, stack: impl IntoIterator<Item = S>, weight: W) -> Self {
        self.merge(&Self::from_stack(stack, weight))
    }

    /// The stacks of both; the weights of equal stacks are joined.
    #[must_use]
    pub fn merge(&self, other: &Self) -> Self {
        infallible(self.try_merge(other, &ByWeight))
    }

    /// The stacks of all sets. Faster than merging one after the other.
    #[must_use]
    pub fn merge_all(sets: impl IntoIterator<Item = Self>) -> Self {
        infallible(Self::try_merge_all(sets, &ByWeight))
    }

    /// Every non-empty stack without its top. `O(1)` unless tops differ.
    #[must_use]
    pub fn pop(&self) -> Self {
        infallible(self.try_popn(1, &ByWeight))
    }

    /// Every stack of at least `count` symbols without its topmost `count`. Linear in the number of segments and forks
    /// passed.
    #[must_use]
    pub fn popn(&self, count: usize) -> Self {
        infallible(self.try_popn(count, &ByWeight))
    }

    /// [`popn`](Self::popn) in place. `O(1)` within a segment.
    #[inline]
    pub fn popn_mut(&mut self, count: usize) {
        infallible(self.try_popn_mut(count, &ByWeight));
    }

    /// The same stacks and weights, with equal sets of stacks shared wherever they stand: the smallest graph.
    ///
    /// Merging shares what is one object already. Where equal sets arise in different ways, again and again, the graph
    /// grows exponentially beyond what its stacks need unless it is minimised in between. Linear in the graph, its runs
    /// symbol by symbol; at most quadratic in the number of different weights.
    ///
    /// ```
    /// use weighted_gss::WeightedGss;
    ///
    /// let pair = |top| WeightedGss::from_stacks([(vec![1, 7, top], ()), (vec![2, 7, top], ())]);
    /// let both = pair(8).merge(&pair(9));
    /// assert_eq!(both.count_forks(10), 3);
    /// assert_eq!(both.minimize().count_forks(10), 2);
    /// assert_eq!(both.minimize(), both);
    /// ```
    #[must_use]
    pub fn minimize(&self) -> Self {
        Self::merge_minimal([self.clone()])
    }

    /// [`merge_all`](Self::merge_all), then [`minimize`](Self::minimize); and what comes in between is minimal too.
    /// Neighbours are merged first.
    #[must_use]
    pub fn merge_minimal(sets: impl IntoIterator<Item = Self>) -> Self {
        let sets: Vec<Self> = sets.into_iter().collect();
        let filled: Vec<_> = sets.iter().map(|gss| &gss.set).filter(|set| !matches!(set, Repr::Empty)).collect();
        WeightedGss { set: infallible(minimize::merge_minimal(&filled, &ByWeight)) }
    }

    /// The join of all weights; `None` when there is no stack. `O(1)` for a uniform set; weighted forks remember
    /// theirs, so that asking at every node of a traversal is linear altogether.
    #[must_use]
    pub fn joined_weight(&self) -> Option<W> {
        infallible(self.try_joined_weight(&ByWeight))
    }
}

/// Operations that may join weights, for a [`Join`] that may fail. Each returns the first error of the join.
impl<S: Clone + Eq + Hash, W: Clone> WeightedGss<S, W> {
    /// See [`merge`](Self::merge).
    ///
    /// # Errors
    /// The first error of `join`.
    pub fn try_merge<J: Join<W>>(&self, other: &Self, join: &J) -> Result<Self, J::Error> {
        Ok(WeightedGss { set: merge::merge(&self.set, &other.set, join)? })
    }

    /// See [`merge_all`](Self::merge_all).
    ///
    /// # Errors
    /// The first error of `join`.
    pub fn try_merge_all<J: Join<W>>(sets: impl IntoIterator<Item = Self>, join: &J) -> Result<Self, J::Error> {
        let sets: Vec<Self> = sets.into_iter().collect();
        Ok(WeightedGss { set: merge::merge_all(sets.iter().map(|gss| &gss.set), join)? })
    }

    /// See [`popn`](Self::popn).
    ///
    /// # Errors
    /// The first error of `join`.
    pub fn try_popn<J: Join<W>>(&self, count: usize, join: &J) -> Result<Self, J::Error> {
        Ok(WeightedGss { set: ops::popn(&self.set, count, join)? })
    }

    /// See [`popn_mut`](Self::popn_mut). On an error the value is as it was.
    ///
    /// # Errors
    /// The first error of `join`.
    #[inline]
    pub fn try_popn_mut<J: Join<W>>(&mut self, count: usize, join: &J) -> Result<(), J::Error> {
        if let Repr::Uniform(_, plain) = &mut self.set {
            if plain.skip_within(count) {
                return Ok(());
            }
        }
        self.set = ops::popn(&self.set, count, join)?;
        Ok(())
    }

    /// See [`joined_weight`](Self::joined_weight). One graph must always be asked with the same join.
    ///
    /// # Errors
    /// The first error of `join`.
    pub fn try_joined_weight<J: Join<W>>(&self, join: &J) -> Result<Option<W>, J::Error> {
        map::joined(&self.set, join)
    }
}

/// Iterator over the branches of a set: see [`WeightedGss::pop_branches`].
pub struct PopBranches<'a, S, W>(Branches<'a, S, W>);

impl<'a, S, W: Clone> Iterator for PopBranches<'a, S, W> {
    type Item = (&'a S, WeightedGss<S, W>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(symbol, set)| (symbol, WeightedGss { set }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<S, W: Clone> ExactSizeIterator for PopBranches<'_, S, W> {}
