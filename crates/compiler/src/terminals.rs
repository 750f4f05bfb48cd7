//! Terminals to automata.

use std::sync::Arc;

use glrmask_automata::{AutomataError, Dfa, IndexVec, Limits, Regex, TerminalId};
use glrmask_grammar::{Grammar, Pattern, Terminal};
use glrmask_vocab::Cache;
use rayon::prelude::*;

use crate::error::CompileError;

/// The language of each terminal. Equal patterns are compiled once, and found again by the next grammar for the same
/// vocabulary (`known`): most grammars of a server consist of the same strings, numbers and formats.
///
/// # Errors
/// A pattern over the limits.
pub(crate) fn compile(
    grammar: &Grammar,
    limits: &Limits,
    known: &Cache,
    threads: usize,
) -> Result<IndexVec<TerminalId, Compiled>, CompileError> {
    let language = |terminal: &Terminal| {
        let regex = match &terminal.pattern {
            Pattern::Literal(bytes) => return Ok(Compiled::Literal(bytes.clone())),
            Pattern::LiteralIgnoreCase(text) => Regex::literal_ignore_case(text),
            Pattern::Regex(regex) => regex.clone(),
            Pattern::ExactTokens(ids) => return Ok(Compiled::Tokens { any: !ids.is_empty() }),
        };
        match regex.as_literal() {
            Some(bytes) if !bytes.is_empty() => Ok(Compiled::Literal(bytes)),
            _ => automaton(&regex, limits, known)
                .map(Compiled::Automaton)
                .map_err(|e| CompileError::terminal(&terminal.name, e)),
        }
    };
    let patterns = grammar.terminals.iter().filter(|t| matches!(t.pattern, Pattern::Regex(_))).count();
    if threads < 2 || patterns < WORTH_THREADS {
        return grammar.terminals.iter().map(language).collect();
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.min(patterns)).build();
    match pool {
        // The first error in order, so that it does not depend on chance.
        Ok(pool) => {
            let compiled: Vec<_> =
                pool.install(|| grammar.terminals.as_slice().par_iter().with_max_len(4).map(language).collect());
            compiled.into_iter().collect()
        }
        Err(_) => grammar.terminals.iter().map(language).collect(),
    }
}

/// Fewer patterns than this are compiled sooner than threads are started.
const WORTH_THREADS: usize = 48;

/// The minimal automaton of a regular expression without the empty string. Operands are kept as well: the keys of an
/// object that must not be declared ones come in two spellings, and everything that is a string has any string in it.
fn automaton(regex: &Regex, limits: &Limits, known: &Cache) -> Result<Arc<Dfa>, AutomataError> {
    find(regex, &key(regex, limits, b"terminal"), known, &mut || {
        let operand = |operand: &Regex, compile: &mut dyn FnMut() -> Result<Dfa, AutomataError>| {
            find(operand, &key(operand, limits, b"operand"), known, &mut || compile().map(Arc::new))
        };
        let dfa = regex.compile_with(limits, &operand)?;
        Ok(if dfa.is_accepting(dfa.start()) { Arc::new(dfa.without_empty()) } else { dfa })
    })
}

/// An automaton as kept on a vocabulary.
struct Known {
    /// Fingerprints can be made to agree.
    regex: Regex,
    dfa: Arc<Dfa>,
}

/// The automaton of exactly this expression that is kept under the key; if there is none, what `compile` makes.
fn find(
    regex: &Regex,
    key: &[u8],
    known: &Cache,
    compile: &mut dyn FnMut() -> Result<Arc<Dfa>, AutomataError>,
) -> Result<Arc<Dfa>, AutomataError> {
    let found = known.get_or_try_insert(key, || {
        compile().map(|dfa| {
            let bytes = dfa.memory_usage() + regex.memory_usage();
            (Arc::new(Known { regex: regex.clone(), dfa }), bytes)
        })
    })?;
    match found.regex == *regex {
        true => Ok(found.dfa.clone()),
        false => compile(),
    }
}

/// What an automaton is found by: the limits are part of it, since beyond them there is an error and no automaton.
fn key(regex: &Regex, limits: &Limits, what: &[u8]) -> Vec<u8> {
    let mut key = what.to_vec();
    key.extend(regex.fingerprint().to_le_bytes());
    key.extend((limits.states as u64).to_le_bytes());
    key.extend((limits.nfa_states as u64).to_le_bytes());
    key
}

/// The language of one terminal.
#[derive(Clone, Debug)]
pub(crate) enum Compiled {
    /// Exactly these bytes.
    Literal(Vec<u8>),
    /// A minimal automaton without the empty string.
    Automaton(Arc<Dfa>),
    /// A token event, and whether there is any token for it; no bytes.
    Tokens {
        /// Whether there is a token for it.
        any: bool,
    },
}

impl Compiled {
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Literal(_) => false,
            Self::Automaton(dfa) => dfa.is_empty_language(),
            Self::Tokens { any } => !any,
        }
    }
    /// As an automaton with label 0, over bytes.
    pub(crate) fn to_dfa(&self) -> Arc<Dfa> {
        match self {
            Self::Literal(bytes) => Arc::new(Dfa::from_literals(&[(bytes, 0)])),
            Self::Automaton(dfa) => dfa.clone(),
            Self::Tokens { .. } => Arc::new(Dfa::from_literals(&[])),
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
            Self::Tokens { .. } => false,
        }
    }
    /// A word of a language that is finite and not empty.
    pub(crate) fn a_word(&self) -> Vec<u8> {
        let mut word = Vec::new();
        match self {
            Self::Literal(bytes) => word.extend(bytes),
            Self::Automaton(dfa) => {
                let mut state = dfa.start();
                // From every state of a minimal automaton some word is read; where they are finite, none comes again.
                while !dfa.is_accepting(state) && word.len() < dfa.len() {
                    let step = dfa.transitions(state).find_map(|(bytes, next)| Some((bytes.iter().next()?, next)));
                    let Some((byte, next)) = step else { break };
                    word.push(byte);
                    state = next;
                }
            }
            Self::Tokens { .. } => {}
        }
        word
    }
    /// Whether there are finitely many words.
    pub(crate) fn is_finite(&self) -> bool {
        match self {
            Self::Literal(_) | Self::Tokens { .. } => true,
            Self::Automaton(dfa) => dfa.is_finite(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_expression_left_under_a_key_is_not_taken() {
        let (known, limits) = (Cache::new(1 << 20), Limits::default());
        let [a, b] = ["a", "b"].map(|text| Regex::literal(text).plus());
        let find = |regex: &Regex| find(regex, b"one key", &known, &mut || regex.compile(&limits).map(Arc::new));
        let accepts = |regex: &Regex, text: &[u8]| find(regex).map(|dfa| dfa.accepts(text));
        assert_eq!(accepts(&a, b"aa"), Ok(true));
        assert_eq!((accepts(&b, b"aa"), accepts(&b, b"bb")), (Ok(false), Ok(true)));
        assert_eq!((accepts(&a, b"aa"), known.stats().entries), (Ok(true), 1));
    }
}
