//! JSON documents with rules of their own, as parts of a text.
//!
//! The run time follows each document from its first byte to its last. Where that is, it sees by the lexer: what reads a
//! document are components that read nothing else ([`regions`]). And where nothing is at stake it takes the grammar's word
//! that a text can be completed, since every document that is still to come can be replaced by one that breaks no rule.
//! That takes two things. There must be such a document ([`check_texts`]). And what stands before must not tell one document
//! from another, as a lexeme does whose longer match forbids a shorter one ([`check_neighbours`]):
//!
//! ```text
//! text → WORD document, WORD = /a(\["x"\])?/        behind `a`, longest match forbids the document ["x"]
//! ```

use glrmask_automata::{Dfa, Id, StateId, TerminalId};
use glrmask_grammar::{Grammar, GrammarError};
use glrmask_lexer::{BitSet, Condition, Lexer};
use glrmask_runtime::Document;
use glrmask_vocab::{TokenId, Vocab};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::CompileError;
use crate::policy::Policy;
use crate::{compile, Config};

/// Pairs of states that [`check_neighbours`] looks at.
const PAIRS: usize = 200_000;

/// The region of each terminal: a number for each document, and 0 outside of them.
pub(crate) fn regions<'g>(
    grammar: &'g Grammar,
    documents: &[glrmask_grammar::Document],
) -> impl Fn(TerminalId) -> usize + 'g {
    let mut by_scope = vec![0; grammar.scopes.len()];
    for (number, document) in (1..).zip(documents) {
        for scope in &document.scopes {
            by_scope.get_mut(scope.index()).into_iter().for_each(|region| *region = number);
        }
    }
    move |t| grammar.terminals.get(t).and_then(|t| by_scope.get(t.scope.index())).copied().unwrap_or_default()
}

/// What the run time has to know of the documents of a grammar whose first terminal has this number in the lexer.
pub(crate) fn documents(
    grammar: &Grammar,
    documents: &[glrmask_grammar::Document],
    lexer: &Lexer,
    first: u32,
) -> Vec<Document> {
    let region = regions(grammar, documents);
    let one = |(number, document): (usize, &glrmask_grammar::Document)| {
        let own = grammar.terminals.ids().filter(|&t| region(t) == number);
        let mut components: Vec<_> = own.filter_map(|t| lexer.component_of(TerminalId(first + t.0))).collect();
        components.sort_unstable();
        components.dedup();
        Document { rules: document.asked.rules.clone(), components }
    };
    (1..).zip(documents).map(one).collect()
}

/// Checks that some document obeys the rules. That is known but where values may run out.
pub(crate) fn check_texts(
    grammar: &Grammar,
    documents: &[glrmask_grammar::Document],
    config: &Config,
) -> Result<(), CompileError> {
    for document in documents.iter().filter(|document| document.asked.rules.are_unsettled()) {
        let instance = Some(document.asked.clone());
        let (documents, slots, marks) = Default::default();
        let alone = Grammar { start: document.start, instance, documents, slots, marks, ..grammar.clone() };
        let bytes = Vocab::new((0..=255u8).map(|byte| (TokenId(u32::from(byte)), [byte])))?;
        let policy = Policy { check: config.policy.check.clone(), ..Config::default().policy };
        let (normalize, automata, tables) = (config.normalize.clone(), config.automata, config.tables);
        compile(&alone, &bytes, &Config { normalize, automata, tables, policy, ..Config::default() })?;
    }
    Ok(())
}

/// Checks that no lexeme that began before a document has a say in what that is.
pub(crate) fn check_neighbours<'n>(
    lexer: &Lexer,
    documents: &[Document],
    name: impl Fn(TerminalId) -> Option<&'n str>,
) -> Result<(), CompileError> {
    if documents.is_empty() || lexer.is_plain() {
        return Ok(());
    }
    let within =
        documents.iter().flat_map(|document| &document.components).map(|component| component.index()).collect();
    let mut neighbours = Neighbours { lexer, within, known: FxHashMap::default(), left: PAIRS };
    let found = neighbours.running_in();
    if found.is_none() && neighbours.left == 0 {
        let what = "pairs of states where lexemes before a document with rules may go on into it";
        return Err(GrammarError::limit(what, PAIRS, PAIRS + 1, None).into());
    }
    let Some(terminal) = found else { return Ok(()) };
    let message = format!(
        "a JSON document with rules beside the grammar (`uniqueItems` and the like, or many keys in any order) stands where \
         the lexeme {} before it may go on into it",
        name(terminal).unwrap_or("?")
    );
    Err(GrammarError::unsupported(message, None).into())
}

/// Terminals that can be read under a condition, with what is left of it behind them.
type Reached = Vec<(TerminalId, Condition)>;

struct Neighbours<'l> {
    lexer: &'l Lexer,
    /// Components of documents.
    within: BitSet,
    known: FxHashMap<Condition, Reached>,
    /// Pairs of states that may still be looked at.
    left: usize,
}

impl Neighbours<'_> {
    /// A terminal with a longer match that could go on into a document. None found is an answer only if there are pairs left.
    fn running_in(&mut self) -> Option<TerminalId> {
        let lexer = self.lexer;
        let mut work: Vec<(TerminalId, Condition, TerminalId)> = Vec::new();
        for (_, component) in lexer.components().iter_enumerated().filter(|(id, _)| !self.within.contains(id.index())) {
            for state in component.dfa().states() {
                let left =
                    component.matched(state).flat_map(|t| component.left(t, state).iter().map(move |&c| (t, c, t)));
                work.extend(left);
            }
        }
        let mut seen: FxHashSet<(TerminalId, Condition)> = FxHashSet::default();
        while let Some((last, condition, origin)) = work.pop() {
            if !seen.insert((last, condition)) {
                continue;
            }
            if self.left == 0 {
                return None;
            }
            if self.enters(last, condition) {
                return Some(origin);
            }
            for (next, condition) in self.reached(condition) {
                if self.may_follow(last, next) {
                    work.push((next, condition, origin));
                }
            }
        }
        None
    }

    fn may_follow(&self, last: TerminalId, next: TerminalId) -> bool {
        let known = self.lexer.parser_terminal(next);
        self.lexer.is_ignored(last)
            || self.lexer.is_ignored(next)
            || known.is_some_and(|known| self.lexer.followers(last).contains(known.index()))
    }

    /// Whether an array or object of a document may come next while the condition is pending.
    fn enters(&self, last: TerminalId, condition: Condition) -> bool {
        let Some(kill) = self.lexer.kill_automata().get(&condition.terminal) else { return false };
        let goes_on = b"[{".iter().filter(|&&byte| kill.next(condition.state, byte) != Dfa::DEAD);
        let mut begun =
            goes_on.flat_map(|&byte| self.lexer.starts(byte)).filter(|(id, _)| self.within.contains(id.index()));
        begun.any(|&(id, state)| self.lexer.component(id).live(state).any(|next| self.may_follow(last, next)))
    }

    /// What can be read outside of documents while the condition is pending.
    fn reached(&mut self, condition: Condition) -> Reached {
        if let Some(known) = self.known.get(&condition) {
            return known.clone();
        }
        let mut found: FxHashSet<(TerminalId, Condition)> = FxHashSet::default();
        if let Some(kill) = self.lexer.kill_automata().get(&condition.terminal) {
            let mut pairs: FxHashSet<(glrmask_lexer::Thread, StateId)> = FxHashSet::default();
            let mut work = Vec::new();
            for byte in kill.next_bytes(condition.state).iter() {
                let next = kill.next(condition.state, byte);
                let outside = self.lexer.starts(byte).iter().filter(|(id, _)| !self.within.contains(id.index()));
                work.extend(outside.map(|&thread| (thread, next)));
            }
            while let Some(((id, state), killed)) = work.pop() {
                // A condition that is violated leaves nothing.
                if kill.is_accepting(killed) || self.left == 0 || !pairs.insert(((id, state), killed)) {
                    continue;
                }
                self.left -= 1;
                let component = self.lexer.component(id);
                found.extend(component.matched(state).map(|t| (t, Condition { state: killed, ..condition })));
                for (bytes, to) in component.dfa().transitions(state) {
                    let next: FxHashSet<StateId> = bytes.iter().map(|byte| kill.next(killed, byte)).collect();
                    work.extend(next.into_iter().filter(|&next| next != Dfa::DEAD).map(|next| ((id, to), next)));
                }
            }
        }
        let found: Reached = found.into_iter().collect();
        self.known.insert(condition, found.clone());
        found
    }
}
