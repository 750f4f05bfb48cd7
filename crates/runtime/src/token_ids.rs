//! Sets of token ids, as ranges: what a token-event terminal matches.
//!
//! Mostly one id, sometimes "any of these hundred thousand", which is one range or a few. Nothing is ever expanded but
//! for masks, and where ranges are so many that mask words are quicker, the words are kept.

use glrmask_vocab::TokenId;
use serde::{Deserialize, Serialize};

/// A set of token ids.
///
/// ```
/// use glrmask_runtime::TokenIds;
/// use glrmask_vocab::TokenId;
/// let ids: TokenIds = [7, 5, 6, 9].map(TokenId).into_iter().collect();
/// assert_eq!(ids.ranges().collect::<Vec<_>>(), [(TokenId(5), TokenId(7)), (TokenId(9), TokenId(9))]);
/// assert!(ids.contains(TokenId(6)) && !ids.contains(TokenId(8)));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TokenIds(Vec<(u32, u32)>);

impl TokenIds {
    /// Whether there is no id.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// Whether the id is in the set. Logarithmic in the number of ranges.
    pub fn contains(&self, id: TokenId) -> bool {
        let after = self.0.partition_point(|range| range.0 <= id.0);
        after.checked_sub(1).and_then(|at| self.0.get(at)).is_some_and(|range| id.0 <= range.1)
    }
    /// First and last id of each run of neighbouring ids, rising.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = (TokenId, TokenId)> + '_ {
        self.0.iter().map(|&(first, last)| (TokenId(first), TokenId(last)))
    }
    /// The ids of these ranges, each given by its first and last id.
    pub fn from_ranges(ranges: impl IntoIterator<Item = (TokenId, TokenId)>) -> Self {
        let ranges = ranges.into_iter().map(|(first, last)| (first.0, last.0));
        Self(ranges.filter(|range| range.0 <= range.1).collect()).union(&Self::default())
    }
    /// All ids, rising.
    pub fn iter(&self) -> impl Iterator<Item = TokenId> + '_ {
        self.0.iter().flat_map(|&(first, last)| (first..=last).map(TokenId))
    }
    /// The ids of either set.
    pub fn union(&self, other: &Self) -> Self {
        let mut all: Vec<(u32, u32)> = self.0.iter().chain(&other.0).copied().collect();
        all.sort_unstable();
        let mut united: Vec<(u32, u32)> = Vec::with_capacity(all.len());
        for (first, last) in all {
            match united.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
                _ => united.push((first, last)),
            }
        }
        Self(united)
    }
    /// Whether the ranges are rising and apart, as they are unless they were read from somewhere.
    pub(crate) fn is_well_formed(&self) -> bool {
        let apart = |pair: &[(u32, u32)]| matches!(pair, [a, b] if a.1.checked_add(1).is_some_and(|next| next < b.0));
        self.0.iter().all(|range| range.0 <= range.1) && self.0.windows(2).all(apart)
    }
    /// Sets the bits of a mask that is long enough for every id.
    pub(crate) fn add_to(&self, words: &mut [u32]) {
        self.0.iter().for_each(|&range| set_range(words, range));
    }
}

impl FromIterator<TokenId> for TokenIds {
    fn from_iter<I: IntoIterator<Item = TokenId>>(ids: I) -> Self {
        Self(ids.into_iter().map(|id| (id.0, id.0)).collect()).union(&Self::default())
    }
}

fn set_range(words: &mut [u32], (first, last): (u32, u32)) {
    let (start, end) = (first as usize / 32, last as usize / 32);
    let (low, high) = (u32::MAX << (first % 32), u32::MAX >> (31 - last % 32));
    if start == end {
        words[start] |= low & high;
    } else {
        words[start] |= low;
        words[start + 1..end].fill(u32::MAX);
        words[end] |= high;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use glrmask_vocab::mask;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sets_of_ids_are_sets(a in prop::collection::btree_set(0u32..200, 0..60), b in prop::collection::vec(0u32..200, 0..9)) {
            let (x, y) = (set(&a), b.iter().copied().map(TokenId).collect::<TokenIds>());
            let both: BTreeSet<u32> = a.iter().chain(&b).copied().collect();
            prop_assert_eq!(x.union(&y), set(&both));
            prop_assert!(x.is_well_formed() && y.is_well_formed());
            prop_assert_eq!(x.iter().map(|id| id.0).collect::<BTreeSet<_>>(), a.clone());
            prop_assert!((0..210).all(|id| x.contains(TokenId(id)) == a.contains(&id)));
            let mut words = vec![0; 7];
            x.add_to(&mut words);
            prop_assert_eq!(mask::iter(&words).collect::<Vec<_>>(), x.iter().collect::<Vec<_>>());
            prop_assert_eq!(x.is_empty(), a.is_empty());
        }
    }

    fn set(ids: &BTreeSet<u32>) -> TokenIds {
        ids.iter().copied().map(TokenId).collect()
    }

    #[test]
    fn ranges_out_of_order_or_touching_are_found() {
        for bad in [vec![(3, 2)], vec![(1, 2), (3, 4)], vec![(5, 6), (1, 2)], vec![(0, u32::MAX), (7, 7)]] {
            assert!(!TokenIds(bad).is_well_formed());
        }
    }
}
