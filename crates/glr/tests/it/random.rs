//! Classic and random grammars for property tests.

use std::collections::BTreeSet;

use glrmask_automata::{Id, NonterminalId, Symbol, TerminalId};
use glrmask_glr::{Rule, RuleSet};
use proptest::prelude::*;

use crate::grammars::grammar;

/// A few classics: LALR but not SLR, LR(1) but not LALR, ambiguous, right recursive, cyclic in the stack.
pub(crate) const CLASSICS: &[&str] = &[
    "S = L eq R | R\nL = star R | id\nR = L",
    "S = a A d | b B d | a B e | b A e\nA = c\nB = c",
    "E = E plus E | E times E | open E close | id",
    "S = S S | S S S | a",
    "S = a S | a",
    "S = a S a | b S b | a | b",
    "S = if S | if S else S | x",
    "S = A x\nA = B | C\nB = D\nC = D\nD = d | A d",
    "S = S a | T\nT = T b | U\nU = c",
    "S = S",
    "S = X a\nX = X b",
];

/// The [`CLASSICS`] without those that validation refuses.
pub(crate) fn classics() -> impl Iterator<Item = RuleSet> {
    CLASSICS.iter().map(|text| grammar(text)).filter(|rules| rules.validate().is_ok())
}

/// The rules from which a sentence derives. (Canonical LR(1) has no item whose lookahead set is empty, LR(0) does.)
pub(crate) fn productive(rules: &RuleSet) -> RuleSet {
    let mut known = BTreeSet::new();
    let derives = |known: &BTreeSet<NonterminalId>, rule: &&Rule| {
        rule.rhs
            .iter()
            .all(|x| matches!(x, Symbol::Terminal(_)) || matches!(x, Symbol::Nonterminal(a) if known.contains(a)))
    };
    for _ in 0..rules.nonterminals {
        known = rules.rules.iter().filter(|rule| derives(&known, rule)).map(|rule| rule.lhs).collect();
    }
    RuleSet { rules: rules.rules.iter().filter(|rule| derives(&known, rule)).cloned().collect(), ..*rules }
}

/// Small random grammars: up to 4 terminals, 5 nonterminals and 12 rules of up to 4 symbols, ambiguous more often
/// than not. Unit rules lead to later nonterminals only, hence no cycles.
pub(crate) fn random() -> impl Strategy<Value = RuleSet> {
    (1usize..=4, 1usize..=5).prop_flat_map(|(terminals, nonterminals)| {
        let symbol = prop_oneof![
            (0..terminals).prop_map(|t| Symbol::Terminal(TerminalId::from_usize(t))),
            (0..nonterminals).prop_map(|a| Symbol::Nonterminal(NonterminalId::from_usize(a))),
        ];
        let rule = (0..nonterminals, prop::collection::vec(symbol, 1..=4));
        let leaves = prop::collection::vec(prop::option::of(0..terminals), nonterminals);
        (prop::collection::vec(rule, 0..=12), leaves).prop_map(move |(rules, leaves)| {
            let rules = rules.into_iter().map(|(a, rhs)| Rule { lhs: NonterminalId::from_usize(a), rhs });
            let leaves = leaves.into_iter().enumerate().filter_map(|(a, t)| {
                let rhs = vec![Symbol::Terminal(TerminalId::from_usize(t?))];
                Some(Rule { lhs: NonterminalId::from_usize(a), rhs })
            });
            let acyclic = |rule: &Rule| !matches!(rule.rhs[..], [Symbol::Nonterminal(b)] if b <= rule.lhs);
            let rules = rules.filter(acyclic).chain(leaves).collect();
            RuleSet { terminals, nonterminals, rules, start: NonterminalId(0) }
        })
    })
}
