//! What a linked constraint knows of its boundaries: which tokens can enter a component that was bound.
//!
//! Metadata for whoever schedules work around components; masks and commits never look at it. A set per boundary comes
//! with the constraint. For a state it is narrowed here: to tokens that are allowed, and within which the parser can
//! stand before the component when a lexeme begins that the component can begin with.

use glrmask_automata::{Dfa, Id, NonterminalId, TerminalId};
use glrmask_glr::parser;
use glrmask_vocab::{mask, ExactTokens, TokenId};
use serde::{Deserialize, Serialize};

use crate::branch::{Lexeme, Stacks};
use crate::commit::emit;
use crate::constraint::{Constraint, Inner};
use crate::error::RuntimeError;
use crate::event::TokenTerminal;
use crate::state::ConstraintState;

/// A place where something was bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundaryTrigger {
    /// The names that lead to the slot from the root.
    pub path: Vec<String>,
    /// No token outside of this set enters what is bound there, whatever was generated before.
    pub tokens: ExactTokens,
    /// How the parser enters it, if that is known.
    pub entry: Option<BoundaryEntry>,
}

/// How a parser enters a component.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundaryEntry {
    /// The nonterminal of the slot: a state that has a transition over it stands before the component.
    pub symbol: NonterminalId,
    /// The parser terminals that the component can begin with.
    pub first: Vec<TerminalId>,
}

impl Constraint {
    /// The boundaries, by path; none unless they were asked for when compiling or linking.
    pub fn boundary_triggers(&self) -> &[BoundaryTrigger] {
        &self.inner().config.boundary_triggers
    }
}

impl ConstraintState {
    /// Per boundary of the constraint, in the same order, the tokens that can enter it from here: allowed ones within which
    /// the parser can stand before the component. A subset of [`BoundaryTrigger::tokens`]; changes nothing.
    ///
    /// Time: that of a mask, and of committing the bytes of the tokens in question one by one.
    ///
    /// # Errors
    /// Those of masks.
    pub fn boundary_triggers(&self) -> Result<Vec<ExactTokens>, RuntimeError> {
        let mut words = vec![0; self.constraint().mask_words()];
        self.fill_mask(&mut words)?;
        let boundaries = self.constraint().boundary_triggers();
        boundaries.iter().map(|boundary| self.entering(boundary, &words)).collect()
    }

    fn entering(&self, boundary: &BoundaryTrigger, words: &[u32]) -> Result<ExactTokens, RuntimeError> {
        let vocab = self.constraint().vocab();
        let allowed = boundary.tokens.ids().filter(|&id| mask::get(words, id));
        let mut allowed: Vec<TokenId> = allowed.collect();
        if let Some(entry) = &boundary.entry {
            // In the order of their bytes, so that what they have in common is read once.
            allowed.sort_by_key(|&id| vocab.rank(id));
            let mut reader = Reader { entry, inner: self.constraint().inner(), read: Vec::new(), places: Vec::new() };
            reader.push(self.probe());
            allowed.retain(|&id| reader.enters(id, vocab.bytes(id).unwrap_or(&[])));
        }
        vocab.tokens(allowed).map_err(|_| RuntimeError::invalid("boundaries of another vocabulary"))
    }
}

/// A state after some bytes.
struct Place {
    state: ConstraintState,
    /// Terminals of the component that can begin here.
    open: Vec<TerminalId>,
}

/// Reads tokens one after the other.
struct Reader<'a> {
    entry: &'a BoundaryEntry,
    inner: &'a Inner,
    /// Bytes read so far.
    read: Vec<u8>,
    /// Before the first of them, after it, and so on; a rejected state ends it.
    places: Vec<Place>,
}

impl Reader<'_> {
    fn push(&mut self, state: ConstraintState) {
        let open = self.open(&state);
        self.places.push(Place { state, open });
    }

    /// The terminals that the component can begin with here.
    fn open(&self, state: &ConstraintState) -> Vec<TerminalId> {
        let mut open = Vec::new();
        let mut add = |stacks: &Stacks| {
            let before = |top| self.inner.tables.goto(top, self.entry.symbol).is_some();
            let enters = |t: &&TerminalId| parser::can_shift_at(&self.inner.tables, stacks, **t, before);
            open.extend(self.entry.first.iter().filter(enters));
        };
        for branch in state.branches() {
            match branch.lexeme {
                Lexeme::Boundary => add(&branch.stacks),
                Lexeme::Inside((component, at)) => {
                    let matched = self.inner.lexer.component(component).matched(at);
                    emit(self.inner, matched, branch.stacks.clone(), |_, stacks| add(&stacks));
                }
            }
        }
        open.sort_unstable();
        open.dedup();
        open
    }

    /// Whether the token, an allowed one, can enter the component.
    fn enters(&mut self, id: TokenId, bytes: &[u8]) -> bool {
        let is_event = |t: &TerminalId| {
            let known = |event: &TokenTerminal| self.inner.lexer.parser_terminal(event.terminal) == Some(*t);
            self.inner.token_terminals.iter().any(|event| known(event) && event.ids.contains(id))
        };
        if self.places.first().is_some_and(|place| place.open.iter().any(is_event)) {
            return true;
        }
        let common = self.read.iter().zip(bytes).take_while(|(a, b)| a == b).count();
        self.read.truncate(common);
        self.places.truncate(common + 1);
        for (at, &byte) in bytes.iter().enumerate() {
            let Some(place) = self.places.get(at) else { return false };
            let rest = bytes.get(at..).unwrap_or(&[]);
            if place.open.iter().any(|&t| self.begins(t, rest)) {
                return true;
            }
            if self.places.len() == at + 1 {
                let mut next = place.state.probe();
                if next.commit_bytes(&[byte]).is_err() {
                    return false;
                }
                self.read.push(byte);
                self.push(next);
            }
        }
        false
    }

    /// Whether a lexeme that the parser knows as `t` can begin with these bytes, or be the first of them.
    fn begins(&self, t: TerminalId, bytes: &[u8]) -> bool {
        let lexer = &self.inner.lexer;
        let own = |u: TerminalId| lexer.parser_terminal(u) == Some(t);
        let set = std::iter::once(t.index()).collect();
        lexer.components_of(&set).iter().any(|id| {
            let component = &lexer.components()[glrmask_lexer::ComponentId::from_usize(id)];
            let mut at = component.dfa().start();
            for &byte in bytes {
                at = component.dfa().next(at, byte);
                if at == Dfa::DEAD || !component.live(at).any(own) {
                    return false;
                }
                if component.matched(at).any(own) {
                    return true;
                }
            }
            true
        })
    }
}
