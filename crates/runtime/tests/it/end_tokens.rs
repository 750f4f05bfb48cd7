//! End tokens: allowed exactly when the text is complete, whatever the vocabulary knows about them.

use glrmask_runtime::{max_end_token, CommitError, Config, Constraint};
use glrmask_vocab::{TokenId, Vocab};
use proptest::prelude::*;

use crate::constraints::{allowed, settings, walk, words, Spec, LISTS, WORDS};

const OPEN: TokenId = TokenId(0);
const CLOSE: TokenId = TokenId(1);
/// In the vocabulary without bytes.
const EXACT: TokenId = TokenId(2);
/// Not in the vocabulary, beyond its mask.
const BEYOND: TokenId = TokenId(100);
const ONE: TokenId = TokenId(3);

fn constraint(spec: &Spec, end_tokens: &[TokenId]) -> Constraint {
    let vocab = Vocab::new([(OPEN, "["), (CLOSE, "]"), (EXACT, ""), (ONE, "1")]).unwrap();
    spec.with(&vocab, Config { end_tokens: end_tokens.to_vec(), ..Config::default() })
}

#[test]
fn they_are_allowed_when_the_text_is_complete_and_end_it() {
    for end in [EXACT, BEYOND] {
        let constraint = constraint(&LISTS, &[end]);
        assert_eq!(constraint.end_tokens(), [end]);
        let mut state = constraint.start();
        assert_eq!(allowed(&state), [OPEN, ONE]);
        state.commit_token(OPEN).unwrap();
        assert_eq!(allowed(&state), [OPEN, CLOSE, ONE]);
        state.commit_token(CLOSE).unwrap();
        assert_eq!(allowed(&state), [end]);
        let mut more = state.clone();
        state.commit_token(end).unwrap();
        assert!(state.is_accepting() && state.is_terminated() && !state.is_rejected());
        assert_eq!(allowed(&state), []);
        for token in [end, OPEN, TokenId(77)] {
            assert_eq!(state.commit_token(token), Err(CommitError::Terminated));
        }
        assert_eq!(state.commit_bytes(b""), Err(CommitError::Terminated));
        assert!(state.is_accepting() && !state.is_rejected(), "an error after the end changes nothing");
        // The clone goes on.
        more.commit_bytes(b" ").unwrap();
        assert!(more.is_accepting() && allowed(&more) == [end]);
        state.reset();
        assert_eq!(allowed(&state), [OPEN, ONE]);
    }
}

#[test]
fn too_early_they_are_forbidden_not_unknown() {
    for end in [EXACT, BEYOND] {
        let mut state = constraint(&LISTS, &[end]).start();
        assert_eq!(state.commit_token(end), Err(CommitError::ForbiddenToken(end)));
        assert!(state.is_rejected() && state.is_terminated());
    }
}

#[test]
fn they_widen_the_mask() {
    assert_eq!(constraint(&LISTS, &[]).mask_words(), 1);
    assert_eq!(constraint(&LISTS, &[BEYOND]).mask_words(), 4);
    assert_eq!(constraint(&LISTS, &[EXACT, TokenId(31), TokenId(32)]).mask_words(), 2);
    let state = constraint(&WORDS, &[BEYOND, TokenId(31)]).start();
    assert_eq!(words(&state), [1 << 31, 0, 0, 1 << (100 - 96)]);
}

#[test]
fn with_bytes_they_are_text_until_the_text_is_complete() {
    let constraint = constraint(&LISTS, &[ONE, CLOSE]);
    let mut state = constraint.start();
    assert_eq!(allowed(&state), [OPEN, ONE]);
    state.commit_token(ONE).unwrap();
    // 1 is a whole text now, and so either end token ends it; 11 can only be written in bytes.
    assert!(state.is_accepting() && !state.is_terminated());
    assert_eq!(allowed(&state), [CLOSE, ONE]);
    state.clone().commit_bytes(b"1").unwrap();
    state.commit_token(ONE).unwrap();
    assert!(state.is_accepting() && state.is_terminated());
    let mut list = constraint.start();
    for token in [OPEN, ONE, ONE] {
        list.commit_token(token).unwrap();
    }
    assert!(!list.is_accepting());
    list.commit_token(CLOSE).unwrap();
    assert!(list.is_accepting() && !list.is_terminated());
    list.commit_token(ONE).unwrap();
    assert!(list.is_terminated());
}

#[test]
fn an_empty_text_can_be_ended_at_once() {
    let mut state = constraint(&WORDS, &[BEYOND]).start();
    assert!(state.is_accepting());
    assert_eq!(allowed(&state), [BEYOND]);
    state.commit_token(BEYOND).unwrap();
    assert!(state.is_terminated() && state.is_accepting());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn the_mask_has_them_exactly_when_accepting((spec, vocab) in settings(), choices in prop::collection::vec(any::<u8>(), 0..12)) {
        let beyond = TokenId(vocab.max_id().map_or(0, |id| id.0) + 7);
        let plain = spec.constraint(&vocab);
        let ending = spec.with(&vocab, Config { end_tokens: vec![beyond], ..Config::default() });
        let (mut without, mut with) = (plain.start(), ending.start());
        for token in walk(&plain, &choices) {
            let mut wanted = allowed(&without);
            wanted.extend(without.is_accepting().then_some(beyond));
            prop_assert_eq!(allowed(&with), wanted);
            prop_assert_eq!(with.clone().commit_token(beyond).is_ok(), without.is_accepting());
            with.commit_token(token).unwrap();
            without.commit_token(token).unwrap();
            prop_assert_eq!(with.is_accepting(), without.is_accepting());
        }
    }
}

#[test]
fn an_id_that_would_make_masks_huge_is_refused() {
    let end = |vocab: &Vocab, id: u32| {
        let config = Config { end_tokens: vec![TokenId(id)], ..Config::default() };
        Constraint::new(LISTS.parts(), vocab.clone(), config)
    };
    let small = Vocab::new([(OPEN, "["), (CLOSE, "]"), (ONE, "1")]).unwrap();
    assert_eq!(max_end_token(&small), TokenId((1 << 24) - 1));
    assert_eq!(end(&small, (1 << 24) - 1).unwrap().mask_words(), 1 << 19);
    let error = end(&small, 1 << 31).unwrap_err();
    assert!(error.is_limit() && error.numbers() == Some((1 << 31, (1 << 24) - 1)), "{error}");
    // Where the vocabulary goes further, so may end tokens.
    let config = glrmask_vocab::Config { max_id: u32::MAX, ..Default::default() };
    let large = Vocab::with_config([(OPEN, "["), (CLOSE, "]"), (TokenId(1 << 25), "1")], &config).unwrap();
    assert!(end(&large, 1 << 25).is_ok() && end(&large, (1 << 25) + 1).unwrap_err().is_limit());
}
