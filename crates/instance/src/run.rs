//! Sorted values, and ranges of them that begin alike.
//!
//! What has been read of a string or number picks those earlier values that it may still become: a range of a sorted run
//! for each run, narrowed byte by byte. That is how the tracker knows that something is at stake, in O(log n) per byte and
//! O(1) once nothing is.

use std::sync::{Arc, OnceLock};

use glrmask_automata::ByteSet;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::value::{same, tag, Entry, Value};

/// Entries sorted by text. Immutable.
#[derive(Debug, Default)]
pub(crate) struct Run {
    entries: Vec<Entry>,
    /// Every key of the objects among the values, once; found when first asked for.
    keys: OnceLock<Arc<Run>>,
}

impl Run {
    pub(crate) fn new(mut entries: Vec<Entry>) -> Self {
        entries.sort_by(|a, b| a.text.cmp(&b.text));
        Self { entries, keys: OnceLock::new() }
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// An entry with this text. O(log entries).
    pub(crate) fn get(&self, text: &[u8]) -> Option<&Entry> {
        let found = self.entries.binary_search_by(|entry| entry.text.as_ref().cmp(text)).ok()?;
        self.entries.get(found)
    }

    /// Whether the value is here, under its own text. O(log entries + size).
    pub(crate) fn contains(&self, entry: &Entry) -> bool {
        let first = self.entries.partition_point(|other| other.text < entry.text);
        let alike = self.entries.iter().skip(first).take_while(|other| other.text == entry.text);
        alike.map(|other| &other.value).any(|other| same(other, &entry.value))
    }

    /// The half-open range of entries within `range` whose text has `byte` at `depth`, all before being alike.
    fn narrow(&self, (low, high): (u32, u32), depth: usize, byte: u8) -> (u32, u32) {
        let within = self.entries.get(low as usize..high as usize).unwrap_or_default();
        let begin = within.partition_point(|entry| entry.text.get(depth) < Some(&byte));
        let after = within.get(begin..).unwrap_or_default();
        let count = after.partition_point(|entry| entry.text.get(depth) == Some(&byte));
        (low + begin as u32, low + (begin + count) as u32)
    }

    fn keys(&self) -> &Arc<Run> {
        self.keys.get_or_init(|| Arc::new(keys_of(self.entries.iter())))
    }
}

/// Every key of the objects, once.
fn keys_of<'a>(objects: impl Iterator<Item = &'a Entry>) -> Run {
    let mut seen: FxHashSet<&[u8]> = FxHashSet::default();
    let members = objects.flat_map(|object| object.value.members());
    Run::new(members.filter(|member| seen.insert(&member.text)).cloned().collect())
}

/// Entries that stand together in a run.
#[derive(Clone, Debug)]
struct Range {
    run: Arc<Run>,
    low: u32,
    high: u32,
    /// Whether becoming one of these breaks a rule. Otherwise it only has to be noticed.
    at_stake: bool,
}

/// Entries that a value in progress, or a key, may still become. Ranges are not empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranges(SmallVec<[Range; 2]>);

impl Ranges {
    /// Everything in these runs.
    pub(crate) fn all<'a>(runs: impl IntoIterator<Item = &'a Arc<Run>>, at_stake: bool) -> Self {
        let range = |run: &Arc<Run>| Range { run: run.clone(), low: 0, high: run.entries.len() as u32, at_stake };
        Self(runs.into_iter().filter(|run| !run.entries.is_empty()).map(range).collect())
    }

    pub(crate) fn of(run: Run) -> Self {
        Self::all([&Arc::new(run)], true)
    }

    pub(crate) fn extend(&mut self, more: Self) {
        self.0.extend(more.0);
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline]
    pub(crate) fn are_at_stake(&self) -> bool {
        self.0.iter().any(|range| range.at_stake)
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Keeps what has `byte` at `depth`; texts are alike before.
    #[inline]
    pub(crate) fn narrow(&mut self, depth: usize, byte: u8) {
        self.0.retain(|range| {
            (range.low, range.high) = range.run.narrow((range.low, range.high), depth, byte);
            range.low < range.high
        });
    }

    /// What begins with `prefix`.
    pub(crate) fn with_prefix(&self, prefix: &[u8]) -> Self {
        let mut ranges = self.clone();
        for (depth, &byte) in prefix.iter().enumerate() {
            ranges.narrow(depth, byte);
        }
        ranges
    }

    pub(crate) fn have_prefix(&self, prefix: &[u8]) -> bool {
        self.0.iter().any(|range| {
            let texts = range.entries();
            let first = texts.partition_point(|entry| entry.text.as_ref() < prefix);
            texts.get(first).is_some_and(|entry| entry.text.starts_with(prefix))
        })
    }

    /// The bytes that stand at `depth`. O(bytes · log entries).
    pub(crate) fn bytes_at(&self, depth: usize) -> ByteSet {
        let mut bytes = ByteSet::EMPTY;
        for range in &self.0 {
            let mut rest = range.entries();
            while let Some(first) = rest.first() {
                let byte = first.text.get(depth);
                byte.into_iter().for_each(|&byte| bytes.insert(byte));
                let count = rest.partition_point(|entry| entry.text.get(depth) <= byte);
                rest = rest.get(count..).unwrap_or_default();
            }
        }
        bytes
    }

    /// Those that satisfy the predicate. O(entries).
    pub(crate) fn filter(&self, keep: impl Fn(&Value) -> bool) -> Self {
        let kept = self.0.iter().filter_map(|range| {
            let entries: Vec<Entry> = range.entries().iter().filter(|entry| keep(&entry.value)).cloned().collect();
            let high = entries.len() as u32;
            let run = Arc::new(Run { entries, keys: OnceLock::new() });
            (high > 0).then_some(Range { run, low: 0, high, at_stake: range.at_stake })
        });
        Self(kept.collect())
    }

    /// What `part` picks of each value, where it picks something. O(entries · log entries).
    pub(crate) fn parts(&self, part: impl Fn(&Value) -> Option<&Arc<Value>>) -> Self {
        let entries = self.0.iter().flat_map(|range| range.entries());
        let picked: Vec<Entry> = entries.filter_map(|entry| part(&entry.value)).map(Entry::of).collect();
        if picked.is_empty() {
            return Self::default();
        }
        Self::of(Run::new(picked))
    }

    /// Every key of these objects. Remembered for ranges that hold all objects of a run.
    pub(crate) fn keys(&self) -> Self {
        let mut keys = Self::default();
        for range in &self.0 {
            if range.holds_all_objects() {
                keys.extend(Self::all([range.run.keys()], true));
            } else {
                keys.extend(Self::of(keys_of(range.entries().iter())));
            }
        }
        keys
    }
}

impl Range {
    #[inline]
    fn entries(&self) -> &[Entry] {
        self.run.entries.get(self.low as usize..self.high as usize).unwrap_or_default()
    }

    fn holds_all_objects(&self) -> bool {
        let outside = self.low.checked_sub(1).and_then(|before| self.run.entries.get(before as usize));
        let is_object = |entry: Option<&Entry>| entry.is_some_and(|entry| entry.text.first() == Some(&tag::OBJECT));
        !is_object(outside) && !is_object(self.run.entries.get(self.high as usize))
    }
}
