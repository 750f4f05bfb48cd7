//! `t` rules: each becomes one pattern, with the rules it refers to inlined.
//!
//! Rules are compiled in the order of their references (strongly connected components, iteratively), so that a chain of
//! references of any length is no recursion here, and recursion in the text is found.

use glrmask_automata::{AutomataError, ParseConfig, Regex};
use rustc_hash::FxHashMap;

use super::items::{Rule, RuleKind};
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::expr::Occurs;
use crate::ir::{Pattern, Span};
use crate::pattern::MAX_REGEX_DEPTH;
use crate::text::ast::{Kind, Node};
use crate::transform::unit_cycles::strongly_connected;

/// Most nodes of the regular expression of one terminal, after inlining.
const MAX_REGEX_SIZE: u64 = 1_000_000;

/// A result, or an error; `None` if that has been reported already.
pub(super) type Compiled<T> = Result<T, Option<Diagnostic>>;
/// Gives the language of a name.
pub(super) type Resolve<'r> = dyn FnMut(&str, Span) -> Compiled<Regex> + 'r;

/// Compiles the `t` rules among `rules`: a pattern per rule, `None` for `nt` rules and for erroneous ones.
pub(super) fn compile(rules: &[Rule<'_>], errors: &mut Vec<Diagnostic>) -> Vec<Option<Pattern>> {
    // The first definition of a name counts; the second has been reported.
    let mut names: FxHashMap<&str, usize> = FxHashMap::default();
    rules.iter().enumerate().for_each(|(i, rule)| {
        names.entry(rule.name.0).or_insert(i);
    });
    let references = references(rules, &names, errors);
    let mut compiler = Compiler { rules, names, patterns: vec![None; rules.len()], errors };
    for component in strongly_connected(rules.len(), |i| &references[i]) {
        match component.as_slice() {
            [i] if !references[*i].contains(&(*i as u32)) => compiler.rule(*i),
            cycle => compiler.report_cycle(cycle),
        }
    }
    compiler.patterns
}

/// Per `t` rule the `t` rules that it refers to.
fn references(rules: &[Rule<'_>], names: &FxHashMap<&str, usize>, errors: &mut Vec<Diagnostic>) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new(); rules.len()];
    for (rule, own) in rules.iter().zip(&mut all).filter(|(rule, _)| rule.kind != RuleKind::Nonterminal) {
        rule.body.for_each_name(&mut |name, span| match names.get(name) {
            Some(&i) if rules[i].kind != RuleKind::Nonterminal => own.push(i as u32),
            Some(_) => errors.push(invalid(format!("`{name}` is not a `t` rule: `t` rules are regular"), span)),
            None => errors.push(invalid(format!("`{name}` is not a `t` rule of this grammar"), span)),
        });
    }
    all
}

fn invalid(message: String, span: Span) -> Diagnostic {
    Diagnostic::new(DiagnosticKind::Invalid, message, Some(span))
}

struct Compiler<'a, 'r> {
    rules: &'r [Rule<'a>],
    names: FxHashMap<&'a str, usize>,
    patterns: Vec<Option<Pattern>>,
    errors: &'r mut Vec<Diagnostic>,
}

impl Compiler<'_, '_> {
    fn report_cycle(&mut self, cycle: &[usize]) {
        let Some(&first) = cycle.iter().min() else { return };
        let (name, span) = self.rules[first].name;
        self.errors.push(invalid(format!("`t` rule `{name}` refers to itself: use `nt` for recursion"), span));
    }
    fn rule(&mut self, i: usize) {
        if self.rules[i].kind == RuleKind::Nonterminal {
            return;
        }
        let body = &self.rules[i].body;
        self.patterns[i] = match &body.kind {
            Kind::Name(name) => self.names.get(name).and_then(|&i| self.patterns[i].clone()),
            _ => match pattern(body, &mut |name, span| self.reference(name, span)) {
                Ok(pattern) => Some(pattern),
                Err(error) => {
                    self.errors.extend(error);
                    None
                }
            },
        };
    }
    /// The regular expression of a rule that has been compiled.
    fn reference(&self, name: &str, span: Span) -> Compiled<Regex> {
        let pattern = self.names.get(name).and_then(|&i| self.patterns[i].as_ref());
        // What has no pattern has been reported.
        regex_of(pattern.ok_or(None)?, span)
    }
}

/// The pattern of an expression.
pub(super) fn pattern(node: &Node<'_>, resolve: &mut Resolve<'_>) -> Compiled<Pattern> {
    Ok(match &node.kind {
        Kind::Literal(bytes) => Pattern::Literal(bytes.clone()),
        Kind::LiteralIgnoreCase(text) => Pattern::LiteralIgnoreCase(text.clone()),
        Kind::Tokens(ids) => Pattern::ExactTokens(ids.clone()),
        _ => {
            let regex = regex(node, resolve)?;
            if regex.depth() > MAX_REGEX_DEPTH {
                let error = Diagnostic::limit("regex nesting", MAX_REGEX_DEPTH, regex.depth(), Some(node.span));
                return Err(Some(error));
            }
            Pattern::Regex(regex)
        }
    })
}

/// The language of a pattern of bytes.
pub(super) fn regex_of(pattern: &Pattern, span: Span) -> Compiled<Regex> {
    match pattern {
        Pattern::Literal(bytes) => Ok(Regex::literal(bytes)),
        Pattern::LiteralIgnoreCase(text) => Ok(Regex::literal_ignore_case(text)),
        Pattern::Regex(regex) => Ok(regex.clone()),
        Pattern::ExactTokens(_) => Err(Some(event_inside(span))),
    }
}

fn event_inside(span: Span) -> Diagnostic {
    invalid("`@token` and `@mark` are events and no part of a regular expression".to_owned(), span)
}

fn regex(node: &Node<'_>, resolve: &mut Resolve<'_>) -> Compiled<Regex> {
    let result = match &node.kind {
        Kind::Name(name) => resolve(name, node.span)?,
        Kind::Literal(bytes) => Regex::literal(bytes),
        Kind::LiteralIgnoreCase(text) => Regex::literal_ignore_case(text),
        Kind::Class(set) => set.regex(),
        Kind::Regex(pattern, flags) => parse_regex(pattern, flags, node.span).map_err(Some)?,
        Kind::Epsilon => Regex::epsilon(),
        Kind::Tokens(_) | Kind::Mark(_) => return Err(Some(event_inside(node.span))),
        Kind::Sequence(parts) => Regex::concat(regexes(parts, node.span, resolve)?),
        Kind::Choice(parts) => Regex::alternate(regexes(parts, node.span, resolve)?),
        Kind::Repeat(inner, min, max) => regex(inner, resolve)?.repeat(*min, *max),
        Kind::Intersect(a, b) => regex(a, resolve)?.intersect(&regex(b, resolve)?),
        Kind::Difference(a, b) => regex(a, resolve)?.difference(&regex(b, resolve)?),
        Kind::Separated(separator, items) => {
            let separator = regex(separator, resolve)?;
            let parts: Compiled<Vec<_>> =
                items.iter().map(|(item, occurs)| Ok((regex(item, resolve)?, *occurs))).collect();
            separated(&separator, parts?, node.span)?
        }
    };
    check_size(result.size(), node.span)?;
    Ok(result)
}

/// A separated sequence, from its end: what may follow when something stands before it, and when nothing does.
fn separated(separator: &Regex, items: Vec<(Regex, Occurs)>, span: Span) -> Compiled<Regex> {
    let (mut after_some, mut after_none) = (Regex::epsilon(), Regex::epsilon());
    for (item, occurs) in items.into_iter().rev() {
        let next = Regex::concat([separator.clone(), item.clone()]);
        let more = if occurs.may_repeat() { next.star() } else { Regex::epsilon() };
        let first = Regex::concat([item, more, after_some.clone()]);
        after_none = if occurs.may_be_absent() { Regex::alternate([first, after_none]) } else { first };
        let next = if occurs.may_repeat() { next.plus() } else { next };
        after_some = Regex::concat([if occurs.may_be_absent() { next.optional() } else { next }, after_some]);
        check_size(after_none.size().saturating_add(after_some.size()), span)?;
    }
    Ok(after_none)
}

/// The parts, if they are not too large together (checked before anything is copied).
fn regexes(parts: &[Node<'_>], span: Span, resolve: &mut Resolve<'_>) -> Compiled<Vec<Regex>> {
    let mut all = Vec::with_capacity(parts.len());
    let mut size = 0u64;
    for part in parts {
        let part = regex(part, resolve)?;
        size = size.saturating_add(part.size());
        check_size(size, span)?;
        all.push(part);
    }
    Ok(all)
}

fn check_size(size: u64, span: Span) -> Compiled<()> {
    match size <= MAX_REGEX_SIZE {
        true => Ok(()),
        false => Err(Some(Diagnostic::limit("nodes of one regex", MAX_REGEX_SIZE as usize, size as usize, Some(span)))),
    }
}

/// Parses `/pattern/flags`; the span is that of the whole.
fn parse_regex(pattern: &str, flags: &str, span: Span) -> Result<Regex, Diagnostic> {
    let mut config = ParseConfig::default();
    for flag in flags.chars() {
        match flag {
            'i' => config.case_insensitive = true,
            's' => config.dot_matches_new_line = true,
            'x' => config.ignore_whitespace = true,
            _ => {
                return Err(Diagnostic::new(
                    DiagnosticKind::Syntax,
                    format!("unknown flag `{flag}`: i, s, x"),
                    Some(span),
                ))
            }
        }
    }
    Regex::parse(pattern, &config).map_err(|error| regex_error(&error, pattern, &config, span))
}

fn regex_error(error: &AutomataError, pattern: &str, config: &ParseConfig, span: Span) -> Diagnostic {
    let kind = match error.is_limit() {
        true if pattern.len() > config.length_limit => {
            DiagnosticKind::Limit { limit: config.length_limit as u64, given: pattern.len() as u64 }
        }
        true => DiagnosticKind::Limit { limit: config.nest_limit.into(), given: u64::from(config.nest_limit) + 1 },
        false if error.is_unsupported() => DiagnosticKind::Unsupported,
        false => DiagnosticKind::Syntax,
    };
    let before = error.span().and_then(|range| pattern.get(..range.start));
    let place = before.map_or(span, |before| Span {
        start: span.start + 1 + before.len(),
        end: (span.start + 1 + error.span().map_or(0, |r| r.end)).min(span.end),
        column: span.column + 1 + before.chars().count(),
        ..span
    });
    Diagnostic::new(kind, error.to_string(), Some(place))
}
