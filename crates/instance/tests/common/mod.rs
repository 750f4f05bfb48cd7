//! The plain reference: texts parsed into trees, values compared as `serde_json` values, rules checked on the whole tree.

use glrmask_instance::{ObjectRules, Place, PlaceId, Rules};
use serde_json::Value;

/// A parsed text; an object has its members as they were written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Doc {
    Scalar(Value),
    Array(Vec<Doc>),
    Object(Vec<(String, Doc)>),
}

impl Doc {
    /// The value: the last of members with the same key, numbers as `f64`.
    pub(crate) fn value(&self) -> Value {
        match self {
            Self::Scalar(Value::Number(number)) => Value::from(number.as_f64().unwrap() + 0.0),
            Self::Scalar(value) => value.clone(),
            Self::Array(items) => items.iter().map(Self::value).collect(),
            Self::Object(members) => members.iter().map(|(key, doc)| (key.clone(), doc.value())).collect(),
        }
    }
}

/// Whether the whole document keeps the rules.
pub(crate) fn keeps(rules: &Rules, place: Option<PlaceId>, doc: &Doc) -> bool {
    keeps_so_far(rules, place, doc, 0)
}

/// The same for a document of which `open` containers are not finished, each the last thing in the one before. What is in
/// the last of them is.
pub(crate) fn keeps_so_far(rules: &Rules, place: Option<PlaceId>, doc: &Doc, open: usize) -> bool {
    let nothing = Place::default();
    let asked = place.map_or(&nothing, |place| &rules.places()[place.0 as usize]);
    match doc {
        Doc::Scalar(_) => true,
        Doc::Array(items) => {
            let finished = items.len() - usize::from(open > 1);
            let values: Vec<Value> = items[..finished].iter().map(Doc::value).collect();
            let unique = values.iter().enumerate().all(|(i, value)| !values[..i].contains(value));
            let place = |i: usize| asked.array.prefix.get(i).copied().or(asked.array.items);
            let within = |i: usize| if i < finished { 0 } else { open - 1 };
            (unique || !asked.array.unique)
                && items.iter().enumerate().all(|(i, item)| keeps_so_far(rules, place(i), item, within(i)))
        }
        Doc::Object(members) => {
            let keys: Vec<&String> = members.iter().map(|(key, _)| key).collect();
            let distinct = keys.iter().enumerate().all(|(i, key)| !keys[..i].contains(key));
            let finished = members.len() - usize::from(open > 1);
            let within = |i: usize| if i < finished { 0 } else { open - 1 };
            let has = |key: &str| keys.iter().any(|other| *other == key);
            let missing = open == 0 && asked.object.distinct && !asked.object.required.iter().all(|key| has(key));
            (distinct || !asked.object.distinct)
                && !missing
                && members
                    .iter()
                    .enumerate()
                    .all(|(i, (key, doc))| keeps_so_far(rules, member_place(&asked.object, key), doc, within(i)))
        }
    }
}

fn member_place(asked: &ObjectRules, key: &str) -> Option<PlaceId> {
    let other = || asked.others.iter().find(|(language, _)| language.0.accepts(key.as_bytes())).map(|other| other.1);
    asked.named.get(key).copied().or_else(other)
}

/// Parses a complete text.
pub(crate) fn parse(text: &str) -> Option<Doc> {
    let mut parser = Parser { text, at: 0 };
    let doc = parser.value()?;
    parser.space();
    (parser.at == text.len()).then_some(doc)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn space(&mut self) {
        while self.text[self.at..].starts_with([' ', '\t', '\n', '\r']) {
            self.at += 1;
        }
    }

    fn take(&mut self, expected: char) -> bool {
        self.space();
        let found = self.text[self.at..].starts_with(expected);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self) -> Option<Doc> {
        if self.take('[') {
            return self.list(']', Self::value).map(Doc::Array);
        }
        if self.take('{') {
            return self.list('}', Self::member).map(Doc::Object);
        }
        self.scalar().map(Doc::Scalar)
    }

    fn member(&mut self) -> Option<(String, Doc)> {
        self.space();
        let Value::String(key) = self.scalar()? else { return None };
        if !self.take(':') {
            return None;
        }
        Some((key, self.value()?))
    }

    fn list<T>(&mut self, end: char, element: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut list = Vec::new();
        if self.take(end) {
            return Some(list);
        }
        loop {
            list.push(element(self)?);
            if self.take(end) {
                return Some(list);
            }
            if !self.take(',') {
                return None;
            }
        }
    }

    /// The longest scalar that `serde_json` reads from here.
    fn scalar(&mut self) -> Option<Value> {
        self.space();
        let mut values = serde_json::Deserializer::from_str(&self.text[self.at..]).into_iter::<Value>();
        let value = values.next()?.ok()?;
        self.at += values.byte_offset();
        Some(value)
    }
}
