//! Equality of the maps two graphs stand for.
//!
//! Both are in normal form, so the graphs are walked side by side; pairs of nodes met before and shared nodes are
//! skipped, so that the cost is at most the number of different pairs, and usually the size of one graph.

use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::chain::{shared_run, Branching, Chain, ChainId};
use crate::fork::Plain;
use crate::gss::Gss;
use crate::ops::infallible;
use crate::weight::{ByWeight, Join, Weight};
use crate::weighted::WeightedGss;
use crate::weighted_fork::{Mixed, Repr};

/// Pairs still to be compared, and pairs that have been.
struct Comparison<'a, S, W, J> {
    join: &'a J,
    seen: FxHashSet<(ChainId, ChainId)>,
    plain: Vec<(Plain<S>, Plain<S>)>,
    mixed: Vec<(Mixed<S, W>, Mixed<S, W>)>,
}

impl<'a, S: Eq + Hash, W, J: Join<W>> Comparison<'a, S, W, J> {
    fn new(join: &'a J) -> Self {
        Comparison { join, seen: FxHashSet::default(), plain: Vec::new(), mixed: Vec::new() }
    }

    /// Compares what is pending.
    fn run(&mut self) -> Result<bool, J::Error> {
        loop {
            while let Some((left, right)) = self.plain.pop() {
                if !self.plain_pair(&left, &right) {
                    return Ok(false);
                }
            }
            match self.mixed.pop() {
                None => return Ok(true),
                Some((left, right)) if !self.mixed_pair(&left, &right)? => return Ok(false),
                Some(_) => {}
            }
        }
    }

    fn plain_pair(&mut self, left: &Plain<S>, right: &Plain<S>) -> bool {
        let (left, right) = below_shared_run(left, right);
        if left.id() == right.id() || !self.seen.insert((left.id(), right.id())) {
            return true;
        }
        let (Chain::Fork(a), Chain::Fork(b)) = (&left, &right) else { return false };
        if a.ends != b.ends {
            return false;
        }
        match_edges(&a.edges, &b.edges, |tails| self.plain.push((tails.0.clone(), tails.1.clone())))
    }

    fn mixed_pair(&mut self, left: &Mixed<S, W>, right: &Mixed<S, W>) -> Result<bool, J::Error> {
        let (left, right) = below_shared_run(left, right);
        if left.id() == right.id() || !self.seen.insert((left.id(), right.id())) {
            return Ok(true);
        }
        let (Chain::Fork(a), Chain::Fork(b)) = (&left, &right) else { return Ok(false) };
        let ends_agree = match (&a.end, &b.end) {
            (None, None) => true,
            (Some(v), Some(w)) => self.join.equal(v, w)?,
            _ => false,
        };
        let mut tails = Vec::with_capacity(a.edges.len());
        if !ends_agree || !match_edges(&a.edges, &b.edges, |pair| tails.push(pair)) {
            return Ok(false);
        }
        for (left, right) in tails {
            if !self.sets(left, right)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether two sets may be equal; what remains to be compared is then pending.
    fn sets(&mut self, left: &Repr<S, W>, right: &Repr<S, W>) -> Result<bool, J::Error> {
        match (left, right) {
            (Repr::Empty, Repr::Empty) => Ok(true),
            (Repr::Uniform(v, a), Repr::Uniform(w, b)) => {
                self.plain.push((a.clone(), b.clone()));
                self.join.equal(v, w)
            }
            (Repr::Mixed(a), Repr::Mixed(b)) => {
                self.mixed.push((a.clone(), b.clone()));
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

fn below_shared_run<S: Eq, N: Branching<S>>(left: &Chain<S, N>, right: &Chain<S, N>) -> (Chain<S, N>, Chain<S, N>) {
    let shared = shared_run(left, right, usize::MAX);
    (left.skip(shared).0, right.skip(shared).0)
}

/// Pairs the tails of equal symbols; whether the symbols are the same.
fn match_edges<'e, S: Eq + Hash, T>(
    left: &'e [(S, T)],
    right: &'e [(S, T)],
    mut pair: impl FnMut((&'e T, &'e T)),
) -> bool {
    if left.len() != right.len() {
        return false;
    }
    let same_order = left.iter().zip(right).take_while(|(a, b)| a.0 == b.0).count();
    left.iter().zip(right).take(same_order).for_each(|(a, b)| pair((&a.1, &b.1)));
    let index: FxHashMap<&S, &T> = right.iter().skip(same_order).map(|(symbol, tail)| (symbol, tail)).collect();
    left.iter().skip(same_order).all(|(symbol, tail)| match index.get(symbol) {
        Some(other) => {
            pair((tail, other));
            true
        }
        None => false,
    })
}

impl<S: Clone + Eq + Hash, W: Clone> WeightedGss<S, W> {
    /// Whether both stand for the same map. Cheap where they share structure; else linear in the smaller graph as a
    /// rule.
    ///
    /// # Errors
    /// The first error of `join` in comparing weights.
    pub fn try_eq<J: Join<W>>(&self, other: &Self, join: &J) -> Result<bool, J::Error> {
        let mut comparison = Comparison::new(join);
        Ok(comparison.sets(&self.set, &other.set)? && comparison.run()?)
    }
}

impl<S: Clone + Eq + Hash, W: Weight> PartialEq for WeightedGss<S, W> {
    fn eq(&self, other: &Self) -> bool {
        infallible(self.try_eq(other, &ByWeight))
    }
}

impl<S: Clone + Eq + Hash, W: Weight> Eq for WeightedGss<S, W> {}

impl<S: Clone + Eq + Hash> PartialEq for Gss<S> {
    fn eq(&self, other: &Self) -> bool {
        self.with_weight(()) == other.with_weight(())
    }
}

impl<S: Clone + Eq + Hash> Eq for Gss<S> {}
