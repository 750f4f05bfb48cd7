//! Syntax trees of expressions. Their depth is bounded where they are built, so that walking them may recurse.

use super::charset::CharSet;
use crate::expr::Occurs;
use crate::ir::Span;

/// Deepest nesting of an expression.
pub(crate) const MAX_NESTING: usize = 200;

/// An expression with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node<'a> {
    pub(crate) kind: Kind<'a>,
    pub(crate) span: Span,
    /// One more than the deepest child.
    pub(crate) depth: usize,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind<'a> {
    Name(&'a str),
    Literal(Vec<u8>),
    LiteralIgnoreCase(String),
    Class(CharSet),
    /// Pattern and flags.
    Regex(&'a str, &'a str),
    Epsilon,
    Tokens(Vec<u32>),
    Mark(u32),
    Sequence(Vec<Node<'a>>),
    Choice(Vec<Node<'a>>),
    Repeat(Box<Node<'a>>, u32, Option<u32>),
    Separated(Box<Node<'a>>, Vec<(Node<'a>, Occurs)>),
    Intersect(Box<Node<'a>>, Box<Node<'a>>),
    Difference(Box<Node<'a>>, Box<Node<'a>>),
}

impl<'a> Node<'a> {
    pub(crate) fn new(kind: Kind<'a>, span: Span) -> Self {
        let deepest = kind.children().map(|child| child.depth).max().unwrap_or(0);
        Self { kind, span, depth: deepest + 1 }
    }
    /// Calls `visit` with every name.
    pub(crate) fn for_each_name(&self, visit: &mut impl FnMut(&'a str, Span)) {
        if let Kind::Name(name) = self.kind {
            visit(name, self.span);
        }
        self.kind.children().for_each(|child| child.for_each_name(visit));
    }
}

impl<'a> Kind<'a> {
    fn children(&self) -> Box<dyn Iterator<Item = &Node<'a>> + '_> {
        match self {
            Self::Sequence(parts) | Self::Choice(parts) => Box::new(parts.iter()),
            Self::Repeat(inner, ..) => Box::new(std::iter::once(&**inner)),
            Self::Separated(separator, items) => {
                Box::new(std::iter::once(&**separator).chain(items.iter().map(|(item, _)| item)))
            }
            Self::Intersect(a, b) | Self::Difference(a, b) => Box::new([&**a, &**b].into_iter()),
            _ => Box::new(std::iter::empty()),
        }
    }
}
