//! Completions where rules beside the grammar hold: few bytes that obey them too.
//!
//! Mostly the shortest text of the grammar obeys the rules and is the answer. Otherwise A*: from the place in question by
//! one byte each, and what the grammar needs at least from a place to the end is the estimate. The search ends at the
//! first place from which the grammar's shortest text obeys the rules, since no other place can do with less. Of
//! the bytes that neither grammar nor rules tell apart one is tried.
//!
//! The estimate knows nothing of the rules, so that a text with many items that must differ is hard to find: each way to
//! choose those before counts. After [`EXACT`] places the search *settles*: where nothing is at stake some completion is
//! sure to be left, and all other beginnings are dropped. From then on items are chosen one by one, the shortest that is
//! new each time, and the text need not be the shortest. So it is where members are missing that an object must have: they
//! are written one after the other, as long as nothing is at stake.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use glrmask_instance::{Continuations, Tracker};
use rustc_hash::FxHashMap;

use crate::completion::{Search, With};
use crate::constraint::Inner;
use crate::error::RuntimeError;
use crate::following::{Following, GrammarPlace};
use crate::state::ConstraintState;

/// Places looked at for the fewest bytes.
const EXACT: usize = 20_000;
/// Places looked at for the next step of a text that need not have the fewest,
const STEP: usize = 20_000;
/// and in all.
const PLACES: usize = 2_000_000;

/// A text that obeys the rules.
pub(super) struct RuledText {
    pub(super) bytes: Vec<u8>,
    /// Whether it is certain that no shorter one does.
    pub(super) is_minimal: bool,
}

impl ConstraintState {
    /// The grammar's shortest completion if it obeys the rules, otherwise one that does.
    pub(super) fn by_the_rules(&self, found: Option<Vec<u8>>) -> Result<Option<RuledText>, RuntimeError> {
        let Some(bytes) = found else { return Ok(None) };
        match self.tracker().filter(|tracker| !obeys(tracker, &bytes)) {
            None => Ok(Some(RuledText { bytes, is_minimal: true })),
            Some(tracker) => Ruled::new(self.constraint().inner(), self).run(tracker),
        }
    }
}

fn obeys(tracker: &Tracker, text: &[u8]) -> bool {
    tracker.clone().advance(text).is_ok()
}

/// Where a beginning of a completion leads.
struct Place {
    tracker: Tracker,
    at: GrammarPlace,
    /// The place before, and the byte between.
    from: Option<(usize, u8)>,
    read: usize,
}

struct Ruled<'a> {
    inner: &'a Inner,
    following: Following<'a>,
    places: Vec<Place>,
    /// Places by the bytes of the whole completion, at least; the longest of them first.
    queue: BinaryHeap<(Reverse<usize>, usize, usize)>,
    /// The grammar's shortest text from a place.
    ends: FxHashMap<GrammarPlace, Option<Arc<[u8]>>>,
    /// What has been settled, if anything has.
    settled: Option<Vec<u8>>,
    /// Places before that.
    dropped: usize,
}

impl<'a> Ruled<'a> {
    fn new(inner: &'a Inner, state: &'a ConstraintState) -> Self {
        let (places, queue, ends) = (Vec::new(), BinaryHeap::new(), FxHashMap::default());
        Self {
            inner,
            following: Following::new(inner, state.branches()),
            places,
            queue,
            ends,
            settled: None,
            dropped: 0,
        }
    }

    fn run(mut self, tracker: &Tracker) -> Result<Option<RuledText>, RuntimeError> {
        let at = self.following.start();
        self.push(Place { tracker: tracker.clone(), at, from: None, read: 0 })?;
        while let Some((_, _, number)) = self.queue.pop() {
            let Some(place) = self.places.get(number) else { break };
            let (tracker, at) = (place.tracker.clone(), place.at);
            if let Some(rest) = self.end(at)?.filter(|rest| obeys(&tracker, rest)) {
                let is_minimal = self.settled.is_none();
                let bytes = [self.settled.as_deref().unwrap_or_default(), &self.read(number), &rest].concat();
                return Ok(Some(RuledText { bytes, is_minimal }));
            }
            self.check_limits()?;
            if self.write_missing(number, &tracker, at)? {
                continue;
            }
            match self.is_settling() && tracker.is_free() {
                true => self.settle(number)?,
                false => self.expand(number, &tracker, at)?,
            }
        }
        Ok(None)
    }

    fn is_settling(&self) -> bool {
        self.settled.is_some() || self.places.len() > EXACT
    }

    fn check_limits(&self) -> Result<(), RuntimeError> {
        let step = if self.settled.is_some() { STEP } else { EXACT + STEP };
        let what = "places on the way to a completion";
        RuntimeError::check_limit(what, self.places.len(), step)?;
        RuntimeError::check_limit(what, self.dropped + self.places.len(), PLACES)
    }

    /// Drops every beginning but this one, and goes on from there.
    fn settle(&mut self, number: usize) -> Result<(), RuntimeError> {
        let (tracker, at) = self.forget_others(number);
        self.expand(0, &tracker, at)
    }

    fn forget_others(&mut self, number: usize) -> (Tracker, GrammarPlace) {
        let read = self.read(number);
        self.settled.get_or_insert_default().extend(read);
        let Place { tracker, at, .. } = self.places.swap_remove(number);
        self.dropped += self.places.len();
        self.places.clear();
        self.queue.clear();
        self.ends.retain(|&place, _| place == at);
        self.places.push(Place { tracker: tracker.clone(), at, from: None, read: 0 });
        (tracker, at)
    }

    /// Where the grammar's shortest text ends an object that lacks a member: goes up to there and on to the value of that
    /// member, if the grammar spells its key as usual and nothing is at stake there. Which of several comes first makes no
    /// difference.
    fn write_missing(&mut self, number: usize, tracker: &Tracker, at: GrammarPlace) -> Result<bool, RuntimeError> {
        let Some(rest) = self.end(at)? else { return Ok(false) };
        let Err(violation) = tracker.clone().advance(&rest) else { return Ok(false) };
        let Some(key) = violation.missing() else { return Ok(false) };
        let before = rest.get(..violation.offset()).unwrap_or_default();
        let wanted = [before, b",", key.as_bytes(), b":"].concat();
        let Some((text, tracker, at)) = self.spell(tracker, at, &wanted, before.len())? else { return Ok(false) };
        if !tracker.is_free() {
            // What is written may have to be something else: another value of a member before, say.
            return Ok(false);
        }
        self.forget_others(number);
        self.settled.get_or_insert_default().extend(text);
        self.places.clear();
        self.push(Place { tracker, at, from: None, read: 0 })?;
        Ok(true)
    }

    /// The bytes and where they lead; from `comma` on they are a comma, a key and a colon, with a space before wherever the
    /// grammar wants it.
    fn spell(
        &mut self,
        tracker: &Tracker,
        mut at: GrammarPlace,
        wanted: &[u8],
        comma: usize,
    ) -> Result<Option<(Vec<u8>, Tracker, GrammarPlace)>, RuntimeError> {
        let mut text = Vec::new();
        for (number, &byte) in wanted.iter().enumerate() {
            let bytes = self.following.next_bytes(at)?;
            let is_apart = [comma, comma + 1, wanted.len() - 1].contains(&number);
            let space = (is_apart && !bytes.contains(byte)).then_some(b' ');
            for byte in space.into_iter().chain([byte]) {
                let Some(next) = self.following.step(at, byte)? else { return Ok(None) };
                text.push(byte);
                at = next;
            }
        }
        let mut tracker = tracker.clone();
        Ok(tracker.advance(&text).is_ok().then_some((text, tracker, at)))
    }

    /// Adds what is one byte on.
    fn expand(&mut self, number: usize, tracker: &Tracker, at: GrammarPlace) -> Result<(), RuntimeError> {
        let read = self.places.get(number).map_or(0, |place| place.read) + 1;
        let mut free = Vec::new();
        let freeing = tracker.freeing_bytes();
        for byte in self.following.next_bytes(at)?.iter() {
            let Some(next) = self.following.step(at, byte)? else { continue };
            if freeing.contains(byte) && free.contains(&next) {
                continue;
            }
            let mut tracker = tracker.clone();
            if tracker.advance(&[byte]).is_err() {
                continue;
            }
            if tracker.is_free() && !tracker.is_idle() {
                if free.contains(&next) {
                    continue;
                }
                free.push(next);
            }
            self.push(Place { tracker, at: next, from: Some((number, byte)), read })?;
        }
        Ok(())
    }

    fn push(&mut self, place: Place) -> Result<(), RuntimeError> {
        let Some(rest) = self.end(place.at)? else { return Ok(()) };
        self.queue.push((Reverse(rest.len() + place.read), place.read, self.places.len()));
        self.places.push(place);
        Ok(())
    }

    /// The bytes that lead to a place.
    fn read(&self, mut number: usize) -> Vec<u8> {
        let mut read = Vec::new();
        while let Some((before, byte)) = self.places.get(number).and_then(|place| place.from) {
            read.push(byte);
            number = before;
        }
        read.reverse();
        read
    }

    fn end(&mut self, at: GrammarPlace) -> Result<Option<Arc<[u8]>>, RuntimeError> {
        if let Some(known) = self.ends.get(&at) {
            return Ok(known.clone());
        }
        let branches = self.following.branches(at);
        let mut table = self.inner.completions.lock();
        let facts = table.facts(self.inner, With::Bytes);
        let mut search = Search::new(self.inner);
        let end = search.run(facts, &branches)?.then(|| search.spell(facts).bytes.into());
        drop(table);
        self.ends.insert(at, Option::clone(&end));
        Ok(end)
    }
}
