//! Linked tables against tables of the whole grammar: the same automaton, the same actions.

use std::collections::{BTreeMap, BTreeSet};

use glrmask_automata::{Id, NonterminalId, Symbol, TerminalId};
use glrmask_glr::link::{link, Layout, LinkPart};
use glrmask_glr::{Limits, LrState, Reduction, Rule, RuleSet, Tables};
use proptest::prelude::*;

use crate::grammars::{chain, grammar, json};
use crate::random::random;

/// A grammar with slots: its last terminals, each standing for an earlier part.
#[derive(Clone, Debug)]
struct Piece {
    rules: RuleSet,
    slots: Vec<(TerminalId, usize)>,
}

/// Makes slots of the terminals that `stands_for` names: each gets a rule `X → ẋ` of its own.
fn piece(rules: &RuleSet, stands_for: &BTreeMap<usize, usize>) -> Piece {
    let mut rules = rules.clone();
    let mut slots = Vec::new();
    for (&t, &part) in stands_for.iter().filter(|(t, _)| **t < rules.terminals) {
        if slots.iter().any(|&(_, known)| known == part) {
            continue;
        }
        let x = Symbol::Nonterminal(NonterminalId::from_usize(rules.nonterminals));
        for symbol in rules.rules.iter_mut().flat_map(|rule| &mut rule.rhs) {
            if *symbol == Symbol::Terminal(TerminalId::from_usize(t)) {
                *symbol = x;
            }
        }
        rules.rules.push(Rule {
            lhs: NonterminalId::from_usize(rules.nonterminals),
            rhs: vec![Symbol::Terminal(TerminalId::from_usize(t))],
        });
        rules.nonterminals += 1;
        slots.push((TerminalId::from_usize(t), part));
    }
    Piece { rules, slots }
}

/// The rules of the whole, by the numbers of linked tables.
fn whole(pieces: &[Piece], layout: &Layout) -> RuleSet {
    let entry = |part: usize| {
        Symbol::Nonterminal(NonterminalId(layout.nonterminals[part] + pieces[part].rules.nonterminals as u32))
    };
    let mut rules = Vec::new();
    for (i, piece) in pieces.iter().enumerate() {
        let symbol = |symbol: &Symbol| match *symbol {
            Symbol::Nonterminal(a) => Symbol::Nonterminal(NonterminalId(layout.nonterminals[i] + a.0)),
            Symbol::Terminal(t) => match piece.slots.iter().find(|slot| slot.0 == t) {
                Some(&(_, child)) => entry(child),
                None => Symbol::Terminal(TerminalId(layout.terminals[i] + t.0)),
            },
        };
        for rule in &piece.rules.rules {
            let lhs = NonterminalId(layout.nonterminals[i] + rule.lhs.0);
            rules.push(Rule { lhs, rhs: rule.rhs.iter().map(symbol).collect() });
        }
        if i + 1 < pieces.len() {
            let Symbol::Nonterminal(lhs) = entry(i) else { continue };
            rules.push(Rule { lhs, rhs: vec![symbol(&Symbol::Nonterminal(piece.rules.start))] });
        }
    }
    let root = pieces.len() - 1;
    let start = NonterminalId(layout.nonterminals[root] + pieces[root].rules.start.0);
    RuleSet { terminals: layout.terminal_count, nonterminals: layout.nonterminal_count, rules, start }
}

/// Compares from the start state on. Returns whether every lookahead is the same; none may be missing.
fn compare(linked: &Tables, built: &Tables) -> Result<bool, String> {
    let mut known = BTreeMap::from([(Tables::START, Tables::START)]);
    let mut work = vec![Tables::START];
    let mut same = true;
    while let Some(state) = work.pop() {
        let other = known[&state];
        let rows = |t: &Tables, s| -> Vec<(Symbol, LrState)> {
            let shifts = t.shifts(s).map(|(t, p)| (Symbol::Terminal(t), p)).collect::<Vec<_>>();
            shifts.into_iter().chain(t.gotos(s).map(|(a, p)| (Symbol::Nonterminal(a), p))).collect()
        };
        let (mine, theirs) = (rows(linked, state), rows(built, other));
        let symbols = |row: &[(Symbol, LrState)]| row.iter().map(|entry| entry.0).collect::<Vec<_>>();
        if symbols(&mine) != symbols(&theirs) {
            return Err(format!("{state}: {:?}, expected {:?}", symbols(&mine), symbols(&theirs)));
        }
        for (mine, theirs) in mine.iter().zip(&theirs) {
            match known.insert(mine.1, theirs.1) {
                None => work.push(mine.1),
                Some(before) if before != theirs.1 => return Err(format!("{} is {before} and {}", mine.1, theirs.1)),
                Some(_) => {}
            }
        }
        let set = |list: &[Reduction]| list.iter().copied().collect::<BTreeSet<_>>();
        let end = (set(linked.reductions_at_end(state)), set(built.reductions_at_end(other)));
        let under = |t| (set(linked.reductions(state, t)), set(built.reductions(other, t)));
        let all = (0..linked.terminals()).map(TerminalId::from_usize).map(under).chain([end]);
        for (mine, theirs) in all {
            if !theirs.is_subset(&mine) {
                return Err(format!("{state}: {mine:?} lacks some of {theirs:?}"));
            }
            same &= mine == theirs;
        }
        if linked.accepts(state) != built.accepts(other) {
            return Err(format!("{state} accepts"));
        }
        if same && linked.actionable(state) != built.actionable(other) {
            return Err(format!(
                "{state}: {:?} are actionable, not {:?}",
                linked.actionable(state),
                built.actionable(other)
            ));
        }
    }
    let reached: BTreeSet<LrState> = known.values().copied().collect();
    match known.len() == built.states() && reached.len() == built.states() {
        true => Ok(same),
        false => Err(format!("{} states reached, expected {}", known.len(), built.states())),
    }
}

/// Whether lookaheads are the same too.
fn check(pieces: &[Piece]) -> Result<bool, String> {
    let tables: Vec<Tables> =
        pieces.iter().map(|piece| Tables::build(&piece.rules, &Limits::default()).expect("valid rules")).collect();
    let parts: Vec<LinkPart<'_>> =
        pieces.iter().zip(&tables).map(|(piece, tables)| LinkPart { tables, slots: &piece.slots }).collect();
    let (linked, layout) = link(&parts, &Limits::default()).expect("parts that fit");
    linked.validate().map_err(|e| e.to_string())?;
    let built = Tables::build(&whole(pieces, &layout), &Limits::default()).expect("valid rules");
    compare(&linked, &built)
}

fn one(slot: usize, part: usize) -> BTreeMap<usize, usize> {
    BTreeMap::from([(slot, part)])
}

#[test]
fn an_object_in_an_envelope() {
    for child in [chain(30), json(), grammar("S = a S b | c"), grammar("E = E p E | x")] {
        let child = piece(&child, &BTreeMap::new());
        for (text, slot) in
            [("S = open x close", 1), ("S = x", 0), ("S = x x", 0), ("S = S x | a", 0), ("S = x S | x", 0)]
        {
            let envelope = piece(&grammar(text), &one(slot, 0));
            assert_eq!(check(&[child.clone(), envelope]), Ok(true), "{text}");
        }
    }
}

#[test]
fn components_inside_components() {
    let leaf = piece(&grammar("S = a | a S"), &BTreeMap::new());
    let middle = piece(&grammar("S = x | b x | x S c"), &one(0, 0));
    let root = piece(&grammar("S = x d | y e | S y"), &BTreeMap::from([(0, 0), (2, 1)]));
    assert!(check(&[leaf.clone(), middle.clone()]).is_ok_and(|same| same));
    // The leaf can be entered directly and through the middle one, in one state.
    assert!(check(&[leaf, middle, root]).is_ok());
}

#[test]
fn parts_that_do_not_fit_are_errors() {
    let tables = Tables::build(&grammar("S = a x"), &Limits::default()).expect("valid rules");
    for slots in [vec![(TerminalId(9), 0)], vec![(TerminalId(1), 1)], vec![(TerminalId(0), 0), (TerminalId(1), 0)]] {
        let parts = [LinkPart { tables: &tables, slots: &[] }, LinkPart { tables: &tables, slots: &slots }];
        assert!(link(&parts, &Limits::default()).is_err());
    }
    assert!(link(&[], &Limits::default()).is_err());
}

/// Parts, each with slots for earlier ones.
fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    let stands_for = || prop::collection::btree_map(0usize..4, 0usize..3, 0..3);
    prop::collection::vec((random(), stands_for()), 1..4).prop_map(|all| {
        let whole = all.into_iter().enumerate().map(|(i, (rules, stands_for))| {
            let stands_for = stands_for.into_iter().filter(|&(_, part)| part < i).collect();
            piece(&rules, &stands_for)
        });
        whole.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn linked_tables_are_those_of_the_whole(pieces in pieces()) {
        let outcome = check(&pieces);
        prop_assert!(outcome.is_ok(), "{:?}", outcome);
        // Lookaheads can only be larger where two slots for one part meet in a state.
        if pieces.len() < 3 {
            prop_assert_eq!(outcome, Ok(true));
        }
    }
}
