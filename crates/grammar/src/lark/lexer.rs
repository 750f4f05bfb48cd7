//! Tokens of Lark grammars. The ends of lines are tokens: they end declarations.

use super::Profile;
use crate::diagnostic::Diagnostic;
use crate::ir::Span;
use crate::text::source::{Cursor, Source};

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `rule_name`
    Rule(String),
    /// `TERMINAL_NAME`
    Terminal(String),
    /// A string, and whether it has the suffix `i`.
    Literal(String, bool),
    /// Pattern and flags.
    Regex(String, String),
    Number(i64),
    /// `%name`
    Directive(String),
    /// `{ … }` after `%json`, `%regex`, `%lark` or `%llguidance`, with its braces.
    Block(String),
    /// `<name>`, with its brackets.
    Special(String),
    /// `@name`
    Reference(String),
    Punctuation(&'static str),
    NewLine,
    /// Something malformed, already reported.
    Error,
    End,
}

/// A token with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spanned {
    pub(super) token: Token,
    pub(super) span: Span,
}

/// Longest first.
const PUNCTUATION: [&str; 21] =
    ["..", "->", "::", ":", ",", ".", "|", "(", ")", "[", "]", "{", "}", "~", "*", "+", "?", "!", "&", "=", "-"];

/// The tokens of a text, the last one being [`Token::End`], and all lexical errors.
pub(super) fn tokenize(source: &Source<'_>, profile: Profile) -> (Vec<Spanned>, Vec<Diagnostic>) {
    let mut lexer = Lexer { cursor: Cursor::new(source), profile, block_next: false };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blank();
        let start = lexer.cursor.position();
        let token = if lexer.cursor.has_given_up() { Token::End } else { lexer.token() };
        let span = lexer.cursor.span_since(start);
        let at_end = token == Token::End;
        // Lines with nothing but a comment are no lines.
        if token != Token::NewLine || tokens.last().is_none_or(|last: &Spanned| last.token != Token::NewLine) {
            tokens.push(Spanned { token, span });
        }
        if at_end {
            return (tokens, lexer.cursor.errors);
        }
    }
}

struct Lexer<'a, 's> {
    cursor: Cursor<'a, 's>,
    profile: Profile,
    /// Whether a `{` begins text that is not Lark.
    block_next: bool,
}

impl Lexer<'_, '_> {
    /// Skips blanks, comments, and line ends after a backslash.
    fn skip_blank(&mut self) {
        loop {
            let start = self.cursor.position();
            self.cursor.take_while(|c| c.is_whitespace() && (c != '\n' || self.block_next));
            if ["//", "#"].iter().any(|mark| self.cursor.rest().starts_with(mark)) {
                self.cursor.take_while(|c| c != '\n');
            } else if let Some(rest) = self.cursor.rest().strip_prefix('\\') {
                let blank = rest.find(|c| !matches!(c, ' ' | '\t' | '\r')).unwrap_or(rest.len());
                if rest.get(blank..).is_some_and(|rest| rest.starts_with('\n')) {
                    self.cursor.bump();
                    self.cursor.take_while(|c| c != '\n');
                    self.cursor.bump();
                }
            }
            if self.cursor.position() == start {
                return;
            }
        }
    }
    fn token(&mut self) -> Token {
        let Some(c) = self.cursor.peek() else { return Token::End };
        if std::mem::take(&mut self.block_next) && c == '{' {
            return self.block();
        }
        match c {
            '\n' => {
                self.cursor.take_while(char::is_whitespace);
                Token::NewLine
            }
            '"' => self.literal(),
            '/' => self.regex(),
            '%' => self.directive(),
            '<' => self.special(),
            '@' => {
                self.cursor.bump();
                Token::Reference(self.cursor.take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-')).to_owned())
            }
            '0'..='9' => self.number(),
            '+' | '-' if self.cursor.rest().chars().nth(1).is_some_and(|c| c.is_ascii_digit()) => self.number(),
            c if c.is_alphabetic() || c == '_' => self.name(),
            _ => self.punctuation(),
        }
    }
    fn name(&mut self) -> Token {
        let rest = self.cursor.rest();
        let dashes = self.profile == Profile::Llm;
        let inner = |c: char| c.is_alphanumeric() || c == '_' || dashes && c == '-';
        let length = rest.find(|c| !inner(c)).unwrap_or(rest.len());
        // The dash of an arrow is not part of the name.
        let name = rest.get(..length).unwrap_or("").trim_end_matches('-').to_owned();
        self.cursor.eat(&name);
        match is_terminal_name(&name) {
            true => Token::Terminal(name),
            false => Token::Rule(name),
        }
    }
    fn number(&mut self) -> Token {
        let start = self.cursor.position();
        if !self.cursor.eat("-") {
            self.cursor.eat("+");
        }
        self.cursor.take_while(|c| c.is_ascii_digit());
        match self.cursor.since(start).parse() {
            Ok(number) => Token::Number(number),
            Err(_) => self.fail(start, "number out of range"),
        }
    }
    fn fail(&mut self, start: usize, message: impl Into<String>) -> Token {
        self.cursor.error(start, message);
        Token::Error
    }
    fn punctuation(&mut self) -> Token {
        let start = self.cursor.position();
        if let Some(&text) = PUNCTUATION.iter().find(|text| self.cursor.rest().starts_with(**text)) {
            self.cursor.eat(text);
            return Token::Punctuation(text);
        }
        let first = self.cursor.bump().unwrap_or(' ');
        self.cursor.take_while(|c| c == first);
        self.fail(start, format!("unexpected character `{}`", first.escape_default()))
    }
    fn directive(&mut self) -> Token {
        let start = self.cursor.position();
        self.cursor.bump();
        let name = self.cursor.take_while(|c| c.is_ascii_alphabetic() || c == '_').to_owned();
        if name.is_empty() {
            return self.fail(start, "`%` must be followed by a name");
        }
        self.block_next = matches!(name.as_str(), "json" | "regex" | "lark" | "llguidance");
        Token::Directive(name)
    }
    /// `<…>`.
    fn special(&mut self) -> Token {
        let start = self.cursor.position();
        self.cursor.take_while(|c| c != '>' && c != '\n');
        match self.cursor.eat(">") {
            true => Token::Special(self.cursor.since(start).to_owned()),
            false => self.fail(start, "special token without `>`"),
        }
    }
    /// Text up to the brace that closes this one; braces in strings and regular expressions do not count.
    fn block(&mut self) -> Token {
        let start = self.cursor.position();
        let mut open = 0usize;
        loop {
            match self.cursor.bump() {
                None => return self.fail(start, "`{` without `}`"),
                Some('{') => open += 1,
                Some('}') => open -= 1,
                Some('"') => self.skip_string(),
                Some(_) => {}
            }
            if open == 0 {
                return Token::Block(self.cursor.since(start).to_owned());
            }
        }
    }
    fn skip_string(&mut self) {
        while let Some(c) = self.cursor.bump() {
            match c {
                '"' | '\n' => return,
                '\\' => drop(self.cursor.bump()),
                _ => {}
            }
        }
    }
    /// `"…"` or `"…"i`.
    fn literal(&mut self) -> Token {
        let start = self.cursor.position();
        self.cursor.bump();
        let mut text = String::new();
        let mut valid = true;
        loop {
            match self.cursor.bump() {
                None | Some('\n') => return self.fail(start, "string without a closing quote"),
                Some('"') => break,
                Some('\\') => valid &= self.escape(&mut text).is_some(),
                Some(c) => text.push(c),
            }
        }
        let ignore_case = self.has_suffix();
        match valid {
            true => Token::Literal(text, ignore_case),
            false => Token::Error,
        }
    }
    /// A flag directly after a string, if no name goes on from there.
    fn has_suffix(&mut self) -> bool {
        let mut rest = self.cursor.rest().chars();
        let found = rest.next() == Some('i') && !rest.next().is_some_and(|c| c.is_alphanumeric() || c == '_');
        found && self.cursor.bump().is_some()
    }
    /// An escape, after its backslash. Lark keeps the backslash of those it does not know; llguidance has JSON's.
    fn escape(&mut self, text: &mut String) -> Option<()> {
        let start = self.cursor.position() - 1;
        let c = self.cursor.bump()?;
        let llm = self.profile == Profile::Llm;
        let c = match c {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'f' => '\u{c}',
            'b' if llm => '\u{8}',
            '/' if llm => '/',
            '\\' | '"' => c,
            'x' => self.scalar(start, 2)?,
            'u' => self.utf16(start)?,
            'U' if !llm => self.scalar(start, 8)?,
            _ if llm => {
                self.cursor.error(start, format!("unknown escape `\\{}`", c.escape_default()));
                return None;
            }
            _ => {
                text.push('\\');
                c
            }
        };
        text.push(c);
        Some(())
    }
    fn digits(&mut self, start: usize, count: usize) -> Option<u32> {
        let mut read = 0;
        let digits = self.cursor.take_while(|c| {
            read += 1;
            read <= count && c.is_ascii_hexdigit()
        });
        if digits.len() < count {
            self.cursor.error(start, format!("`{}` needs {count} hexadecimal digits", self.cursor.since(start)));
            return None;
        }
        u32::from_str_radix(digits, 16).ok()
    }
    fn scalar(&mut self, start: usize, count: usize) -> Option<char> {
        let number = self.digits(start, count)?;
        self.checked(start, number)
    }
    fn checked(&mut self, start: usize, number: u32) -> Option<char> {
        let scalar = char::from_u32(number);
        if scalar.is_none() {
            self.cursor.error(start, format!("U+{number:04X} is not a Unicode scalar value"));
        }
        scalar
    }
    /// Four digits, or two times four for a surrogate pair.
    fn utf16(&mut self, start: usize) -> Option<char> {
        let high = self.digits(start, 4)?;
        if !(0xD800..0xDC00).contains(&high) || !self.cursor.eat("\\u") {
            return self.checked(start, high);
        }
        let low = self.digits(start, 4)?;
        let pair = char::decode_utf16([high as u16, low as u16]).next().and_then(Result::ok);
        pair.or_else(|| self.checked(start, high))
    }
    /// `/pattern/flags`, with `\/` for a slash; line ends are part of it.
    fn regex(&mut self) -> Token {
        let start = self.cursor.position();
        self.cursor.bump();
        loop {
            match self.cursor.bump() {
                None => {
                    self.cursor.error(start, "regular expression without a closing `/`");
                    return Token::Error;
                }
                Some('\\') => drop(self.cursor.bump()),
                Some('/') => break,
                Some(_) => {}
            }
        }
        let pattern = self.cursor.since(start);
        let pattern = pattern.get(1..pattern.len() - 1).unwrap_or("").to_owned();
        let flags = self.cursor.take_while(|c| c.is_ascii_alphabetic()).to_owned();
        Token::Regex(pattern, flags)
    }
}

/// Whether a name is a terminal's: its first letter is in upper case.
pub(super) fn is_terminal_name(name: &str) -> bool {
    name.chars().find(|c| *c != '_').is_some_and(char::is_uppercase)
}
