//! The one error of this crate: opaque outside, a private kind inside, one constructor per cause.
//!
//! Two questions can be asked of an error without reading its text: is it a limit that was reached (and then which
//! one, what was asked for and what was allowed), or is the input itself wrong?

use glrmask_automata::{NonterminalId, TerminalId};
use thiserror::Error;

/// Why rules, tables or automata could not be built, read or filled.
///
/// ```
/// use glrmask_automata::NonterminalId;
/// use glrmask_glr::{GlrError, RuleSet};
/// let nothing = RuleSet { terminals: 0, nonterminals: 0, rules: vec![], start: NonterminalId(0) };
/// let error: GlrError = nothing.validate().unwrap_err();
/// assert!(error.limit().is_none());
/// assert_eq!(error.to_string(), "the start symbol n0 is not one of the 0 nonterminals");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(transparent)]
pub struct GlrError {
    kind: Kind,
}

#[derive(Clone, PartialEq, Eq, Debug, Error)]
enum Kind {
    #[error("{what}: {given} needed, at most {limit} allowed")]
    Limit { what: &'static str, given: usize, limit: usize },
    #[error("the start symbol {start} is not one of the {nonterminals} nonterminals")]
    UnknownStart { start: NonterminalId, nonterminals: usize },
    #[error("rule {rule} names the terminal {terminal}, but there are {terminals}")]
    UnknownTerminal { rule: usize, terminal: TerminalId, terminals: usize },
    #[error("rule {rule} names the nonterminal {nonterminal}, but there are {nonterminals}")]
    UnknownNonterminal { rule: usize, nonterminal: NonterminalId, nonterminals: usize },
    #[error("rule {rule} has an empty right-hand side")]
    EmptyRule { rule: usize },
    #[error("the nonterminal {nonterminal} derives itself by unit rules")]
    UnitCycle { nonterminal: NonterminalId },
    #[error("malformed tables: {what} (row {row})")]
    MalformedTables { what: &'static str, row: usize },
}

impl GlrError {
    /// For a reached limit: its name, what was needed (or the first amount found too large) and what is allowed.
    pub fn limit(&self) -> Option<(&'static str, usize, usize)> {
        match self.kind {
            Kind::Limit { what, given, limit } => Some((what, given, limit)),
            _ => None,
        }
    }

    pub(crate) fn over_limit(what: &'static str, given: usize, limit: usize) -> Self {
        Kind::Limit { what, given, limit }.into()
    }

    /// `Ok` as long as `given` does not exceed `limit`.
    pub(crate) fn check_limit(what: &'static str, given: usize, limit: usize) -> Result<(), Self> {
        if given > limit {
            return Err(Self::over_limit(what, given, limit));
        }
        Ok(())
    }

    pub(crate) fn unknown_start(start: NonterminalId, nonterminals: usize) -> Self {
        Kind::UnknownStart { start, nonterminals }.into()
    }

    pub(crate) fn unknown_terminal(rule: usize, terminal: TerminalId, terminals: usize) -> Self {
        Kind::UnknownTerminal { rule, terminal, terminals }.into()
    }

    pub(crate) fn unknown_nonterminal(rule: usize, nonterminal: NonterminalId, nonterminals: usize) -> Self {
        Kind::UnknownNonterminal { rule, nonterminal, nonterminals }.into()
    }

    pub(crate) fn empty_rule(rule: usize) -> Self {
        Kind::EmptyRule { rule }.into()
    }

    pub(crate) fn unit_cycle(nonterminal: NonterminalId) -> Self {
        Kind::UnitCycle { nonterminal }.into()
    }

    pub(crate) fn malformed_tables(what: &'static str, row: usize) -> Self {
        Kind::MalformedTables { what, row }.into()
    }
}

impl From<Kind> for GlrError {
    fn from(kind: Kind) -> Self {
        Self { kind }
    }
}
