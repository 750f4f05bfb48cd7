//! Tables against merged canonical LR(1), against SLR(1), through serialisation, and under limits.

use std::collections::BTreeSet;

use glrmask_automata::{Id, NonterminalId, Symbol, TerminalId};
use glrmask_glr::{Limits, LrState, Rule, RuleSet, Tables};
use proptest::prelude::*;

use crate::{grammars, lr1, random};

fn build(rules: &RuleSet) -> Tables {
    Tables::build(rules, &Limits::default()).expect("valid rules")
}

/// Every derived view of the tables against the plain form.
fn check_views(tables: &Tables) {
    tables.validate().expect("built tables are valid");
    let states: Vec<LrState> = (0..tables.states()).map(LrState::from_usize).collect();
    for &s in &states {
        let acts = |&t: &TerminalId| tables.shift(s, t).is_some() || !tables.reductions(s, t).is_empty();
        let expected: Vec<_> = (0..tables.terminals()).map(TerminalId::from_usize).filter(acts).collect();
        assert_eq!(tables.actionable(s), expected);
        let words = tables.actionable_words(s);
        let bits = (0..tables.terminals()).map(TerminalId::from_usize);
        assert_eq!(bits.filter(|t| words[t.index() / 64] >> (t.index() % 64) & 1 == 1).collect::<Vec<_>>(), expected);
        let leads = |&&p: &&LrState| tables.shifts(p).any(|(_, q)| q == s) || tables.gotos(p).any(|(_, q)| q == s);
        assert_eq!(tables.predecessors(s), states.iter().filter(leads).copied().collect::<Vec<_>>());
        tables.shifts(s).for_each(|(t, p)| {
            assert_eq!(tables.shift(s, t), Some(p));
            assert_eq!(tables.accessing_symbol(p), Some(Symbol::Terminal(t)));
        });
        tables.gotos(s).for_each(|(a, p)| {
            assert_eq!(tables.goto(s, a), Some(p));
            assert_eq!(tables.accessing_symbol(p), Some(Symbol::Nonterminal(a)));
        });
    }
    assert_eq!(tables.accessing_symbol(Tables::START), None);
}

fn check_against_references(rules: &RuleSet) {
    let rules = &random::productive(rules);
    let tables = build(rules);
    let Some(reference) = lr1::lalr(rules, 400) else { return };
    assert_eq!(lr1::plain(&tables), reference);
    assert_eq!(tables.conflicts(), reference.conflicts());
    check_views(&tables);
    let slr = lr1::slr(rules, 400).expect("the same automaton");
    for (precise, coarse) in reference.reductions.iter().zip(&slr.reductions) {
        for (lookahead, reductions) in precise {
            assert!(reductions.is_subset(coarse.get(lookahead).unwrap_or(&BTreeSet::new())));
        }
    }
}

#[test]
fn classic_grammars_agree_with_merged_lr1() {
    random::classics().for_each(|rules| check_against_references(&rules));
    check_against_references(&grammars::json());
    check_against_references(&grammars::chain(6));
    check_against_references(&grammars::objects(2, 3));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn random_grammars_agree_with_merged_lr1(rules in random::random()) {
        check_against_references(&rules);
    }

    #[test]
    fn serialised_tables_come_back_equal(rules in random::random()) {
        let tables = build(&rules);
        let text = serde_json::to_string(&tables).expect("tables serialise");
        let back: Tables = serde_json::from_str(&text).expect("tables deserialise");
        prop_assert_eq!(&back, &tables);
        prop_assert_eq!(back.to_string(), tables.to_string());
    }

    /// Whatever number of a stored form is replaced by whatever other number: an error, or tables that hold what
    /// tables promise.
    #[test]
    fn corrupted_tables_are_refused_or_valid(rules in random::random(), place: prop::sample::Index, value in 0u64..9) {
        let text = serde_json::to_string(&build(&rules)).expect("tables serialise");
        let digits: Vec<(usize, usize)> = numbers(&text);
        let (start, end) = digits[place.index(digits.len())];
        let value = if value == 8 { u64::from(u32::MAX) } else { value };
        let corrupt = format!("{}{value}{}", &text[..start], &text[end..]);
        if let Ok(tables) = serde_json::from_str::<Tables>(&corrupt) {
            if tables.terminals() < 1_000 {
                check_views(&tables);
            }
        }
    }
}

/// Byte ranges of the numbers in a JSON text.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let digit = |i: usize| text.as_bytes().get(i).is_some_and(u8::is_ascii_digit);
    let starts = (0..text.len()).filter(|&i| digit(i) && (i == 0 || !digit(i - 1)));
    starts.map(|i| (i, (i..).find(|&j| !digit(j)).unwrap_or(text.len()))).collect()
}

#[test]
fn unknown_ids_have_no_actions() {
    let tables = build(&grammars::json());
    for s in [LrState::from_usize(tables.states()), LrState(u32::MAX)] {
        assert_eq!(tables.shift(s, TerminalId(0)), None);
        assert_eq!(tables.goto(s, NonterminalId(0)), None);
        assert!(tables.reductions(s, TerminalId(0)).is_empty() && tables.reductions_at_end(s).is_empty());
        assert!(tables.actionable(s).is_empty() && tables.actionable_words(s).is_empty());
        assert!(tables.predecessors(s).is_empty() && !tables.accepts(s) && tables.accessing_symbol(s).is_none());
    }
    for s in (0..tables.states()).map(LrState::from_usize) {
        for t in [tables.terminals() as u32, 64, u32::MAX].map(TerminalId) {
            assert!(tables.shift(s, t).is_none() && tables.reductions(s, t).is_empty());
        }
        assert_eq!(tables.goto(s, NonterminalId(u32::MAX)), None);
    }
}

#[test]
fn equal_effects_are_one_reduction() {
    // A → a b and A → a c end in different states; A → a B with B → b | c reduces by (1, B) in both.
    let tables = build(&grammars::grammar("S = A x | A y\nA = b B | b C\nB = d\nC = d"));
    assert_eq!(tables.conflicts(), 2, "B and C after `b d` under x and y:\n{tables}");
    let twice = build(&grammars::grammar("S = a b | a b | b"));
    assert_eq!(twice.conflicts(), 0);
}

#[test]
fn a_grammar_without_rules_has_one_state_and_no_action() {
    let rules = RuleSet { terminals: 2, nonterminals: 1, rules: vec![], start: NonterminalId(0) };
    let tables = build(&rules);
    assert!(tables.actionable(Tables::START).is_empty());
    assert!(tables.states() == 2, "start and `accepted`, as for any start symbol");
}

#[test]
fn invalid_rules_are_refused_by_cause() {
    let x = Symbol::Terminal(TerminalId(0));
    let [a, b] = [0, 1].map(|i| Symbol::Nonterminal(NonterminalId(i)));
    let message = |rules: &[(u32, &[Symbol])], start: u32| {
        let rules = rules.iter().map(|&(lhs, rhs)| Rule { lhs: NonterminalId(lhs), rhs: rhs.to_vec() }).collect();
        let rules = RuleSet { terminals: 1, nonterminals: 2, rules, start: NonterminalId(start) };
        Tables::build(&rules, &Limits::default()).expect_err("invalid").to_string()
    };
    assert_eq!(message(&[], 2), "the start symbol n2 is not one of the 2 nonterminals");
    assert_eq!(message(&[(0, &[])], 0), "rule 0 has an empty right-hand side");
    assert_eq!(message(&[(0, &[x]), (3, &[x])], 0), "rule 1 names the nonterminal n3, but there are 2");
    assert_eq!(message(&[(0, &[Symbol::Terminal(TerminalId(9))])], 0), "rule 0 names the terminal t9, but there are 1");
    assert!(message(&[(0, &[b]), (1, &[a])], 0).contains("derives itself"));
    assert!(message(&[(1, &[b])], 0).contains("n1 derives itself"));
}

#[test]
fn limits_name_themselves() {
    let rules = grammars::objects(2, 10);
    let fails = |limits: Limits| Tables::build(&rules, &limits).expect_err("over the limit").limit().expect("a limit");
    assert_eq!(fails(Limits { states: 20, ..Limits::default() }), ("LR states", 21, 20));
    assert_eq!(fails(Limits { set_words: 10, ..Limits::default() }).2, 10);
    assert_eq!(fails(Limits { items: 100, ..Limits::default() }).2, 100);
}

#[test]
fn a_rule_of_a_hundred_thousand_symbols_is_no_problem() {
    let rhs = vec![Symbol::Terminal(TerminalId(0)); 100_000];
    let rules = RuleSet {
        terminals: 1,
        nonterminals: 1,
        rules: vec![Rule { lhs: NonterminalId(0), rhs }],
        start: NonterminalId(0),
    };
    let tables = build(&rules);
    assert_eq!(tables.states(), 100_002);
    let last = tables.predecessors(LrState::from_usize(100_001));
    assert_eq!(last.len(), 1);
}

#[test]
fn large_grammars_have_the_expected_size() {
    let language = build(&grammars::language());
    assert!((500..1_500).contains(&language.states()), "{} states", language.states());
    let object = build(&grammars::chain(300));
    assert_eq!((object.states(), object.conflicts()), (5 * 300 + 8, 0), "five states per member");
}

#[test]
fn printers_show_every_state() {
    let tables = build(&grammars::json());
    let (listing, dot) = (tables.to_string(), tables.to_dot());
    for s in (0..tables.states()).map(LrState::from_usize) {
        assert!(listing.contains(&format!("\n{s}")) && dot.contains(&format!("  {s} [label=")));
    }
    assert!(listing.contains("$ accept") && dot.contains("peripheries=2"));
}
