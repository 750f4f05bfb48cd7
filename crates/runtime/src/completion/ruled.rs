//! Completions where rules beside the grammar hold: the fewest bytes that obey them too.
//!
//! Mostly the shortest text of the grammar obeys the rules and is the answer. Otherwise A*: from the place in question by
//! one byte each, and what the grammar needs at least from a place to the end is the estimate. The search ends at the
//! first place from which the grammar's shortest text obeys the rules, since no other place can do with less. Of
//! the bytes that neither grammar nor rules tell apart one is tried.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glrmask_instance::{Continuations, Tracker};

use crate::branch::Branches;
use crate::commit;
use crate::completion::{Search, With};
use crate::constraint::Inner;
use crate::error::RuntimeError;
use crate::instance::{self, Following};
use crate::state::ConstraintState;

/// Places looked at in search of a completion that obeys the rules.
const MAX_PLACES: usize = 20_000;

impl ConstraintState {
    /// The grammar's shortest completion if it obeys the rules, otherwise the shortest that does.
    pub(super) fn by_the_rules(&self, found: Option<Vec<u8>>) -> Result<Option<Vec<u8>>, RuntimeError> {
        let (Some(tracker), Some(text)) = (self.tracker(), &found) else { return Ok(found) };
        if obeys(tracker, text) {
            return Ok(found);
        }
        let branches = self.branches().iter().cloned().collect();
        Ruled { inner: self.constraint().inner(), places: Vec::new(), queue: BinaryHeap::new() }.run(tracker, &branches)
    }
}

fn obeys(tracker: &Tracker, text: &[u8]) -> bool {
    tracker.clone().advance(text).is_ok()
}

struct Place {
    tracker: Tracker,
    branches: Branches,
    read: Vec<u8>,
}

struct Ruled<'a> {
    inner: &'a Inner,
    places: Vec<Place>,
    /// Places by the bytes of the whole completion, at least; the longest of them first.
    queue: BinaryHeap<(Reverse<u64>, usize, usize)>,
}

impl Ruled<'_> {
    fn run(&mut self, tracker: &Tracker, branches: &Branches) -> Result<Option<Vec<u8>>, RuntimeError> {
        self.push(Place { tracker: tracker.clone(), branches: branches.clone(), read: Vec::new() })?;
        let mut following = Following::new(self.inner, branches);
        while let Some((_, _, number)) = self.queue.pop() {
            RuntimeError::check_limit("places on the way to a completion", self.places.len(), MAX_PLACES)?;
            let Some(Place { tracker, branches, read }) = self.places.get(number) else { break };
            let (tracker, branches, read) = (tracker.clone(), branches.clone(), read.clone());
            if let Some(rest) = self.shortest(&branches)? {
                if obeys(&tracker, &rest) {
                    return Ok(Some([read, rest].concat()));
                }
            }
            let mut free = Vec::new();
            for byte in following.next_bytes(&read)?.iter() {
                let mut next = Place { tracker: tracker.clone(), branches: branches.clone(), read: read.clone() };
                next.read.push(byte);
                let read = commit::advance(self.inner, &mut next.branches, &[byte]) == 1;
                if !read || !commit::retain_viable(self.inner, &mut next.branches)? {
                    continue;
                }
                if next.tracker.advance(&[byte]).is_err() {
                    continue;
                }
                if next.tracker.is_free() && !next.tracker.is_idle() {
                    let key = instance::key(&next.branches);
                    if key.is_some() && free.contains(&key) {
                        continue;
                    }
                    free.push(key);
                }
                self.push(next)?;
            }
        }
        Ok(None)
    }

    fn push(&mut self, place: Place) -> Result<(), RuntimeError> {
        let Some(rest) = self.cost(&place.branches)? else { return Ok(()) };
        let read = place.read.len();
        self.queue.push((Reverse(rest.saturating_add(read as u64)), read, self.places.len()));
        self.places.push(place);
        Ok(())
    }

    /// Bytes that the grammar needs to the end.
    fn cost(&self, branches: &Branches) -> Result<Option<u64>, RuntimeError> {
        let mut search = Search::new(self.inner);
        let found = search.run(self.inner.completions.lock().facts(self.inner, With::Bytes), branches)?;
        Ok(found.then_some(search.cost))
    }

    fn shortest(&self, branches: &Branches) -> Result<Option<Vec<u8>>, RuntimeError> {
        let mut table = self.inner.completions.lock();
        let facts = table.facts(self.inner, With::Bytes);
        let mut search = Search::new(self.inner);
        Ok(search.run(facts, branches)?.then(|| search.spell(facts).bytes))
    }
}
