//! Sorted values, and ranges of them that begin alike.
//!
//! What has been read of a string or number picks those earlier values that it may still become: a range of a sorted run
//! for each run, narrowed byte by byte. That is how the tracker knows that something is at stake, in O(log n) per byte and
//! O(1) once nothing is.

use std::sync::{Arc, OnceLock};

use glrmask_automata::ByteSet;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::value::{same, Entry, Value};

/// Entries sorted by text. Immutable.
#[derive(Debug, Default)]
pub(crate) struct Run {
    entries: Vec<Entry>,
    /// What is in the values, sorted by where it is; found when first asked for.
    columns: OnceLock<Columns>,
}

/// What is in the arrays and objects of a run, each column in the order of a run.
#[derive(Debug, Default)]
struct Columns {
    /// Every key, once.
    keys: Arc<Run>,
    /// Members by key.
    members: FxHashMap<Arc<[u8]>, Arc<Run>>,
    /// Items by position.
    items: Vec<Arc<Run>>,
}

impl Run {
    pub(crate) fn new(mut entries: Vec<Entry>) -> Self {
        entries.sort_by(|a, b| a.text.cmp(&b.text));
        Self { entries, columns: OnceLock::new() }
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// An entry with this text. O(log entries).
    pub(crate) fn get(&self, text: &[u8]) -> Option<&Entry> {
        let found = self.entries.binary_search_by(|entry| entry.text.as_ref().cmp(text)).ok()?;
        self.entries.get(found)
    }

    /// A value here that is equal, under its own text. O(log entries + size).
    pub(crate) fn find(&self, value: &Arc<Value>) -> Option<&Arc<Value>> {
        let first = self.entries.partition_point(|other| other.text.as_ref() < value.text());
        let alike = self.entries.iter().skip(first).take_while(|other| other.text.as_ref() == value.text());
        alike.map(|other| &other.value).find(|other| same(other, value))
    }

    /// The half-open range of entries within `range` whose text has `byte` at `depth`, all before being alike.
    fn narrow(&self, (low, high): (u32, u32), depth: usize, byte: u8) -> (u32, u32) {
        let within = self.entries.get(low as usize..high as usize).unwrap_or_default();
        let begin = within.partition_point(|entry| entry.text.get(depth) < Some(&byte));
        let after = within.get(begin..).unwrap_or_default();
        let count = after.partition_point(|entry| entry.text.get(depth) == Some(&byte));
        (low + begin as u32, low + (begin + count) as u32)
    }

    fn take_columns(&mut self) -> Vec<Arc<Run>> {
        let columns = self.columns.take();
        columns.into_iter().flat_map(|columns| columns.members.into_values().chain(columns.items)).collect()
    }

    fn columns(&self) -> &Columns {
        self.columns.get_or_init(|| Columns::of(self.entries.iter().map(|entry| entry.value.as_ref())))
    }
}

/// Drops the columns of columns one after the other: they are as deep as values are.
impl Drop for Run {
    fn drop(&mut self) {
        let mut rest = self.take_columns();
        while let Some(run) = rest.pop() {
            if let Some(mut run) = Arc::into_inner(run) {
                rest.append(&mut run.take_columns());
            }
        }
    }
}

impl Columns {
    /// O(n log n) for n items and members.
    fn of<'a>(values: impl Iterator<Item = &'a Value>) -> Self {
        let mut members: FxHashMap<Arc<[u8]>, Vec<Entry>> = FxHashMap::default();
        let mut items: Vec<Vec<Entry>> = Vec::new();
        for value in values {
            for member in value.members() {
                members.entry(member.text.clone()).or_default().push(Entry::of(&member.value));
            }
            items.resize(items.len().max(value.items().len()), Vec::new());
            items.iter_mut().zip(value.items()).for_each(|(column, item)| column.push(Entry::of(item)));
        }
        let key = |(text, column): (&Arc<[u8]>, &Vec<Entry>)| {
            column.first().map(|entry| Entry { text: text.clone(), value: entry.value.clone() })
        };
        let keys = Arc::new(Run::new(members.iter().filter_map(key).collect()));
        let run = |column| Arc::new(Run::new(column));
        let members = members.into_iter().map(|(key, column)| (key, run(column))).collect();
        Self { keys, members, items: items.into_iter().map(run).collect() }
    }
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

/// What tells states apart, as numbers: two that have been described alike have the same future. Runs and frames are
/// named by their addresses, so that both states have to be held as long as they are compared.
pub(crate) type Identity = SmallVec<[u64; 16]>;

/// Entries that a value in progress, or a key, may still become. Ranges are not empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranges(SmallVec<[Range; 2]>);

impl Ranges {
    /// Everything in these runs.
    pub(crate) fn all<'a>(runs: impl IntoIterator<Item = &'a Arc<Run>>, at_stake: bool) -> Self {
        let range = |run: &Arc<Run>| Range { run: run.clone(), low: 0, high: run.entries.len() as u32, at_stake };
        Self(runs.into_iter().filter(|run| !run.entries.is_empty()).map(range).collect())
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

    /// What has `byte` at `depth`; texts are alike before.
    pub(crate) fn narrowed(&self, depth: usize, byte: u8) -> Self {
        let narrow = |range: &Range| {
            let (low, high) = range.run.narrow((range.low, range.high), depth, byte);
            (low < high).then(|| Range { run: range.run.clone(), low, high, at_stake: range.at_stake })
        };
        Self(self.0.iter().filter_map(narrow).collect())
    }

    /// How many they are.
    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|range| range.entries().len()).sum()
    }

    /// Every value, in order.
    pub(crate) fn for_each(&self, mut see: impl FnMut(&Value)) {
        self.0.iter().for_each(|range| range.entries().iter().for_each(|entry| see(&entry.value)));
    }

    /// Whether the text of one of them satisfies the predicate. O(entries).
    pub(crate) fn any(&self, mut is: impl FnMut(&[u8]) -> bool) -> bool {
        self.0.iter().any(|range| range.entries().iter().any(|entry| is(&entry.text)))
    }

    pub(crate) fn identify(&self, out: &mut Identity) {
        out.push(self.0.len() as u64);
        for range in &self.0 {
            out.push(Arc::as_ptr(&range.run) as usize as u64);
            out.extend([u64::from(range.low) << 32 | u64::from(range.high), u64::from(range.at_stake)]);
        }
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

    /// Those that satisfy the predicate, which is asked in order. A run of which all do is shared, with what is known of
    /// its columns. O(entries).
    pub(crate) fn filter(&self, mut keep: impl FnMut(&Value) -> bool) -> Self {
        let kept = self.0.iter().filter_map(|range| {
            let entries: Vec<Entry> = range.entries().iter().filter(|entry| keep(&entry.value)).cloned().collect();
            if entries.len() == range.entries().len() {
                return Some(range.clone());
            }
            let high = entries.len() as u32;
            let run = Arc::new(Run { entries, columns: OnceLock::new() });
            (high > 0).then_some(Range { run, low: 0, high, at_stake: range.at_stake })
        });
        Self(kept.collect())
    }

    /// Whether these are the same values in the same order. O(entries).
    pub(crate) fn have_the_same(&self, other: &Self) -> bool {
        fn values(ranges: &Ranges) -> impl Iterator<Item = *const Value> + '_ {
            ranges.0.iter().flat_map(|range| range.entries().iter().map(|entry| Arc::as_ptr(&entry.value)))
        }
        self.len() == other.len() && values(self).eq(values(other))
    }

    /// A value among them that is equal, under its own text.
    pub(crate) fn find(&self, value: &Arc<Value>) -> Option<&Arc<Value>> {
        self.0.iter().find_map(|range| range.run.find(value))
    }

    /// The items at a position of these arrays.
    pub(crate) fn items(&self, position: usize) -> Self {
        self.column(|columns| columns.items.get(position))
    }

    /// The members with a key of these objects.
    pub(crate) fn members(&self, key: &[u8]) -> Self {
        self.column(|columns| columns.members.get(key))
    }

    /// Every key of these objects.
    pub(crate) fn keys(&self) -> Self {
        self.column(|columns| Some(&columns.keys))
    }

    /// One column of what is in the values. Columns of whole runs are remembered, others made: O(n log n) in what the
    /// values hold.
    fn column(&self, pick: impl Fn(&Columns) -> Option<&Arc<Run>>) -> Self {
        let mut picked = Self::default();
        for range in &self.0 {
            let column = if range.holds_all_of_its_kind() {
                pick(range.run.columns()).cloned()
            } else {
                pick(&Columns::of(range.entries().iter().map(|entry| entry.value.as_ref()))).cloned()
            };
            picked.extend(Self::all(column.iter(), true));
        }
        picked
    }
}

impl Range {
    #[inline]
    fn entries(&self) -> &[Entry] {
        self.run.entries.get(self.low as usize..self.high as usize).unwrap_or_default()
    }

    /// Whether no other array (object) is in the run, if these are arrays (objects).
    fn holds_all_of_its_kind(&self) -> bool {
        let kind = |entry: Option<&Entry>| entry.and_then(|entry| entry.text.first()).copied();
        let before = self.low.checked_sub(1).and_then(|before| self.run.entries.get(before as usize));
        let here = kind(self.entries().first());
        here != kind(before) && here != kind(self.run.entries.get(self.high as usize))
    }
}
