//! Shortest completions beside brute force: all texts in order of their length, all sequences of tokens.

#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]
#![allow(clippy::print_stdout, reason = "what was compared is part of the result")]

use glrmask_runtime::{Constraint, ConstraintState};
use glrmask_tests::case::Case;
use glrmask_tests::engine;
use glrmask_tests::oracle::Oracle;
use glrmask_tests::rng::Rng;
use glrmask_tests::TooLarge;
use glrmask_vocab::TokenId;

/// The most texts of one length, or sequences of one number of tokens, that are looked at.
const WIDTH: usize = 1_500;

/// A random case that compiles, with the oracle of its language.
fn compiled(seed: u64) -> Option<(Case, Constraint, Oracle)> {
    let case = Case::random(seed, 36);
    let (grammar, config) = (engine::grammar(&case).ok()?, engine::config(&case, seed));
    let spec = engine::with_kills(&case.spec, &grammar, &config).ok()?;
    let constraint = engine::constraint(&grammar, &engine::vocab(&case).ok()?, &config).ok()?;
    Some((case, constraint, Oracle::new(spec).ok()?))
}

/// The length of the shortest text that makes `prefix` a member; nothing if there are too many texts to try, or if it is
/// longer than `limit`.
fn brute_force(oracle: &mut Oracle, prefix: &[u8], limit: usize) -> Result<Option<usize>, TooLarge> {
    let alphabet = oracle.spec().alphabet();
    let mut level = vec![prefix.to_vec()];
    for length in 0..=limit {
        for text in &level {
            if oracle.member(text)? {
                return Ok(Some(length));
            }
        }
        let mut longer = Vec::new();
        for text in &level {
            for &byte in &alphabet {
                let next = [text.as_slice(), &[byte]].concat();
                if oracle.viable(&next)? {
                    longer.push(next);
                }
            }
        }
        if longer.len() > WIDTH {
            break;
        }
        level = longer;
    }
    Ok(None)
}

/// A few allowed tokens or bytes, with the text they make.
fn walk(rng: &mut Rng, case: &Case, constraint: &Constraint) -> (ConstraintState, Vec<u8>) {
    let (mut state, mut text) = (constraint.start(), Vec::new());
    for _ in 0..rng.below(5) {
        let mut mask = engine::allowed(&state).unwrap();
        mask.retain(|id| !case.end_tokens.contains(id));
        let Some(&id) = mask.get(rng.below(mask.len().max(1))) else { break };
        state.commit_token(TokenId(id)).unwrap();
        text.extend_from_slice(case.bytes(id).unwrap());
    }
    (state, text)
}

#[test]
fn no_text_completes_with_fewer_bytes() {
    let (mut compared, mut lengths) = (0, [0; 8]);
    for seed in 100_000..100_600 {
        let Some((case, constraint, mut oracle)) = compiled(seed) else { continue };
        if !constraint.token_terminals().is_empty() {
            continue;
        }
        let mut rng = Rng::new(seed);
        for _ in 0..3 {
            let (state, text) = walk(&mut rng, &case, &constraint);
            let found = state.shortest_completion().unwrap().unwrap();
            assert_eq!(state.shortest_completion_len(), Ok(Some(found.len() as u64)));
            let whole = [text.as_slice(), &found].concat();
            let Ok(member) = oracle.member(&whole) else { continue };
            assert!(member, "seed {seed}: {text:?} {found:?}");
            match brute_force(&mut oracle, &text, found.len().min(7)) {
                Ok(Some(length)) => assert_eq!(found.len(), length, "seed {seed}: {text:?} {found:?}"),
                _ => continue,
            }
            compared += 1;
            lengths[found.len().min(7)] += 1;
        }
    }
    println!("{compared} completions, by length {lengths:?}");
    assert!(compared > 800 && lengths[1..5].iter().all(|&n| n > 30));
}

#[test]
fn no_tokens_complete_with_fewer() {
    let (mut compared, mut shorter, mut none, mut events) = (0, 0, 0, 0);
    for seed in 110_000..110_300 {
        // Longer tokens, and not every byte, so that the shortest text is not always the one of fewest tokens.
        let mut case = Case::random(seed, 60);
        if seed % 2 == 0 {
            case.vocabulary.retain(|token| token.1.len() > 1 || token.0 % 2 == 0);
        }
        let Ok(grammar) = engine::grammar(&case) else { continue };
        let config = engine::config(&case, seed);
        let Ok(constraint) = engine::constraint(&grammar, &engine::vocab(&case).unwrap(), &config) else { continue };
        let mut rng = Rng::new(seed);
        for _ in 0..2 {
            let (state, _) = walk(&mut rng, &case, &constraint);
            let found = match state.shortest_completion_tokens() {
                Ok(found) => found,
                // Ever longer texts that never end: the vocabulary lacks the end.
                Err(error) => {
                    assert!(error.is_limit() && fewest(&state, &case, 4).is_none_or(|f| f.is_none()), "seed {seed}");
                    continue;
                }
            };
            let expected = fewest(&state, &case, 6);
            match (&found, expected) {
                (Some(found), Some(Some(count))) => {
                    assert!(found.is_minimal, "seed {seed}");
                    assert_eq!(found.tokens.len(), count, "seed {seed}: {found:?}");
                    compared += 1;
                    let bytes: usize = found.tokens.iter().map(|t| case.bytes(t.0).unwrap().len()).sum();
                    shorter += usize::from(state.shortest_completion_len().unwrap().is_some_and(|n| bytes as u64 > n));
                    events += usize::from(state.shortest_completion().unwrap().is_none());
                }
                (None, Some(None)) => none += 1,
                (Some(_), Some(None)) => panic!("seed {seed}: {found:?} where nothing is possible"),
                (None, Some(Some(count))) => panic!("seed {seed}: nothing, but {count} tokens do"),
                (_, None) => {}
            }
            if let Some(found) = found {
                let mut after = state.clone();
                after.commit_tokens(&found.tokens).unwrap();
                assert!(after.is_accepting() && !after.is_terminated(), "seed {seed}: {found:?}");
            }
        }
    }
    println!("{compared} compared, {shorter} with more bytes than the shortest text, {none} impossible");
    println!("{events} take a token event");
    assert!(compared > 300 && shorter > 10 && none > 1 && events > 5);
}

/// The fewest tokens that complete the text: `Some(None)` if none do, `None` if that is too much to try.
fn fewest(state: &ConstraintState, case: &Case, limit: usize) -> Option<Option<usize>> {
    let mut level = vec![state.clone()];
    for count in 0..=limit {
        if level.iter().any(ConstraintState::is_accepting) {
            return Some(Some(count));
        }
        if level.is_empty() {
            return Some(None);
        }
        let mut next = Vec::new();
        for state in &level {
            for id in engine::allowed(state).unwrap() {
                if case.end_tokens.contains(&id) {
                    continue;
                }
                let mut after = state.clone();
                after.commit_token(TokenId(id)).unwrap();
                next.push(after);
            }
        }
        if next.len() > WIDTH {
            return None;
        }
        level = next;
    }
    None
}

#[test]
fn completions_change_nothing_and_end_where_the_state_ends() {
    for seed in 120_000..120_100 {
        let Some((case, constraint, _)) = compiled(seed) else { continue };
        let mut rng = Rng::new(seed);
        let (mut state, _) = walk(&mut rng, &case, &constraint);
        let before = (engine::allowed(&state).unwrap(), state.is_accepting(), state.history_len());
        // Where it takes a token event, there is no text.
        let Some(text) = state.shortest_completion().unwrap() else { continue };
        let _ = state.shortest_completion_tokens().unwrap();
        assert_eq!((engine::allowed(&state).unwrap(), state.is_accepting(), state.history_len()), before);
        assert_eq!(text.is_empty(), state.is_accepting());
        state.commit_bytes(&text).unwrap();
        assert!(state.is_accepting());
        if let Some(&end) = case.end_tokens.first() {
            state.commit_token(TokenId(end)).unwrap();
            assert_eq!(state.shortest_completion(), Ok(Some(Vec::new())));
            let tokens = state.shortest_completion_tokens().unwrap().unwrap();
            assert!(tokens.tokens.is_empty() && tokens.is_minimal);
            state.rollback(1).unwrap();
        }
        assert!(state.commit_bytes(b"\x01never").is_err());
        assert_eq!(state.shortest_completion(), Ok(None));
        assert_eq!(state.shortest_completion_len(), Ok(None));
        assert_eq!(state.shortest_completion_tokens(), Ok(None));
    }
}
