//! Rows of a sparse matrix as small hash tables: the lookup behind `shift` and `goto`.
//!
//! A dense matrix of states by symbols is fast and, with thousands of each, hundreds of megabytes of nothing. Here
//! each row is an open-addressed table of its own, a power of two in size and at most two thirds full, all of them in
//! one vector: a lookup reads the row's head and, nearly always, one slot.

/// A matrix of `u32` values, mostly absent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct SparseRows {
    heads: Vec<Head>,
    slots: Vec<Slot>,
}

/// Where a row's table lies: `2^(32 − shift)` slots from `start`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Head {
    start: u32,
    shift: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Slot {
    key: u32,
    value: u32,
}

const FREE: Slot = Slot { key: u32::MAX, value: 0 };

impl SparseRows {
    pub(crate) fn with_capacity(rows: usize, entries: usize) -> Self {
        Self { heads: Vec::with_capacity(rows), slots: Vec::with_capacity(2 * entries + 2 * rows) }
    }

    /// Appends a row with these (key, value) entries: distinct keys, none of them `u32::MAX`.
    pub(crate) fn push_row(&mut self, entries: impl ExactSizeIterator<Item = (u32, u32)>) {
        let bits = (entries.len() + entries.len() / 2 + 1).next_power_of_two().trailing_zeros().max(1);
        let head = Head { start: self.slots.len() as u32, shift: 32 - bits };
        self.heads.push(head);
        self.slots.resize(self.slots.len() + (1 << bits), FREE);
        for (key, value) in entries {
            let free = self.probe(head, key).find(|&i| self.slots[i].key == FREE.key);
            if let Some(free) = free {
                self.slots[free] = Slot { key, value };
            }
        }
    }

    /// The value at (row, key). Constant time.
    #[inline]
    pub(crate) fn get(&self, row: usize, key: u32) -> Option<u32> {
        let head = *self.heads.get(row)?;
        for i in self.probe(head, key) {
            let slot = self.slots[i];
            if slot.key == FREE.key {
                return None;
            }
            if slot.key == key {
                return Some(slot.value);
            }
        }
        None
    }

    /// Bytes on the heap.
    pub(crate) fn memory(&self) -> usize {
        self.heads.capacity() * size_of::<Head>() + self.slots.capacity() * size_of::<Slot>()
    }

    /// Positions to look at, in order: Fibonacci hashing, then one after the other, each once.
    #[inline]
    fn probe(&self, head: Head, key: u32) -> impl Iterator<Item = usize> {
        let mask = u32::MAX >> head.shift;
        let first = key.wrapping_mul(0x9E37_79B9) >> head.shift;
        (0..=mask).map(move |i| (head.start + ((first + i) & mask)) as usize)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rows_agree_with_maps(rows in prop::collection::vec(prop::collection::btree_map(0u32..40, any::<u32>(), 0..30), 0..6)) {
            let mut sparse = SparseRows::default();
            rows.iter().for_each(|row| sparse.push_row(row.iter().map(|(&k, &v)| (k, v))));
            for (i, row) in rows.iter().enumerate() {
                (0..41).for_each(|key| assert_eq!(sparse.get(i, key), row.get(&key).copied()));
                prop_assert_eq!(sparse.get(i, u32::MAX), None);
            }
            prop_assert_eq!(sparse.get(rows.len(), 0), None);
        }
    }
}
