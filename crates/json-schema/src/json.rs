//! A JSON reader for schemas: spans, exact decimals, key order, duplicate keys refused.
//!
//! Why not a general reader: schemas need exact numbers, member order and positions, and asking a shared library for
//! them by features would change that library for every dependant. Nesting is bounded, so recursion over a [`Node`]
//! (dropping it included) is safe.

use std::hash::{Hash, Hasher};

use indexmap::IndexMap;
use rustc_hash::FxHasher;

use crate::decimal::Decimal;
use crate::error::{Result, SchemaError};

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// Line of the first byte, from 1.
    pub line: usize,
    /// Column of the first byte in Unicode scalars, from 1.
    pub column: usize,
}

/// A JSON value with its place in the text. Equality is JSON's: numbers by value, objects without order, no places.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// First and one past the last byte.
    pub bytes: (usize, usize),
}

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(Decimal),
    /// A string, unescaped.
    String(String),
    /// An array.
    Array(Vec<Node>),
    /// An object in text order.
    Object(IndexMap<String, Node>),
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Eq for Node {}

impl Hash for Node {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(&self.value).hash(state);
        match &self.value {
            Value::Null => {}
            Value::Bool(b) => b.hash(state),
            Value::Number(n) => n.hash(state),
            Value::String(s) => s.hash(state),
            Value::Array(items) => items.hash(state),
            // Equal objects may differ in order: a sum does not depend on it.
            Value::Object(members) => {
                let one = |member: (&String, &Node)| {
                    let mut hasher = FxHasher::default();
                    member.hash(&mut hasher);
                    hasher.finish()
                };
                members.iter().map(one).fold(members.len() as u64, u64::wrapping_add).hash(state);
            }
        }
    }
}

/// Reads one JSON text.
///
/// # Errors
/// Not JSON, a duplicate key, a lone surrogate, a number out of range, nesting deeper than `max_depth`.
pub fn parse(text: &str, max_depth: usize) -> std::result::Result<Node, SchemaError> {
    let mut reader = Reader { text, at: 0, depth: 0, max_depth };
    reader.space();
    let node = reader.value()?;
    reader.space();
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(reader.error("text after the value")),
    }
}

/// Line and column of a byte range.
pub fn locate(text: &str, bytes: (usize, usize)) -> Span {
    let before = text.get(..bytes.0).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
    let column = before.get(line_start..).unwrap_or("").chars().count() + 1;
    Span { start: bytes.0, end: bytes.1, line, column }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    max_depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }
    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }
    fn since(&self, start: usize) -> &str {
        self.text.get(start..self.at).unwrap_or("")
    }
    fn error(&self, message: &str) -> SchemaError {
        let width = self.text.get(self.at..).and_then(|t| t.chars().next()).map_or(0, char::len_utf8);
        self.error_from(self.at, self.at + width, message)
    }
    fn error_from(&self, start: usize, end: usize, message: &str) -> SchemaError {
        SchemaError::syntax(message, locate(self.text, (start, end)))
    }

    fn value(&mut self) -> Result<Node> {
        let start = self.at;
        let value = match self.peek() {
            Some(b'{') => self.nested(Self::object)?,
            Some(b'[') => self.nested(Self::array)?,
            Some(b'"') => Value::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => Value::Number(self.number()?),
            Some(b't') => self.word("true", Value::Bool(true))?,
            Some(b'f') => self.word("false", Value::Bool(false))?,
            Some(b'n') => self.word("null", Value::Null)?,
            Some(_) => return Err(self.error("a value was expected")),
            None => return Err(self.error("the text ends where a value was expected")),
        };
        Ok(Node { value, bytes: (start, self.at) })
    }
    fn nested(&mut self, read: fn(&mut Self) -> Result<Value>) -> Result<Value> {
        self.depth += 1;
        if self.depth > self.max_depth {
            let span = locate(self.text, (self.at, self.at + 1));
            return Err(SchemaError::limit("nesting of the schema text", self.depth, self.max_depth).spanned(span));
        }
        self.at += 1;
        self.space();
        let value = read(self);
        self.depth -= 1;
        value
    }
    fn word(&mut self, word: &str, value: Value) -> Result<Value> {
        match self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            true => {
                self.at += word.len();
                Ok(value)
            }
            false => Err(self.error("a value was expected")),
        }
    }
    fn array(&mut self) -> Result<Value> {
        let mut items = Vec::new();
        if self.eat(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            self.space();
            items.push(self.value()?);
            self.space();
            match self.next() {
                Some(b',') => {}
                Some(b']') => return Ok(Value::Array(items)),
                _ => return Err(self.misplaced("\",\" or \"]\" was expected")),
            }
        }
    }
    fn object(&mut self) -> Result<Value> {
        let mut members = IndexMap::new();
        if self.eat(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.space();
            self.member(&mut members)?;
            self.space();
            match self.next() {
                Some(b',') => {}
                Some(b'}') => return Ok(Value::Object(members)),
                _ => return Err(self.misplaced("\",\" or \"}\" was expected")),
            }
        }
    }
    /// The byte just read is wrong (or there was none).
    fn misplaced(&mut self, message: &str) -> SchemaError {
        while self.at > 0 && (self.at > self.text.len() || !self.text.is_char_boundary(self.at)) {
            self.at -= 1;
        }
        self.error_from(self.at.saturating_sub(1), self.at, message)
    }
    fn member(&mut self, members: &mut IndexMap<String, Node>) -> Result<()> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.error("a key was expected"));
        }
        let key = self.string()?;
        let end = self.at;
        self.space();
        if !self.eat(b':') {
            return Err(self.error("\":\" was expected"));
        }
        self.space();
        let value = self.value()?;
        match members.insert(key, value) {
            None => Ok(()),
            Some(_) => Err(self.error_from(start, end, "this key stands twice in its object")),
        }
    }
    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }
    fn number(&mut self) -> Result<Decimal> {
        let start = self.at;
        self.eat(b'-');
        let zero = self.peek() == Some(b'0');
        let int = self.digits();
        let mut good = int == 1 || (int > 1 && !zero);
        if self.eat(b'.') {
            good &= self.digits() > 0;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            good &= self.digits() > 0;
        }
        let number = Decimal::parse(self.since(start)).filter(|_| good);
        number.ok_or_else(|| self.error_from(start, self.at, "bad number"))
    }
    fn string(&mut self) -> Result<String> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let start = self.at;
            while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..=0x1f)) {
                self.at += 1;
            }
            text.push_str(self.since(start));
            match self.next() {
                Some(b'"') => return Ok(text),
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => return Err(self.misplaced("a control character must be escaped")),
                None => return Err(self.error("the string does not end")),
            }
        }
    }
    fn escape(&mut self) -> Result<char> {
        let start = self.at - 1;
        Ok(match self.next() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let scalar = self.unicode();
                return scalar.ok_or_else(|| self.error_from(start, self.at, "not the escape of a character"));
            }
            _ => return Err(self.misplaced("no such escape")),
        })
    }
    fn unicode(&mut self) -> Option<char> {
        let first = self.hex4()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        let second = (self.eat(b'\\') && self.eat(b'u')).then(|| self.hex4())??;
        let low = second.checked_sub(0xdc00).filter(|&low| low < 0x400)?;
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + low)
    }
    fn hex4(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_every_kind_of_value() {
        let node = parse(" {\"a\": [1, -2.50e1, true, null, \"x\\u00e9\\ud83d\\ude00\\n\"], \"b\": {}} ", 9).unwrap();
        let Value::Object(members) = &node.value else { panic!("an object") };
        assert_eq!(members.keys().collect::<Vec<_>>(), ["a", "b"]);
        let Value::Array(items) = &members["a"].value else { panic!("an array") };
        assert_eq!(items[1].value, Value::Number(Decimal::parse("-25").unwrap()));
        assert_eq!(items[4].value, Value::String("xé😀\n".into()));
        assert_eq!(items[0].bytes, (8, 9));
    }

    #[test]
    fn refuses_what_is_not_json() {
        let bad = [
            "",
            " ",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "{\"a\" 1}",
            "{a:1}",
            "01",
            "1.",
            "-",
            ".5",
            "1e",
            "+1",
            "nul",
            "truee",
            "\"\u{1}\"",
            "\"\\x\"",
            "\"\\ud800\"",
            "\"\\ud800\\u0041\"",
            "\"\\udc00\"",
            "\"abc",
            "\"\\",
            "1 2",
            "[1 2]",
            "{\"a\":1,\"a\":2}",
            "{\"a\":1,\"\\u0061\":2}",
            "\"\\u12é\"",
            "[1é",
            "1e99999999999999999999999",
        ];
        for text in bad {
            let error = parse(text, 9).unwrap_err();
            assert_eq!(error.category(), crate::Category::Syntax, "{text}");
            assert!(error.span().is_some());
        }
    }

    #[test]
    fn tells_line_and_column() {
        let span = parse("{\n  \"é\": x}", 9).unwrap_err().span().unwrap();
        assert_eq!((span.line, span.column), (2, 8));
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = "[".repeat(100_000);
        let error = parse(&deep, 512).unwrap_err();
        assert_eq!(error.numbers(), Some((513, 512)));
        assert!(parse(&format!("{}{}", "[".repeat(512), "]".repeat(512)), 512).is_ok());
    }

    #[test]
    fn equality_is_by_value() {
        let same = |a, b| parse(a, 9).unwrap() == parse(b, 9).unwrap();
        assert!(same("{\"a\": 1, \"b\": [2.0]}", "{\"b\": [2], \"a\": 1.00}"));
        assert!(!same("[1, 2]", "[2, 1]"));
        assert!(!same("1", "true"));
    }

    proptest! {
        #[test]
        fn never_panics(text in "[\\[\\]{}\",:0-9a-u\\\\ .é-]{0,40}") {
            let _ = parse(&text, 5);
        }
    }
}
