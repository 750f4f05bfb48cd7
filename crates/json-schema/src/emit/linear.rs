//! A minimal automaton as left-linear productions, for languages that have no regular expression of sensible size.
//!
//! One nonterminal per state, one terminal per class of bytes that no state tells apart: `q → p CLASS` for each edge.
//! All terminals are single bytes and disjoint, so the parser is deterministic and nothing competes for a longer match.

use glrmask_automata::{Dfa, IndexVec, NonterminalId, Regex, StateId, Symbol};

use super::Emitter;
use crate::error::Result;

impl Emitter<'_, '_> {
    /// The nonterminal of a language without the empty string. O(states · classes) productions.
    pub(super) fn linear(&mut self, dfa: &Dfa) -> Result<Symbol> {
        let lhs = self.builder.fresh("number");
        let names: Vec<NonterminalId> = dfa.states().map(|_| self.builder.fresh("digits")).collect();
        let names = IndexVec::<StateId, _>::from(names);
        let reentered = dfa.states().any(|q| dfa.row(q).contains(&dfa.start()));
        let mut classes: Vec<Option<Symbol>> = vec![None; dfa.class_count()];
        for from in dfa.states() {
            for ((class, set), &to) in classes.iter_mut().zip(dfa.class_sets()).zip(dfa.row(from)) {
                let Some(&to) = names.get(to) else { continue };
                let class = *class.get_or_insert_with(|| self.terminal("BYTE", Regex::bytes(*set)));
                if from == dfa.start() {
                    self.production(to, vec![class])?;
                }
                if from != dfa.start() || reentered {
                    self.production(to, vec![Symbol::Nonterminal(names[from]), class])?;
                }
            }
            if dfa.is_accepting(from) {
                self.production(lhs, vec![Symbol::Nonterminal(names[from])])?;
            }
        }
        Ok(Symbol::Nonterminal(lhs))
    }
}
