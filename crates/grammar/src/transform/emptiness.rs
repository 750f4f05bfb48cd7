//! Says why a grammar derives nothing: the nearest rule that is to blame.

use std::collections::VecDeque;

use glrmask_automata::{Id, NonterminalId, Symbol, TerminalId};
use rustc_hash::FxHashSet;

use super::Cfg;
use crate::diagnostic::GrammarError;
use crate::ir::Grammar;

/// The error for a grammar with an empty language: follows unproductive rules from the start, breadth first, to one that
/// has no production or needs a terminal that matches nothing. If there is none, recursion never ends.
pub(super) fn explain(grammar: &Grammar, dead: &FxHashSet<TerminalId>) -> GrammarError {
    let (culprit, reason) =
        culprit(grammar, dead).unwrap_or_else(|| (grammar.start, "every alternative needs the rule itself".to_owned()));
    let (start, rule) = (&grammar.nonterminals[grammar.start], &grammar.nonterminals[culprit]);
    let message = match grammar.start == culprit {
        true => format!("the language is empty: rule `{}` derives no string ({reason})", start.name),
        false => format!(
            "the language is empty: rule `{}` derives no string, because rule `{}` derives none ({reason})",
            start.name, rule.name
        ),
    };
    GrammarError::invalid(message, rule.span.or(start.span))
}

fn culprit(grammar: &Grammar, dead: &FxHashSet<TerminalId>) -> Option<(NonterminalId, String)> {
    let is_dead = |s: &Symbol| matches!(s, Symbol::Terminal(t) if dead.contains(t));
    let (start, nonterminals) = (grammar.start, grammar.nonterminals.len());
    let all = Cfg { start, nonterminals, productions: grammar.productions.clone() };
    let mut live = all.clone();
    live.productions.retain(|p| !p.rhs.iter().any(is_dead));
    let (productive, by_lhs) = (live.productive(), all.by_lhs());
    let mut seen = FxHashSet::from_iter([start]);
    let mut queue = VecDeque::from([start]);
    while let Some(rule) = queue.pop_front() {
        if by_lhs.get(rule.index()).is_empty() {
            return Some((rule, "it has no production".to_owned()));
        }
        for symbol in by_lhs.get(rule.index()).iter().flat_map(|&i| &all.productions[i as usize].rhs) {
            match *symbol {
                Symbol::Terminal(t) if dead.contains(&t) => {
                    return Some((rule, format!("terminal `{}` matches nothing", grammar.terminals[t].name)));
                }
                Symbol::Nonterminal(n) if !productive[n.index()] && seen.insert(n) => queue.push_back(n),
                _ => {}
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::any_grammar;
    use crate::{glrm, normalize};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_said_of_a_rule_is_true(g in any_grammar(), dead in proptest::collection::hash_set(0u32..3, 0..3)) {
            let dead: FxHashSet<TerminalId> = dead.into_iter().map(TerminalId).collect();
            let is_dead = |s: &Symbol| matches!(s, Symbol::Terminal(t) if dead.contains(t));
            let mut live = Cfg { start: g.start, nonterminals: g.nonterminals.len(), productions: g.productions.clone() };
            live.productions.retain(|p| !p.rhs.iter().any(is_dead));
            let productive = live.productive();
            prop_assume!(!productive[g.start.index()]);
            let Some((rule, reason)) = culprit(&g, &dead) else {
                // Only recursion is to blame: no terminal that matters is dead, and no rule is without productions.
                return Ok(());
            };
            let bodies: Vec<_> = g.productions.iter().filter(|p| p.lhs == rule).collect();
            prop_assert!(!productive[rule.index()]);
            prop_assert_eq!(bodies.is_empty(), reason == "it has no production");
            let needs_dead = bodies.iter().any(|p| p.rhs.iter().any(is_dead));
            prop_assert_eq!(needs_dead, reason.ends_with("matches nothing"));
        }
    }

    #[test]
    fn the_rule_to_blame_is_named() {
        for (text, wanted) in [
            (
                "nt s = x \"a\"; nt x = \"b\" x | y; nt y = [];",
                "`s` derives no string, because rule `y` derives none (terminal `[]`",
            ),
            ("nt s = x; nt x = \"b\" x | s;", "`s` derives no string (every alternative needs the rule itself)"),
            ("nt s = \"a\" T; t T = \"b\" [];", "`s` derives no string (terminal `T` matches nothing)"),
        ] {
            let grammar = glrm::parse(&format!("start s; {text}")).expect("a valid grammar");
            let error = normalize(&grammar, &Default::default()).expect_err("an empty language").to_string();
            assert!(error.contains(wanted), "{error}");
        }
    }
}
