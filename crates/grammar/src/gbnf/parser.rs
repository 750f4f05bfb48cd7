//! The parser of GBNF, without a lexer, as the original is: where a line end counts depends on the place.
//!
//! ```text
//! rule     = name "::=" choice line-end          a line may also end after "::=" and after "|"
//! choice   = sequence { "|" sequence }
//! sequence = { item { "*" | "+" | "?" | "{n}" | "{n,}" | "{n,m}" } }
//! item     = "\"" chars "\"" | "[" ["^"] chars "]" | "." | name | "(" choice ")" | "<[id]>" | "<name>"
//! ```
//! Inside parentheses line ends are blanks. `\xHH` is a character here, not a byte.

use std::collections::BTreeMap;

use super::Rules;
use crate::diagnostic::{shorten, Diagnostic, DiagnosticKind};
use crate::expr::Expr;
use crate::ir::{Pattern, Span};
use crate::text::charset::CharSet;
use crate::text::escape::hex;
use crate::text::source::{Cursor, Source};

/// Deepest nesting of parentheses.
const MAX_NESTING: usize = 200;
/// Largest number of repetitions.
const MAX_REPEAT: u32 = 1_000_000;

/// Reads all rules; returns the errors.
pub(super) fn parse<'a>(
    source: &Source<'a>,
    rules: &mut Rules<'a>,
    token_names: &BTreeMap<String, Vec<u32>>,
) -> Vec<Diagnostic> {
    let mut parser = Parser { source, cursor: Cursor::new(source), rules, token_names, nesting: 0 };
    parser.blank(true);
    while parser.cursor.peek().is_some() && !parser.cursor.has_given_up() {
        if parser.rule().is_none() {
            parser.recover();
        }
        parser.blank(true);
    }
    parser.cursor.errors
}

/// Methods that fail have recorded the error and return `None`.
struct Parser<'a, 's> {
    source: &'s Source<'a>,
    cursor: Cursor<'a, 's>,
    rules: &'s mut Rules<'a>,
    token_names: &'s BTreeMap<String, Vec<u32>>,
    nesting: usize,
}

impl<'a> Parser<'a, '_> {
    /// Skips blanks and comments, and line ends where they are blanks.
    fn blank(&mut self, lines: bool) {
        loop {
            let line_end = |c| lines && matches!(c, '\r' | '\n');
            self.cursor.take_while(|c| matches!(c, ' ' | '\t') || line_end(c));
            if self.cursor.peek() != Some('#') {
                return;
            }
            self.cursor.take_while(|c| !matches!(c, '\r' | '\n'));
        }
    }
    fn error<T>(&mut self, kind: DiagnosticKind, message: impl Into<String>, start: usize) -> Option<T> {
        let span = self.cursor.span_since(start);
        self.cursor.errors.push(Diagnostic::new(kind, message, Some(span)));
        None
    }
    /// Records that something else was expected here.
    fn unexpected<T>(&mut self, wanted: &str) -> Option<T> {
        let start = self.cursor.position();
        let found = match self.cursor.bump() {
            None => "the text ends".to_owned(),
            Some('\n' | '\r') => "the line ends".to_owned(),
            Some(c) => format!("found `{}`", shorten(&c.to_string())),
        };
        self.error(DiagnosticKind::Syntax, format!("expected {wanted}, {found}"), start)
    }
    /// Skips to a line that begins with a name and `::=`.
    fn recover(&mut self) {
        self.nesting = 0;
        while self.cursor.peek().is_some() {
            self.cursor.take_while(|c| c != '\n');
            self.cursor.bump();
            let line = self.cursor.rest().trim_start_matches([' ', '\t']);
            let after = line.trim_start_matches(is_name_char);
            if after.len() < line.len() && after.trim_start_matches([' ', '\t']).starts_with("::=") {
                return;
            }
        }
    }

    fn rule(&mut self) -> Option<()> {
        let (name, span) = self.name("the name of a rule")?;
        self.blank(false);
        if !self.cursor.eat("::=") {
            return self.unexpected("`::=`");
        }
        self.blank(true);
        let body = self.choice(false)?;
        if !matches!(self.cursor.peek(), None | Some('\n' | '\r')) {
            return self.unexpected("the end of the rule");
        }
        let rule = self.rules.name(name, span);
        let nonterminal = rule.nonterminal;
        if std::mem::replace(&mut rule.defined, true) {
            let error = Diagnostic::new(DiagnosticKind::Invalid, format!("rule `{name}` is defined twice"), Some(span));
            self.cursor.errors.push(error);
            return Some(());
        }
        self.rules.builder.set_span(Some(span));
        self.rules.builder.define(nonterminal, body);
        Some(())
    }
    fn name(&mut self, wanted: &str) -> Option<(&'a str, Span)> {
        let start = self.cursor.position();
        match self.cursor.take_while(is_name_char) {
            "" => self.unexpected(wanted),
            name => Some((name, self.cursor.span_since(start))),
        }
    }
    /// Alternatives; any of them may be empty.
    fn choice(&mut self, nested: bool) -> Option<Expr> {
        let mut parts = vec![self.sequence(nested)?];
        while self.cursor.eat("|") {
            self.blank(true);
            parts.push(self.sequence(nested)?);
        }
        Some(single_or(parts, Expr::Choice))
    }
    fn sequence(&mut self, nested: bool) -> Option<Expr> {
        let mut parts: Vec<Expr> = Vec::new();
        loop {
            match self.cursor.peek() {
                Some('*' | '+' | '?' | '{') => {
                    let start = self.cursor.position();
                    let (min, max) = self.bounds(nested)?;
                    let Some(last) = parts.pop() else {
                        return self.error(DiagnosticKind::Syntax, "there is nothing to repeat", start);
                    };
                    parts.push(last.repeat(min, max));
                }
                Some(c) if matches!(c, '"' | '[' | '<' | '!' | '(' | '.') || is_name_char(c) => {
                    let item = self.item()?;
                    parts.push(item);
                }
                _ => return Some(single_or(parts, Expr::Sequence)),
            }
            self.blank(nested);
        }
    }
    fn item(&mut self) -> Option<Expr> {
        let start = self.cursor.position();
        match self.cursor.peek() {
            Some('"') => self.literal(),
            Some('[') => self.class(),
            Some('<') => self.token(),
            Some('!') => {
                self.error(DiagnosticKind::Unsupported, "a token that is excluded (`!`) is not supported", start)
            }
            Some('(') => self.group(),
            Some('.') => {
                self.cursor.bump();
                Some(self.terminal(start, Pattern::Regex(CharSet::any().regex())))
            }
            _ => {
                let (name, span) = self.name("an item")?;
                Some(self.rules.name(name, span).nonterminal.into())
            }
        }
    }
    fn terminal(&mut self, start: usize, pattern: Pattern) -> Expr {
        let name: String = self.cursor.since(start).chars().take(60).collect();
        self.rules.builder.set_span(Some(self.cursor.span_since(start)));
        self.rules.builder.terminal(&name, pattern).into()
    }
    fn group(&mut self) -> Option<Expr> {
        let start = self.cursor.position();
        if self.nesting >= MAX_NESTING {
            let span = Some(self.source.span(start, start + 1));
            self.cursor.errors.push(Diagnostic::limit("expression nesting", MAX_NESTING, self.nesting + 1, span));
            return None;
        }
        self.cursor.bump();
        self.nesting += 1;
        self.blank(true);
        let inner = self.choice(true)?;
        self.nesting -= 1;
        match self.cursor.eat(")") {
            true => Some(inner),
            false => self.unexpected("`)`"),
        }
    }
    /// `* + ? {n} {n,} {n,m}`.
    fn bounds(&mut self, nested: bool) -> Option<(u32, Option<u32>)> {
        let start = self.cursor.position();
        match self.cursor.bump() {
            Some('*') => return Some((0, None)),
            Some('+') => return Some((1, None)),
            Some('?') => return Some((0, Some(1))),
            _ => self.blank(nested),
        }
        let min = self.number(nested)?;
        let max = match self.cursor.eat(",") {
            false => Some(min),
            true => {
                self.blank(nested);
                if self.cursor.peek() == Some('}') {
                    None
                } else {
                    Some(self.number(nested)?)
                }
            }
        };
        if !self.cursor.eat("}") {
            return self.unexpected("`}`");
        }
        match max.is_some_and(|max| max < min) {
            true => self.error(DiagnosticKind::Invalid, "the upper bound is below the lower one", start),
            false => Some((min, max)),
        }
    }
    fn number(&mut self, nested: bool) -> Option<u32> {
        let start = self.cursor.position();
        let digits = self.cursor.take_while(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return self.unexpected("a number");
        }
        let number = digits.parse::<u32>().unwrap_or(u32::MAX);
        if number > MAX_REPEAT {
            let span = Some(self.cursor.span_since(start));
            self.cursor.errors.push(Diagnostic::limit("repetitions", MAX_REPEAT as usize, number as usize, span));
            return None;
        }
        self.blank(nested);
        Some(number)
    }
    fn literal(&mut self) -> Option<Expr> {
        let start = self.cursor.position();
        self.cursor.bump();
        let mut text = String::new();
        while !self.cursor.eat("\"") {
            match self.character()? {
                Some(c) => text.push(c),
                None => return self.error(DiagnosticKind::Syntax, "string without a closing quote", start),
            }
        }
        Some(match text.is_empty() {
            true => Expr::Epsilon,
            false => self.terminal(start, Pattern::Literal(text.into_bytes())),
        })
    }
    /// A character or an escape; `Some(None)` at the end of the text.
    fn character(&mut self) -> Option<Option<char>> {
        let start = self.cursor.position();
        let Some(c) = self.cursor.bump() else { return Some(None) };
        if c != '\\' {
            return Some(Some(c));
        }
        let digits = match self.cursor.bump() {
            Some('x') => 2,
            Some('u') => 4,
            Some('U') => 8,
            Some('t') => return Some(Some('\t')),
            Some('r') => return Some(Some('\r')),
            Some('n') => return Some(Some('\n')),
            Some(c @ ('\\' | '"' | '[' | ']' | '-')) => return Some(Some(c)),
            Some(c) => {
                let message = format!("unknown escape `\\{}`", c.escape_default());
                return self.error(DiagnosticKind::Syntax, message, start);
            }
            None => return Some(None),
        };
        let number = hex(&mut self.cursor, start, digits, digits)?;
        match char::from_u32(number) {
            Some(c) => Some(Some(c)),
            None => self.error(DiagnosticKind::Syntax, format!("U+{number:04X} is no Unicode scalar value"), start),
        }
    }
    fn class(&mut self) -> Option<Expr> {
        let start = self.cursor.position();
        self.cursor.bump();
        let negated = self.cursor.eat("^");
        let mut ranges = Vec::new();
        while !self.cursor.eat("]") {
            ranges.push(self.range(start)?);
        }
        if ranges.is_empty() {
            return self.error(DiagnosticKind::Syntax, "a class without characters", start);
        }
        let set = CharSet::of(ranges);
        let set = if negated { CharSet::any().difference(&set) } else { set };
        Some(self.terminal(start, Pattern::Regex(set.regex())))
    }
    /// `x` or `x-y`; a dash before the closing bracket is a character.
    fn range(&mut self, class: usize) -> Option<(char, char)> {
        let start = self.cursor.position();
        let Some(first) = self.character()? else {
            return self.error(DiagnosticKind::Syntax, "character class without a closing `]`", class);
        };
        if !self.cursor.rest().starts_with('-') || self.cursor.rest().starts_with("-]") {
            return Some((first, first));
        }
        self.cursor.bump();
        match self.character()? {
            Some(last) if first <= last => Some((first, last)),
            Some(_) => self.error(DiagnosticKind::Invalid, "the range goes backwards", start),
            None => self.error(DiagnosticKind::Syntax, "character class without a closing `]`", class),
        }
    }
    /// `<[id]>` or `<name>`.
    fn token(&mut self) -> Option<Expr> {
        let start = self.cursor.position();
        if self.cursor.eat("<[") {
            let id = self.cursor.take_while(|c| c.is_ascii_digit()).parse::<u32>().ok();
            return match id.filter(|_| self.cursor.eat("]>")) {
                Some(id) => Some(self.terminal(start, Pattern::ExactTokens(vec![id]))),
                None => self.error(DiagnosticKind::Syntax, "expected a token id: `<[id]>`", start),
            };
        }
        self.cursor.take_while(|c| c != '>' && c != '\n');
        if !self.cursor.eat(">") {
            return self.error(DiagnosticKind::Syntax, "token without `>`", start);
        }
        let text = self.cursor.since(start);
        let inner = text.trim_start_matches('<').trim_end_matches('>');
        match self.token_names.get(text).or_else(|| self.token_names.get(inner)) {
            Some(ids) => Some(self.terminal(start, Pattern::ExactTokens(ids.clone()))),
            None => {
                self.error(DiagnosticKind::Invalid, format!("the token `{text}` has no ids in `token_names`"), start)
            }
        }
    }
}

/// The only part, or all of them made one.
fn single_or(mut parts: Vec<Expr>, make: impl Fn(Vec<Expr>) -> Expr) -> Expr {
    match (parts.pop(), parts.is_empty()) {
        (Some(only), true) => only,
        (last, _) => make(parts.into_iter().chain(last).collect()),
    }
}

/// Letters, digits, `-` and `_`.
fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}
