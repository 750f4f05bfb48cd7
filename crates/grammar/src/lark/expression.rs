//! Expressions of Lark grammars, by recursive descent with bounded nesting.
//!
//! ```text
//! choice   = alias { "|" alias }           a line may begin with the bar
//! alias    = conjunction [ "->" name ]
//! conjunction = sequence { "&" sequence }                                  llm
//! sequence = { item }
//! item     = atom [ "?" | "*" | "+" | "~" n [ ".." m ] | "{n,m}" ]         braces: llm
//! atom     = "(" choice ")" | "[" choice "]" | "~" atom | value            complement: llm
//! value    = string [ ".." string ] | regex | name [ "{" values "}" ] | <token> | @name | %json { … }
//! ```

use super::ast::{Block, Kind, Node, MAX_NESTING};
use super::lexer::Token;
use super::parser::Parser;
use super::Profile;
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::ir::Span;

/// Largest number of repetitions written out.
const MAX_REPEAT: u32 = 1_000_000;

impl Parser<'_, '_> {
    /// choice
    pub(super) fn choice(&mut self) -> Option<Node> {
        let first = self.span();
        self.enter()?;
        let mut parts = vec![self.alias()?];
        while self.at_bar() {
            parts.push(self.alias()?);
        }
        self.nesting -= 1;
        self.group(parts, Kind::Choice, first)
    }
    /// Skips a bar, also at the beginning of the next line.
    fn at_bar(&mut self) -> bool {
        let next_line = *self.peek() == Token::NewLine && *self.peek_at(1) == Token::Punctuation("|");
        if next_line {
            self.bump();
        }
        self.eat_text("|")
    }
    fn alias(&mut self) -> Option<Node> {
        let node = self.conjunction()?;
        if self.eat_text("->") {
            // The name of a tree node.
            match self.peek() {
                Token::Rule(_) | Token::Terminal(_) => drop(self.bump()),
                _ => return self.unexpected("an alias"),
            }
        }
        Some(node)
    }
    fn conjunction(&mut self) -> Option<Node> {
        let first = self.span();
        let mut parts = vec![self.sequence()?];
        while self.at("&") {
            let span = self.bump();
            self.llm_only("`&`", span)?;
            parts.push(self.sequence()?);
        }
        self.group(parts, Kind::Intersect, first)
    }
    fn sequence(&mut self) -> Option<Node> {
        let first = self.span();
        let mut parts = Vec::new();
        while self.at_atom() {
            parts.push(self.item_of_sequence()?);
        }
        self.group(parts, Kind::Sequence, first)
    }
    fn at_atom(&mut self) -> bool {
        match self.peek() {
            Token::Rule(_) | Token::Terminal(_) | Token::Literal(..) | Token::Regex(..) | Token::Error => true,
            Token::Special(_) | Token::Reference(_) | Token::Directive(_) => true,
            Token::Punctuation(text) => matches!(*text, "(" | "[" | "~"),
            _ => false,
        }
    }
    fn item_of_sequence(&mut self) -> Option<Node> {
        let first = self.span();
        let atom = self.atom()?;
        let (min, max) = match self.peek().clone() {
            Token::Punctuation("?") => (0, Some(1)),
            Token::Punctuation("*") => (0, None),
            Token::Punctuation("+") => (1, None),
            Token::Punctuation("~") if matches!(self.peek_at(1), Token::Number(_)) => {
                let (min, max) = self.tilde()?;
                return self.node(Kind::Repeat(Box::new(atom), min, max), first);
            }
            Token::Punctuation("{") => {
                let (min, max) = self.braces()?;
                return self.node(Kind::Repeat(Box::new(atom), min, max), first);
            }
            _ => return Some(atom),
        };
        self.bump();
        self.node(Kind::Repeat(Box::new(atom), min, max), first)
    }
    /// `~ n` or `~ n..m`.
    fn tilde(&mut self) -> Option<(u32, Option<u32>)> {
        let first = self.bump();
        let min = self.count()?;
        let max = if self.eat_text("..") { self.count()? } else { min };
        self.bounds(min, Some(max), first)
    }
    /// `{n}`, `{n,}`, `{,m}` or `{n,m}`.
    fn braces(&mut self) -> Option<(u32, Option<u32>)> {
        let first = self.bump();
        self.llm_only("repetition in braces", first)?;
        let min = if self.at(",") { 0 } else { self.count()? };
        let max = match self.eat_text(",") {
            false => Some(min),
            true if self.at("}") => None,
            true => Some(self.count()?),
        };
        self.expect("}")?;
        self.bounds(min, max, first)
    }
    fn bounds(&mut self, min: u32, max: Option<u32>, first: Span) -> Option<(u32, Option<u32>)> {
        let span = self.span_from(first);
        if max.is_some_and(|max| max < min) {
            return self.error(DiagnosticKind::Invalid, "the upper bound is below the lower one", span);
        }
        let most = max.unwrap_or(min);
        if most > MAX_REPEAT {
            self.push_error(Diagnostic::limit("repetitions", MAX_REPEAT as usize, most as usize, Some(span)));
            return None;
        }
        Some((min, max))
    }
    fn count(&mut self) -> Option<u32> {
        let span = self.span();
        match *self.peek() {
            Token::Number(n) => {
                self.bump();
                match u32::try_from(n) {
                    Ok(n) => Some(n),
                    Err(_) => self.error(DiagnosticKind::Syntax, "a number of repetitions is out of range", span),
                }
            }
            _ => self.unexpected("a number of repetitions"),
        }
    }
    fn atom(&mut self) -> Option<Node> {
        let first = self.span();
        match self.peek() {
            Token::Punctuation("(") => self.brackets(")"),
            Token::Punctuation("[") => {
                let inner = self.brackets("]")?;
                self.node(Kind::Repeat(Box::new(inner), 0, Some(1)), first)
            }
            Token::Punctuation("~") => {
                self.bump();
                self.llm_only("the complement `~`", first)?;
                self.enter()?;
                let inner = self.atom()?;
                self.nesting -= 1;
                self.node(Kind::Complement(Box::new(inner)), first)
            }
            _ => self.value(),
        }
    }
    fn brackets(&mut self, close: &'static str) -> Option<Node> {
        self.bump();
        self.brackets += 1;
        let inner = self.choice()?;
        let found = self.at(close);
        self.brackets -= 1;
        match found {
            true => {
                self.bump();
                Some(inner)
            }
            false => {
                self.brackets += 1;
                self.unexpected(&format!("`{close}`"))
            }
        }
    }
    /// A value: what may also be an argument of a template.
    pub(super) fn value(&mut self) -> Option<Node> {
        let first = self.span();
        let kind = match self.peek().clone() {
            Token::Literal(text, false) if *self.peek_at(1) == Token::Punctuation("..") => return self.range(&text),
            Token::Literal(text, ignore_case) => Kind::Literal(text, ignore_case),
            Token::Regex(pattern, flags) => Kind::Regex(pattern, flags),
            Token::Terminal(name) => Kind::Name(name),
            Token::Rule(name) if self.at_arguments() => return self.template(name),
            Token::Rule(name) => Kind::Name(name),
            Token::Special(_) | Token::Reference(_) if self.profile == Profile::Recognition => {
                self.llm_only("a token or grammar reference", first)?;
                return None;
            }
            Token::Special(text) => match text.strip_prefix("<[").and_then(|text| text.strip_suffix("]>")) {
                Some(ids) => self.token_ids(ids, first)?,
                None => Kind::Special(text),
            },
            Token::Reference(name) => Kind::Reference(name),
            Token::Directive(name) => return self.block(&name),
            _ => return self.unexpected("an expression"),
        };
        self.bump();
        self.node(kind, first)
    }
    /// Whether a `{` after a name holds arguments and no bounds.
    fn at_arguments(&self) -> bool {
        *self.peek_at(1) == Token::Punctuation("{")
            && !(self.profile == Profile::Llm && matches!(self.peek_at(2), Token::Number(_) | Token::Punctuation(",")))
    }
    /// `"a".."z"`.
    fn range(&mut self, from: &str) -> Option<Node> {
        let first = self.bump();
        self.bump();
        let Token::Literal(to, false) = self.peek().clone() else {
            return self.unexpected("the upper end of a range");
        };
        self.bump();
        let single = |text: &str| text.chars().next().filter(|c| c.len_utf8() == text.len());
        let span = self.span_from(first);
        match (single(from), single(&to)) {
            (Some(from), Some(to)) if from <= to => self.node(Kind::Range(from, to), first),
            (Some(_), Some(_)) => self.error(DiagnosticKind::Invalid, "the range goes backwards", span),
            _ => self.error(DiagnosticKind::Syntax, "a range goes from one character to one character", span),
        }
    }
    /// `name{argument, …}`.
    fn template(&mut self, name: String) -> Option<Node> {
        let first = self.bump();
        self.bump();
        self.enter()?;
        self.brackets += 1;
        let mut arguments = vec![self.value()?];
        while self.eat_text(",") {
            arguments.push(self.value()?);
        }
        self.brackets -= 1;
        self.nesting -= 1;
        self.expect("}")?;
        self.node(Kind::Template(name, arguments), first)
    }
    /// `1,5-9` in `<[1,5-9]>`: ranges include both ends.
    fn token_ids(&mut self, text: &str, span: Span) -> Option<Kind> {
        if text.starts_with('^') || text.trim() == "*" {
            return self.unsupported("a set of tokens that is not listed (`^`, `*`)", span);
        }
        let mut ranges = Vec::new();
        for part in text.split(',') {
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            match (from.trim().parse::<u32>(), to.trim().parse::<u32>()) {
                (Ok(from), Ok(to)) if from <= to => ranges.push((from, to)),
                _ => return self.error(DiagnosticKind::Syntax, "expected token ids such as `<[1,5-9]>`", span),
            }
        }
        Some(Kind::Tokens(ranges))
    }
    /// `%json { … }`, `%regex { … }`, `%lark { … }`.
    fn block(&mut self, name: &str) -> Option<Node> {
        let first = self.bump();
        let block = match name {
            "json" => Block::Json,
            "regex" => Block::Regex,
            "lark" => Block::Lark,
            _ => return self.error(DiagnosticKind::Syntax, format!("`%{name}` inside an expression"), first),
        };
        self.llm_only(&format!("`%{name}`"), first)?;
        let Token::Block(text) = self.peek().clone() else { return self.unexpected("`{`") };
        self.bump();
        self.node(Kind::Block(block, text), first)
    }

    /// The only part, or a node of all.
    fn group(&mut self, mut parts: Vec<Node>, make: impl Fn(Vec<Node>) -> Kind, first: Span) -> Option<Node> {
        match parts.len() {
            1 => parts.pop(),
            _ => self.node(make(parts), first),
        }
    }
    /// A node from `first` to here, unless it is too deep.
    fn node(&mut self, kind: Kind, first: Span) -> Option<Node> {
        let node = Node::new(kind, self.span_from(first));
        if node.depth > MAX_NESTING {
            self.push_error(Diagnostic::limit("expression nesting", MAX_NESTING, node.depth, Some(first)));
            return None;
        }
        Some(node)
    }
}
