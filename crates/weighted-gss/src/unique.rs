//! Unique tables: equal sets of stacks become one object, however they arise.
//!
//! Forks have distinct symbols, so a graph is a deterministic automaton that reads stacks from the top. The normal form
//! makes it canonical as a *map*, not as a graph: unions that come to equal sets by different ways are different objects.
//! Later operations know equal parts by address only, so they take twins for different sets; a union of parts of which
//! each has a twin then has a twin for every choice among them, and a long sequence of operations makes exponentially
//! many copies of few sets.
//!
//! The cure is that of binary decision diagrams (Bryant 1986; Revuz 1992 for acyclic automata): within one operation,
//! a run is known by its top symbol and the set below it, a fork by its end and its edges, and whatever is built is
//! looked up first. A chain is *unique* when it has been looked up, and so is whatever lies below it: equal unique sets
//! have equal ids. Its users are the operations of [`merge`](crate::merge) that minimise.

use std::convert::Infallible;
use std::hash::Hash;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::chain::{Branching, Chain, ChainId};
use crate::evaluate::{evaluate, Recursion, Step, StepOf};
use crate::fork::{fork, Fork, Plain};
use crate::ops::infallible;

/// A symbol by its number within one operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SymbolId(usize);
/// What a fork is known by: its end, and its edges in the order of their symbols' numbers.
pub(crate) type ForkKey<E, T> = (E, SmallVec<[(SymbolId, T); 4]>);

/// All unique chains of one kind. They live as long as the table.
pub(crate) struct Unique<S, N: Branching<S>, K> {
    symbols: FxHashMap<S, SymbolId>,
    runs: FxHashMap<(ChainId, SymbolId), Chain<S, N>>,
    pub(crate) forks: FxHashMap<K, Chain<S, N>>,
}

impl<S, N: Branching<S>, K> Default for Unique<S, N, K> {
    fn default() -> Self {
        Unique { symbols: FxHashMap::default(), runs: FxHashMap::default(), forks: FxHashMap::default() }
    }
}

impl<S: Clone + Eq + Hash, N: Branching<S>, K> Unique<S, N, K> {
    /// The number of a symbol.
    pub(crate) fn number(&mut self, symbol: &S) -> SymbolId {
        if let Some(&known) = self.symbols.get(symbol) {
            return known;
        }
        let next = SymbolId(self.symbols.len());
        self.symbols.insert(symbol.clone(), next);
        next
    }

    /// The unique chain with the symbols of the first segment of `original` above `below`, which is unique. Keeps the
    /// segment itself where it lies above that very object.
    pub(crate) fn run(&mut self, original: &Chain<S, N>, below: Chain<S, N>) -> Chain<S, N> {
        let Some((symbols, old_below)) = original.as_run() else { return below };
        let (mut built, mut old) = (below, old_below.clone());
        for (place, symbol) in symbols.iter().enumerate() {
            let key = (built.id(), self.number(symbol));
            let next = original.skip(symbols.len() - place - 1).0;
            built = match self.runs.get(&key) {
                Some(known) => known.clone(),
                None if built.id() == old.id() => self.runs.entry(key).or_insert_with(|| next.clone()).clone(),
                None => return self.segment(built, symbols.get(place..).unwrap_or_default()),
            };
            old = next;
        }
        built
    }

    /// A new segment, none of whose prefixes is in the table.
    fn segment(&mut self, below: Chain<S, N>, symbols: &[S]) -> Chain<S, N> {
        let whole = Chain::above(below.clone(), symbols.iter().cloned());
        let mut built = below;
        for (place, symbol) in symbols.iter().enumerate() {
            let key = (built.id(), self.number(symbol));
            built = whole.skip(symbols.len() - place - 1).0;
            self.runs.insert(key, built.clone());
        }
        built
    }

    /// The unique chain of a run whose chain below its first segment is unique.
    pub(crate) fn settle_run(&mut self, built: Chain<S, N>) -> Chain<S, N> {
        match built.as_run() {
            Some((_, below)) => self.run(&built, below.clone()),
            None => built,
        }
    }
}

/// The unweighted sets that have been found unique, and which one any other set met is equal to.
pub(crate) struct UniquePlain<S> {
    unique: Unique<S, Fork<S>, ForkKey<bool, ChainId>>,
    /// By whole segment or fork. These must outlive the table.
    memo: FxHashMap<ChainId, Plain<S>>,
}

impl<S> Default for UniquePlain<S> {
    fn default() -> Self {
        UniquePlain { unique: Unique::default(), memo: FxHashMap::default() }
    }
}

impl<S: Clone + Eq + Hash> UniquePlain<S> {
    /// The unique chain equal to an operand.
    pub(crate) fn minimize(&mut self, plain: &Plain<S>) -> Plain<S> {
        let (whole, hidden) = plain.whole_segment();
        let minimal = match self.memo.get(&whole.id()) {
            Some(known) => known.clone(),
            None => {
                let minimal = infallible(evaluate(self, whole.clone()));
                self.memo.insert(whole.id(), minimal.clone());
                minimal
            }
        };
        minimal.skip(hidden).0
    }

    /// The unique chain equal to one whose parts are unique.
    pub(crate) fn settle(&mut self, built: Plain<S>) -> Plain<S> {
        let Chain::Fork(node) = &built else { return self.unique.settle_run(built) };
        let mut key: SmallVec<_> = node.edges.iter().map(|(s, tail)| (self.unique.number(s), tail.id())).collect();
        key.sort_unstable();
        self.unique.forks.entry((node.ends, key)).or_insert_with(|| built.clone()).clone()
    }
}

/// A run or fork whose parts are being minimised, and how many symbols of each part's segment are hidden.
pub(crate) type MinimizeFrame<S, N> = (Chain<S, N>, Vec<usize>);

impl<S: Clone + Eq + Hash> Recursion for UniquePlain<S> {
    type Task = Plain<S>;
    type Key = ChainId;
    type Frame = MinimizeFrame<S, Fork<S>>;
    type Output = Plain<S>;
    type Error = Infallible;

    fn key(&self, chain: &Plain<S>) -> ChainId {
        chain.id()
    }

    fn memo(&mut self) -> &mut FxHashMap<ChainId, Plain<S>> {
        &mut self.memo
    }

    fn expand(&mut self, chain: Plain<S>) -> Result<StepOf<Self>, Infallible> {
        let below: Vec<(Plain<S>, usize)> = match &chain {
            Chain::Bottom => return Ok(Step::Done(Chain::Bottom)),
            Chain::Run(_) => chain.as_run().map(|(_, below)| below.whole_segment()).into_iter().collect(),
            Chain::Fork(fork) => fork.edges.iter().map(|(_, tail)| tail.whole_segment()).collect(),
        };
        let (tasks, hidden) = below.into_iter().unzip();
        Ok(Step::Descend((chain, hidden), tasks))
    }

    fn combine(&mut self, frame: Self::Frame, results: Vec<Plain<S>>) -> Result<Plain<S>, Infallible> {
        let (chain, hidden) = frame;
        let mut below = results.into_iter().zip(hidden).map(|(tail, hidden)| tail.skip(hidden).0);
        let Chain::Fork(node) = &chain else {
            return Ok(self.unique.run(&chain, below.next().unwrap_or(Chain::Bottom)));
        };
        let edges: Vec<_> = node.edges.iter().map(|(symbol, _)| symbol.clone()).zip(below).collect();
        let same = node.edges.iter().zip(&edges).all(|(old, new)| old.1.id() == new.1.id());
        Ok(self.settle(if same { chain } else { fork(node.ends, edges) }))
    }
}
