//! The parser of Lark grammars: declarations line by line. After an error it goes on at the next line that begins one.
//!
//! ```text
//! rule     = { "!" | "?" } name [ "{" names "}" ] [ "." priority ] [ "[" options "]" ] ":" choice
//! terminal = NAME [ "." priority ] ":" choice
//! import   = "%import" path [ "->" name ]  |  "%import" path "(" names ")"
//! ignore   = "%ignore" choice        declare = "%declare" names
//! ```
//! Expressions are in `expression.rs`.

use super::ast::{Bounds, Import, Items, Named, Node, Rule, TerminalRule, MAX_NESTING};
use super::lexer::{tokenize, Spanned, Token};
use super::Profile;
use crate::diagnostic::{shorten, Diagnostic, DiagnosticKind, GrammarError, MAX_DIAGNOSTICS};
use crate::ir::Span;
use crate::text::source::Source;

/// Parses the declarations of a text.
pub(super) fn parse(source: &Source<'_>, profile: Profile) -> Result<Items, GrammarError> {
    let (tokens, errors) = tokenize(source, profile);
    let mut parser = Parser { source, profile, tokens, next: 0, brackets: 0, nesting: 0, errors };
    let mut items = Items::default();
    loop {
        parser.brackets = 0;
        parser.nesting = 0;
        while parser.eat(&Token::NewLine) {}
        if *parser.peek() == Token::End || parser.errors.len() >= MAX_DIAGNOSTICS {
            break;
        }
        if parser.item(&mut items).is_none() {
            parser.recover();
        }
    }
    GrammarError::collect(parser.errors).map_or(Ok(items), Err)
}

/// A parser over tokens. Methods that fail have recorded the error and return `None`.
pub(super) struct Parser<'a, 's> {
    source: &'s Source<'a>,
    pub(super) profile: Profile,
    tokens: Vec<Spanned>,
    next: usize,
    /// Open brackets, inside which line ends mean nothing.
    pub(super) brackets: usize,
    pub(super) nesting: usize,
    pub(super) errors: Vec<Diagnostic>,
}

impl Parser<'_, '_> {
    fn skip_lines(&mut self) {
        while self.brackets > 0 && self.tokens.get(self.next).is_some_and(|t| t.token == Token::NewLine) {
            self.next += 1;
        }
    }
    pub(super) fn peek(&mut self) -> &Token {
        self.skip_lines();
        self.peek_at(0)
    }
    /// The token after `ahead` others.
    pub(super) fn peek_at(&self, ahead: usize) -> &Token {
        self.tokens.get(self.next + ahead).map_or(&Token::End, |t| &t.token)
    }
    /// The place of the next token.
    pub(super) fn span(&mut self) -> Span {
        self.skip_lines();
        self.tokens.get(self.next).or(self.tokens.last()).map(|t| t.span).unwrap_or_default()
    }
    /// Skips the next token; the end stays.
    pub(super) fn bump(&mut self) -> Span {
        let span = self.span();
        if *self.peek_at(0) != Token::End {
            self.next += 1;
        }
        span
    }
    /// From the first byte of `first` to the last token read.
    pub(super) fn span_from(&self, first: Span) -> Span {
        let end = self.tokens.get(self.next.wrapping_sub(1)).map_or(first.end, |t| t.span.end);
        Span { end: end.max(first.end), ..first }
    }
    pub(super) fn eat(&mut self, token: &Token) -> bool {
        let found = self.peek() == token;
        if found {
            self.next += 1;
        }
        found
    }
    pub(super) fn at(&mut self, text: &'static str) -> bool {
        *self.peek() == Token::Punctuation(text)
    }
    pub(super) fn eat_text(&mut self, text: &'static str) -> bool {
        self.eat(&Token::Punctuation(text))
    }
    pub(super) fn expect(&mut self, text: &'static str) -> Option<()> {
        match self.eat_text(text) {
            true => Some(()),
            false => self.unexpected(&format!("`{text}`")),
        }
    }
    pub(super) fn error<T>(&mut self, kind: DiagnosticKind, message: impl Into<String>, span: Span) -> Option<T> {
        self.push_error(Diagnostic::new(kind, message, Some(span)));
        None
    }
    pub(super) fn unsupported<T>(&mut self, message: impl Into<String>, span: Span) -> Option<T> {
        self.error(DiagnosticKind::Unsupported, message, span)
    }
    pub(super) fn push_error(&mut self, diagnostic: Diagnostic) {
        if self.errors.len() < 2 * MAX_DIAGNOSTICS {
            self.errors.push(diagnostic);
        }
    }
    /// Records that something else was expected here. A malformed token has been reported already.
    pub(super) fn unexpected<T>(&mut self, wanted: &str) -> Option<T> {
        let span = self.span();
        let found = match self.peek() {
            Token::Error => return None,
            Token::End => "the text ends".to_owned(),
            Token::NewLine => "the line ends".to_owned(),
            _ => {
                let text = self.source.text().get(span.start..span.end).unwrap_or("");
                format!("found `{}`", shorten(text))
            }
        };
        self.error(DiagnosticKind::Syntax, format!("expected {wanted}, {found}"), span)
    }
    /// Refuses what belongs to the other profile.
    pub(super) fn llm_only(&mut self, construct: &str, span: Span) -> Option<()> {
        match self.profile {
            Profile::Llm => Some(()),
            Profile::Recognition => {
                self.unsupported(format!("{construct} belongs to the profile `llm`, this is `recognition`"), span)
            }
        }
    }

    /// Skips to a line that may begin a declaration.
    fn recover(&mut self) {
        self.brackets = 0;
        while *self.peek_at(0) != Token::End {
            let ends_line = *self.peek_at(0) == Token::NewLine;
            self.next += 1;
            if ends_line && self.begins_item() {
                return;
            }
        }
    }
    fn begins_item(&self) -> bool {
        let mut ahead = 0;
        while matches!(self.peek_at(ahead), Token::Punctuation("!" | "?")) {
            ahead += 1;
        }
        let next = self.peek_at(ahead + 1);
        match self.peek_at(ahead) {
            Token::Directive(_) => true,
            Token::Rule(_) | Token::Terminal(_) => matches!(next, Token::Punctuation(":" | "." | "{" | "[")),
            _ => false,
        }
    }

    fn item(&mut self, items: &mut Items) -> Option<()> {
        let first = self.span();
        match self.peek().clone() {
            Token::Directive(name) => {
                self.bump();
                self.directive(&name, first, items)?;
            }
            Token::Terminal(name) => {
                self.bump();
                self.terminal((name, first), items)?;
            }
            _ => self.rule(items)?,
        }
        match self.peek() {
            Token::NewLine | Token::End => Some(()),
            _ => self.unexpected("the end of the declaration"),
        }
    }
    fn rule(&mut self, items: &mut Items) -> Option<()> {
        // How the tree is shaped does not matter here.
        while self.eat_text("!") || self.eat_text("?") {}
        let name = self.rule_name("a declaration")?;
        let parameters = if self.at("{") { self.parameters()? } else { Vec::new() };
        self.priority()?;
        let bounds = if self.at("[") { self.options()? } else { Bounds::default() };
        self.expect(":")?;
        let body = self.choice()?;
        items.rules.push(Rule { name, parameters, bounds, body });
        Some(())
    }
    fn terminal(&mut self, name: Named, items: &mut Items) -> Option<()> {
        if self.at("{") {
            let span = self.span();
            return self.unsupported("a template of terminals", span);
        }
        self.priority()?;
        self.expect(":")?;
        let body = self.choice()?;
        items.terminals.push(TerminalRule { name, body });
        Some(())
    }
    pub(super) fn rule_name(&mut self, wanted: &str) -> Option<Named> {
        match self.peek().clone() {
            Token::Rule(name) => Some((name, self.bump())),
            _ => self.unexpected(wanted),
        }
    }
    fn terminal_name(&mut self) -> Option<Named> {
        match self.peek().clone() {
            Token::Terminal(name) => Some((name, self.bump())),
            _ => self.unexpected("the name of a terminal"),
        }
    }
    /// `.number`: which of several readings a tree is made of does not matter here.
    fn priority(&mut self) -> Option<()> {
        if !self.eat_text(".") {
            return Some(());
        }
        match self.peek() {
            Token::Number(_) => {
                self.bump();
                Some(())
            }
            _ => self.unexpected("a priority"),
        }
    }
    /// `{a, b}`.
    fn parameters(&mut self) -> Option<Vec<Named>> {
        self.bump();
        let mut names = vec![self.rule_name("the name of a parameter")?];
        while self.eat_text(",") {
            names.push(self.rule_name("the name of a parameter")?);
        }
        self.expect("}")?;
        Some(names)
    }
    fn directive(&mut self, name: &str, span: Span, items: &mut Items) -> Option<()> {
        match name {
            "import" => self.import(items),
            "ignore" => {
                let node = self.choice()?;
                items.ignores.push(node);
                Some(())
            }
            "declare" => {
                items.declared.push(self.terminal_name()?);
                while matches!(self.peek(), Token::Terminal(_)) {
                    items.declared.push(self.terminal_name()?);
                }
                Some(())
            }
            "llguidance" => self.header(span),
            "override" | "extend" => {
                self.unsupported(format!("`%{name}`: there are no grammars to import from but `common`"), span)
            }
            "json" | "regex" | "lark" => self.error(
                DiagnosticKind::Syntax,
                format!("`%{name}` is an expression: write it after the colon of a rule"),
                span,
            ),
            _ => self.error(DiagnosticKind::Syntax, format!("unknown directive `%{name}`"), span),
        }
    }
    /// `%llguidance { … }`: only the empty object, and options that say what holds anyway.
    fn header(&mut self, span: Span) -> Option<()> {
        self.llm_only("`%llguidance`", span)?;
        let Token::Block(text) = self.peek().clone() else { return self.unexpected("`{`") };
        let block = self.bump();
        match text.trim_matches(['{', '}']).trim().is_empty() {
            true => Some(()),
            false => self.unsupported("options in `%llguidance`", block),
        }
    }
    fn import(&mut self, items: &mut Items) -> Option<()> {
        let first = self.span();
        if self.eat_text(".") {
            return self.unsupported("`%import` of another file", first);
        }
        let (library, span) = self.rule_name("`common`")?;
        if library != "common" {
            return self.unsupported(format!("`%import` from `{library}`: only `common` is known"), span);
        }
        if self.eat_text(".") {
            let name = self.terminal_name()?;
            let alias = if self.eat_text("->") { self.terminal_name()? } else { name.clone() };
            items.imports.push(Import { name, alias });
            return Some(());
        }
        self.expect("(")?;
        self.brackets += 1;
        loop {
            let name = self.terminal_name()?;
            items.imports.push(Import { alias: name.clone(), name });
            if !self.eat_text(",") {
                break;
            }
        }
        self.brackets -= 1;
        self.expect(")")
    }
    /// `[name, name=value, …]` after the name of a rule.
    fn options(&mut self) -> Option<Bounds> {
        let first = self.bump();
        self.llm_only("an option of a rule", first)?;
        let mut bounds = Bounds::default();
        loop {
            let (name, span) = self.rule_name("the name of an option")?;
            let value = if self.eat_text("=") { Some(self.option_value()?) } else { None };
            self.option(&name, value, span, &mut bounds)?;
            if !self.eat_text(",") {
                break;
            }
        }
        self.expect("]")?;
        Some(bounds)
    }
    /// A value; numbers are `None`.
    fn option_value(&mut self) -> Option<Option<Node>> {
        match self.peek() {
            Token::Number(_) => {
                self.bump();
                if self.eat_text(".") {
                    self.bump();
                }
                Some(None)
            }
            _ => self.value().map(Some),
        }
    }
    fn option(&mut self, name: &str, value: Option<Option<Node>>, span: Span, bounds: &mut Bounds) -> Option<()> {
        match (name, value) {
            // What is remembered of a text does not matter for which texts there are.
            ("capture" | "stop_capture", _) => {}
            ("lazy", None) => bounds.lazy = true,
            ("suffix", Some(Some(node))) => bounds.suffix = Some(node),
            ("stop", Some(Some(node))) => bounds.stop = Some(node),
            ("temperature", _) => {
                return self.unsupported("the option `temperature`: a grammar does not sample", span);
            }
            ("max_tokens", _) => {
                return self.unsupported("the option `max_tokens`: a grammar does not count tokens", span);
            }
            ("lazy" | "suffix" | "stop", _) => {
                return self.error(DiagnosticKind::Syntax, format!("a bad value of the option `{name}`"), span);
            }
            _ => return self.error(DiagnosticKind::Syntax, format!("unknown option `{name}`"), span),
        }
        Some(())
    }
    /// Whether one more level of nesting is allowed.
    pub(super) fn enter(&mut self) -> Option<()> {
        if self.nesting >= MAX_NESTING {
            let span = self.span();
            self.push_error(Diagnostic::limit("expression nesting", MAX_NESTING, self.nesting + 1, Some(span)));
            return None;
        }
        self.nesting += 1;
        Some(())
    }
}
