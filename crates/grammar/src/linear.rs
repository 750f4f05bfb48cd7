//! Regular text made of single bytes: productions along the states of an automaton instead of a terminal.
//!
//! A terminal is cut off by longest match; text whose end depends on what follows must not be. One production per edge,
//! `q → p b`, left-linear, so that the parser's stack stays flat; `start → ε`, `whole → q` for accepting states.

use glrmask_automata::{Dfa, Id, NonterminalId, Regex, Symbol};

use crate::builder::GrammarBuilder;
use crate::ir::Pattern;

impl GrammarBuilder {
    /// A nonterminal for the language of an automaton, in a scope of its own. Linear in the automaton.
    pub(crate) fn linear(&mut self, dfa: &Dfa) -> NonterminalId {
        self.enter_scope("text");
        self.keywords(false);
        let whole = self.fresh("text");
        let states: Vec<NonterminalId> = dfa.states().map(|_| self.fresh("text")).collect();
        for (state, &from) in dfa.states().zip(&states) {
            if state == dfa.start() {
                self.production(from, Vec::new());
            }
            if dfa.is_accepting(state) {
                self.production(whole, vec![Symbol::Nonterminal(from)]);
            }
            for (set, target) in dfa.transitions(state) {
                let byte = self.terminal("byte", Pattern::Regex(Regex::bytes(set)));
                if let Some(&to) = states.get(target.index()) {
                    self.production(to, vec![Symbol::Nonterminal(from), Symbol::Terminal(byte)]);
                }
            }
        }
        self.leave_scope();
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::tests::any_regex;
    use crate::testing::recognizes;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_language_is_that_of_the_automaton(regex in any_regex()) {
            let dfa = regex.compile(&Default::default()).map_err(|e| TestCaseError::fail(e.to_string()))?;
            let mut builder = GrammarBuilder::new();
            let start = builder.linear(&dfa);
            let grammar = builder.build(start).map_err(|e| TestCaseError::fail(e.to_string()))?;
            for n in 0..5u32 {
                for bits in 0..1u32 << n {
                    let word: Vec<u8> = (0..n).map(|i| if bits >> i & 1 == 0 { b'a' } else { b'b' }).collect();
                    prop_assert_eq!(recognizes(&grammar, &word), dfa.accepts(&word), "{:?}", word);
                }
            }
        }
    }
}
