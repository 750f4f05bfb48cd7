//! The one error of this crate: a limit given by the caller was reached.

use std::fmt;

/// Why an operation did not finish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    TooManyStacks { limit: usize },
}

impl Error {
    /// There are more stacks than the caller wants to see.
    pub(crate) fn too_many_stacks(limit: usize) -> Self {
        Error { kind: Kind::TooManyStacks { limit } }
    }

    /// The limit that was reached.
    #[must_use]
    pub fn limit(&self) -> usize {
        match self.kind {
            Kind::TooManyStacks { limit } => limit,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::TooManyStacks { limit } => write!(f, "more than {limit} stacks (the limit given)"),
        }
    }
}

impl std::error::Error for Error {}
