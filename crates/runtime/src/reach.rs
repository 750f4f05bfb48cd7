//! Where longest-match conditions can be pending: pairs of a place and a set of conditions, found ahead of decoding.
//!
//! What leaves a condition is a match that could have been longer; the byte that ends it advances the condition and
//! starts the next lexeme. From there both go on byte by byte, until the conditions are void. Which terminal may follow
//! which is not asked, so that some pairs never come up; each costs little.

use std::collections::VecDeque;

use glrmask_automata::lexdag::ConditionSetId;
use glrmask_automata::{Dfa, StateId};
use glrmask_lexer::conditions::step_all;
use glrmask_lexer::{BitSet, ComponentId, ConditionSets, Lexer, Thread};
use rustc_hash::FxHashSet;

use crate::branch::Lexeme;

/// Pairs of a place and a set of conditions that is not empty, those that come up soonest first; no more than `most`. Time:
/// 256 steps for each.
pub(crate) fn pending_places(lexer: &Lexer, sets: &mut ConditionSets, most: usize) -> Vec<(Lexeme, ConditionSetId)> {
    let mut search = Search { lexer, sets, most, seen: FxHashSet::default(), found: Vec::new(), work: VecDeque::new() };
    for (id, component) in lexer.components().iter_enumerated() {
        for state in component.dfa().states().filter(|&state| component.dfa().is_accepting(state)) {
            search.end((id, state), ConditionSetId::NONE, None);
        }
    }
    while let Some((lexeme, conditions)) = search.work.pop_front() {
        search.step(lexeme, conditions);
    }
    search.found
}

struct Search<'a> {
    lexer: &'a Lexer,
    sets: &'a mut ConditionSets,
    most: usize,
    seen: FxHashSet<(Lexeme, ConditionSetId)>,
    found: Vec<(Lexeme, ConditionSetId)>,
    work: VecDeque<(Lexeme, ConditionSetId)>,
}

impl Search<'_> {
    fn add(&mut self, thread: Thread, conditions: ConditionSetId) {
        // What cannot grow is ended at once.
        let finished = self.lexer.component(thread.0).dfa().future(thread.1).is_empty();
        let lexeme = if finished { Lexeme::Boundary } else { Lexeme::Inside(thread) };
        let new = conditions != ConditionSetId::NONE && self.found.len() < self.most;
        if new && self.seen.insert((lexeme, conditions)) {
            self.found.push((lexeme, conditions));
            self.work.push_back((lexeme, conditions));
        }
    }

    fn start(&mut self, byte: u8, conditions: ConditionSetId) {
        for &thread in self.lexer.starts(byte) {
            self.add(thread, conditions);
        }
    }

    fn step(&mut self, lexeme: Lexeme, conditions: ConditionSetId) {
        for byte in 0..=255u8 {
            let Some(left) = self.sets.step(self.lexer.kill_automata(), conditions, byte) else { continue };
            match lexeme {
                Lexeme::Boundary => self.start(byte, left),
                Lexeme::Inside((component, state)) => {
                    let next = self.lexer.component(component).dfa().next(state, byte);
                    if next != Dfa::DEAD {
                        self.add((component, next), left);
                    }
                    self.end((component, state), left, Some(byte));
                }
            }
        }
    }

    /// Ends the lexeme where it matches, by `byte` or by any; `pending` stands as it is after that byte.
    fn end(&mut self, (id, state): (ComponentId, StateId), pending: ConditionSetId, byte: Option<u8>) {
        let component = self.lexer.component(id);
        for terminal in component.matched(state) {
            let left = component.left(terminal, state);
            if left.is_empty() && pending == ConditionSetId::NONE {
                continue;
            }
            for byte in byte.map_or(0..=255, |byte| byte..=byte) {
                if let Some(left) = step_all(self.lexer.kill_automata(), left, byte) {
                    let left = self.sets.intern(left);
                    let all = self.sets.union(pending, left);
                    self.start(byte, all);
                }
            }
        }
    }
}

/// Every component: where nothing is known of the stack.
pub(crate) fn anywhere(lexer: &Lexer) -> BitSet {
    BitSet::full(lexer.components().len())
}
