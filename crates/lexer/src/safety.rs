//! Which open terminals are free: whatever the grammar puts next can be lexed, and so on for ever.
//!
//! `safe(t, C)` is the greatest set of (terminal, conditions pending after it) such that every terminal u that may
//! follow t (ignored text may stand between) has some lexeme that starts under C and leads to a safe (u, C′). A free
//! terminal needs no look at the stack beyond being acceptable; all others need the automaton of completable stacks
//! (see the parser's `pending` module). Grouped by C, so that one bit set answers for all terminals.

use glrmask_automata::lexdag::ConditionSetId;
use glrmask_automata::{Id, TerminalId};
use rustc_hash::FxHashMap;

use crate::completions::CompletionTable;
use crate::conditions::ConditionSets;
use crate::error::LexerError;
use crate::lexer::Lexer;
use crate::relation::BitSet;

/// Sets of conditions one grammar may need to look at.
const CONDITION_LIMIT: usize = 20_000;

/// What is safe while one set of conditions is pending.
#[derive(Clone, Debug)]
struct Safe {
    terminals: BitSet,
    ignored: bool,
}

/// Terminals that can be lexed, each with what is pending after it.
type Lexemes = Vec<(TerminalId, ConditionSetId)>;

/// The safe terminals, per set of conditions, found on demand.
#[derive(Clone, Debug, Default)]
pub struct SafetyTable {
    known: FxHashMap<ConditionSetId, Safe>,
}

impl SafetyTable {
    /// Whether `terminal` (as the parser knows it) is free while `pending` are the conditions after it.
    ///
    /// # Errors
    /// Too many sets of conditions.
    pub fn is_safe(
        &mut self,
        lexer: &Lexer,
        completions: &mut CompletionTable,
        sets: &mut ConditionSets,
        terminal: TerminalId,
        pending: ConditionSetId,
    ) -> Result<bool, LexerError> {
        if lexer.is_plain() && pending == ConditionSetId::NONE {
            return Ok(true);
        }
        self.ensure(lexer, completions, sets, pending)?;
        Ok(self.known[&pending].terminals.contains(terminal.index()))
    }

    /// Whether ignored text is free at its end while `pending` are the conditions after it: every terminal of the
    /// grammar can be lexed then.
    ///
    /// # Errors
    /// Too many sets of conditions.
    pub fn is_ignored_safe(
        &mut self,
        lexer: &Lexer,
        completions: &mut CompletionTable,
        sets: &mut ConditionSets,
        pending: ConditionSetId,
    ) -> Result<bool, LexerError> {
        if lexer.is_plain() && pending == ConditionSetId::NONE {
            return Ok(true);
        }
        self.ensure(lexer, completions, sets, pending)?;
        Ok(self.known[&pending].ignored)
    }

    fn ensure(
        &mut self,
        lexer: &Lexer,
        completions: &mut CompletionTable,
        sets: &mut ConditionSets,
        pending: ConditionSetId,
    ) -> Result<(), LexerError> {
        if self.known.contains_key(&pending) {
            return Ok(());
        }
        let fresh = self.reachable(lexer, completions, sets, pending)?;
        self.solve(lexer, fresh);
        Ok(())
    }

    /// All not yet known sets of conditions that can be pending later, with the lexemes that each admits.
    fn reachable(
        &self,
        lexer: &Lexer,
        completions: &mut CompletionTable,
        sets: &mut ConditionSets,
        root: ConditionSetId,
    ) -> Result<FxHashMap<ConditionSetId, Lexemes>, LexerError> {
        let mut fresh = FxHashMap::default();
        let mut work = vec![root];
        while let Some(pending) = work.pop() {
            if self.known.contains_key(&pending) || fresh.contains_key(&pending) {
                continue;
            }
            let lexemes = lexemes_under(lexer, completions, sets, pending)?;
            work.extend(lexemes.iter().map(|l| l.1));
            fresh.insert(pending, lexemes);
            if fresh.len() + self.known.len() > CONDITION_LIMIT {
                return Err(LexerError::limit("sets of longest-match conditions", fresh.len(), CONDITION_LIMIT));
            }
        }
        Ok(fresh)
    }

    /// Greatest fixed point over the fresh sets; known ones cannot depend on them.
    fn solve(&mut self, lexer: &Lexer, fresh: FxHashMap<ConditionSetId, Lexemes>) {
        let count = lexer.terminal_count();
        for &pending in fresh.keys() {
            self.known.insert(pending, Safe { terminals: BitSet::full(count), ignored: true });
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (&pending, lexemes) in &fresh {
                let next = self.step(lexer, lexemes);
                let before = self.known.insert(pending, next);
                let after = &self.known[&pending];
                changed |= before.is_none_or(|b| b.terminals != after.terminals || b.ignored != after.ignored);
            }
        }
    }

    fn step(&self, lexer: &Lexer, lexemes: &[(TerminalId, ConditionSetId)]) -> Safe {
        let mut possible = BitSet::new(lexer.terminal_count());
        for &(terminal, after) in lexemes {
            if self.known[&after].terminals.contains(terminal.index()) {
                possible.insert(terminal.index());
            }
        }
        let ignored = lexer.used.is_subset(&possible);
        let mut terminals = BitSet::new(lexer.terminal_count());
        for (_, terminal) in lexer.terminals.iter_enumerated() {
            if let Some(t) = terminal.parser_terminal {
                if ignored || terminal.followers.is_subset(&possible) {
                    terminals.insert(t.index());
                }
            }
        }
        Safe { terminals, ignored }
    }
}

/// Parser terminals that can be lexed next while `pending`, ignored text possibly before them, with what is pending
/// after each.
fn lexemes_under(
    lexer: &Lexer,
    completions: &mut CompletionTable,
    sets: &mut ConditionSets,
    pending: ConditionSetId,
) -> Result<Lexemes, LexerError> {
    let mut seen = vec![pending];
    let mut next = 0;
    let mut found = Vec::new();
    while let Some(&current) = seen.get(next) {
        next += 1;
        for &(terminal, after) in completions.from_start(lexer, sets, current)?.iter() {
            if lexer.is_ignored(terminal) && !seen.contains(&after) {
                seen.push(after);
            }
            if let Some(t) = lexer.parser_terminal(terminal) {
                found.push((t, after));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}
