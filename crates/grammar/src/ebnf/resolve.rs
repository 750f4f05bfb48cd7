//! From EBNF rules to the grammar.

use glrmask_automata::NonterminalId;
use rustc_hash::FxHashMap;

use super::Rule;
use crate::builder::GrammarBuilder;
use crate::diagnostic::{Diagnostic, DiagnosticKind, GrammarError};
use crate::expr::Expr;
use crate::ir::{Grammar, Pattern, Span};
use crate::text::ast::{Kind, Node, MAX_NESTING};
use crate::text::charset::CharSet;
use crate::text::source::Source;

/// Builds the grammar.
pub(super) fn resolve(source: &Source<'_>, rules: &[Rule<'_>]) -> Result<Grammar, GrammarError> {
    let mut builder = GrammarBuilder::new();
    builder.keywords(false);
    let (names, sets) = (FxHashMap::default(), FxHashMap::default());
    let mut resolver = Resolver { source, rules, builder, names, sets, errors: Vec::new() };
    resolver.declare();
    let bodies: Vec<_> = rules.iter().map(|rule| resolver.expr(&rule.body)).collect();
    let Resolver { names, errors, mut builder, .. } = resolver;
    if let Some(error) = GrammarError::collect(errors) {
        return Err(error);
    }
    for (rule, body) in rules.iter().zip(bodies) {
        if let (Some(body), Some(&(_, lhs))) = (body, names.get(rule.name.0)) {
            builder.set_span(Some(rule.name.1));
            builder.define(lhs, body);
        }
    }
    let first = rules.first().map(|rule| rule.name.0);
    let root = ["start", "root"].into_iter().chain(first).find_map(|name| names.get(name));
    let &(_, start) = root.ok_or_else(|| GrammarError::invalid("there is no rule", Some(Span::BEGIN)))?;
    builder.build(start)
}

struct Resolver<'a, 's> {
    source: &'s Source<'a>,
    rules: &'s [Rule<'a>],
    builder: GrammarBuilder,
    /// Position and nonterminal of each rule.
    names: FxHashMap<&'a str, (usize, NonterminalId)>,
    /// What rules are as sets of single characters, if they are.
    sets: FxHashMap<usize, Option<CharSet>>,
    errors: Vec<Diagnostic>,
}

impl<'a> Resolver<'a, '_> {
    fn declare(&mut self) {
        for (i, Rule { name: (name, span), .. }) in self.rules.iter().enumerate() {
            self.builder.set_span(Some(*span));
            let n = self.builder.nonterminal(name);
            if self.names.insert(name, (i, n)).is_some() {
                self.error::<()>(DiagnosticKind::Invalid, format!("`{name}` is defined twice"), *span);
            }
        }
    }
    fn error<T>(&mut self, kind: DiagnosticKind, message: impl Into<String>, span: Span) -> Option<T> {
        self.errors.push(Diagnostic::new(kind, message, Some(span)));
        None
    }
    /// After an error it goes on, to find more of them.
    fn expr(&mut self, node: &Node<'a>) -> Option<Expr> {
        match &node.kind {
            Kind::Name(name) => match self.names.get(name) {
                Some(&(_, n)) => Some(n.into()),
                None => self.error(DiagnosticKind::Invalid, format!("`{name}` is not defined"), node.span),
            },
            Kind::Epsilon => Some(Expr::Epsilon),
            Kind::Literal(bytes) => {
                self.builder.set_span(Some(node.span));
                Some(self.builder.literal(bytes).into())
            }
            Kind::Class(set) => Some(self.class(set, node.span)),
            Kind::Sequence(parts) => self.exprs(parts).map(Expr::Sequence),
            Kind::Choice(parts) => self.exprs(parts).map(Expr::Choice),
            Kind::Repeat(inner, min, max) => Some(self.expr(inner)?.repeat(*min, *max)),
            Kind::Difference(..) => {
                let set = self.char_set(node, MAX_NESTING)?;
                Some(self.class(&set, node.span))
            }
            // The lexer lets nothing else through.
            _ => self.error(DiagnosticKind::Syntax, "this is no part of EBNF", node.span),
        }
    }
    fn exprs(&mut self, parts: &[Node<'a>]) -> Option<Vec<Expr>> {
        let all: Vec<_> = parts.iter().map(|part| self.expr(part)).collect();
        all.into_iter().collect()
    }
    /// The terminal of a class.
    fn class(&mut self, set: &CharSet, span: Span) -> Expr {
        self.builder.set_span(Some(span));
        let text = self.source.text().get(span.start..span.end).unwrap_or("");
        let name: String = text.chars().take(60).collect();
        self.builder.terminal(&name, Pattern::Regex(set.regex())).into()
    }
    /// An operand of `-` as a set of single characters; rules are looked into down to a depth.
    fn char_set(&mut self, node: &Node<'a>, depth: usize) -> Option<CharSet> {
        let Some(depth) = depth.checked_sub(1) else {
            return self.error(
                DiagnosticKind::Invalid,
                "an operand of `-` is nested too deeply or recursive",
                node.span,
            );
        };
        match &node.kind {
            Kind::Class(set) => Some(set.clone()),
            Kind::Literal(bytes) => match single_char(bytes) {
                Some(c) => Some(CharSet::single(c)),
                None => self.not_a_set(node.span),
            },
            Kind::Name(name) => match self.names.get(name) {
                Some(&(rule, _)) => self.rule_set(rule, depth),
                None => self.error(DiagnosticKind::Invalid, format!("`{name}` is not defined"), node.span),
            },
            Kind::Choice(parts) => {
                parts.iter().try_fold(CharSet::default(), |set, part| Some(set.union(&self.char_set(part, depth)?)))
            }
            Kind::Difference(a, b) => Some(self.char_set(a, depth)?.difference(&self.char_set(b, depth)?)),
            _ => self.not_a_set(node.span),
        }
    }
    fn rule_set(&mut self, rule: usize, depth: usize) -> Option<CharSet> {
        if let Some(known) = self.sets.get(&rule) {
            return known.clone();
        }
        let set = self.char_set(&self.rules.get(rule)?.body, depth);
        self.sets.insert(rule, set.clone());
        set
    }
    fn not_a_set(&mut self, span: Span) -> Option<CharSet> {
        let message = "`-` is supported between sets of single characters only, and this is none";
        self.error(DiagnosticKind::Unsupported, message, span)
    }
}

fn single_char(bytes: &[u8]) -> Option<char> {
    let mut chars = std::str::from_utf8(bytes).ok()?.chars();
    chars.next().filter(|_| chars.next().is_none())
}
