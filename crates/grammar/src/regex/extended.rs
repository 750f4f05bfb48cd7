//! Regular expressions with lazy quantifiers and assertions, as shared trees.
//!
//! Whatever has neither is a [`Regex`] at once, so that the tree holds nodes of its own only around what is special.

use std::sync::Arc;

use glrmask_automata::Regex;

use super::{lazy, look};

/// An expression. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Extended(Arc<Node>);

#[derive(Debug)]
struct Node {
    kind: Kind,
    depth: usize,
    /// Number of nodes as a tree, those of plain parts included; saturating.
    size: u64,
    assertion: Option<&'static str>,
}

/// The root of an [`Extended`].
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Neither lazy nor looking around.
    Plain(Regex),
    Concat(Vec<Extended>),
    /// In order of preference.
    Alternate(Vec<Extended>),
    Repeat {
        inner: Extended,
        min: u32,
        max: Option<u32>,
        lazy: bool,
    },
    /// `^`, `$`, `\b`: its spelling.
    Assertion(&'static str),
    /// `(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)`.
    Look {
        inner: Extended,
        ahead: bool,
        negative: bool,
    },
}

/// Why an expression has no language of lexemes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LanguageError {
    /// Something that is not supported.
    Unsupported(String),
    /// The limit on an automaton was reached.
    Limit(String),
}

impl Extended {
    fn new(kind: Kind) -> Self {
        let children: &[Self] = match &kind {
            Kind::Concat(parts) | Kind::Alternate(parts) => parts,
            Kind::Repeat { inner, .. } | Kind::Look { inner, .. } => std::slice::from_ref(inner),
            Kind::Plain(_) | Kind::Assertion(_) => &[],
        };
        let (mut depth, mut size, mut assertion) = match &kind {
            Kind::Plain(regex) => (regex.depth(), regex.size(), None),
            Kind::Assertion(text) => (1, 1, Some(*text)),
            Kind::Look { ahead, negative, .. } => (1, 1, Some(look_spelling(*ahead, *negative))),
            _ => (1, 1, None),
        };
        for child in children {
            depth = depth.max(child.depth() + 1);
            size = child.size().saturating_add(size);
            assertion = assertion.or(child.assertion());
        }
        Self(Arc::new(Node { kind, depth, size, assertion }))
    }
    pub(crate) fn kind(&self) -> &Kind {
        &self.0.kind
    }
    /// Nesting depth, at least that of the language. O(1).
    pub(crate) fn depth(&self) -> usize {
        self.0.depth
    }
    /// Number of nodes. O(1).
    pub(crate) fn size(&self) -> u64 {
        self.0.size
    }
    /// The spelling of an assertion inside, if there is one. O(1).
    pub(crate) fn assertion(&self) -> Option<&'static str> {
        self.0.assertion
    }
    /// The expression, if it is neither lazy nor looks around.
    pub(crate) fn as_plain(&self) -> Option<&Regex> {
        match self.kind() {
            Kind::Plain(regex) => Some(regex),
            _ => None,
        }
    }
    /// A plain expression.
    pub(crate) fn plain(regex: Regex) -> Self {
        Self::new(Kind::Plain(regex))
    }
    /// An assertion, by its spelling.
    pub(crate) fn assertion_of(spelling: &'static str) -> Self {
        Self::new(Kind::Assertion(spelling))
    }
    /// `self` has to be found (or, if negative, not found) after or before this place.
    pub(crate) fn look(self, ahead: bool, negative: bool) -> Self {
        Self::new(Kind::Look { inner: self, ahead, negative })
    }
    /// One after the other.
    pub(crate) fn concat(parts: Vec<Self>) -> Self {
        match plain_parts(&parts) {
            Some(plain) => Self::plain(Regex::concat(plain)),
            None => Self::new(Kind::Concat(parts)),
        }
    }
    /// Any of these, the first that matches being preferred.
    pub(crate) fn alternate(parts: Vec<Self>) -> Self {
        match plain_parts(&parts) {
            Some(plain) => Self::plain(Regex::alternate(plain)),
            None => Self::new(Kind::Alternate(parts)),
        }
    }
    /// Repetition; a lazy one prefers to match less.
    pub(crate) fn repeat(self, min: u32, max: Option<u32>, lazy: bool) -> Self {
        // A fixed number of times leaves nothing to prefer.
        let lazy = lazy && max != Some(min);
        match self.as_plain() {
            Some(regex) if !lazy => Self::plain(regex.repeat(min, max)),
            _ => Self::new(Kind::Repeat { inner: self, min, max, lazy }),
        }
    }
    /// The language of lexemes: what a backtracking engine may take as a match at the beginning of some text.
    ///
    /// # Errors
    /// An assertion that depends on other text, laziness whose effect depends on what follows, an automaton beyond the limits.
    pub(crate) fn language(&self) -> Result<Regex, LanguageError> {
        match self.assertion() {
            Some(_) => look::language(self),
            None => lazy::language(self),
        }
    }
    /// The language with every preference forgotten.
    pub(crate) fn forget_laziness(&self) -> Regex {
        match self.kind() {
            Kind::Plain(regex) => regex.clone(),
            Kind::Concat(parts) => Regex::concat(parts.iter().map(Self::forget_laziness).collect::<Vec<_>>()),
            Kind::Alternate(parts) => Regex::alternate(parts.iter().map(Self::forget_laziness).collect::<Vec<_>>()),
            Kind::Repeat { inner, min, max, .. } => inner.forget_laziness().repeat(*min, *max),
            Kind::Assertion(_) | Kind::Look { .. } => Regex::epsilon(),
        }
    }
}

fn look_spelling(ahead: bool, negative: bool) -> &'static str {
    match (ahead, negative) {
        (true, false) => "(?=…)",
        (true, true) => "(?!…)",
        (false, false) => "(?<=…)",
        (false, true) => "(?<!…)",
    }
}

/// All parts, if they are plain.
fn plain_parts(parts: &[Extended]) -> Option<Vec<Regex>> {
    parts.iter().map(|part| part.as_plain().cloned()).collect()
}
