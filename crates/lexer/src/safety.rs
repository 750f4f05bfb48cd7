//! Which open terminals are free: whatever the grammar puts next can be lexed, and so on for ever.
//!
//! `safe(t, C)` is the greatest set of (terminal, conditions pending after it) such that every terminal u that may
//! follow t (ignored text may stand between) has some lexeme that starts under C and leads to a safe (u, C′). A free
//! terminal needs no look at the stack beyond being acceptable; all others need the automaton of completable stacks
//! (see the parser's `pending` module). Grouped by C, so that one bit set answers for all terminals.
//!
//! Ignored text that the lexer drops may stand between t and u. So may ignored text that the grammar spells out, which a
//! component has that is linked into something else: its *padding* ([`Lexer::with_padding`]). With `a` x `b` x in the
//! language so is `a` x SPACE `b` x, and the other way round, so what u needs is a lexeme under some C′ that padding leads
//! to from C. Without that, no name is free in a grammar in which a name can be followed by a keyword.

use glrmask_automata::lexdag::ConditionSetId;
use glrmask_automata::{Id, TerminalId};
use rustc_hash::{FxHashMap, FxHashSet};

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
    /// Parser terminals that can be lexed here and are safe then.
    possible: BitSet,
}

/// By padding, the conditions that any number of its lexemes leads to.
type Reach = FxHashMap<u32, Vec<ConditionSetId>>;

/// Terminals that can be lexed, each with what is pending after it.
type Lexemes = Vec<(TerminalId, ConditionSetId)>;

/// The safe terminals, per set of conditions, found on demand.
#[derive(Clone, Debug, Default)]
pub struct SafetyTable {
    known: FxHashMap<ConditionSetId, Safe>,
    /// Conditions pending after one lexeme of a padding.
    padded: FxHashMap<(ConditionSetId, u32), Vec<ConditionSetId>>,
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
        self.pad(lexer, &fresh);
        let reach: FxHashMap<ConditionSetId, Reach> =
            fresh.keys().map(|&pending| (pending, self.reach(lexer, pending))).collect();
        let full = BitSet::full(lexer.terminal_count());
        for &pending in fresh.keys() {
            self.known.insert(pending, Safe { terminals: full.clone(), ignored: true, possible: full.clone() });
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (pending, lexemes) in &fresh {
                let possible = self.possible(lexer, lexemes);
                self.known.entry(*pending).and_modify(|safe| safe.possible = possible);
            }
            for (pending, reach) in &reach {
                let (terminals, ignored) = self.step(lexer, &self.known[pending].possible, reach);
                let Some(safe) = self.known.get_mut(pending) else { continue };
                changed |= safe.terminals != terminals || safe.ignored != ignored;
                (safe.terminals, safe.ignored) = (terminals, ignored);
            }
        }
    }

    /// Notes where one lexeme of a padding leads.
    fn pad(&mut self, lexer: &Lexer, fresh: &FxHashMap<ConditionSetId, Lexemes>) {
        let mut paddings: FxHashMap<usize, Vec<u32>> = FxHashMap::default();
        for (number, set) in (1..).zip(&lexer.paddings) {
            set.iter().for_each(|t| paddings.entry(t).or_default().push(number));
        }
        for (&pending, lexemes) in fresh {
            for &(t, after) in lexemes {
                for &number in paddings.get(&t.index()).into_iter().flatten() {
                    self.padded.entry((pending, number)).or_default().push(after);
                }
            }
        }
    }

    /// Where paddings lead, by any number of lexemes.
    fn reach(&self, lexer: &Lexer, pending: ConditionSetId) -> Reach {
        let numbers = (1..).zip(&lexer.paddings).map(|entry| entry.0);
        let closure = |number: u32| {
            let mut found = vec![pending];
            let mut seen: FxHashSet<ConditionSetId> = found.iter().copied().collect();
            let mut next = 0;
            while let Some(&current) = found.get(next) {
                next += 1;
                let after = self.padded.get(&(current, number)).into_iter().flatten();
                found.extend(after.filter(|&&after| seen.insert(after)));
            }
            (number, found)
        };
        numbers.map(closure).collect()
    }

    fn possible(&self, lexer: &Lexer, lexemes: &[(TerminalId, ConditionSetId)]) -> BitSet {
        let mut possible = BitSet::new(lexer.terminal_count());
        for &(terminal, after) in lexemes {
            if self.known[&after].terminals.contains(terminal.index()) {
                possible.insert(terminal.index());
            }
        }
        possible
    }

    /// The safe terminals, and whether ignored text is.
    fn step(&self, lexer: &Lexer, possible: &BitSet, reach: &Reach) -> (BitSet, bool) {
        let ignored = lexer.used.is_subset(possible);
        let behind = |(&number, sets): (&u32, &Vec<ConditionSetId>)| {
            let mut all = BitSet::new(lexer.terminal_count());
            sets.iter().for_each(|set| all.union_with(&self.known[set].possible));
            // Nothing ever needs padding: it can be left out.
            let own = (number as usize).checked_sub(1).and_then(|number| lexer.paddings.get(number));
            own.into_iter().for_each(|own| all.union_with(own));
            (number, all)
        };
        let behind: FxHashMap<u32, BitSet> = reach.iter().map(behind).collect();
        let mut terminals = BitSet::new(lexer.terminal_count());
        for terminal in lexer.terminals.iter() {
            if let Some(t) = terminal.parser_terminal {
                let possible = behind.get(&terminal.padding).unwrap_or(possible);
                if ignored || terminal.followers.is_subset(possible) {
                    terminals.insert(t.index());
                }
            }
        }
        (terminals, ignored)
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
