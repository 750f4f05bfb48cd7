//! Sets of numbers as sorted ranges: union, intersection. One is the set of all numbers.

use range_set_blaze::RangeSetBlaze;

use super::{Divisible, Semiring};

/// A set of `u32` numbers (tokens, classes), held as disjoint ranges; the Boolean algebra of sets.
///
/// Stored as a list of (first, last).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(from = "Vec<(u32, u32)>", into = "Vec<(u32, u32)>")]
pub struct TokenSet(RangeSetBlaze<u32>);

impl TokenSet {
    /// The numbers from `first` to `last`, both included; empty if reversed.
    pub fn range(first: u32, last: u32) -> Self {
        Self(Some(first..=last).filter(|range| !range.is_empty()).into_iter().collect())
    }
    /// Whether the number is in the set. O(log ranges).
    pub fn contains(&self, token: u32) -> bool {
        self.0.contains(token)
    }
    /// Number of members.
    pub fn len(&self) -> u64 {
        self.0.len()
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// The disjoint ranges in order, ends included.
    pub fn ranges(&self) -> impl Iterator<Item = std::ops::RangeInclusive<u32>> + '_ {
        self.0.ranges()
    }
    /// The numbers that are not in the set.
    #[must_use]
    pub fn complement(&self) -> Self {
        Self(!&self.0)
    }
}

impl FromIterator<u32> for TokenSet {
    fn from_iter<I: IntoIterator<Item = u32>>(tokens: I) -> Self {
        Self(tokens.into_iter().collect())
    }
}

impl From<Vec<(u32, u32)>> for TokenSet {
    fn from(ranges: Vec<(u32, u32)>) -> Self {
        let ordered = ranges.into_iter().filter(|(first, last)| first <= last);
        Self(ordered.map(|(first, last)| first..=last).collect())
    }
}

impl From<TokenSet> for Vec<(u32, u32)> {
    fn from(set: TokenSet) -> Self {
        set.ranges().map(|range| (*range.start(), *range.end())).collect()
    }
}

impl From<RangeSetBlaze<u32>> for TokenSet {
    fn from(set: RangeSetBlaze<u32>) -> Self {
        Self(set)
    }
}

impl AsRef<RangeSetBlaze<u32>> for TokenSet {
    fn as_ref(&self) -> &RangeSetBlaze<u32> {
        &self.0
    }
}

impl Semiring for TokenSet {
    const IDEMPOTENT: bool = true;
    const COMMUTATIVE: bool = true;
    const LATTICE: bool = true;

    fn zero() -> Self {
        Self::default()
    }
    fn one() -> Self {
        Self::range(0, u32::MAX)
    }
    fn plus(&self, other: &Self) -> Self {
        Self(&self.0 | &other.0)
    }
    fn times(&self, other: &Self) -> Self {
        Self(&self.0 & &other.0)
    }
}

/// The largest solution: what is outside the sum never gets there, so it may as well be in.
impl Divisible for TokenSet {
    fn left_quotient(&self, sum: &Self) -> Self {
        Self(&self.0 | &!&sum.0)
    }
}
