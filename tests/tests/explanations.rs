//! Explanations beside masks, token events included: a token is allowed exactly if some reading of it comes through.

#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

use glrmask_runtime::explain::{Outcome, Verdict};
use glrmask_runtime::ConstraintState;
use glrmask_tests::case::Case;
use glrmask_tests::engine;
use glrmask_tests::rng::Rng;
use glrmask_vocab::TokenId;

/// Explains every id; how many tokens are told to be events.
fn explain_all(state: &ConstraintState, case: &Case, seed: u64) -> usize {
    let mask = engine::allowed(state).unwrap();
    let mut events = 0;
    for id in case.ids().into_iter().chain([987_654]) {
        let explanation = state.explain(TokenId(id)).unwrap();
        assert_eq!(explanation.allowed, mask.contains(&id), "seed {seed}: {explanation}");
        if explanation.verdict == Verdict::Text && !explanation.is_cut {
            let through = explanation.readings.iter().any(|r| matches!(r.outcome, Outcome::Allowed { .. }));
            assert_eq!(through, explanation.allowed, "seed {seed}: {explanation}");
            assert!(!explanation.readings.is_empty(), "seed {seed}: {explanation}");
        }
        let text = explanation.to_string();
        assert!(text.contains(&format!("oken {id}")), "{text}");
        events += usize::from(text.contains("the token itself is read as @token("));
    }
    events
}

#[test]
fn a_token_is_allowed_if_some_reading_comes_through() {
    let (mut explained, mut events) = (0, 0);
    for seed in 130_000..130_250 {
        let case = Case::random(seed, 20);
        let (Ok(grammar), config) = (engine::grammar(&case), engine::config(&case, seed)) else { continue };
        let Ok(constraint) = engine::constraint(&grammar, &engine::vocab(&case).unwrap(), &config) else { continue };
        let (mut rng, mut state) = (Rng::new(seed), constraint.start());
        for _ in 0..4 {
            events += explain_all(&state, &case, seed);
            explained += 1;
            let mask = engine::allowed(&state).unwrap();
            if mask.is_empty() {
                break;
            }
            state.commit_token(TokenId(*rng.pick(&mask))).unwrap();
        }
    }
    assert!(explained > 500 && events > 30, "{explained} states, {events} events");
}
