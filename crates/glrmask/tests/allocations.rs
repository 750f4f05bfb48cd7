//! What a known step allocates: masks nothing, commits nothing but stack that the history keeps.
//!
//! A text is replayed on one constraint. The first time fills the tables; from then on the allocator is counted.

#![allow(clippy::unwrap_used)] // clippy knows tests, but not their helpers

use allocation_counter::measure;
use glrmask::{CompileOptions, Constraint, ConstraintState, Grammar, Optimization, TokenId, Vocab};

const SCHEMA: &str = r##"{
    "$defs": {"node": {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "size": {"type": "number"},
            "tags": {"type": "array", "items": {"enum": ["a", "b", 7]}},
            "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}
        },
        "required": ["name"],
        "additionalProperties": false
    }},
    "$ref": "#/$defs/node"
}"##;

const TEXT: &str = r#"{"name": "root é", "size": -12.5e3, "tags": ["a", 7, "b"], "children": [{"name": "x", "children": [{"name": "yz", "tags": []}]}, {"name": "\u00e9", "size": 0}]}"#;

/// Every byte and some longer tokens.
fn constraint(end_tokens: Vec<TokenId>, optimization: Optimization) -> Constraint {
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    let words = ["{\"", "\": \"", "\", \"", "name", "children", "\": [", "]}", ", ", "\"}", "}, {\"", "12", "root"];
    let tokens = bytes.chain(words.iter().map(|word| word.as_bytes().to_vec()));
    let vocab = Vocab::new((0..).map(TokenId).zip(tokens)).unwrap();
    let options = CompileOptions { end_tokens, optimization, ..CompileOptions::default() };
    Grammar::from_json_schema(SCHEMA).unwrap().compile(&vocab, &options).unwrap()
}

/// The text by the longest tokens.
fn tokens(constraint: &Constraint) -> Vec<TokenId> {
    let (vocab, mut rest, mut tokens) = (constraint.vocab(), TEXT.as_bytes(), Vec::new());
    while !rest.is_empty() {
        let (id, bytes) = vocab.iter().filter(|(_, b)| rest.starts_with(b)).max_by_key(|(_, b)| b.len()).unwrap();
        tokens.push(id);
        rest = &rest[bytes.len()..];
    }
    tokens
}

/// Allocations of all masks, and of all commits, of one replay.
fn replay(state: &mut ConstraintState, tokens: &[TokenId], words: &mut [u32]) -> (u64, u64) {
    let (mut masks, mut commits) = (0, 0);
    for &token in tokens {
        masks += measure(|| state.fill_mask(words).unwrap()).count_total;
        commits += measure(|| state.commit_token(token).unwrap()).count_total;
    }
    assert!(state.is_accepting());
    (masks, commits)
}

#[test]
fn a_second_replay_allocates_nothing_for_masks() {
    for optimization in [Optimization::FastBuild, Optimization::FastRuntime] {
        for end_tokens in [vec![], vec![TokenId(900)]] {
            let constraint = constraint(end_tokens, optimization);
            let (tokens, mut words) = (tokens(&constraint), vec![0; constraint.mask_words()]);
            let first = replay(&mut constraint.start(), &tokens, &mut words);
            assert!(first.1 > 0, "nothing is counted");
            // What is filled before decoding has nothing left to allocate the first time either.
            assert_eq!(first.0 > 0, optimization == Optimization::FastBuild);
            assert_eq!(replay(&mut constraint.start(), &tokens, &mut words).0, 0);
        }
    }
}

#[test]
fn without_history_commits_hardly_allocate() {
    let constraint = constraint(vec![TokenId(900)], Optimization::Auto);
    let (tokens, mut words) = (tokens(&constraint), vec![0; constraint.mask_words()]);
    let mut state = constraint.start();
    state.set_history_limit(0);
    replay(&mut state, &tokens, &mut words);
    // What is left: a stack that outgrows its segment, and moments with two branches.
    let mut state = constraint.start();
    state.set_history_limit(0);
    let (masks, commits) = replay(&mut state, &tokens, &mut words);
    assert_eq!(masks, 0);
    assert!(commits <= 10, "{commits} allocations by {} commits", tokens.len());
}

#[test]
fn with_history_a_commit_allocates_little() {
    let constraint = constraint(vec![], Optimization::Auto);
    let (tokens, mut words) = (tokens(&constraint), vec![0; constraint.mask_words()]);
    replay(&mut constraint.start(), &tokens, &mut words);
    let (_, commits) = replay(&mut constraint.start(), &tokens, &mut words);
    assert!(commits <= 2 * tokens.len() as u64, "{commits} allocations by {} commits", tokens.len());
}
