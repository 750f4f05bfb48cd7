//! Nondeterministic automata over bytes: the meeting point of regular expressions and whole DFAs.
//!
//! A flat list of edges, a flat list of ε-edges, a label per accepting state. Building is pushing; the subset
//! construction sorts the lists by state once.

use crate::dfa::Dfa;
use crate::error::AutomataError;
use crate::{typed_id, ByteSet, Id, Interner, Limits, StateId};

typed_id!(
    /// A distinct byte set on the edges of an [`Nfa`].
    pub(crate) struct SetId, "b"
);

/// An edge that reads one byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) from: u32,
    pub(crate) set: SetId,
    pub(crate) to: u32,
}

/// A nondeterministic automaton over bytes with ε-edges and labelled accepting states.
///
/// ```
/// use glrmask_automata::{ByteSet, Limits, Nfa};
/// let mut nfa = Nfa::new(Limits::default());
/// let end = nfa.add_state()?;
/// nfa.add_edge(nfa.start(), &ByteSet::single(b'a'), end)?;
/// nfa.add_epsilon(end, nfa.start())?;
/// nfa.set_label(end, 7)?;
/// let dfa = nfa.determinize()?;
/// assert_eq!(dfa.labels(dfa.run(dfa.start(), b"aaa")), &[7]);
/// # Ok::<(), glrmask_automata::AutomataError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Nfa {
    pub(crate) labels: Vec<Option<u32>>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) epsilons: Vec<(u32, u32)>,
    pub(crate) sets: Interner<SetId, ByteSet>,
    pub(crate) limits: Limits,
}

/// At most this many edges per allowed state: a UTF-8 character needs nine, a copied DFA state a few.
const EDGES_PER_STATE: usize = 32;

impl Nfa {
    /// An automaton whose only state is the start, and which accepts nothing.
    pub fn new(limits: Limits) -> Self {
        Self { labels: vec![None], edges: Vec::new(), epsilons: Vec::new(), sets: Interner::new(), limits }
    }
    /// The start state.
    pub fn start(&self) -> StateId {
        StateId(0)
    }
    /// Number of states.
    pub fn len(&self) -> usize {
        self.labels.len()
    }
    /// Never: there is always the start state.
    pub fn is_empty(&self) -> bool {
        false
    }
    /// A new state without edges. Errors beyond [`Limits::nfa_states`].
    pub fn add_state(&mut self) -> Result<StateId, AutomataError> {
        self.fresh().map(StateId)
    }
    /// An edge that reads one byte of `set`. Errors on unknown states and on too many edges.
    pub fn add_edge(&mut self, from: StateId, set: &ByteSet, to: StateId) -> Result<(), AutomataError> {
        self.check(from)?;
        self.check(to)?;
        let set = self.sets.intern(*set);
        self.edge(from.0, set, to.0)
    }
    /// An edge that reads nothing. Errors on unknown states and on too many edges.
    pub fn add_epsilon(&mut self, from: StateId, to: StateId) -> Result<(), AutomataError> {
        self.check(from)?;
        self.check(to)?;
        self.epsilon(from.0, to.0)
    }
    /// Makes a state accept `label` (instead of what it accepted before). Errors on unknown states.
    pub fn set_label(&mut self, state: StateId, label: u32) -> Result<(), AutomataError> {
        self.check(state)?;
        self.labels[state.index()] = Some(label);
        Ok(())
    }
    /// The minimal deterministic automaton with the same labelled language.
    ///
    /// Subset construction over byte classes, then minimisation. Errors beyond [`Limits::states`].
    pub fn determinize(&self) -> Result<Dfa, AutomataError> {
        crate::determinize::determinize(self).map(crate::draft::Draft::minimal)
    }
    fn check(&self, state: StateId) -> Result<(), AutomataError> {
        if state.index() < self.labels.len() {
            Ok(())
        } else {
            Err(AutomataError::invalid("unknown state"))
        }
    }
    pub(crate) fn fresh(&mut self) -> Result<u32, AutomataError> {
        self.reserve(1, 0)?;
        self.labels.push(None);
        Ok(self.labels.len() as u32 - 1)
    }
    pub(crate) fn edge(&mut self, from: u32, set: SetId, to: u32) -> Result<(), AutomataError> {
        self.reserve(0, 1)?;
        self.edges.push(Edge { from, set, to });
        Ok(())
    }
    pub(crate) fn epsilon(&mut self, from: u32, to: u32) -> Result<(), AutomataError> {
        self.reserve(0, 1)?;
        if from != to {
            self.epsilons.push((from, to));
        }
        Ok(())
    }
    /// Whether so many more states and edges fit the limits.
    pub(crate) fn reserve(&self, states: usize, edges: usize) -> Result<(), AutomataError> {
        let limit = self.limits.nfa_states.min(u32::MAX as usize / EDGES_PER_STATE);
        let all_edges = self.edges.len().saturating_add(self.epsilons.len()).saturating_add(edges);
        if self.labels.len().saturating_add(states) > limit.max(1) || all_edges > limit.saturating_mul(EDGES_PER_STATE)
        {
            return Err(AutomataError::nfa_states(self.limits.nfa_states));
        }
        Ok(())
    }
    /// Adds paths from `from` to `to` for the words of `dfa` (its labels are forgotten).
    pub(crate) fn embed(&mut self, dfa: &Dfa, from: u32, to: u32) -> Result<(), AutomataError> {
        let fragment = Fragment::of(dfa, self);
        self.stamp(&fragment, from, to)
    }
    /// Adds a copy of `fragment` between two states.
    pub(crate) fn stamp(&mut self, fragment: &Fragment, from: u32, to: u32) -> Result<(), AutomataError> {
        self.reserve(fragment.inner, fragment.edges.len() + fragment.epsilons.len())?;
        let base = self.labels.len() as u32;
        self.labels.resize(self.labels.len() + fragment.inner, None);
        let place = |local: u32| match local {
            FROM => from,
            TO => to,
            inner => base + inner,
        };
        self.edges.extend(fragment.edges.iter().map(|e| Edge { from: place(e.from), to: place(e.to), ..*e }));
        self.epsilons.extend(fragment.epsilons.iter().map(|&(a, b)| (place(a), place(b))));
        Ok(())
    }
}

const FROM: u32 = u32::MAX;
const TO: u32 = u32::MAX - 1;

/// A DFA as a piece of NFA between two states, ready to be copied many times.
pub(crate) struct Fragment {
    /// Number of states besides the two ends.
    pub(crate) inner: usize,
    edges: Vec<Edge>,
    epsilons: Vec<(u32, u32)>,
}

impl Fragment {
    /// The start needs no own state unless something comes back to it, an end without edges none at all: copies of
    /// a prefix-free language (a character, a number of digits) are joined without any ε.
    pub(crate) fn of(dfa: &Dfa, nfa: &mut Nfa) -> Self {
        let mut fragment = Self { inner: 0, edges: Vec::new(), epsilons: Vec::new() };
        let places = fragment.place_states(dfa);
        for q in dfa.states() {
            let from = places[q.index()];
            for (set, target) in dfa.transitions(q) {
                let set = nfa.sets.intern(set);
                fragment.edges.push(Edge { from, set, to: places[target.index()] });
            }
            if dfa.is_accepting(q) && from != TO {
                fragment.epsilons.push((from, TO));
            }
        }
        fragment
    }
    fn place_states(&mut self, dfa: &Dfa) -> Vec<u32> {
        let start_is_reentered = dfa.table.contains(&dfa.start());
        let mut fresh = || {
            self.inner += 1;
            self.inner as u32 - 1
        };
        let mut places = Vec::with_capacity(dfa.len());
        for q in dfa.states() {
            places.push(if q == dfa.start() && !start_is_reentered {
                FROM
            } else if dfa.is_accepting(q) && dfa.future(q).is_empty() {
                TO
            } else {
                fresh()
            });
        }
        if start_is_reentered {
            self.epsilons.push((FROM, places[dfa.start().index()]));
        }
        places
    }
}
