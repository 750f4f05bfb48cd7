//! Sets of token ids of one vocabulary: what an exact-token event chooses from.
//!
//! A set is kept as rising ranges that neither overlap nor touch, so "all special tokens" costs one range, and it
//! remembers the fingerprint of its vocabulary: an id means nothing under another one, not even alone. Checks of huge
//! ranges take the logarithm of the vocabulary's size, not the length of the range.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{TokenId, Vocab, VocabError};

/// Token ids of one vocabulary, as ranges. Cheap to clone.
///
/// ```
/// use glrmask_vocab::{TokenId, Vocab};
/// let vocab = Vocab::new((0..10).map(|id| (TokenId(id), "x")))?;
/// let tokens = vocab.tokens([7, 2, 3].map(TokenId))?;
/// assert_eq!(tokens.ranges(), [(TokenId(2), TokenId(3)), (TokenId(7), TokenId(7))]);
/// assert_eq!(tokens.ids().map(|id| id.0).collect::<Vec<_>>(), [2, 3, 7]);
/// assert!(tokens.is_of(&vocab) && tokens.contains(TokenId(2)) && !tokens.contains(TokenId(4)));
/// # Ok::<(), glrmask_vocab::VocabError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct ExactTokens {
    /// Fingerprint of the vocabulary.
    vocab: u128,
    /// First and last id of each range. Invariant: rising, with a gap between any two.
    ranges: Arc<[(TokenId, TokenId)]>,
}

/// The stored form.
#[derive(Serialize, Deserialize)]
struct Stored {
    vocab: u128,
    ranges: Vec<(TokenId, TokenId)>,
}

impl ExactTokens {
    /// Joins ranges of known ids, given as first and last id in any order.
    pub(crate) fn joined(vocab: u128, mut ranges: Vec<(TokenId, TokenId)>) -> Self {
        ranges.sort_unstable();
        let mut joined: Vec<(TokenId, TokenId)> = Vec::new();
        for (first, last) in ranges {
            match joined.last_mut() {
                Some(before) if first.0 <= before.1 .0.saturating_add(1) => before.1 = before.1.max(last),
                _ => joined.push((first, last)),
            }
        }
        Self { vocab, ranges: joined.into() }
    }

    /// First and last id of each range, rising; ranges neither overlap nor touch.
    pub fn ranges(&self) -> &[(TokenId, TokenId)] {
        &self.ranges
    }
    /// The ids, rising.
    pub fn ids(&self) -> impl Iterator<Item = TokenId> + '_ {
        self.ranges.iter().flat_map(|&(first, last)| (first.0..=last.0).map(TokenId))
    }
    /// Number of ids.
    pub fn len(&self) -> u64 {
        self.ranges.iter().map(|&(first, last)| u64::from(last.0 - first.0) + 1).sum()
    }
    /// Whether there is no id; such a set matches nothing.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
    /// Whether the id is in the set. Logarithmic.
    pub fn contains(&self, id: TokenId) -> bool {
        let after = self.ranges.partition_point(|range| range.0 <= id);
        after.checked_sub(1).and_then(|i| self.ranges.get(i)).is_some_and(|range| id <= range.1)
    }
    /// The fingerprint of the vocabulary the ids belong to.
    pub fn vocab_fingerprint(&self) -> u128 {
        self.vocab
    }
    /// Whether they are ids of this vocabulary, or of one with the same ids and bytes.
    pub fn is_of(&self, vocab: &Vocab) -> bool {
        self.vocab == vocab.fingerprint()
    }
    /// The same set, taken for one of the vocabulary with this fingerprint; `None` unless the ranges are normalised.
    pub fn from_parts(vocab: u128, ranges: Vec<(TokenId, TokenId)>) -> Option<Self> {
        Self::try_from(Stored { vocab, ranges }).ok()
    }
}

impl TryFrom<Stored> for ExactTokens {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<Self, Self::Error> {
        let Stored { vocab, ranges } = stored;
        let apart = |w: &[(TokenId, TokenId); 2]| w[0].1 .0.checked_add(1).is_some_and(|next| next < w[1].0 .0);
        match ranges.iter().all(|(first, last)| first <= last) && ranges.array_windows().all(apart) {
            true => Ok(Self { vocab, ranges: ranges.into() }),
            false => Err("ranges of token ids are not normalised"),
        }
    }
}

impl From<ExactTokens> for Stored {
    fn from(tokens: ExactTokens) -> Self {
        Self { vocab: tokens.vocab, ranges: tokens.ranges.to_vec() }
    }
}

impl fmt::Debug for ExactTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.ranges.iter().map(|(first, last)| first.0..=last.0)).finish()
    }
}

impl Vocab {
    /// The set of these ids. O(ids · log ids).
    ///
    /// ```
    /// use glrmask_vocab::{TokenId, Vocab};
    /// let vocab = Vocab::new([(TokenId(0), "a"), (TokenId(5), "b")])?;
    /// assert!(vocab.tokens([TokenId(5), TokenId(0)]).is_ok());
    /// assert_eq!(vocab.tokens([TokenId(1)]).unwrap_err().to_string(), "token id 1 is not in the vocabulary");
    /// assert_eq!(vocab.tokens([TokenId(0); 2]).unwrap_err().to_string(), "token id 0 is listed twice");
    /// # Ok::<(), glrmask_vocab::VocabError>(())
    /// ```
    ///
    /// # Errors
    /// An unknown id, the same id twice.
    pub fn tokens(&self, ids: impl IntoIterator<Item = TokenId>) -> Result<ExactTokens, VocabError> {
        let mut ids: Vec<TokenId> = ids.into_iter().collect();
        if let Some(&unknown) = ids.iter().find(|&&id| !self.contains(id)) {
            return Err(VocabError::unknown_id(unknown));
        }
        ids.sort_unstable();
        if let Some([twice, _]) = ids.array_windows().find(|[a, b]| a == b) {
            return Err(VocabError::listed_twice(*twice));
        }
        Ok(ExactTokens::joined(self.fingerprint(), ids.into_iter().map(|id| (id, id)).collect()))
    }

    /// The union of ranges, each given by its first and last id; they may overlap. O(ranges · log ids).
    ///
    /// ```
    /// use glrmask_vocab::{TokenId, Vocab};
    /// let vocab = Vocab::new((0..10).map(|id| (TokenId(id), "x")))?;
    /// let tokens = vocab.token_ranges([(4, 6), (0, 3)].map(|(a, b)| (TokenId(a), TokenId(b))))?;
    /// assert_eq!(tokens.ranges(), [(TokenId(0), TokenId(6))]);
    /// assert!(vocab.token_ranges([(TokenId(8), TokenId(u32::MAX))]).is_err());
    /// # Ok::<(), glrmask_vocab::VocabError>(())
    /// ```
    ///
    /// # Errors
    /// An unknown id, a range whose last id is below its first.
    pub fn token_ranges(
        &self,
        ranges: impl IntoIterator<Item = (TokenId, TokenId)>,
    ) -> Result<ExactTokens, VocabError> {
        let ranges: Vec<(TokenId, TokenId)> = ranges.into_iter().collect();
        ranges.iter().try_for_each(|&(first, last)| match first <= last {
            true => self.first_unknown(first, last).map_or(Ok(()), |id| Err(VocabError::unknown_id(id))),
            false => Err(VocabError::empty_range(first)),
        })?;
        Ok(ExactTokens::joined(self.fingerprint(), ranges))
    }

    /// The least id from `first` to `last` that is not in the vocabulary.
    fn first_unknown(&self, first: TokenId, last: TokenId) -> Option<TokenId> {
        let ids = self.id_list();
        let from = ids.get(ids.partition_point(|&id| id < first)..).unwrap_or(&[]);
        // Ids rise without repeats: once there is a gap, no later id stands where it would without one.
        let run = partition_point(from, |i, id| u64::from(id.0) == u64::from(first.0) + i as u64);
        let missing = u64::from(first.0) + run as u64;
        (missing <= u64::from(last.0)).then_some(TokenId(missing as u32))
    }
}

/// The number of leading items for which `holds`, which must not hold again once it has ceased to.
fn partition_point(ids: &[TokenId], holds: impl Fn(usize, TokenId) -> bool) -> usize {
    let (mut low, mut high) = (0, ids.len());
    while low < high {
        let middle = low + (high - low) / 2;
        match ids.get(middle).is_some_and(|&id| holds(middle, id)) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn vocab(ids: &BTreeSet<u32>) -> Vocab {
        Vocab::new(ids.iter().map(|&id| (TokenId(id), "x"))).expect("a vocabulary")
    }

    proptest! {
        #[test]
        fn sets_agree_with_tree_sets(known: BTreeSet<u8>, asked: BTreeSet<u8>, probe: u8) {
            let known: BTreeSet<u32> = known.into_iter().map(u32::from).collect();
            let asked: BTreeSet<u32> = asked.into_iter().map(u32::from).collect();
            let made = vocab(&known).tokens(asked.iter().rev().map(|&id| TokenId(id)));
            prop_assert_eq!(made.is_ok(), asked.is_subset(&known));
            if let Ok(tokens) = made {
                prop_assert_eq!(tokens.ids().map(|id| id.0).collect::<BTreeSet<_>>(), asked.clone());
                prop_assert_eq!(tokens.len(), asked.len() as u64);
                prop_assert_eq!(tokens.contains(TokenId(u32::from(probe))), asked.contains(&u32::from(probe)));
                let again = ExactTokens::from_parts(tokens.vocab_fingerprint(), tokens.ranges().to_vec());
                prop_assert_eq!(again, Some(tokens));
            }
        }

        #[test]
        fn ranges_are_their_union(known: BTreeSet<u8>, ranges in prop::collection::vec((0u32..260, 0u32..9), 0..5)) {
            let known: BTreeSet<u32> = known.into_iter().map(u32::from).collect();
            let union: BTreeSet<u32> = ranges.iter().flat_map(|&(first, more)| first..=first + more).collect();
            let made = vocab(&known).token_ranges(ranges.iter().map(|&(a, n)| (TokenId(a), TokenId(a + n))));
            prop_assert_eq!(made.is_ok(), union.is_subset(&known));
            if let Ok(tokens) = made {
                prop_assert_eq!(tokens.ids().map(|id| id.0).collect::<BTreeSet<_>>(), union);
                let gaps = tokens.ranges().windows(2).all(|w| w[0].1.0 + 1 < w[1].0.0);
                prop_assert!(gaps);
            }
        }
    }

    #[test]
    fn other_vocabularies_and_unordered_ranges_are_refused() {
        let (one, other) = (vocab(&[0, 1].into()), vocab(&[0, 2].into()));
        let tokens = one.tokens([TokenId(0)]).expect("known");
        assert!(tokens.is_of(&one) && !tokens.is_of(&other));
        let id = TokenId;
        for ranges in [vec![(id(1), id(0))], vec![(id(0), id(0)), (id(1), id(1))], vec![(id(5), id(6)), (id(0), id(1))]]
        {
            assert_eq!(ExactTokens::from_parts(0, ranges), None);
        }
        assert!(one.token_ranges([(id(1), id(0))]).is_err());
    }
}
