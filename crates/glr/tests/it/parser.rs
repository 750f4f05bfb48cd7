//! The parser against explicit sets of stacks, and against derivations.

use std::collections::BTreeSet;

use glrmask_automata::{Id, Symbol, TerminalId};
use glrmask_glr::{parser, Limits, LrState, RuleSet, Tables};
use proptest::prelude::*;
use weighted_gss::WeightedGss;

use crate::stacks::{self, Stacks};
use crate::{grammars, random};

type Gss = WeightedGss<LrState, BTreeSet<u8>>;

fn build(rules: &RuleSet) -> Tables {
    Tables::build(rules, &Limits::default()).expect("valid rules")
}

fn listed(gss: &Gss) -> Stacks {
    gss.check_invariants().expect("a sound graph");
    gss.to_stacks(100_000).expect("few stacks").into_iter().collect()
}

/// Compares all questions for all terminals on one set of stacks.
fn check_questions(tables: &Tables, gss: &Gss, stacks: &Stacks) {
    for t in (0..tables.terminals()).map(TerminalId::from_usize) {
        assert_eq!(parser::can_shift(tables, gss, t), !stacks::shift(tables, stacks, t).is_empty());
    }
    assert_eq!(parser::accepts_end(tables, gss), stacks::accepts(tables, stacks));
}

/// Follows a text by both, the parser in place and by reference, until nothing is left.
fn check_text(tables: &Tables, mut gss: Gss, mut stacks: Stacks, text: &[TerminalId]) -> Gss {
    check_questions(tables, &gss, &stacks);
    for &t in text {
        let (before, copy) = (gss.clone(), listed(&gss));
        let by_reference = parser::shift_terminal(tables, &gss, t);
        stacks = stacks::shift(tables, &stacks, t);
        assert_eq!(parser::shift_terminal_mut(tables, &mut gss, t), !stacks.is_empty());
        assert_eq!(listed(&gss), stacks);
        assert_eq!(gss, by_reference);
        assert_eq!(listed(&before), copy, "other handles see no change");
        check_questions(tables, &gss, &stacks);
        if stacks.len() > 60 {
            break;
        }
    }
    gss
}

fn terminals(ids: &[usize], rules: &RuleSet) -> Vec<TerminalId> {
    ids.iter().map(|i| TerminalId::from_usize(i % rules.terminals.max(1))).collect()
}

fn begin(weight: u8) -> (Gss, Stacks) {
    let weight = BTreeSet::from([weight]);
    (parser::start(weight.clone()), Stacks::from([(vec![Tables::START], weight)]))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn random_texts_agree_with_explicit_stacks(rules in random::random(), ids in prop::collection::vec(0usize..4, 0..9)) {
        let (gss, stacks) = begin(0);
        check_text(&build(&rules), gss, stacks, &terminals(&ids, &rules));
    }

    /// Texts that the parser leads into: the next terminal is one of those that can be shifted.
    #[test]
    fn viable_texts_agree_with_explicit_stacks(rules in random::random(), picks in prop::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let (tables, (mut gss, mut stacks)) = (build(&rules), begin(0));
        for pick in picks {
            let next: Vec<_> = (0..rules.terminals).map(TerminalId::from_usize).filter(|&t| parser::can_shift(&tables, &gss, t)).collect();
            if next.is_empty() || stacks.len() > 60 {
                break;
            }
            let t = next[pick.index(next.len())];
            gss = check_text(&tables, gss, stacks.clone(), &[t]);
            stacks = stacks::shift(&tables, &stacks, t);
        }
    }

    /// Several stacks with different weights from the start, as after lexing in different ways.
    #[test]
    fn weights_follow_their_stacks(
        rules in random::random(),
        texts in prop::collection::vec(prop::collection::vec(0usize..4, 0..5), 1..5),
        rest in prop::collection::vec(0usize..4, 0..5),
    ) {
        let tables = build(&rules);
        let (mut gss, mut stacks) = (Gss::new(), Stacks::new());
        for (weight, text) in texts.iter().enumerate() {
            let (mut one, mut list) = begin(weight as u8);
            for t in terminals(text, &rules) {
                one = parser::shift_terminal(&tables, &one, t);
                list = stacks::shift(&tables, &list, t);
            }
            gss = gss.merge(&one);
            list.into_iter().for_each(|(stack, weight)| stacks.entry(stack).or_default().extend(weight));
        }
        prop_assert_eq!(listed(&gss), stacks.clone());
        if stacks.len() < 60 {
            check_text(&tables, gss, stacks, &terminals(&rest, &rules));
        }
    }

    /// The parser accepts exactly what the rules derive.
    #[test]
    fn short_texts_are_accepted_iff_derived(rules in random::random()) {
        let tables = build(&rules);
        let derived = sentences(&rules, 4);
        let mut todo = vec![(Vec::new(), parser::start(()))];
        while let Some((text, gss)) = todo.pop() {
            prop_assert_eq!(parser::accepts_end(&tables, &gss), derived.contains(&text), "{:?}", text);
            if text.len() == 4 {
                continue;
            }
            for t in (0..rules.terminals).map(TerminalId::from_usize) {
                let longer: Vec<_> = text.iter().copied().chain([t]).collect();
                todo.push((longer, parser::shift_terminal(&tables, &gss, t)));
            }
        }
    }
}

/// All sentences of at most `length` terminals, by iteration over the rules.
fn sentences(rules: &RuleSet, length: usize) -> BTreeSet<Vec<TerminalId>> {
    let mut known = vec![BTreeSet::new(); rules.nonterminals];
    loop {
        let before = known.clone();
        for rule in &rules.rules {
            let mut texts = BTreeSet::from([Vec::new()]);
            for symbol in &rule.rhs {
                let tails = match symbol {
                    Symbol::Terminal(t) => BTreeSet::from([vec![*t]]),
                    Symbol::Nonterminal(a) => before[a.index()].clone(),
                };
                let joined =
                    texts.iter().flat_map(|head: &Vec<_>| tails.iter().map(move |tail| [&head[..], tail].concat()));
                texts = joined.filter(|text| text.len() <= length).collect();
            }
            known[rule.lhs.index()].extend(texts);
        }
        if known == before {
            return known.swap_remove(rules.start.index());
        }
    }
}

#[test]
fn stacks_that_become_equal_join_their_weights() {
    // After a or b the same state is reached by reduction to A.
    let tables = build(&grammars::grammar("S = A x\nA = a | b"));
    let [x, a, b] = [0, 1, 2].map(TerminalId);
    let (one, _) = begin(1);
    let (two, _) = begin(2);
    let both = parser::shift_terminal(&tables, &one, a).merge(&parser::shift_terminal(&tables, &two, b));
    let after = parser::shift_terminal(&tables, &both, x);
    assert_eq!(listed(&after).into_values().collect::<Vec<_>>(), [BTreeSet::from([1, 2])]);
}

#[test]
fn nothing_can_be_read_from_no_stack() {
    let tables = build(&grammars::json());
    let mut none = Gss::new();
    assert!(!parser::can_shift(&tables, &none, TerminalId(0)) && !parser::accepts_end(&tables, &none));
    assert!(!parser::shift_terminal_mut(&tables, &mut none, TerminalId(0)));
    // A stack that the tables did not make is no reason to panic either.
    let mut odd = Gss::from_stack([LrState(3), LrState(77)], BTreeSet::new()).with_stack([], BTreeSet::new());
    assert!(!parser::accepts_end(&tables, &odd) && !parser::shift_terminal_mut(&tables, &mut odd, TerminalId(1)));
}

/// Right recursion: the reductions at the end are as many as the terminals read.
#[test]
fn a_hundred_thousand_pending_reductions_end() {
    let tables = build(&grammars::grammar("S = a S | a"));
    let mut stacks = parser::start(());
    for _ in 0..100_000 {
        assert!(parser::shift_terminal_mut(&tables, &mut stacks, TerminalId(0)));
    }
    assert!(parser::accepts_end(&tables, &stacks));
}

/// Catalan many derivations, quadratically many nodes.
#[test]
fn hopeless_ambiguity_stays_polynomial() {
    let tables = build(&grammars::grammar("S = S S | S S S | a\n"));
    let mut stacks = parser::start(true);
    for _ in 0..60 {
        assert!(parser::shift_terminal_mut(&tables, &mut stacks, TerminalId(0)));
    }
    assert!(parser::accepts_end(&tables, &stacks));
}

/// The same with an operator, so that one stack has many ways to be reduced.
#[test]
fn ambiguous_operators_agree_with_explicit_stacks() {
    let tables = build(&grammars::grammar("E = E plus E | E times E | id"));
    let (gss, stacks) = begin(0);
    let text: Vec<TerminalId> = (0..25).map(|i| TerminalId([2, 0, 2, 1][i % 4])).collect();
    assert!(!check_text(&tables, gss, stacks, &text).is_empty());
}

/// Stacks that become equal in different ways must be one part of the graph. When each round of reductions was merged
/// on its own, equal sets became different objects, later merges took them for different sets, and the graph grew by
/// half with every terminal, from 2 000 nodes after 50 to 500 000 after 99, where 150 are enough.
#[test]
fn the_graph_stays_as_small_as_its_stacks_allow() {
    let ambiguous = [
        "S = S S | a",
        "S = S S S | S S | a",
        "A = A A | a A | A a | a",
        "E = E p E | E t E | i",
        "S = S A S | a\nA = A A | a | S b",
        "S = S S S | S b S | a",
    ];
    for text in ambiguous {
        let rules = grammars::grammar(text);
        let tables = build(&rules);
        let (one, two) = (parser::start(BTreeSet::from([1])), parser::start(BTreeSet::from([2])));
        let a =
            (0..rules.terminals).map(TerminalId::from_usize).find(|&t| parser::can_shift(&tables, &one, t)).unwrap();
        // Two weights, one of them a terminal ahead.
        let mut stacks = parser::shift_terminal(&tables, &one, a).merge(&two);
        let mut forks = Vec::new();
        for step in 0_usize..150 {
            let able =
                (0..rules.terminals).map(TerminalId::from_usize).filter(|&t| parser::can_shift(&tables, &stacks, t));
            let able: Vec<_> = able.collect();
            assert!(parser::shift_terminal_mut(&tables, &mut stacks, able[step * step / 3 % able.len()]));
            forks.push(stacks.count_forks(100_000));
        }
        stacks.check_invariants().unwrap();
        assert!(forks.iter().enumerate().all(|(step, &forks)| forks <= 20 * (step + 2)), "{text}: {forks:?}");
    }
}
