//! The one error of this crate: a limit given by the caller was reached, or a graph is broken.

use std::fmt;

/// Why an operation did not finish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    TooManyStacks { limit: usize },
    BrokenInvariant { rule: &'static str },
}

impl Error {
    /// There are more stacks than the caller wants to see.
    pub(crate) fn too_many_stacks(limit: usize) -> Self {
        Error { kind: Kind::TooManyStacks { limit } }
    }

    /// A graph does not keep a rule of its representation: a fault in this crate, or weights that break their laws.
    pub(crate) fn broken_invariant(rule: &'static str) -> Self {
        Error { kind: Kind::BrokenInvariant { rule } }
    }

    /// The number of stacks allowed, when there were more.
    #[must_use]
    pub fn limit(&self) -> Option<usize> {
        match self.kind {
            Kind::TooManyStacks { limit } => Some(limit),
            Kind::BrokenInvariant { .. } => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::TooManyStacks { limit } => write!(f, "more than {limit} stacks (the limit given)"),
            Kind::BrokenInvariant { rule } => write!(f, "the graph breaks the rule that {rule}"),
        }
    }
}

impl std::error::Error for Error {}
