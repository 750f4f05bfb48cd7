//! Rebuilding weights: mapping, filtering, and joining all of them.
//!
//! Only the weighted upper part of the graph is visited; unweighted sets below it are kept as they are. Every weighted
//! node is rebuilt once, so what was shared stays shared; a segment seen from several heights is rebuilt whole, once.

use std::hash::Hash;
use std::marker::PhantomData;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::chain::{Chain, ChainId};
use crate::evaluate::{evaluate, Recursion, Step, StepOf};
use crate::fork::Plain;
use crate::weight::Join;
use crate::weighted_fork::{Mixed, Repr};

/// Replaces every weight; stacks whose weight becomes `None` go.
pub(crate) fn filter_map<S, W, V, J, F>(set: &Repr<S, W>, map: F, join: &J) -> Result<Repr<S, V>, J::Error>
where
    S: Clone + Eq + Hash,
    V: Clone,
    J: Join<V>,
    F: FnMut(&W) -> Result<Option<V>, J::Error>,
{
    let mut map = map;
    match set {
        Repr::Empty => Ok(Repr::Empty),
        Repr::Uniform(weight, plain) => Ok(Repr::from_weight(map(weight)?, plain)),
        Repr::Mixed(mixed) => {
            let (whole, hidden) = mixed.whole_segment();
            let mut mapping = Mapping { map, join, memo: FxHashMap::default(), weight: PhantomData };
            Ok(evaluate(&mut mapping, whole)?.skip(hidden).0)
        }
    }
}

impl<S, V> Repr<S, V> {
    fn from_weight(weight: Option<V>, plain: &crate::fork::Plain<S>) -> Self {
        weight.map_or(Repr::Empty, |weight| Repr::Uniform(weight, plain.clone()))
    }
}

struct Mapping<'j, S, W, V, J, F> {
    map: F,
    join: &'j J,
    memo: FxHashMap<ChainId, Repr<S, V>>,
    weight: PhantomData<fn(&W)>,
}

/// A weighted run or fork whose parts below are being rebuilt.
struct MapFrame<S, W> {
    /// The whole first segment, or the fork.
    chain: Mixed<S, W>,
    /// How many symbols of the segment below are hidden from this chain; for a fork, per edge that is weighted.
    hidden: Vec<usize>,
}

impl<S, W, V, J, F> Recursion for Mapping<'_, S, W, V, J, F>
where
    S: Clone + Eq + Hash,
    V: Clone,
    J: Join<V>,
    F: FnMut(&W) -> Result<Option<V>, J::Error>,
{
    type Task = Mixed<S, W>;
    type Key = ChainId;
    type Frame = MapFrame<S, W>;
    type Output = Repr<S, V>;
    type Error = J::Error;

    fn key(&self, chain: &Mixed<S, W>) -> ChainId {
        chain.id()
    }

    fn memo(&mut self) -> &mut FxHashMap<ChainId, Repr<S, V>> {
        &mut self.memo
    }

    fn expand(&mut self, chain: Mixed<S, W>) -> Result<StepOf<Self>, J::Error> {
        let below: Vec<(Mixed<S, W>, usize)> = match &chain {
            Chain::Bottom => return Ok(Step::Done(Repr::Empty)),
            Chain::Run(_) => chain.as_run().map(|(_, below)| below.whole_segment()).into_iter().collect(),
            Chain::Fork(fork) => {
                let mixed = fork.edges.iter().filter_map(|(_, tail)| match tail {
                    Repr::Mixed(mixed) => Some(mixed.whole_segment()),
                    _ => None,
                });
                mixed.collect()
            }
        };
        let (tasks, hidden) = below.into_iter().unzip();
        Ok(Step::Descend(MapFrame { chain, hidden }, tasks))
    }

    fn combine(&mut self, frame: MapFrame<S, W>, results: Vec<Repr<S, V>>) -> Result<Repr<S, V>, J::Error> {
        let mut below = results.into_iter().zip(frame.hidden).map(|(tail, hidden)| tail.skip(hidden).0);
        match &frame.chain {
            Chain::Bottom => Ok(Repr::Empty),
            Chain::Run(_) => {
                let symbols = frame.chain.as_run().map_or(&[][..], |(symbols, _)| symbols);
                Ok(below.next().map_or(Repr::Empty, |tail| tail.push_all(symbols.iter().cloned())))
            }
            Chain::Fork(fork) => {
                let end = match &fork.end {
                    Some(weight) => (self.map)(weight)?,
                    None => None,
                };
                let mut edges = Vec::with_capacity(fork.edges.len());
                for (symbol, tail) in &fork.edges {
                    let tail = match tail {
                        Repr::Empty => Repr::Empty,
                        Repr::Uniform(weight, plain) => Repr::from_weight((self.map)(weight)?, plain),
                        Repr::Mixed(_) => below.next().unwrap_or(Repr::Empty),
                    };
                    edges.push((symbol.clone(), tail));
                }
                Repr::assemble(end, edges, self.join)
            }
        }
    }
}

/// The join of all weights; each weighted fork remembers its own.
pub(crate) fn joined<S, W: Clone, J: Join<W>>(set: &Repr<S, W>, join: &J) -> Result<Option<W>, J::Error> {
    match set {
        Repr::Empty => Ok(None),
        Repr::Uniform(weight, _) => Ok(Some(weight.clone())),
        Repr::Mixed(mixed) => match known_join(mixed) {
            Some(weight) => Ok(Some(weight)),
            None => {
                evaluate(&mut Joining { join, memo: FxHashMap::default(), symbol: PhantomData }, mixed.end().clone())
            }
        },
    }
}

fn known_join<S, W: Clone>(mixed: &Mixed<S, W>) -> Option<W> {
    match mixed.end() {
        Chain::Fork(fork) => fork.joined.get().cloned(),
        _ => None,
    }
}

struct Joining<'j, S, W, J> {
    join: &'j J,
    memo: FxHashMap<ChainId, Option<W>>,
    symbol: PhantomData<fn(&S)>,
}

impl<S, W: Clone, J: Join<W>> Recursion for Joining<'_, S, W, J> {
    type Task = Mixed<S, W>;
    type Key = ChainId;
    type Frame = Mixed<S, W>;
    type Output = Option<W>;
    type Error = J::Error;

    fn key(&self, chain: &Mixed<S, W>) -> ChainId {
        chain.id()
    }

    fn memo(&mut self) -> &mut FxHashMap<ChainId, Option<W>> {
        &mut self.memo
    }

    fn expand(&mut self, chain: Mixed<S, W>) -> Result<StepOf<Self>, J::Error> {
        if let Some(known) = known_join(&chain) {
            return Ok(Step::Done(Some(known)));
        }
        let Chain::Fork(fork) = &chain else { return Ok(Step::Done(None)) };
        let tails = fork.edges.iter().filter_map(|(_, tail)| match tail {
            Repr::Mixed(mixed) => Some(mixed.end().clone()),
            _ => None,
        });
        let tasks = tails.collect();
        Ok(Step::Descend(chain, tasks))
    }

    fn combine(&mut self, chain: Mixed<S, W>, results: Vec<Option<W>>) -> Result<Option<W>, J::Error> {
        let Chain::Fork(fork) = &chain else { return Ok(None) };
        let uniform = fork.edges.iter().filter_map(|(_, tail)| match tail {
            Repr::Uniform(weight, _) => Some(weight),
            _ => None,
        });
        let mut joined: Option<W> = None;
        for weight in fork.end.iter().chain(uniform).chain(results.iter().flatten()) {
            joined = Some(match joined {
                None => weight.clone(),
                Some(so_far) => self.join.join(&so_far, weight)?,
            });
        }
        if let Some(weight) = &joined {
            // Another thread may have been faster, with an equal weight.
            let _ = fork.joined.set(weight.clone());
        }
        Ok(joined)
    }
}

/// The weights as stored: each of the set's weights at least once.
pub(crate) fn weights<S, W>(set: &Repr<S, W>) -> Vec<&W> {
    let mut found = Vec::new();
    let mut seen: FxHashSet<ChainId> = FxHashSet::default();
    let mut pending: Vec<&Repr<S, W>> = vec![set];
    while let Some(set) = pending.pop() {
        match set {
            Repr::Empty => {}
            Repr::Uniform(weight, _) => found.push(weight),
            Repr::Mixed(mixed) => {
                let end = mixed.end();
                if let (true, Chain::Fork(fork)) = (seen.insert(end.id()), end) {
                    found.extend(&fork.end);
                    pending.extend(fork.edges.iter().rev().map(|(_, tail)| tail));
                }
            }
        }
    }
    found
}

/// Number of forks, not counted beyond `limit`. Whatever is one single stack is not entered.
pub(crate) fn count_forks<S, W>(set: &Repr<S, W>, limit: usize) -> usize {
    let mut seen: FxHashSet<ChainId> = FxHashSet::default();
    let (mut plain, mut mixed): (Vec<&Plain<S>>, Vec<&Mixed<S, W>>) = (Vec::new(), Vec::new());
    let mut sets = vec![set];
    while seen.len() < limit {
        for set in sets.drain(..) {
            match set {
                Repr::Empty => {}
                Repr::Uniform(_, chain) => plain.push(chain),
                Repr::Mixed(chain) => mixed.push(chain),
            }
        }
        if let Some(chain) = plain.pop().filter(|chain| !chain.is_straight()) {
            if let (end, Chain::Fork(fork)) = (chain.end(), chain.end()) {
                if seen.insert(end.id()) {
                    plain.extend(fork.edges.iter().map(|(_, tail)| tail));
                }
            }
        } else if let Some(chain) = mixed.pop() {
            if let (end, Chain::Fork(fork)) = (chain.end(), chain.end()) {
                if seen.insert(end.id()) {
                    sets.extend(fork.edges.iter().map(|(_, tail)| tail));
                }
            }
        } else if plain.is_empty() {
            break;
        }
    }
    seen.len()
}
