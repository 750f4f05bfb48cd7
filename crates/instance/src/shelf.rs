//! A growing set of values that is cheap to clone at every size: the items of a unique array, the members of an object.
//!
//! Sorted runs whose sizes fall by half or more, as in a binary counter: an insertion joins runs of like size. Clones share
//! runs, so all versions of a set of n values together hold O(n log n), and each value is moved O(log n) times.

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
        let mut entries = vec![entry];
        while let Some(run) = self.runs.last().filter(|run| run.entries().len() <= entries.len()) {
            entries.extend_from_slice(run.entries());
            self.runs.pop();
        }
        self.runs.push(Arc::new(Run::new(entries)));
    }

    /// Puts the entry in the place of those with the same text. O(n log n).
    pub(crate) fn replace(&mut self, entry: Entry) {
        let mut entries: Vec<Entry> = self.iter().filter(|other| other.text != entry.text).cloned().collect();
        entries.push(entry);
        self.runs = SmallVec::from_iter([Arc::new(Run::new(entries))]);
    }

    /// Whether the value is here under its own text. O(log² n + size).
    pub(crate) fn contains(&self, value: &Arc<Value>) -> bool {
        self.runs.iter().any(|run| run.find(value).is_some())
    }

    pub(crate) fn has_text(&self, text: &[u8]) -> bool {
        self.runs.iter().any(|run| run.get(text).is_some())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.runs.iter().flat_map(|run| run.entries())
    }

    /// All entries, sorted by text. O(n log n).
    pub(crate) fn sorted(&self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self.iter().cloned().collect();
        entries.sort_by(|a, b| a.text.cmp(&b.text));
        entries
    }

    pub(crate) fn ranges(&self, at_stake: bool) -> Ranges {
        Ranges::all(&self.runs, at_stake)
    }
}
