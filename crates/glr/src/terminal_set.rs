//! A set of terminals as a bit vector.
//!
//! It grows on demand, and it has one form per content: the last word is never zero. Equality, hash and order are
//! therefore those of the words, whatever was inserted or removed before.

use std::fmt;

use glrmask_automata::{Id, TerminalId};
use serde::{Deserialize, Serialize};

/// A set of terminals. Membership and insertion take constant time, everything else is linear in the largest id / 64.
///
/// ```
/// use glrmask_automata::TerminalId;
/// use glrmask_glr::TerminalSet;
/// let mut set: TerminalSet = [TerminalId(3), TerminalId(70)].into_iter().collect();
/// assert!(set.contains(TerminalId(70)) && !set.contains(TerminalId(4)));
/// set.remove(TerminalId(70));
/// assert_eq!(set.iter().collect::<Vec<_>>(), [TerminalId(3)]);
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(from = "Vec<u64>", into = "Vec<u64>")]
pub struct TerminalSet {
    /// Bit `i % 64` of word `i / 64` says whether terminal `i` is a member. Invariant: the last word is not zero.
    words: Vec<u64>,
}

impl TerminalSet {
    /// The empty set.
    pub const fn new() -> Self {
        Self { words: Vec::new() }
    }

    /// The set with these words; bit `i % 64` of word `i / 64` is terminal `i`.
    pub fn from_words(words: &[u64]) -> Self {
        words.to_vec().into()
    }

    /// All terminals below `count`.
    pub fn full(count: usize) -> Self {
        let mut words = vec![u64::MAX; count / 64];
        if !count.is_multiple_of(64) {
            words.push((1 << (count % 64)) - 1);
        }
        words.into()
    }

    /// Whether `t` is a member.
    pub fn contains(&self, t: TerminalId) -> bool {
        contains(&self.words, t)
    }

    /// Adds `t`; says whether it was missing.
    pub fn insert(&mut self, t: TerminalId) -> bool {
        let (word, bit) = (t.index() / 64, 1 << (t.index() % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let missing = self.words[word] & bit == 0;
        self.words[word] |= bit;
        missing
    }

    /// Takes `t` out; says whether it was a member.
    pub fn remove(&mut self, t: TerminalId) -> bool {
        let present = self.contains(t);
        if present {
            self.words[t.index() / 64] &= !(1 << (t.index() % 64));
            self.trim();
        }
        present
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether there is no member. Constant time.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Adds every member of `other`; says whether the set grew.
    pub fn union_with(&mut self, other: &Self) -> bool {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        union_into(&mut self.words, &other.words)
    }

    /// Members of either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut result = self.clone();
        result.union_with(other);
        result
    }

    /// Keeps the members of `other` only.
    pub fn intersect_with(&mut self, other: &Self) {
        self.words.truncate(other.words.len());
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a &= b);
        self.trim();
    }

    /// Members of both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut result = self.clone();
        result.intersect_with(other);
        result
    }

    /// Takes out every member of `other`.
    pub fn subtract(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a &= !b);
        self.trim();
    }

    /// Whether the sets have a member in common.
    pub fn intersects(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// Whether every member is a member of `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.words.len() <= other.words.len() && self.words.iter().zip(&other.words).all(|(a, b)| a & !b == 0)
    }

    /// Members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = TerminalId> + '_ {
        iter(&self.words)
    }

    /// The bits: terminal `i` is bit `i % 64` of word `i / 64`. No trailing zero word.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    fn trim(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }
}

/// Whether bit `t` is set; words beyond the end count as zero.
#[inline]
pub(crate) fn contains(words: &[u64], t: TerminalId) -> bool {
    words.get(t.index() / 64).is_some_and(|w| w >> (t.index() % 64) & 1 != 0)
}

/// `into |= from`, word by word; says whether `into` changed.
#[inline]
pub(crate) fn union_into(into: &mut [u64], from: &[u64]) -> bool {
    let mut grown = 0;
    for (a, &b) in into.iter_mut().zip(from) {
        grown |= b & !*a;
        *a |= b;
    }
    grown != 0
}

/// `into |= from`, every member of `from` plus `by`; there is room for them.
pub(crate) fn union_shifted(into: &mut [u64], from: &[u64], by: usize) {
    let (words, bits) = (by / 64, by % 64);
    for (i, &word) in from.iter().enumerate().filter(|(_, &word)| word != 0) {
        for (at, part) in [(words + i, word << bits), (words + i + 1, word.checked_shr(64 - bits as u32).unwrap_or(0))]
        {
            if let Some(place) = into.get_mut(at) {
                *place |= part;
            }
        }
    }
}

/// The set bits in ascending order.
pub(crate) fn iter(words: &[u64]) -> impl Iterator<Item = TerminalId> + '_ {
    words.iter().enumerate().flat_map(|(i, &word)| {
        let bits = |word: u64| (word != 0).then_some(word);
        let rest = std::iter::successors(bits(word), move |w| bits(w & (w - 1)));
        rest.map(move |w| TerminalId::from_usize(i * 64 + w.trailing_zeros() as usize))
    })
}

impl From<Vec<u64>> for TerminalSet {
    fn from(words: Vec<u64>) -> Self {
        let mut set = Self { words };
        set.trim();
        set
    }
}

impl From<TerminalSet> for Vec<u64> {
    fn from(set: TerminalSet) -> Self {
        set.words
    }
}

impl FromIterator<TerminalId> for TerminalSet {
    fn from_iter<I: IntoIterator<Item = TerminalId>>(terminals: I) -> Self {
        let mut set = Self::new();
        set.extend(terminals);
        set
    }
}

impl Extend<TerminalId> for TerminalSet {
    fn extend<I: IntoIterator<Item = TerminalId>>(&mut self, terminals: I) {
        terminals.into_iter().for_each(|t| {
            self.insert(t);
        });
    }
}

impl fmt::Debug for TerminalSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    type Model = BTreeSet<TerminalId>;

    fn of(ids: &BTreeSet<u32>) -> (TerminalSet, Model) {
        let model: Model = ids.iter().map(|&i| TerminalId(i)).collect();
        (model.iter().copied().collect(), model)
    }

    fn model(set: &TerminalSet) -> Model {
        set.iter().collect()
    }

    #[test]
    fn full_has_exactly_the_first_ids() {
        for count in [0, 1, 63, 64, 65, 128] {
            assert_eq!(model(&TerminalSet::full(count)), (0..count).map(TerminalId::from_usize).collect());
        }
    }

    #[test]
    fn trailing_zero_words_are_forgotten() {
        assert_eq!(TerminalSet::from_words(&[5, 0, 0]), TerminalSet::from_words(&[5]));
    }

    proptest! {
        #[test]
        fn shifted_members_move_by_as_much(xs: BTreeSet<u8>, by in 0usize..300) {
            let (set, _) = of(&xs.iter().map(|&i| u32::from(i)).collect());
            let mut words = vec![0; 10];
            union_shifted(&mut words, set.words(), by);
            let moved: Vec<usize> = xs.iter().map(|&i| usize::from(i) + by).collect();
            prop_assert_eq!(iter(&words).map(|t| t.index()).collect::<Vec<_>>(), moved);
        }

        #[test]
        fn operations_agree_with_a_tree_set(xs: BTreeSet<u8>, ys: BTreeSet<u8>, z: u8) {
            let (a, ma) = of(&xs.iter().map(|&i| u32::from(i)).collect());
            let (b, mb) = of(&ys.iter().map(|&i| u32::from(i)).collect());
            let z = TerminalId(u32::from(z));
            prop_assert_eq!(model(&a), ma.clone());
            prop_assert_eq!(a.len(), ma.len());
            prop_assert_eq!(a.is_empty(), ma.is_empty());
            prop_assert_eq!(a.contains(z), ma.contains(&z));
            prop_assert_eq!(model(&a.union(&b)), ma.union(&mb).copied().collect::<Model>());
            let both: Model = ma.intersection(&mb).copied().collect();
            prop_assert_eq!(a.intersects(&b), !both.is_empty());
            prop_assert_eq!(a.is_subset(&b), ma.is_subset(&mb));
            // One form per content: compare with the set built directly.
            prop_assert_eq!(a.intersection(&b), both.iter().copied().collect::<TerminalSet>());
            let mut difference = a.clone();
            difference.subtract(&b);
            prop_assert_eq!(difference, ma.difference(&mb).copied().collect::<TerminalSet>());
            let mut less = a.clone();
            prop_assert_eq!(less.remove(z), ma.contains(&z));
            prop_assert_eq!(less, ma.iter().copied().filter(|&t| t != z).collect::<TerminalSet>());
            let mut more = a.clone();
            prop_assert_eq!(more.insert(z), !ma.contains(&z));
            prop_assert_eq!(more.union_with(&a), false);
        }
    }
}
