//! What can go wrong while building or filling a lexer.

use std::fmt;

use glrmask_automata::TerminalId;

/// An error of the lexer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexerError(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Limit { what: &'static str, given: usize, limit: usize },
    Automaton(String),
    Invalid { what: String },
}

impl LexerError {
    pub(crate) fn limit(what: &'static str, given: usize, limit: usize) -> Self {
        Self(Kind::Limit { what, given, limit })
    }
    pub(crate) fn automaton(terminal: Option<TerminalId>, source: &dyn fmt::Display) -> Self {
        Self(Kind::Automaton(match terminal {
            Some(t) => format!("terminal {t}: {source}"),
            None => source.to_string(),
        }))
    }
    pub(crate) fn invalid(what: impl Into<String>) -> Self {
        Self(Kind::Invalid { what: what.into() })
    }
    /// Whether a limit was reached (as opposed to an unusable input).
    pub fn is_limit(&self) -> bool {
        matches!(self.0, Kind::Limit { .. })
    }
}

impl fmt::Display for LexerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Limit { what, given, limit } => write!(f, "{what}: {given} exceeds the limit of {limit}"),
            Kind::Automaton(message) => write!(f, "cannot build the lexer: {message}"),
            Kind::Invalid { what } => write!(f, "unusable lexer: {what}"),
        }
    }
}

impl std::error::Error for LexerError {}
