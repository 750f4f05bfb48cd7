//! Regular expressions from text, in the syntax of the Rust `regex` crate.
//!
//! `regex-syntax` does the reading. Expressions are full matches here, so an anchor at the very beginning or end says
//! nothing new and is dropped; every other assertion (`\b`, an anchor in the middle) would need context and is an
//! error that names it. Lazy quantifiers denote the same language as greedy ones. Capture groups are groups.

use std::ops::Range;

use regex_syntax::ast::{self, Ast};
use regex_syntax::hir::{translate::TranslatorBuilder, Class, Hir, HirKind};
use rustc_hash::FxHashMap;

use crate::error::AutomataError;
use crate::unicode::unicode_class;
use crate::{ByteSet, Regex};

/// How [`Regex::parse`] reads a pattern. Flags can also be set inside it: `(?i)`, `(?s)`, `(?m)`, `(?x)`, `(?-u)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseConfig {
    /// Classes and `.` stand for Unicode characters in UTF-8 (default); off: for bytes.
    pub unicode: bool,
    /// Letters match in either case.
    pub case_insensitive: bool,
    /// `.` matches a line feed, too.
    pub dot_matches_new_line: bool,
    /// `^` and `$` stand for line boundaries (at the very beginning and end they are redundant all the same).
    pub multi_line: bool,
    /// White space and `#` comments in the pattern are ignored.
    pub ignore_whitespace: bool,
    /// Largest nesting depth of the pattern.
    pub nest_limit: u32,
    /// Largest length of the pattern in bytes.
    pub length_limit: usize,
}

impl Default for ParseConfig {
    fn default() -> Self {
        Self {
            unicode: true,
            case_insensitive: false,
            dot_matches_new_line: false,
            multi_line: false,
            ignore_whitespace: false,
            nest_limit: 250,
            length_limit: 1 << 18,
        }
    }
}

impl Regex {
    /// Reads a pattern in Rust syntax; the expression stands for the strings that match it from end to end.
    ///
    /// Errors carry the bytes of the pattern they are about ([`AutomataError::span`]).
    ///
    /// ```
    /// use glrmask_automata::{ParseConfig, Regex};
    /// let date = Regex::parse(r"^\d{4}-\d\d-\d\d$", &ParseConfig { unicode: false, ..Default::default() })?;
    /// assert!(date.compile(&Default::default())?.accepts(b"2024-02-29"));
    /// let error = Regex::parse(r"a\b", &ParseConfig::default()).unwrap_err();
    /// assert_eq!((error.span(), error.is_unsupported()), (Some(1..3), true));
    /// # Ok::<(), glrmask_automata::AutomataError>(())
    /// ```
    pub fn parse(pattern: &str, config: &ParseConfig) -> Result<Self, AutomataError> {
        if pattern.len() > config.length_limit {
            return Err(AutomataError::pattern_length(pattern.len(), config.length_limit));
        }
        let ast = ast::parse::ParserBuilder::new()
            .nest_limit(config.nest_limit)
            .ignore_whitespace(config.ignore_whitespace)
            .build()
            .parse(pattern)
            .map_err(|error| syntax_error(&error))?;
        check_assertions(&ast, Edges { begin: true, end: true }, pattern)?;
        let hir = TranslatorBuilder::new()
            .utf8(false)
            .unicode(config.unicode)
            .case_insensitive(config.case_insensitive)
            .dot_matches_new_line(config.dot_matches_new_line)
            .multi_line(config.multi_line)
            .build()
            .translate(pattern, &ast)
            .map_err(|error| AutomataError::syntax(error.kind().to_string(), span(error.span())))?;
        Ok(Translator::default().regex(&hir))
    }
}

fn span(span: &ast::Span) -> Range<usize> {
    span.start.offset..span.end.offset
}

fn syntax_error(error: &ast::Error) -> AutomataError {
    use ast::ErrorKind::{UnsupportedBackreference, UnsupportedLookAround};
    match error.kind() {
        UnsupportedBackreference => AutomataError::unsupported("a back-reference", span(error.span())),
        UnsupportedLookAround => AutomataError::unsupported("look-around", span(error.span())),
        kind => AutomataError::syntax(kind.to_string(), span(error.span())),
    }
}

/// Whether a part of the pattern stands at its very beginning or end.
#[derive(Clone, Copy)]
struct Edges {
    begin: bool,
    end: bool,
}

/// Accepts begin anchors at the beginning and end anchors at the end. Recursion is bounded by the nest limit.
fn check_assertions(ast: &Ast, at: Edges, pattern: &str) -> Result<(), AutomataError> {
    match ast {
        Ast::Assertion(assertion) if is_redundant(&assertion.kind, at) => Ok(()),
        Ast::Assertion(assertion) => {
            let bytes = span(&assertion.span);
            let text = pattern.get(bytes.clone()).unwrap_or_default();
            Err(AutomataError::unsupported(format!("the assertion `{text}` at this place"), bytes))
        }
        Ast::Group(group) => check_assertions(&group.ast, at, pattern),
        Ast::Alternation(alternation) => {
            alternation.asts.iter().try_for_each(|branch| check_assertions(branch, at, pattern))
        }
        Ast::Repetition(repetition) => {
            let once = matches!(repetition.op.kind, ast::RepetitionKind::ZeroOrOne);
            let at = Edges { begin: at.begin && once, end: at.end && once };
            check_assertions(&repetition.ast, at, pattern)
        }
        Ast::Concat(concat) => check_sequence(&concat.asts, at, pattern),
        _ => Ok(()),
    }
}

fn check_sequence(parts: &[Ast], at: Edges, pattern: &str) -> Result<(), AutomataError> {
    let first = parts.iter().position(|part| !is_without_width(part)).unwrap_or(parts.len());
    let last = parts.iter().rposition(|part| !is_without_width(part)).unwrap_or(0);
    for (i, part) in parts.iter().enumerate() {
        let at = Edges { begin: at.begin && i <= first, end: at.end && i >= last };
        check_assertions(part, at, pattern)?;
    }
    Ok(())
}

fn is_without_width(ast: &Ast) -> bool {
    matches!(ast, Ast::Assertion(_) | Ast::Empty(_) | Ast::Flags(_))
}

fn is_redundant(kind: &ast::AssertionKind, at: Edges) -> bool {
    match kind {
        ast::AssertionKind::StartLine | ast::AssertionKind::StartText => at.begin,
        ast::AssertionKind::EndLine | ast::AssertionKind::EndText => at.end,
        _ => false,
    }
}

/// Remembers classes, so that a pattern full of `\w` shares one tree.
#[derive(Default)]
struct Translator {
    classes: FxHashMap<Vec<(char, char)>, Regex>,
}

impl Translator {
    /// Recursion is bounded by the nest limit of the pattern.
    fn regex(&mut self, hir: &Hir) -> Regex {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Regex::epsilon(),
            HirKind::Literal(literal) => Regex::literal(&literal.0),
            HirKind::Class(class) => self.class(class),
            HirKind::Repetition(repetition) => self.regex(&repetition.sub).repeat(repetition.min, repetition.max),
            HirKind::Capture(capture) => self.regex(&capture.sub),
            HirKind::Concat(parts) => Regex::concat(parts.iter().map(|part| self.regex(part)).collect::<Vec<_>>()),
            HirKind::Alternation(parts) => {
                Regex::alternate(parts.iter().map(|part| self.regex(part)).collect::<Vec<_>>())
            }
        }
    }
    fn class(&mut self, class: &Class) -> Regex {
        match class {
            Class::Bytes(bytes) => {
                let ranges = bytes.ranges().iter().map(|range| ByteSet::range(range.start(), range.end()));
                Regex::bytes(ranges.fold(ByteSet::EMPTY, |all, range| all.union(&range)))
            }
            Class::Unicode(unicode) => {
                let key = unicode.ranges().iter().map(|range| (range.start(), range.end())).collect();
                self.classes.entry(key).or_insert_with(|| unicode_class(unicode)).clone()
            }
        }
    }
}
