//! The grammar as an automaton: where a byte leads, and which may come.
//!
//! Searches beside the grammar go byte by byte, come to the same places again and again, and have to see that. A *place*
//! is what the branches are, so that equal branches are one place with one number. What has been found out about a place
//! is kept for all states of a constraint: for its *classes*, the bytes that lead to one place, or for single bytes where
//! only those were asked for. Bytes that no branch tells apart are tried once.
//!
//! ```text
//! [1, 1       '0'–'9' → itself      '.' → fraction      ',' → after a comma      ']' → …      ' ' '\n' … → after an item
//! ```
//!
//! Memory is counted; beyond its part of what tables may take, new searches begin with no places, and the old ones go with
//! the last search that uses them.

use std::sync::Arc;

use glrmask_automata::lexdag::ConditionSetId;
use glrmask_automata::{typed_id, ByteSet, Dfa, IndexVec, StateId};
use glrmask_glr::LrState;
use glrmask_instance::Continuations;
use glrmask_lexer::Thread;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use weighted_gss::NodeId as StacksId;

use crate::branch::{Alternatives, Branch, Branches, Lexeme};
use crate::commit;
use crate::constraint::Inner;
use crate::error::RuntimeError;

typed_id!(
    /// A place of the grammar.
    pub(crate) struct GrammarPlace, "place"
);

/// Stacks up to this depth are compared by their symbols, deeper ones by address.
const COMPARED_DEPTH: usize = 128;
/// Places may take this part of what tables may take.
pub(crate) const PART: usize = 16;
/// Bytes counted for a place, without its stacks, and for a byte asked for alone.
const PLACE_WEIGHT: usize = 512;
const STEP_WEIGHT: usize = 32;

/// What tells places apart, as far as it can be told quickly: those of one key are equal. Stacks are named by their
/// addresses where they are many or deep, so that the branches have to be held as long as keys are compared.
pub(crate) type Key = SmallVec<[(Lexeme, Option<SmallVec<[ConditionSetId; 2]>>, StackKey); 1]>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum StackKey {
    Symbols(SmallVec<[LrState; 16]>),
    Id(StacksId),
}

pub(crate) fn key(branches: &[Branch]) -> Key {
    let one = |branch: &Branch| {
        let weight = branch.stacks.uniform().map(|weight| weight.iter().collect());
        let stack = match branch.stacks.linear() {
            Some(stack) if stack.len() <= COMPARED_DEPTH => StackKey::Symbols(stack.iter().copied().collect()),
            _ => StackKey::Id(branch.stacks.node_id()),
        };
        (branch.lexeme, weight, stack)
    };
    branches.iter().map(one).collect()
}

/// Bytes counted for a place that is kept.
pub(crate) fn place_bytes(branches: &[Branch]) -> usize {
    let depth: usize = branches.iter().map(|branch| branch.stacks.max_depth()).sum();
    PLACE_WEIGHT + 2 * depth * size_of::<LrState>()
}

/// The places of a constraint that are known.
#[derive(Debug, Default)]
pub(crate) struct SharedPlaces(Mutex<Arc<Mutex<Places>>>);

impl SharedPlaces {
    /// Places for a search: those known, unless they take more than their part.
    fn get(&self, limit: usize) -> Arc<Mutex<Places>> {
        let mut shared = self.0.lock();
        if shared.lock().bytes > limit / PART {
            *shared = Arc::default();
        }
        shared.clone()
    }

    /// Rough memory use in bytes.
    pub(crate) fn memory_usage(&self) -> usize {
        self.0.lock().lock().bytes
    }
}

#[derive(Debug, Default)]
struct Places {
    numbers: FxHashMap<Key, GrammarPlace>,
    known: IndexVec<GrammarPlace, Known>,
    /// Bytes that were asked for alone.
    steps: FxHashMap<(GrammarPlace, u8), Option<GrammarPlace>>,
    /// Rough memory use.
    bytes: usize,
}

#[derive(Debug)]
struct Known {
    branches: Branches,
    /// Bytes that may come, by where they lead, once all are asked for.
    classes: Option<SmallVec<[(ByteSet, GrammarPlace); 4]>>,
}

impl Places {
    /// The number of the place with these branches, of which each can be completed.
    fn number(&mut self, branches: &[Branch]) -> GrammarPlace {
        let key = key(branches);
        if let Some(&known) = self.numbers.get(&key) {
            return known;
        }
        self.bytes += place_bytes(branches);
        let number = self.known.push(Known { branches: branches.iter().cloned().collect(), classes: None });
        self.numbers.insert(key, number);
        number
    }

    fn branches(&self, place: GrammarPlace) -> Branches {
        self.known.get(place).map(|known| known.branches.clone()).unwrap_or_default()
    }

    /// Where a byte leads, if that is known.
    fn step(&self, place: GrammarPlace, byte: u8) -> Option<Option<GrammarPlace>> {
        match self.known.get(place)?.classes.as_ref() {
            Some(classes) => Some(classes.iter().find(|(bytes, _)| bytes.contains(byte)).map(|&(_, next)| next)),
            None => self.steps.get(&(place, byte)).copied(),
        }
    }

    fn next_bytes(&self, place: GrammarPlace) -> Option<ByteSet> {
        let classes = self.known.get(place)?.classes.as_ref()?;
        Some(classes.iter().fold(ByteSet::EMPTY, |all, (bytes, _)| all.union(bytes)))
    }

    fn set_classes(&mut self, place: GrammarPlace, found: Vec<(ByteSet, Branches)>) {
        let mut classes: SmallVec<[(ByteSet, GrammarPlace); 4]> = SmallVec::new();
        for (bytes, branches) in found {
            let next = self.number(&branches);
            match classes.iter_mut().find(|(_, other)| *other == next) {
                Some((all, _)) => *all = all.union(&bytes),
                None => classes.push((bytes, next)),
            }
        }
        self.bytes += size_of_val(classes.as_slice());
        self.known[place].classes = Some(classes);
    }
}

/// The grammar from a place on, for one search or several.
pub(crate) struct Following<'a> {
    inner: &'a Inner,
    branches: &'a [Branch],
    start: Option<GrammarPlace>,
    places: Arc<Mutex<Places>>,
}

impl<'a> Following<'a> {
    /// From the place with these branches, of which each can be completed.
    pub(crate) fn new(inner: &'a Inner, branches: &'a [Branch]) -> Self {
        let limit = inner.config.cache_bytes;
        let places = inner.places.get(limit);
        Self { inner, branches, start: None, places }
    }

    pub(crate) fn branches(&self, place: GrammarPlace) -> Branches {
        self.places.lock().branches(place)
    }

    /// The place with these branches, of which each can be completed.
    pub(crate) fn place(&self, branches: &[Branch]) -> GrammarPlace {
        self.places.lock().number(branches)
    }
}

/// Nothing is computed while the places are locked: tables have locks of their own.
impl Continuations for Following<'_> {
    type Error = RuntimeError;
    type Place = GrammarPlace;

    fn start(&mut self) -> GrammarPlace {
        *self.start.get_or_insert_with(|| self.places.lock().number(self.branches))
    }

    fn next_bytes(&mut self, place: GrammarPlace) -> Result<ByteSet, RuntimeError> {
        let branches = {
            let places = self.places.lock();
            if let Some(known) = places.next_bytes(place) {
                return Ok(known);
            }
            places.branches(place)
        };
        let classes = classes(self.inner, &branches)?;
        let bytes = classes.iter().fold(ByteSet::EMPTY, |all, (bytes, _)| all.union(bytes));
        self.places.lock().set_classes(place, classes);
        Ok(bytes)
    }

    fn step(&mut self, place: GrammarPlace, byte: u8) -> Result<Option<GrammarPlace>, RuntimeError> {
        let mut branches = {
            let places = self.places.lock();
            if let Some(known) = places.step(place, byte) {
                return Ok(known);
            }
            places.branches(place)
        };
        let goes_on = advance(self.inner, &mut branches, byte)?;
        let mut places = self.places.lock();
        let next = goes_on.then(|| places.number(&branches));
        places.bytes += STEP_WEIGHT;
        places.steps.insert((place, byte), next);
        Ok(next)
    }
}

/// Advances by a byte; whether a text goes on from there.
fn advance(inner: &Inner, branches: &mut Branches, byte: u8) -> Result<bool, RuntimeError> {
    if commit::advance(inner, branches, &[byte]) == 0 {
        branches.clear();
    }
    Ok(!branches.is_empty() && commit::retain_viable(inner, branches)?)
}

/// What a byte does to the branches: equal for bytes that no branch tells apart.
type Step = SmallVec<[(StateId, SmallVec<[Thread; 2]>); 2]>;

/// The bytes after which some text goes on, by what they do to the branches, with the branches after them.
fn classes(inner: &Inner, branches: &[Branch]) -> Result<Vec<(ByteSet, Branches)>, RuntimeError> {
    let mut tried: FxHashMap<(Option<u8>, Step), Option<usize>> = FxHashMap::default();
    let mut found: Vec<(ByteSet, Branches)> = Vec::new();
    let apart = branches.iter().any(|branch| tells_bytes_apart(inner, branch));
    for byte in 0..=u8::MAX {
        let step = step(inner, branches, byte);
        if step.iter().all(|(next, started)| *next == Dfa::DEAD && started.is_empty()) {
            continue;
        }
        let key = (apart.then_some(byte), step);
        let class = match tried.get(&key) {
            Some(&known) => known,
            None => {
                let mut next: Branches = branches.iter().cloned().collect();
                let class = advance(inner, &mut next, byte)?.then_some(found.len());
                found.extend(class.map(|_| (ByteSet::EMPTY, next)));
                tried.insert(key, class);
                class
            }
        };
        if let Some((bytes, _)) = class.and_then(|class| found.get_mut(class)) {
            bytes.insert(byte);
        }
    }
    Ok(found)
}

/// Where the byte leads in each branch: inside the lexeme, and where it begins a new one.
fn step(inner: &Inner, branches: &[Branch], byte: u8) -> Step {
    let one = |branch: &Branch| match branch.lexeme {
        Lexeme::Boundary => (Dfa::DEAD, inner.lexer.starts(byte).iter().copied().collect()),
        Lexeme::Inside((component, state)) => {
            let dfa = inner.lexer.component(component).dfa();
            let started = match dfa.is_accepting(state) {
                true => inner.lexer.starts(byte).iter().copied().collect(),
                false => SmallVec::new(),
            };
            (dfa.next(state, byte), started)
        }
    };
    branches.iter().map(one).collect()
}

/// Whether longest match has a say, which looks at the byte itself.
fn tells_bytes_apart(inner: &Inner, branch: &Branch) -> bool {
    let pending = !branch.stacks.uniform().is_some_and(Alternatives::is_none);
    let Lexeme::Inside((component, state)) = branch.lexeme else { return pending };
    let component = inner.lexer.component(component);
    pending || component.matched(state).any(|terminal| !component.left(terminal, state).is_empty())
}
