//! Expressions over symbols: what front-ends hand to the builder, which turns them into productions.

use glrmask_automata::{NonterminalId, Symbol, TerminalId};

/// How often an item of a separated sequence may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Occurs {
    /// Exactly once.
    One,
    /// At most once.
    Optional,
    /// Any number of times.
    Star,
    /// At least once.
    Plus,
}

impl Occurs {
    /// Whether the item may be left out.
    pub fn may_be_absent(self) -> bool {
        matches!(self, Self::Optional | Self::Star)
    }
    /// Whether the item may stand more than once.
    pub fn may_repeat(self) -> bool {
        matches!(self, Self::Star | Self::Plus)
    }
}

/// A context-free expression.
///
/// Dropping a deep expression does not overflow the stack; cloning, comparing and printing do recurse.
/// The builder refuses expressions nested deeper than [`MAX_EXPR_DEPTH`](crate::builder::MAX_EXPR_DEPTH).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// No string at all (∅).
    Empty,
    /// The empty string.
    Epsilon,
    /// One symbol.
    Symbol(Symbol),
    /// One after the other.
    Sequence(Vec<Expr>),
    /// Any of these.
    Choice(Vec<Expr>),
    /// `inner` at least `min` and at most `max` times (`None`: without bound).
    Repeat {
        /// What is repeated.
        inner: Box<Expr>,
        /// Least number of repetitions.
        min: u32,
        /// Largest number of repetitions, if bounded.
        max: Option<u32>,
    },
    /// Items in this order, with the separator between those that are present.
    Separated {
        /// What stands between two items.
        separator: Box<Expr>,
        /// The items.
        items: Vec<(Expr, Occurs)>,
    },
}

impl Expr {
    /// `self` at least `min` and at most `max` times.
    pub fn repeat(self, min: u32, max: Option<u32>) -> Self {
        Self::Repeat { inner: Box::new(self), min, max }
    }
    /// `self*`.
    pub fn star(self) -> Self {
        self.repeat(0, None)
    }
    /// `self+`.
    pub fn plus(self) -> Self {
        self.repeat(1, None)
    }
    /// `self?`.
    pub fn optional(self) -> Self {
        self.repeat(0, Some(1))
    }
    /// Takes the direct sub-expressions out.
    fn take_children(&mut self) -> Vec<Expr> {
        match self {
            Self::Empty | Self::Epsilon | Self::Symbol(_) => Vec::new(),
            Self::Sequence(parts) | Self::Choice(parts) => std::mem::take(parts),
            Self::Repeat { inner, .. } if inner.is_leaf() => Vec::new(),
            Self::Repeat { inner, .. } => vec![std::mem::replace(&mut **inner, Self::Epsilon)],
            Self::Separated { separator, items } => {
                let separator = std::mem::replace(&mut **separator, Self::Epsilon);
                std::mem::take(items).into_iter().map(|(item, _)| item).chain([separator]).collect()
            }
        }
    }
    fn is_leaf(&self) -> bool {
        matches!(self, Self::Empty | Self::Epsilon | Self::Symbol(_))
    }
}

impl Drop for Expr {
    fn drop(&mut self) {
        if self.is_leaf() {
            return;
        }
        let mut pending = self.take_children();
        while let Some(mut expr) = pending.pop() {
            pending.append(&mut expr.take_children());
        }
    }
}

impl From<Symbol> for Expr {
    fn from(symbol: Symbol) -> Self {
        Self::Symbol(symbol)
    }
}

impl From<TerminalId> for Expr {
    fn from(t: TerminalId) -> Self {
        Self::Symbol(Symbol::Terminal(t))
    }
}

impl From<NonterminalId> for Expr {
    fn from(n: NonterminalId) -> Self {
        Self::Symbol(Symbol::Nonterminal(n))
    }
}
