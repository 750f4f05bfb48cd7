//! Terminal definitions: each becomes one pattern, with the terminals it refers to inlined.
//!
//! Definitions are compiled in the order of their references (strongly connected components, iteratively), as
//! [`Extended`] expressions: laziness and assertions concern the terminal as a whole, whatever parts it is made of.

use glrmask_automata::{AutomataError, ParseConfig, Regex};
use rustc_hash::FxHashMap;

use super::ast::{Block, Items, Kind, Named, Node};
use super::lexer::is_terminal_name;
use super::{common, substring, Profile};
use crate::diagnostic::{shorten, Diagnostic, DiagnosticKind, GrammarError};
use crate::ir::{Pattern, Span};
use crate::pattern::MAX_REGEX_DEPTH;
use crate::regex::{python, Extended, LanguageError};
use crate::text::source::Source;
use crate::transform::unit_cycles::strongly_connected;

/// Most nodes of the expression of one terminal, after inlining.
const MAX_SIZE: u64 = 1_000_000;

/// The index of a name that has no definition, which has been reported.
const REPORTED: usize = usize::MAX;

/// A result, or an error; `None` if that has been reported already.
pub(super) type Compiled<T> = Result<T, Option<Diagnostic>>;

/// Which names a definition sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Module {
    Own,
    Common,
}

struct Definition<'a> {
    name: &'a Named,
    body: &'a Node,
    module: Module,
}

/// Compiled terminal definitions.
pub(super) struct Terminals<'a> {
    source: &'a Source<'a>,
    profile: Profile,
    names: FxHashMap<(Module, String), usize>,
    /// Per definition, `None` for erroneous ones (reported).
    expressions: Vec<Option<Extended>>,
    bodies: Vec<Node>,
    /// So many definitions are the text's own; the library's follow.
    own: usize,
}

impl<'a> Terminals<'a> {
    /// Compiles all definitions of a text and what it imports.
    ///
    /// # Errors
    /// Only if the library cannot be read.
    pub(super) fn new(
        source: &'a Source<'a>,
        items: &Items,
        profile: Profile,
        errors: &mut Vec<Diagnostic>,
    ) -> Result<Self, GrammarError> {
        let library = if items.imports.is_empty() { Items::default() } else { common::library()? };
        let own = items.terminals.iter().map(|t| (t, Module::Own));
        let all = own.chain(library.terminals.iter().map(|t| (t, Module::Common)));
        let definitions: Vec<Definition<'_>> =
            all.map(|(t, module)| Definition { name: &t.name, body: &t.body, module }).collect();
        let mut names = FxHashMap::default();
        for (i, definition) in definitions.iter().enumerate() {
            let name = (definition.module, definition.name.0.clone());
            if names.insert(name, i).is_some() {
                errors.push(invalid(format!("terminal `{}` is defined twice", definition.name.0), definition.name.1));
            }
        }
        for import in &items.imports {
            let Some(&target) = names.get(&(Module::Common, import.name.0.clone())) else {
                errors.push(invalid(format!("there is no `common.{}`", import.name.0), import.name.1));
                names.insert((Module::Own, import.alias.0.clone()), REPORTED);
                continue;
            };
            if names.insert((Module::Own, import.alias.0.clone()), target).is_some_and(|old| old != target) {
                errors.push(invalid(format!("terminal `{}` is defined twice", import.alias.0), import.alias.1));
            }
        }
        let bodies = definitions.iter().map(|d| d.body.clone()).collect();
        let (own, expressions) = (items.terminals.len(), vec![None; definitions.len()]);
        let mut terminals = Self { source, profile, names, expressions, bodies, own };
        terminals.compile(&definitions, errors);
        Ok(terminals)
    }

    fn compile(&mut self, definitions: &[Definition<'_>], errors: &mut Vec<Diagnostic>) {
        let references: Vec<Vec<u32>> = definitions.iter().map(|d| self.references(d)).collect();
        for component in strongly_connected(definitions.len(), |i| &references[i]) {
            let first = component.iter().copied().min().unwrap_or(0);
            let cyclic = component.len() > 1 || references[first].contains(&(first as u32));
            let definition = &definitions[first];
            if cyclic {
                let (name, span) = definition.name;
                errors.push(invalid(format!("terminal `{name}` refers to itself: use a rule for recursion"), *span));
                continue;
            }
            match self.expression(definition.body, definition.module) {
                Ok(expression) => self.expressions[first] = Some(expression),
                Err(error) => errors.extend(error),
            }
        }
    }
    fn references(&self, definition: &Definition<'_>) -> Vec<u32> {
        let mut own = Vec::new();
        definition.body.for_each(&mut |node| {
            if let Kind::Name(name) = &node.kind {
                let index = self.names.get(&(definition.module, name.clone())).filter(|index| **index != REPORTED);
                own.extend(index.map(|&i| i as u32));
            }
        });
        own
    }

    /// Whether a terminal of this name is defined or imported.
    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.names.contains_key(&(Module::Own, name.to_owned()))
    }
    /// The pattern of a named terminal.
    pub(super) fn named(&self, name: &str, span: Span) -> Compiled<Pattern> {
        let index = self.index(Module::Own, name, span)?;
        // What is one literal stays a literal: the name changes nothing.
        match (self.bodies.get(index), self.expressions.get(index)) {
            (Some(body), Some(Some(expression))) => {
                // What is wrong with the whole is wrong where it is defined.
                let span = if index < self.own { body.span } else { span };
                self.finish(body, expression, span)
            }
            _ => Err(None),
        }
    }
    /// The pattern of an expression that stands in a rule.
    pub(super) fn anonymous(&self, node: &Node) -> Compiled<Pattern> {
        self.finish(node, &self.expression(node, Module::Own)?, node.span)
    }
    /// The language of an expression that stands in a rule.
    pub(super) fn language(&self, node: &Node) -> Compiled<Regex> {
        language(&self.expression(node, Module::Own)?, node.span)
    }
    fn finish(&self, node: &Node, expression: &Extended, span: Span) -> Compiled<Pattern> {
        if let Kind::Literal(text, true) = &node.kind {
            return Ok(Pattern::LiteralIgnoreCase(text.clone()));
        }
        let regex = language(expression, span)?;
        Ok(match regex.as_literal() {
            Some(bytes) => Pattern::Literal(bytes),
            None => Pattern::Regex(regex),
        })
    }
    fn index(&self, module: Module, name: &str, span: Span) -> Compiled<usize> {
        match self.names.get(&(module, name.to_owned())) {
            Some(&index) => Ok(index),
            None if is_terminal_name(name) => Err(Some(invalid(format!("terminal `{name}` is not defined"), span))),
            None => Err(Some(invalid(format!("`{name}` is a rule: terminals are made of terminals"), span))),
        }
    }

    fn expression(&self, node: &Node, module: Module) -> Compiled<Extended> {
        let expression = match &node.kind {
            Kind::Name(name) => {
                let index = self.index(module, name, node.span)?;
                // What has no expression has been reported.
                self.expressions.get(index).and_then(Clone::clone).ok_or(None)?
            }
            Kind::Literal(text, false) => Extended::plain(Regex::literal(text)),
            Kind::Literal(text, true) => Extended::plain(Regex::literal_ignore_case(text)),
            Kind::Range(from, to) => Extended::plain(Regex::char_class([(*from, *to)])),
            Kind::Regex(pattern, flags) => self.regex(pattern, flags, node.span, module)?,
            Kind::Sequence(parts) => Extended::concat(self.parts(parts, module, node.span)?),
            Kind::Choice(parts) => Extended::alternate(self.parts(parts, module, node.span)?),
            Kind::Repeat(inner, min, max) => self.expression(inner, module)?.repeat(*min, *max, false),
            Kind::Intersect(parts) => self.intersection(parts, module)?,
            Kind::Complement(inner) => {
                let inner = language(&self.expression(inner, module)?, inner.span)?;
                Extended::plain(Regex::any_byte().star().difference(&inner))
            }
            Kind::Block(Block::Regex, text) => {
                let regex = substring::parse(text).map_err(|error| error.at(node.span))?;
                Extended::plain(regex)
            }
            Kind::Template(..) | Kind::Special(_) | Kind::Tokens(_) | Kind::Block(..) | Kind::Reference(_) => {
                let text = self.source.text().get(node.span.start..node.span.end).unwrap_or("");
                return Err(Some(invalid(format!("`{}` cannot be part of a terminal", shorten(text)), node.span)));
            }
        };
        check_size(&expression, node.span)?;
        Ok(expression)
    }
    /// The parts, if they are not too large together.
    fn parts(&self, parts: &[Node], module: Module, span: Span) -> Compiled<Vec<Extended>> {
        let mut all = Vec::with_capacity(parts.len());
        let mut size = 0u64;
        for part in parts {
            let part = self.expression(part, module)?;
            size = size.saturating_add(part.size());
            if size > MAX_SIZE {
                return Err(Some(too_large(size, span)));
            }
            all.push(part);
        }
        Ok(all)
    }
    /// `a & ~b` is a difference.
    fn intersection(&self, parts: &[Node], module: Module) -> Compiled<Extended> {
        let mut all = Regex::any_byte().star();
        for (i, part) in parts.iter().enumerate() {
            let (node, negated) = match &part.kind {
                Kind::Complement(inner) if i > 0 => (&**inner, true),
                _ => (part, false),
            };
            let regex = language(&self.expression(node, module)?, node.span)?;
            all = match (i, negated) {
                (0, _) => regex,
                (_, true) => all.difference(&regex),
                (_, false) => all.intersect(&regex),
            };
        }
        Ok(Extended::plain(all))
    }
    /// A regular expression: Python's in Lark itself, Rust's in the profile `llm`.
    fn regex(&self, pattern: &str, flags: &str, span: Span, module: Module) -> Compiled<Extended> {
        match (self.profile, module) {
            (Profile::Llm, Module::Own) => self.rust_regex(pattern, flags, span),
            _ => self.python_regex(pattern, flags, span),
        }
    }
    fn python_regex(&self, pattern: &str, letters: &str, span: Span) -> Compiled<Extended> {
        let mut flags = python::Flags::default();
        for letter in letters.chars() {
            flags.set(letter, true).ok_or_else(|| Some(bad_flag(letter, span)))?;
        }
        python::parse(pattern, flags).map_err(|error| {
            let kind = if error.unsupported { DiagnosticKind::Unsupported } else { DiagnosticKind::Syntax };
            Some(Diagnostic::new(kind, error.message, Some(self.inside(span, error.at, error.at + 1))))
        })
    }
    fn rust_regex(&self, pattern: &str, letters: &str, span: Span) -> Compiled<Extended> {
        let mut config = ParseConfig::default();
        for letter in letters.chars() {
            match letter {
                'i' => config.case_insensitive = true,
                's' => config.dot_matches_new_line = true,
                'm' => config.multi_line = true,
                'x' => config.ignore_whitespace = true,
                'u' => {}
                _ => return Err(Some(bad_flag(letter, span))),
            }
        }
        let regex = Regex::parse(pattern, &config).map_err(|e| Some(self.rust_error(&e, pattern, &config, span)))?;
        Ok(Extended::plain(regex))
    }
    fn rust_error(&self, error: &AutomataError, pattern: &str, config: &ParseConfig, span: Span) -> Diagnostic {
        let kind = match error.is_limit() {
            true if pattern.len() > config.length_limit => {
                DiagnosticKind::Limit { limit: config.length_limit as u64, given: pattern.len() as u64 }
            }
            true => DiagnosticKind::Limit { limit: config.nest_limit.into(), given: u64::from(config.nest_limit) + 1 },
            false if error.is_unsupported() => DiagnosticKind::Unsupported,
            false => DiagnosticKind::Syntax,
        };
        let place = error.span().map_or(span, |range| self.inside(span, range.start, range.end));
        Diagnostic::new(kind, error.to_string(), Some(place))
    }
    /// Bytes of a pattern, in a token that has a slash before it. The library's places say nothing to the reader.
    fn inside(&self, token: Span, from: usize, to: usize) -> Span {
        let (from, to) = (token.start + 1 + from, token.start + 1 + to);
        let last = token.end.saturating_sub(1);
        self.source.span(from.min(last), to.clamp(from.min(last), token.end))
    }
}

/// The language of a whole terminal.
fn language(expression: &Extended, span: Span) -> Compiled<Regex> {
    let regex = expression.language().map_err(|error| {
        Some(match error {
            LanguageError::Unsupported(what) => Diagnostic::new(
                DiagnosticKind::Unsupported,
                format!("{what} is not supported in a terminal"),
                Some(span),
            ),
            LanguageError::Limit(message) => Diagnostic::new(DiagnosticKind::Unsupported, message, Some(span)),
        })
    })?;
    match regex.depth() <= MAX_REGEX_DEPTH {
        true => Ok(regex),
        false => Err(Some(Diagnostic::limit("regex nesting", MAX_REGEX_DEPTH, regex.depth(), Some(span)))),
    }
}

fn check_size(expression: &Extended, span: Span) -> Compiled<()> {
    if expression.depth() > MAX_REGEX_DEPTH {
        return Err(Some(Diagnostic::limit("regex nesting", MAX_REGEX_DEPTH, expression.depth(), Some(span))));
    }
    match expression.size() <= MAX_SIZE {
        true => Ok(()),
        false => Err(Some(too_large(expression.size(), span))),
    }
}

fn too_large(size: u64, span: Span) -> Diagnostic {
    Diagnostic::limit("nodes of one terminal", MAX_SIZE as usize, size as usize, Some(span))
}

fn bad_flag(letter: char, span: Span) -> Diagnostic {
    let kind = if matches!(letter, 'l' | 'a') { DiagnosticKind::Unsupported } else { DiagnosticKind::Syntax };
    Diagnostic::new(kind, format!("the flag `{letter}` is not supported: i, s, m, x, u"), Some(span))
}

fn invalid(message: String, span: Span) -> Diagnostic {
    Diagnostic::new(DiagnosticKind::Invalid, message, Some(span))
}
