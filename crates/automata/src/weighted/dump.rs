//! Weighted automata as text and as Graphviz graphs.

use std::fmt::{self, Debug, Display};
use std::hash::Hash;

use super::{Dwa, Nwa, Semiring};
use crate::dump::quote;
use crate::{Id, StateId};

/// One line per state: `s0 / last: symbol → s1 / weight`.
impl<S: Clone + Ord + Hash + Debug, W: Semiring> Display for Nwa<S, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (q, weight) in self.starts() {
            writeln!(f, "start {q} / {weight:?}")?;
        }
        for q in (0..self.len()).map(StateId::from_usize) {
            write!(f, "{q}")?;
            if !self.final_weight(q).is_zero() {
                write!(f, " / {:?}", self.final_weight(q))?;
            }
            for (i, edge) in self.edges(q).iter().enumerate() {
                let separator = if i == 0 { ":" } else { "," };
                write!(f, "{separator} {:?} → {} / {:?}", edge.symbol, edge.target, edge.weight)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl<S: Clone + Ord + Hash + Debug, W: Semiring> Display for Dwa<S, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.to_nwa(), f)
    }
}

impl<S: Clone + Ord + Hash + Debug, W: Semiring> Nwa<S, W> {
    /// The automaton as a Graphviz graph.
    pub fn to_dot(&self) -> String {
        let mut dot = String::from("digraph weighted {\n  rankdir=LR;\n  node [shape=circle];\n");
        for (q, weight) in self.starts() {
            dot += &format!("  begin_{q} [shape=point];\n  begin_{q} -> {q} [label=\"{}\"];\n", label(weight));
        }
        for q in (0..self.len()).map(StateId::from_usize) {
            if !self.final_weight(q).is_zero() {
                dot += &format!("  {q} [shape=doublecircle, xlabel=\"{}\"];\n", label(self.final_weight(q)));
            }
            for edge in self.edges(q) {
                let text = format!("{} / {}", label(&edge.symbol), label(&edge.weight));
                dot += &format!("  {q} -> {} [label=\"{text}\"];\n", edge.target);
            }
        }
        dot + "}\n"
    }
}

impl<S: Clone + Ord + Hash + Debug, W: Semiring> Dwa<S, W> {
    /// The automaton as a Graphviz graph.
    pub fn to_dot(&self) -> String {
        self.to_nwa().to_dot()
    }
}

fn label(value: &impl Debug) -> String {
    quote(&format!("{value:?}"))
}
