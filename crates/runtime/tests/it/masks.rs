//! Masks: what they hold, into which buffers they go, and that caches change nothing.

use std::collections::BTreeSet;

use glrmask_automata::Id;
use glrmask_runtime::{CommitError, Config};
use glrmask_vocab::{TokenId, Vocab};
use proptest::prelude::*;

use crate::constraints::{allowed, seen, settings, trace, vocab, walk, words, Spec, ALL, DOOMED, LISTS, WORDS};

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn a_mask_is_what_can_be_committed((spec, vocab) in settings(), choices in prop::collection::vec(any::<u8>(), 0..12)) {
        let constraint = spec.constraint(&vocab);
        let mut state = constraint.start();
        for token in walk(&constraint, &choices) {
            let mask = allowed(&state);
            for (id, bytes) in vocab.iter() {
                let committed = state.clone().commit_token(id);
                prop_assert_eq!(committed.is_ok(), mask.contains(&id), "{:?} after {:?}", String::from_utf8_lossy(bytes), committed);
                if !bytes.is_empty() {
                    prop_assert_eq!(state.clone().commit_bytes(bytes).is_ok(), committed.is_ok());
                }
            }
            prop_assert!(mask.iter().all(|&id| vocab.contains(id)));
            state.commit_token(token).unwrap();
        }
    }

    #[test]
    fn small_caches_give_the_same_masks((spec, vocab) in settings(), choices in prop::collection::vec(any::<u8>(), 0..15)) {
        let large = spec.constraint(&vocab);
        let small = [0, 5_000, 20_000].map(|cache_bytes| spec.with(&vocab, Config { cache_bytes, ..Config::default() }));
        let mut states = [large.start(), small[0].start(), small[1].start(), small[2].start()];
        for token in walk(&large, &choices) {
            let wanted = seen(&states[0]);
            for state in &mut states {
                prop_assert_eq!(seen(state), wanted.clone());
                state.commit_token(token).unwrap();
            }
        }
        prop_assert_eq!(large.stats().clears, 0);
        prop_assert!(small[0].stats().clears > 0);
    }

    #[test]
    fn how_bytes_are_split_does_not_matter(
        (spec, vocab) in settings(),
        choices in prop::collection::vec(any::<u8>(), 0..8),
        wrong in prop::option::of(any::<prop::sample::Index>()),
        cuts in prop::collection::vec(1usize..5, 1..6),
    ) {
        let constraint = spec.constraint(&vocab);
        let tokens = walk(&constraint, &choices);
        let mut text: Vec<u8> = tokens.iter().flat_map(|&t| vocab.bytes(t).unwrap().to_vec()).collect();
        let mut by_token = constraint.start();
        tokens.iter().for_each(|&t| by_token.commit_token(t).unwrap());
        // Perhaps with a piece at the end that need not be allowed.
        if let Some(wrong) = wrong {
            let piece = spec.pieces[wrong.index(spec.pieces.len())].as_bytes();
            text.extend(piece);
            let _ = by_token.commit_bytes(piece);
        }
        let (mut whole, mut single, mut cut) = (constraint.start(), constraint.start(), constraint.start());
        let at_once = whole.commit_bytes(&text);
        let one_by_one = text.iter().try_for_each(|&byte| single.commit_bytes(&[byte]));
        let mut rest = &text[..];
        for &length in cuts.iter().cycle() {
            let (now, later) = rest.split_at(length.min(rest.len()));
            if rest.is_empty() || cut.commit_bytes(now).is_err() {
                break;
            }
            rest = later;
        }
        prop_assert_eq!(at_once.is_ok(), one_by_one.is_ok());
        for state in [&whole, &single, &cut] {
            prop_assert_eq!(seen(state), seen(&by_token), "{:?}", String::from_utf8_lossy(&text));
        }
    }

    #[test]
    fn forbidden_bytes_say_by_when_reading_must_stop((spec, vocab) in settings(), pieces in prop::collection::vec(any::<prop::sample::Index>(), 1..8)) {
        let constraint = spec.constraint(&vocab);
        let text: Vec<u8> = pieces.iter().flat_map(|i| spec.pieces[i.index(spec.pieces.len())].bytes()).collect();
        if let Err(error) = constraint.start().commit_bytes(&text) {
            let CommitError::ForbiddenBytes(fine) = error else { panic!("{error}") };
            prop_assert!(fine < text.len());
            prop_assert!(constraint.start().commit_bytes(&text[..=fine]).is_err());
        }
    }
}

#[test]
fn short_buffers_are_an_error_and_long_ones_are_zeroed() {
    let vocab = Vocab::new([(TokenId(0), "["), (TokenId(40), "1"), (TokenId(70), "x")]).unwrap();
    let constraint = LISTS.constraint(&vocab);
    let state = constraint.start();
    assert_eq!(constraint.mask_words(), 3);
    let mut short = [7; 2];
    let error = state.fill_mask(&mut short).unwrap_err();
    assert_eq!(error.to_string(), "the mask buffer has 2 words of 32 bits, at least 3 are needed");
    assert_eq!((short, error.is_limit(), error.is_empty_language()), ([7; 2], false, false));
    let mut long = [u32::MAX; 6];
    state.fill_mask(&mut long).unwrap();
    assert_eq!(long, [1, 1 << 8, 0, 0, 0, 0]);
}

#[test]
fn an_empty_vocabulary_has_an_empty_mask() {
    let nothing = vocab(Vec::<&str>::new());
    let exact_only = vocab(["", "", ""]);
    for (vocab, words) in [(nothing, 0), (exact_only, 1)] {
        for spec in ALL {
            let constraint = spec.constraint(&vocab);
            let mut state = constraint.start();
            assert_eq!(constraint.mask_words(), words);
            assert_eq!(allowed(&state), []);
            assert!(!state.is_rejected() && !state.is_terminated());
            // Bytes can be committed all the same.
            let first = if std::ptr::eq(*spec, &DOOMED) { "c" } else { spec.pieces[0] };
            state.commit_bytes(first.as_bytes()).unwrap();
            assert_eq!(allowed(&state), []);
        }
    }
}

#[test]
fn what_nothing_completes_is_not_in_the_mask() {
    let constraint = DOOMED.constraint(&DOOMED.vocab());
    let text = |id: &TokenId| DOOMED.pieces[id.index()];
    let mask: Vec<&str> = allowed(&constraint.start()).iter().map(text).collect();
    assert_eq!(mask, ["c", "d", "dd", "dc", "ddc"]);
}

#[test]
fn a_keyword_does_not_end_inside_an_identifier() {
    let vocab = vocab(["ifx", ";", " a;", "if", "x"]);
    let constraint = WORDS.constraint(&vocab);
    let mut state = constraint.start();
    state.commit_bytes(b"if").unwrap();
    // As an identifier it may go on with x or end; as a keyword it needs an identifier.
    assert_eq!(allowed(&state), [0, 1, 2, 3, 4].map(TokenId));
    state.commit_bytes(b"x a").unwrap();
    assert_eq!(allowed(&state), [0, 1, 3, 4].map(TokenId));
}

#[test]
fn statistics_grow_with_use() {
    let constraint = LISTS.constraint(&LISTS.vocab());
    let mut state = constraint.start();
    state.commit_bytes(b"[1, [").unwrap();
    let before = constraint.stats();
    let first = words(&state);
    let after = constraint.stats();
    assert!(after.profiles > before.profiles && after.masks > before.masks && after.bytes > before.bytes);
    assert_eq!(words(&state), first);
    assert_eq!(constraint.stats(), after, "the second mask is only looked up");
}

/// Twenty-one letters of memory: two to the twentieth sets of conditions.
const EXPLOSIVE: Spec = Spec {
    terminals: &[("a", "a"), ("b", "b"), ("long", "a[ab]{20}c")],
    rules: "S = T | S T\nT = a | b | long",
    ignored: &[],
    kills: &[("a", "long")],
    accepts_empty: false,
    pieces: &["a", "b", "c"],
};

#[test]
fn a_limit_is_no_empty_language() {
    let error = EXPLOSIVE.try_constraint(&EXPLOSIVE.vocab(), Config::default()).unwrap_err();
    assert!(error.is_limit() && !error.is_empty_language(), "{error}");
    assert!(error.to_string().contains("conditions"), "{error}");
    assert!(std::error::Error::source(&error).is_some());
}

/// With room for everything but the scans, these are forgotten, once and again, and nothing else is.
#[test]
fn forgotten_scans_cost_no_profiles() {
    let longer = |tokens: Vec<String>| -> Vec<String> {
        tokens.iter().flat_map(|token| LISTS.pieces.iter().map(move |piece| format!("{token}{piece}"))).collect()
    };
    let pieces: Vec<String> = LISTS.pieces.iter().map(ToString::to_string).collect();
    let vocab = vocab(longer(longer(longer(pieces))).into_iter().collect::<BTreeSet<_>>());
    let large = LISTS.constraint(&vocab);
    let tokens = walk(&large, &[200, 3, 77, 140, 9, 25, 181, 66, 250, 31, 5, 90]);
    let wanted = trace(&large, &tokens);
    let full = large.stats();
    assert_eq!((full.clears, full.scan_clears), (0, 0));

    let small = LISTS.with(&vocab, Config { cache_bytes: full.bytes / 2, ..Config::default() });
    assert_eq!(trace(&small, &tokens), wanted);
    let first = small.stats();
    assert_eq!((first.profiles, first.rows, first.masks), (full.profiles, full.rows, full.masks));
    assert!(first.clears == 0 && first.scan_clears > 0, "{first:?} of {full:?}");
    // Everything that the walk needs is there: nothing is computed or forgotten again.
    assert_eq!(trace(&small, &tokens), wanted);
    assert_eq!(small.stats(), first);

    // Where the rest is too large as well, it goes too.
    let tiny = LISTS.with(&vocab, Config { cache_bytes: full.bytes / 50, ..Config::default() });
    assert_eq!(trace(&tiny, &tokens), wanted);
    assert!(tiny.stats().clears > 0, "{:?}", tiny.stats());
}
