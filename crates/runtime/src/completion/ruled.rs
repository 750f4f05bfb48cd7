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
//! are written one after the other, as long as nothing is at stake; and where that search ends by its bounds, in another one,
//! whatever is at stake.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use glrmask_automata::TerminalId;
use glrmask_instance::Continuations;
use rustc_hash::FxHashMap;

use crate::beside::{Ahead, Beside};
use crate::commit;
use crate::completion::{Search, Text, With};
use crate::constraint::Inner;
use crate::error::RuntimeError;
use crate::following::{Following, GrammarPlace};
use crate::state::ConstraintState;

/// Places looked at for the fewest bytes; each counts once for every reading of the text.
const EXACT: usize = 20_000;
/// Places looked at for the next step of a text that need not have the fewest,
const STEP: usize = 20_000;
/// and in all.
const PLACES: usize = 2_000_000;

/// A text that obeys the rules.
pub(super) struct RuledText {
    pub(super) text: Text,
    /// Whether it is certain that no shorter one does.
    pub(super) is_minimal: bool,
}

impl ConstraintState {
    /// The grammar's shortest completion if it obeys the rules, otherwise one that does.
    pub(super) fn by_the_rules(&self, found: Option<Text>, with: With) -> Result<Option<RuledText>, RuntimeError> {
        let Some(text) = found else { return Ok(None) };
        let inner = self.constraint().inner();
        match self.beside() {
            Some(beside) if !beside.obeys(inner, &text)? => {
                match Ruled::new(inner, self, (with, false)).run(beside.clone()) {
                    Err(error) if error.is_limit() => Ruled::new(inner, self, (with, true)).run(beside),
                    found => found,
                }
            }
            _ => Ok(Some(RuledText { text, is_minimal: true })),
        }
    }
}

/// Where a beginning of a completion leads.
struct Place {
    /// Until it is looked at.
    beside: Option<Beside>,
    at: GrammarPlace,
    /// The place before, and what is between.
    from: Option<(usize, Step)>,
    /// What it has cost.
    read: u64,
}

/// Bytes, and where they lead.
type Spelled = (Vec<u8>, Beside, GrammarPlace);

#[derive(Clone, Copy)]
enum Step {
    Byte(u8),
    Event(TerminalId),
}

struct Ruled<'a> {
    inner: &'a Inner,
    with: With,
    following: Following<'a>,
    places: Vec<Place>,
    /// Readings of all places.
    readings: usize,
    /// Places by the cost of the whole completion, at least; those furthest on first.
    queue: BinaryHeap<(Reverse<u64>, u64, usize)>,
    /// The grammar's shortest text from a place.
    ends: FxHashMap<GrammarPlace, Option<Arc<Text>>>,
    /// What has been settled, if anything has.
    settled: Option<Text>,
    /// Readings before that.
    dropped: usize,
    /// Whether members that are missing are written even where something is at stake.
    dares: bool,
}

impl<'a> Ruled<'a> {
    fn new(inner: &'a Inner, state: &'a ConstraintState, (with, dares): (With, bool)) -> Self {
        let (places, queue, ends) = (Vec::new(), BinaryHeap::new(), FxHashMap::default());
        Self {
            inner,
            with,
            following: Following::new(inner, state.branches()),
            places,
            readings: 0,
            queue,
            ends,
            settled: None,
            dropped: 0,
            dares,
        }
    }

    fn run(mut self, beside: Beside) -> Result<Option<RuledText>, RuntimeError> {
        let at = self.following.start();
        self.push(Place { beside: Some(beside), at, from: None, read: 0 })?;
        while let Some((_, _, number)) = self.queue.pop() {
            let Some(place) = self.places.get_mut(number) else { break };
            let (Some(beside), at) = (place.beside.take(), place.at) else { continue };
            if let Some(rest) = self.end(at)? {
                if beside.obeys(self.inner, &rest)? {
                    let is_minimal = self.settled.is_none();
                    let text = self.settled.take().unwrap_or_default().then(&self.read(number)).then(&rest);
                    return Ok(Some(RuledText { text, is_minimal }));
                }
            }
            self.check_limits()?;
            if self.write_missing(number, &beside, at)? {
                continue;
            }
            match self.is_settling() && beside.is_free() {
                true => self.settle(number, &beside, at)?,
                false => self.expand(number, &beside, at)?,
            }
        }
        Ok(None)
    }

    fn is_settling(&self) -> bool {
        self.settled.is_some() || self.readings > EXACT
    }

    fn check_limits(&self) -> Result<(), RuntimeError> {
        let step = if self.settled.is_some() { STEP } else { EXACT + STEP };
        let what = "places on the way to a completion";
        RuntimeError::check_limit(what, self.readings, step)?;
        RuntimeError::check_limit(what, self.dropped + self.readings, PLACES)
    }

    /// Drops every beginning but this one, and goes on from there.
    fn settle(&mut self, number: usize, beside: &Beside, at: GrammarPlace) -> Result<(), RuntimeError> {
        self.forget_all_but(number, at);
        self.places.push(Place { beside: None, at, from: None, read: 0 });
        self.readings += 1;
        self.expand(0, beside, at)
    }

    /// Settles what leads to a place, and forgets the places; of their ends that of this one is kept.
    fn forget_all_but(&mut self, number: usize, at: GrammarPlace) {
        let read = self.read(number);
        self.settled.get_or_insert_default().push(&read);
        self.dropped += std::mem::take(&mut self.readings);
        self.places.clear();
        self.queue.clear();
        self.ends.retain(|&place, _| place == at);
    }

    /// Where the grammar's shortest text ends an object that lacks a member: goes up to there and on to the value of that
    /// member, if the grammar spells its key as usual and nothing is at stake there. Which of several comes first makes no
    /// difference.
    fn write_missing(&mut self, number: usize, beside: &Beside, at: GrammarPlace) -> Result<bool, RuntimeError> {
        let Some(rest) = self.end(at)? else { return Ok(false) };
        let rest = rest.parts().next().map(|(bytes, _)| bytes.to_vec()).unwrap_or_default();
        let Ahead::Breaks(Some(broken)) = beside.advance(self.inner, &rest)? else { return Ok(false) };
        let Some(key) = broken.missing() else { return Ok(false) };
        let before = rest.get(..broken.at).unwrap_or_default();
        let spelled = match self.spell_at_once(beside, at, (before, key))? {
            Some(spelled) => Some(spelled),
            None => self.spell(beside, at, &[before, b",", key.as_bytes(), b":"].concat(), before.len())?,
        };
        let Some((text, beside, at)) = spelled else { return Ok(false) };
        if !beside.is_free() && !self.dares {
            // What is written may have to be something else: another value of a member before, say.
            return Ok(false);
        }
        self.forget_all_but(number, at);
        self.settled.get_or_insert_default().push(&text.into());
        self.push(Place { beside: Some(beside), at, from: None, read: 0 })?;
        Ok(true)
    }

    /// Where a member of this key leads behind some bytes, without white space or with a space behind comma and colon. Of
    /// the places on the way nothing is asked: of many keys, many may go on like this one.
    fn spell_at_once(
        &mut self,
        beside: &Beside,
        at: GrammarPlace,
        (before, key): (&[u8], &str),
    ) -> Result<Option<Spelled>, RuntimeError> {
        for (comma, colon) in [(",", ":"), (", ", ": ")] {
            let text = [before, comma.as_bytes(), key.as_bytes(), colon.as_bytes()].concat();
            let mut branches = self.following.branches(at);
            let read = commit::advance(self.inner, &mut branches, &text);
            if read < text.len() || !commit::retain_viable(self.inner, &mut branches)? {
                continue;
            }
            if let Ahead::Goes(beside) = beside.advance(self.inner, &text)? {
                let at = self.following.place(&beside.branches().unwrap_or(branches));
                return Ok(Some((text, *beside, at)));
            }
        }
        Ok(None)
    }

    /// The bytes and where they lead; from `comma` on they are a comma, a key and a colon, with a space before wherever the
    /// grammar wants it.
    fn spell(
        &mut self,
        beside: &Beside,
        mut at: GrammarPlace,
        wanted: &[u8],
        comma: usize,
    ) -> Result<Option<Spelled>, RuntimeError> {
        let mut text = Vec::new();
        for (number, &byte) in wanted.iter().enumerate() {
            let mut next = self.following.step(at, byte)?;
            if next.is_none() && [comma, comma + 1, wanted.len() - 1].contains(&number) {
                let Some(spaced) = self.following.step(at, b' ')? else { return Ok(None) };
                text.push(b' ');
                next = self.following.step(spaced, byte)?;
            }
            let Some(next) = next else { return Ok(None) };
            text.push(byte);
            at = next;
        }
        let Ahead::Goes(beside) = beside.advance(self.inner, &text)? else { return Ok(None) };
        let at = self.place(&beside, at);
        Ok(Some((text, *beside, at)))
    }

    /// The grammar's place for it: of several readings some may be over.
    fn place(&self, beside: &Beside, at: GrammarPlace) -> GrammarPlace {
        beside.branches().map_or(at, |branches| self.following.place(&branches))
    }

    /// Adds what is one byte on.
    fn expand(&mut self, number: usize, beside: &Beside, at: GrammarPlace) -> Result<(), RuntimeError> {
        let read = self.places.get(number).map_or(0, |place| place.read) + 1;
        let mut free = Vec::new();
        let freeing = beside.freeing_bytes();
        for byte in self.following.next_bytes(at)?.iter() {
            let Some(next) = self.following.step(at, byte)? else { continue };
            if freeing.contains(byte) && free.contains(&next) {
                continue;
            }
            let Ahead::Goes(beside) = beside.advance(self.inner, &[byte])? else { continue };
            let next = self.place(&beside, next);
            if beside.is_free() && !beside.is_idle() {
                if free.contains(&next) {
                    continue;
                }
                free.push(next);
            }
            self.push(Place { beside: Some(*beside), at: next, from: Some((number, Step::Byte(byte))), read })?;
        }
        self.expand_events(number, beside)
    }

    /// Adds what is one token event on.
    fn expand_events(&mut self, number: usize, beside: &Beside) -> Result<(), RuntimeError> {
        if self.with == With::Bytes {
            return Ok(());
        }
        let read = self.places.get(number).map_or(0, |place| place.read) + self.event_cost();
        for terminal in self.inner.events.terminals() {
            let Some(beside) = beside.after_event(self.inner, terminal)? else { continue };
            let Some(branches) = beside.branches() else { continue };
            let at = self.following.place(&branches);
            self.push(Place { beside: Some(beside), at, from: Some((number, Step::Event(terminal))), read })?;
        }
        Ok(())
    }

    fn event_cost(&self) -> u64 {
        self.inner.vocab.max_token_len().max(1) as u64
    }

    fn push(&mut self, place: Place) -> Result<(), RuntimeError> {
        let Some(rest) = self.end(place.at)? else { return Ok(()) };
        self.queue.push((Reverse(rest.cost.saturating_add(place.read)), place.read, self.places.len()));
        self.readings += place.beside.as_ref().map_or(1, Beside::readings);
        self.places.push(place);
        Ok(())
    }

    /// The text that leads to a place.
    fn read(&self, mut number: usize) -> Text {
        let mut steps = Vec::new();
        while let Some((before, step)) = self.places.get(number).and_then(|place| place.from) {
            steps.push(step);
            number = before;
        }
        let mut read = Text::default();
        for step in steps.into_iter().rev() {
            match step {
                Step::Byte(byte) => read.push(&vec![byte].into()),
                Step::Event(terminal) => read.push(&Text::event(terminal, self.event_cost())),
            }
        }
        read
    }

    fn end(&mut self, at: GrammarPlace) -> Result<Option<Arc<Text>>, RuntimeError> {
        if let Some(known) = self.ends.get(&at) {
            return Ok(known.clone());
        }
        let branches = self.following.branches(at);
        let mut table = self.inner.completions.lock();
        let facts = table.facts(self.inner, self.with);
        let mut search = Search::new(self.inner);
        let end = search.run(facts, &branches)?.then(|| Arc::new(search.spell(facts)));
        drop(table);
        self.ends.insert(at, Option::clone(&end));
        Ok(end)
    }
}
