//! Operations on automata: labelled union, boolean algebra, concatenation, star, reversal, residuals.

use crate::classes::ByteClasses;
use crate::compile::Limits;
use crate::dfa::Dfa;
use crate::draft::Draft;
use crate::error::AutomataError;
use crate::nfa::Nfa;
use crate::product::{product, Operation};
use crate::{Id, StateId};

impl Dfa {
    /// The labelled union: accepts `label` wherever one of its languages (whatever their own labels) is accepted.
    ///
    /// Subset construction over all of them at once. Errors beyond the limits.
    pub fn union(parts: &[(&Self, u32)], limits: &Limits) -> Result<Self, AutomataError> {
        let mut nfa = Nfa::new(*limits);
        for &(dfa, label) in parts {
            let end = nfa.fresh()?;
            nfa.labels[end as usize] = Some(label);
            nfa.embed(dfa, 0, end)?;
        }
        nfa.determinize()
    }
    /// Words of either, with label 0.
    pub fn union_plain(&self, other: &Self, limits: &Limits) -> Result<Self, AutomataError> {
        Self::union(&[(self, 0), (other, 0)], limits)
    }
    /// Words of both, with the labels of `self`. O(|self| · |other|) states at most.
    pub fn intersect(&self, other: &Self, limits: &Limits) -> Result<Self, AutomataError> {
        product(self, other, Operation::Intersect, limits)
    }
    /// Words of `self` that are not in `other`, with the labels of `self`. O(|self| · |other|) states at most.
    pub fn difference(&self, other: &Self, limits: &Limits) -> Result<Self, AutomataError> {
        product(self, other, Operation::Difference, limits)
    }
    /// The byte strings that are not in this language (all byte strings, not only valid UTF-8), with label 0.
    pub fn complement(&self, limits: &Limits) -> Result<Self, AutomataError> {
        Self::all().difference(self, limits)
    }
    /// All byte strings, with label 0.
    pub fn all() -> Self {
        let mut draft = Draft::new(ByteClasses::separating([]));
        draft.push_edge(0, 0);
        let plain = draft.sets.intern(&[0]);
        draft.push_state(plain);
        draft.already_minimal()
    }
    /// A word of `self`, then one of `other`, with label 0.
    pub fn concat(&self, other: &Self, limits: &Limits) -> Result<Self, AutomataError> {
        let (mut nfa, end) = plain_nfa(limits)?;
        let middle = nfa.fresh()?;
        nfa.embed(self, 0, middle)?;
        nfa.embed(other, middle, end)?;
        nfa.determinize()
    }
    /// Any number of words of `self`, with label 0.
    pub fn star(&self, limits: &Limits) -> Result<Self, AutomataError> {
        let (mut nfa, end) = plain_nfa(limits)?;
        let hub = nfa.fresh()?;
        nfa.epsilon(0, hub)?;
        nfa.embed(self, hub, hub)?;
        nfa.epsilon(hub, end)?;
        nfa.determinize()
    }
    /// The words read backwards, with label 0.
    pub fn reverse(&self, limits: &Limits) -> Result<Self, AutomataError> {
        let (mut nfa, end) = plain_nfa(limits)?;
        let mirrored = self.states().map(|_| nfa.fresh()).collect::<Result<Vec<u32>, _>>()?;
        nfa.epsilon(mirrored[0], end)?;
        for q in self.states() {
            if self.is_accepting(q) {
                nfa.epsilon(0, mirrored[q.index()])?;
            }
            for (set, target) in self.transitions(q) {
                let set = nfa.sets.intern(set);
                nfa.edge(mirrored[target.index()], set, mirrored[q.index()])?;
            }
        }
        nfa.determinize()
    }
    /// The language without the empty word.
    pub fn without_empty(&self) -> Self {
        if !self.is_accepting(self.start()) {
            return self.clone();
        }
        let mut draft = Draft::new(self.classes.clone());
        self.copy_state(self.start(), &mut draft, 1, |_| Vec::new());
        self.states().for_each(|q| self.copy_state(q, &mut draft, 1, <[u32]>::to_vec));
        draft.minimal()
    }
    /// What can follow once `state` is reached: the automaton with that state as its start. The empty language for
    /// [`Dfa::DEAD`].
    pub fn residual(&self, state: StateId) -> Self {
        if state.index() >= self.len() {
            return Self::from_literals(&[]);
        }
        let mut draft = Draft::new(self.classes.clone());
        self.copy_state(state, &mut draft, 1, <[u32]>::to_vec);
        self.states().for_each(|q| self.copy_state(q, &mut draft, 1, <[u32]>::to_vec));
        draft.minimal()
    }
    /// The automaton with each label replaced (`None`: dropped); states that become alike are merged.
    pub fn map_labels(&self, mut map: impl FnMut(u32) -> Option<u32>) -> Self {
        let mut draft = Draft::new(self.classes.clone());
        let mapped: Vec<Vec<u32>> =
            self.sets.iter().map(|set| set.iter().filter_map(|&label| map(label)).collect()).collect();
        for q in self.states() {
            self.copy_state(q, &mut draft, 0, |_| mapped[self.labels_id(q).index()].clone());
        }
        draft.minimal()
    }
    /// The language with one label, forgetting which labels a word had.
    pub fn plain(&self) -> Self {
        self.map_labels(|_| Some(0))
    }
    /// Whether every word of `self` is a word of `other`. Errors beyond the limits.
    pub fn is_subset(&self, other: &Self, limits: &Limits) -> Result<bool, AutomataError> {
        Ok(self.difference(other, limits)?.is_empty_language())
    }
    fn copy_state(&self, q: StateId, draft: &mut Draft, shift: u32, labels: impl Fn(&[u32]) -> Vec<u32>) {
        for (class, &target) in (0..=255u8).zip(self.row(q)) {
            if target != Self::DEAD {
                draft.push_edge(class, target.0 + shift);
            }
        }
        let mut labels = labels(self.labels(q));
        labels.sort_unstable();
        labels.dedup();
        let labels = draft.sets.intern(&labels);
        draft.push_state(labels);
    }
}

/// An automaton with one more state, which accepts label 0.
fn plain_nfa(limits: &Limits) -> Result<(Nfa, u32), AutomataError> {
    let mut nfa = Nfa::new(*limits);
    let end = nfa.fresh()?;
    nfa.labels[end as usize] = Some(0);
    Ok((nfa, end))
}
