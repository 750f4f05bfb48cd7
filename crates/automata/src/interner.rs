//! Hash-consing: equal values are stored once and named by a small id.
//!
//! The table holds ids only and compares through the store, so nothing is kept twice. [`Interner`] stores any
//! hashable value; [`SliceInterner`] stores slices end to end in one vector, without an allocation per entry.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::{Id, IndexVec};

fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Stores each distinct value once.
///
/// ```
/// use glrmask_automata::{Interner, StateId};
/// let mut interner: Interner<StateId, String> = Interner::new();
/// let a = interner.intern("a".to_owned());
/// assert_eq!(interner.intern("b".to_owned()), StateId(1));
/// assert_eq!(interner.intern("a".to_owned()), a);
/// assert_eq!((interner.get(a).as_str(), interner.len()), ("a", 2));
/// ```
#[derive(Clone)]
pub struct Interner<I, T> {
    items: IndexVec<I, T>,
    table: HashTable<I>,
}

impl<I: Id, T: Eq + Hash> Interner<I, T> {
    /// An empty interner.
    pub fn new() -> Self {
        Self { items: IndexVec::new(), table: HashTable::new() }
    }
    /// The id of `item`, which is stored if it is new. Expected constant time plus one hash.
    pub fn intern(&mut self, item: T) -> I {
        let hashed = hash(&item);
        if let Some(&id) = self.table.find(hashed, |&id| self.items[id] == item) {
            return id;
        }
        let id = self.items.push(item);
        self.table.insert_unique(hashed, id, |&id| hash(&self.items[id]));
        id
    }
    /// The id of `item`, if it is stored.
    pub fn find(&self, item: &T) -> Option<I> {
        self.table.find(hash(item), |&id| self.items[id] == *item).copied()
    }
    /// The value behind an id of this interner. Panics on ids of another one.
    pub fn get(&self, id: I) -> &T {
        &self.items[id]
    }
    /// Number of distinct values.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// Values in the order of their ids.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }
    /// The values, by id.
    pub fn into_items(self) -> IndexVec<I, T> {
        self.items
    }
    /// Bytes used by the tables themselves; what the values own on the heap is not counted.
    pub fn memory_usage(&self) -> usize {
        self.items.len() * size_of::<T>() + self.table.allocation_size()
    }
}

impl<I: Id, T: fmt::Debug> fmt::Debug for Interner<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}

impl<I: Id, T: Eq + Hash> Default for Interner<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Stores each distinct slice once, end to end in one vector.
///
/// ```
/// use glrmask_automata::{SliceInterner, StateId};
/// let mut sets: SliceInterner<StateId, u32> = SliceInterner::new();
/// let a = sets.intern(&[1, 5]);
/// assert_eq!(sets.intern(&[]), StateId(1));
/// assert_eq!(sets.intern(&[1, 5]), a);
/// assert_eq!(sets.get(a), &[1, 5]);
/// ```
#[derive(Clone, Debug)]
pub struct SliceInterner<I, T> {
    items: Vec<T>,
    /// Where the slice of each id ends in `items`.
    ends: Vec<u32>,
    table: HashTable<u32>,
    marker: PhantomData<fn(I) -> I>,
}

impl<I: Id, T: Copy + Eq + Hash> SliceInterner<I, T> {
    /// An empty interner.
    pub fn new() -> Self {
        Self { items: Vec::new(), ends: Vec::new(), table: HashTable::new(), marker: PhantomData }
    }
    /// The id of `slice`, which is stored if it is new. At most 2³² items in all.
    pub fn intern(&mut self, slice: &[T]) -> I {
        let Self { items, ends, table, .. } = self;
        let hashed = hash(slice);
        if let Some(&id) = table.find(hashed, |&id| at(items, ends, id as usize) == slice) {
            return I::from_usize(id as usize);
        }
        let id = ends.len();
        items.extend_from_slice(slice);
        ends.push(items.len() as u32);
        table.insert_unique(hashed, id as u32, |&id| hash(at(items, ends, id as usize)));
        I::from_usize(id)
    }
    /// The slice behind an id of this interner. Panics on ids of another one.
    pub fn get(&self, id: I) -> &[T] {
        at(&self.items, &self.ends, id.index())
    }
    /// Number of distinct slices.
    pub fn len(&self) -> usize {
        self.ends.len()
    }
    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
    /// Total length of the stored slices.
    pub fn total(&self) -> usize {
        self.items.len()
    }
    /// Bytes on the heap.
    pub fn memory_usage(&self) -> usize {
        self.items.capacity() * size_of::<T>() + self.ends.capacity() * 4 + self.table.allocation_size()
    }
}

impl<I: Id, T: Copy + Eq + Hash> Default for SliceInterner<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

fn at<'a, T>(items: &'a [T], ends: &[u32], id: usize) -> &'a [T] {
    let begin = if id == 0 { 0 } else { ends[id - 1] as usize };
    &items[begin..ends[id] as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StateId;

    #[test]
    fn many_values_keep_their_ids() {
        let mut values = Interner::<StateId, u64>::new();
        let mut slices = SliceInterner::<StateId, u64>::new();
        for round in 0..2 {
            for i in 0..1000u64 {
                assert_eq!(values.intern(i * i), StateId(i as u32), "round {round}");
                assert_eq!(slices.intern(&vec![i; (i % 7) as usize + 1]), StateId(i as u32));
            }
        }
        assert_eq!((values.len(), slices.len()), (1000, 1000));
        assert_eq!((*values.get(StateId(9)), slices.get(StateId(9))), (81, &[9u64; 3][..]));
        assert_eq!((values.find(&81), values.find(&82)), (Some(StateId(9)), None));
        assert!(values.memory_usage() >= 8000 && slices.memory_usage() >= 8000);
    }
}
