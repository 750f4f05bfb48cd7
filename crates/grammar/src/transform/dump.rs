//! Normalised grammars as text, for people.

use std::fmt::Write as _;

use glrmask_automata::Symbol;

use super::Normalized;
use crate::ir::Grammar;

impl Normalized {
    /// One production per line, with the names of the grammar it was made from.
    ///
    /// ```
    /// use glrmask_grammar::{glrm, normalize};
    /// let grammar = glrm::parse("start s; nt s = (\"a\" | \"b\") \",\" s | eps;")?;
    /// let dump = normalize(&grammar, &Default::default())?.dump(&grammar);
    /// assert_eq!(dump, "s → \"a\" \",\"\ns → s \"a\" \",\"\nempty text accepted\nmerged: \"a\" = \"b\"\n");
    /// # Ok::<(), glrmask_grammar::GrammarError>(())
    /// ```
    pub fn dump(&self, grammar: &Grammar) -> String {
        let terminal = |t| grammar.terminals.get(t).map_or("?", |t| t.name.as_str());
        let nonterminal = |n| self.names.get(n).map_or("?", String::as_str);
        let mut out = String::new();
        for p in &self.productions {
            out += nonterminal(p.lhs);
            out += " →";
            for symbol in &p.rhs {
                let name = match *symbol {
                    Symbol::Terminal(t) => terminal(t),
                    Symbol::Nonterminal(n) => nonterminal(n),
                };
                // Writing to a string cannot fail.
                let _ = write!(out, " {name}");
            }
            out.push('\n');
        }
        if self.accepts_empty {
            out += "empty text accepted\n";
        }
        for &t in &self.global_ignore {
            let _ = writeln!(out, "ignored: {}", terminal(t));
        }
        for (t, &r) in self.merged.iter_enumerated().filter(|(t, r)| t != *r) {
            let _ = writeln!(out, "merged: {} = {}", terminal(r), terminal(t));
        }
        out
    }
}
