//! Profiles: the walk over the trie against every token on its own, and the shared walk inside a lexeme against both.

use std::collections::{BTreeMap, BTreeSet};

use glrmask_automata::lexdag::{ClassId, ConditionSetId};
use glrmask_automata::{ByteSet, Dfa, Id, StateId};
use glrmask_lexer::{
    beginning_with, difference, difference_continued, difference_of_scans, ended_by, profile, profile_by_token,
    profile_continued, profile_inside, ComponentId, Lexer, LexerCache, Moved, Profile, ScanId, Similarity,
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
        let mut seen = |q: StateId| {
            let start = cache.inside(lexer, (id, q), ConditionSetId::NONE);
            classes(lexer, &mut cache, vocab, start)
        };
        let visits = |a, b| similarity.visits_apart(lexer, (a, b), usize::MAX);
        let class_of: Vec<Vec<Option<ClassId>>> = states.iter().map(|&q| seen(q)).collect();
        for (&a, mine) in states.iter().zip(&class_of) {
            for (&b, other) in states.iter().zip(&class_of) {
                let found = difference(lexer, &mut cache, vocab, &similarity, (a, b), usize::MAX).unwrap().unwrap();
                let wanted = moved(mine, other);
                assert_eq!(found, wanted, "{id} {a} {b}");
                let alike =
                    similarity.block(lexer, a).is_some() && similarity.block(lexer, a) == similarity.block(lexer, b);
                assert!(!alike || wanted.is_empty(), "{id}: {a} and {b} are said to be alike");
                assert!(visits(a, a) <= visits(a, b).max(256));
            }
        }
    }
}

/// The same for tokens that continue the lexeme, and what a place sees of these.
fn check_continued(lexer: &Lexer, vocab: &Vocab) {
    let mut cache = LexerCache::new();
    for id in (0..lexer.components().len()).map(ComponentId::from_usize) {
        let similarity = Similarity::new(lexer, &mut cache, vocab, id);
        let mut places = Vec::new();
        for q in lexer.component(id).dfa().states() {
            let (ended, start) = (ended_by(lexer, (id, q)), cache.inside(lexer, (id, q), ConditionSetId::NONE));
            let mut class_of = classes(lexer, &mut cache, vocab, start);
            let is_ended = |rank: u32| vocab.rank_bytes(Rank(rank)).first().is_some_and(|&byte| ended.contains(byte));
            (0..).zip(&mut class_of).filter(|(rank, _)| is_ended(*rank)).for_each(|(_, class)| *class = None);
            let found = profile_continued(lexer, &mut cache, vocab, (id, q), (&ended, q.0 % 2 == 0)).unwrap();
            assert_eq!(class_by_rank(vocab, &found), class_of, "{id} {q}");
            check_visits(lexer, vocab, &similarity, (id, q), &ended);
            places.push((q, ended, class_of));
        }
        for (a, a_ended, mine) in &places {
            for (b, b_ended, other) in &places {
                let pair = ((*a, a_ended), (*b, b_ended));
                let found = difference_continued(lexer, &mut cache, vocab, &similarity, pair.0, pair.1, usize::MAX);
                let wanted = moved(mine, other);
                check_visits_apart(lexer, vocab, &similarity, (id, pair.0, pair.1), &wanted);
                assert_eq!(found.unwrap(), Some(wanted), "{id} {a} {b}");
            }
        }
    }
}

/// The nodes of the trie that the tokens of these ranks go through, the root left out.
fn nodes(vocab: &Vocab, ranks: impl Iterator<Item = Rank>) -> usize {
    let prefixes = |rank| (1..=vocab.rank_bytes(rank).len()).map(move |length| &vocab.rank_bytes(rank)[..length]);
    ranks.flat_map(prefixes).collect::<BTreeSet<_>>().len()
}

/// The estimate for tokens that continue a lexeme counts the trie below the bytes that it can go on with.
fn check_visits(
    lexer: &Lexer,
    vocab: &Vocab,
    similarity: &Similarity,
    (id, q): (ComponentId, StateId),
    ended: &ByteSet,
) {
    let dfa = lexer.component(id).dfa();
    let goes_on = |byte: u8| match dfa.is_accepting(q) {
        true => !ended.contains(byte),
        false => dfa.next(q, byte) != Dfa::DEAD,
    };
    let all = (0..vocab.rank_count()).map(Rank::from_usize);
    let live = all.filter(|&rank| vocab.rank_bytes(rank).first().is_some_and(|&byte| goes_on(byte)));
    assert_eq!(similarity.visits_continued(lexer, q, ended), nodes(vocab, live), "{id} {q}");
}

/// The estimate for two states counts at least the nodes above tokens that are moved by what follows their first byte.
fn check_visits_apart(
    lexer: &Lexer,
    vocab: &Vocab,
    similarity: &Similarity,
    (id, a, b): (ComponentId, (StateId, &ByteSet), (StateId, &ByteSet)),
    moved: &[Moved],
) {
    let dfa = lexer.component(id).dfa();
    let visits = similarity.visits_apart_continued(lexer, a, b);
    assert!(a.0 != b.0 || visits == 1);
    let differs = |byte: u8| dfa.next(a.0, byte) != dfa.next(b.0, byte);
    if dfa.is_accepting(a.0) == dfa.is_accepting(b.0) {
        let ranks = moved.iter().map(|m| m.rank);
        let below = ranks.filter(|&rank| vocab.rank_bytes(rank).first().is_some_and(|&byte| differs(byte)));
        assert!(nodes(vocab, below) < visits, "{id} {} {}", a.0, b.0);
    }
}

/// The class of every token.
fn classes(lexer: &Lexer, cache: &mut LexerCache, vocab: &Vocab, start: ScanId) -> Vec<Option<ClassId>> {
    class_by_rank(vocab, &profile_by_token(lexer, cache, vocab, start).unwrap())
}

fn class_by_rank(vocab: &Vocab, profile: &Profile) -> Vec<Option<ClassId>> {
    let mut classes = vec![None; vocab.rank_count()];
    for (class, tokens) in &profile.classes {
        tokens.ranks().iter().for_each(|rank| classes[rank.index()] = Some(*class));
    }
    classes
}

/// The tokens whose class differs.
fn moved(mine: &[Option<ClassId>], other: &[Option<ClassId>]) -> Vec<Moved> {
    let pairs = (0..).map(Rank).zip(other.iter().zip(mine)).filter(|(_, (from, to))| from != to);
    pairs.map(|(rank, (&from, &to))| Moved { rank, from, to }).collect()
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
    fn tokens_that_continue_the_lexeme(defs in defs(), vocab in any_vocab()) {
        check_continued(&lexer(&defs), &vocab);
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
        let without = cache.anywhere(&lexer, ConditionSetId::NONE);
        let found = difference_of_scans(&lexer, &mut cache, &vocab, start, without).unwrap();
        let plain = classes(&lexer, &mut cache, &vocab, without);
        prop_assert_eq!(found, moved(&class_by_rank(&vocab, &wanted), &plain));
        let bytes: ByteSet = b"ac".iter().copied().collect();
        let begun = Profile { classes: beginning_with(&walked.classes, &vocab, &bytes), visited: 0 };
        let begins = |rank: u32| vocab.rank_bytes(Rank(rank)).first().is_some_and(|&byte| bytes.contains(byte));
        let wanted = (0..).zip(class_by_rank(&vocab, &wanted)).map(|(rank, class)| class.filter(|_| begins(rank)));
        prop_assert_eq!(class_by_rank(&vocab, &begun), wanted.collect::<Vec<_>>());
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
        check_continued(&lexer, &vocab);
    }
}

#[test]
fn lexers_share_where_states_part() {
    // The ends of counted repetitions are the same whatever the count is and whatever follows.
    let vocab = vocab(words(6));
    let check = |patterns: &[&str]| {
        let before = vocab.cache().stats().hits;
        let defs: Vec<_> = patterns.iter().enumerate().map(|(i, p)| terminal(i, regex(p), patterns.len())).collect();
        check_differences(&lexer(&defs), &vocab);
        vocab.cache().stats().hits - before
    };
    let first = check(&["c[ab]{0,9}c"]);
    assert!(check(&["c[ab]{2,12}c"]) > first, "the ends are found again");
    check(&["c([ab]|ca){1,7}c", "a+"]);
    check(&["b[ab]{0,5}c", "c"]);
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
