//! Weighted subset construction: a deterministic state is a set of states with residual weights.
//!
//! The sum of what arrives becomes the weight of the edge, and is divided out of the residuals, so that states which
//! differ by a common factor only are the same. For sets of tokens this is exact and always ends where the set of
//! values is finite; for costs it ends on acyclic automata (and where the twins property holds): hence the limit.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::Hash;

use super::nwa::add_to;
use super::{Divisible, Dwa, Nwa};
use crate::error::AutomataError;
use crate::{Interner, StateId};

/// States with residual weights, by state.
type Subset<W> = Vec<(StateId, W)>;

impl<S: Clone + Ord + Hash + Debug, W: Divisible> Nwa<S, W> {
    /// A deterministic automaton that gives every word the same value, trimmed.
    ///
    /// Errors if it would take more than `limit` states.
    pub fn determinize(&self, limit: usize) -> Result<Dwa<S, W>, AutomataError> {
        let mut subsets: Interner<StateId, Subset<W>> = Interner::new();
        let mut dwa = Dwa::new();
        let mut starts = BTreeMap::new();
        self.starts.iter().for_each(|(q, weight)| add_to(&mut starts, *q, weight.clone()));
        let (first, subset) = factor(starts);
        subsets.intern(subset);
        while dwa.len() < subsets.len() {
            let subset = subsets.get(StateId(dwa.len() as u32)).clone();
            let state = dwa.push_state(self.last_of(&subset));
            for (symbol, targets) in self.targets_of(&subset) {
                let (weight, subset) = factor(targets);
                if weight.is_zero() {
                    continue;
                }
                let target = subsets.intern(subset);
                if subsets.len() > limit {
                    return Err(AutomataError::states(limit));
                }
                dwa.push_edge(state, symbol, target, weight);
            }
        }
        Ok(dwa.with_first(&first).trim())
    }
    fn last_of(&self, subset: &Subset<W>) -> W {
        let ends = subset.iter().map(|(q, residual)| residual.times(self.final_weight(*q)));
        ends.fold(W::zero(), |sum, weight| sum.plus(&weight))
    }
    fn targets_of(&self, subset: &Subset<W>) -> BTreeMap<S, BTreeMap<StateId, W>> {
        let mut targets: BTreeMap<S, BTreeMap<StateId, W>> = BTreeMap::new();
        for (q, residual) in subset {
            for edge in self.edges(*q) {
                let weight = residual.times(&edge.weight);
                add_to(targets.entry(edge.symbol.clone()).or_default(), edge.target, weight);
            }
        }
        targets
    }
}

/// The sum of all weights, and what is left of each.
fn factor<W: Divisible>(weights: BTreeMap<StateId, W>) -> (W, Subset<W>) {
    let sum = weights.values().fold(W::zero(), |sum, weight| sum.plus(weight));
    let nonzero = weights.into_iter().filter(|(_, weight)| !weight.is_zero());
    let subset = nonzero.map(|(q, weight)| (q, weight.left_quotient(&sum))).collect();
    (sum, subset)
}
