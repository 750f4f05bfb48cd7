//! Artifacts: the same answers after saving and loading, and no bytes that do harm.

use glrmask_runtime::{ArtifactError, Budget, Config, Constraint};
use glrmask_vocab::{TokenId, Vocab};
use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_128;

use crate::constraints::{same, settings, vocab, ALL, PIECES};

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn loading_gives_what_was_saved(
        (spec, vocab) in settings(),
        choices in prop::collection::vec(any::<u8>(), 0..12),
        states in prop::option::of(0usize..300),
        external in any::<bool>(),
        end in prop::option::of(0u32..100),
        shift_first in prop::option::of(any::<bool>()),
    ) {
        let end_tokens = end.map(TokenId).into_iter().collect();
        let constraint = spec.with(&vocab, Config { end_tokens, compare_from: 0, shift_first, ..Config::default() });
        if let Some(states) = states {
            constraint.fill(&Budget { states, ..Budget::default() }).unwrap();
        } else {
            // What decoding has filled is kept as well.
            same(&constraint, &constraint, &choices);
        }
        let saved = constraint.save(external).unwrap();
        let loaded = Constraint::load(&saved, external.then_some(&vocab)).unwrap();
        prop_assert_eq!(loaded.shifts_first(), constraint.shifts_first());
        // Where first terminals are shifted, rows are made again on demand.
        prop_assert_eq!(loaded.is_complete(), constraint.is_complete() && !constraint.shifts_first());
        prop_assert_eq!(loaded.vocab().fingerprint(), vocab.fingerprint());
        prop_assert_eq!(loaded.end_tokens(), constraint.end_tokens());
        same(&constraint, &loaded, &choices);
        let again = loaded.save(external).unwrap();
        if constraint.is_complete() {
            prop_assert_eq!(again, saved);
        }
    }

    #[test]
    fn damaged_bytes_are_errors(
        (spec, vocab) in settings(),
        at in any::<prop::sample::Index>(),
        bit in 0u8..8,
        shift_first in any::<bool>(),
    ) {
        let constraint = spec.with(&vocab, Config { shift_first: Some(shift_first), ..Config::default() });
        constraint.fill(&Budget::default()).unwrap();
        let saved = constraint.save(false).unwrap();
        let mut damaged = saved.clone();
        damaged[at.index(saved.len())] ^= 1 << bit;
        prop_assert!(Constraint::load(&damaged, None).is_err());
        prop_assert!(Constraint::load(&saved[..at.index(saved.len())], None).is_err());
    }

    #[test]
    fn forged_bytes_do_no_harm(
        (spec, vocab) in settings(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        choices in prop::collection::vec(any::<u8>(), 0..8),
        shift_first in any::<bool>(),
    ) {
        let constraint = spec.with(&vocab, Config { shift_first: Some(shift_first), ..Config::default() });
        constraint.fill(&Budget::default()).unwrap();
        let mut forged = constraint.save(true).unwrap();
        for (at, byte) in changes {
            let at = HEADER + at.index(forged.len() - HEADER);
            forged[at] = byte;
        }
        sign(&mut forged);
        if let Ok(loaded) = Constraint::load(&forged, Some(&vocab)) {
            // Whatever it answers, it answers.
            let mut state = loaded.start();
            let mut words = vec![0; loaded.mask_words()];
            for choice in choices {
                let _ = state.fill_mask(&mut words);
                let _ = state.commit_token(TokenId(u32::from(choice) % (vocab.len() as u32 + 1)));
                let _ = state.is_accepting();
            }
        }
    }
}

const HEADER: usize = 52;

/// Makes the checksum right.
fn sign(data: &mut [u8]) {
    let sum = xxh3_128(&data[HEADER..]);
    data[36..52].copy_from_slice(&sum.to_le_bytes());
}

#[test]
fn errors_say_what_is_wrong() {
    let vocab = vocab(PIECES);
    let constraint = ALL[0].constraint(&vocab);
    let load = |data: &[u8], vocab: Option<&Vocab>| Constraint::load(data, vocab).map(drop);
    let message = |result: Result<(), ArtifactError>| result.unwrap_err().to_string();
    let external = constraint.save(true).unwrap();
    assert!(load(&external, None).unwrap_err().needs_vocab());
    let other = Vocab::new([(TokenId(0), "x")]).unwrap();
    assert!(load(&external, Some(&other)).unwrap_err().is_other_vocab());
    assert!(load(&constraint.save(false).unwrap(), Some(&other)).unwrap_err().is_other_vocab());
    assert_eq!(message(load(b"", None)), "the artifact is cut short: 0 of 52 bytes");
    assert_eq!(message(load(b"PK\x03\x04", None)), "not a glrmask artifact");
    let mut next = external.clone();
    next[8] = 99;
    assert_eq!(load(&next, Some(&vocab)).unwrap_err().version_found(), Some(99));
    let mut longer = external.clone();
    longer.push(0);
    assert!(message(load(&longer, Some(&vocab))).contains("beyond the end"));
    let mut hostile = external[..HEADER].to_vec();
    hostile.extend([0xFF; 40]);
    hostile[28..36].copy_from_slice(&40u64.to_le_bytes());
    sign(&mut hostile);
    assert!(message(load(&hostile, Some(&vocab))).contains("malformed"));
}
