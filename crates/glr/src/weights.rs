//! Weights of the Parser DWA: sets of the things that may come after one first terminal, interned.

use glrmask_automata::{typed_id, IndexVec};
use rustc_hash::FxHashMap;

typed_id!(
    /// An interned set of small integers.
    pub struct WeightId, "w"
);

impl WeightId {
    /// The empty set.
    pub const ZERO: Self = Self(0);
}

/// Interned bit sets with memoised unions.
#[derive(Clone, Debug)]
pub struct Weights {
    sets: IndexVec<WeightId, Box<[u64]>>,
    ids: FxHashMap<Box<[u64]>, WeightId>,
    unions: FxHashMap<(WeightId, WeightId), WeightId>,
    bytes: usize,
}

impl Default for Weights {
    fn default() -> Self {
        let mut weights =
            Self { sets: IndexVec::new(), ids: FxHashMap::default(), unions: FxHashMap::default(), bytes: 0 };
        weights.intern(Vec::new());
        weights
    }
}

impl Weights {
    /// The id of the set of these elements.
    pub fn of(&mut self, items: impl IntoIterator<Item = usize>) -> WeightId {
        let mut words = Vec::new();
        for item in items {
            if words.len() <= item / 64 {
                words.resize(item / 64 + 1, 0u64);
            }
            words[item / 64] |= 1 << (item % 64);
        }
        self.intern(words)
    }

    /// Elements of either.
    pub fn union(&mut self, a: WeightId, b: WeightId) -> WeightId {
        if a == b || b == WeightId::ZERO {
            return a;
        }
        if a == WeightId::ZERO {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let (long, short) = if self.sets[a].len() >= self.sets[b].len() { (a, b) } else { (b, a) };
        let mut words = self.sets[long].to_vec();
        for (word, more) in words.iter_mut().zip(&*self.sets[short]) {
            *word |= more;
        }
        let id = self.intern(words);
        self.unions.insert(key, id);
        id
    }

    /// Elements of `a` that are not in `b`.
    pub fn difference(&mut self, a: WeightId, b: WeightId) -> WeightId {
        if a == b || a == WeightId::ZERO {
            return WeightId::ZERO;
        }
        if b == WeightId::ZERO {
            return a;
        }
        let (left, right) = (&self.sets[a], &self.sets[b]);
        let words = left.iter().enumerate().map(|(i, w)| w & !right.get(i).copied().unwrap_or(0)).collect();
        self.intern(words)
    }

    /// Whether `item` is an element.
    pub fn contains(&self, id: WeightId, item: usize) -> bool {
        self.sets[id].get(item / 64).is_some_and(|word| word >> (item % 64) & 1 == 1)
    }

    /// Number of elements.
    pub fn count(&self, id: WeightId) -> usize {
        self.sets[id].iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The elements in rising order.
    pub fn iter(&self, id: WeightId) -> impl Iterator<Item = usize> + '_ {
        self.sets[id].iter().enumerate().flat_map(|(i, &word)| {
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

    /// Rough memory use in bytes.
    pub fn memory_usage(&self) -> usize {
        self.bytes + self.unions.len() * 24
    }

    fn intern(&mut self, mut words: Vec<u64>) -> WeightId {
        while words.last() == Some(&0) {
            words.pop();
        }
        let words = words.into_boxed_slice();
        if let Some(&known) = self.ids.get(&words) {
            return known;
        }
        self.bytes += 16 * words.len() + 48;
        let id = self.sets.push(words.clone());
        self.ids.insert(words, id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_canonical() {
        let mut weights = Weights::default();
        let a = weights.of([1, 70]);
        let b = weights.of([70]);
        let c = weights.of([1]);
        assert_eq!(weights.union(b, c), a);
        assert_eq!(weights.difference(a, b), c);
        assert_eq!(weights.difference(a, a), WeightId::ZERO);
        assert_eq!(weights.union(a, WeightId::ZERO), a);
        assert_eq!(weights.iter(a).collect::<Vec<_>>(), [1, 70]);
    }
}
