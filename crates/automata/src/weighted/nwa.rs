//! Nondeterministic weighted automata: easy to build, to unite and to concatenate.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::Hash;

use super::Semiring;
use crate::{Id, IndexVec, StateId};

/// An edge of an [`Nwa`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct WeightedEdge<S, W> {
    /// What is read.
    pub symbol: S,
    /// Where it leads.
    pub target: StateId,
    /// Factor of every path through here; not zero.
    pub weight: W,
}

#[derive(Clone, Debug)]
pub(super) struct State<S, W> {
    pub(super) edges: Vec<WeightedEdge<S, W>>,
    /// Last factor of the paths that end here.
    pub(super) last: W,
}

/// A nondeterministic weighted automaton over symbols `S` with weights `W`, without ε-edges.
#[derive(Clone, Debug)]
pub struct Nwa<S, W> {
    pub(super) states: IndexVec<StateId, State<S, W>>,
    /// First factor of the paths that begin at each of these states.
    pub(super) starts: Vec<(StateId, W)>,
}

impl<S: Clone + Ord + Hash + Debug, W: Semiring> Nwa<S, W> {
    /// An automaton without states: every word has weight zero.
    pub fn new() -> Self {
        Self { states: IndexVec::new(), starts: Vec::new() }
    }
    /// The automaton in which exactly `word` has a weight.
    pub fn word(word: &[S], weight: W) -> Self {
        let mut nwa = Self::new();
        let mut here = nwa.add_state();
        nwa.add_start(here, W::one());
        for symbol in word {
            let next = nwa.add_state();
            nwa.add_edge(here, symbol.clone(), next, W::one());
            here = next;
        }
        nwa.set_final(here, weight);
        nwa
    }
    /// A new state, at which nothing ends.
    pub fn add_state(&mut self) -> StateId {
        self.states.push(State { edges: Vec::new(), last: W::zero() })
    }
    /// Lets paths begin at `state`. Panics on unknown states, as the other building functions do.
    pub fn add_start(&mut self, state: StateId, weight: W) {
        assert!(state.index() < self.states.len(), "unknown state {state}");
        self.starts.push((state, weight));
    }
    /// Adds an edge; one of weight zero is left out.
    pub fn add_edge(&mut self, from: StateId, symbol: S, target: StateId, weight: W) {
        assert!(target.index() < self.states.len(), "unknown state {target}");
        if !weight.is_zero() {
            self.states[from].edges.push(WeightedEdge { symbol, target, weight });
        }
    }
    /// Lets paths end at `state` with this last factor.
    pub fn set_final(&mut self, state: StateId, weight: W) {
        self.states[state].last = weight;
    }
    /// Number of states.
    pub fn len(&self) -> usize {
        self.states.len()
    }
    /// Whether there is no state.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }
    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.states.iter().map(|state| state.edges.len()).sum()
    }
    /// Where paths begin, with their first factors.
    pub fn starts(&self) -> &[(StateId, W)] {
        &self.starts
    }
    /// The edges from `state`.
    pub fn edges(&self, state: StateId) -> &[WeightedEdge<S, W>] {
        &self.states[state].edges
    }
    /// The last factor of paths that end at `state`.
    pub fn final_weight(&self, state: StateId) -> &W {
        &self.states[state].last
    }
    /// The value of exactly this word: the sum over its paths. O(|word| · edges).
    pub fn weight(&self, word: &[S]) -> W {
        self.value(&word.iter().fold(self.first(), |at, symbol| self.step(&at, symbol)))
    }
    /// The sum of the values of all prefixes of `word`, each multiplied by `initial` from the left.
    pub fn run(&self, word: &[S], initial: &W) -> W {
        let mut at = self.first();
        let mut sum = self.value(&at);
        for symbol in word {
            at = self.step(&at, symbol);
            sum = sum.plus(&self.value(&at));
        }
        initial.times(&sum)
    }
    fn first(&self) -> BTreeMap<StateId, W> {
        let mut at = BTreeMap::new();
        self.starts.iter().for_each(|(state, weight)| add_to(&mut at, *state, weight.clone()));
        at
    }
    fn step(&self, at: &BTreeMap<StateId, W>, symbol: &S) -> BTreeMap<StateId, W> {
        let mut next = BTreeMap::new();
        for (&state, weight) in at {
            for edge in self.states[state].edges.iter().filter(|edge| edge.symbol == *symbol) {
                add_to(&mut next, edge.target, weight.times(&edge.weight));
            }
        }
        next
    }
    fn value(&self, at: &BTreeMap<StateId, W>) -> W {
        at.iter().fold(W::zero(), |sum, (&q, weight)| sum.plus(&weight.times(&self.states[q].last)))
    }
    /// Every word up to this length with its value, by enumerating paths: the definition, exponential, for tests.
    pub fn words(&self, length: usize) -> BTreeMap<Vec<S>, W> {
        let mut words = BTreeMap::new();
        let mut stack: Vec<_> = self.starts.iter().map(|(q, weight)| (*q, Vec::new(), weight.clone())).collect();
        while let Some((q, word, weight)) = stack.pop() {
            add_to(&mut words, word.clone(), weight.times(&self.states[q].last));
            for edge in self.states[q].edges.iter().filter(|_| word.len() < length) {
                let longer = word.iter().chain([&edge.symbol]).cloned().collect();
                stack.push((edge.target, longer, weight.times(&edge.weight)));
            }
        }
        words.retain(|_, weight| !weight.is_zero());
        words
    }
    /// The sum of two automata: each word's value is the sum of its values. O(size of both).
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut union = self.clone();
        let shift = union.append(other);
        union.starts.extend(other.starts.iter().map(|(q, weight)| (shift(*q), weight.clone())));
        union
    }
    /// The product: a word's value is the sum over its splits of left value times right value.
    ///
    /// Without ε: every end of `self` gets the edges of the starts of `other`. O(size + ends · edges at the starts).
    #[must_use]
    pub fn concat(&self, other: &Self) -> Self {
        let mut product = self.clone();
        let shift = product.append(other);
        for q in self.states.ids().filter(|&q| !self.states[q].last.is_zero()) {
            product.states[q].last = W::zero();
            for (start, first) in &other.starts {
                let factor = self.states[q].last.times(first);
                for edge in &other.states[*start].edges {
                    product.add_edge(q, edge.symbol.clone(), shift(edge.target), factor.times(&edge.weight));
                }
                let last = product.states[q].last.plus(&factor.times(&other.states[*start].last));
                product.states[q].last = last;
            }
        }
        product
    }
    fn append(&mut self, other: &Self) -> impl Fn(StateId) -> StateId {
        let base = self.states.len();
        let shift = move |q: StateId| StateId::from_usize(q.index() + base);
        for state in other.states.iter() {
            let mut copy = state.clone();
            copy.edges.iter_mut().for_each(|edge| edge.target = shift(edge.target));
            self.states.push(copy);
        }
        shift
    }
    /// The automaton without states that lie on no path from a start to an end. O(size).
    #[must_use]
    pub fn trim(&self) -> Self {
        let (reached, ending) = (self.reachable(), self.ending());
        let mut trimmed = Self::new();
        let kept = |q: StateId| reached[q] && ending[q];
        let mut place = IndexVec::<StateId, StateId>::from_elem(StateId(0), self.len());
        for q in self.states.ids().filter(|&q| kept(q)) {
            place[q] = trimmed.add_state();
        }
        for q in self.states.ids().filter(|&q| kept(q)) {
            trimmed.set_final(place[q], self.states[q].last.clone());
            for edge in self.states[q].edges.iter().filter(|edge| kept(edge.target)) {
                trimmed.add_edge(place[q], edge.symbol.clone(), place[edge.target], edge.weight.clone());
            }
        }
        let starts = self.starts.iter().filter(|(q, weight)| kept(*q) && !weight.is_zero());
        trimmed.starts = starts.map(|(q, weight)| (place[*q], weight.clone())).collect();
        trimmed
    }
    fn reachable(&self) -> IndexVec<StateId, bool> {
        let begin = self.starts.iter().filter(|(_, weight)| !weight.is_zero()).map(|&(q, _)| q);
        mark(self.len(), begin.collect(), |q| self.states[q].edges.iter().map(|edge| edge.target).collect())
    }
    fn ending(&self) -> IndexVec<StateId, bool> {
        let mut sources = IndexVec::<StateId, Vec<StateId>>::from_elem(Vec::new(), self.len());
        for (q, state) in self.states.iter_enumerated() {
            state.edges.iter().for_each(|edge| sources[edge.target].push(q));
        }
        let ends = self.states.ids().filter(|&q| !self.states[q].last.is_zero());
        mark(self.len(), ends.collect(), |q| sources[q].clone())
    }
}

impl<S: Clone + Ord + Hash + Debug, W: Semiring> Default for Nwa<S, W> {
    fn default() -> Self {
        Self::new()
    }
}

pub(super) fn add_to<K: Ord, W: Semiring>(map: &mut BTreeMap<K, W>, key: K, weight: W) {
    map.entry(key).and_modify(|sum| *sum = sum.plus(&weight)).or_insert(weight);
}

/// What can be reached from `pending` by `next`.
pub(super) fn mark(
    len: usize,
    mut pending: Vec<StateId>,
    next: impl Fn(StateId) -> Vec<StateId>,
) -> IndexVec<StateId, bool> {
    let mut seen = IndexVec::from_elem(false, len);
    while let Some(q) = pending.pop() {
        if !std::mem::replace(&mut seen[q], true) {
            pending.extend(next(q));
        }
    }
    seen
}
