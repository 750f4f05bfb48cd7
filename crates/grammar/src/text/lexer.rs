//! Tokens of GLRM and EBNF.

use super::charset::{code_point, CharSet};
use super::escape::{escape, Escaped};
use super::source::{Cursor, Source};
use crate::diagnostic::Diagnostic;
use crate::ir::Span;

/// Which format is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Glrm,
    Ebnf,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    Name(&'a str),
    Number(u64),
    /// A string, and whether it has the suffix `i`.
    Literal(Vec<u8>, bool),
    /// `/pattern/flags`.
    Regex(&'a str, &'a str),
    Class(CharSet),
    /// `=` or `::=`.
    Define,
    Punctuation(char),
    /// Something malformed, already reported.
    Error,
    End,
}

/// A token with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spanned<'a> {
    pub(crate) token: Token<'a>,
    pub(crate) span: Span,
}

/// The tokens of a text, the last one being [`Token::End`], and all lexical errors.
pub(crate) fn tokenize<'a>(source: &Source<'a>, dialect: Dialect) -> (Vec<Spanned<'a>>, Vec<Diagnostic>) {
    let mut lexer = Lexer { cursor: Cursor::new(source), dialect };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blank();
        let start = lexer.cursor.position();
        let token = if lexer.cursor.has_given_up() { Token::End } else { lexer.token() };
        let span = lexer.cursor.span_since(start);
        let at_end = token == Token::End;
        tokens.push(Spanned { token, span });
        if at_end {
            return (tokens, lexer.cursor.errors);
        }
    }
}

struct Lexer<'a, 's> {
    cursor: Cursor<'a, 's>,
    dialect: Dialect,
}

impl<'a> Lexer<'a, '_> {
    /// Skips white space and comments.
    fn skip_blank(&mut self) {
        loop {
            let start = self.cursor.position();
            self.cursor.take_while(char::is_whitespace);
            if self.at_line_comment() {
                self.cursor.take_while(|c| c != '\n');
            } else if self.cursor.eat("/*") {
                self.block_comment();
            }
            if self.cursor.position() == start {
                return;
            }
        }
    }
    fn at_line_comment(&self) -> bool {
        let rest = self.cursor.rest();
        match self.dialect {
            Dialect::Glrm => rest.starts_with("//"),
            Dialect::Ebnf => rest.starts_with('#') && !is_code_point(rest),
        }
    }
    fn block_comment(&mut self) {
        let start = self.cursor.position() - 2;
        match self.cursor.rest().find("*/") {
            Some(length) => {
                let end = self.cursor.position() + length + 2;
                while self.cursor.position() < end && self.cursor.bump().is_some() {}
            }
            None => {
                self.cursor.take_while(|_| true);
                self.cursor.error(start, "comment without `*/`");
            }
        }
    }
    fn token(&mut self) -> Token<'a> {
        let start = self.cursor.position();
        let Some(c) = self.cursor.peek() else { return Token::End };
        let ebnf = self.dialect == Dialect::Ebnf;
        match c {
            '"' => self.literal(),
            '\'' | '#' if ebnf => self.literal(),
            '[' => {
                self.cursor.bump();
                CharSet::parse(&mut self.cursor, start, self.dialect).map_or(Token::Error, Token::Class)
            }
            ':' if self.cursor.eat("::=") => Token::Define,
            '=' if !ebnf => self.punctuation(Token::Define),
            '/' if !ebnf => self.regex(),
            '|' | '?' | '*' | '+' | '(' | ')' | '-' => self.punctuation(Token::Punctuation(c)),
            ';' | '{' | '}' | ',' | '&' | '~' | '@' | '.' if !ebnf => self.punctuation(Token::Punctuation(c)),
            '0'..='9' if !ebnf => self.number(),
            c if is_name_start(c) => self.name(),
            _ => self.garbage(),
        }
    }
    fn punctuation(&mut self, token: Token<'a>) -> Token<'a> {
        self.cursor.bump();
        token
    }
    fn name(&mut self) -> Token<'a> {
        let rest = self.cursor.rest();
        let dashes = self.dialect == Dialect::Ebnf;
        let inner = |c: char| is_name_start(c) || c.is_numeric() || dashes && matches!(c, '-' | '.');
        let length = rest.find(|c| !inner(c)).unwrap_or(rest.len());
        // A dash at the end is the operator.
        let name = rest.get(..length).unwrap_or("").trim_end_matches(['-', '.']);
        self.cursor.eat(name);
        Token::Name(name)
    }
    fn number(&mut self) -> Token<'a> {
        let start = self.cursor.position();
        let digits = self.cursor.take_while(|c| c.is_ascii_digit());
        match digits.parse() {
            Ok(number) => Token::Number(number),
            Err(_) => {
                self.cursor.error(start, "number out of range");
                Token::Error
            }
        }
    }
    /// A run of characters that begin no token is one error.
    fn garbage(&mut self) -> Token<'a> {
        let start = self.cursor.position();
        let known = |c: char| c.is_whitespace() || is_name_start(c) || "\"'#[=/|?*+()-;{},&~@.:".contains(c);
        let first = self.cursor.bump().unwrap_or(' ');
        self.cursor.take_while(|c| !known(c));
        self.cursor.error(start, format!("unexpected character `{}`", first.escape_default()));
        Token::Error
    }

    /// `"…"`, `"…"i`, and in EBNF `'…'` and `#xHH`.
    fn literal(&mut self) -> Token<'a> {
        let start = self.cursor.position();
        let mut bytes = Vec::new();
        if self.cursor.peek() == Some('#') {
            return match code_point(&mut self.cursor) {
                Some(c) => Token::Literal(c.to_string().into_bytes(), false),
                None => Token::Error,
            };
        }
        let quote = self.cursor.bump();
        let mut valid = true;
        loop {
            let at = self.cursor.position();
            match self.cursor.bump() {
                None | Some('\n') => {
                    self.cursor.error(start, "string without a closing quote");
                    return Token::Error;
                }
                c if c == quote => break,
                Some('\\') => match escape(&mut self.cursor, at, "") {
                    Some(Escaped::Byte(b)) => bytes.push(b),
                    Some(Escaped::Char(c)) => push_char(&mut bytes, c),
                    None => valid = false,
                },
                Some(c) => push_char(&mut bytes, c),
            }
        }
        let ignore_case = self.dialect == Dialect::Glrm && self.has_suffix('i');
        if !valid {
            return Token::Error;
        }
        self.check_literal(start, &bytes, ignore_case);
        Token::Literal(bytes, ignore_case)
    }
    /// A suffix directly after a string, if no name goes on from there.
    fn has_suffix(&mut self, suffix: char) -> bool {
        let mut rest = self.cursor.rest().chars();
        let found = rest.next() == Some(suffix) && !rest.next().is_some_and(|c| is_name_start(c) || c.is_numeric());
        if found {
            self.cursor.bump();
        }
        found
    }
    fn check_literal(&mut self, start: usize, bytes: &[u8], ignore_case: bool) {
        if bytes.is_empty() && self.dialect == Dialect::Glrm {
            self.cursor.error(start, "empty string: write `eps`");
        }
        if ignore_case && std::str::from_utf8(bytes).is_err() {
            self.cursor.error(start, "a case-insensitive string must be valid UTF-8");
        }
    }
    /// `/pattern/flags`, on one line, with `\/` for a slash.
    fn regex(&mut self) -> Token<'a> {
        let start = self.cursor.position();
        self.cursor.bump();
        loop {
            match self.cursor.bump() {
                None | Some('\n') => {
                    self.cursor.error(start, "regular expression without a closing `/`");
                    return Token::Error;
                }
                Some('\\') if self.cursor.peek() != Some('\n') => {
                    self.cursor.bump();
                }
                Some('/') => break,
                Some(_) => {}
            }
        }
        let pattern = self.cursor.since(start);
        let flags = self.cursor.take_while(|c| c.is_ascii_alphabetic());
        Token::Regex(pattern.get(1..pattern.len() - 1).unwrap_or(""), flags)
    }
}

/// Whether the text begins with `#x` and a hexadecimal digit: a character, not a comment.
fn is_code_point(rest: &str) -> bool {
    rest.strip_prefix("#x").and_then(|digits| digits.chars().next()).is_some_and(|c| c.is_ascii_hexdigit())
}

fn push_char(bytes: &mut Vec<u8>, c: char) {
    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Letters, `_` and `$` (made-up names begin with it).
pub(crate) fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}
