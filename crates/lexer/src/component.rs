//! Components: groups of terminals that share one minimal automaton.
//!
//! One automaton for all terminals would be a product of everything with everything (a free string beside 200 key
//! literals makes 1 100 states that let through most of the vocabulary). One automaton per terminal would not see when
//! a longer match of a *competing* terminal kills a shorter one. So terminals are grouped by competition: a component
//! is closed under kill sets, and inside it one joint scan sees every match. Plain literals that compete with nobody
//! share one component too: their automaton is a trie.

use std::sync::Arc;

use glrmask_automata::{typed_id, Dfa, StateId, TerminalId};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::conditions::{in_order, Condition, KillAutomata};

typed_id!(
    /// A component of the lexer.
    pub struct ComponentId, "k"
);

/// The conditions that a match ending in some state leaves behind, for one terminal.
type Left = (TerminalId, Vec<Condition>);

/// One component: a minimal automaton, the terminals its labels stand for, and the conditions its matches leave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Component {
    dfa: Arc<Dfa>,
    /// Label → terminal. The automaton of a lone terminal is shared with whoever compiled it; its one label is 0.
    terminals: Box<[TerminalId]>,
    /// Per accepting state, for each terminal matched there, the conditions that remain; absent where there are none.
    #[serde(serialize_with = "in_order")]
    left: FxHashMap<StateId, Vec<Left>>,
}

impl Component {
    /// A component over `dfa`, whose label i is the i-th of `terminals`, with their kill sets.
    /// Time: states of `dfa` for each terminal that can appear in a condition.
    pub(crate) fn new(
        dfa: Arc<Dfa>,
        terminals: Box<[TerminalId]>,
        kills: impl Fn(TerminalId) -> Vec<TerminalId>,
        automata: &KillAutomata,
    ) -> Self {
        let pending = pending_kills(&dfa, &terminals, kills);
        let mut left: FxHashMap<StateId, Vec<Left>> = FxHashMap::default();
        let kill_terminals: FxHashSet<TerminalId> = pending.iter().map(|p| p.2).collect();
        for kill in kill_terminals {
            let Some(own) = automata.get(&kill) else { continue };
            let states = project(&dfa, own);
            for &(state, terminal, _) in pending.iter().filter(|p| p.2 == kill) {
                let Some(&own_state) = states.get(&state) else { continue };
                let here = left.entry(state).or_default();
                let condition = Condition { terminal: kill, state: own_state };
                match here.iter_mut().find(|l| l.0 == terminal) {
                    Some((_, conditions)) => conditions.push(condition),
                    None => here.push((terminal, vec![condition])),
                }
            }
        }
        for here in left.values_mut() {
            here.sort();
            here.iter_mut().for_each(|(_, conditions)| conditions.sort_unstable());
        }
        Self { dfa, terminals, left }
    }

    /// The same component where its terminals are numbered from `first` on, and conditions name `promised` of their own.
    pub(crate) fn moved(&self, first: u32, promised: impl Fn(TerminalId) -> TerminalId) -> Self {
        let moved = |t: TerminalId| TerminalId(t.0 + first);
        let left = |(t, conditions): &Left| {
            let condition = |c: &Condition| Condition { terminal: promised(c.terminal), ..*c };
            let mut conditions: Vec<Condition> = conditions.iter().map(condition).collect();
            conditions.sort_unstable();
            conditions.dedup();
            (moved(*t), conditions)
        };
        Self {
            dfa: self.dfa.clone(),
            terminals: self.terminals.iter().map(|&t| moved(t)).collect(),
            left: self.left.iter().map(|(&state, here)| (state, here.iter().map(left).collect())).collect(),
        }
    }

    /// The joint automaton; [`terminals`](Self::terminals) says what its labels stand for.
    #[inline]
    pub fn dfa(&self) -> &Dfa {
        &self.dfa
    }
    /// The terminals by label.
    pub fn terminals(&self) -> &[TerminalId] {
        &self.terminals
    }
    /// Whether no match of this component ever leaves a condition.
    pub fn is_plain(&self) -> bool {
        self.left.is_empty()
    }
    /// The terminals that match a text ending in this state.
    #[inline]
    pub fn matched(&self, state: StateId) -> impl ExactSizeIterator<Item = TerminalId> + '_ {
        self.dfa.labels(state).iter().map(|&label| self.terminals[label as usize])
    }
    /// The terminals that match a text ending in this state or later.
    pub fn live(&self, state: StateId) -> impl ExactSizeIterator<Item = TerminalId> + '_ {
        self.dfa.live(state).iter().map(|&label| self.terminals[label as usize])
    }
    /// The conditions that the match of `terminal` at `state` leaves.
    #[inline]
    pub fn left(&self, terminal: TerminalId, state: StateId) -> &[Condition] {
        if self.left.is_empty() {
            return &[];
        }
        let here = self.left.get(&state).and_then(|all| all.iter().find(|l| l.0 == terminal));
        here.map_or(&[], |(_, conditions)| conditions)
    }
    /// The kill terminals that appear in conditions of this component, each as often as it does.
    pub fn condition_terminals(&self) -> impl Iterator<Item = TerminalId> + '_ {
        self.left.values().flatten().flat_map(|(_, conditions)| conditions.iter().map(|c| c.terminal))
    }
    pub(crate) fn validate(&self, automata: &KillAutomata, terminals: usize) -> Result<(), String> {
        let states = self.dfa.len();
        for (state, here) in &self.left {
            if state.0 as usize >= states {
                return Err(format!("condition at unknown state {state}"));
            }
            for condition in here.iter().flat_map(|(_, c)| c) {
                let own = automata.get(&condition.terminal).ok_or("condition without an automaton")?;
                if condition.state.0 as usize >= own.len() {
                    return Err("condition at unknown state of its automaton".into());
                }
            }
        }
        if self.terminals.iter().any(|t| t.0 as usize >= terminals) {
            return Err("component names an unknown terminal".into());
        }
        let labels = self.dfa.live(self.dfa.start());
        if labels.iter().any(|&label| label as usize >= self.terminals.len()) {
            return Err("component has a label without a terminal".into());
        }
        Ok(())
    }
}

/// All (state, terminal matched there, kill terminal that can still match later).
fn pending_kills(
    dfa: &Dfa,
    terminals: &[TerminalId],
    kills: impl Fn(TerminalId) -> Vec<TerminalId>,
) -> Vec<(StateId, TerminalId, TerminalId)> {
    let mut pending = Vec::new();
    for state in dfa.states() {
        let (matched, future) = (dfa.labels(state), dfa.future(state));
        if matched.is_empty() || future.is_empty() {
            continue;
        }
        for &label in matched {
            let terminal = terminals[label as usize];
            let kills = kills(terminal);
            let still = future.iter().map(|&l| terminals[l as usize]).filter(|k| kills.contains(k));
            pending.extend(still.map(|kill| (state, terminal, kill)));
        }
    }
    pending
}

/// Maps the states of a joint automaton to those of one member's own automaton, where that is alive.
fn project(joint: &Dfa, own: &Dfa) -> FxHashMap<StateId, StateId> {
    let mut map = FxHashMap::default();
    let mut work = vec![(joint.start(), own.start())];
    map.insert(joint.start(), own.start());
    while let Some((state, own_state)) = work.pop() {
        for (bytes, next) in joint.transitions(state) {
            let Some(byte) = bytes.first() else { continue };
            let own_next = own.next(own_state, byte);
            if own_next != Dfa::DEAD && map.insert(next, own_next).is_none() {
                work.push((next, own_next));
            }
        }
    }
    map
}
