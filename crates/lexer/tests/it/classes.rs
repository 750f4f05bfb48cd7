//! Scans and classes against the plain enumeration of all lexings.

use std::collections::{BTreeMap, BTreeSet};

use glrmask_automata::lexdag::{ClassId, ConditionSetId, IGNORED};
use glrmask_automata::{Dfa, Id, TerminalId};
use glrmask_lexer::{BitSet, ComponentId, Lexer, LexerCache, ScanId, TerminalDef};
use proptest::prelude::*;

use crate::random::{defs, lexer, regex, terminal, word, words};
use crate::reference::{expand, Pending, Reference, Sequence, Start};

/// The class of a text, byte by byte.
fn class(lexer: &Lexer, cache: &mut LexerCache, start: ScanId, text: &[u8]) -> Option<ClassId> {
    let step = |scan, &byte: &u8| cache.step(lexer, scan, byte).expect("a small cache");
    let scan = text.iter().try_fold(start, step)?;
    cache.class(lexer, scan).expect("a small cache")
}

fn meaning(cache: &LexerCache, class: Option<ClassId>) -> BTreeSet<Sequence> {
    class.map_or_else(BTreeSet::new, |class| expand(cache.dag(), cache.conditions(), class))
}

fn intern(cache: &mut LexerCache, pending: &Pending) -> ConditionSetId {
    cache.conditions_mut().intern(pending.iter().copied().collect())
}

/// What the match of some terminal on `text` leaves, if it is one.
fn left_by(defs: &[TerminalDef], reference: &Reference, text: &[u8]) -> Pending {
    let all = (0..defs.len()).map(TerminalId::from_usize);
    all.filter(|&t| reference.matches(t, text))
        .map(|t| reference.left(t, text))
        .find(|p| !p.is_empty())
        .unwrap_or_default()
}

/// At a boundary while `pending`: every short text and the given ones, by both ways.
fn check_boundary(defs: &[TerminalDef], pending: &Pending, more: &[Vec<u8>]) {
    let (lexer, mut cache, mut reference) = (lexer(defs), LexerCache::new(), Reference::new(defs));
    let conditions = intern(&mut cache, pending);
    let start = cache.anywhere(&lexer, conditions);
    let mut by_meaning: BTreeMap<BTreeSet<Sequence>, ClassId> = BTreeMap::new();
    for text in words(3).iter().chain(more) {
        let found = class(&lexer, &mut cache, start, text);
        let wanted = reference.sequences(&Start { text, read: 0, pending, first: &|_| true });
        let meaning = meaning(&cache, found);
        assert_eq!(meaning, wanted, "{:?}", String::from_utf8_lossy(text));
        if let Some(found) = found {
            // Equal sets of sequences are the same class.
            assert_eq!(*by_meaning.entry(meaning).or_insert(found), found);
        }
    }
    cache.dag().check_invariants().expect("a well-formed DAG");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, ..ProptestConfig::default() })]

    #[test]
    fn classes_are_all_lexings(defs in defs(), more in prop::collection::vec(word(4..=6), 0..6)) {
        check_boundary(&defs, &Pending::new(), &more);
    }

    #[test]
    fn classes_are_all_lexings_under_conditions(defs in defs(), before in word(1..=3), more in prop::collection::vec(word(4..=5), 0..4)) {
        let pending = left_by(&defs, &Reference::new(&defs), &before);
        check_boundary(&defs, &pending, &more);
    }

    #[test]
    fn classes_inside_a_lexeme(defs in defs(), before in word(1..=2), inside in word(1..=3), which in any::<prop::sample::Index>()) {
        let (lexer, mut cache, mut reference) = (lexer(&defs), LexerCache::new(), Reference::new(&defs));
        prop_assume!(!lexer.components().is_empty());
        let id = ComponentId::from_usize(which.index(lexer.components().len()));
        let component = lexer.component(id);
        let state = component.dfa().run(component.dfa().start(), &inside);
        prop_assume!(state != Dfa::DEAD);
        for pending in [Pending::new(), left_by(&defs, &reference, &before)] {
            let conditions = intern(&mut cache, &pending);
            let start = cache.inside(&lexer, (id, state), conditions);
            let first = |t: TerminalId| lexer.component_of(t) == Some(id);
            for token in [vec![]].into_iter().chain(words(3)) {
                let text = [&inside[..], &token].concat();
                let found = class(&lexer, &mut cache, start, &token);
                let wanted = reference.sequences(&Start { text: &text, read: inside.len(), pending: &pending, first: &first });
                prop_assert_eq!(meaning(&cache, found), wanted, "{:?}", String::from_utf8_lossy(&text));
            }
        }
    }

    #[test]
    fn starting_in_some_components_only_leaves_out_what_cannot_start(defs in defs(), wanted in any::<u8>()) {
        let (lexer, mut cache) = (lexer(&defs), LexerCache::new());
        let wanted: BitSet = (0..defs.len()).filter(|t| wanted >> t & 1 == 1).collect();
        let anywhere = cache.anywhere(&lexer, ConditionSetId::NONE);
        let some = cache.at_boundary(&lexer, lexer.components_of(&wanted), ConditionSetId::NONE);
        let can_start = |s: &Sequence| {
            let first = s.0.first().copied().unwrap_or(s.1);
            first == IGNORED || wanted.contains(first.index())
        };
        for text in words(4) {
            let (all, few) = (class(&lexer, &mut cache, anywhere, &text), class(&lexer, &mut cache, some, &text));
            let (mut all, mut few) = (meaning(&cache, all), meaning(&cache, few));
            // Where lexemes may start anywhere, one of another component may end in the same terminal, and be free.
            let covered = |s: &Sequence| all.contains(s) || all.contains(&(s.0.clone(), s.1, None));
            prop_assert!(few.iter().all(covered), "{:?} {:?} {:?}", text, few, all);
            all.retain(can_start);
            few.retain(can_start);
            prop_assert_eq!(few, all);
        }
    }

    #[test]
    fn lexemes_and_safety_are_what_a_search_finds(defs in defs(), before in word(1..=3)) {
        let (lexer, mut cache, mut reference) = (lexer(&defs), LexerCache::new(), Reference::new(&defs));
        for pending in [Pending::new(), left_by(&defs, &reference, &before)] {
            let conditions = intern(&mut cache, &pending);
            let found = cache.lexemes(&lexer, conditions).unwrap().to_vec();
            let sets = cache.conditions();
            let found: BTreeSet<_> = found.iter().map(|&(t, c)| (t, sets.get(c).iter().copied().collect::<Pending>())).collect();
            prop_assert_eq!(&found, &reference.lexemes(&pending));
            // Without kill sets that outgrow a terminal nothing is ever pending, and safety is not even asked for.
            let safe = cache.is_ignored_safe(&lexer, conditions).unwrap();
            if !(lexer.is_plain() && pending.is_empty()) {
                prop_assert_eq!(safe, reference.is_free(IGNORED, &pending));
            }
        }
    }
}

#[test]
fn after_the_cache_is_cleared_classes_mean_the_same() {
    let mut defs: Vec<TerminalDef> =
        ["[ab]+", "ab", "c+"].iter().enumerate().map(|(i, p)| terminal(i, regex(p), 3)).collect();
    defs[1].kills = vec![TerminalId(0)];
    let (lexer, mut cache) = (lexer(&defs), LexerCache::new());
    let round = |cache: &mut LexerCache| -> Vec<BTreeSet<Sequence>> {
        let start = cache.anywhere(&lexer, ConditionSetId::NONE);
        let classes: Vec<_> = words(5).iter().map(|text| class(&lexer, cache, start, text)).collect();
        classes.into_iter().map(|c| meaning(cache, c)).collect()
    };
    let before = round(&mut cache);
    let used = cache.memory_usage();
    cache.clear();
    assert!(cache.memory_usage() < used && cache.scans().is_empty());
    assert_eq!(round(&mut cache), before);
}

#[test]
fn a_second_a_always_belongs_to_the_first() {
    // S → A A with A = a+: after an A the other one cannot be lexed, so A is open with a condition and never free.
    let defs = [terminal(0, regex("a+"), 1)];
    let (lexer, mut cache) = (lexer(&defs), LexerCache::new());
    let start = cache.anywhere(&lexer, ConditionSetId::NONE);
    for text in [&b"a"[..], b"aa", b"aaaa"] {
        let class = class(&lexer, &mut cache, start, text);
        let meaning: Vec<Sequence> = meaning(&cache, class).into_iter().collect();
        assert!(matches!(&meaning[..], [(before, TerminalId(0), Some(_))] if before.is_empty()), "{meaning:?}");
    }
}
