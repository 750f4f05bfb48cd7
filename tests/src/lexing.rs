//! All terminals of a specification read side by side, and the longest-match conditions they leave behind.
//!
//! A *joint* state holds one automaton state per terminal. A *condition* (k, q) says: terminal k, now in state q, must
//! not match later. Both are interned, so that a graph node is two small numbers. Nothing here knows productions.

use std::collections::VecDeque;
use std::hash::Hash;
use std::rc::Rc;

use glrmask_automata::{Id, TerminalId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dfa::{Dfa, State};
use crate::regex::Rx;
use crate::spec::Spec;
use crate::TooLarge;

/// A joint state of all terminals (interned).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Joint(u32);

/// A set of pending conditions (interned).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Pending(u32);

/// At the beginning of a lexeme.
pub(crate) const FRESH: Joint = Joint(0);

/// No pending conditions.
pub(crate) const NOTHING: Pending = Pending(0);

/// Terminals that can end here, with what is pending afterwards.
pub(crate) type Ends = Rc<[(TerminalId, Pending)]>;

/// Lexing of one specification, with everything computed so far.
pub(crate) struct Lexing {
    automata: Vec<Dfa>,
    kills: Vec<Vec<usize>>,
    class_of: Vec<usize>,
    representatives: Vec<u8>,
    joints: Pool<Vec<Option<State>>>,
    steps: FxHashMap<(Joint, usize), Option<Joint>>,
    conditions: Pool<Vec<(usize, State)>>,
    advances: FxHashMap<(Pending, usize), Option<Pending>>,
    completions: FxHashMap<(Joint, Pending), Ends>,
}

/// The most (joint state, condition set) pairs visited for one specification.
const PAIR_LIMIT: usize = 60_000;

/// The most (joint state, condition set) pairs from which completions are listed.
const COMPLETION_LIMIT: usize = 3_000;

impl Lexing {
    /// Builds the automata of all terminals.
    pub(crate) fn new(spec: &Spec) -> Result<Self, TooLarge> {
        // Without the empty string no start accepts, so a lexeme has at least one byte by construction.
        let automaton = |t| spec.text(t).map_or_else(|| Ok(Dfa::nothing()), |rx| Dfa::new(&rx.except(&Rx::unit())));
        let automata: Vec<Dfa> = spec.terminals.ids().map(automaton).collect::<Result<_, _>>()?;
        let (class_of, representatives) = joint_classes(&automata);
        let kills = spec.kills.iter().map(|set| set.iter().map(|k| k.index()).collect()).collect();
        let mut joints = Pool::default();
        joints.intern(vec![Some(0); automata.len()]);
        let mut conditions = Pool::default();
        conditions.intern(Vec::new());
        Ok(Self {
            automata,
            kills,
            class_of,
            representatives,
            joints,
            steps: FxHashMap::default(),
            conditions,
            advances: FxHashMap::default(),
            completions: FxHashMap::default(),
        })
    }

    /// The automaton of `t`.
    pub(crate) fn automaton(&self, t: TerminalId) -> &Dfa {
        &self.automata[t.index()]
    }

    /// Reads `byte`; `None` if no terminal can match any more.
    pub(crate) fn step(&mut self, joint: Joint, byte: u8) -> Option<Joint> {
        let class = self.class_of[usize::from(byte)];
        if let Some(&known) = self.steps.get(&(joint, class)) {
            return known;
        }
        let read = |(dfa, q): (&Dfa, &Option<State>)| q.and_then(|q| dfa.next(q, byte));
        let states: Vec<Option<State>> = self.automata.iter().zip(self.joints.get(joint.0)).map(read).collect();
        let next = states.iter().any(Option::is_some).then(|| Joint(self.joints.intern(states)));
        self.steps.insert((joint, class), next);
        next
    }

    /// Lets the pending terminals read `byte`; `None` if one of them matches, which is a violation.
    pub(crate) fn advance(&mut self, pending: Pending, byte: u8) -> Option<Pending> {
        let class = self.class_of[usize::from(byte)];
        if let Some(&known) = self.advances.get(&(pending, class)) {
            return known;
        }
        let (mut rest, mut violated) = (Vec::new(), false);
        for &(k, q) in self.conditions.get(pending.0) {
            if let Some(q) = self.automata[k].next(q, byte) {
                violated |= self.automata[k].is_accepting(q);
                if self.automata[k].has_future(q) {
                    rest.push((k, q));
                }
            }
        }
        let next = (!violated).then(|| Pending(self.conditions.intern(rest)));
        self.advances.insert((pending, class), next);
        next
    }

    /// The terminals matched in `joint`, and what is pending once that match is taken as a lexeme.
    pub(crate) fn ends(&mut self, joint: Joint, pending: Pending) -> Vec<(TerminalId, Pending)> {
        let states = self.joints.get(joint.0).clone();
        let matched = |&t: &usize| states[t].is_some_and(|q| self.automata[t].is_accepting(q));
        let matched: Vec<usize> = (0..states.len()).filter(matched).collect();
        matched.into_iter().map(|t| (TerminalId::from_usize(t), self.after(t, &states, pending))).collect()
    }

    fn after(&mut self, t: usize, states: &[Option<State>], pending: Pending) -> Pending {
        let mut set = self.conditions.get(pending.0).clone();
        for &k in &self.kills[t] {
            set.extend(states[k].filter(|&q| self.automata[k].has_future(q)).map(|q| (k, q)));
        }
        set.sort_unstable();
        set.dedup();
        Pending(self.conditions.intern(set))
    }

    /// Every way to end the lexeme in progress over arbitrary further bytes (none are needed unless it has not begun).
    pub(crate) fn completions(&mut self, joint: Joint, pending: Pending) -> Result<Ends, TooLarge> {
        if let Some(known) = self.completions.get(&(joint, pending)) {
            return Ok(known.clone());
        }
        if self.completions.len() >= COMPLETION_LIMIT {
            return Err(TooLarge::new("completions of lexemes", COMPLETION_LIMIT));
        }
        let mut found = FxHashSet::default();
        let mut seen = FxHashSet::from_iter([(joint, pending)]);
        let mut work = VecDeque::from([(joint, pending)]);
        while let Some((q, c)) = work.pop_front() {
            found.extend(self.ends(q, c));
            for i in 0..self.representatives.len() {
                let byte = self.representatives[i];
                if let (Some(q), Some(c)) = (self.step(q, byte), self.advance(c, byte)) {
                    if seen.insert((q, c)) {
                        work.push_back((q, c));
                    }
                }
            }
            if self.steps.len() + self.advances.len() > PAIR_LIMIT {
                return Err(TooLarge::new("lexer states and conditions", PAIR_LIMIT));
            }
        }
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort_unstable();
        let found: Ends = found.into();
        self.completions.insert((joint, pending), found.clone());
        Ok(found)
    }
}

/// Bytes on which all automata agree share a class; one representative per class.
fn joint_classes(automata: &[Dfa]) -> (Vec<usize>, Vec<u8>) {
    let (mut ids, mut representatives) = (FxHashMap::default(), Vec::new());
    let class_of = (0..=255u8)
        .map(|b| {
            let column: Vec<Option<State>> =
                automata.iter().flat_map(|dfa| (0..dfa.len()).map(move |q| dfa.next(q as State, b))).collect();
            *ids.entry(column).or_insert_with(|| {
                representatives.push(b);
                representatives.len() - 1
            })
        })
        .collect();
    (class_of, representatives)
}

/// Values numbered in order of arrival.
struct Pool<T> {
    ids: FxHashMap<T, u32>,
    values: Vec<T>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { ids: FxHashMap::default(), values: Vec::new() }
    }
}

impl<T: Clone + Eq + Hash> Pool<T> {
    fn intern(&mut self, value: T) -> u32 {
        if let Some(&id) = self.ids.get(&value) {
            return id;
        }
        let id = self.values.len() as u32;
        self.values.push(value.clone());
        self.ids.insert(value, id);
        id
    }

    fn get(&self, id: u32) -> &T {
        &self.values[id as usize]
    }
}
