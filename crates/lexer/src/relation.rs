//! Sets of small integers and relations over them, as bits.

use serde::{Deserialize, Serialize};

/// A set of small integers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BitSet(Vec<u64>);

impl BitSet {
    /// An empty set with room for `0..size`.
    pub fn new(size: usize) -> Self {
        Self(vec![0; size.div_ceil(64)])
    }
    /// All of `0..size`.
    pub fn full(size: usize) -> Self {
        (0..size).collect()
    }
    /// Adds an element.
    pub fn insert(&mut self, item: usize) {
        if self.0.len() <= item / 64 {
            self.0.resize(item / 64 + 1, 0);
        }
        self.0[item / 64] |= 1 << (item % 64);
    }
    /// Whether the element is in the set.
    #[inline]
    pub fn contains(&self, item: usize) -> bool {
        self.0.get(item / 64).is_some_and(|word| word >> (item % 64) & 1 == 1)
    }
    /// Takes an element out.
    pub fn remove(&mut self, item: usize) {
        if let Some(word) = self.0.get_mut(item / 64) {
            *word &= !(1 << (item % 64));
        }
    }
    /// Every element plus `by`.
    #[must_use]
    pub fn moved(&self, by: usize) -> Self {
        let (words, bits) = (by / 64, by % 64);
        let mut moved = vec![0; words + self.0.len() + 1];
        for (i, &word) in self.0.iter().enumerate() {
            moved[words + i] |= word << bits;
            moved[words + i + 1] |= word.checked_shr(64 - bits as u32).unwrap_or(0);
        }
        if moved.last() == Some(&0) {
            moved.pop();
        }
        Self(moved)
    }
    /// Adds every element of `other`.
    pub fn union_with(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }
    /// Whether every element is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().enumerate().all(|(i, word)| word & !other.0.get(i).copied().unwrap_or(0) == 0)
    }
    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }
    /// Elements in rising order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    i * 64 + bit
                })
            })
        })
    }
}

impl FromIterator<usize> for BitSet {
    fn from_iter<I: IntoIterator<Item = usize>>(iter: I) -> Self {
        let mut set = Self::default();
        for item in iter {
            set.insert(item);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behaves_as_a_set() {
        let a: BitSet = [1, 64, 130].into_iter().collect();
        let mut b: BitSet = [1].into_iter().collect();
        assert!(b.is_subset(&a) && !a.is_subset(&b));
        b.union_with(&a);
        assert_eq!(b, a);
        assert_eq!(a.iter().collect::<Vec<_>>(), [1, 64, 130]);
        assert!(!a.contains(1000) && BitSet::new(9).is_empty());
        for by in [0, 1, 63, 64, 65, 200] {
            let moved = [1, 64, 130].map(|item| item + by);
            assert_eq!(a.moved(by).iter().collect::<Vec<_>>(), moved);
        }
    }
}
