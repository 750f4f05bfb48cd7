//! What a constraint must say at every moment, decided by the oracle alone.
//!
//! A token that is both bytes and a token event leaves two readings of the committed text; a reading lives as long as
//! it is viable. End tokens stand outside the language: allowed exactly when the text is complete.

use crate::case::{Case, Step};
use crate::oracle::{bytes, Event, Oracle};
use crate::rng::Rng;
use crate::TooLarge;

/// The most readings followed.
const READING_LIMIT: usize = 64;

/// One way to understand what was committed, and how much of it was there before the last commit; at the start, nothing.
struct Reading {
    events: Vec<Event>,
    before: Option<usize>,
}

/// Expected behaviour of one sequence.
pub struct Reference {
    oracle: Oracle,
    tokens: Vec<(u32, Vec<u8>)>,
    end_tokens: Vec<u32>,
    readings: Vec<Reading>,
    ended: bool,
    steps: usize,
}

impl Reference {
    /// At the start of the text of `case`.
    pub fn new(case: &Case) -> Result<Self, TooLarge> {
        let mut tokens = case.vocabulary.clone();
        tokens.sort_by(|a, b| (&a.1, a.0).cmp(&(&b.1, b.0)));
        let oracle = Oracle::new(case.spec.clone())?;
        let mut new =
            Self { oracle, tokens, end_tokens: case.end_tokens.clone(), readings: Vec::new(), ended: false, steps: 0 };
        new.reset()?;
        Ok(new)
    }

    /// Back to the start.
    pub fn reset(&mut self) -> Result<(), TooLarge> {
        (self.ended, self.steps) = (false, 0);
        let start = || Reading { events: Vec::new(), before: None };
        self.readings = if self.oracle.viable(&[])? { vec![start()] } else { vec![] };
        Ok(())
    }

    /// Does any text at all satisfy the specification?
    pub fn is_empty_language(&mut self) -> Result<bool, TooLarge> {
        Ok(!self.oracle.viable(&[])?)
    }

    /// Are the committed texts complete in some reading?
    pub fn is_accepting(&mut self) -> Result<bool, TooLarge> {
        if self.ended {
            return Ok(true);
        }
        for reading in &self.readings {
            if self.oracle.member_events(&reading.events)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Can nothing follow, with the text not complete?
    pub fn is_rejected(&self) -> bool {
        self.readings.is_empty() && !self.ended
    }

    /// Was an end token committed?
    pub fn is_ended(&self) -> bool {
        self.ended
    }

    /// Ids of all tokens allowed next, sorted.
    pub fn mask(&mut self) -> Result<Vec<u32>, TooLarge> {
        if self.ended {
            return Ok(Vec::new());
        }
        let mut allowed = Vec::new();
        // Sorted by bytes: what begins with a string that is not viable is not viable either.
        let mut dead: Option<Vec<u8>> = None;
        for (id, word) in self.tokens.clone() {
            let hopeless = dead.as_ref().is_some_and(|dead| word.starts_with(dead));
            let text = !word.is_empty() && !hopeless && self.any_viable(&bytes(&word))?;
            if text || self.any_viable(&[Event::Token(id)])? {
                allowed.push(id);
            }
            if !text && !word.is_empty() && !hopeless {
                dead = Some(word);
            }
        }
        if self.is_accepting()? {
            allowed.extend(&self.end_tokens);
        }
        allowed.sort_unstable();
        allowed.dedup();
        Ok(allowed)
    }

    /// The markers that the last commit made possible, as (offset, number): in every reading, at every place it added.
    pub fn markers(&mut self) -> Result<Vec<(usize, u32)>, TooLarge> {
        let mut found = Vec::new();
        let ids: Vec<u32> = self.oracle.spec().marks.iter().map(|mark| mark.1).collect();
        for Reading { events, before } in &self.readings {
            for place in before.map_or(0, |before| before + 1)..=events.len() {
                let width = |event: &Event| match event {
                    Event::Byte(_) => 1,
                    Event::Token(id) => self.tokens.iter().find(|t| t.0 == *id).map_or(0, |t| t.1.len()),
                };
                let offset = events[..place].iter().map(width).sum();
                for &id in &ids {
                    if !found.contains(&(offset, id)) && self.oracle.marker_may_stand(events, id, place)? {
                        found.push((offset, id));
                    }
                }
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    /// Number of commits since the start.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// One to four random bytes that may follow, if any may.
    pub fn viable_bytes(&mut self, rng: &mut Rng) -> Option<Vec<u8>> {
        let alphabet = self.oracle.spec().alphabet();
        let mut text = Vec::new();
        for _ in 0..rng.between(1, 4) {
            let mut candidates = rng.sample(&alphabet, alphabet.len()).into_iter();
            let viable = |&b: &u8| self.any_viable(&bytes(&[text.as_slice(), &[b]].concat())) == Ok(true);
            match candidates.find(viable) {
                Some(byte) => text.push(byte),
                None => break,
            }
        }
        (!text.is_empty()).then_some(text)
    }

    /// Commits `step`. A forbidden one leaves the reference rejected; after the end, and for unknown ids, nothing changes.
    pub fn commit(&mut self, step: &Step) -> Result<(), TooLarge> {
        self.steps += 1;
        match step {
            _ if self.ended || self.is_rejected() => Ok(()),
            Step::Bytes(text) if text.is_empty() => Ok(()),
            Step::Bytes(text) => self.advance(&[bytes(text)]),
            Step::Token(id) if self.end_tokens.contains(id) && self.is_accepting()? => {
                self.ended = true;
                self.readings.clear();
                Ok(())
            }
            Step::Token(id) if !self.is_known(*id) => Ok(()),
            Step::Token(id) => {
                let word = self.tokens.iter().find(|token| token.0 == *id).map(|token| bytes(&token.1));
                let mut ways: Vec<Vec<Event>> = word.into_iter().filter(|word| !word.is_empty()).collect();
                ways.push(vec![Event::Token(*id)]);
                self.advance(&ways)
            }
        }
    }

    fn is_known(&self, id: u32) -> bool {
        self.tokens.iter().any(|token| token.0 == id) || self.end_tokens.contains(&id)
    }

    fn advance(&mut self, ways: &[Vec<Event>]) -> Result<(), TooLarge> {
        let mut next = Vec::new();
        for reading in &self.readings {
            for way in ways {
                let longer = [reading.events.as_slice(), way].concat();
                if self.oracle.viable_events(&longer)? {
                    next.push(Reading { events: longer, before: Some(reading.events.len()) });
                }
            }
        }
        if next.len() > READING_LIMIT {
            return Err(TooLarge::new("readings of the text", READING_LIMIT));
        }
        self.readings = next;
        Ok(())
    }

    fn any_viable(&mut self, way: &[Event]) -> Result<bool, TooLarge> {
        for reading in &self.readings {
            if self.oracle.viable_events(&[reading.events.as_slice(), way].concat())? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
