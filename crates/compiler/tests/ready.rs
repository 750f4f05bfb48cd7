//! What is ready equals what would be computed, and asking for it changes nothing.

#![allow(clippy::unwrap_used)] // clippy knows tests, but not their helpers

use glrmask_compiler::{compile, Config, Optimization};
use glrmask_grammar::{ebnf, glrm};
use glrmask_runtime::{CommitError, Constraint, ConstraintState};
use glrmask_vocab::{TokenId, Vocab};

fn constraint() -> Constraint {
    let vocab =
        Vocab::new(["(", ")", "()", "((", "x", ""].into_iter().zip(0..).map(|(t, id)| (TokenId(id), t))).unwrap();
    let grammar = ebnf::parse(r#"start ::= "x" | "(" start ")""#).unwrap();
    compile(&grammar, &vocab, &Config { end_tokens: vec![TokenId(40)], ..Config::default() }).unwrap()
}

fn mask(state: &ConstraintState) -> [u32; 3] {
    let mut words = [u32::MAX; 3];
    state.fill_mask(&mut words).unwrap();
    words
}

fn ready_mask(state: &ConstraintState) -> Option<[u32; 3]> {
    let mut words = [u32::MAX; 3];
    let ready = state.fill_mask_if_ready(&mut words).unwrap();
    assert!(ready || words == [0; 3]);
    ready.then_some(words)
}

#[test]
fn a_mask_is_ready_once_it_was_filled() {
    let state = constraint().start();
    assert_eq!(ready_mask(&state), None);
    let filled = mask(&state);
    assert_eq!(ready_mask(&state), Some(filled));
    assert!(state.fill_mask_if_ready(&mut [0]).is_err());
}

#[test]
fn commits_that_are_ready_equal_commits() {
    let constraint = constraint();
    for tokens in [vec![0, 4, 1, 40], vec![3, 4, 1, 1, 40, 0], vec![2], vec![4, 4], vec![5], vec![9], vec![40]] {
        let (mut state, mut ready) = (constraint.start(), constraint.start());
        for token in tokens.into_iter().map(TokenId) {
            let before = mask(&ready);
            let early = ready.commit_token_if_ready(token);
            if early.is_none() {
                assert_eq!(mask(&ready), before);
            }
            let expected = state.commit_token(token);
            assert_eq!(early.unwrap_or_else(|| ready.commit_token(token)), expected);
            assert_eq!((mask(&ready), ready.is_accepting()), (mask(&state), state.is_accepting()));
            assert_eq!((ready.is_rejected(), ready.is_terminated()), (state.is_rejected(), state.is_terminated()));
        }
    }
}

/// With self-competing terminals too: after an event nothing is pending.
#[test]
fn what_is_filled_before_decoding_is_ready_after_token_events_too() {
    let words = ["a", "b", "[", "]", "a]", " ", "", "x"];
    let vocab = Vocab::new(words.into_iter().zip(0..).map(|(t, id)| (TokenId(id), t))).unwrap();
    let text = r#"start s; ignore WS; nt s = "[" e* "]" @token(6); nt e = WORD? @token(6, 7) | s; t WORD = [ab]+; t WS = " ";"#;
    let mut config = Config { end_tokens: vec![TokenId(40)], ..Config::default() };
    config.policy.optimization = Optimization::FastRuntime;
    let constraint = compile(&glrm::parse(text).unwrap(), &vocab, &config).unwrap();
    assert!(constraint.is_complete());
    let (mut level, mut asked) = (vec![constraint.start()], 0);
    for _ in 0..5 {
        let mut next = Vec::new();
        for state in &level {
            let mut words = [0; 2];
            assert!(state.fill_mask_if_ready(&mut words).unwrap());
            for id in glrmask_vocab::mask::iter(&words) {
                let mut after = state.clone();
                assert_eq!(after.commit_token_if_ready(id), Some(Ok(())));
                next.push(after);
                asked += 1;
            }
        }
        level = next;
    }
    assert!(asked > 500, "{asked}");
}

#[test]
fn the_second_sequence_finds_everything_ready() {
    let constraint = constraint();
    let tokens = [3, 4, 1, 1, 40].map(TokenId);
    let mut first = constraint.start();
    for token in tokens {
        mask(&first);
        first.commit_token(token).unwrap();
    }
    let mut second = constraint.start();
    for token in tokens {
        assert!(ready_mask(&second).is_some());
        assert_eq!(second.commit_token_if_ready(token), Some(Ok(())));
    }
    assert_eq!(second.commit_token_if_ready(TokenId(4)), Some(Err(CommitError::Terminated)));
}
