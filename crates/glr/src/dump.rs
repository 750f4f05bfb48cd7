//! Tables for people: a listing (`Display`) and a Graphviz graph.

use std::fmt::{self, Write};

use glrmask_automata::{Id, Symbol};

use crate::tables::{LrState, Reduction, Tables};
use crate::terminal_set;

/// One paragraph per state: transitions, then reductions by lookahead (`$` is the end of the text).
impl fmt::Display for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} states, {} conflicts", self.states(), self.conflicts())?;
        (0..self.states()).map(LrState::from_usize).try_for_each(|state| write_state(f, self, state))
    }
}

fn write_state(f: &mut fmt::Formatter<'_>, tables: &Tables, state: LrState) -> fmt::Result {
    write!(f, "{state}")?;
    match tables.accessing_symbol(state) {
        Some(symbol) => writeln!(f, " after {}:", name(symbol))?,
        None => writeln!(f, ":")?,
    }
    tables.shifts(state).try_for_each(|(t, target)| writeln!(f, "  {t} shift {target}"))?;
    tables.gotos(state).try_for_each(|(a, target)| writeln!(f, "  {a} goto {target}"))?;
    for (set, reductions) in tables.reduction_groups(state) {
        write!(f, " ")?;
        terminal_set::iter(set).try_for_each(|t| write!(f, " {t}"))?;
        write_reductions(f, reductions)?;
    }
    if !tables.reductions_at_end(state).is_empty() {
        write!(f, "  $")?;
        write_reductions(f, tables.reductions_at_end(state))?;
    }
    if tables.accepts(state) {
        writeln!(f, "  $ accept")?;
    }
    Ok(())
}

fn write_reductions(f: &mut fmt::Formatter<'_>, reductions: &[Reduction]) -> fmt::Result {
    reductions.iter().try_for_each(|r| write!(f, " reduce {} to {}", r.pop, r.lhs))?;
    writeln!(f)
}

fn name(symbol: Symbol) -> String {
    match symbol {
        Symbol::Terminal(t) => t.to_string(),
        Symbol::Nonterminal(a) => a.to_string(),
    }
}

impl Tables {
    /// The automaton as a Graphviz graph: boxes with their reductions, solid edges for shifts, dashed ones for gotos.
    ///
    /// ```
    /// use glrmask_automata::{NonterminalId, Symbol, TerminalId};
    /// use glrmask_glr::{Limits, Rule, RuleSet, Tables};
    /// let word = Rule { lhs: NonterminalId(0), rhs: vec![Symbol::Terminal(TerminalId(0))] };
    /// let rules = RuleSet { terminals: 1, nonterminals: 1, rules: vec![word], start: NonterminalId(0) };
    /// let dot = Tables::build(&rules, &Limits::default())?.to_dot();
    /// assert!(dot.contains("p0 -> p1 [label=\"t0\"]"));
    /// # Ok::<(), glrmask_glr::GlrError>(())
    /// ```
    pub fn to_dot(&self) -> String {
        let mut dot = String::from("digraph lr {\n  rankdir=LR;\n  node [shape=box];\n");
        for state in (0..self.states()).map(LrState::from_usize) {
            // Writing to a string does not fail.
            let _ = write_node(&mut dot, self, state);
        }
        dot.push_str("}\n");
        dot
    }
}

fn write_node(dot: &mut String, tables: &Tables, state: LrState) -> fmt::Result {
    write!(dot, "  {state} [label=\"{state}")?;
    let groups = tables.reduction_groups(state).map(|(_, reductions)| reductions);
    let mut reductions: Vec<Reduction> = groups.flatten().chain(tables.reductions_at_end(state)).copied().collect();
    reductions.sort_unstable();
    reductions.dedup();
    reductions.iter().try_for_each(|r| write!(dot, "\\n{} to {}", r.pop, r.lhs))?;
    writeln!(dot, "\"{}];", if tables.accepts(state) { ", peripheries=2" } else { "" })?;
    tables.shifts(state).try_for_each(|(t, target)| writeln!(dot, "  {state} -> {target} [label=\"{t}\"];"))?;
    tables
        .gotos(state)
        .try_for_each(|(a, target)| writeln!(dot, "  {state} -> {target} [label=\"{a}\", style=dashed];"))
}
