//! Adjacency against the definition, and against sentences.

use std::collections::{BTreeMap, BTreeSet};

use glrmask_automata::{Id, Symbol, TerminalId};
use glrmask_glr::{Adjacency, Limits, RuleSet, TerminalSet};
use proptest::prelude::*;

use crate::{grammars, random};

type Sets = BTreeMap<Symbol, BTreeSet<TerminalId>>;

fn terminals(rules: &RuleSet) -> impl Iterator<Item = TerminalId> {
    (0..rules.terminals).map(TerminalId::from_usize)
}

/// FIRST or LAST of every symbol, iterated.
fn ends(rules: &RuleSet, end: fn(&[Symbol]) -> Option<&Symbol>) -> Sets {
    let mut sets: Sets = terminals(rules).map(|t| (Symbol::Terminal(t), [t].into())).collect();
    for _ in 0..=rules.nonterminals {
        for rule in &rules.rules {
            let more = end(&rule.rhs).and_then(|x| sets.get(x)).cloned().unwrap_or_default();
            sets.entry(Symbol::Nonterminal(rule.lhs)).or_default().extend(more);
        }
    }
    sets
}

fn check(rules: &RuleSet) {
    let adjacency = Adjacency::new(rules, &Limits::default()).expect("valid rules");
    let (first, last) = (ends(rules, <[Symbol]>::first), ends(rules, <[Symbol]>::last));
    let of = |sets: &Sets, x| sets.get(x).cloned().unwrap_or_default();
    let mut follow: BTreeMap<TerminalId, BTreeSet<TerminalId>> = BTreeMap::new();
    for pair in rules.rules.iter().flat_map(|rule| rule.rhs.windows(2)) {
        of(&last, &pair[0]).into_iter().for_each(|t| follow.entry(t).or_default().extend(of(&first, &pair[1])));
    }
    for t in terminals(rules) {
        let expected: TerminalSet = follow.get(&t).into_iter().flatten().copied().collect();
        assert_eq!(adjacency.follow(t), &expected);
    }
    let start = Symbol::Nonterminal(rules.start);
    assert_eq!(adjacency.first(), &of(&first, &start).into_iter().collect());
    assert_eq!(adjacency.last(), &of(&last, &start).into_iter().collect());
    assert!(adjacency.follow(TerminalId::from_usize(rules.terminals)).is_empty());
}

#[test]
fn named_grammars_agree_with_the_definition() {
    random::classics().chain([grammars::json(), grammars::objects(3, 9)]).for_each(|rules| check(&rules));
}

proptest! {
    #[test]
    fn random_grammars_agree_with_the_definition(rules in random::random()) {
        check(&rules);
    }
}

#[test]
fn too_many_terminals_are_a_limit() {
    let rules = RuleSet { terminals: 1 << 24, ..grammars::json() };
    let (what, given, limit) =
        Adjacency::new(&rules, &Limits::default()).expect_err("too large").limit().expect("limit");
    assert_eq!((what, limit), ("adjacency words", Limits::default().set_words));
    assert!(given > limit);
}
