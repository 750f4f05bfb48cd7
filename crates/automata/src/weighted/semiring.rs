//! What weights must be able to do.

use std::fmt::Debug;
use std::hash::Hash;

/// A semiring: `plus` for alternatives, `times` for what happens one after the other.
///
/// Laws, for all a, b, c: `plus` is associative and commutative with neutral `zero`; `times` is associative with
/// neutral `one` and absorbing `zero`; `times` distributes over `plus` from both sides.
pub trait Semiring: Clone + Eq + Hash + Debug {
    /// Whether a + a = a.
    const IDEMPOTENT: bool;
    /// Whether a · b = b · a.
    const COMMUTATIVE: bool;
    /// Whether a + a · b = a and a · a = a: weights are a distributive lattice, narrowed along a path.
    const LATTICE: bool;

    /// The weight of what does not happen.
    fn zero() -> Self;
    /// The weight of what happens without condition or cost.
    fn one() -> Self;
    /// Either.
    #[must_use]
    fn plus(&self, other: &Self) -> Self;
    /// One after the other.
    #[must_use]
    fn times(&self, other: &Self) -> Self;
    /// Whether this is [`Semiring::zero`].
    fn is_zero(&self) -> bool {
        *self == Self::zero()
    }
}

/// Semirings in which a common factor can be taken out of a sum.
///
/// Law: if s = a + b and s is not zero, then s · `a.left_quotient(&s)` = a.
pub trait Divisible: Semiring {
    /// Some x with `sum` · x = `self`, where `sum` is a sum that `self` is part of; the same x for equal arguments, and
    /// one for `self` = `sum`.
    #[must_use]
    fn left_quotient(&self, sum: &Self) -> Self;
}
