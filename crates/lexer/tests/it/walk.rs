//! The walk of one lexeme splits the vocabulary into what stays inside, what crosses the end and what dies.

use glrmask_automata::{Dfa, StateId};
use glrmask_lexer::walk::LexemeWalk;
use glrmask_lexer::Language;
use glrmask_vocab::{Rank, Vocab};
use proptest::prelude::*;

use crate::random::{any_vocab, regex, vocab, words};

/// What becomes of a token, byte by byte.
#[derive(PartialEq)]
enum Fate {
    Inside,
    Crossing,
    Dead,
}

fn fate(dfa: &Dfa, mut state: StateId, token: &[u8]) -> Fate {
    for &byte in token {
        if dfa.is_accepting(state) {
            return Fate::Crossing;
        }
        state = dfa.next(state, byte);
        if state == Dfa::DEAD {
            return Fate::Dead;
        }
    }
    Fate::Inside
}

fn check(dfa: &Dfa, vocab: &Vocab) {
    for state in dfa.states() {
        let walk = LexemeWalk::new(dfa, state, vocab);
        let fate = |rank: &Rank| fate(dfa, state, vocab.rank_bytes(*rank));
        let all = || (0..vocab.rank_count() as u32).map(Rank);
        let inside: Vec<Rank> = all().filter(|r| fate(r) == Fate::Inside).collect();
        assert_eq!(walk.inside.ranks().iter().collect::<Vec<_>>(), inside);
        assert_eq!(walk.inside.len(), inside.len());
        walk.inside.ranks().check_invariants().expect("rising ranges");
        let trie = vocab.trie();
        let crossing = walk.crossing.iter().flat_map(|&root| {
            let (first, end) = trie.subtree_ranks(root);
            (first.0..end.0).map(Rank)
        });
        let expected: Vec<Rank> = all().filter(|r| fate(r) == Fate::Crossing).collect();
        assert_eq!(crossing.collect::<Vec<_>>(), expected);
        for &root in &walk.crossing {
            let string = &vocab.rank_bytes(trie.first_rank(root))[..trie.depth(root) as usize];
            assert!(dfa.is_accepting(dfa.run(state, &string[..string.len() - 1])));
        }
        assert!(walk.visited < vocab.trie().len());
        let mut words = vec![0; vocab.mask_words()];
        walk.inside.add_to(vocab, &mut words);
        let ids: usize = inside.iter().map(|&r| vocab.ids(r).len()).sum();
        assert_eq!(words.iter().map(|w| w.count_ones() as usize).sum::<usize>(), ids);
    }
}

fn dfa(pattern: &str) -> Dfa {
    match regex(pattern) {
        Language::Automaton(dfa) => (*dfa).clone(),
        _ => unreachable!("a regular expression is an automaton"),
    }
}

const PATTERNS: &[&str] = &["c[ab]*c", "a+", "a(bc)*a", "[abc]{2,3}", "(a|b+)c", "ab", "b[abc]*"];

proptest! {
    #[test]
    fn walks_split_the_vocabulary(pattern in prop::sample::select(PATTERNS), vocab in any_vocab()) {
        check(&dfa(pattern), &vocab);
    }
}

#[test]
fn large_groups_are_kept_as_words() {
    let vocab = vocab(words(7));
    PATTERNS.iter().for_each(|pattern| check(&dfa(pattern), &vocab));
}
