//! Regular expressions as Brzozowski derivatives read them: the smallest independent account of a terminal.
//!
//! The crates under test build NFAs and subsets of them. Here a state *is* an expression, and its successor on a byte
//! is the derivative; boolean operations cost one line each. Slow, obvious, and wrong in other places than the engine.
//! Source: J. Brzozowski, Derivatives of regular expressions, J. ACM 11 (1964).

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// A regular expression over bytes, normalised far enough for derivatives to be finitely many.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rx(Arc<Node>);

/// The shape of an [`Rx`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// ∅.
    Never,
    /// The empty string alone.
    Unit,
    /// One byte out of these (sorted, distinct, not empty).
    Set(Vec<u8>),
    /// First, then second; nested to the right.
    Seq(Rx, Rx),
    /// Any of these (at least two).
    Either(BTreeSet<Rx>),
    /// Zero or more.
    Star(Rx),
    /// Both.
    Both(Rx, Rx),
    /// The first, but not the second.
    Except(Rx, Rx),
}

impl Rx {
    /// The shape.
    pub fn node(&self) -> &Node {
        &self.0
    }

    fn of(node: Node) -> Self {
        Self(Arc::new(node))
    }

    /// ∅.
    pub fn never() -> Self {
        Self::of(Node::Never)
    }

    /// The empty string alone.
    pub fn unit() -> Self {
        Self::of(Node::Unit)
    }

    /// One byte out of `bytes`; ∅ if there is none.
    pub fn set(bytes: impl IntoIterator<Item = u8>) -> Self {
        let bytes: BTreeSet<u8> = bytes.into_iter().collect();
        if bytes.is_empty() {
            return Self::never();
        }
        Self::of(Node::Set(bytes.into_iter().collect()))
    }

    /// Exactly `bytes`.
    pub fn literal(bytes: &[u8]) -> Self {
        bytes.iter().rev().fold(Self::unit(), |rest, &b| Self::set([b]).then(rest))
    }

    /// This, then `next`.
    pub fn then(&self, next: Self) -> Self {
        match (self.node(), next.node()) {
            (Node::Never, _) | (_, Node::Never) => Self::never(),
            (Node::Unit, _) => next,
            (_, Node::Unit) => self.clone(),
            (Node::Seq(a, b), _) => a.then(b.then(next)),
            _ => Self::of(Node::Seq(self.clone(), next)),
        }
    }

    /// Any of `parts`.
    pub fn either(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut set = BTreeSet::new();
        for part in parts {
            match part.node() {
                Node::Never => {}
                Node::Either(inner) => set.extend(inner.iter().cloned()),
                _ => _ = set.insert(part),
            }
        }
        match set.len() {
            0 => Self::never(),
            1 => set.pop_first().unwrap_or_else(Self::never),
            _ => Self::of(Node::Either(set)),
        }
    }

    /// Zero or more of this.
    pub fn star(&self) -> Self {
        match self.node() {
            Node::Never | Node::Unit => Self::unit(),
            Node::Star(_) => self.clone(),
            _ => Self::of(Node::Star(self.clone())),
        }
    }

    /// `min` to `max` of this, written out (no upper bound if `max` is `None`).
    pub fn repeat(&self, min: u32, max: Option<u32>) -> Self {
        let mut tail = match max {
            None => self.star(),
            Some(max) => (min..max).fold(Self::unit(), |rest, _| Self::either([Self::unit(), self.then(rest)])),
        };
        for _ in 0..min {
            tail = self.then(tail);
        }
        tail
    }

    /// What both match.
    pub fn both(&self, other: &Self) -> Self {
        match (self.node(), other.node()) {
            (Node::Never, _) | (_, Node::Never) => Self::never(),
            _ => Self::of(Node::Both(self.clone(), other.clone())),
        }
    }

    /// What this matches and `other` does not.
    pub fn except(&self, other: &Self) -> Self {
        match (self.node(), other.node()) {
            (Node::Never, _) => Self::never(),
            (_, Node::Never) => self.clone(),
            _ => Self::of(Node::Except(self.clone(), other.clone())),
        }
    }

    /// Does it match the empty string?
    pub fn nullable(&self) -> bool {
        match self.node() {
            Node::Never | Node::Set(_) => false,
            Node::Unit | Node::Star(_) => true,
            Node::Seq(a, b) | Node::Both(a, b) => a.nullable() && b.nullable(),
            Node::Either(parts) => parts.iter().any(Self::nullable),
            Node::Except(a, b) => a.nullable() && !b.nullable(),
        }
    }

    /// What may follow `byte`: `{ w : byte·w ∈ self }`.
    pub fn derivative(&self, byte: u8) -> Self {
        match self.node() {
            Node::Never | Node::Unit => Self::never(),
            Node::Set(set) if set.binary_search(&byte).is_ok() => Self::unit(),
            Node::Set(_) => Self::never(),
            Node::Seq(a, b) => {
                let first = a.derivative(byte).then(b.clone());
                let second = if a.nullable() { b.derivative(byte) } else { Self::never() };
                Self::either([first, second])
            }
            Node::Either(parts) => Self::either(parts.iter().map(|part| part.derivative(byte))),
            Node::Star(inner) => inner.derivative(byte).then(self.clone()),
            Node::Both(a, b) => a.derivative(byte).both(&b.derivative(byte)),
            Node::Except(a, b) => a.derivative(byte).except(&b.derivative(byte)),
        }
    }

    /// Every byte set written in the expression.
    pub fn sets(&self) -> Vec<&[u8]> {
        let mut found = Vec::new();
        let mut work = vec![self];
        while let Some(rx) = work.pop() {
            match rx.node() {
                Node::Never | Node::Unit => {}
                Node::Set(set) => found.push(set.as_slice()),
                Node::Seq(a, b) | Node::Both(a, b) | Node::Except(a, b) => work.extend([a, b]),
                Node::Either(parts) => work.extend(parts),
                Node::Star(inner) => work.push(inner),
            }
        }
        found
    }

    /// The same expression with every byte renamed by `rename`.
    pub fn map_bytes(&self, rename: &dyn Fn(u8) -> u8) -> Self {
        let map = |rx: &Self| rx.map_bytes(rename);
        match self.node() {
            Node::Never | Node::Unit => self.clone(),
            Node::Set(set) => Self::set(set.iter().map(|&b| rename(b))),
            Node::Seq(a, b) => map(a).then(map(b)),
            Node::Either(parts) => Self::either(parts.iter().map(map)),
            Node::Star(inner) => map(inner).star(),
            Node::Both(a, b) => map(a).both(&map(b)),
            Node::Except(a, b) => map(a).except(&map(b)),
        }
    }

    /// The bytes of the expression if it is one literal.
    pub fn as_literal(&self) -> Option<Vec<u8>> {
        let (mut bytes, mut rest) = (Vec::new(), self);
        loop {
            let (first, next) = match rest.node() {
                Node::Seq(a, b) => (a, Some(b)),
                _ => (rest, None),
            };
            match first.node() {
                Node::Set(set) if set.len() == 1 => bytes.extend(set),
                _ => return None,
            }
            match next {
                Some(next) => rest = next,
                None => return Some(bytes),
            }
        }
    }
}

/// In the syntax of the Rust `regex` crate (bytes from 0x80 inside `(?-u:…)`); boolean operations print as `(a & b)`
/// and `(a - b)`, which that crate does not know.
impl fmt::Display for Rx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.node() {
            Node::Never => f.write_str("[^\\x00-\\x{10FFFF}]"),
            Node::Unit => f.write_str("(?:)"),
            Node::Set(set) => write_set(f, set),
            Node::Seq(a, b) => write!(f, "{a}{b}"),
            Node::Either(parts) => {
                let parts: Vec<String> = parts.iter().map(Self::to_string).collect();
                write!(f, "(?:{})", parts.join("|"))
            }
            Node::Star(inner) => write!(f, "(?:{inner})*"),
            Node::Both(a, b) => write!(f, "({a} & {b})"),
            Node::Except(a, b) => write!(f, "({a} - {b})"),
        }
    }
}

fn write_set(f: &mut fmt::Formatter<'_>, set: &[u8]) -> fmt::Result {
    let mut text = String::new();
    for &b in set {
        if b.is_ascii_alphanumeric() {
            text.push(char::from(b));
        } else {
            text.push_str(&format!("\\x{b:02X}"));
        }
    }
    match (set.len(), set.last()) {
        (1, Some(0..=0x7F)) => f.write_str(&text),
        (_, Some(0x80..)) => write!(f, "(?-u:[{text}])"),
        _ => write!(f, "[{text}]"),
    }
}
