//! Deterministic weighted automata: one path per word, so a run is a walk that multiplies.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::nwa::mark;
use super::{Nwa, Semiring};
use crate::error::AutomataError;
use crate::{Id, IndexVec, StateId};

#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
struct State<S, W> {
    /// (symbol, target, weight), sorted by symbol, at most one each; no weight is zero.
    edges: Vec<(S, StateId, W)>,
    last: W,
}

/// A deterministic, trimmed weighted automaton over symbols `S` with weights `W`. Made by [`Nwa::determinize`].
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Dwa<S, W> {
    /// Numbered breadth-first; the start is state 0 and always there.
    states: IndexVec<StateId, State<S, W>>,
    /// Factor of every word, before the first edge.
    first: W,
}

impl<S: Clone + Ord + Hash + Debug, W: Semiring> Dwa<S, W> {
    pub(super) fn new() -> Self {
        Self { states: IndexVec::new(), first: W::one() }
    }
    pub(super) fn push_state(&mut self, last: W) -> StateId {
        self.states.push(State { edges: Vec::new(), last })
    }
    /// Edges of a state come in the order of their symbols.
    pub(super) fn push_edge(&mut self, from: StateId, symbol: S, target: StateId, weight: W) {
        self.states[from].edges.push((symbol, target, weight));
    }
    pub(super) fn with_first(self, first: &W) -> Self {
        Self { first: first.clone(), ..self }
    }
    /// The start state, always `StateId(0)`.
    pub fn start(&self) -> StateId {
        StateId(0)
    }
    /// Number of states, at least one.
    pub fn len(&self) -> usize {
        self.states.len()
    }
    /// Never: there is always the start state.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }
    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.states.iter().map(|state| state.edges.len()).sum()
    }
    /// The factor of every word, before its first symbol.
    pub fn first_weight(&self) -> &W {
        &self.first
    }
    /// Edges from `state` by symbol: (symbol, target, weight). Panics on unknown states.
    pub fn edges(&self, state: StateId) -> &[(S, StateId, W)] {
        &self.states[state].edges
    }
    /// The last factor of words that end at `state`. Panics on unknown states.
    pub fn final_weight(&self, state: StateId) -> &W {
        &self.states[state].last
    }
    /// Where `symbol` leads, with its weight. O(log edges). Panics on unknown states.
    pub fn step(&self, state: StateId, symbol: &S) -> Option<(StateId, &W)> {
        let edges = &self.states[state].edges;
        let found = edges.binary_search_by(|(other, _, _)| other.cmp(symbol)).ok()?;
        edges.get(found).map(|(_, target, weight)| (*target, weight))
    }
    /// The value of exactly this word. O(|word| log edges).
    pub fn weight(&self, word: &[S]) -> W {
        let mut product = self.first.clone();
        let mut here = self.start();
        for symbol in word {
            let Some((target, weight)) = self.step(here, symbol) else { return W::zero() };
            product = product.times(weight);
            here = target;
        }
        product.times(&self.states[here].last)
    }
    /// The sum of the values of all prefixes of `word`, each multiplied by `initial` from the left: what a stack that
    /// begins with `word` lets through. Stops as soon as nothing can be added.
    pub fn run(&self, word: &[S], initial: &W) -> W {
        let mut active = initial.times(&self.first);
        let mut here = self.start();
        let mut sum = active.times(&self.states[here].last);
        for symbol in word {
            let Some((target, weight)) = self.step(here, symbol) else { break };
            active = active.times(weight);
            if active.is_zero() {
                break;
            }
            here = target;
            sum = sum.plus(&active.times(&self.states[here].last));
        }
        sum
    }
    /// The same automaton as a nondeterministic one, to be combined further.
    pub fn to_nwa(&self) -> Nwa<S, W> {
        let mut nwa = Nwa::new();
        self.states.iter().for_each(|_| {
            nwa.add_state();
        });
        for (q, state) in self.states.iter_enumerated() {
            nwa.set_final(q, state.last.clone());
            for (symbol, target, weight) in &state.edges {
                nwa.add_edge(q, symbol.clone(), *target, weight.clone());
            }
        }
        nwa.add_start(self.start(), self.first.clone());
        nwa
    }
    /// Every word up to this length with its value, for tests.
    pub fn words(&self, length: usize) -> BTreeMap<Vec<S>, W> {
        self.to_nwa().words(length)
    }
    /// Without states from which nothing ends, renumbered breadth-first.
    pub(super) fn trim(&self) -> Self {
        let mut sources = IndexVec::<StateId, Vec<StateId>>::from_elem(Vec::new(), self.len());
        for (q, state) in self.states.iter_enumerated() {
            state.edges.iter().for_each(|&(_, target, _)| sources[target].push(q));
        }
        let ends = self.states.ids().filter(|&q| !self.states[q].last.is_zero()).collect();
        let ending = mark(self.len(), ends, |q| sources[q].clone());
        self.quotient(|q| q, |q| ending[q])
    }
    /// Merges states with the same future: equal last weights and equal edges to merged states, coarsest such
    /// partition (refined from the last weights, one round per depth). O(rounds · edges).
    ///
    /// ```
    /// use glrmask_automata::weighted::{Boolean, Nwa, Semiring};
    /// let words = ["ax", "bx"].map(|w| Nwa::word(&w.chars().collect::<Vec<_>>(), Boolean::one()));
    /// let dwa = words[0].union(&words[1]).determinize(10)?;
    /// assert_eq!((dwa.len(), dwa.merge_equal_suffixes().len()), (5, 3));
    /// # Ok::<(), glrmask_automata::AutomataError>(())
    /// ```
    #[must_use]
    pub fn merge_equal_suffixes(&self) -> Self {
        let mut class = IndexVec::<StateId, usize>::from_elem(0, self.len());
        let mut count = 0;
        loop {
            let mut number = FxHashMap::default();
            let mut refined = IndexVec::<StateId, usize>::new();
            for state in self.states.iter() {
                let edges: Vec<_> = state.edges.iter().map(|(symbol, target, w)| (symbol, class[*target], w)).collect();
                let next = number.len();
                refined.push(*number.entry((&state.last, edges)).or_insert(next));
            }
            if number.len() == count {
                break;
            }
            count = number.len();
            class = refined;
        }
        let mut representative = vec![None; count.max(1)];
        self.states.ids().rev().for_each(|q| representative[class[q]] = Some(q));
        self.quotient(|q| representative[class[q]].unwrap_or(q), |_| true)
    }
    /// Keeps the states that `kept` allows, each replaced by its representative, numbered breadth-first.
    fn quotient(&self, representative: impl Fn(StateId) -> StateId, kept: impl Fn(StateId) -> bool) -> Self {
        let mut place = IndexVec::<StateId, Option<StateId>>::from_elem(None, self.len());
        let mut order = vec![representative(self.start())];
        place[order[0]] = Some(StateId(0));
        let mut quotient = Self::new().with_first(&self.first);
        while let Some(&q) = order.get(quotient.len()) {
            let state = quotient.push_state(self.states[q].last.clone());
            for (symbol, target, weight) in self.states[q].edges.iter().filter(|(_, target, _)| kept(*target)) {
                let target = representative(*target);
                let number = *place[target].get_or_insert_with(|| {
                    order.push(target);
                    StateId::from_usize(order.len() - 1)
                });
                quotient.push_edge(state, symbol.clone(), number, weight.clone());
            }
        }
        quotient
    }
    /// Checks what the fields promise: targets in range, edges sorted without repetition, no zero weight, every state
    /// reachable, and (but for the start) with an end ahead. To be called on deserialised data.
    pub fn check_invariants(&self) -> Result<(), AutomataError> {
        let sound = |state: &State<S, W>| {
            state.edges.is_sorted_by(|a, b| a.0 < b.0)
                && state.edges.iter().all(|(_, target, weight)| target.index() < self.len() && !weight.is_zero())
        };
        if self.states.is_empty() || !self.states.iter().all(sound) {
            return Err(AutomataError::invalid("weighted edges"));
        }
        if self.trim() != *self {
            return Err(AutomataError::invalid("not trimmed or not numbered breadth-first"));
        }
        Ok(())
    }
}
