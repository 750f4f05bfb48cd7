//! Truth values: or, and. A weighted automaton over them is an ordinary automaton.

use super::{Divisible, Semiring};

/// Accepted or not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Boolean(pub bool);

impl Semiring for Boolean {
    const IDEMPOTENT: bool = true;
    const COMMUTATIVE: bool = true;
    const LATTICE: bool = true;

    fn zero() -> Self {
        Self(false)
    }
    fn one() -> Self {
        Self(true)
    }
    fn plus(&self, other: &Self) -> Self {
        Self(self.0 || other.0)
    }
    fn times(&self, other: &Self) -> Self {
        Self(self.0 && other.0)
    }
}

impl Divisible for Boolean {
    fn left_quotient(&self, sum: &Self) -> Self {
        Self(self.0 || !sum.0)
    }
}
