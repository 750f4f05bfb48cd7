//! Components: who competes is together, and together they match what each matches alone.

use std::collections::BTreeSet;

use glrmask_automata::{Dfa, Id, TerminalId};
use glrmask_lexer::{BitSet, Language, TerminalDef};
use proptest::prelude::*;

use crate::random::{defs, lexer, regex, terminal, words};
use crate::reference::Reference;

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn grouping_is_closed_under_kills_and_no_coarser(defs in defs()) {
        let lexer = lexer(&defs);
        let all = || (0..defs.len()).map(TerminalId::from_usize);
        let is_token = |t: TerminalId| matches!(defs[t.index()].language, Language::Token);
        for t in all() {
            prop_assert_eq!(lexer.component_of(t).is_some(), !is_token(t));
            for &k in defs[t.index()].kills.iter().filter(|&&k| !is_token(t) && !is_token(k)) {
                prop_assert_eq!(lexer.component_of(t), lexer.component_of(k));
            }
        }
        // Reachable over kills, or both literals that compete with nobody.
        let competes = |t: TerminalId| {
            let kills = |a: TerminalId, b: TerminalId| a != b && defs[a.index()].kills.contains(&b);
            all().any(|u| kills(t, u) || kills(u, t))
        };
        let free = |t: TerminalId| matches!(defs[t.index()].language, Language::Literal(_)) && !competes(t);
        for t in all().filter(|&t| !is_token(t)) {
            let mut together = BTreeSet::from([t]);
            for _ in all() {
                let more = |&u: &TerminalId| together.iter().any(|v| defs[v.index()].kills.contains(&u) || defs[u.index()].kills.contains(v));
                let more: Vec<_> = all().filter(more).collect();
                together.extend(more);
            }
            together.extend(all().filter(|&u| free(t) && free(u)));
            together.retain(|&u| !is_token(u));
            prop_assert_eq!(together, all().filter(|&u| lexer.component_of(u) == lexer.component_of(t)).collect::<BTreeSet<_>>());
        }
    }

    #[test]
    fn a_component_matches_what_its_members_match(defs in defs()) {
        let (lexer, reference) = (lexer(&defs), Reference::new(&defs));
        for text in words(5) {
            for (id, component) in lexer.components().iter_enumerated() {
                let members = (0..defs.len()).map(TerminalId::from_usize).filter(|&t| lexer.component_of(t) == Some(id));
                let wanted: BTreeSet<TerminalId> = members.filter(|&t| reference.matches(t, &text)).collect();
                let state = component.dfa().run(component.dfa().start(), &text);
                let found: BTreeSet<TerminalId> = match state {
                    Dfa::DEAD => BTreeSet::new(),
                    state => component.matched(state).collect(),
                };
                prop_assert_eq!(found, wanted);
            }
        }
    }

    #[test]
    fn starts_are_the_first_bytes(defs in defs()) {
        let lexer = lexer(&defs);
        for byte in 0..=255u8 {
            let step = |c: &glrmask_lexer::Component| c.dfa().next(c.dfa().start(), byte);
            let all = lexer.components().iter_enumerated().map(|(id, c)| (id, step(c)));
            let wanted: Vec<_> = all.filter(|&(_, state)| state != Dfa::DEAD).collect();
            prop_assert_eq!(lexer.starts(byte), wanted);
        }
    }
}

#[test]
fn a_terminal_without_a_language_has_no_component() {
    let defs = [terminal(0, Language::None, 2), terminal(1, regex("a"), 2)];
    let lexer = lexer(&defs);
    assert_eq!(lexer.component_of(TerminalId(0)), None);
    assert_eq!(lexer.component_of(TerminalId(7)), None);
    assert_eq!((lexer.components().len(), lexer.terminal_count(), lexer.is_plain()), (1, 2, true));
}

#[test]
fn ignored_text_may_start_anywhere() {
    let space = TerminalDef { ignored: true, parser_terminal: None, ..terminal(2, regex("c+"), 0) };
    let lexer = lexer(&[terminal(0, regex("a+"), 2), terminal(1, regex("b+"), 2), space]);
    let one: BitSet = [1].into_iter().collect();
    let components: BTreeSet<usize> = lexer.components_of(&one).iter().collect();
    let wanted = [1, 2].map(|t| lexer.component_of(TerminalId(t)).expect("a component").index());
    assert_eq!(components, wanted.into());
    assert!(lexer.is_ignored(TerminalId(2)) && lexer.parser_terminal(TerminalId(2)).is_none());
}
