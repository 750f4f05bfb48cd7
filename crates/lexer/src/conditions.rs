//! Pending longest-match conditions.
//!
//! When a terminal has been emitted although a member `k` of its kill set could still match a longer text, the branch
//! carries the condition `(k, state)`: from that state of k's own minimal automaton, k must not match later. A
//! condition is dropped as soon as k cannot match any more, and violated as soon as k does. Sets of conditions are
//! interned: an id is all a parser stack carries. See semantics in `docs/semantics.md`, section 2.

use std::collections::BTreeMap;
use std::sync::Arc;

use glrmask_automata::lexdag::ConditionSetId;
use glrmask_automata::{Dfa, Id, IndexVec, StateId, TerminalId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize, Serializer};

/// `terminal` must not match from `state` of its own minimal automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Condition {
    /// The terminal that must not match a longer text.
    pub terminal: TerminalId,
    /// Where its automaton stands.
    pub state: StateId,
}

/// The own automata of all terminals that appear in conditions.
pub type KillAutomata = FxHashMap<TerminalId, Arc<Dfa>>;

/// Writes a map in the order of its keys: the same bytes for the same content.
pub(crate) fn in_order<S: Serializer, K: Ord + Serialize, V: Serialize>(
    map: &FxHashMap<K, V>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(map.iter().collect::<BTreeMap<_, _>>())
}

/// Interned sets of conditions with memoised steps. Ids stay valid for the life of the table.
#[derive(Clone, Debug)]
pub struct ConditionSets {
    sets: IndexVec<ConditionSetId, Box<[Condition]>>,
    ids: FxHashMap<Box<[Condition]>, ConditionSetId>,
    steps: FxHashMap<(ConditionSetId, u8), Option<ConditionSetId>>,
    unions: FxHashMap<(ConditionSetId, ConditionSetId), ConditionSetId>,
}

impl Default for ConditionSets {
    fn default() -> Self {
        let mut table = Self {
            sets: IndexVec::new(),
            ids: FxHashMap::default(),
            steps: FxHashMap::default(),
            unions: FxHashMap::default(),
        };
        table.intern(Vec::new());
        table
    }
}

impl ConditionSets {
    /// The id of a set of conditions; the empty set is [`ConditionSetId::NONE`].
    pub fn intern(&mut self, mut conditions: Vec<Condition>) -> ConditionSetId {
        conditions.sort_unstable();
        conditions.dedup();
        let conditions = conditions.into_boxed_slice();
        if let Some(&known) = self.ids.get(&conditions) {
            return known;
        }
        let id = self.sets.push(conditions.clone());
        self.ids.insert(conditions, id);
        id
    }

    /// The conditions of a set, sorted.
    pub fn get(&self, set: ConditionSetId) -> &[Condition] {
        &self.sets[set]
    }
    /// Number of distinct sets.
    pub fn len(&self) -> usize {
        self.sets.len()
    }
    /// Never: the empty set of conditions is always there.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// The conditions that are left after one more byte; `None` if one of them is violated. Memoised.
    pub fn step(&mut self, automata: &KillAutomata, set: ConditionSetId, byte: u8) -> Option<ConditionSetId> {
        if set == ConditionSetId::NONE {
            return Some(set);
        }
        if let Some(&known) = self.steps.get(&(set, byte)) {
            return known;
        }
        let next = step_all(automata, &self.sets[set], byte).map(|left| self.intern(left));
        self.steps.insert((set, byte), next);
        next
    }

    /// Both sets together: every condition of either must hold.
    pub fn union(&mut self, a: ConditionSetId, b: ConditionSetId) -> ConditionSetId {
        if a == b || b == ConditionSetId::NONE {
            return a;
        }
        if a == ConditionSetId::NONE {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let all = self.sets[a].iter().chain(&*self.sets[b]).copied().collect();
        let id = self.intern(all);
        self.unions.insert(key, id);
        id
    }

    /// Whether every condition of `a` is in `b`.
    pub fn is_subset(&self, a: ConditionSetId, b: ConditionSetId) -> bool {
        a == b || self.sets[a].iter().all(|c| self.sets[b].binary_search(c).is_ok())
    }

    /// Rough memory use in bytes.
    pub fn memory_usage(&self) -> usize {
        self.sets.iter().map(|s| std::mem::size_of_val(&**s) * 2 + 64).sum::<usize>()
            + (self.steps.len() + self.unions.len()) * 32
    }
}

/// Advances conditions by one byte: `None` if one is violated, else those that can still be violated.
pub fn step_all(automata: &KillAutomata, conditions: &[Condition], byte: u8) -> Option<Vec<Condition>> {
    let mut left = Vec::new();
    for condition in conditions {
        let Some(dfa) = automata.get(&condition.terminal) else { continue };
        let state = dfa.next(condition.state, byte);
        if state == Dfa::DEAD {
            continue;
        }
        if dfa.is_accepting(state) {
            return None;
        }
        if !dfa.future(state).is_empty() {
            left.push(Condition { state, ..*condition });
        }
    }
    Some(left)
}

/// Keeps only the sets that contain no other one: of two alternatives, the one with fewer conditions wins.
pub fn antichain(sets: &ConditionSets, alternatives: &mut Vec<ConditionSetId>) {
    alternatives.sort_unstable();
    alternatives.dedup();
    if alternatives.first() == Some(&ConditionSetId::NONE) {
        alternatives.truncate(1);
    }
    let all = alternatives.clone();
    alternatives.retain(|&a| !all.iter().any(|&b| b.index() != a.index() && sets.is_subset(b, a)));
}
