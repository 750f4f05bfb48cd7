//! Conditions against their definition: a terminal must not match what it has read, continued.

use std::collections::BTreeSet;

use glrmask_automata::lexdag::ConditionSetId;
use glrmask_automata::{Dfa, Id, TerminalId};
use glrmask_lexer::conditions::step_all;
use glrmask_lexer::{antichain, Condition, ConditionSets, Lexer};
use proptest::prelude::*;

use crate::random::{defs, lexer, word};
use crate::reference::{Pending, Reference};

/// All conditions some match of at most three letters leaves.
fn all_conditions(lexer: &Lexer) -> Vec<Condition> {
    let mut found = BTreeSet::new();
    for component in lexer.components().iter() {
        for state in component.dfa().states().filter(|&q| component.dfa().is_accepting(q)) {
            found.extend(component.matched(state).flat_map(|t| component.left(t, state).to_vec()));
        }
    }
    found.into_iter().collect()
}

fn subset(conditions: &[Condition], bits: u64) -> Pending {
    let chosen = conditions.iter().enumerate().filter(|&(i, _)| i < 64 && bits >> i & 1 == 1);
    chosen.map(|(_, c)| *c).collect()
}

fn items(sets: &ConditionSets, set: ConditionSetId) -> Pending {
    sets.get(set).iter().copied().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn steps_are_the_definition(defs in defs(), bits in any::<u64>(), text in word(1..=4)) {
        let (lexer, reference) = (lexer(&defs), Reference::new(&defs));
        let pending = subset(&all_conditions(&lexer), bits);
        let automata = lexer.kill_automata();
        let wanted = reference.after(&pending, &text);
        let plain = text.iter().try_fold(pending.iter().copied().collect(), |c: Vec<_>, &b| step_all(automata, &c, b));
        prop_assert_eq!(plain.map(|c| c.into_iter().collect::<Pending>()), wanted.clone());
        let mut sets = ConditionSets::default();
        let start = sets.intern(pending.iter().copied().collect());
        for _ in 0..2 {
            // The second round is answered from memory.
            let stepped = text.iter().try_fold(start, |set, &b| sets.step(automata, set, b));
            prop_assert_eq!(stepped.map(|set| items(&sets, set)), wanted.clone());
        }
    }

    #[test]
    fn what_a_match_leaves_is_the_definition(defs in defs(), text in word(1..=5)) {
        let (lexer, reference) = (lexer(&defs), Reference::new(&defs));
        for component in lexer.components().iter() {
            let state = component.dfa().run(component.dfa().start(), &text);
            if state == Dfa::DEAD {
                continue;
            }
            for t in component.matched(state) {
                let left: Pending = component.left(t, state).iter().copied().collect();
                prop_assert_eq!(left.len(), component.left(t, state).len());
                prop_assert_eq!(left, reference.left(t, &text));
            }
        }
    }

    #[test]
    fn sets_are_sets(defs in defs(), a in any::<u64>(), b in any::<u64>(), c in any::<u64>()) {
        let all = all_conditions(&lexer(&defs));
        let mut sets = ConditionSets::default();
        let [x, y, z] = [a, b, c].map(|bits| sets.intern(subset(&all, bits).into_iter().rev().collect()));
        let both = sets.union(x, y);
        prop_assert_eq!(items(&sets, both), subset(&all, a | b));
        prop_assert_eq!(both, sets.union(y, x));
        prop_assert_eq!(sets.is_subset(x, y), items(&sets, x).is_subset(&items(&sets, y)));
        let mut kept = vec![z, x, y, x];
        antichain(&sets, &mut kept);
        let all: BTreeSet<ConditionSetId> = [x, y, z].into();
        let minimal = |s: &&ConditionSetId| !all.iter().any(|o| o != *s && items(&sets, *o).is_subset(&items(&sets, **s)));
        prop_assert_eq!(kept, all.iter().filter(minimal).copied().collect::<Vec<_>>());
    }
}

#[test]
fn the_empty_set_is_none_and_absorbs() {
    let mut sets = ConditionSets::default();
    assert_eq!(sets.intern(Vec::new()), ConditionSetId::NONE);
    assert_eq!((sets.len(), sets.is_empty()), (1, false));
    let one = sets.intern(vec![Condition { terminal: TerminalId(0), state: Id::from_usize(1) }; 2]);
    assert_eq!(sets.get(one).len(), 1);
    assert_eq!((sets.union(ConditionSetId::NONE, one), sets.union(one, ConditionSetId::NONE)), (one, one));
    let mut alternatives = vec![one, ConditionSetId::NONE];
    antichain(&sets, &mut alternatives);
    assert_eq!(alternatives, [ConditionSetId::NONE]);
}
