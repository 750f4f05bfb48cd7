//! Following a JSON text byte by byte under rules: syntax, places, values, what is at stake.
//!
//! JSON is deterministic: what has been read says which token is in progress and which containers are open. One step
//! does what the byte says; where a value or key ends, its container takes it in, and that is where rules break.

use std::sync::Arc;

use glrmask_automata::ByteSet;

use crate::frame::{key_text, ArrayBody, Body, Frame, ObjectBody};
use crate::number::Number;
use crate::run::{Identity, Ranges};
use crate::search::is_space;
use crate::string::{Step, Text};
use crate::value::{tag, Value};
use crate::{PlaceId, Rules};

/// Bytes counted for an open container.
const FRAME_WEIGHT: usize = size_of::<Frame>() + 2 * size_of::<usize>();

/// A state of the tracker; the rules are handed in. Cloning is O(1) and shares everything that has been finished.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// The innermost open container.
    top: Option<Arc<Frame>>,
    lexeme: Lexeme,
    /// Bytes held for rules that are still in force.
    remembered: usize,
}

/// What is being read.
#[derive(Clone, Debug)]
enum Lexeme {
    /// Nothing: the next byte that is no white space is this.
    Between(Next),
    /// `true`, `false`, `null`: what is missing, the text of the value if it is wanted, and whether it is at stake.
    Literal {
        missing: &'static [u8],
        tag: u8,
        keep: bool,
        at_stake: bool,
    },
    Number(Number),
    Value(Text),
    Key(Text),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Next {
    Value,
    /// A value or `]`.
    FirstItem,
    /// A key or `}`.
    FirstKey,
    Key,
    Colon,
    /// A comma or the end of the container.
    Comma,
    /// Nothing: the text is complete.
    End,
}

impl Default for Lexeme {
    fn default() -> Self {
        Self::Between(Next::Value)
    }
}

/// Why a text cannot go on with a byte.
#[derive(Debug)]
pub(crate) enum Fault {
    NotJson,
    Item(Arc<Value>),
    Key(Arc<[u8]>),
    /// An object ends without a member that it must have.
    Missing(Arc<[u8]>),
}

impl Fault {
    pub(crate) fn is_not_json(&self) -> bool {
        matches!(self, Self::NotJson)
    }
}

/// How a token may matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Attention {
    /// Its first bytes do.
    Watched,
    /// Only what comes after a byte that begins an item or a member.
    Structure,
    /// The same, and a string has to end before.
    InString,
}

impl State {
    pub(crate) fn remembered(&self) -> usize {
        self.remembered
    }

    /// Whether no array, object or string is open.
    pub(crate) fn is_outermost(&self) -> bool {
        self.top.is_none() && !self.is_in_string()
    }

    /// Whether a rule holds here: an open array must have unique items, or an open object distinct keys.
    pub(crate) fn is_watched(&self) -> bool {
        self.top.as_ref().is_some_and(|frame| frame.watched)
    }

    /// Whether the grammar's word is not enough that the text can be completed.
    pub(crate) fn is_at_stake(&self, rules: &Rules) -> bool {
        let Some(frame) = self.top.as_deref().filter(|frame| frame.watched) else { return false };
        let lexeme = match &self.lexeme {
            Lexeme::Between(_) => match &frame.body {
                Body::Object(object) if object.key.is_some() => !object.values.is_empty(),
                _ => !frame.candidates.is_empty(),
            },
            Lexeme::Literal { at_stake, .. } => *at_stake,
            Lexeme::Number(number) => number.is_at_stake(),
            Lexeme::Value(text) | Lexeme::Key(text) => text.is_at_stake(),
        };
        lexeme || self.is_unsettled_anywhere(rules)
    }

    /// Whether an open array or object is not settled where it is.
    pub(crate) fn is_unsettled_anywhere(&self, rules: &Rules) -> bool {
        self.top.as_deref().is_some_and(|frame| frame.unsettled_around || self.is_unsettled(frame, rules))
    }

    /// Whether the innermost container is not settled where it is.
    fn is_unsettled(&self, frame: &Frame, rules: &Rules) -> bool {
        match &frame.body {
            Body::Array(array) => rules.array(frame.place).is_some_and(|asked| {
                let begins = matches!(self.lexeme, Lexeme::Between(Next::Value | Next::FirstItem));
                array.unique && (array.count < asked.settled_from || begins && array.count >= asked.settled_until)
            }),
            Body::Object(object) => rules.object(frame.place).is_some_and(|asked| {
                let begins = matches!(self.lexeme, Lexeme::Between(Next::Key));
                object.distinct && begins && object.count >= asked.settled_until
            }),
        }
    }

    /// Whether an open object has not all members yet that it must have, so that what closes it is refused.
    pub(crate) fn misses_members(&self) -> bool {
        self.top.as_ref().is_some_and(|frame| frame.misses_members())
    }

    pub(crate) fn is_in_string(&self) -> bool {
        matches!(self.lexeme, Lexeme::Value(_) | Lexeme::Key(_))
    }

    /// Where tokens have to be looked at.
    pub(crate) fn attention(&self, rules: &Rules) -> Attention {
        let in_string = match &self.lexeme {
            Lexeme::Value(text) | Lexeme::Key(text) if text.is_watched() => return Attention::Watched,
            Lexeme::Value(_) | Lexeme::Key(_) => true,
            Lexeme::Between(Next::Value | Next::FirstItem | Next::Key | Next::FirstKey | Next::Colon) => {
                if self.top.as_ref().is_some_and(|frame| frame.watches_next()) {
                    return Attention::Watched;
                }
                false
            }
            _ => false,
        };
        match (self.is_at_stake(rules), in_string) {
            (true, _) => Attention::Watched,
            (false, true) => Attention::InString,
            (false, false) => Attention::Structure,
        }
    }

    /// The bytes after which a token may matter at once. After others it is not JSON, or matters only by what comes
    /// after a string has ended, or an item or member begun.
    pub(crate) fn telling_bytes(&self, attention: Attention) -> ByteSet {
        match &self.lexeme {
            Lexeme::Value(text) | Lexeme::Key(text) => text.telling_bytes(),
            _ if attention == Attention::Structure => b",[{}".iter().copied().collect(),
            _ => b" \t\n\r\"+,-.0123456789:E[]aeflnrstu{}".iter().copied().collect(),
        }
    }

    /// Bytes after which nothing is at stake, if they may come and every array is settled. There may be others.
    pub(crate) fn leads_off(&self) -> ByteSet {
        match &self.lexeme {
            Lexeme::Value(text) | Lexeme::Key(text) => text.leads_off(),
            Lexeme::Number(number) => number.leads_off(),
            _ => ByteSet::EMPTY,
        }
    }

    /// What tells it from other states that have come from one: what its future depends on, though states that do the same
    /// may differ.
    pub(crate) fn identity(&self) -> Identity {
        let mut out = Identity::new();
        out.push(self.top.as_ref().map_or(0, |top| Arc::as_ptr(top) as usize as u64));
        match &self.lexeme {
            Lexeme::Between(next) => out.extend([0, *next as u64]),
            Lexeme::Literal { missing, tag, keep, at_stake } => {
                let flags = u64::from(*keep) << 1 | u64::from(*at_stake);
                out.extend([1, missing.len() as u64, u64::from(*tag), flags]);
            }
            Lexeme::Number(number) => {
                out.push(2);
                number.identify(&mut out);
            }
            Lexeme::Value(text) => {
                out.push(3);
                text.identify(&mut out);
            }
            Lexeme::Key(text) => {
                out.push(4);
                text.identify(&mut out);
            }
        }
        out
    }

    /// Reads a byte. After a fault the state is of no use.
    pub(crate) fn step(&mut self, rules: &Rules, byte: u8) -> Result<(), Fault> {
        match &mut self.lexeme {
            Lexeme::Between(next) => {
                let next = *next;
                self.between(rules, next, byte)
            }
            Lexeme::Value(text) => match text.step(byte) {
                Step::Goes => Ok(()),
                Step::Never => Err(Fault::NotJson),
                Step::Ends => {
                    let value = text.text().map(Value::scalar);
                    self.finish(value)
                }
            },
            Lexeme::Key(text) => match text.step(byte) {
                Step::Goes => Ok(()),
                Step::Never => Err(Fault::NotJson),
                Step::Ends => {
                    let key = text.text();
                    self.finish_key(rules, key)
                }
            },
            Lexeme::Number(number) => {
                if number.step(byte) {
                    return Ok(());
                }
                if !number.is_complete() {
                    return Err(Fault::NotJson);
                }
                let value = number.text().map(Value::scalar);
                self.finish(value)?;
                self.step(rules, byte)
            }
            Lexeme::Literal { missing, tag, keep, .. } => {
                match missing.split_first() {
                    Some((&expected, rest)) if expected == byte => *missing = rest,
                    _ => return Err(Fault::NotJson),
                }
                if missing.is_empty() {
                    let value = keep.then(|| Value::scalar(vec![*tag]));
                    self.finish(value)?;
                }
                Ok(())
            }
        }
    }

    fn between(&mut self, rules: &Rules, next: Next, byte: u8) -> Result<(), Fault> {
        match (next, byte) {
            (_, byte) if is_space(byte) => Ok(()),
            (Next::FirstItem, b']') | (Next::FirstKey, b'}') => self.close(),
            (Next::Value | Next::FirstItem, _) => self.begin_value(rules, byte),
            (Next::Key | Next::FirstKey, b'"') => {
                self.begin_key(rules);
                Ok(())
            }
            (Next::Colon, b':') => {
                self.lexeme = Lexeme::Between(Next::Value);
                Ok(())
            }
            (Next::Comma, _) => match (self.top.as_deref().map(|frame| &frame.body), byte) {
                (Some(Body::Array(_)), b']') | (Some(Body::Object(_)), b'}') => self.close(),
                (Some(Body::Array(_)), b',') => {
                    self.lexeme = Lexeme::Between(Next::Value);
                    Ok(())
                }
                (Some(Body::Object(_)), b',') => {
                    self.lexeme = Lexeme::Between(Next::Key);
                    Ok(())
                }
                _ => Err(Fault::NotJson),
            },
            _ => Err(Fault::NotJson),
        }
    }

    fn begin_value(&mut self, rules: &Rules, byte: u8) -> Result<(), Fault> {
        let (keep, ranges) = match self.top.as_deref() {
            Some(frame) if frame.keeps_values() => (true, frame.next_values()),
            _ => (false, Ranges::default()),
        };
        let literal = |missing, tag, ranges: &Ranges| {
            Ok(Lexeme::Literal { missing, tag, keep, at_stake: ranges.have_prefix(&[tag]) })
        };
        let lexeme = match byte {
            b'"' => Ok(Lexeme::Value(Text::begin(keep, ranges))),
            b'n' => literal(b"ull", tag::NULL, &ranges),
            b'f' => literal(b"alse", tag::FALSE, &ranges),
            b't' => literal(b"rue", tag::TRUE, &ranges),
            b'[' | b'{' => return self.open(rules, byte, keep, &ranges),
            _ => Number::begin(byte, keep, &ranges).map(Lexeme::Number).ok_or(Fault::NotJson),
        };
        self.lexeme = lexeme?;
        Ok(())
    }

    /// Opens an array or object whose value must not become any of these.
    fn open(&mut self, rules: &Rules, byte: u8, keep: bool, ranges: &Ranges) -> Result<(), Fault> {
        let parent = self.top.take();
        let place = match &parent {
            Some(frame) => frame.next_place(rules),
            None => Some(PlaceId::ROOT),
        };
        let is_array = byte == b'[';
        let candidates = if ranges.is_empty() {
            Ranges::default()
        } else {
            ranges.narrowed(0, if is_array { tag::ARRAY } else { tag::OBJECT })
        };
        let (body, asked, next) = if is_array {
            let unique = rules.array(place).is_some_and(|asked| asked.unique);
            (Body::Array(ArrayBody { unique, ..ArrayBody::default() }), unique, Next::FirstItem)
        } else {
            let asked = rules.object(place);
            let distinct = asked.is_some_and(|asked| asked.distinct);
            let missing = asked.map_or(0, |asked| asked.needed());
            let first_missing = asked.and_then(|asked| asked.required.first()).map(|key| key_text(key));
            let initial = candidates.clone();
            let body = ObjectBody { distinct, missing, first_missing, initial, ..ObjectBody::default() };
            (Body::Object(body), distinct, Next::FirstKey)
        };
        let around = parent.as_deref();
        let watched = asked || around.is_some_and(|frame| frame.watched);
        let unsettled_around = around.is_some_and(|frame| frame.unsettled_around || self.is_unsettled(frame, rules));
        let missing_around = around.is_some_and(|frame| frame.misses_members());
        let before = self.remembered;
        self.remembered += FRAME_WEIGHT;
        let frame = Frame { parent, place, keep, watched, unsettled_around, missing_around, before, candidates, body };
        self.top = Some(Arc::new(frame));
        self.lexeme = Lexeme::Between(next);
        Ok(())
    }

    /// The innermost container ends.
    fn close(&mut self) -> Result<(), Fault> {
        let Some(frame) = self.top.take() else { return Err(Fault::NotJson) };
        if let Some(key) = frame.missing_key() {
            return Err(Fault::Missing(key));
        }
        let value = frame.value();
        if !frame.keep {
            self.remembered = frame.before;
        }
        self.top = frame.parent.clone();
        self.finish(value)
    }

    /// A value ends; it is there if it is wanted.
    fn finish(&mut self, value: Option<Arc<Value>>) -> Result<(), Fault> {
        let Some(top) = &mut self.top else {
            self.lexeme = Lexeme::Between(Next::End);
            return Ok(());
        };
        self.lexeme = Lexeme::Between(Next::Comma);
        self.remembered += value.as_ref().map_or(0, |value| value.weight());
        let frame = Arc::make_mut(top);
        match frame.body {
            Body::Array(_) => frame.add_item(value).map_err(Fault::Item),
            Body::Object(_) => {
                frame.end_member(value);
                Ok(())
            }
        }
    }

    fn begin_key(&mut self, rules: &Rules) {
        let Some(frame) = self.top.as_deref() else { return };
        let Body::Object(object) = &frame.body else { return };
        let reads_keys = rules.object(frame.place).is_some_and(|asked| asked.reads_keys());
        let keep = frame.keep || object.distinct || reads_keys;
        self.lexeme = Lexeme::Key(Text::begin(keep, frame.next_keys()));
    }

    fn finish_key(&mut self, rules: &Rules, key: Option<Vec<u8>>) -> Result<(), Fault> {
        self.lexeme = Lexeme::Between(Next::Colon);
        let Some(top) = &mut self.top else { return Ok(()) };
        let frame = Arc::make_mut(top);
        let content = key.as_deref().and_then(|key| key.get(1..)).unwrap_or_default();
        let asked = rules.object(frame.place);
        let place = asked.and_then(|asked| asked.member(content));
        let is_required = asked.is_some_and(|asked| asked.requires(content));
        if frame.keep || matches!(&frame.body, Body::Object(object) if object.distinct) {
            self.remembered += content.len();
        }
        if let Some(asked) = asked.filter(|_| is_required) {
            frame.note_present(asked, content);
        }
        frame.begin_member(key, place, is_required).map_err(Fault::Key)
    }
}
