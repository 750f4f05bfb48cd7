//! The parser of expressions, by recursive descent with bounded nesting.
//!
//! ```text
//! choice     = sequence { "|" sequence }
//! sequence   = difference { difference }
//! difference = separated { ("&" | "-") separated }            left-associative
//! separated  = postfix [ "~" "(" { postfix } ")" ]
//! postfix    = atom { "?" | "*" | "+" | "{n}" | "{n,}" | "{n,m}" }
//! atom       = name | literal | class | regex | "." | "eps" | "@token(…)" | "(" choice ")"
//! ```
//! An EBNF text never has the tokens of what EBNF lacks; an alternative of it may be empty.

use super::ast::{Kind, Node, MAX_NESTING};
use super::charset::CharSet;
use super::lexer::{tokenize, Dialect, Spanned, Token};
use super::source::Source;
use crate::diagnostic::{shorten, Diagnostic, DiagnosticKind, MAX_DIAGNOSTICS};
use crate::expr::Occurs;
use crate::ir::Span;

/// Most token ids of one `@token`.
pub const MAX_IDS: usize = 1 << 20;

/// A parser over tokens. Methods that fail have recorded the error and return `None`.
pub(crate) struct Parser<'a, 's> {
    source: &'s Source<'a>,
    tokens: Vec<Spanned<'a>>,
    next: usize,
    dialect: Dialect,
    nesting: usize,
    pub(crate) errors: Vec<Diagnostic>,
}

impl<'a, 's> Parser<'a, 's> {
    /// A parser at the beginning of the text.
    pub(crate) fn new(source: &'s Source<'a>, dialect: Dialect) -> Self {
        let (tokens, errors) = tokenize(source, dialect);
        Self { source, tokens, next: 0, dialect, nesting: 0, errors }
    }

    pub(crate) fn peek(&self) -> &Token<'a> {
        self.peek_at(0)
    }
    pub(crate) fn peek_at(&self, ahead: usize) -> &Token<'a> {
        self.tokens.get(self.next + ahead).map_or(&Token::End, |t| &t.token)
    }
    /// The place of the next token.
    pub(crate) fn span(&self) -> Span {
        self.tokens.get(self.next).or(self.tokens.last()).map(|t| t.span).unwrap_or_default()
    }
    /// Skips the next token; the end stays.
    pub(crate) fn bump(&mut self) -> Span {
        let span = self.span();
        if *self.peek() != Token::End {
            self.next += 1;
        }
        span
    }
    /// From the first byte of `first` to the last token read.
    pub(crate) fn span_from(&self, first: Span) -> Span {
        let end = self.tokens.get(self.next.wrapping_sub(1)).map_or(first.end, |t| t.span.end);
        Span { end: end.max(first.end), ..first }
    }
    pub(crate) fn at(&self, c: char) -> bool {
        *self.peek() == Token::Punctuation(c)
    }
    pub(crate) fn eat(&mut self, c: char) -> bool {
        let found = self.at(c);
        if found {
            self.bump();
        }
        found
    }
    pub(crate) fn expect(&mut self, c: char) -> Option<()> {
        if self.eat(c) {
            return Some(());
        }
        self.unexpected(&format!("`{c}`"))
    }
    /// Reads a name.
    pub(crate) fn name(&mut self, what: &str) -> Option<(&'a str, Span)> {
        match *self.peek() {
            Token::Name(name) => Some((name, self.bump())),
            _ => self.unexpected(what),
        }
    }
    pub(crate) fn number(&mut self) -> Option<u32> {
        match *self.peek() {
            Token::Number(n) => match u32::try_from(n) {
                Ok(n) => {
                    self.bump();
                    Some(n)
                }
                Err(_) => self.error(DiagnosticKind::Syntax, format!("{n} is more than {}", u32::MAX), self.span()),
            },
            _ => self.unexpected("a number"),
        }
    }
    pub(crate) fn error<T>(&mut self, kind: DiagnosticKind, message: impl Into<String>, span: Span) -> Option<T> {
        self.push_error(Diagnostic::new(kind, message, Some(span)));
        None
    }
    fn push_error(&mut self, diagnostic: Diagnostic) {
        if self.errors.len() < 2 * MAX_DIAGNOSTICS {
            self.errors.push(diagnostic);
        }
    }
    /// Records that something else was expected here. A malformed token has been reported already.
    pub(crate) fn unexpected<T>(&mut self, wanted: &str) -> Option<T> {
        let span = self.span();
        let found = match self.peek() {
            Token::Error => return None,
            Token::End => "the text ends".to_owned(),
            _ => format!("found `{}`", shorten(self.source.text().get(span.start..span.end).unwrap_or(""))),
        };
        self.error(DiagnosticKind::Syntax, format!("expected {wanted}, {found}"), span)
    }
    pub(crate) fn has_given_up(&self) -> bool {
        self.errors.len() >= MAX_DIAGNOSTICS
    }

    /// choice
    pub(crate) fn choice(&mut self) -> Option<Node<'a>> {
        let first = self.span();
        if self.nesting >= MAX_NESTING {
            self.push_error(Diagnostic::limit("expression nesting", MAX_NESTING, self.nesting + 1, Some(first)));
            return None;
        }
        self.nesting += 1;
        let parts = self.alternatives();
        self.nesting -= 1;
        self.group(parts?, Kind::Choice, first)
    }
    fn alternatives(&mut self) -> Option<Vec<Node<'a>>> {
        let mut parts = vec![self.sequence()?];
        while self.eat('|') {
            parts.push(self.sequence()?);
        }
        Some(parts)
    }
    fn sequence(&mut self) -> Option<Node<'a>> {
        let first = self.span();
        let mut parts = Vec::new();
        while self.at_atom() {
            parts.push(self.difference()?);
        }
        match parts.is_empty() {
            false => self.group(parts, Kind::Sequence, first),
            true if self.dialect == Dialect::Ebnf && self.ends_alternative() => Some(Node::new(Kind::Epsilon, first)),
            true => self.unexpected("an expression"),
        }
    }
    /// Whether an empty alternative may end here.
    fn ends_alternative(&self) -> bool {
        self.at('|') || self.at(')') || matches!(self.peek(), Token::End | Token::Name(_))
    }
    /// Whether an atom begins here. In EBNF a name before `::=` begins the next rule.
    fn at_atom(&self) -> bool {
        match self.peek() {
            Token::Name(_) => self.dialect == Dialect::Glrm || *self.peek_at(1) != Token::Define,
            Token::Literal(..) | Token::Regex(..) | Token::Class(_) | Token::Error => true,
            Token::Punctuation(c) => matches!(c, '(' | '.' | '@'),
            _ => false,
        }
    }
    fn difference(&mut self) -> Option<Node<'a>> {
        let first = self.span();
        let mut left = self.separated()?;
        while self.at('&') || self.at('-') {
            let make = if self.at('&') { Kind::Intersect } else { Kind::Difference };
            self.bump();
            let right = self.separated()?;
            left = self.node(make(Box::new(left), Box::new(right)), first)?;
        }
        Some(left)
    }
    fn separated(&mut self) -> Option<Node<'a>> {
        let first = self.span();
        let (separator, _) = self.postfix()?;
        if !self.eat('~') {
            return Some(separator);
        }
        self.expect('(')?;
        let mut items = Vec::new();
        while !self.eat(')') {
            if !self.at_atom() {
                return self.unexpected("an item or `)`");
            }
            let (item, occurs) = self.postfix()?;
            items.push(match (item, occurs) {
                (Node { kind: Kind::Repeat(inner, ..), .. }, Some(occurs)) => (*inner, occurs),
                (item, _) => (item, Occurs::One),
            });
        }
        self.node(Kind::Separated(Box::new(separator), items), first)
    }
    /// An atom with its repetitions, and what the last of them is if it is one of `? * +`.
    fn postfix(&mut self) -> Option<(Node<'a>, Option<Occurs>)> {
        let first = self.span();
        let mut node = self.atom()?;
        let mut occurs = None;
        loop {
            let (min, max, last) = match self.peek() {
                Token::Punctuation('?') => (0, Some(1), Some(Occurs::Optional)),
                Token::Punctuation('*') => (0, None, Some(Occurs::Star)),
                Token::Punctuation('+') => (1, None, Some(Occurs::Plus)),
                Token::Punctuation('{') => {
                    let (min, max) = self.bounds()?;
                    (min, max, None)
                }
                _ => return Some((node, occurs)),
            };
            if last.is_some() {
                self.bump();
            }
            occurs = last;
            node = self.node(Kind::Repeat(Box::new(node), min, max), first)?;
        }
    }
    /// `{n}`, `{n,}` or `{n,m}`.
    fn bounds(&mut self) -> Option<(u32, Option<u32>)> {
        let first = self.bump();
        let min = self.number()?;
        let max = match self.eat(',') {
            false => Some(min),
            true if self.at('}') => None,
            true => Some(self.number()?),
        };
        self.expect('}')?;
        if max.is_some_and(|max| max < min) {
            let span = self.span_from(first);
            return self.error(DiagnosticKind::Invalid, "the upper bound is below the lower one", span);
        }
        Some((min, max))
    }
    fn atom(&mut self) -> Option<Node<'a>> {
        let first = self.span();
        let kind = match self.peek().clone() {
            Token::Name("eps") if self.dialect == Dialect::Glrm => Kind::Epsilon,
            Token::Name(name) => Kind::Name(name),
            Token::Literal(bytes, false) if bytes.is_empty() => Kind::Epsilon,
            Token::Literal(bytes, false) => Kind::Literal(bytes),
            Token::Literal(bytes, true) => Kind::LiteralIgnoreCase(String::from_utf8(bytes).unwrap_or_default()),
            Token::Regex(pattern, flags) => Kind::Regex(pattern, flags),
            Token::Class(set) => Kind::Class(set),
            Token::Punctuation('.') => Kind::Class(CharSet::any()),
            Token::Punctuation('@') => return self.event(),
            Token::Punctuation('(') => {
                self.bump();
                let inner = self.choice()?;
                self.expect(')')?;
                return Some(inner);
            }
            _ => return self.unexpected("an expression"),
        };
        self.bump();
        Some(Node::new(kind, first))
    }
    /// `@token(id, …)` or `@mark(id)`.
    fn event(&mut self) -> Option<Node<'a>> {
        let first = self.bump();
        let (name, name_span) = self.name("`token` or `mark`")?;
        let kind = match name {
            "token" => Kind::Tokens(self.token_ids()?),
            "mark" => {
                self.expect('(')?;
                let id = self.number()?;
                self.expect(')')?;
                Kind::Mark(id)
            }
            _ => return self.error(DiagnosticKind::Syntax, format!("unknown `@{name}`"), name_span),
        };
        self.node(kind, first)
    }
    /// `(id, id-id, …)`, sorted and distinct; ranges have both ends.
    fn token_ids(&mut self) -> Option<Vec<u32>> {
        let first = self.span();
        self.expect('(')?;
        let mut ids = Vec::new();
        while !self.at(')') {
            let from = self.number()?;
            let to = if self.eat('-') { self.number()? } else { from };
            if to < from {
                let span = self.span_from(first);
                return self.error(DiagnosticKind::Invalid, "the range of ids goes backwards", span);
            }
            if ids.len() + (to - from) as usize >= MAX_IDS {
                let given = ids.len() + (to - from) as usize + 1;
                self.push_error(Diagnostic::limit("token ids of one atom", MAX_IDS, given, Some(first)));
                return None;
            }
            ids.extend(from..=to);
            if !self.eat(',') {
                break;
            }
        }
        self.expect(')')?;
        ids.sort_unstable();
        ids.dedup();
        Some(ids)
    }

    /// The only part, or a node of all.
    fn group(
        &mut self,
        mut parts: Vec<Node<'a>>,
        make: impl Fn(Vec<Node<'a>>) -> Kind<'a>,
        first: Span,
    ) -> Option<Node<'a>> {
        match parts.len() {
            1 => parts.pop(),
            _ => self.node(make(parts), first),
        }
    }
    /// A node from `first` to here, unless it is too deep.
    fn node(&mut self, kind: Kind<'a>, first: Span) -> Option<Node<'a>> {
        let node = Node::new(kind, self.span_from(first));
        if node.depth > MAX_NESTING {
            self.push_error(Diagnostic::limit("expression nesting", MAX_NESTING, node.depth, Some(first)));
            return None;
        }
        Some(node)
    }
}
