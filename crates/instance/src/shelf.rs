//! A growing set of values that is cheap to clone at every size: the items of a unique array, the members of an object.
//!
//! Sorted runs whose sizes fall by half or more, as in a binary counter: an insertion joins runs of like size. Clones share
//! runs, so all versions of a set of n values together hold O(n log n), and each value is moved O(log n) times. What
//! replaces an entry is put beside it, in a later run; the earlier one goes when their runs are joined.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::run::{Ranges, Run};
use crate::value::{Entry, Value};

#[derive(Clone, Debug, Default)]
pub(crate) struct Shelf {
    runs: SmallVec<[Arc<Run>; 3]>,
}

impl Shelf {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Adds an entry; one with the same text stays. O(log² n) amortised.
    pub(crate) fn insert(&mut self, entry: Entry) {
        self.push(entry, |_| {});
    }

    /// Puts the entry in the place of one with the same text. O(log² n) amortised.
    pub(crate) fn put(&mut self, entry: Entry) {
        self.push(entry, keep_first);
    }

    fn push(&mut self, entry: Entry, tidy: impl Fn(&mut Vec<Entry>)) {
        let mut entries = vec![entry];
        while let Some(run) = self.runs.last().filter(|run| run.entries().len() < 2 * entries.len()) {
            entries.extend_from_slice(run.entries());
            sort(&mut entries);
            tidy(&mut entries);
            self.runs.pop();
        }
        self.runs.push(Arc::new(Run::new(entries)));
    }

    /// Whether the value is here under its own text. O(log² n + size).
    pub(crate) fn contains(&self, value: &Arc<Value>) -> bool {
        self.runs.iter().any(|run| run.find(value).is_some())
    }

    /// The entry with this text, if entries are put. O(log² n).
    pub(crate) fn get(&self, text: &[u8]) -> Option<&Entry> {
        self.runs.iter().rev().find_map(|run| run.get(text))
    }

    /// All entries, sorted by text, if they are put. O(n log n).
    pub(crate) fn sorted(&self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self.runs.iter().rev().flat_map(|run| run.entries()).cloned().collect();
        sort(&mut entries);
        keep_first(&mut entries);
        entries
    }

    pub(crate) fn ranges(&self, at_stake: bool) -> Ranges {
        Ranges::all(&self.runs, at_stake)
    }
}

/// Keeps the order of entries with one text.
fn sort(entries: &mut [Entry]) {
    entries.sort_by(|a, b| a.text.cmp(&b.text));
}

/// Of entries with one text, which stand together, keeps the first.
fn keep_first(entries: &mut Vec<Entry>) {
    entries.dedup_by(|later, first| later.text == first.text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn what_is_put_replaces_what_was_there() {
        let (mut shelf, mut reference) = (Shelf::default(), BTreeMap::new());
        for i in 0..2000u32 {
            // Few keys at first, then many, then few.
            let key = (i * 7919) % if (500..1000).contains(&i) { 400 } else { 10 };
            let text: Arc<[u8]> = key.to_be_bytes().into();
            let value = Value::scalar(i.to_be_bytes());
            reference.insert(text.clone(), value.text().to_vec());
            shelf.put(Entry { text: text.clone(), value });
            assert_eq!(shelf.get(&text).map(|entry| entry.value.text()), Some(i.to_be_bytes().as_slice()));
            let held: usize = shelf.runs.iter().map(|run| run.entries().len()).sum();
            assert!(held <= 2 * reference.len() && shelf.runs.len() <= 12, "{held} in {}", shelf.runs.len());
        }
        let sorted = shelf.sorted();
        assert!(sorted
            .iter()
            .map(|entry| (&entry.text, entry.value.text()))
            .eq(reference.iter().map(|(k, v)| (k, v.as_slice()))));
    }
}
