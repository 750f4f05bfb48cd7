//! Merging into the smallest graph: operands are made unique, then merged two by two with unique results.
//!
//! Two by two, because a union of many at once depends on which *sets* of sets come together, of which there may be
//! exponentially many, where the unions of pairs are known from the table as soon as they come to equal sets. See
//! [`unique`](crate::unique).

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::chain::{Chain, ChainId};
use crate::evaluate::{evaluate, Recursion, Step, StepOf};
use crate::merge::{Merge, Part, WeightedParts};
use crate::unique::{MinimizeFrame, Unique, UniquePlain};
use crate::weight::Join;
use crate::weighted_fork::{Mixed, Repr, WeightedFork};

/// Merges sets that are not empty into the smallest graph.
pub(crate) fn merge_minimal<S, W, J>(sets: &[&Repr<S, W>], join: &J) -> Result<Repr<S, W>, J::Error>
where
    S: Clone + Eq + Hash,
    W: Clone,
    J: Join<W>,
{
    let mut merge = Merge::new(join);
    merge.union.unique = Some(UniquePlain::default());
    merge.unique = Some(Unique::default());
    let mut parts = minimal_parts(&mut merge, sets)?;
    // Neighbours first: the caller knows what belongs together.
    while parts.len() > 1 {
        let mut halved = WeightedParts::new();
        for pair in parts.chunks(2) {
            halved.push(match pair {
                [only] => only.clone(),
                pair => merged(&mut merge, pair.iter().cloned().collect())?,
            });
        }
        parts = halved;
    }
    Ok(parts.pop().map_or(Repr::Empty, |part| merge.repr(part)))
}

/// Unique parts for operands.
fn minimal_parts<S, W, J>(merge: &mut Merge<'_, S, W, J>, sets: &[&Repr<S, W>]) -> Result<WeightedParts<S, W>, J::Error>
where
    S: Clone + Eq + Hash,
    W: Clone,
    J: Join<W>,
{
    let parts = merge.parts(sets)?;
    let mut minimize = Minimize { merge, memo: FxHashMap::default() };
    parts.into_iter().map(|part| minimize.part(part)).collect()
}

/// The merge of parts that may have been asked for before.
fn merged<S, W, J>(merge: &mut Merge<'_, S, W, J>, parts: WeightedParts<S, W>) -> Result<Part<S, W>, J::Error>
where
    S: Clone + Eq + Hash,
    W: Clone,
    J: Join<W>,
{
    let key = merge.key(&parts);
    if let Some(known) = merge.memo.get(&key) {
        return Ok(known.clone());
    }
    let merged = evaluate(merge, parts)?;
    merge.memo.insert(key, merged.clone());
    Ok(merged)
}

/// Makes the operands of a merge unique, each weighted node once.
struct Minimize<'m, 'j, S, W, J> {
    merge: &'m mut Merge<'j, S, W, J>,
    /// By whole segment or fork.
    memo: FxHashMap<ChainId, Mixed<S, W>>,
}

impl<S: Clone + Eq + Hash, W: Clone, J: Join<W>> Minimize<'_, '_, S, W, J> {
    fn part(&mut self, part: Part<S, W>) -> Result<Part<S, W>, J::Error> {
        Ok(match part {
            Part::Uniform(weight, plain) => match &mut self.merge.union.unique {
                Some(unique) => Part::Uniform(weight, unique.minimize(&plain)),
                None => Part::Uniform(weight, plain),
            },
            Part::Mixed(mixed) => {
                let (whole, hidden) = mixed.whole_segment();
                let minimal = match self.memo.get(&whole.id()) {
                    Some(known) => known.clone(),
                    None => {
                        let id = whole.id();
                        let minimal = evaluate(self, whole)?;
                        self.memo.insert(id, minimal.clone());
                        minimal
                    }
                };
                Part::Mixed(minimal.skip(hidden).0)
            }
        })
    }
}

impl<S: Clone + Eq + Hash, W: Clone, J: Join<W>> Recursion for Minimize<'_, '_, S, W, J> {
    type Task = Mixed<S, W>;
    type Key = ChainId;
    type Frame = MinimizeFrame<S, WeightedFork<S, W>>;
    type Output = Mixed<S, W>;
    type Error = J::Error;

    fn key(&self, chain: &Mixed<S, W>) -> ChainId {
        chain.id()
    }

    fn memo(&mut self) -> &mut FxHashMap<ChainId, Mixed<S, W>> {
        &mut self.memo
    }

    fn expand(&mut self, chain: Mixed<S, W>) -> Result<StepOf<Self>, J::Error> {
        let mixed = |(_, tail): &(S, Repr<S, W>)| match tail {
            Repr::Mixed(mixed) => Some(mixed.whole_segment()),
            _ => None,
        };
        let below: Vec<(Mixed<S, W>, usize)> = match &chain {
            Chain::Bottom => return Ok(Step::Done(Chain::Bottom)),
            Chain::Run(_) => chain.as_run().map(|(_, below)| below.whole_segment()).into_iter().collect(),
            Chain::Fork(fork) => fork.edges.iter().filter_map(mixed).collect(),
        };
        let (tasks, hidden) = below.into_iter().unzip();
        Ok(Step::Descend((chain, hidden), tasks))
    }

    fn combine(&mut self, frame: Self::Frame, results: Vec<Mixed<S, W>>) -> Result<Mixed<S, W>, J::Error> {
        let (chain, hidden) = frame;
        let mut below = results.into_iter().zip(hidden).map(|(tail, hidden)| tail.skip(hidden).0);
        let Chain::Fork(node) = &chain else {
            let below = below.next().unwrap_or(Chain::Bottom);
            return Ok(self.merge.unique.as_mut().map_or(Chain::Bottom, |unique| unique.run(&chain, below)));
        };
        let end = node.end.as_ref().map(|weight| self.merge.number(weight)).transpose()?;
        let mut edges = Vec::with_capacity(node.edges.len());
        let mut same = true;
        for (symbol, tail) in &node.edges {
            let (old, new) = match (tail, self.merge.part(tail)?) {
                (Repr::Mixed(old), _) => (Some(old.id()), below.next().map(Part::Mixed)),
                (_, Some(old)) => (Some(old.chain_id()), Some(self.part(old)?)),
                (_, None) => (None, None),
            };
            same &= old == new.as_ref().map(Part::chain_id);
            edges.extend(new.map(|tail| (symbol.clone(), tail)));
        }
        Ok(self.merge.fork(end, edges, same.then_some(&chain)))
    }
}
