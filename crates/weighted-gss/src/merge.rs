//! Merging weighted sets: equal stacks become one, and their weights are joined.
//!
//! The same descent as the unweighted union, with weights carried along. Weights are numbered once per operation, by
//! the place they come from, so that the memo table can tell weighted parts apart and so that the same two weights are
//! joined and compared once, however often they meet: joins may be expensive (bit sets, foreign code).
//! Parts of one common weight leave for the unweighted union at once.

use std::hash::Hash;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::chain::{shared_run, Chain, ChainId};
use crate::evaluate::{evaluate, Recursion, Step, StepOf};
use crate::fork::{assemble, union, Groups, Parts, Plain, Union, LINEAR};
use crate::unique::{ForkKey, Unique};
use crate::weight::Join;
use crate::weighted_fork::{Mixed, Repr, WeightedFork};

/// Merges two sets.
pub(crate) fn merge<S, W, J>(left: &Repr<S, W>, right: &Repr<S, W>, join: &J) -> Result<Repr<S, W>, J::Error>
where
    S: Clone + Eq + Hash,
    W: Clone,
    J: Join<W>,
{
    match (left, right) {
        (Repr::Empty, other) | (other, Repr::Empty) => return Ok(other.clone()),
        (Repr::Mixed(a), Repr::Mixed(b)) if a.id() == b.id() => return Ok(left.clone()),
        (Repr::Uniform(v, a), Repr::Uniform(w, b)) => {
            if join.equal(v, w)? {
                return Ok(Repr::Uniform(v.clone(), union(a, b)));
            }
            if a.id() == b.id() {
                return Ok(Repr::Uniform(join.join(v, w)?, a.clone()));
            }
        }
        _ => {}
    }
    search(&[left, right], join)
}

/// Merges any number of sets.
pub(crate) fn merge_all<'a, S, W, J>(
    sets: impl Iterator<Item = &'a Repr<S, W>>,
    join: &J,
) -> Result<Repr<S, W>, J::Error>
where
    S: Clone + Eq + Hash + 'a,
    W: Clone + 'a,
    J: Join<W>,
{
    let sets: SmallVec<[&Repr<S, W>; 4]> = sets.filter(|set| !matches!(set, Repr::Empty)).collect();
    match sets.as_slice() {
        [] => Ok(Repr::Empty),
        [only] => Ok((*only).clone()),
        [left, right] => merge(left, right, join),
        _ => search(&sets, join),
    }
}

/// The general merge of sets that are not empty.
fn search<S, W, J>(sets: &[&Repr<S, W>], join: &J) -> Result<Repr<S, W>, J::Error>
where
    S: Clone + Eq + Hash,
    W: Clone,
    J: Join<W>,
{
    if let Some(disjoint) = merge_of_distinct_tops(sets, join)? {
        return Ok(disjoint);
    }
    let mut merge = Merge::new(join);
    let parts = merge.parts(sets)?;
    let merged = evaluate(&mut merge, parts)?;
    Ok(merge.repr(merged))
}

/// The commonest merge needs no search: runs with distinct tops.
fn merge_of_distinct_tops<S, W, J>(sets: &[&Repr<S, W>], join: &J) -> Result<Option<Repr<S, W>>, J::Error>
where
    S: Clone + Eq + Hash,
    W: Clone,
    J: Join<W>,
{
    if !have_distinct_tops(sets) {
        return Ok(None);
    }
    let edges = sets.iter().filter_map(|set| run_top(set).map(|top| (top.clone(), set.skip(1).0)));
    Repr::assemble(None, edges.collect(), join).map(Some)
}

/// Whether all sets are runs, and no two of them have the same top.
fn have_distinct_tops<S: Eq + Hash, W>(sets: &[&Repr<S, W>]) -> bool {
    if let [left, right] = sets {
        return matches!((run_top(left), run_top(right)), (Some(a), Some(b)) if a != b);
    }
    let mut seen = FxHashSet::with_capacity_and_hasher(sets.len(), FxBuildHasher);
    sets.iter().all(|set| run_top(set).is_some_and(|top| seen.insert(top)))
}

fn run_top<S, W>(set: &Repr<S, W>) -> Option<&S> {
    match set {
        Repr::Empty => None,
        Repr::Uniform(_, plain) => plain.run_top(),
        Repr::Mixed(mixed) => mixed.run_top(),
    }
}

/// A weight by its number within one operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct WeightId(usize);

/// Where equal weights must have equal numbers, a new one is compared with this many; a later twin costs sharing only.
const COMPARED: usize = 64;

/// The unique weighted sets, an edge known by the weight and the identity of its tail.
pub(crate) type UniqueMixed<S, W> = Unique<S, WeightedFork<S, W>, ForkKey<Option<WeightId>, PartKey>>;

/// One operand, or a part of one.
pub(crate) enum Part<S, W> {
    Uniform(WeightId, Plain<S>),
    Mixed(Mixed<S, W>),
}

impl<S, W> Clone for Part<S, W> {
    fn clone(&self) -> Self {
        match self {
            Part::Uniform(weight, plain) => Part::Uniform(*weight, plain.clone()),
            Part::Mixed(mixed) => Part::Mixed(mixed.clone()),
        }
    }
}

pub(crate) type WeightedParts<S, W> = SmallVec<[Part<S, W>; 2]>;
pub(crate) type PartKey = (Option<WeightId>, ChainId);

impl<S, W> Part<S, W> {
    fn key(&self) -> PartKey {
        match self {
            Part::Uniform(weight, plain) => (Some(*weight), plain.id()),
            Part::Mixed(mixed) => (None, mixed.id()),
        }
    }

    pub(crate) fn chain_id(&self) -> ChainId {
        self.key().1
    }

    fn skip(&self, count: usize) -> Self {
        match self {
            Part::Uniform(weight, plain) => Part::Uniform(*weight, plain.skip(count).0),
            Part::Mixed(mixed) => Part::Mixed(mixed.skip(count).0),
        }
    }

    fn width(&self) -> usize {
        match self {
            Part::Uniform(_, Chain::Fork(fork)) => fork.edges.len(),
            Part::Mixed(Chain::Fork(fork)) => fork.edges.len(),
            _ => 1,
        }
    }
}

impl<S: Clone + Eq, W> Part<S, W> {
    fn shared_run(&self, other: &Self, limit: usize) -> usize {
        match (self, other) {
            (Part::Uniform(_, a), Part::Uniform(_, b)) => shared_run(a, b, limit),
            (Part::Uniform(_, a), Part::Mixed(b)) => shared_run(a, b, limit),
            (Part::Mixed(a), Part::Uniform(_, b)) => shared_run(a, b, limit),
            (Part::Mixed(a), Part::Mixed(b)) => shared_run(a, b, limit),
        }
    }

    fn top_symbols(&self, count: usize) -> Vec<S> {
        match self {
            Part::Uniform(_, plain) => plain.top_symbols(count),
            Part::Mixed(mixed) => mixed.top_symbols(count),
        }
    }

    /// With the symbols (bottom to top) on top.
    fn push_all(self, symbols: Vec<S>) -> Self {
        match self {
            Part::Uniform(weight, plain) => Part::Uniform(weight, plain.push_all(symbols)),
            Part::Mixed(mixed) => Part::Mixed(mixed.push_all(symbols)),
        }
    }
}

/// Finds parts by identity: a table where there are many.
struct Places(Option<FxHashMap<ChainId, usize>>);

impl Places {
    fn new(expected: usize) -> Self {
        Places((expected > LINEAR).then(|| FxHashMap::with_capacity_and_hasher(expected, FxBuildHasher)))
    }

    /// Where the part is among those kept; if nowhere, the caller keeps it next.
    fn find<S, W>(&mut self, kept: &[Part<S, W>], id: ChainId) -> Option<usize> {
        match &mut self.0 {
            None => kept.iter().position(|part| part.chain_id() == id),
            Some(table) => {
                let at = *table.entry(id).or_insert(kept.len());
                (at < kept.len()).then_some(at)
            }
        }
    }
}

/// One merge operation: its weights by number and everything computed so far.
pub(crate) struct Merge<'j, S, W, J> {
    join: &'j J,
    weights: Vec<W>,
    by_address: FxHashMap<usize, WeightId>,
    joins: FxHashMap<(WeightId, WeightId), WeightId>,
    equalities: FxHashMap<(WeightId, WeightId), bool>,
    pub(crate) memo: FxHashMap<SmallVec<[PartKey; 2]>, Part<S, W>>,
    pub(crate) union: Union<S>,
    /// There, as in `union`, when parts are to be unique.
    pub(crate) unique: Option<UniqueMixed<S, W>>,
}

impl<'j, S: Clone + Eq + Hash, W: Clone, J: Join<W>> Merge<'j, S, W, J> {
    pub(crate) fn new(join: &'j J) -> Self {
        Merge {
            join,
            weights: Vec::new(),
            by_address: FxHashMap::default(),
            joins: FxHashMap::default(),
            equalities: FxHashMap::default(),
            memo: FxHashMap::default(),
            union: Union::default(),
            unique: None,
        }
    }

    fn add(&mut self, weight: W) -> Result<WeightId, J::Error> {
        if self.unique.is_some() {
            for (index, known) in self.weights.iter().take(COMPARED).enumerate() {
                if self.join.equal(known, &weight)? {
                    return Ok(WeightId(index));
                }
            }
        }
        self.weights.push(weight);
        Ok(WeightId(self.weights.len() - 1))
    }

    /// The number of a weight stored in an operand; operands outlive the operation.
    pub(crate) fn number(&mut self, weight: &W) -> Result<WeightId, J::Error> {
        let address = std::ptr::from_ref(weight).addr();
        if size_of::<W>() > 0 {
            if let Some(&known) = self.by_address.get(&address) {
                return Ok(known);
            }
        }
        let id = self.add(weight.clone())?;
        self.by_address.insert(address, id);
        Ok(id)
    }

    pub(crate) fn part(&mut self, set: &Repr<S, W>) -> Result<Option<Part<S, W>>, J::Error> {
        Ok(match set {
            Repr::Empty => None,
            Repr::Uniform(weight, plain) => Some(Part::Uniform(self.number(weight)?, plain.clone())),
            Repr::Mixed(mixed) => Some(Part::Mixed(mixed.clone())),
        })
    }

    pub(crate) fn parts(&mut self, sets: &[&Repr<S, W>]) -> Result<WeightedParts<S, W>, J::Error> {
        sets.iter().filter_map(|set| self.part(set).transpose()).collect()
    }

    /// The unique part equal to one built from unique ones, if parts are to be unique; forks are when they are built.
    fn settle(&mut self, built: Part<S, W>) -> Part<S, W> {
        match (built, &mut self.unique) {
            (Part::Uniform(weight, plain), Some(_)) => Part::Uniform(weight, self.union.settle(plain)),
            (Part::Mixed(mixed), Some(unique)) => Part::Mixed(unique.settle_run(mixed)),
            (built, None) => built,
        }
    }

    pub(crate) fn repr(&self, part: Part<S, W>) -> Repr<S, W> {
        match part {
            Part::Uniform(weight, plain) => match self.weights.get(weight.0) {
                Some(weight) => Repr::Uniform(weight.clone(), plain),
                None => Repr::Empty,
            },
            Part::Mixed(mixed) => Repr::Mixed(mixed),
        }
    }

    fn join(&mut self, left: WeightId, right: WeightId) -> Result<WeightId, J::Error> {
        if left == right {
            return Ok(left);
        }
        let key = (left.min(right), left.max(right));
        if let Some(&known) = self.joins.get(&key) {
            return Ok(known);
        }
        let joined = match (self.weights.get(left.0), self.weights.get(right.0)) {
            (Some(a), Some(b)) => self.join.join(a, b)?,
            _ => return Ok(left),
        };
        let id = self.add(joined)?;
        self.joins.insert(key, id);
        Ok(id)
    }

    fn equal(&mut self, left: WeightId, right: WeightId) -> Result<bool, J::Error> {
        if left == right {
            return Ok(true);
        }
        let key = (left.min(right), left.max(right));
        if let Some(&known) = self.equalities.get(&key) {
            return Ok(known);
        }
        let equal = match (self.weights.get(left.0), self.weights.get(right.0)) {
            (Some(a), Some(b)) => self.join.equal(a, b)?,
            _ => false,
        };
        self.equalities.insert(key, equal);
        Ok(equal)
    }

    /// Makes parts that are one object one part.
    fn distinct(&mut self, parts: WeightedParts<S, W>) -> Result<WeightedParts<S, W>, J::Error> {
        let mut kept: WeightedParts<S, W> = SmallVec::with_capacity(parts.len());
        let mut places = Places::new(parts.len());
        for part in parts {
            match (places.find(&kept, part.chain_id()), part) {
                (None, part) => kept.push(part),
                (Some(at), Part::Uniform(weight, _)) => {
                    if let Some(Part::Uniform(known, _)) = kept.get_mut(at) {
                        *known = self.join(*known, weight)?;
                    }
                }
                // The same weighted object twice.
                (Some(_), Part::Mixed(_)) => {}
            }
        }
        Ok(kept)
    }

    /// The common weight of parts that all have one, and of `first` if that is given.
    fn common_weight<'p>(
        &mut self,
        first: Option<WeightId>,
        parts: impl Iterator<Item = &'p Part<S, W>>,
    ) -> Result<Option<WeightId>, J::Error>
    where
        S: 'p,
        W: 'p,
    {
        let mut common = first;
        for part in parts {
            let Part::Uniform(weight, _) = part else { return Ok(None) };
            match common {
                None => common = Some(*weight),
                Some(first) if !self.equal(first, *weight)? => return Ok(None),
                Some(_) => {}
            }
        }
        Ok(common)
    }

    /// The joined weight of the stacks that end at the root, and the tails by top symbol.
    fn group_by_top(&mut self, parts: &[Part<S, W>]) -> Result<Grouped<S, W>, J::Error> {
        let mut groups = Groups::new(parts.iter().map(Part::width).sum());
        let mut end: Option<WeightId> = None;
        for part in parts {
            let ending = match part {
                Part::Uniform(weight, plain) => add_plain(&mut groups, *weight, plain).then_some(*weight),
                Part::Mixed(mixed) => self.add_mixed(&mut groups, mixed)?,
            };
            end = match (end, ending) {
                (Some(a), Some(b)) => Some(self.join(a, b)?),
                (a, b) => a.or(b),
            };
        }
        Ok((end, groups.into_vec()))
    }

    fn add_mixed(
        &mut self,
        groups: &mut Groups<S, Part<S, W>>,
        mixed: &Mixed<S, W>,
    ) -> Result<Option<WeightId>, J::Error> {
        let Chain::Fork(fork) = mixed else {
            if let Some(top) = mixed.run_top() {
                groups.add(top, Part::Mixed(mixed.skip(1).0));
            }
            return Ok(None);
        };
        for (symbol, tail) in &fork.edges {
            if let Some(part) = self.part(tail)? {
                groups.add(symbol, part);
            }
        }
        fork.end.as_ref().map(|weight| self.number(weight)).transpose()
    }

    /// The normal form of an end and edges, by numbers.
    fn assemble(&mut self, end: Option<WeightId>, edges: Vec<(S, Part<S, W>)>) -> Result<Option<Part<S, W>>, J::Error> {
        if let (None, [(symbol, tail)]) = (end, edges.as_slice()) {
            let part = tail.clone().push_all(vec![symbol.clone()]);
            return Ok(Some(self.settle(part)));
        }
        let Some(common) = self.common_weight(end, edges.iter().map(|(_, tail)| tail))? else {
            return Ok(Some(Part::Mixed(self.fork(end, edges, None))));
        };
        let plain = edges.into_iter().filter_map(|(symbol, tail)| match tail {
            Part::Uniform(_, plain) => Some((symbol, plain)),
            Part::Mixed(_) => None,
        });
        Ok(assemble(end.is_some(), plain.collect()).map(|plain| Part::Uniform(common, self.union.settle(plain))))
    }

    /// A fork with different weights; `same` is one, if there is one already.
    pub(crate) fn fork(
        &mut self,
        end: Option<WeightId>,
        edges: Vec<(S, Part<S, W>)>,
        same: Option<&Mixed<S, W>>,
    ) -> Mixed<S, W> {
        let key = self.unique.as_mut().map(|unique| {
            let mut key: SmallVec<_> = edges.iter().map(|(s, tail)| (unique.number(s), tail.key())).collect();
            key.sort_unstable();
            (end, key)
        });
        if let (Some(key), Some(unique)) = (&key, &self.unique) {
            if let Some(known) = unique.forks.get(key) {
                return known.clone();
            }
        }
        let fork = match same {
            Some(same) => same.clone(),
            None => {
                let end = end.and_then(|weight| self.weights.get(weight.0).cloned());
                let edges = edges.into_iter().map(|(symbol, tail)| (symbol, self.repr(tail))).collect();
                Chain::Fork(WeightedFork::new(end, edges).into())
            }
        };
        if let (Some(key), Some(unique)) = (key, &mut self.unique) {
            unique.forks.insert(key, fork.clone());
        }
        fork
    }
}

/// Adds the branches of an unweighted set; whether a stack ends at its root.
fn add_plain<S: Clone + Eq + Hash, W>(groups: &mut Groups<S, Part<S, W>>, weight: WeightId, plain: &Plain<S>) -> bool {
    match plain {
        Chain::Bottom => true,
        Chain::Run(_) => {
            if let Some(top) = plain.run_top() {
                groups.add(top, Part::Uniform(weight, plain.skip(1).0));
            }
            false
        }
        Chain::Fork(fork) => {
            for (symbol, tail) in &fork.edges {
                groups.add(symbol, Part::Uniform(weight, tail.clone()));
            }
            fork.ends
        }
    }
}

/// The weight of the empty stack, and the tails by top symbol.
type Grouped<S, W> = (Option<WeightId>, Vec<(S, WeightedParts<S, W>)>);

/// What a merge waits for.
pub(crate) enum MergeFrame<S, W> {
    /// The merge of the parts below `shared` common top symbols.
    Below { parts: WeightedParts<S, W>, shared: usize },
    /// The merges below the symbols that occur in several parts.
    Edges(Grouped<S, W>),
}

impl<S: Clone + Eq + Hash, W: Clone, J: Join<W>> Recursion for Merge<'_, S, W, J> {
    type Task = WeightedParts<S, W>;
    type Key = SmallVec<[PartKey; 2]>;
    type Frame = MergeFrame<S, W>;
    type Output = Part<S, W>;
    type Error = J::Error;

    fn key(&self, parts: &WeightedParts<S, W>) -> Self::Key {
        let mut key: Self::Key = parts.iter().map(Part::key).collect();
        key.sort_unstable();
        key
    }

    fn memo(&mut self) -> &mut FxHashMap<Self::Key, Part<S, W>> {
        &mut self.memo
    }

    fn expand(&mut self, parts: WeightedParts<S, W>) -> Result<StepOf<Self>, J::Error> {
        let parts = self.distinct(parts)?;
        if let [only] = parts.as_slice() {
            return Ok(Step::Done(only.clone()));
        }
        if let Some(weight) = self.common_weight(None, parts.iter())? {
            let plain: Parts<S> = parts.into_iter().filter_map(into_plain).collect();
            let union = self.union.run(plain).unwrap_or(Chain::Bottom);
            return Ok(Step::Done(Part::Uniform(weight, union)));
        }
        let shared = match parts.split_first() {
            Some((first, rest)) => rest.iter().fold(usize::MAX, |limit, part| first.shared_run(part, limit)),
            None => 0,
        };
        if shared > 0 {
            let below = parts.iter().map(|part| part.skip(shared)).collect();
            return Ok(Step::Descend(MergeFrame::Below { parts, shared }, vec![below]));
        }
        let (end, groups) = self.group_by_top(&parts)?;
        let tasks = groups.iter().filter(|(_, tails)| tails.len() > 1).map(|(_, tails)| tails.clone()).collect();
        Ok(Step::Descend(MergeFrame::Edges((end, groups)), tasks))
    }

    fn combine(&mut self, frame: MergeFrame<S, W>, results: Vec<Part<S, W>>) -> Result<Part<S, W>, J::Error> {
        let mut results = results.into_iter();
        let bottom = Part::Mixed(Chain::Bottom);
        match frame {
            MergeFrame::Below { parts, shared } => {
                let raised = raise(&parts, shared, results.next().unwrap_or(bottom));
                Ok(self.settle(raised))
            }
            MergeFrame::Edges((end, groups)) => {
                let tails = groups.into_iter().filter_map(|(symbol, mut tails)| {
                    let tail = if tails.len() > 1 { results.next() } else { tails.pop() };
                    tail.map(|tail| (symbol, tail))
                });
                let edges = tails.collect();
                Ok(self.assemble(end, edges)?.unwrap_or(bottom))
            }
        }
    }
}

fn into_plain<S, W>(part: Part<S, W>) -> Option<Plain<S>> {
    match part {
        Part::Uniform(_, plain) => Some(plain),
        Part::Mixed(_) => None,
    }
}

/// Puts the top symbols back, or reuses the part whose stacks are already the result.
fn raise<S: Clone + Eq, W>(parts: &[Part<S, W>], shared: usize, below: Part<S, W>) -> Part<S, W> {
    let same = parts.iter().find(|part| part.skip(shared).chain_id() == below.chain_id());
    match (same, &below) {
        (Some(Part::Uniform(_, plain)), Part::Uniform(weight, _)) => Part::Uniform(*weight, plain.clone()),
        (Some(same @ Part::Mixed(_)), Part::Mixed(_)) => same.clone(),
        _ => match parts.first() {
            Some(part) => below.push_all(part.top_symbols(shared)),
            None => below,
        },
    }
}
