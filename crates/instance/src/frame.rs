//! Open arrays and objects, innermost first, as a shared stack.
//!
//! A frame knows the *candidates*: finished values of the same kind that it may still become, among those it must not.
//! For an item of a unique array these are the earlier items; for anything within such an item, the parts of them that
//! stand at the same place, as long as everything around has been the same. So they say at any depth whether something is
//! at stake, and narrow as items and members are finished:
//!
//! ```text
//! [{"a": 1, "b": 2}, {"a": 3}, {            candidates of {       both objects
//!                               "a": 1             after  "a": 1  the first
//!                               , "b": 2           after  "b": 2  the first: equal, if it ends here
//! ```
//!
//! Where a value equals a part of a candidate, the part is taken in its place. So around it a comparison ends at once,
//! and comparing at every level costs the size of the value once, not once per level.

use std::ops::Bound;
use std::sync::Arc;

use crate::pieces::Pieces;
use crate::run::Ranges;
use crate::shelf::Shelf;
use crate::value::{same, tag, Entry, Value};
use crate::{ObjectRules, PlaceId, Rules};

/// An open array or object.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) parent: Option<Arc<Frame>>,
    pub(crate) place: Option<PlaceId>,
    /// Whether its value is wanted: it is within an item of a unique array.
    pub(crate) keep: bool,
    /// Whether a rule holds here or around.
    pub(crate) watched: bool,
    /// Whether an array or object around is not settled.
    pub(crate) unsettled_around: bool,
    /// Whether an object around has not all members yet that it must have.
    pub(crate) missing_around: bool,
    /// What was remembered before it began, in bytes.
    pub(crate) before: usize,
    /// Values that it may still become, among those it must not.
    pub(crate) candidates: Ranges,
    pub(crate) body: Body,
}

#[derive(Clone, Debug)]
pub(crate) enum Body {
    Array(ArrayBody),
    Object(ObjectBody),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ArrayBody {
    /// Finished items.
    pub(crate) count: u32,
    pub(crate) unique: bool,
    /// Finished items sorted, if they must be unique.
    pub(crate) used: Shelf,
    /// Finished items in order, if the value is wanted.
    pub(crate) items: Pieces<Arc<Value>, 4>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectBody {
    pub(crate) distinct: bool,
    /// Members begun.
    pub(crate) count: u32,
    /// Members that must still come.
    pub(crate) missing: u32,
    /// The first of them by key, as the text of a string.
    pub(crate) first_missing: Option<Arc<[u8]>>,
    /// Finished members by key, if the value is wanted or keys are distinct.
    pub(crate) members: Shelf,
    /// The candidates when it began: a key that stands twice can make one of them possible again.
    pub(crate) initial: Ranges,
    /// For each of them the finished members that it does not have, once a key has stood twice.
    pub(crate) apart: Option<Arc<[u32]>>,
    /// The candidates that were possible again last.
    pub(crate) again: Ranges,
    /// The key of the member in progress, as the text of a string.
    pub(crate) key: Option<Arc<[u8]>>,
    /// The place of the member in progress.
    pub(crate) place: Option<PlaceId>,
    /// What the value of the member in progress must not become.
    pub(crate) values: Ranges,
}

impl Frame {
    /// Whether it, or an object around, has not all members yet that it must have.
    pub(crate) fn misses_members(&self) -> bool {
        self.missing_around || matches!(&self.body, Body::Object(object) if object.missing > 0)
    }

    /// The first member, as the text of its key, that it must have and has not.
    pub(crate) fn missing_key(&self) -> Option<Arc<[u8]>> {
        let Body::Object(object) = &self.body else { return None };
        object.first_missing.clone().filter(|_| object.missing > 0)
    }

    /// A member with a key that must be there has begun: if it was the first that was missing, finds the next. Together
    /// O(required · log members) for all members.
    pub(crate) fn note_present(&mut self, asked: &ObjectRules, key: &[u8]) {
        let Body::Object(object) = &mut self.body else { return };
        let is_first = object.first_missing.as_deref().and_then(|text| text.get(1..)) == Some(key);
        let Some(key) = std::str::from_utf8(key).ok().filter(|_| is_first) else { return };
        let later = asked.required.range::<str, _>((Bound::Excluded(key), Bound::Unbounded));
        object.first_missing = later.map(|key| key_text(key)).find(|text| object.members.get(text).is_none());
    }

    /// Whether the values in it are wanted.
    pub(crate) fn keeps_values(&self) -> bool {
        self.keep || matches!(&self.body, Body::Array(array) if array.unique)
    }

    /// The place of the value that begins now.
    pub(crate) fn next_place(&self, rules: &Rules) -> Option<PlaceId> {
        match &self.body {
            Body::Array(array) => rules.array(self.place)?.item(array.count),
            Body::Object(object) => object.place,
        }
    }

    /// What the next value in it must not become.
    pub(crate) fn next_values(&self) -> Ranges {
        match &self.body {
            Body::Array(array) => {
                let mut ranges = array.used.ranges(true);
                if !self.candidates.is_empty() {
                    ranges.extend(self.candidates.items(array.count as usize));
                }
                ranges
            }
            Body::Object(object) => object.values.clone(),
        }
    }

    /// What the next key must not become, and what must be noticed about it.
    pub(crate) fn next_keys(&self) -> Ranges {
        let Body::Object(object) = &self.body else { return Ranges::default() };
        let mut keys = if self.candidates.is_empty() { Ranges::default() } else { self.candidates.keys() };
        if object.distinct || !object.initial.is_empty() {
            keys.extend(object.members.ranges(object.distinct));
        }
        keys
    }

    /// Whether a value or key that begins now has something to become that has to be noticed.
    pub(crate) fn watches_next(&self) -> bool {
        match &self.body {
            Body::Array(array) => !array.used.is_empty() || !self.candidates.is_empty(),
            Body::Object(object) if object.key.is_some() => !object.values.is_empty(),
            Body::Object(object) => {
                let repeats = object.distinct || !object.initial.is_empty();
                !self.candidates.is_empty() || repeats && !object.members.is_empty()
            }
        }
    }

    /// Adds a finished item; an error if it repeats one.
    pub(crate) fn add_item(&mut self, value: Option<Arc<Value>>) -> Result<(), Arc<Value>> {
        let Body::Array(array) = &mut self.body else { return Ok(()) };
        let position = array.count as usize;
        array.count = array.count.saturating_add(1);
        let Some(mut value) = value else { return Ok(()) };
        if !self.candidates.is_empty() {
            self.candidates = match self.candidates.items(position).find(&value) {
                Some(equal) => {
                    value = equal.clone();
                    self.candidates.filter(|other| other.items().get(position).is_some_and(|item| same(item, &value)))
                }
                None => Ranges::default(),
            };
        }
        if array.unique {
            if array.used.contains(&value) {
                return Err(value);
            }
            array.used.insert(Entry::of(&value));
        }
        if self.keep {
            array.items.push(value);
        }
        Ok(())
    }

    /// The key of the next member, a required one or not, has been read; an error if it must not stand twice and does.
    pub(crate) fn begin_member(
        &mut self,
        key: Option<Vec<u8>>,
        place: Option<PlaceId>,
        is_required: bool,
    ) -> Result<(), Arc<[u8]>> {
        let Body::Object(object) = &mut self.body else { return Ok(()) };
        object.place = place;
        object.count = object.count.saturating_add(1);
        let key: Arc<[u8]> = key.unwrap_or_default().into();
        let repeated = object.members.get(&key);
        if repeated.is_some() && object.distinct {
            return Err(key);
        }
        object.missing = object.missing.saturating_sub(u32::from(is_required));
        if !object.initial.is_empty() {
            if let Some(before) = repeated.cloned() {
                self.candidates = object.without(&before);
            }
            object.values = self.candidates.members(&key);
        }
        object.key = Some(key);
        Ok(())
    }

    /// The value of the member in progress is finished. `None` where it is not wanted.
    pub(crate) fn end_member(&mut self, value: Option<Arc<Value>>) {
        let Body::Object(object) = &mut self.body else { return };
        object.place = None;
        let key = object.key.take();
        // Of a value that is not wanted, only the key is remembered, and only if keys are distinct.
        let value = value.or_else(|| object.distinct.then(|| Value::scalar(vec![tag::NULL])));
        let (Some(text), Some(value)) = (key, value) else { return };
        let mut member = Entry { text, value };
        if !self.candidates.is_empty() {
            self.candidates = match object.values.find(&member.value) {
                Some(equal) => {
                    member.value = equal.clone();
                    self.candidates.filter(|value| agrees(value, &member))
                }
                None => Ranges::default(),
            };
        }
        object.values.clear();
        object.put(member);
    }

    /// Its value, if wanted.
    pub(crate) fn value(&self) -> Option<Arc<Value>> {
        self.keep.then(|| match &self.body {
            Body::Array(array) => Value::array(array.items.to_vec()),
            Body::Object(object) => Value::object(object.members.sorted()),
        })
    }
}

impl ObjectBody {
    /// Adds a finished member, in the place of one with its key. O(log² members), and O(candidates) once a key has stood
    /// twice.
    fn put(&mut self, member: Entry) {
        if let Some(apart) = self.apart.take() {
            let before = self.members.get(&member.text).cloned();
            self.apart = Some(self.counted(&apart, before.as_ref(), Some(&member)));
        }
        self.members.put(member);
    }

    /// The initial candidates that have all finished members but this one. O(candidates), and O(members · candidates)
    /// the first time.
    fn without(&mut self, member: &Entry) -> Ranges {
        let apart = self.apart.take().unwrap_or_else(|| {
            let none: Arc<[u32]> = (0..self.initial.len()).map(|_| 0).collect();
            self.members.sorted().iter().fold(none, |apart, member| self.counted(&apart, None, Some(member)))
        });
        let others = self.counted(&apart, Some(member), None);
        self.apart = Some(apart);
        let mut counts = others.iter();
        let again = self.initial.filter(|_| counts.next() == Some(&0));
        // What is known of their columns is of use as long as they are the same.
        if !again.have_the_same(&self.again) {
            self.again = again;
        }
        self.again.clone()
    }

    /// For each initial candidate the members that it does not have, when one goes and one comes.
    fn counted(&self, apart: &[u32], gone: Option<&Entry>, come: Option<&Entry>) -> Arc<[u32]> {
        let lacks = |value: &Value, member: Option<&Entry>| u32::from(member.is_some_and(|m| !agrees(value, m)));
        let mut counts = apart.iter().copied();
        let mut counted = Vec::with_capacity(apart.len());
        self.initial.for_each(|value| {
            let count = counts.next().unwrap_or_default();
            counted.push(count.saturating_add(lacks(value, come)).saturating_sub(lacks(value, gone)));
        });
        counted.into()
    }
}

/// A key as the text of a string.
pub(crate) fn key_text(key: &str) -> Arc<[u8]> {
    [&[tag::STRING], key.as_bytes()].concat().into()
}

fn agrees(value: &Value, member: &Entry) -> bool {
    value.member(&member.text).is_some_and(|other| same(other, &member.value))
}

/// Drops the frames around one after the other: there may be more of them than calls fit on a stack.
impl Drop for Frame {
    fn drop(&mut self) {
        let mut parent = self.parent.take();
        while let Some(mut frame) = parent.and_then(Arc::into_inner) {
            parent = frame.parent.take();
        }
    }
}
