//! From declarations to the grammar: rules, templates, terminals.
//!
//! A template is a family of rules, one per list of arguments. Arguments are lowered to symbols first, so equal ones
//! give the same rule, and a template may use itself; instances wait in a queue for their bodies.

use glrmask_automata::{Limits, NonterminalId, Regex, Symbol, TerminalId};
use rustc_hash::FxHashMap;

use super::ast::{Block, Items, Kind, Named, Node, Rule};
use super::lexer::is_terminal_name;
use super::terminals::Terminals;
use super::{parse_nested, Options};
use crate::builder::GrammarBuilder;
use crate::diagnostic::{Diagnostic, DiagnosticKind, GrammarError, MAX_DIAGNOSTICS};
use crate::expr::Expr;
use crate::ir::{Grammar, Pattern, Span};
use crate::regex::shortest;
use crate::text::expression::MAX_IDS;
use crate::text::source::Source;

/// Most instances of templates.
const MAX_INSTANCES: usize = 100_000;

/// What the parameters of a template stand for.
type Arguments = Vec<Vec<Symbol>>;

/// Builds the grammar.
pub(super) fn resolve(
    source: &Source<'_>,
    items: &Items,
    options: &Options<'_>,
    depth: usize,
) -> Result<Grammar, GrammarError> {
    let mut errors = Vec::new();
    let terminals = Terminals::new(source, items, options.profile, &mut errors)?;
    let mut resolver = Resolver {
        items,
        options,
        depth,
        source,
        terminals,
        builder: GrammarBuilder::new(),
        errors,
        rules: FxHashMap::default(),
        named: FxHashMap::default(),
        references: FxHashMap::default(),
        instances: FxHashMap::default(),
        queue: Vec::new(),
    };
    let start = resolver.run();
    let Resolver { builder, errors, .. } = resolver;
    match (GrammarError::collect(errors), start) {
        (Some(error), _) => Err(error),
        (None, Some(start)) => builder.build(start),
        (None, None) => Err(GrammarError::invalid("there is no rule `start`", Some(Span::BEGIN))),
    }
}

struct Resolver<'r, 'o> {
    items: &'r Items,
    options: &'r Options<'o>,
    depth: usize,
    source: &'r Source<'r>,
    terminals: Terminals<'r>,
    builder: GrammarBuilder,
    errors: Vec<Diagnostic>,
    /// Position among the rules, and the nonterminal of those that are no templates.
    rules: FxHashMap<&'r str, (usize, Option<NonterminalId>)>,
    /// Terminals of named definitions, on first use.
    named: FxHashMap<&'r str, TerminalId>,
    /// Slots by name.
    references: FxHashMap<&'r str, NonterminalId>,
    instances: FxHashMap<(usize, Arguments), NonterminalId>,
    queue: Vec<(usize, Arguments, NonterminalId)>,
}

impl<'r> Resolver<'r, '_> {
    fn run(&mut self) -> Option<NonterminalId> {
        self.declare();
        for (i, rule) in self.items.rules.iter().enumerate() {
            if let Some(&(position, Some(lhs))) = self.rules.get(rule.name.0.as_str()) {
                if position == i {
                    self.define(rule, &Vec::new(), lhs);
                }
            }
        }
        self.ignore();
        let start = self.start();
        while let Some((rule, arguments, lhs)) = self.queue.pop() {
            if let Some(rule) = self.items.rules.get(rule) {
                self.define(rule, &arguments, lhs);
            }
            if self.errors.len() >= MAX_DIAGNOSTICS {
                break;
            }
        }
        start
    }
    fn invalid<T>(&mut self, message: impl Into<String>, span: Span) -> Option<T> {
        self.error(DiagnosticKind::Invalid, message, span)
    }
    fn unsupported<T>(&mut self, message: impl Into<String>, span: Span) -> Option<T> {
        self.error(DiagnosticKind::Unsupported, message, span)
    }
    fn error<T>(&mut self, kind: DiagnosticKind, message: impl Into<String>, span: Span) -> Option<T> {
        self.errors.push(Diagnostic::new(kind, message, Some(span)));
        None
    }
    fn compiled<T>(&mut self, result: Result<T, Option<Diagnostic>>) -> Option<T> {
        result.map_err(|error| self.errors.extend(error)).ok()
    }

    fn declare(&mut self) {
        for (i, rule) in self.items.rules.iter().enumerate() {
            let (name, span) = &rule.name;
            self.builder.set_span(Some(*span));
            let nonterminal = rule.parameters.is_empty().then(|| self.builder.nonterminal(name));
            if self.rules.contains_key(name.as_str()) {
                self.invalid::<()>(format!("rule `{name}` is defined twice"), *span);
            } else {
                self.rules.insert(name, (i, nonterminal));
            }
            self.check_parameters(rule);
        }
        for (name, span) in &self.items.declared {
            if self.terminals.is_defined(name) {
                self.invalid::<()>(format!("terminal `{name}` is declared and defined"), *span);
            }
        }
    }
    fn check_parameters(&mut self, rule: &Rule) {
        for (i, (name, span)) in rule.parameters.iter().enumerate() {
            if rule.parameters.iter().take(i).any(|(other, _)| other == name) {
                self.invalid::<()>(format!("parameter `{name}` is named twice"), *span);
            }
        }
        if !rule.parameters.is_empty() && !rule.bounds.is_none() {
            self.unsupported::<()>("options of a template", rule.name.1);
        }
    }
    fn start(&mut self) -> Option<NonterminalId> {
        match self.rules.get("start") {
            Some(&(_, Some(start))) => Some(start),
            Some(&(i, None)) => {
                let span = self.items.rules.get(i).map(|rule| rule.name.1).unwrap_or_default();
                self.invalid("`start` cannot be a template", span)
            }
            None => None,
        }
    }
    fn ignore(&mut self) {
        for node in &self.items.ignores {
            self.builder.set_span(Some(node.span));
            let terminal = match &node.kind {
                Kind::Name(name) if is_terminal_name(name) => self.named(name, node.span),
                _ => self.anonymous(node),
            };
            if let Some(terminal) = terminal {
                self.builder.ignore(terminal);
            }
        }
    }

    fn define(&mut self, rule: &'r Rule, arguments: &Arguments, lhs: NonterminalId) {
        let scope = Scope { parameters: &rule.parameters, arguments };
        let expr = match rule.bounds.is_none() {
            true => self.expr(&rule.body, &scope),
            false => self.bounded(rule),
        };
        self.builder.set_span(Some(rule.name.1));
        if let Some(expr) = expr {
            self.builder.define(lhs, expr);
        }
    }
    /// `name[lazy]: TERMINALS` and `name[suffix=…]: TERMINALS`: the shortest matches.
    fn bounded(&mut self, rule: &Rule) -> Option<Expr> {
        if let Some(stop) = &rule.bounds.stop {
            return self.stopped(rule, stop);
        }
        let mut parts = vec![self.terminals.language(&rule.body)];
        parts.extend(rule.bounds.suffix.as_ref().map(|suffix| self.terminals.language(suffix)));
        let parts: Option<Vec<_>> = parts.into_iter().map(|part| self.compiled(part)).collect();
        let regex = shortest(&Regex::concat(parts?));
        self.builder.set_span(Some(rule.name.1));
        Some(self.builder.terminal(&rule.name.0, Pattern::Regex(regex)).into())
    }
    /// `name[stop=…]: TERMINALS`: text in which `stop` does not occur. Where it ends depends on what follows, so it is
    /// no terminal. An empty `stop` is the end of the text.
    fn stopped(&mut self, rule: &Rule, stop: &Node) -> Option<Expr> {
        if rule.bounds.suffix.is_some() {
            return self.invalid("the options `stop` and `suffix` exclude each other", stop.span);
        }
        let body = self.terminals.language(&rule.body);
        let (body, mark) = (self.compiled(body), self.terminals.language(stop));
        let (body, mark) = (body?, self.compiled(mark)?);
        if matches!(&stop.kind, Kind::Literal(text, _) if text.is_empty()) {
            return Some(self.builder.terminal(&rule.name.0, Pattern::Regex(body)).into());
        }
        let any = Regex::any_byte().star();
        let text = body.difference(&Regex::concat([any.clone(), mark, any]));
        self.builder.set_span(Some(rule.name.1));
        match text.compile(&Limits::default()) {
            Ok(dfa) => Some(self.builder.linear(&dfa).into()),
            Err(error) => self.unsupported(error.to_string(), rule.name.1),
        }
    }

    /// An expression of a rule. After an error it goes on, to find more of them.
    fn expr(&mut self, node: &'r Node, scope: &Scope<'_>) -> Option<Expr> {
        match &node.kind {
            Kind::Name(name) if is_terminal_name(name) => self.named(name, node.span).map(Expr::from),
            Kind::Name(name) => self.name(name, node.span, scope),
            Kind::Template(name, arguments) => self.template(name, arguments, node.span, scope),
            Kind::Sequence(parts) => self.exprs(parts, scope).map(Expr::Sequence),
            Kind::Choice(parts) => self.exprs(parts, scope).map(Expr::Choice),
            Kind::Repeat(inner, min, max) => Some(self.expr(inner, scope)?.repeat(*min, *max)),
            Kind::Special(text) => self.special(text, node.span),
            Kind::Tokens(ranges) => self.tokens(ranges, node.span),
            Kind::Block(Block::Json, text) => self.json(text, node.span),
            Kind::Block(Block::Lark, text) => self.lark(text, node.span),
            Kind::Reference(name) => Some(self.reference(name, node.span)),
            Kind::Literal(text, _) if text.is_empty() => Some(Expr::Epsilon),
            _ => self.anonymous(node).map(Expr::from),
        }
    }
    fn exprs(&mut self, parts: &'r [Node], scope: &Scope<'_>) -> Option<Vec<Expr>> {
        let all: Vec<_> = parts.iter().map(|part| self.expr(part, scope)).collect();
        all.into_iter().collect()
    }
    /// A parameter or a rule.
    fn name(&mut self, name: &str, span: Span, scope: &Scope<'_>) -> Option<Expr> {
        if let Some(symbols) = scope.argument(name) {
            return Some(Expr::Sequence(symbols.iter().copied().map(Expr::Symbol).collect()));
        }
        match self.rules.get(name) {
            Some(&(_, Some(nonterminal))) => Some(nonterminal.into()),
            Some((_, None)) => self.invalid(format!("the template `{name}` needs arguments"), span),
            None => self.invalid(format!("rule `{name}` is not defined"), span),
        }
    }
    fn template(&mut self, name: &str, arguments: &'r [Node], span: Span, scope: &Scope<'_>) -> Option<Expr> {
        let Some(&(position, None)) = self.rules.get(name) else {
            return self.invalid(format!("there is no template `{name}`"), span);
        };
        let wanted = self.items.rules.get(position)?.parameters.len();
        if arguments.len() != wanted {
            let message = format!("the template `{name}` takes {wanted} arguments, given {}", arguments.len());
            return self.invalid(message, span);
        }
        let exprs = self.exprs(arguments, scope)?;
        let arguments: Arguments = exprs.into_iter().map(|expr| self.builder.lower(expr)).collect();
        let key = (position, arguments);
        if let Some(&known) = self.instances.get(&key) {
            return Some(known.into());
        }
        if self.instances.len() >= MAX_INSTANCES {
            let error =
                Diagnostic::limit("instances of templates", MAX_INSTANCES, self.instances.len() + 1, Some(span));
            if self.errors.last() != Some(&error) {
                self.errors.push(error);
            }
            self.queue.clear();
            return None;
        }
        self.builder.set_span(Some(span));
        let instance = self.builder.fresh(name.trim_start_matches('_'));
        self.queue.push((position, key.1.clone(), instance));
        self.instances.insert(key, instance);
        Some(instance.into())
    }

    /// The terminal of a name.
    fn named(&mut self, name: &'r str, span: Span) -> Option<TerminalId> {
        if let Some(&known) = self.named.get(name) {
            return Some(known);
        }
        let declared = self.items.declared.iter().find(|(declared, _)| declared == name);
        let id = match declared.filter(|_| !self.terminals.is_defined(name)) {
            Some((name, span)) => self.declared(name, *span),
            None => {
                let pattern = self.terminals.named(name, span);
                let pattern = self.compiled(pattern)?;
                self.builder.set_span(Some(span));
                self.builder.terminal(name, pattern)
            }
        };
        self.named.insert(name, id);
        Some(id)
    }
    /// A name of `%declare`: the ids that were given for it, or a slot for token events.
    fn declared(&mut self, name: &str, span: Span) -> TerminalId {
        self.builder.set_span(Some(span));
        match self.options.token_names.get(name) {
            Some(ids) => self.builder.terminal(name, Pattern::ExactTokens(ids.clone())),
            None => self.builder.token_slot(name),
        }
    }
    /// The terminal of an expression of terminals.
    fn anonymous(&mut self, node: &Node) -> Option<TerminalId> {
        let pattern = self.terminals.anonymous(node);
        let pattern = self.compiled(pattern)?;
        let text = self.source.text().get(node.span.start..node.span.end).unwrap_or("");
        let name: String = text.chars().take(60).collect();
        self.builder.set_span(Some(node.span));
        Some(self.builder.terminal(&name, pattern))
    }
    /// `@name`: a slot for another grammar.
    fn reference(&mut self, name: &'r str, span: Span) -> Expr {
        if let Some(&known) = self.references.get(name) {
            return known.into();
        }
        self.builder.set_span(Some(span));
        let slot = self.builder.grammar_slot(name);
        self.references.insert(name, slot);
        slot.into()
    }
    /// `<name>`.
    fn special(&mut self, text: &str, span: Span) -> Option<Expr> {
        let inner = text.trim_start_matches('<').trim_end_matches('>');
        let names = &self.options.token_names;
        match names.get(text).or_else(|| names.get(inner)) {
            Some(ids) => {
                let ids = ids.clone();
                self.builder.set_span(Some(span));
                Some(self.builder.terminal(text, Pattern::ExactTokens(ids)).into())
            }
            None => self.invalid(format!("the token `{text}` has no ids in `token_names`"), span),
        }
    }
    /// `<[1,5-9]>`.
    fn tokens(&mut self, ranges: &[(u32, u32)], span: Span) -> Option<Expr> {
        let count: u64 = ranges.iter().map(|(from, to)| u64::from(to - from) + 1).sum();
        if count > MAX_IDS as u64 {
            self.errors.push(Diagnostic::limit("token ids of one atom", MAX_IDS, count as usize, Some(span)));
            return None;
        }
        let ids = ranges.iter().flat_map(|&(from, to)| from..=to).collect();
        self.builder.set_span(Some(span));
        Some(self.builder.terminal("<[…]>", Pattern::ExactTokens(ids)).into())
    }
    /// `%json { … }`: a grammar of its own.
    fn json(&mut self, text: &str, span: Span) -> Option<Expr> {
        let Some(read) = self.options.json_schema else {
            return self.unsupported("`%json`: no reader of JSON Schemas was given", span);
        };
        match read(text) {
            Ok(grammar) => Some(self.builder.embed("json", &grammar).into()),
            Err(error) => self.error(error.kind(), format!("in `%json`: {}", error.first().message()), span),
        }
    }
    /// `%lark { … }`: a grammar of its own.
    fn lark(&mut self, text: &str, span: Span) -> Option<Expr> {
        let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
        match parse_nested(inner, self.options, self.depth + 1) {
            Ok(grammar) => Some(self.builder.embed("lark", &grammar).into()),
            Err(error) => self.error(error.kind(), format!("in `%lark`: {}", error.first().message()), span),
        }
    }
}

/// The parameters of the rule that is being defined.
struct Scope<'s> {
    parameters: &'s [Named],
    arguments: &'s Arguments,
}

impl Scope<'_> {
    fn argument(&self, name: &str) -> Option<&[Symbol]> {
        let position = self.parameters.iter().position(|(parameter, _)| parameter == name)?;
        self.arguments.get(position).map(Vec::as_slice)
    }
}
