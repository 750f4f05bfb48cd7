//! Profiles: the walk over the trie against every token on its own, and the shared walk inside a lexeme against both.

use std::collections::BTreeMap;

use glrmask_automata::lexdag::{ClassId, ConditionSetId};
use glrmask_automata::{Id, StateId};
use glrmask_lexer::{
    difference, profile, profile_by_token, profile_inside, ComponentId, Lexer, LexerCache, Moved, Profile, Similarity,
    Thread,
};
use glrmask_vocab::{Rank, Vocab};
use proptest::prelude::*;

use crate::random::{any_vocab, defs, lexer, regex, terminal, vocab, words};

/// Class → tokens; each class once and no set empty.
fn by_class(profile: &Profile) -> BTreeMap<ClassId, Vec<Rank>> {
    let mut map = BTreeMap::new();
    for (class, tokens) in &profile.classes {
        let ranks: Vec<Rank> = tokens.ranks().iter().collect();
        assert!(!ranks.is_empty() && !tokens.is_empty() && ranks.len() == tokens.len());
        assert_eq!(map.insert(*class, ranks), None);
    }
    map
}

/// From every state of every component and from the boundary, in one cache.
fn check(lexer: &Lexer, vocab: &Vocab) {
    let mut cache = LexerCache::new();
    let start = cache.anywhere(lexer, ConditionSetId::NONE);
    let walked = profile(lexer, &mut cache, vocab, start).unwrap();
    let wanted = profile_by_token(lexer, &mut cache, vocab, start).unwrap();
    assert_eq!(by_class(&walked), by_class(&wanted));
    for id in (0..lexer.components().len()).map(ComponentId::from_usize) {
        for state in (0..lexer.component(id).dfa().len()).map(StateId::from_usize) {
            let start = cache.inside(lexer, (id, state), ConditionSetId::NONE);
            let wanted = by_class(&profile_by_token(lexer, &mut cache, vocab, start).unwrap());
            let inside = profile_inside(lexer, &mut cache, vocab, (id, state), state.0 % 2 == 0).unwrap();
            assert_eq!(by_class(&profile(lexer, &mut cache, vocab, start).unwrap()), wanted);
            assert_eq!(by_class(&inside), wanted);
            check_masks(vocab, &inside);
            // Classes outlive the scans that they were found by.
            cache.forget_scans();
            let start = cache.inside(lexer, (id, state), ConditionSetId::NONE);
            assert_eq!(by_class(&profile(lexer, &mut cache, vocab, start).unwrap()), wanted);
        }
    }
}

/// Every pair of states of a component: the difference of their profiles, and what is said of states that are alike.
fn check_differences(lexer: &Lexer, vocab: &Vocab) {
    let mut cache = LexerCache::new();
    for id in (0..lexer.components().len()).map(ComponentId::from_usize) {
        let similarity = Similarity::new(lexer, &mut cache, vocab, id);
        let states: Vec<StateId> = lexer.component(id).dfa().states().collect();
        let class_of: Vec<Vec<Option<ClassId>>> =
            states.iter().map(|&q| classes(lexer, &mut cache, vocab, (id, q))).collect();
        for (&a, mine) in states.iter().zip(&class_of) {
            for (&b, other) in states.iter().zip(&class_of) {
                let found = difference(lexer, &mut cache, vocab, &similarity, (a, b), usize::MAX).unwrap().unwrap();
                let pairs = (0..).map(Rank).zip(other.iter().zip(mine)).filter(|(_, (from, to))| from != to);
                let wanted: Vec<Moved> = pairs.map(|(rank, (&from, &to))| Moved { rank, from, to }).collect();
                assert_eq!(found, wanted, "{id} {a} {b}");
                let alike = similarity.block(a).is_some() && similarity.block(a) == similarity.block(b);
                assert!(!alike || wanted.is_empty(), "{id}: {a} and {b} are said to be alike");
                assert!(similarity.visits_apart(lexer, a, a) <= similarity.visits_apart(lexer, a, b).max(256));
            }
        }
    }
}

/// The class of every token.
fn classes(lexer: &Lexer, cache: &mut LexerCache, vocab: &Vocab, thread: Thread) -> Vec<Option<ClassId>> {
    let start = cache.inside(lexer, thread, ConditionSetId::NONE);
    let mut classes = vec![None; vocab.rank_count()];
    for (class, tokens) in profile_by_token(lexer, cache, vocab, start).unwrap().classes {
        tokens.ranks().iter().for_each(|rank| classes[rank.index()] = Some(class));
    }
    classes
}

/// What a token set adds to a mask are the ids of its tokens.
fn check_masks(vocab: &Vocab, profile: &Profile) {
    for (_, tokens) in &profile.classes {
        let (mut words, mut wanted) = (vec![0; vocab.mask_words()], vec![0; vocab.mask_words()]);
        tokens.add_to(vocab, &mut words);
        for id in tokens.ranks().iter().flat_map(|rank| vocab.ids(rank)) {
            wanted[id.index() / 32] |= 1 << (id.index() % 32);
        }
        assert_eq!(words, wanted);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, ..ProptestConfig::default() })]

    #[test]
    fn three_ways_to_one_profile(defs in defs(), vocab in any_vocab()) {
        check(&lexer(&defs), &vocab);
    }

    #[test]
    fn differences_between_states(defs in defs(), vocab in any_vocab()) {
        check_differences(&lexer(&defs), &vocab);
    }

    #[test]
    fn conditions_pending_at_the_start(defs in defs(), vocab in any_vocab(), pick in any::<prop::sample::Index>()) {
        let (lexer, mut cache) = (lexer(&defs), LexerCache::new());
        let start = cache.anywhere(&lexer, ConditionSetId::NONE);
        profile(&lexer, &mut cache, &vocab, start).unwrap();
        // One of the sets that came up on the way.
        let conditions = ConditionSetId::from_usize(pick.index(cache.conditions().len()));
        let start = cache.anywhere(&lexer, conditions);
        let walked = profile(&lexer, &mut cache, &vocab, start).unwrap();
        let wanted = profile_by_token(&lexer, &mut cache, &vocab, start).unwrap();
        prop_assert_eq!(by_class(&walked), by_class(&wanted));
    }
}

#[test]
fn differences_in_counted_repetition() {
    let vocab = vocab(words(5));
    for pattern in ["c[ab]{0,9}c", "c([ab]|ca){2,5}c", "[ab]{1,40}", "(ab|b)*a?"] {
        let lexer = lexer(&[terminal(0, regex(pattern), 1)]);
        check_differences(&lexer, &vocab);
        glrmask_lexer::warm(&lexer, &vocab, ComponentId(0));
        check_differences(&lexer, &vocab);
    }
}

#[test]
fn lexers_share_walks_on_one_vocabulary() {
    // Large enough for walks to be kept, and used by several lexers with equal and with different terminals.
    let vocab = vocab(words(7));
    for patterns in
        [&["c[ab]*c", "a+"][..], &["a|b", "c[ab]*c"], &["c[ab]*c"], &["c(a|b)*c", "[abc]"], &["b[ac]*b", "a"]]
    {
        let count = patterns.len();
        let defs: Vec<_> = patterns.iter().enumerate().map(|(i, p)| terminal(i, regex(p), count)).collect();
        check(&lexer(&defs), &vocab);
    }
}

#[test]
fn an_empty_vocabulary_has_an_empty_profile() {
    let vocab = vocab(Vec::<Vec<u8>>::new());
    check(&lexer(&[terminal(0, regex("a+"), 1)]), &vocab);
}

#[test]
fn a_subtree_in_which_nothing_changes_is_one_step() {
    let vocab = vocab(words(6));
    let lexer = lexer(&[terminal(0, regex("c[ab]+c"), 1)]);
    let mut cache = LexerCache::new();
    let dfa = lexer.component(ComponentId(0)).dfa();
    let state = dfa.run(dfa.start(), b"ca");
    // c, then everything below a and b but for what crosses a c: far fewer nodes than tokens.
    let start = cache.inside(&lexer, (ComponentId(0), state), ConditionSetId::NONE);
    let found = profile(&lexer, &mut cache, &vocab, start).unwrap();
    assert!(found.visited < vocab.rank_count(), "{} of {}", found.visited, vocab.rank_count());
    assert_eq!(profile_by_token(&lexer, &mut cache, &vocab, start).unwrap().visited, 0);
}
