//! Minimal deterministic automata over bytes whose accepting states carry label sets.
//!
//! A [`Dfa`] is what every construction of this crate ends in: minimal, trimmed (no dead state is stored), states
//! numbered breadth-first from the start by byte, byte classes as coarse as possible. So there is exactly one value
//! per (labelled) language: `==`, `Hash` and [`Dfa::fingerprint`] compare *languages*. A plain language is one
//! whose only label is 0.
//!
//! The table is dense (states × byte classes), so a step is two loads.

use crate::classes::ByteClasses;
use crate::fingerprint::FingerprintKey;
use crate::{typed_id, ByteSet, Id, IndexVec, StateId};

use rustc_hash::FxHashMap;

typed_id!(
    /// A set of labels of one [`Dfa`]; 0 is the empty set.
    pub struct LabelSetId, "l"
);

/// A minimal deterministic automaton over bytes with labelled accepting states. See the [module](self).
///
/// ```
/// use glrmask_automata::{Dfa, Limits, Regex};
/// let number = Regex::parse("0|[1-9][0-9]*", &Default::default())?.compile(&Limits::default())?;
/// let zero = Dfa::from_literals(&[(b"0", 0)]);
/// let both = Dfa::union(&[(&number, 7), (&zero, 8)], &Limits::default())?;
/// let q = both.next(both.start(), b'0');
/// assert_eq!(both.labels(q), &[7, 8]);
/// assert!(both.future(q).is_empty());
/// # Ok::<(), glrmask_automata::AutomataError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "crate::stored::StoredDfa", into = "crate::stored::StoredDfa")]
pub struct Dfa {
    /// The coarsest classes, numbered by their smallest byte.
    pub(crate) classes: ByteClasses,
    /// Row per state, column per byte class; [`Dfa::DEAD`] or a state in range.
    pub(crate) table: Vec<StateId>,
    /// Labels accepted at each state.
    pub(crate) labels: IndexVec<StateId, LabelSetId>,
    /// Labels accepted at each state or later; empty only at the start of the empty language.
    pub(crate) live: IndexVec<StateId, LabelSetId>,
    /// Labels accepted after at least one more byte.
    pub(crate) future: IndexVec<StateId, LabelSetId>,
    /// Distinct sorted sets, numbered by first use; the first is empty.
    pub(crate) sets: IndexVec<LabelSetId, Vec<u32>>,
}

impl Dfa {
    /// No state: where nothing is left to match. Never stored as a state of the automaton.
    pub const DEAD: StateId = StateId(u32::MAX);

    /// The start state, always `StateId(0)`.
    #[inline]
    pub fn start(&self) -> StateId {
        StateId(0)
    }
    /// Number of states, at least one: the empty language has a start state without edges and labels.
    #[inline]
    pub fn len(&self) -> usize {
        self.labels.len()
    }
    /// Never: there is always the start state.
    pub fn is_empty(&self) -> bool {
        false
    }
    /// All states in order.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = StateId> + ExactSizeIterator + 'static {
        self.labels.ids()
    }
    /// The state after one more byte; [`Dfa::DEAD`] if no word goes on like that.
    #[inline]
    pub fn next(&self, state: StateId, byte: u8) -> StateId {
        self.next_class(state, self.classes.map[usize::from(byte)])
    }
    /// The state after a byte of this class.
    #[inline]
    pub fn next_class(&self, state: StateId, class: u8) -> StateId {
        let row = state.index().saturating_mul(self.classes.len());
        self.table.get(row.saturating_add(usize::from(class))).copied().unwrap_or(Self::DEAD)
    }
    /// The state after these bytes.
    pub fn run(&self, state: StateId, bytes: &[u8]) -> StateId {
        let mut state = state;
        for &byte in bytes {
            if state == Self::DEAD {
                break;
            }
            state = self.next(state, byte);
        }
        state
    }
    /// Whether the whole of `bytes` is accepted (with any label).
    pub fn accepts(&self, bytes: &[u8]) -> bool {
        self.is_accepting(self.run(self.start(), bytes))
    }
    /// Labels accepted here, sorted; empty for [`Dfa::DEAD`].
    #[inline]
    pub fn labels(&self, state: StateId) -> &[u32] {
        self.set(self.labels_id(state))
    }
    /// Labels accepted here or later, sorted; empty for [`Dfa::DEAD`].
    #[inline]
    pub fn live(&self, state: StateId) -> &[u32] {
        self.set(self.live_id(state))
    }
    /// Labels accepted after at least one more byte, sorted; empty for [`Dfa::DEAD`].
    #[inline]
    pub fn future(&self, state: StateId) -> &[u32] {
        self.set(self.future_id(state))
    }
    /// Id of [`Dfa::labels`].
    #[inline]
    pub fn labels_id(&self, state: StateId) -> LabelSetId {
        self.labels.get(state).copied().unwrap_or_default()
    }
    /// Id of [`Dfa::live`].
    #[inline]
    pub fn live_id(&self, state: StateId) -> LabelSetId {
        self.live.get(state).copied().unwrap_or_default()
    }
    /// Id of [`Dfa::future`].
    #[inline]
    pub fn future_id(&self, state: StateId) -> LabelSetId {
        self.future.get(state).copied().unwrap_or_default()
    }
    /// The labels of a set, sorted; empty for ids of other automata.
    #[inline]
    pub fn set(&self, id: LabelSetId) -> &[u32] {
        self.sets.get(id).map_or(&[], Vec::as_slice)
    }
    /// Number of distinct label sets, the empty one included.
    pub fn set_count(&self) -> usize {
        self.sets.len()
    }
    /// Whether some label is accepted here.
    #[inline]
    pub fn is_accepting(&self, state: StateId) -> bool {
        self.labels_id(state) != LabelSetId(0)
    }
    /// Class of each byte. Bytes of one class lead to the same state from every state.
    #[inline]
    pub fn byte_classes(&self) -> &[u8; 256] {
        &self.classes.map
    }
    /// Number of byte classes, 1 to 256.
    #[inline]
    pub fn class_count(&self) -> usize {
        self.classes.len()
    }
    /// The bytes of each class.
    pub fn class_sets(&self) -> &[ByteSet] {
        &self.classes.sets
    }
    /// One byte of each class, in the order of the classes.
    pub fn representatives(&self) -> impl Iterator<Item = u8> + '_ {
        self.classes.sets.iter().filter_map(ByteSet::first)
    }
    /// The states after each byte class; empty for [`Dfa::DEAD`].
    #[inline]
    pub fn row(&self, state: StateId) -> &[StateId] {
        let stride = self.classes.len();
        let begin = state.index().saturating_mul(stride);
        self.table.get(begin..begin.saturating_add(stride)).unwrap_or_default()
    }
    /// The states reachable by one byte with the bytes that lead there, by smallest byte.
    pub fn transitions(&self, state: StateId) -> impl Iterator<Item = (ByteSet, StateId)> {
        let mut grouped: Vec<(ByteSet, StateId)> = Vec::new();
        for (&target, set) in self.row(state).iter().zip(&self.classes.sets) {
            if target == Self::DEAD {
                continue;
            }
            match grouped.iter_mut().find(|(_, other)| *other == target) {
                Some((bytes, _)) => *bytes = bytes.union(set),
                None => grouped.push((*set, target)),
            }
        }
        grouped.into_iter()
    }
    /// The bytes that can come next.
    pub fn next_bytes(&self, state: StateId) -> ByteSet {
        self.transitions(state).fold(ByteSet::EMPTY, |all, (set, _)| all.union(&set))
    }
    /// Whether no word is accepted.
    pub fn is_empty_language(&self) -> bool {
        self.live_id(self.start()) == LabelSetId(0)
    }
    /// A 128-bit fingerprint of the labelled language, the same on every machine that has this key. O(table).
    pub fn fingerprint(&self, key: FingerprintKey) -> u128 {
        let mut hash = key.start(1);
        hash.word(self.classes.len() as u64);
        for chunk in self.classes.map.chunks(8) {
            hash.word(chunk.iter().fold(0, |word, &b| word << 8 | u64::from(b)));
        }
        self.sets.iter().for_each(|set| hash.list(set.iter().copied()));
        hash.list(self.table.iter().map(|q| q.0));
        hash.list(self.labels.iter().map(|l| l.0));
        hash.finish()
    }
    /// A fingerprint of the language read from `state` on, labels left out: equal for states of any automata from which
    /// the same strings lead to a match. `None` if more than `limit` states can be reached. O(runs of bytes of one class · states reached).
    pub fn fingerprint_from(&self, state: StateId, limit: usize, key: FingerprintKey) -> Option<u128> {
        let runs = self.classes.runs();
        let mut order = vec![state];
        let mut numbers = FxHashMap::from_iter([(state, 1u64)]);
        let mut hash = key.start(0);
        let mut next = 0;
        while let Some(&state) = order.get(next) {
            next += 1;
            // Told apart from the words of runs, so that no two automata write the same.
            hash.word(u64::MAX - u64::from(self.is_accepting(state)));
            let row = self.row(state);
            let mut last = Self::DEAD;
            for &(byte, class) in &runs {
                let target = row.get(usize::from(class)).copied().unwrap_or(Self::DEAD);
                if target == last {
                    continue;
                }
                let fresh = order.len() as u64 + 1;
                let number = match target {
                    Self::DEAD => 0,
                    target => *numbers.entry(target).or_insert_with(|| {
                        order.push(target);
                        fresh
                    }),
                };
                last = target;
                if order.len() > limit {
                    return None;
                }
                hash.word(number << 8 | u64::from(byte));
            }
        }
        Some(hash.finish())
    }
    /// Bytes on the heap.
    pub fn memory_usage(&self) -> usize {
        let sets: usize = self.sets.iter().map(|set| size_of_val(set.as_slice()) + size_of::<Vec<u32>>()).sum();
        let tables = self.table.len() + 3 * self.len();
        tables * size_of::<StateId>() + sets + size_of_val(self.classes.sets.as_slice())
    }
}
