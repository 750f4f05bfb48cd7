//! Costs: minimum, plus. The value of a word is the cost of its cheapest path.

use super::{Divisible, Semiring};

/// A cost, or `None` for what is impossible. Sums saturate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Tropical(pub Option<u32>);

impl Semiring for Tropical {
    const IDEMPOTENT: bool = true;
    const COMMUTATIVE: bool = true;
    const LATTICE: bool = false;

    fn zero() -> Self {
        Self(None)
    }
    fn one() -> Self {
        Self(Some(0))
    }
    fn plus(&self, other: &Self) -> Self {
        Self([self.0, other.0].into_iter().flatten().min())
    }
    fn times(&self, other: &Self) -> Self {
        Self(self.0.zip(other.0).map(|(a, b)| a.saturating_add(b)))
    }
}

impl Divisible for Tropical {
    fn left_quotient(&self, sum: &Self) -> Self {
        Self(self.0.map(|cost| cost.saturating_sub(sum.0.unwrap_or(0))))
    }
}
