//! Hopelessly ambiguous grammars: the graph of stacks stays small, however long the text.
//!
//! Counted in nodes, not in time. The cause that these tests stand for: reductions and merges that come to equal sets of
//! stacks by different ways made them different objects, and every later merge took those for different sets. So the
//! graph grew exponentially, although its stacks, told apart by what they hold, need few nodes.

#![allow(clippy::unwrap_used)] // clippy knows tests, but not their helpers

use glrmask_compiler::{compile, Config};
use glrmask_grammar::glrm;
use glrmask_runtime::ConstraintState;
use glrmask_tests::case::Case;
use glrmask_tests::engine;
use glrmask_tests::rng::Rng;
use glrmask_vocab::{TokenId, Vocab};

fn most_forks(state: &ConstraintState) -> usize {
    state.branches().iter().map(|branch| branch.stacks.count_forks(1_000_000)).max().unwrap_or(0)
}

/// The grammar that showed it: half a million nodes after 22 tokens, where 1 300 are enough, and then minutes for a token.
#[test]
fn a_random_walk_in_a_highly_ambiguous_grammar_goes_on() {
    let case = Case::random(10_009, 36);
    let (config, grammar) = (engine::config(&case, 10_009), engine::grammar(&case).unwrap());
    let mut state = engine::constraint(&grammar, &engine::vocab(&case).unwrap(), &config).unwrap().start();
    let mut rng = Rng::new(0);
    for _ in 0..30 {
        let mut allowed = engine::allowed(&state).unwrap();
        allowed.retain(|id| !case.end_tokens.contains(id));
        state.commit_token(TokenId(*rng.pick(&allowed))).unwrap();
        assert!(most_forks(&state) < 5_000, "{}", most_forks(&state));
    }
}

/// At most so many forks for each byte of text; most need one or two.
const FORKS_PER_BYTE: usize = 12;

fn walk(source: &str, bytes: usize) {
    let vocab = Vocab::new([b"a", b"b", b"c"].iter().zip(0..).map(|(word, id)| (TokenId(id), word))).unwrap();
    let mut state = compile(&glrm::parse(source).unwrap(), &vocab, &Config::default()).unwrap().start();
    let mut rng = Rng::new(0);
    for read in 1..=bytes {
        let allowed = engine::allowed(&state).unwrap();
        state.commit_token(TokenId(*rng.pick(&allowed))).unwrap();
        assert!(most_forks(&state) <= FORKS_PER_BYTE * (read + 2), "{source}: {} at {read}", most_forks(&state));
    }
}

#[test]
fn forks_grow_with_the_text_and_no_faster() {
    walk("start s; nt s = s s | A; t A = \"a\";", 200);
    walk("start s; nt s = s s s | s s | A; t A = \"a\";", 200);
    walk("start s; nt s = s s | A | eps; t A = \"a\";", 200);
    walk("start s; nt s = s s s | s B s | A | C; t A = \"a\"; t B = \"b\"; t C = \"c\";", 100);
    walk("start s; nt s = s s | A s | s A | A; t A = \"a\";", 100);
}

/// After `a` alone a longer match of the other terminal stays pending, after `aa` nothing: equal stacks with different
/// conditions come from everywhere.
#[test]
fn pending_longest_matches_make_it_no_worse() {
    let terminals = "t A = \"a\"; t B = /a[ac]*b/; t C = \"c\"; t D = \"aa\"; lexer group g = A | B;";
    walk(&format!("start s; nt s = s s | A | B | C | D; {terminals}"), 120);
    walk(&format!("start s; nt s = s s s | s s | A | B | C | D; {terminals}"), 120);
    walk(&format!("start s; nt s = s s | A s | A | C | D s B | D; {terminals}"), 60);
}
