//! Random terminal sequences, classes of them, stacks and condition graphs, and what they mean on explicit stacks.

use std::collections::{BTreeMap, BTreeSet};

use glrmask_automata::lexdag::{ClassDag, ClassId, ConditionSetId, Need, Open, IGNORED};
use glrmask_automata::{Id, Symbol, TerminalId};
use glrmask_glr::{Lexemes, LrState, RuleSet, Tables};
use proptest::prelude::*;

use crate::stacks::{self, Stack, Stacks};
use crate::{completing, random};

/// Terminals that ended, then the one that is open ([`IGNORED`] for ignored text) with its need.
pub(crate) type Sequence = (Vec<TerminalId>, TerminalId, Need);

/// A grammar that validates, small enough for plain references: a classic or a random one.
pub(crate) fn rules() -> impl Strategy<Value = RuleSet> {
    let classics: Vec<RuleSet> = random::classics().collect();
    let valid = |rules: &RuleSet| rules.validate().is_ok();
    prop_oneof![1 => prop::sample::select(classics), 2 => random::random().prop_filter("valid", valid)]
}

/// A stack, bottom first: a walk through the LR automaton, `choices` saying where it turns.
pub(crate) fn stack(tables: &Tables, choices: &[u8]) -> Stack {
    let mut stack = vec![Tables::START];
    for &choice in choices {
        let top = stack[stack.len() - 1];
        let next: Vec<LrState> = tables.shifts(top).map(|x| x.1).chain(tables.gotos(top).map(|x| x.1)).collect();
        match next.len() {
            0 => break,
            n => stack.push(next[usize::from(choice) % n]),
        }
    }
    stack
}

/// The symbols that a stack stands for.
pub(crate) fn symbols(tables: &Tables, stack: &Stack) -> Vec<Symbol> {
    stack.iter().filter_map(|&s| tables.accessing_symbol(s)).collect()
}

/// A sequence in numbers, for grammars of any size: 0 as the open terminal is ignored text, need 0 is free.
pub(crate) type Numbers = (Vec<u8>, u8, u8);

/// Up to `most` sequences of up to three terminals.
pub(crate) fn numbers(most: usize) -> impl Strategy<Value = Vec<Numbers>> {
    let one = (prop::collection::vec(any::<u8>(), 0..3), prop_oneof![1 => Just(0u8), 6 => 1u8..=255], 0u8..5);
    prop::collection::vec(one, 1..=most)
}

/// The sequence for a grammar with so many terminals and conditions.
pub(crate) fn sequence((before, open, need): &Numbers, terminals: usize, conditions: usize) -> Sequence {
    let terminal = |&t: &u8| TerminalId::from_usize(usize::from(t) % terminals.max(1));
    let open = if *open == 0 { IGNORED } else { terminal(open) };
    let pending = usize::from(*need).checked_sub(1).filter(|_| conditions > 0);
    let need = pending.map_or(Need::Free, |c| Need::Pending(ConditionSetId::from_usize(c % conditions)));
    (before.iter().map(terminal).collect(), open, need)
}

/// The class of these sequences; there is at least one.
pub(crate) fn class(dag: &mut ClassDag, sequences: &BTreeSet<Sequence>) -> Option<ClassId> {
    let open = sequences.iter().filter(|s| s.0.is_empty()).map(|s| Open { terminal: s.1, need: s.2 }).collect();
    let mut rests: BTreeMap<TerminalId, BTreeSet<Sequence>> = BTreeMap::new();
    for (before, open, need) in sequences {
        if let Some((&first, rest)) = before.split_first() {
            rests.entry(first).or_default().insert((rest.to_vec(), *open, *need));
        }
    }
    let edges = rests.iter().filter_map(|(&t, rest)| Some((t, class(dag, rest)?))).collect();
    dag.intern(open, edges)
}

/// Conditions `0..n`: what can be lexed under each, with what is pending then. Closed.
pub(crate) fn lexemes() -> impl Strategy<Value = Vec<Vec<(u8, u8)>>> {
    prop::collection::vec(prop::collection::vec((any::<u8>(), any::<u8>()), 0..6), 1..4)
}

/// The condition graph for a grammar with so many terminals; one lexeme in eight is ignored.
pub(crate) fn condition_graph(lexemes: &[Vec<(u8, u8)>], terminals: usize) -> Lexemes {
    let lexeme = |&(t, c): &(u8, u8)| {
        let terminal = match t % 8 {
            7 => IGNORED,
            _ => TerminalId::from_usize(usize::from(t / 8) % terminals.max(1)),
        };
        (terminal, ConditionSetId::from_usize(usize::from(c) % lexemes.len()))
    };
    let under = |(c, next): (usize, &Vec<(u8, u8)>)| (ConditionSetId::from_usize(c), next.iter().map(lexeme).collect());
    lexemes.iter().enumerate().map(under).collect()
}

/// Whether a stack accepts a sequence: shift all of it; then, if something is pending, some text must complete it.
pub(crate) fn accepts(tables: &Tables, completing: &mut completing::Completing, stack: &Stack, s: &Sequence) -> bool {
    let mut stacks = Stacks::from([(stack.clone(), BTreeSet::new())]);
    let ended = s.0.iter().copied().chain([s.1].into_iter().filter(|&t| t != IGNORED));
    for t in ended {
        stacks = stacks::shift(tables, &stacks, t);
    }
    match s.2 {
        Need::Free => !stacks.is_empty(),
        Need::Pending(c) => stacks.keys().any(|stack| completing.accepts(c, &symbols(tables, stack))),
    }
}
