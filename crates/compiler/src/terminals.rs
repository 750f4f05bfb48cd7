//! Terminals to automata.

use std::sync::Arc;

use glrmask_automata::{Dfa, IndexVec, Limits, Regex, TerminalId};
use glrmask_grammar::{Grammar, Pattern};
use rustc_hash::FxHashMap;

use crate::error::CompileError;

/// The language of each terminal. Equal patterns are compiled once.
///
/// # Errors
/// A pattern over the limits; exact-token terminals.
pub(crate) fn compile(grammar: &Grammar, limits: &Limits) -> Result<IndexVec<TerminalId, Compiled>, CompileError> {
    let mut known: FxHashMap<&Pattern, Arc<Dfa>> = FxHashMap::default();
    let mut compiled = IndexVec::new();
    for terminal in grammar.terminals.iter() {
        let regex = match &terminal.pattern {
            Pattern::Literal(bytes) => {
                compiled.push(Compiled::Literal(bytes.clone()));
                continue;
            }
            Pattern::LiteralIgnoreCase(text) => Regex::literal_ignore_case(text),
            Pattern::Regex(regex) => regex.clone(),
            Pattern::ExactTokens(_) => return Err(CompileError::unsupported("exact-token terminals", &terminal.name)),
        };
        let dfa = match known.get(&terminal.pattern) {
            Some(dfa) => dfa.clone(),
            None => {
                let dfa = regex.compile(limits).map_err(|e| CompileError::terminal(&terminal.name, e))?;
                let dfa = Arc::new(if dfa.is_accepting(dfa.start()) { dfa.without_empty() } else { dfa });
                known.insert(&terminal.pattern, dfa.clone());
                dfa
            }
        };
        compiled.push(match regex.as_literal() {
            Some(bytes) if !bytes.is_empty() => Compiled::Literal(bytes),
            _ => Compiled::Automaton(dfa),
        });
    }
    Ok(compiled)
}

/// The language of one terminal.
#[derive(Clone, Debug)]
pub(crate) enum Compiled {
    /// Exactly these bytes.
    Literal(Vec<u8>),
    /// A minimal automaton without the empty string.
    Automaton(Arc<Dfa>),
}

impl Compiled {
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Literal(_) => false,
            Self::Automaton(dfa) => dfa.is_empty_language(),
        }
    }
    /// As an automaton with label 0.
    pub(crate) fn to_dfa(&self) -> Arc<Dfa> {
        match self {
            Self::Literal(bytes) => Arc::new(Dfa::from_literals(&[(bytes, 0)])),
            Self::Automaton(dfa) => dfa.clone(),
        }
    }
    /// Whether every word consists of identifier characters.
    pub(crate) fn is_identifier_like(&self) -> bool {
        let identifier = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80;
        match self {
            Self::Literal(bytes) => bytes.iter().all(|&b| identifier(b)),
            Self::Automaton(dfa) => {
                dfa.states().all(|q| dfa.transitions(q).all(|(bytes, _)| bytes.iter().all(identifier)))
            }
        }
    }
    /// Whether there are finitely many words.
    pub(crate) fn is_finite(&self) -> bool {
        match self {
            Self::Literal(_) => true,
            Self::Automaton(dfa) => dfa.is_finite(),
        }
    }
}
