//! What can go wrong: a limit is reached, a pattern is wrong or unsupported, stored data is corrupt.

use std::ops::Range;

/// An error of this crate. It tells the cause and, for limits, the numbers; the kinds are private so that they can grow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct AutomataError(Box<Kind>);

impl From<Kind> for AutomataError {
    fn from(kind: Kind) -> Self {
        Self(Box::new(kind))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Kind {
    #[error("the automaton needs more than {limit} deterministic states")]
    States { limit: usize },
    #[error("the expression needs more than {limit} nondeterministic states")]
    NfaStates { limit: usize },
    #[error("the subset construction needs more than {limit} set members")]
    SubsetMembers { limit: usize },
    #[error("the expression is nested {given} levels deep, the limit is {limit}")]
    Depth { given: usize, limit: usize },
    #[error("the pattern has {given} bytes, the limit is {limit}")]
    PatternLength { given: usize, limit: usize },
    #[error("{message} (bytes {}..{} of the pattern)", span.start, span.end)]
    Syntax { message: String, span: Range<usize> },
    #[error("{construct} is not supported (bytes {}..{} of the pattern)", span.start, span.end)]
    Unsupported { construct: String, span: Range<usize> },
    #[error("invalid automaton: {what}")]
    Invalid { what: &'static str },
}

impl AutomataError {
    pub(crate) fn states(limit: usize) -> Self {
        Kind::States { limit }.into()
    }
    pub(crate) fn nfa_states(limit: usize) -> Self {
        Kind::NfaStates { limit }.into()
    }
    pub(crate) fn subset_members(limit: usize) -> Self {
        Kind::SubsetMembers { limit }.into()
    }
    pub(crate) fn depth(given: usize, limit: usize) -> Self {
        Kind::Depth { given, limit }.into()
    }
    pub(crate) fn pattern_length(given: usize, limit: usize) -> Self {
        Kind::PatternLength { given, limit }.into()
    }
    pub(crate) fn syntax(message: impl Into<String>, span: Range<usize>) -> Self {
        Kind::Syntax { message: message.into(), span }.into()
    }
    pub(crate) fn unsupported(construct: impl Into<String>, span: Range<usize>) -> Self {
        Kind::Unsupported { construct: construct.into(), span }.into()
    }
    pub(crate) fn invalid(what: &'static str) -> Self {
        Kind::Invalid { what }.into()
    }
    /// Whether a limit was reached (the input is fine but too large for the given [`Limits`](crate::Limits)).
    pub fn is_limit(&self) -> bool {
        self.numbers().is_some()
    }
    /// For limits: what was needed (or the first amount found too large) and what is allowed.
    pub fn numbers(&self) -> Option<(usize, usize)> {
        match *self.0 {
            Kind::States { limit } | Kind::NfaStates { limit } | Kind::SubsetMembers { limit } => {
                Some((limit.saturating_add(1), limit))
            }
            Kind::Depth { given, limit } | Kind::PatternLength { given, limit } => Some((given, limit)),
            Kind::Syntax { .. } | Kind::Unsupported { .. } | Kind::Invalid { .. } => None,
        }
    }
    /// Whether the pattern is well-formed but uses a construct that does not denote a regular language here.
    pub fn is_unsupported(&self) -> bool {
        matches!(*self.0, Kind::Unsupported { .. })
    }
    /// The bytes of the pattern that the error is about.
    pub fn span(&self) -> Option<Range<usize>> {
        match &*self.0 {
            Kind::Syntax { span, .. } | Kind::Unsupported { span, .. } => Some(span.clone()),
            _ => None,
        }
    }
}
