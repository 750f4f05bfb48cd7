//! What can go wrong while building or filling a lexer.

use std::fmt;

use glrmask_automata::{AutomataError, TerminalId};

/// An error of the lexer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexerError(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Limit { what: &'static str, given: usize, limit: usize },
    Automaton { terminal: Option<TerminalId>, source: AutomataError },
    Invalid { what: String },
}

impl LexerError {
    pub(crate) fn limit(what: &'static str, given: usize, limit: usize) -> Self {
        Self(Kind::Limit { what, given, limit })
    }
    pub(crate) fn automaton(terminal: Option<TerminalId>, source: &AutomataError) -> Self {
        Self(Kind::Automaton { terminal, source: source.clone() })
    }
    pub(crate) fn invalid(what: impl Into<String>) -> Self {
        Self(Kind::Invalid { what: what.into() })
    }
    /// Whether a limit was reached (as opposed to an unusable input).
    pub fn is_limit(&self) -> bool {
        self.numbers().is_some()
    }
    /// For limits: what was needed (or the first amount found too large) and what is allowed.
    pub fn numbers(&self) -> Option<(usize, usize)> {
        match &self.0 {
            Kind::Limit { given, limit, .. } => Some((*given, *limit)),
            Kind::Automaton { source, .. } => source.numbers(),
            Kind::Invalid { .. } => None,
        }
    }
}

impl fmt::Display for LexerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Limit { what, given, limit } => write!(f, "{what}: {given} exceeds the limit of {limit}"),
            Kind::Automaton { terminal: Some(t), source } => {
                write!(f, "cannot build the lexer: terminal {t}: {source}")
            }
            Kind::Automaton { terminal: None, source } => write!(f, "cannot build the lexer: {source}"),
            Kind::Invalid { what } => write!(f, "unusable lexer: {what}"),
        }
    }
}

impl std::error::Error for LexerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Kind::Automaton { source, .. } => Some(source),
            _ => None,
        }
    }
}
