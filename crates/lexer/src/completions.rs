//! How a lexeme in progress can end: every terminal it can still become, with the conditions pending afterwards.
//!
//! `completions(x, R)` is the set of `(t, R′)` such that some text (possibly empty) turns the lexeme at state x into a
//! match of t, no condition of R is violated on the way, and R′ is what is pending then. Where a component leaves no
//! conditions and R is empty this is the live set of the state; otherwise it is a search over (state, conditions).

use glrmask_automata::lexdag::ConditionSetId;
use glrmask_automata::{StateId, TerminalId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::component::ComponentId;
use crate::conditions::ConditionSets;
use crate::error::LexerError;
use crate::lexer::Lexer;

/// (state, conditions) pairs one search may visit.
const SEARCH_LIMIT: usize = 200_000;

/// A lexeme in progress: a component and the state of its automaton.
pub type Thread = (ComponentId, StateId);

/// Ways to end: terminal and conditions pending after it, sorted.
pub type Completions = Box<[(TerminalId, ConditionSetId)]>;

/// Memoised completions.
#[derive(Clone, Debug, Default)]
pub struct CompletionTable {
    /// By thread and pending conditions.
    known: FxHashMap<(Thread, ConditionSetId), Completions>,
    /// From the start of a lexeme, by pending conditions.
    from_start: FxHashMap<ConditionSetId, Completions>,
    bytes: usize,
}

impl CompletionTable {
    /// Ways to end the lexeme `thread` while `pending` must not be violated. Memoised.
    ///
    /// # Errors
    /// The search grew over its limit.
    pub fn of(
        &mut self,
        lexer: &Lexer,
        sets: &mut ConditionSets,
        thread: Thread,
        pending: ConditionSetId,
    ) -> Result<&Completions, LexerError> {
        if !self.known.contains_key(&(thread, pending)) {
            let found = self.search(lexer, sets, &[(thread, pending)])?;
            self.bytes += found.len() * 8 + 64;
            self.known.insert((thread, pending), found);
        }
        Ok(&self.known[&(thread, pending)])
    }

    /// Ways to lex one lexeme from its start while `pending` must not be violated; token events among them, which void
    /// it. Memoised.
    ///
    /// # Errors
    /// The search grew over its limit.
    pub fn from_start(
        &mut self,
        lexer: &Lexer,
        sets: &mut ConditionSets,
        pending: ConditionSetId,
    ) -> Result<&Completions, LexerError> {
        if !self.from_start.contains_key(&pending) {
            let mut roots = Vec::new();
            for byte in 0..=255u8 {
                if let Some(left) = sets.step(&lexer.kill_automata, pending, byte) {
                    roots.extend(lexer.starts(byte).iter().map(|&thread| (thread, left)));
                }
            }
            roots.sort_unstable();
            roots.dedup();
            let events = lexer.token_terminals.iter().map(|&terminal| (terminal, ConditionSetId::NONE));
            let mut found: Vec<_> = self.search(lexer, sets, &roots)?.into_vec();
            found.extend(events);
            found.sort_unstable();
            let found: Completions = found.into();
            self.bytes += found.len() * 8 + 64;
            self.from_start.insert(pending, found);
        }
        Ok(&self.from_start[&pending])
    }

    /// Rough memory use in bytes.
    pub fn memory_usage(&self) -> usize {
        self.bytes
    }

    fn search(
        &self,
        lexer: &Lexer,
        sets: &mut ConditionSets,
        roots: &[(Thread, ConditionSetId)],
    ) -> Result<Completions, LexerError> {
        let mut found: FxHashSet<(TerminalId, ConditionSetId)> = FxHashSet::default();
        let mut seen: FxHashSet<(Thread, ConditionSetId)> = roots.iter().copied().collect();
        let mut work: Vec<(Thread, ConditionSetId)> = roots.to_vec();
        while let Some((thread @ (id, state), pending)) = work.pop() {
            let component = lexer.component(id);
            if pending == ConditionSetId::NONE && component.is_plain() {
                found.extend(component.live(state).map(|terminal| (terminal, ConditionSetId::NONE)));
                continue;
            }
            if let Some(known) = self.known.get(&(thread, pending)) {
                found.extend(known.iter().copied());
                continue;
            }
            for terminal in component.matched(state) {
                let left = sets.intern(component.left(terminal, state).to_vec());
                found.insert((terminal, sets.union(pending, left)));
            }
            for (bytes, next) in component.dfa().transitions(state) {
                for byte in representatives(lexer, bytes.iter()) {
                    let Some(left) = sets.step(&lexer.kill_automata, pending, byte) else { continue };
                    if seen.insert(((id, next), left)) {
                        work.push(((id, next), left));
                    }
                }
            }
            if seen.len() > SEARCH_LIMIT {
                return Err(LexerError::limit("longest-match conditions to explore", seen.len(), SEARCH_LIMIT));
            }
        }
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort_unstable();
        Ok(found.into())
    }
}

/// One byte per byte class.
fn representatives<'a>(lexer: &'a Lexer, bytes: impl Iterator<Item = u8> + 'a) -> impl Iterator<Item = u8> + 'a {
    let mut seen = [false; 256];
    bytes.filter(move |&byte| !std::mem::replace(&mut seen[usize::from(lexer.classes[usize::from(byte)])], true))
}
