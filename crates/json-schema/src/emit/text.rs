//! The punctuation of JSON text with the chosen white space, and values as text.
//!
//! White space stands before an atom, or after a colon, `[` or a comma, so that no two atoms compete for it.

use glrmask_automata::{ByteSet, Regex};

use super::number;
use crate::json::{Node, Value};
use crate::spell::Spelling;
use crate::{Options, Whitespace};

/// The atoms of JSON text.
pub(crate) struct Text {
    /// White space that may stand anywhere between atoms; ε unless flexible.
    space: Regex,
    pub(crate) comma: Regex,
    colon: Regex,
    flexible: bool,
    /// Contents of strings that are not constrained.
    pub(crate) any_string: Regex,
    /// Of strings that are constrained.
    pub(crate) spelling: Spelling,
}

impl Text {
    pub(crate) fn new(options: &Options) -> Self {
        let space = match options.whitespace {
            Whitespace::Flexible => {
                Regex::bytes(b" \t\n\r".iter().copied().collect::<ByteSet>()).repeat(0, options.max_whitespace)
            }
            _ => Regex::epsilon(),
        };
        let around = |mark: &str| match options.whitespace {
            Whitespace::Spaced => Regex::literal(format!("{mark} ")),
            Whitespace::Compact => Regex::literal(mark),
            Whitespace::Flexible => Regex::concat([space.clone(), Regex::literal(mark), space.clone()]),
        };
        let (comma, colon) = (around(","), around(":"));
        let spelling = Spelling::constrained(options);
        let any_string = Spelling::free(options).any_char().star();
        Self { comma, colon, flexible: options.whitespace == Whitespace::Flexible, space, any_string, spelling }
    }
    /// `[` before the first item.
    pub(crate) fn array_open(&self) -> Regex {
        Regex::concat([Regex::literal("["), self.space.clone()])
    }
    pub(crate) fn array_close(&self) -> Regex {
        Regex::concat([self.space.clone(), Regex::literal("]")])
    }
    /// `[]`, if it must be one atom.
    pub(crate) fn array_empty(&self) -> Option<Regex> {
        let inner = [Regex::literal("["), self.space.clone(), Regex::literal("]")];
        self.flexible.then(|| Regex::concat(inner))
    }
    pub(crate) fn object_open(&self) -> Regex {
        Regex::literal("{")
    }
    pub(crate) fn object_close(&self) -> Regex {
        Regex::concat([self.space.clone(), Regex::literal("}")])
    }
    /// A key (with quotes) for the first member, and its colon unless that is [apart](Self::colon_apart).
    pub(crate) fn first_key(&self, key: Regex) -> Regex {
        Regex::concat([self.space.clone(), key, self.fused_colon()])
    }
    /// The comma before and a key, for later members, and its colon unless that is [apart](Self::colon_apart).
    pub(crate) fn later_key(&self, key: Regex) -> Regex {
        Regex::concat([self.comma.clone(), key, self.fused_colon()])
    }
    /// The colon, if it is an atom of its own: with white space around it, it would take states per key.
    pub(crate) fn colon_apart(&self) -> Option<Regex> {
        self.flexible.then(|| self.colon.clone())
    }
    fn fused_colon(&self) -> Regex {
        if self.flexible {
            Regex::epsilon()
        } else {
            self.colon.clone()
        }
    }
    /// The texts of [`first_key`](Self::first_key) and [`later_key`](Self::later_key), where each is one literal: the
    /// common case, which needs no expression.
    pub(crate) fn literal_keys(&self, key: &str) -> Option<[Vec<u8>; 2]> {
        if self.flexible || !self.spelling.is_unique() {
            return None;
        }
        let key = format!("\"{}\"", self.spelling.canonical(key)).into_bytes();
        let first = [key, self.colon.as_literal()?].concat();
        let later = [self.comma.as_literal()?, first.clone()].concat();
        Some([first, later])
    }
    /// A value as text, numbers by value. Recursion is bounded by the nesting of the schema text.
    pub(crate) fn value(&self, node: &Node) -> Regex {
        match &node.value {
            Value::Null => Regex::literal("null"),
            Value::Bool(true) => Regex::literal("true"),
            Value::Bool(false) => Regex::literal("false"),
            Value::Number(n) => number::spelled(n),
            Value::String(s) => self.spelling.quoted(s),
            Value::Array(items) => {
                let close = [self.array_close()];
                let empty = items.is_empty().then(|| self.array_empty()).flatten();
                let items = items.iter().enumerate().flat_map(|(i, item)| [self.separator(i), self.value(item)]);
                empty.unwrap_or_else(|| Regex::concat([self.array_open()].into_iter().chain(items).chain(close)))
            }
            Value::Object(members) => {
                let members = members.iter().enumerate().flat_map(|(i, (key, value))| {
                    let key = self.spelling.quoted(key);
                    let key = if i == 0 { self.first_key(key) } else { self.later_key(key) };
                    [key, self.colon_apart().unwrap_or_else(Regex::epsilon), self.value(value)]
                });
                Regex::concat([self.object_open()].into_iter().chain(members).chain([self.object_close()]))
            }
        }
    }
    fn separator(&self, i: usize) -> Regex {
        if i == 0 {
            Regex::epsilon()
        } else {
            self.comma.clone()
        }
    }
}
