//! Subset construction over byte classes.
//!
//! A deterministic state is the sorted set of the *important* states (those that read a byte or accept) in the
//! ε-closure of what a byte leads to. Three things make the common cases cheap: only the edges of the members are
//! followed (a state inside a literal has one); neighbouring classes with the same targets share one lookup; a single
//! target is looked up by number, without closure or hash.

use crate::classes::ByteClasses;
use crate::dfa::LabelSetId;
use crate::draft::Draft;
use crate::error::AutomataError;
use crate::interner::SliceInterner;
use crate::nfa::Nfa;
use crate::{ByteSet, StateId};

/// Stored set members per allowed state; beyond, memory would be the problem, not the number of states.
const MEMBERS_PER_STATE: usize = 256;
const NONE: u32 = u32::MAX;

/// The reachable subsets of `nfa`, numbered breadth-first by byte class.
pub(crate) fn determinize(nfa: &Nfa) -> Result<Draft, AutomataError> {
    let mut subsets = Subsets::new(nfa);
    let mut draft = Draft::new(ByteClasses::separating(nfa.sets.iter()));
    let classes_of_set: Vec<Vec<u8>> = nfa.sets.iter().map(|s| draft.classes.within(s).collect()).collect();
    let mut buckets: Vec<Vec<u32>> = vec![Vec::new(); draft.classes.len()];
    subsets.target(&[0])?;
    let mut members = Vec::new();
    while draft.len() < subsets.sets.len() {
        members.clear();
        members.extend_from_slice(subsets.sets.get(StateId(draft.len() as u32)));
        let touched = fill_buckets(&subsets, &members, &classes_of_set, &mut buckets);
        push_edges(&mut subsets, &touched, &mut buckets, &mut draft)?;
        let labels = labels_of(nfa, &members, &mut draft);
        draft.push_state(labels);
    }
    Ok(draft)
}

fn labels_of(nfa: &Nfa, members: &[u32], draft: &mut Draft) -> LabelSetId {
    let mut labels: Vec<u32> = members.iter().filter_map(|&m| nfa.labels[m as usize]).collect();
    if labels.is_empty() {
        return LabelSetId(0);
    }
    labels.sort_unstable();
    labels.dedup();
    draft.sets.intern(&labels)
}

/// Sorts the targets of all members by byte class; returns the classes that have some.
fn fill_buckets(subsets: &Subsets<'_>, members: &[u32], classes: &[Vec<u8>], buckets: &mut [Vec<u32>]) -> ByteSet {
    let mut touched = ByteSet::EMPTY;
    for &member in members {
        for &(set, to) in subsets.edges.of(member) {
            for &class in &classes[set as usize] {
                touched.insert(class);
                buckets[usize::from(class)].push(to);
            }
        }
    }
    touched
}

fn push_edges(
    subsets: &mut Subsets<'_>,
    touched: &ByteSet,
    buckets: &mut [Vec<u32>],
    draft: &mut Draft,
) -> Result<(), AutomataError> {
    let mut previous: Option<(u8, u32)> = None;
    for class in touched.iter() {
        let bucket = &buckets[usize::from(class)];
        let state = match previous {
            Some((other, state)) if buckets[usize::from(other)] == *bucket => state,
            _ => subsets.target(bucket)?,
        };
        draft.push_edge(class, state);
        previous = Some((class, state));
    }
    touched.iter().for_each(|class| buckets[usize::from(class)].clear());
    Ok(())
}

/// The sets found so far, and what is needed to find more.
struct Subsets<'a> {
    nfa: &'a Nfa,
    edges: ByState<(u32, u32)>,
    epsilons: ByState<u32>,
    sets: SliceInterner<StateId, u32>,
    /// The set that a lone target leads to, if known.
    lone: Vec<u32>,
    /// Round in which a state was last seen.
    seen: Vec<u32>,
    round: u32,
    stack: Vec<u32>,
    kernel: Vec<u32>,
}

impl<'a> Subsets<'a> {
    fn new(nfa: &'a Nfa) -> Self {
        let n = nfa.len();
        Self {
            nfa,
            edges: ByState::new(n, nfa.edges.iter().map(|e| (e.from, (e.set.0, e.to)))),
            epsilons: ByState::new(n, nfa.epsilons.iter().copied()),
            sets: SliceInterner::new(),
            lone: vec![NONE; n],
            seen: vec![0; n],
            round: 0,
            stack: Vec::new(),
            kernel: Vec::new(),
        }
    }
    /// The number of the set that `targets` lead to.
    fn target(&mut self, targets: &[u32]) -> Result<u32, AutomataError> {
        if let [only] = *targets {
            if self.lone[only as usize] == NONE {
                self.lone[only as usize] = self.intern_closure(targets)?;
            }
            return Ok(self.lone[only as usize]);
        }
        self.intern_closure(targets)
    }
    fn intern_closure(&mut self, targets: &[u32]) -> Result<u32, AutomataError> {
        self.close(targets);
        let state = self.sets.intern(&self.kernel).0;
        let limits = self.nfa.limits;
        if self.sets.len() > limits.states {
            return Err(AutomataError::states(limits.states));
        }
        let members = limits.states.saturating_mul(MEMBERS_PER_STATE).min(u32::MAX as usize / 2);
        if self.sets.total() > members {
            return Err(AutomataError::subset_members(members));
        }
        Ok(state)
    }
    /// The important states reachable by ε, sorted, in `kernel`.
    fn close(&mut self, targets: &[u32]) {
        self.round += 1;
        self.kernel.clear();
        self.stack.extend_from_slice(targets);
        while let Some(q) = self.stack.pop() {
            if std::mem::replace(&mut self.seen[q as usize], self.round) == self.round {
                continue;
            }
            if !self.edges.of(q).is_empty() || self.nfa.labels[q as usize].is_some() {
                self.kernel.push(q);
            }
            self.stack.extend_from_slice(self.epsilons.of(q));
        }
        self.kernel.sort_unstable();
    }
}

/// Items grouped by state.
struct ByState<T> {
    ends: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy + Default> ByState<T> {
    fn new(states: usize, pairs: impl Iterator<Item = (u32, T)> + Clone) -> Self {
        let mut ends = vec![0u32; states];
        pairs.clone().for_each(|(state, _)| ends[state as usize] += 1);
        let mut sum = 0;
        for end in &mut ends {
            sum += std::mem::replace(end, sum);
        }
        let mut items = vec![T::default(); sum as usize];
        for (state, item) in pairs {
            let slot = &mut ends[state as usize];
            items[*slot as usize] = item;
            *slot += 1;
        }
        Self { ends, items }
    }
    #[inline]
    fn of(&self, state: u32) -> &[T] {
        let state = state as usize;
        let begin = if state == 0 { 0 } else { self.ends[state - 1] as usize };
        &self.items[begin..self.ends[state] as usize]
    }
}
