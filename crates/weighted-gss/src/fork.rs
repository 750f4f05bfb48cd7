//! The unweighted graph: branching nodes and the union of sets of stacks.
//!
//! A set of stacks is in normal form when no fork could be a run or the bottom: a fork has at least two ways to go on
//! (edges, or the end of a stack), its edges carry distinct symbols, and nothing below is empty. Two graphs in normal
//! form hold the same stacks exactly when they unfold to the same tree, up to the order of edges and the cuts between
//! segments.
//!
//! Union descends only where operands differ: equal objects are one, common tops are stripped run by run, and the edges
//! of the rest are grouped by symbol. Where the result equals an operand, the operand itself is returned, which keeps
//! sharing alive through repeated merges.

use std::convert::Infallible;
use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::{smallvec, SmallVec};

use crate::chain::{dismantle, shared_run, Branching, Chain, ChainId};
use crate::evaluate::{evaluate, Recursion, Step, StepOf};
use crate::ops::infallible;
use crate::unique::UniquePlain;

/// An unweighted set of stacks that is not empty.
pub(crate) type Plain<S> = Chain<S, Fork<S>>;
/// Operands of a union.
pub(crate) type Parts<S> = SmallVec<[Plain<S>; 2]>;

/// A branching node.
pub(crate) struct Fork<S> {
    /// Whether a stack ends here.
    pub(crate) ends: bool,
    /// Distinct top symbols with the stacks below; at least two, or one beside an end.
    pub(crate) edges: Vec<(S, Plain<S>)>,
    depth: usize,
}

impl<S> Branching<S> for Fork<S> {
    fn depth(&self) -> usize {
        self.depth
    }

    fn take_tails(&mut self, out: &mut Vec<Plain<S>>) {
        out.extend(self.edges.drain(..).map(|(_, tail)| tail));
    }
}

impl<S> Drop for Fork<S> {
    fn drop(&mut self) {
        if !self.edges.is_empty() {
            let mut pending = Vec::with_capacity(self.edges.len());
            self.take_tails(&mut pending);
            dismantle(pending, Chain::Bottom);
        }
    }
}

/// The normal form of a set given by an end and edges of distinct symbols; `None` when empty.
pub(crate) fn assemble<S: Clone>(ends: bool, mut edges: Vec<(S, Plain<S>)>) -> Option<Plain<S>> {
    match (ends, edges.len()) {
        (false, 0) => None,
        (true, 0) => Some(Chain::Bottom),
        (false, 1) => edges.pop().map(|(symbol, tail)| tail.push(symbol)),
        _ => Some(fork(ends, edges)),
    }
}

pub(crate) fn fork<S>(ends: bool, edges: Vec<(S, Plain<S>)>) -> Plain<S> {
    let depth = 1 + edges.iter().map(|(_, tail)| tail.depth()).max().unwrap_or(0);
    Chain::Fork(Arc::new(Fork { ends, edges, depth }))
}

/// Every non-empty stack without its top.
pub(crate) fn pop<S: Clone + Eq + Hash>(plain: &Plain<S>) -> Option<Plain<S>> {
    match plain {
        Chain::Bottom => None,
        Chain::Run(_) => Some(plain.skip(1).0),
        Chain::Fork(fork) => match fork.edges.as_slice() {
            [(_, left), (_, right)] => Some(union(left, right)),
            edges => union_all(edges.iter().map(|(_, tail)| tail.clone()).collect()),
        },
    }
}

/// The stacks of all parts; `None` when there is no part.
pub(crate) fn union_all<S: Clone + Eq + Hash>(parts: Parts<S>) -> Option<Plain<S>> {
    Union::default().run(parts)
}

/// The union of two sets.
pub(crate) fn union<S: Clone + Eq + Hash>(left: &Plain<S>, right: &Plain<S>) -> Plain<S> {
    if left.id() == right.id() {
        return left.clone();
    }
    if let Some(disjoint) = union_of_distinct_tops(left, right) {
        return disjoint;
    }
    union_all(smallvec![left.clone(), right.clone()]).unwrap_or(Chain::Bottom)
}

/// The commonest union needs no search: two runs with different tops.
fn union_of_distinct_tops<S: Clone + Eq>(left: &Plain<S>, right: &Plain<S>) -> Option<Plain<S>> {
    let (a, b) = (left.run_top()?, right.run_top()?);
    (a != b).then(|| fork(false, vec![(a.clone(), left.skip(1).0), (b.clone(), right.skip(1).0)]))
}

/// Union of any number of sets, with its memo table: keep one for a whole operation.
pub(crate) struct Union<S> {
    memo: FxHashMap<SmallVec<[ChainId; 2]>, Plain<S>>,
    /// Where there is one, parts and results are unique, and sets are united two by two: so the memo table has no more
    /// entries than there are pairs of different sets, where unions of many could be as many as sets of sets.
    pub(crate) unique: Option<UniquePlain<S>>,
}

impl<S> Default for Union<S> {
    fn default() -> Self {
        Union { memo: FxHashMap::default(), unique: None }
    }
}

impl<S: Clone + Eq + Hash> Union<S> {
    /// The stacks of all parts; `None` when there is no part. The parts must outlive this table.
    pub(crate) fn run(&mut self, mut parts: Parts<S>) -> Option<Plain<S>> {
        distinct(&mut parts);
        match parts.len() {
            0 | 1 => parts.pop(),
            _ if self.unique.is_none() => Some(infallible(evaluate(self, parts))),
            _ => {
                let key = self.key(&parts);
                if let Some(known) = self.memo.get(&key) {
                    return Some(known.clone());
                }
                let union = infallible(evaluate(self, parts));
                self.memo.insert(key, union.clone());
                Some(union)
            }
        }
    }

    /// The unique chain of a set built from unique ones, if chains are to be unique.
    pub(crate) fn settle(&mut self, built: Plain<S>) -> Plain<S> {
        match &mut self.unique {
            Some(unique) => unique.settle(built),
            None => built,
        }
    }
}

/// What a union waits for.
pub(crate) enum UnionFrame<S> {
    /// The union of the parts below `shared` common top symbols.
    Below { parts: Parts<S>, shared: usize },
    /// The unions below the symbols that occur in several parts.
    Edges { parts: Parts<S>, ends: bool, groups: Vec<(S, Parts<S>)> },
}

impl<S: Clone + Eq + Hash> Recursion for Union<S> {
    type Task = Parts<S>;
    type Key = SmallVec<[ChainId; 2]>;
    type Frame = UnionFrame<S>;
    type Output = Plain<S>;
    type Error = Infallible;

    fn key(&self, parts: &Parts<S>) -> Self::Key {
        let mut key: Self::Key = parts.iter().map(Chain::id).collect();
        key.sort_unstable();
        key
    }

    fn memo(&mut self) -> &mut FxHashMap<Self::Key, Plain<S>> {
        &mut self.memo
    }

    fn expand(&mut self, mut parts: Parts<S>) -> Result<StepOf<Self>, Infallible> {
        if let [only] = parts.as_slice() {
            return Ok(Step::Done(only.clone()));
        }
        let shared = shared_by_all(&parts);
        if shared > 0 {
            let mut below: Parts<S> = parts.iter().map(|part| part.skip(shared).0).collect();
            distinct(&mut below);
            return Ok(Step::Descend(UnionFrame::Below { parts, shared }, vec![below]));
        }
        // The widest part first: a part that contains the others is then found to be the result.
        parts.sort_by_key(|part| std::cmp::Reverse(width(part)));
        let (ends, groups) = group_by_top(&parts);
        let tasks = groups.iter().filter(|(_, tails)| tails.len() > 1).map(|(_, tails)| tails.clone()).collect();
        Ok(Step::Descend(UnionFrame::Edges { parts, ends, groups }, tasks))
    }

    fn combine(&mut self, frame: UnionFrame<S>, results: Vec<Plain<S>>) -> Result<Plain<S>, Infallible> {
        let mut results = results.into_iter();
        let union = match frame {
            UnionFrame::Below { parts, shared } => {
                let below = results.next().unwrap_or(Chain::Bottom);
                raise(&parts, shared, below)
            }
            UnionFrame::Edges { parts, ends, groups } => {
                let edges = groups
                    .into_iter()
                    .filter_map(|(symbol, mut tails)| {
                        let tail = if tails.len() > 1 { results.next() } else { tails.pop() };
                        tail.map(|tail| (symbol, tail))
                    })
                    .collect();
                reuse(&parts, ends, edges)
            }
        };
        Ok(self.settle(union))
    }
}

/// Puts the top symbols back, or returns the part that is already the result.
fn raise<S: Clone>(parts: &[Plain<S>], shared: usize, below: Plain<S>) -> Plain<S> {
    if let Some(same) = parts.iter().find(|part| part.skip(shared).0.id() == below.id()) {
        return same.clone();
    }
    match parts.first() {
        Some(part) => below.push_all(part.top_symbols(shared)),
        None => below,
    }
}

/// The fork of these edges, or the part that is already the result.
fn reuse<S: Clone + Eq>(parts: &[Plain<S>], ends: bool, edges: Vec<(S, Plain<S>)>) -> Plain<S> {
    let is_result = |part: &&Plain<S>| match part {
        Chain::Fork(fork) => fork.ends == ends && same_edges(&fork.edges, &edges),
        _ => false,
    };
    match parts.iter().find(is_result) {
        Some(part) => part.clone(),
        None => assemble(ends, edges).unwrap_or(Chain::Bottom),
    }
}

fn same_edges<S: Eq>(left: &[(S, Plain<S>)], right: &[(S, Plain<S>)]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(a, b)| a.1.id() == b.1.id() && a.0 == b.0)
}

/// Number of top symbols that all parts have in common for certain.
fn shared_by_all<S: Eq>(parts: &[Plain<S>]) -> usize {
    match parts.split_first() {
        Some((first, rest)) => rest.iter().fold(usize::MAX, |limit, part| shared_run(first, part, limit)),
        None => 0,
    }
}

/// Number of distinct tops.
fn width<S>(part: &Plain<S>) -> usize {
    match part {
        Chain::Bottom => 0,
        Chain::Run(_) => 1,
        Chain::Fork(fork) => fork.edges.len(),
    }
}

/// Whether a stack ends at the root, and the tails by top symbol in the order of first appearance.
fn group_by_top<S: Clone + Eq + Hash>(parts: &[Plain<S>]) -> (bool, Vec<(S, Parts<S>)>) {
    let mut groups = Groups::new(parts.iter().map(width).sum());
    let mut ends = false;
    for part in parts {
        match part {
            Chain::Bottom => ends = true,
            Chain::Run(_) => {
                if let Some(top) = part.run_top() {
                    groups.add(top, part.skip(1).0);
                }
            }
            Chain::Fork(fork) => {
                ends |= fork.ends;
                fork.edges.iter().for_each(|(symbol, tail)| groups.add(symbol, tail.clone()));
            }
        }
    }
    let mut groups = groups.into_vec();
    groups.iter_mut().for_each(|(_, tails)| distinct(tails));
    (ends, groups)
}

/// Removes repeated objects, keeping the first of each.
fn distinct<S>(parts: &mut Parts<S>) {
    if parts.len() <= LINEAR {
        let mut kept = 0;
        while let Some(id) = parts.get(kept).map(Chain::id) {
            let mut index = 0;
            parts.retain(|part| {
                index += 1;
                index <= kept + 1 || part.id() != id
            });
            kept += 1;
        }
        return;
    }
    let mut seen = rustc_hash::FxHashSet::default();
    parts.retain(|part| seen.insert(part.id()));
}

/// Up to this many items a linear search beats a hash table.
pub(crate) const LINEAR: usize = 8;

/// Items grouped by symbol, in the order in which the symbols appear.
pub(crate) struct Groups<S, T> {
    groups: Vec<(S, SmallVec<[T; 2]>)>,
    /// Where each symbol is; used only when many symbols are expected.
    index: Option<FxHashMap<S, usize>>,
}

impl<S: Clone + Eq + Hash, T> Groups<S, T> {
    /// Groups for at most `expected` items.
    pub(crate) fn new(expected: usize) -> Self {
        let index = (expected > LINEAR).then(|| FxHashMap::with_capacity_and_hasher(expected, Default::default()));
        Groups { groups: Vec::with_capacity(expected), index }
    }

    /// Adds an item to its group.
    pub(crate) fn add(&mut self, symbol: &S, item: T) {
        let known = match &mut self.index {
            None => self.groups.iter().position(|(known, _)| known == symbol),
            Some(index) => {
                let next = self.groups.len();
                let at = *index.entry(symbol.clone()).or_insert(next);
                (at < next).then_some(at)
            }
        };
        match known.and_then(|at| self.groups.get_mut(at)) {
            Some((_, items)) => items.push(item),
            None => self.groups.push((symbol.clone(), smallvec![item])),
        }
    }

    /// The groups.
    pub(crate) fn into_vec(self) -> Vec<(S, SmallVec<[T; 2]>)> {
        self.groups
    }
}
