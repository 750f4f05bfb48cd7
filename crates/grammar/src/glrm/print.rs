//! GLRM text of any grammar, whatever front-end it came from.
//!
//! A scope is printed where it is entered: `grammar NAME { … }` inside the scope that refers to it, once per entry. What
//! cannot be written so (scopes that refer to each other in a circle, or so often that the copies pile up) is printed as
//! one scope with its ignored text made explicit, which is the same language of terminals.

use std::fmt::Write as _;

use glrmask_automata::{Id, NonterminalId, Regex, Symbol, TerminalId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::print_regex::{literal, print_regex};
use crate::ir::{Grammar, Nonterminal, Pattern, Production, Scope, ScopeId, SlotKind, ROOT_SCOPE};
use crate::pattern::split_empty;
use crate::text::lexer::is_name_start;
use crate::transform::{ignore, Cfg};

/// The most scopes printed before giving up on nesting.
const MAX_COPIES: usize = 1000;
/// The deepest nesting of printed scopes.
const MAX_DEPTH: usize = 50;
/// Alternatives are put on lines of their own beyond this width.
const WIDTH: usize = 100;

/// The grammar as GLRM text. Reading it gives a grammar with the same language (names are kept where they can be). Rules
/// beside the grammar ([`Grammar::instance`]) have no text; they are left out.
///
/// ```
/// use glrmask_grammar::glrm;
/// let grammar = glrm::parse("start s; nt s = \"a\" s | ID; t ID = [a-z]+;")?;
/// assert_eq!(glrm::print(&grammar), "start s;\nnt s = \"a\" s | ID;\nt ID = [a-z]+;\n");
/// # Ok::<(), glrmask_grammar::GrammarError>(())
/// ```
pub fn print(grammar: &Grammar) -> String {
    let mut planner = Planner { grammar, bodies: bodies(grammar), copies: 0, path: Vec::new() };
    match planner.plan(grammar.start) {
        Some(plan) => print_plan(grammar, &plan),
        None => print(&flatten(grammar)),
    }
}

/// One scope with the ignores of all made explicit.
fn flatten(grammar: &Grammar) -> Grammar {
    let (Cfg { start, nonterminals, productions }, _) = ignore::ignore(grammar, false, |_| true);
    let mut flat = Grammar { start, productions, ..grammar.clone() };
    flat.nonterminals.iter_mut().for_each(|n| n.scope = ROOT_SCOPE);
    flat.terminals.iter_mut().for_each(|t| t.scope = ROOT_SCOPE);
    flat.slots.iter_mut().for_each(|slot| slot.scope = ROOT_SCOPE);
    for i in flat.nonterminals.len()..nonterminals {
        flat.nonterminals.push(Nonterminal { name: format!("$ignore{i}"), scope: ROOT_SCOPE, span: None });
    }
    let keywords = grammar.scopes.iter().all(|s| s.keywords);
    let groups = grammar.scopes.iter().flat_map(|s| s.groups.iter().cloned()).collect();
    flat.scopes = vec![Scope { keywords, groups, ..Scope::default() }].into();
    flat
}

/// Right-hand sides by left-hand side.
fn bodies(grammar: &Grammar) -> Vec<Vec<&[Symbol]>> {
    let mut bodies = vec![Vec::new(); grammar.nonterminals.len()];
    for Production { lhs, rhs } in &grammar.productions {
        bodies[lhs.index()].push(rhs.as_slice());
    }
    bodies
}

/// A scope as it is printed: entered at one nonterminal.
struct Plan {
    scope: ScopeId,
    entry: NonterminalId,
    /// Nonterminals of the scope reachable from the entry, in order of discovery.
    rules: Vec<NonterminalId>,
    /// Scopes entered from here.
    children: Vec<Plan>,
}

struct Planner<'g> {
    grammar: &'g Grammar,
    bodies: Vec<Vec<&'g [Symbol]>>,
    copies: usize,
    path: Vec<ScopeId>,
}

impl Planner<'_> {
    /// `None` if the scopes cannot be nested.
    fn plan(&mut self, entry: NonterminalId) -> Option<Plan> {
        let scope = self.grammar.nonterminals[entry].scope;
        self.copies += 1;
        if self.path.contains(&scope) || self.path.len() >= MAX_DEPTH || self.copies > MAX_COPIES {
            return None;
        }
        let mut rules = vec![entry];
        let mut entered = Vec::new();
        let mut seen = FxHashSet::from_iter([entry]);
        let mut next = 0;
        while let Some(&rule) = rules.get(next) {
            next += 1;
            let symbols = self.bodies[rule.index()].iter().flat_map(|body| body.iter());
            for symbol in symbols {
                if let Symbol::Nonterminal(n) = *symbol {
                    let list = if self.grammar.nonterminals[n].scope == scope { &mut rules } else { &mut entered };
                    list.extend(seen.insert(n).then_some(n));
                }
            }
        }
        self.path.push(scope);
        let children: Option<_> = entered.into_iter().map(|n| self.plan(n)).collect();
        self.path.pop();
        Some(Plan { scope, entry, rules, children: children? })
    }
}

fn print_plan(grammar: &Grammar, plan: &Plan) -> String {
    let mut out = String::new();
    let special = Special::new(grammar);
    ScopePrinter::new(grammar, &special, plan).print(&bodies(grammar), &mut out, 0);
    out
}

/// Symbols that are no rules and no terminals of their own.
#[derive(Default)]
struct Special {
    slots: FxHashMap<Symbol, SlotKind>,
    marks: FxHashMap<NonterminalId, u32>,
}

impl Special {
    fn new(grammar: &Grammar) -> Self {
        let slots = grammar.slots.iter().map(|slot| (slot.symbol, slot.kind)).collect();
        Self { slots, marks: grammar.marks.iter().map(|mark| (mark.nonterminal, mark.id)).collect() }
    }
}

/// Prints one scope.
struct ScopePrinter<'g> {
    grammar: &'g Grammar,
    special: &'g Special,
    plan: &'g Plan,
    names: Names,
    rules: FxHashMap<NonterminalId, String>,
    terminals: FxHashMap<TerminalId, String>,
    /// `t` rules in order of first use: head and pattern.
    patterns: Vec<(String, Pattern)>,
}

impl<'g> ScopePrinter<'g> {
    fn new(grammar: &'g Grammar, special: &'g Special, plan: &'g Plan) -> Self {
        let mut names = Names::default();
        let mut rules = FxHashMap::default();
        for &rule in plan.rules.iter().chain(plan.children.iter().map(|child| &child.entry)) {
            let name = match special.marks.get(&rule) {
                Some(id) if rule != plan.entry => format!("@mark({id})"),
                _ => names.unique(&grammar.nonterminals[rule].name),
            };
            rules.insert(rule, name);
        }
        Self { grammar, special, plan, names, rules, terminals: FxHashMap::default(), patterns: Vec::new() }
    }
    fn print(mut self, bodies: &[Vec<&[Symbol]>], out: &mut String, depth: usize) {
        let indent = "    ".repeat(depth);
        let mut line = |text: &str| {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{indent}{text}");
        };
        line(&format!("start {};", self.rule(self.plan.entry)));
        self.options().iter().for_each(|option| line(option));
        for &rule in &self.plan.rules {
            if self.special.slots.contains_key(&Symbol::Nonterminal(rule)) {
                line(&format!("extern grammar {};", self.rule(rule)));
                continue;
            }
            if let Some(id) = self.special.marks.get(&rule) {
                // Elsewhere it is written where it stands.
                if rule == self.plan.entry {
                    line(&format!("nt {} = @mark({id});", self.rule(rule)));
                }
                continue;
            }
            let alternatives = bodies[rule.index()].iter().map(|body| self.body(body)).collect();
            line(&format!("nt {} ={};", self.rule(rule), choice(alternatives, &indent)));
        }
        let mut next = 0;
        while let Some((head, pattern)) = self.patterns.get(next).cloned() {
            let text = self.pattern(&pattern);
            line(&format!("{head} = {text};"));
            next += 1;
        }
        for slot in self.grammar.slots.iter().filter(|slot| slot.scope == self.plan.scope) {
            match slot.symbol {
                Symbol::Terminal(t) => line(&format!("extern token {};", self.terminal(t))),
                Symbol::Nonterminal(n) if !self.rules.contains_key(&n) => {
                    line(&format!("extern grammar {};", self.names.unique(&slot.name)));
                }
                Symbol::Nonterminal(_) => {}
            }
        }
        let plan = self.plan;
        for child in plan.children.iter().filter(|child| !self.special.marks.contains_key(&child.entry)) {
            let _ = writeln!(out, "{indent}grammar {} {{", self.rule(child.entry));
            ScopePrinter::new(self.grammar, self.special, child).print(bodies, out, depth + 1);
            let _ = writeln!(out, "{indent}}}");
        }
    }
    fn options(&mut self) -> Vec<String> {
        let scope = &self.grammar.scopes[self.plan.scope];
        let ignored = scope.ignore.iter().map(|&t| format!("ignore {};", self.terminal(t)));
        let mut lines: Vec<String> = ignored.collect();
        if !scope.keywords {
            lines.push("keywords off;".to_owned());
        }
        for (i, group) in scope.groups.iter().enumerate().filter(|(_, group)| !group.is_empty()) {
            let members: Vec<String> = group.iter().map(|&t| self.terminal(t)).collect();
            lines.push(format!("lexer group group{} = {};", i + 1, members.join(" | ")));
        }
        lines
    }
    fn rule(&self, rule: NonterminalId) -> String {
        self.rules.get(&rule).cloned().unwrap_or_default()
    }
    fn body(&mut self, body: &[Symbol]) -> String {
        let symbols = body.iter().map(|symbol| match *symbol {
            Symbol::Terminal(t) => self.terminal(t),
            Symbol::Nonterminal(n) => self.rule(n),
        });
        match symbols.collect::<Vec<_>>() {
            empty if empty.is_empty() => "eps".to_owned(),
            symbols => symbols.join(" "),
        }
    }
    /// A reference to a terminal: its text, or the name of a `t` rule.
    fn terminal(&mut self, t: TerminalId) -> String {
        if let Some(known) = self.terminals.get(&t) {
            return known.clone();
        }
        let terminal = &self.grammar.terminals[t];
        if self.special.slots.contains_key(&Symbol::Terminal(t)) {
            let name = self.names.unique(&terminal.name);
            self.terminals.insert(t, name.clone());
            return name;
        }
        // The empty string is no part of a terminal.
        let pattern = split_empty(terminal.pattern.clone()).map_or(terminal.pattern.clone(), |(p, _)| p);
        let inline = !is_name(&terminal.name) && !matches!(pattern, Pattern::Regex(_));
        let text = if inline {
            self.pattern(&pattern)
        } else {
            let name = self.names.unique(if is_name(&terminal.name) { &terminal.name } else { "$lexeme" });
            self.patterns.push((format!("t {name}"), pattern));
            name
        };
        self.terminals.insert(t, text.clone());
        text
    }
    fn pattern(&mut self, pattern: &Pattern) -> String {
        match pattern {
            Pattern::Literal(bytes) => literal(bytes),
            Pattern::LiteralIgnoreCase(text) => format!("{}i", literal(text.as_bytes())),
            Pattern::ExactTokens(ids) => {
                format!("@token({})", ranges(ids).join(", "))
            }
            Pattern::Regex(regex) => {
                let (names, patterns) = (&mut self.names, &mut self.patterns);
                print_regex(regex, &mut |part: &Regex| {
                    let name = names.unique("part");
                    patterns.push((format!("internal t {name}"), Pattern::Regex(part.clone())));
                    name
                })
            }
        }
    }
}

/// Ids, and runs of three or more as first and last id.
fn ranges(ids: &[u32]) -> Vec<String> {
    let runs = ids.chunk_by(|a, b| a.checked_add(1) == Some(*b));
    runs.flat_map(|run| match run {
        [first, _, .., last] => vec![format!("{first}-{last}")],
        few => few.iter().map(u32::to_string).collect(),
    })
    .collect()
}

/// Alternatives on one line, or on a line each.
fn choice(alternatives: Vec<String>, indent: &str) -> String {
    let width: usize = alternatives.iter().map(|a| a.len() + 3).sum();
    match alternatives.is_empty() {
        true => " []".to_owned(),
        false if width <= WIDTH => format!(" {}", alternatives.join(" | ")),
        false => format!("\n{indent}    {}", alternatives.join(&format!("\n{indent}  | "))),
    }
}

/// Distinct names within a scope.
#[derive(Default)]
struct Names {
    taken: FxHashSet<String>,
    /// How often a base name was asked for.
    asked: FxHashMap<String, usize>,
}

impl Names {
    /// A name not given before, made from `wanted`.
    fn unique(&mut self, wanted: &str) -> String {
        let base = sanitize(wanted);
        let count = self.asked.entry(base.clone()).or_insert(0);
        loop {
            *count += 1;
            let name = if *count == 1 { base.clone() } else { format!("{base}_{count}") };
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

fn is_name(text: &str) -> bool {
    sanitize(text) == text
}

/// The nearest valid name.
fn sanitize(wanted: &str) -> String {
    let valid = |c: char| if is_name_start(c) || c.is_numeric() { c } else { '_' };
    let name: String = wanted.chars().take(80).map(valid).collect();
    match name.chars().next() {
        Some(first) if !is_name_start(first) => format!("_{name}"),
        None => "_".to_owned(),
        _ if name == "eps" => "eps_".to_owned(),
        _ => name,
    }
}
