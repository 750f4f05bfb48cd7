//! Regular expressions over bytes, as immutable shared trees.

use std::sync::Arc;

use crate::ByteSet;

/// A regular expression over bytes: an immutable tree, cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Regex(Arc<RegexKind>);

/// The root of a [`Regex`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegexKind {
    /// No string at all.
    Empty,
    /// The empty string.
    Epsilon,
    /// One byte out of a set (never empty).
    Bytes(ByteSet),
    /// One after the other.
    Concat(Vec<Regex>),
    /// Any of these.
    Alternate(Vec<Regex>),
    /// `inner` at least `min` and at most `max` times (`None`: without bound).
    Repeat {
        /// What is repeated.
        inner: Regex,
        /// Least number of repetitions.
        min: u32,
        /// Largest number of repetitions, if bounded.
        max: Option<u32>,
    },
    /// Strings of both.
    Intersect(Regex, Regex),
    /// Strings of the first that are not in the second.
    Difference(Regex, Regex),
}

impl Regex {
    /// The root of the tree.
    pub fn kind(&self) -> &RegexKind {
        &self.0
    }
    fn new(kind: RegexKind) -> Self {
        Self(Arc::new(kind))
    }
    /// The language without any string.
    pub fn empty() -> Self {
        Self::new(RegexKind::Empty)
    }
    /// The language of the empty string.
    pub fn epsilon() -> Self {
        Self::new(RegexKind::Epsilon)
    }
    /// One byte out of `set`.
    pub fn bytes(set: ByteSet) -> Self {
        if set.is_empty() {
            Self::empty()
        } else {
            Self::new(RegexKind::Bytes(set))
        }
    }
    /// Exactly this byte string.
    pub fn literal(text: impl AsRef<[u8]>) -> Self {
        Self::concat(text.as_ref().iter().map(|&b| Self::bytes(ByteSet::single(b))))
    }
    /// One after the other (flattened; ∅ absorbs, ε vanishes).
    pub fn concat(parts: impl IntoIterator<Item = Regex>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part.kind() {
                RegexKind::Empty => return Self::empty(),
                RegexKind::Epsilon => {}
                RegexKind::Concat(inner) => flat.extend(inner.iter().cloned()),
                _ => flat.push(part),
            }
        }
        match flat.len() {
            0 => Self::epsilon(),
            1 => flat.remove(0),
            _ => Self::new(RegexKind::Concat(flat)),
        }
    }
    /// Any of these (flattened; ∅ vanishes).
    pub fn alternate(parts: impl IntoIterator<Item = Regex>) -> Self {
        let mut flat: Vec<Regex> = Vec::new();
        for part in parts {
            match part.kind() {
                RegexKind::Empty => {}
                RegexKind::Alternate(inner) => flat.extend(inner.iter().cloned()),
                _ => flat.push(part),
            }
        }
        match flat.len() {
            0 => Self::empty(),
            1 => flat.remove(0),
            _ => Self::new(RegexKind::Alternate(flat)),
        }
    }
    /// `self` at least `min` and at most `max` times.
    pub fn repeat(&self, min: u32, max: Option<u32>) -> Self {
        Self::new(RegexKind::Repeat { inner: self.clone(), min, max })
    }
    /// `self*`.
    pub fn star(&self) -> Self {
        self.repeat(0, None)
    }
    /// `self+`.
    pub fn plus(&self) -> Self {
        self.repeat(1, None)
    }
    /// `self?`.
    pub fn optional(&self) -> Self {
        self.repeat(0, Some(1))
    }
    /// Strings of both.
    pub fn intersect(&self, other: &Self) -> Self {
        Self::new(RegexKind::Intersect(self.clone(), other.clone()))
    }
    /// Strings of `self` that are not in `other`.
    pub fn difference(&self, other: &Self) -> Self {
        Self::new(RegexKind::Difference(self.clone(), other.clone()))
    }
}
