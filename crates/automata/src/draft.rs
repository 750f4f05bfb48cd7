//! A deterministic automaton under construction: sparse edges, any numbering, not yet minimal.
//!
//! Every builder (subset construction, product, trie) ends in a [`Draft`]; `minimize` and `canonical` turn it into
//! the public [`Dfa`]. Edges are stored by state, sorted by byte class, so that a chain of literals with sixty
//! classes costs one edge per state and not sixty table cells.

use crate::classes::ByteClasses;
use crate::dfa::{Dfa, LabelSetId};
use crate::interner::SliceInterner;
use crate::minimize::{minimize_acyclic, minimize_cyclic, postorder};

/// Interned sorted label sets; id 0 is the empty set.
pub(crate) type LabelSets = SliceInterner<LabelSetId, u32>;

/// Label sets that know the empty one as id 0.
pub(crate) fn label_sets() -> LabelSets {
    let mut sets = LabelSets::new();
    sets.intern(&[]);
    sets
}

/// A partial deterministic automaton. State 0 is the start.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) classes: ByteClasses,
    /// Where the edges of each state end; `push_state` keeps it in step with `labels`.
    ends: Vec<u32>,
    /// (byte class, target), sorted by class within a state.
    edges: Vec<(u8, u32)>,
    /// Label set of each state.
    pub(crate) labels: Vec<LabelSetId>,
    pub(crate) sets: LabelSets,
}

impl Draft {
    pub(crate) fn new(classes: ByteClasses) -> Self {
        Self { classes, ends: Vec::new(), edges: Vec::new(), labels: Vec::new(), sets: label_sets() }
    }
    /// Room for this many states and edges.
    pub(crate) fn with_capacity(classes: ByteClasses, states: usize, edges: usize) -> Self {
        let mut draft = Self::new(classes);
        draft.ends.reserve(states);
        draft.labels.reserve(states);
        draft.edges.reserve(edges);
        draft
    }
    /// Adds an edge to the state that the next `push_state` completes.
    #[inline]
    pub(crate) fn push_edge(&mut self, class: u8, target: u32) {
        self.edges.push((class, target));
    }
    /// Completes the next state.
    #[inline]
    pub(crate) fn push_state(&mut self, labels: LabelSetId) {
        self.ends.push(self.edges.len() as u32);
        self.labels.push(labels);
    }
    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }
    /// Number of edges.
    pub(crate) fn edge_count(&self) -> usize {
        self.edges.len()
    }
    /// Outgoing edges, sorted by class.
    #[inline]
    pub(crate) fn edges(&self, state: u32) -> &[(u8, u32)] {
        &self.edges[self.edge_range(state)]
    }
    #[inline]
    pub(crate) fn edge_range(&self, state: u32) -> std::ops::Range<usize> {
        let state = state as usize;
        let begin = if state == 0 { 0 } else { self.ends[state - 1] as usize };
        begin..self.ends[state] as usize
    }
    /// Edges of all states in a row.
    pub(crate) fn all_edges(&self) -> &[(u8, u32)] {
        &self.edges
    }
    /// Whether something is accepted from every state (except for the lone start of the empty language).
    pub(crate) fn is_trimmed(&self) -> bool {
        self.len() == 1 && self.edges.is_empty() || self.live(&Incoming::of(self)).iter().all(|&l| l)
    }
    /// The states from which a labelled state can be reached. O(states + edges).
    fn live(&self, incoming: &Incoming) -> Vec<bool> {
        let mut live: Vec<bool> = self.labels.iter().map(|&l| l != LabelSetId(0)).collect();
        let mut stack: Vec<u32> = (0..self.len() as u32).filter(|&q| live[q as usize]).collect();
        while let Some(q) = stack.pop() {
            for &edge in incoming.of_state(q) {
                let source = incoming.sources[edge as usize];
                if !std::mem::replace(&mut live[source as usize], true) {
                    stack.push(source);
                }
            }
        }
        live
    }
    /// The same by one pass over an order in which targets come before sources.
    fn live_acyclic(&self, postorder: &[u32]) -> Vec<bool> {
        let mut live = vec![false; self.len()];
        for &q in postorder {
            let accepting = self.labels[q as usize] != LabelSetId(0);
            live[q as usize] = accepting || self.edges(q).iter().any(|&(_, target)| live[target as usize]);
        }
        live
    }
    /// The automaton without edges into dead states (which thereby become unreachable).
    fn without_dead_edges(&self, live: &[bool]) -> Self {
        let mut trimmed = self.emptied();
        for q in 0..self.len() as u32 {
            trimmed.edges.extend(self.edges(q).iter().filter(|(_, target)| live[*target as usize]));
            trimmed.push_state(self.labels[q as usize]);
        }
        trimmed
    }
    /// Without states, for the same classes and label sets.
    fn emptied(&self) -> Self {
        let (classes, sets) = (self.classes.clone(), self.sets.clone());
        Self { classes, ends: Vec::new(), edges: Vec::new(), labels: Vec::new(), sets }
    }
    /// These states alone, in this order. All edges from them must lead to them.
    pub(crate) fn restricted(&self, states: &[u32]) -> Self {
        let mut number = vec![u32::MAX; self.len()];
        (0..).zip(states).for_each(|(new, &q)| number[q as usize] = new);
        let mut restricted = self.emptied();
        for &q in states {
            restricted.edges.extend(self.edges(q).iter().map(|&(class, target)| (class, number[target as usize])));
            restricted.push_state(self.labels[q as usize]);
        }
        restricted
    }
    /// The minimal automaton of this language. O(edges · log states), O(edges) if there is no cycle.
    pub(crate) fn minimal(self) -> Dfa {
        match postorder(&self) {
            Some(order) => {
                let live = self.live_acyclic(&order);
                let trimmed = if live.contains(&false) { self.without_dead_edges(&live) } else { self };
                Dfa::from_blocks(&trimmed, &minimize_acyclic(&trimmed, &order))
            }
            None => self.minimal_cyclic(),
        }
    }
    fn minimal_cyclic(self) -> Dfa {
        let incoming = Incoming::of(&self);
        let live = self.live(&incoming);
        if live.contains(&false) {
            let trimmed = self.without_dead_edges(&live);
            return Dfa::from_blocks(&trimmed, &minimize_cyclic(&trimmed, &Incoming::of(&trimmed)));
        }
        Dfa::from_blocks(&self, &minimize_cyclic(&self, &incoming))
    }
    /// The automaton as it stands; the caller knows that it is minimal and trimmed.
    pub(crate) fn already_minimal(self) -> Dfa {
        let identity: Vec<u32> = (0..self.len() as u32).collect();
        Dfa::from_blocks(&self, &identity)
    }
}

/// Edges by target.
pub(crate) struct Incoming {
    ends: Vec<u32>,
    edges: Vec<u32>,
    /// Source of each edge of the draft.
    pub(crate) sources: Vec<u32>,
}

impl Incoming {
    /// Counting sort by target. O(states + edges).
    pub(crate) fn of(draft: &Draft) -> Self {
        let mut ends = vec![0u32; draft.len() + 1];
        for &(_, target) in &draft.edges {
            ends[target as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += std::mem::replace(end, sum);
        }
        let mut edges = vec![0; draft.edges.len()];
        let mut sources = Vec::with_capacity(draft.edges.len());
        for q in 0..draft.len() as u32 {
            for edge in draft.edge_range(q) {
                let slot = &mut ends[draft.edges[edge].1 as usize];
                edges[*slot as usize] = edge as u32;
                *slot += 1;
                sources.push(q);
            }
        }
        Self { ends, edges, sources }
    }
    /// Indices of the edges into `state`.
    #[inline]
    pub(crate) fn of_state(&self, state: u32) -> &[u32] {
        let state = state as usize;
        let begin = if state == 0 { 0 } else { self.ends[state - 1] as usize };
        &self.edges[begin..self.ends[state] as usize]
    }
}
