//! States: reset, clone, unknown and forbidden tokens, rejection; constraints that cannot be.

use std::error::Error;

use glrmask_runtime::{CommitError, Config, Constraint, Parts};
use glrmask_vocab::{TokenId, Vocab};
use proptest::prelude::*;

use crate::constraints::{allowed, seen, settings, vocab, walk, words, Spec, ALL, LISTS, WORDS};

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, ..ProptestConfig::default() })]

    #[test]
    fn clones_go_their_own_way((spec, vocab) in settings(), one in prop::collection::vec(any::<u8>(), 0..8), other in prop::collection::vec(any::<u8>(), 0..8)) {
        let constraint = spec.constraint(&vocab);
        let mut state = constraint.start();
        let mut snapshots = Vec::new();
        for token in walk(&constraint, &one) {
            snapshots.push((state.clone(), seen(&state)));
            state.commit_token(token).unwrap();
        }
        let end = seen(&state);
        for (mut snapshot, before) in snapshots {
            prop_assert_eq!(seen(&snapshot), before);
            for &choice in &other {
                let allowed = allowed(&snapshot);
                let Some(&token) = allowed.get(usize::from(choice) % allowed.len().max(1)) else { break };
                snapshot.commit_token(token).unwrap();
            }
        }
        prop_assert_eq!(seen(&state), end);
    }

    #[test]
    fn reset_is_the_start((spec, vocab) in settings(), choices in prop::collection::vec(any::<u8>(), 0..8), ruin: bool) {
        let constraint = spec.constraint(&vocab);
        let mut state = constraint.start();
        walk(&constraint, &choices).into_iter().for_each(|token| state.commit_token(token).unwrap());
        if ruin {
            prop_assert!(state.commit_bytes(b"\x00").is_err());
            prop_assert!(state.is_rejected());
        }
        state.reset();
        prop_assert_eq!(seen(&state), seen(&constraint.start()));
        for token in walk(&constraint, &choices) {
            prop_assert!(state.commit_token(token).is_ok());
        }
    }
}

#[test]
fn an_unknown_token_changes_nothing() {
    let constraint = LISTS.constraint(&Vocab::new([(TokenId(0), "["), (TokenId(64), "]")]).unwrap());
    let mut state = constraint.start();
    state.commit_token(TokenId(0)).unwrap();
    let before = seen(&state);
    for unknown in [1, 63, 65, u32::MAX].map(TokenId) {
        let error = state.commit_token(unknown).unwrap_err();
        assert_eq!(error, CommitError::UnknownToken(unknown));
        assert_eq!(error.to_string(), format!("unknown token id {}", unknown.0));
        assert_eq!(seen(&state), before);
    }
    state.commit_token(TokenId(64)).unwrap();
    assert!(state.is_accepting());
}

#[test]
fn a_forbidden_token_rejects_for_good() {
    for forbidden in [TokenId(1), TokenId(2)] {
        let constraint = LISTS.constraint(&vocab(["[", "]", ""]));
        let mut state = constraint.start();
        let error = state.commit_token(forbidden).unwrap_err();
        assert_eq!(error, CommitError::ForbiddenToken(forbidden));
        assert!(error.to_string().contains("not allowed") && error.source().is_none());
        assert!(state.is_rejected() && state.is_terminated() && !state.is_accepting());
        assert_eq!(words(&state), [0]);
        assert!(state.branches().is_empty());
        assert_eq!(state.commit_token(TokenId(0)), Err(CommitError::Terminated));
        assert_eq!(state.commit_token(TokenId(99)), Err(CommitError::Terminated));
        assert_eq!(state.commit_bytes(b"["), Err(CommitError::Terminated));
        assert_eq!(CommitError::Terminated.to_string(), "the sequence has ended");
        state.reset();
        assert_eq!(allowed(&state), [TokenId(0)]);
    }
}

#[test]
fn no_bytes_change_nothing() {
    let constraint = WORDS.constraint(&WORDS.vocab());
    let mut state = constraint.start();
    for text in ["", "if", "", " a", ""] {
        let before = seen(&state);
        state.commit_bytes(text.as_bytes()).unwrap();
        assert_eq!(seen(&state) == before, text.is_empty());
    }
}

#[test]
fn a_state_knows_its_constraint() {
    let constraint = LISTS.constraint(&LISTS.vocab());
    let state = constraint.start();
    assert_eq!(state.constraint().vocab().fingerprint(), constraint.vocab().fingerprint());
    assert_eq!(state.constraint().tables().states(), constraint.tables().states());
    assert_eq!(state.constraint().lexer(), constraint.lexer());
    assert_eq!(state.branches().len(), 1);
    assert!(Config::default().end_tokens.is_empty() && constraint.end_tokens().is_empty());
}

#[test]
fn accepting_is_known_for_whole_texts_only() {
    for (spec, texts) in
        [(&LISTS, ["", "1", "[", "[1]", "[1] ", "-"]), (&WORDS, ["", "if", "if;", "if a;", "ifa;", "a b;x"])]
    {
        let constraint = spec.constraint(&spec.vocab());
        let found = texts.map(|text| {
            let mut state = constraint.start();
            state.commit_bytes(text.as_bytes()).unwrap();
            state.is_accepting()
        });
        let wanted = if std::ptr::eq(spec, &LISTS) {
            [false, true, false, true, true, false]
        } else {
            [true, false, true, true, true, false]
        };
        assert_eq!(found, wanted);
    }
}

#[test]
fn an_empty_language_is_an_error() {
    // A second a always belongs to the first.
    let spec = Spec { rules: "S = a a", ..crate::constraints::DOOMED };
    let error = spec.try_constraint(&spec.vocab(), Config::default()).unwrap_err();
    assert!(error.is_empty_language() && !error.is_limit());
    assert!(error.to_string().contains("language is empty"), "{error}");
    assert!(error.source().is_none());
    // With the empty text there is one word left.
    let spec = Spec { accepts_empty: true, ..spec };
    let state = spec.constraint(&spec.vocab()).start();
    assert!(state.is_accepting() && allowed(&state).is_empty());
}

#[test]
fn parts_that_do_not_fit_are_an_error() {
    let few = Spec { terminals: &[("c", "c")], rules: "S = c", ..crate::constraints::DOOMED };
    let parts = Parts { lexer: few.parts().lexer, ..LISTS.parts() };
    let error = Constraint::new(parts, LISTS.vocab(), Config::default()).unwrap_err();
    assert!(error.to_string().contains("more terminals than the lexer"), "{error}");
}

#[test]
fn a_very_deep_text_is_fine_and_so_is_dropping_it() {
    let constraint = LISTS.constraint(&LISTS.vocab());
    let mut state = constraint.start();
    state.commit_bytes(&b"[".repeat(100_000)).unwrap();
    let copy = state.clone();
    state.commit_bytes(&b"]".repeat(100_000)).unwrap();
    assert!(state.is_accepting() && !copy.is_accepting());
    drop((state, copy));
    for spec in ALL {
        assert!(!spec.constraint(&spec.vocab()).start().is_rejected());
    }
}

/// Behind `ab` only `bd` avoids `abc`, a longer match of what has become an `a`; where the grammar wants `bc`, nothing is
/// left. That `bc` could be shifted proves nothing.
const FORBIDDEN: Spec = Spec {
    terminals: &[("a", "a"), ("l", "abc"), ("t", "bc"), ("u", "bd"), ("v", "x"), ("q", "q")],
    rules: "S = a t | a v | q l | q a u",
    ignored: &[],
    kills: &[("a", "l"), ("t", "u")],
    accepts_empty: false,
    pieces: &["a", "b", "c", "d", "x", "q", "ab", "bc", "bd", "abc"],
};

#[test]
fn a_terminal_that_conditions_forbid_makes_no_text_viable() {
    for shift_first in [false, true] {
        let config = Config { shift_first: Some(shift_first), ..Config::default() };
        let constraint = FORBIDDEN.with(&FORBIDDEN.vocab(), config);
        let takes = |text: &str| constraint.start().commit_bytes(text.as_bytes()).is_ok();
        for text in ["a", "ax", "qab", "qabc", "qabd"] {
            assert!(takes(text), "{text} {shift_first}");
        }
        for text in ["ab", "abc", "abd", "qax"] {
            assert!(!takes(text), "{text} {shift_first}");
        }
    }
}
