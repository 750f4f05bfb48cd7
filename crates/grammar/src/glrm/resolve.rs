//! From declarations to the grammar: names, terminals, scopes.

use glrmask_automata::{NonterminalId, Regex, Symbol, TerminalId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::items::{Named, RuleKind, ScopeItems};
use super::regular;
use crate::builder::GrammarBuilder;
use crate::diagnostic::{Diagnostic, DiagnosticKind, GrammarError};
use crate::expr::Expr;
use crate::ir::{Grammar, Pattern, SlotKind, Span};
use crate::text::ast::{Kind, Node};
use crate::text::source::Source;

/// Builds the grammar of the root scope.
pub(super) fn resolve(source: &Source<'_>, root: &ScopeItems<'_>) -> Result<Grammar, GrammarError> {
    let mut builder = GrammarBuilder::new();
    let mut errors = Vec::new();
    let start = ScopeResolver::run(source, root, &mut builder, &mut errors);
    match (GrammarError::collect(errors), start) {
        (Some(error), _) => Err(error),
        (None, Some(start)) => builder.build(start),
        (None, None) => Err(GrammarError::invalid("there is no start symbol", None)),
    }
}

/// What a name stands for.
#[derive(Clone, Copy)]
enum Definition {
    Nonterminal(NonterminalId),
    /// A `t` rule, by its position among the rules.
    Terminal(usize),
    Internal(usize),
    /// A slot for token events.
    TokenSlot(TerminalId),
    /// An inline grammar without a start symbol, which has been reported.
    Broken,
}

struct ScopeResolver<'a, 's> {
    source: &'s Source<'a>,
    items: &'s ScopeItems<'a>,
    builder: &'s mut GrammarBuilder,
    errors: &'s mut Vec<Diagnostic>,
    names: FxHashMap<&'a str, Definition>,
    patterns: Vec<Option<Pattern>>,
    /// Terminals declared for `t` rules, on first use.
    terminals: FxHashMap<usize, TerminalId>,
}

impl<'a, 's> ScopeResolver<'a, 's> {
    /// Resolves a scope and those inside it, in the builder's current scope. Returns the start symbol.
    fn run(
        source: &'s Source<'a>,
        items: &'s ScopeItems<'a>,
        builder: &'s mut GrammarBuilder,
        errors: &'s mut Vec<Diagnostic>,
    ) -> Option<NonterminalId> {
        let children = items.children.iter().map(|child| {
            builder.enter_scope(child.name.0);
            let start = ScopeResolver::run(source, child, builder, errors);
            builder.leave_scope();
            start
        });
        let children: Vec<_> = children.collect();
        let (names, terminals) = (FxHashMap::default(), FxHashMap::default());
        let mut scope = ScopeResolver { source, items, builder, errors, names, patterns: Vec::new(), terminals };
        scope.declare(&children);
        scope.patterns = regular::compile(&items.rules, scope.errors);
        scope.define();
        scope.options();
        scope.start()
    }

    fn invalid<T>(&mut self, message: impl Into<String>, span: Span) -> Option<T> {
        self.errors.push(Diagnostic::new(DiagnosticKind::Invalid, message, Some(span)));
        None
    }
    fn insert(&mut self, (name, span): Named<'a>, definition: Definition) {
        if self.names.insert(name, definition).is_some() {
            self.invalid::<()>(format!("`{name}` is defined twice"), span);
        }
    }
    fn declare(&mut self, children: &[Option<NonterminalId>]) {
        for (child, start) in self.items.children.iter().zip(children) {
            // A child without a start symbol has been reported.
            self.insert(child.name, start.map_or(Definition::Broken, Definition::Nonterminal));
        }
        for &(kind, name) in &self.items.slots {
            self.builder.set_span(Some(name.1));
            let definition = match kind {
                SlotKind::Grammar => Definition::Nonterminal(self.builder.grammar_slot(name.0)),
                SlotKind::Token => Definition::TokenSlot(self.builder.token_slot(name.0)),
            };
            self.insert(name, definition);
        }
        for (i, rule) in self.items.rules.iter().enumerate() {
            self.builder.set_span(Some(rule.name.1));
            let definition = match rule.kind {
                RuleKind::Nonterminal => Definition::Nonterminal(self.builder.nonterminal(rule.name.0)),
                RuleKind::Terminal => Definition::Terminal(i),
                RuleKind::Internal => Definition::Internal(i),
            };
            self.insert(rule.name, definition);
        }
    }
    fn define(&mut self) {
        for rule in self.items.rules.iter().filter(|r| r.kind == RuleKind::Nonterminal) {
            let expr = self.expr(&rule.body);
            self.builder.set_span(Some(rule.name.1));
            if let (Some(expr), Some(&Definition::Nonterminal(lhs))) = (expr, self.names.get(rule.name.0)) {
                self.builder.define(lhs, expr);
            }
        }
    }
    fn options(&mut self) {
        for node in self.items.ignores.iter().flat_map(alternatives) {
            if let Some(terminal) = self.terminal(node) {
                self.builder.ignore(terminal);
            }
        }
        let mut groups = FxHashSet::default();
        for ((name, span), members) in &self.items.groups {
            if !groups.insert(*name) {
                self.invalid::<()>(format!("lexer group `{name}` is defined twice"), *span);
            }
            let members = alternatives(members).iter().filter_map(|m| self.terminal(m)).collect();
            self.builder.group(members);
        }
        if self.items.keywords_off {
            self.builder.keywords(false);
        }
    }
    /// The start symbol: what `start` says, else the rule named `start`.
    fn start(&mut self) -> Option<NonterminalId> {
        let (name, span) = self.items.start.unwrap_or(("start", self.items.name.1));
        if self.items.start.is_none() && !self.names.contains_key(name) {
            return self.invalid("no start symbol: add `start NAME;`", span);
        }
        let is_rule = self.items.rules.iter().any(|r| r.name.0 == name && r.kind == RuleKind::Nonterminal);
        match self.name(name, span)? {
            Symbol::Nonterminal(n) if is_rule => Some(n),
            symbol => {
                // A terminal or an inline grammar is an atom of this scope.
                let n = self.builder.fresh("start");
                self.builder.production(n, vec![symbol]);
                Some(n)
            }
        }
    }

    /// The symbol of a name.
    fn name(&mut self, name: &str, span: Span) -> Option<Symbol> {
        match self.names.get(name) {
            Some(&Definition::Nonterminal(n)) => Some(Symbol::Nonterminal(n)),
            Some(&Definition::Terminal(rule)) => self.rule_terminal(rule).map(Symbol::Terminal),
            Some(Definition::Internal(_)) => {
                self.invalid(format!("`{name}` is internal: only `t` rules may use it"), span)
            }
            Some(&Definition::TokenSlot(t)) => Some(Symbol::Terminal(t)),
            Some(Definition::Broken) => None,
            None => self.invalid(format!("`{name}` is not defined in this grammar"), span),
        }
    }
    /// The terminal of a `t` rule; `None` if the rule has an error.
    fn rule_terminal(&mut self, rule: usize) -> Option<TerminalId> {
        if let Some(&known) = self.terminals.get(&rule) {
            return Some(known);
        }
        let pattern = self.patterns.get(rule)?.clone()?;
        let (name, span) = self.items.rules.get(rule)?.name;
        self.builder.set_span(Some(span));
        let id = self.builder.terminal(name, pattern);
        self.terminals.insert(rule, id);
        Some(id)
    }
    /// The terminal that an `ignore` or a group means.
    fn terminal(&mut self, node: &Node<'a>) -> Option<TerminalId> {
        match &node.kind {
            Kind::Name(name) => match self.name(name, node.span)? {
                Symbol::Terminal(t) => Some(t),
                Symbol::Nonterminal(_) => self.invalid(format!("`{name}` is not a terminal"), node.span),
            },
            _ => self.anonymous(node),
        }
    }
    /// The terminal of a regular expression. Its parts may be `t` rules.
    fn anonymous(&mut self, node: &Node<'a>) -> Option<TerminalId> {
        self.builder.set_span(Some(node.span));
        let pattern = match regular::pattern(node, &mut |name, span| self.regex(name, span)) {
            Ok(pattern) => pattern,
            Err(error) => {
                self.errors.extend(error);
                return None;
            }
        };
        let text = self.source.text().get(node.span.start..node.span.end).unwrap_or("");
        let name: String = text.chars().take(60).collect();
        Some(self.builder.terminal(&name, pattern))
    }
    /// The language of a `t` rule.
    fn regex(&self, name: &str, span: Span) -> regular::Compiled<Regex> {
        match self.names.get(name) {
            Some(&(Definition::Terminal(rule) | Definition::Internal(rule))) => {
                // What has no pattern has been reported.
                regular::regex_of(self.patterns.get(rule).and_then(Option::as_ref).ok_or(None)?, span)
            }
            _ => {
                let message = format!("`{name}` is not a `t` rule of this grammar");
                Err(Some(Diagnostic::new(DiagnosticKind::Invalid, message, Some(span))))
            }
        }
    }
    /// An expression of an `nt` rule. After an error it goes on, to find more of them.
    fn expr(&mut self, node: &Node<'a>) -> Option<Expr> {
        match &node.kind {
            Kind::Name(name) => self.name(name, node.span).map(Expr::Symbol),
            Kind::Epsilon => Some(Expr::Epsilon),
            Kind::Mark(id) => {
                self.builder.set_span(Some(node.span));
                Some(self.builder.mark(*id).into())
            }
            Kind::Sequence(parts) => self.exprs(parts).map(Expr::Sequence),
            Kind::Choice(parts) => self.exprs(parts).map(Expr::Choice),
            Kind::Repeat(inner, min, max) => Some(self.expr(inner)?.repeat(*min, *max)),
            Kind::Separated(separator, items) => {
                let separator = self.expr(separator);
                let items: Vec<_> = items.iter().map(|(item, occurs)| Some((self.expr(item)?, *occurs))).collect();
                let items = items.into_iter().collect::<Option<_>>()?;
                Some(Expr::Separated { separator: Box::new(separator?), items })
            }
            _ => self.anonymous(node).map(Expr::from),
        }
    }
    fn exprs(&mut self, parts: &[Node<'a>]) -> Option<Vec<Expr>> {
        let all: Vec<_> = parts.iter().map(|part| self.expr(part)).collect();
        all.into_iter().collect()
    }
}

/// The alternatives at the top of an expression.
fn alternatives<'n, 'a>(node: &'n Node<'a>) -> &'n [Node<'a>] {
    match &node.kind {
        Kind::Choice(parts) => parts,
        _ => std::slice::from_ref(node),
    }
}
