//! Errors of grammars: what is wrong, where, and the line with a caret under it.
//!
//! A [`GrammarError`] holds *all* errors found in a text (at least one), so that an editor can show them together.
//! Four kinds are told apart: bad syntax, something not supported, something that has no meaning, a limit reached.

use std::fmt::{self, Write as _};

use crate::ir::Span;

/// The most diagnostics kept of one text.
pub(crate) const MAX_DIAGNOSTICS: usize = 100;
/// The most characters of a source line shown in an excerpt.
const EXCERPT_WIDTH: usize = 120;

/// What sort of error a [`Diagnostic`] reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DiagnosticKind {
    /// The text does not follow the format's syntax.
    Syntax,
    /// The construct is known and has a meaning, but is not supported here.
    Unsupported,
    /// The grammar has no meaning: an undefined name, an empty language.
    Invalid,
    /// A limit was reached.
    Limit {
        /// The limit.
        limit: u64,
        /// What was asked for (at least `limit + 1`).
        given: u64,
    },
}

/// One error with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    kind: DiagnosticKind,
    message: String,
    span: Option<Span>,
    excerpt: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without an excerpt.
    pub(crate) fn new(kind: DiagnosticKind, message: impl Into<String>, span: Option<Span>) -> Self {
        Self { kind, message: message.into(), span, excerpt: None }
    }
    /// A limit of `what` was reached.
    pub(crate) fn limit(what: &str, limit: usize, given: usize, span: Option<Span>) -> Self {
        let kind = DiagnosticKind::Limit { limit: limit as u64, given: given as u64 };
        Self::new(kind, format!("{what}: limit {limit}, given {given}"), span)
    }
    /// What sort of error it is.
    pub fn kind(&self) -> DiagnosticKind {
        self.kind
    }
    /// What is wrong, in one line, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }
    /// Where it is, if it has a place in a source text.
    pub fn span(&self) -> Option<Span> {
        self.span
    }
    /// The source line with a caret under the place, two lines.
    pub fn excerpt(&self) -> Option<&str> {
        self.excerpt.as_deref()
    }
    fn attach_source(&mut self, source: &str) {
        self.excerpt = self.span.and_then(|span| excerpt(source, span));
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(span) = self.span {
            write!(f, "line {}, column {}: ", span.line, span.column)?;
        }
        f.write_str(&self.message)?;
        match &self.excerpt {
            Some(excerpt) => write!(f, "\n{excerpt}"),
            None => Ok(()),
        }
    }
}

/// One or more errors of a grammar.
///
/// ```
/// let error = glrmask_grammar::GrammarBuilder::new().build(glrmask_automata::NonterminalId(7)).unwrap_err();
/// assert_eq!(error.to_string(), "start symbol n7 is not declared");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrammarError {
    first: Box<Diagnostic>,
    more: Vec<Diagnostic>,
}

impl GrammarError {
    /// The first error.
    pub fn first(&self) -> &Diagnostic {
        &self.first
    }
    /// All errors in source order, at least one.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        std::iter::once(&*self.first).chain(&self.more)
    }
    /// The kind of the first error.
    pub fn kind(&self) -> DiagnosticKind {
        self.first.kind
    }
    /// The place of the first error.
    pub fn span(&self) -> Option<Span> {
        self.first.span
    }

    /// Bad syntax.
    pub fn syntax(message: impl Into<String>, span: Option<Span>) -> Self {
        Diagnostic::new(DiagnosticKind::Syntax, message, span).into()
    }
    /// Something with a meaning that is not supported.
    pub fn unsupported(message: impl Into<String>, span: Option<Span>) -> Self {
        Diagnostic::new(DiagnosticKind::Unsupported, message, span).into()
    }
    /// Something without a meaning.
    pub fn invalid(message: impl Into<String>, span: Option<Span>) -> Self {
        Diagnostic::new(DiagnosticKind::Invalid, message, span).into()
    }
    /// A limit was reached: `what` names it.
    pub fn limit(what: &str, limit: usize, given: usize, span: Option<Span>) -> Self {
        Diagnostic::limit(what, limit, given, span).into()
    }

    /// The error that holds all of `diagnostics`, in source order, if there are any.
    pub(crate) fn collect(diagnostics: Vec<Diagnostic>) -> Option<Self> {
        let mut sorted = diagnostics;
        sorted.sort_by_key(|d| d.span.map_or(usize::MAX, |s| s.start));
        sorted.dedup();
        sorted.truncate(MAX_DIAGNOSTICS);
        let mut rest = sorted.into_iter();
        let first = Box::new(rest.next()?);
        Some(Self { first, more: rest.collect() })
    }
    /// Adds excerpts from the text that the spans are about.
    pub fn with_source(mut self, source: &str) -> Self {
        self.first.attach_source(source);
        self.more.iter_mut().for_each(|d| d.attach_source(source));
        self
    }
}

impl From<Diagnostic> for GrammarError {
    fn from(first: Diagnostic) -> Self {
        Self { first: Box::new(first), more: Vec::new() }
    }
}

impl fmt::Display for GrammarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        self.more.iter().try_for_each(|d| write!(f, "\n{d}"))
    }
}

impl std::error::Error for GrammarError {}

/// The line that `span` starts on, and a caret line under it. A long line is cut around the place.
fn excerpt(source: &str, span: Span) -> Option<String> {
    let before = source.get(..span.start)?;
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    let column = source.get(line_start..span.start)?.chars().count();
    let skip = column.saturating_sub(EXCERPT_WIDTH / 2);
    let line = source.get(line_start..)?.split('\n').next()?;
    let shown: String = line.chars().skip(skip).take(EXCERPT_WIDTH).map(printable).collect();
    let marked = source.get(span.start..span.end)?.split('\n').next()?.chars().count();
    let carets = marked.min(shown.chars().count().saturating_sub(column - skip)).max(1);
    let number = span.line.to_string();
    let mut out = String::new();
    write!(out, "  {number} | {shown}\n  {:pad$} | {:indent$}", "", "", pad = number.len(), indent = column - skip)
        .ok()?;
    out.extend(std::iter::repeat_n('^', carets));
    Some(out)
}

/// A piece of source text as it appears in a message.
pub(crate) fn shorten(text: &str) -> String {
    let short: String = text.chars().take(30).map(printable).collect();
    if short.len() < text.len() {
        short + "…"
    } else {
        short
    }
}

/// Control characters would disturb the alignment.
fn printable(c: char) -> char {
    if c.is_control() {
        ' '
    } else {
        c
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_the_place() {
        let source = "a\nbé cd\ne";
        let span = Span { start: 6, end: 8, line: 2, column: 4 };
        let error = GrammarError::syntax("bad", Some(span)).with_source(source);
        assert_eq!(error.to_string(), "line 2, column 4: bad\n  2 | bé cd\n    |    ^^");
    }

    #[test]
    fn long_lines_are_cut() {
        let source = "x".repeat(10_000) + "!";
        let span = Span { start: 10_000, end: 10_001, line: 1, column: 10_001 };
        let text = excerpt(&source, span).unwrap_or_default();
        assert!(text.len() < 300);
        assert!(text.lines().next().is_some_and(|l| l.ends_with('!')));
    }

    #[test]
    fn errors_are_in_source_order_and_bounded() {
        let at = |start| Some(Span { start, end: start, line: 1, column: start + 1 });
        let all = (0..1000).rev().map(|i| Diagnostic::new(DiagnosticKind::Invalid, "m", at(i))).collect();
        let error = GrammarError::collect(all).map(|e| (e.first().span(), e.diagnostics().count()));
        assert_eq!(error, Some((at(0), MAX_DIAGNOSTICS)));
        assert_eq!(GrammarError::collect(Vec::new()), None);
    }
}
