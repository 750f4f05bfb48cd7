//! Weights: what a stack carries, and how the weights of equal stacks become one.
//!
//! [`Weight`] is the ordinary way in: a type that can be joined and compared. [`Join`] separates the operation from the
//! type and lets it fail: bindings to other languages, where joining runs foreign code, implement it and use the
//! `try_` methods of [`WeightedGss`](crate::WeightedGss).

use std::collections::{BTreeSet, HashSet};
use std::convert::Infallible;
use std::hash::{BuildHasher, Hash};

/// A value attached to a stack. Equal stacks merge, and their weights are joined.
///
/// The join must be associative, commutative and idempotent (a semilattice), and must respect equality; otherwise the
/// weight of a stack depends on the order of operations. Nothing else depends on these laws: no operation panics.
///
/// ```
/// use weighted_gss::Weight;
///
/// #[derive(Clone, PartialEq, Eq, Debug)]
/// struct Flags(u32);
///
/// impl Weight for Flags {
///     fn join(&self, other: &Self) -> Self {
///         Flags(self.0 | other.0)
///     }
/// }
///
/// assert_eq!(Flags(1).join(&Flags(6)), Flags(7));
/// ```
pub trait Weight: Clone + Eq {
    /// The weight of a stack that had both weights.
    #[must_use]
    fn join(&self, other: &Self) -> Self;
}

/// No information: makes a weighted GSS an unweighted one.
impl Weight for () {
    fn join(&self, (): &Self) -> Self {}
}

/// Disjunction.
impl Weight for bool {
    fn join(&self, other: &Self) -> Self {
        *self || *other
    }
}

/// Union.
impl<T: Ord + Clone> Weight for BTreeSet<T> {
    fn join(&self, other: &Self) -> Self {
        self.union(other).cloned().collect()
    }
}

/// Union.
impl<T: Eq + Hash + Clone, H: BuildHasher + Clone + Default> Weight for HashSet<T, H> {
    fn join(&self, other: &Self) -> Self {
        self.union(other).cloned().collect()
    }
}

/// Joining and comparing weights of type `W` by something outside the type, which may fail.
///
/// The laws are those of [`Weight`]. When an operation of a [`WeightedGss`](crate::WeightedGss) meets an error, it
/// returns that error and leaves its operands as they were.
pub trait Join<W> {
    /// Why joining or comparing may fail.
    type Error;

    /// The weight of a stack that had both weights.
    ///
    /// # Errors
    /// Whatever stands in the way; the operation is given up.
    fn join(&self, left: &W, right: &W) -> Result<W, Self::Error>;

    /// Whether two weights are interchangeable.
    ///
    /// # Errors
    /// Whatever stands in the way; the operation is given up.
    fn equal(&self, left: &W, right: &W) -> Result<bool, Self::Error>;
}

/// The [`Join`] of a [`Weight`] type: never fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByWeight;

impl<W: Weight> Join<W> for ByWeight {
    type Error = Infallible;

    fn join(&self, left: &W, right: &W) -> Result<W, Infallible> {
        Ok(left.join(right))
    }

    fn equal(&self, left: &W, right: &W) -> Result<bool, Infallible> {
        Ok(left == right)
    }
}
