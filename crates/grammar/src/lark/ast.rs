//! Syntax trees of Lark grammars. Their depth is bounded where they are built, so that walking them may recurse.

use crate::ir::Span;

/// Deepest nesting of an expression.
pub(super) const MAX_NESTING: usize = 200;

/// A name with its place.
pub(super) type Named = (String, Span);

/// An expression with its place.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) span: Span,
    /// One more than the deepest child.
    pub(super) depth: usize,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A rule, a terminal or a parameter.
    Name(String),
    /// `name{argument, …}`
    Template(String, Vec<Node>),
    /// A string, and whether it has the suffix `i`.
    Literal(String, bool),
    /// Pattern and flags.
    Regex(String, String),
    /// `"a".."z"`
    Range(char, char),
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    Repeat(Box<Node>, u32, Option<u32>),
    /// `a & b` (llm)
    Intersect(Vec<Node>),
    /// `~a` (llm)
    Complement(Box<Node>),
    /// `<name>`, brackets included (llm)
    Special(String),
    /// `<[1,5-9]>`: sorted, disjoint, inclusive ranges (llm)
    Tokens(Vec<(u32, u32)>),
    /// `%json { … }` and the like (llm)
    Block(Block, String),
    /// `@name` (llm)
    Reference(String),
}

/// What a `%name { … }` inside an expression holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Json,
    Regex,
    Lark,
}

impl Node {
    pub(super) fn new(kind: Kind, span: Span) -> Self {
        let deepest = kind.children().iter().map(|child| child.depth).max().unwrap_or(0);
        Self { kind, span, depth: deepest + 1 }
    }
    /// Calls `visit` with every node, parents first.
    pub(super) fn for_each<'a>(&'a self, visit: &mut impl FnMut(&'a Node)) {
        visit(self);
        self.kind.children().iter().for_each(|child| child.for_each(visit));
    }
}

impl Kind {
    fn children(&self) -> &[Node] {
        match self {
            Self::Sequence(parts) | Self::Choice(parts) | Self::Intersect(parts) | Self::Template(_, parts) => parts,
            Self::Repeat(inner, ..) | Self::Complement(inner) => std::slice::from_ref(inner),
            _ => &[],
        }
    }
}

/// How a rule's lexeme is bounded: `name[lazy]`, `name[suffix="…"]`, `name[stop="…"]` (llm).
#[derive(Clone, Debug, Default)]
pub(super) struct Bounds {
    pub(super) lazy: bool,
    pub(super) suffix: Option<Node>,
    pub(super) stop: Option<Node>,
}

impl Bounds {
    pub(super) fn is_none(&self) -> bool {
        !self.lazy && self.suffix.is_none() && self.stop.is_none()
    }
}

/// `name: body`, with a lower-case name.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) name: Named,
    pub(super) parameters: Vec<Named>,
    pub(super) bounds: Bounds,
    pub(super) body: Node,
}

/// `NAME: body`.
#[derive(Clone, Debug)]
pub(super) struct TerminalRule {
    pub(super) name: Named,
    pub(super) body: Node,
}

/// `%import common.NAME -> alias`.
#[derive(Clone, Debug)]
pub(super) struct Import {
    pub(super) name: Named,
    pub(super) alias: Named,
}

/// The declarations of a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Items {
    pub(super) rules: Vec<Rule>,
    pub(super) terminals: Vec<TerminalRule>,
    pub(super) imports: Vec<Import>,
    pub(super) ignores: Vec<Node>,
    pub(super) declared: Vec<Named>,
}
