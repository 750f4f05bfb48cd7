//! The one way a reference may fail: by being too slow for a case. Such cases are counted, never passed over in silence.

use std::fmt;

/// A case that is too large for a reference algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    what: &'static str,
    limit: usize,
}

impl TooLarge {
    /// More `what` than `limit`.
    pub const fn new(what: &'static str, limit: usize) -> Self {
        Self { what, limit }
    }
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {} {}", self.limit, self.what)
    }
}

impl std::error::Error for TooLarge {}
