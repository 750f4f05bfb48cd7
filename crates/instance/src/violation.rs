//! Why a text cannot go on: which rule it breaks, where, and with which value.

use std::fmt;

use crate::print::json;
use crate::state::Fault;
use crate::value::Value;

/// Characters of a value that a message shows.
const SHOWN: usize = 80;

/// Why bytes were refused, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    offset: usize,
    kind: Kind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind {
    NotJson,
    RepeatedItem { value: String },
    RepeatedKey { key: String },
    MissingKey { key: String },
    Remembered { given: usize, limit: usize },
}

impl Violation {
    pub(crate) fn new(offset: usize, fault: &Fault) -> Self {
        let kind = match fault {
            Fault::NotJson => Kind::NotJson,
            Fault::Item(value) => Kind::RepeatedItem { value: json(value, SHOWN) },
            Fault::Key(key) => Kind::RepeatedKey { key: json(&Value::scalar(key.clone()), SHOWN) },
            Fault::Missing(key) => Kind::MissingKey { key: json(&Value::scalar(key.clone()), SHOWN) },
        };
        Self { offset, kind }
    }

    pub(crate) fn remembered(given: usize, limit: usize) -> Self {
        Self { offset: 0, kind: Kind::Remembered { given, limit } }
    }

    /// The byte, counted from the first that was handed in, after which the rule is broken: where the value or key that
    /// stood before ends, or a number is sure to have ended.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Whether the text goes on as no JSON text does. Rules are not broken then, they do not apply.
    pub fn is_not_json(&self) -> bool {
        self.kind == Kind::NotJson
    }

    /// Whether more would have to be remembered than is allowed; see [`numbers`](Self::numbers).
    pub fn is_limit(&self) -> bool {
        self.numbers().is_some()
    }

    /// For a limit: bytes remembered, and the limit.
    pub fn numbers(&self) -> Option<(usize, usize)> {
        match self.kind {
            Kind::Remembered { given, limit } => Some((given, limit)),
            _ => None,
        }
    }

    /// The item or key that stands twice, as JSON, cut off where it is long.
    pub fn repeated(&self) -> Option<&str> {
        match &self.kind {
            Kind::RepeatedItem { value } => Some(value),
            Kind::RepeatedKey { key } => Some(key),
            _ => None,
        }
    }

    /// The key, as JSON, of a member that an object must have and ends without; of several the first.
    pub fn missing(&self) -> Option<&str> {
        match &self.kind {
            Kind::MissingKey { key } => Some(key),
            _ => None,
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::NotJson => write!(f, "no JSON text goes on like this (byte {})", self.offset),
            Kind::RepeatedItem { value } => write!(f, "{value} is in the array already, whose items must be unique"),
            Kind::RepeatedKey { key } => write!(f, "the object has a member {key} already, its keys must be distinct"),
            Kind::MissingKey { key } => write!(f, "the object must have a member {key} before it ends"),
            Kind::Remembered { given, limit } => {
                write!(f, "rules need {given} bytes of the text remembered, the limit is {limit}")
            }
        }
    }
}

impl std::error::Error for Violation {}
