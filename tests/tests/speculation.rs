//! Going back, trying out and forcing, beside what a fresh state says after the same commits.

#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

use glrmask_runtime::{commit_tokens_batch, fill_masks, CommitError, Constraint, ConstraintState, MarkerEvent};
use glrmask_tests::case::{Case, Step};
use glrmask_tests::engine;
use glrmask_tests::rng::Rng;
use glrmask_vocab::TokenId;

/// Random cases that compile.
fn cases(from: u64, count: u64) -> impl Iterator<Item = (u64, Case, Constraint)> {
    (from..from + count).filter_map(|seed| compiled(seed, Case::random(seed, 36)))
}

fn compiled(seed: u64, case: Case) -> Option<(u64, Case, Constraint)> {
    let grammar = engine::grammar(&case).ok()?;
    let constraint = engine::constraint(&grammar, &engine::vocab(&case).ok()?, &engine::config(&case, seed)).ok()?;
    Some((seed, case, constraint))
}

/// Everything a state shows.
fn face(state: &ConstraintState) -> (Vec<u32>, bool, bool, bool, Vec<MarkerEvent>) {
    let markers = state.marker_events().to_vec();
    (engine::allowed(state).unwrap(), state.is_accepting(), state.is_rejected(), state.is_terminated(), markers)
}

/// Whether the commit counts: not those that change nothing.
fn commit(state: &mut ConstraintState, step: &Step) -> bool {
    let outcome = match step {
        Step::Bytes(bytes) => state.commit_bytes(bytes),
        Step::Token(id) => state.commit_token(TokenId(*id)),
    };
    !matches!(outcome, Err(CommitError::UnknownToken(_) | CommitError::Terminated))
}

fn replayed(constraint: &Constraint, steps: &[Step]) -> ConstraintState {
    let mut state = constraint.start();
    steps.iter().for_each(|step| assert!(commit(&mut state, step)));
    state
}

/// Mostly an allowed token; now and then bytes, any token, or an id nobody knows.
fn random_step(rng: &mut Rng, case: &Case, state: &ConstraintState) -> Step {
    let (mask, ids) = (engine::allowed(state).unwrap(), case.ids().into_iter().collect::<Vec<_>>());
    match rng.below(12) {
        0 => Step::Token(*rng.pick(&ids)),
        1 => Step::Token(987_654),
        // No bytes change nothing, so they would not count.
        2 => match &rng.pick(&case.vocabulary).1 {
            bytes if bytes.is_empty() => Step::Token(*rng.pick(&ids)),
            bytes => Step::Bytes(bytes.clone()),
        },
        _ if mask.is_empty() => Step::Token(*rng.pick(&ids)),
        _ => Step::Token(*rng.pick(&mask)),
    }
}

#[test]
fn rollback_is_where_a_fresh_state_gets_with_fewer_commits() {
    let (mut undone, mut refused) = (0, 0);
    for (seed, case, constraint) in cases(50_000, 250) {
        let (mut rng, mut state, mut steps) = (Rng::new(seed), constraint.start(), Vec::new());
        let limit = *rng.pick(&[0, 1, 3, 20, 256]);
        state.set_history_limit(limit);
        let mut kept = 0;
        for _ in 0..40 {
            if rng.chance(70) {
                let step = random_step(&mut rng, &case, &state);
                if commit(&mut state, &step) {
                    steps.push(step);
                    kept = limit.min(kept + 1);
                }
            } else {
                let n = rng.below(6);
                let before = face(&state);
                match state.rollback(n) {
                    Ok(()) => {
                        assert!(n <= kept, "seed {seed}");
                        steps.truncate(steps.len() - n);
                        kept -= n;
                        undone += n;
                    }
                    Err(error) => {
                        assert_eq!((error.history(), face(&state)), (Some((n, kept)), before), "seed {seed}");
                        assert!(n > kept);
                        refused += 1;
                    }
                }
            }
            assert_eq!(state.history_len(), kept);
            if rng.chance(20) {
                let other = state.clone();
                let step = random_step(&mut rng, &case, &other);
                let _ = commit(&mut state, &step);
                state = other;
            }
            assert_eq!(face(&state), face(&replayed(&constraint, &steps)), "seed {seed}: {steps:?}");
        }
    }
    assert!(undone > 1_000 && refused > 1_000, "{undone} undone, {refused} refused");
}

#[test]
fn validating_counts_what_a_fresh_state_commits() {
    let (mut whole, mut part) = (0, 0);
    for (seed, case, constraint) in cases(60_000, 250) {
        let (mut rng, mut state, mut steps) = (Rng::new(seed), constraint.start(), Vec::new());
        for _ in 0..6 {
            let mut tokens: Vec<TokenId> = Vec::new();
            let mut ahead = state.clone();
            for _ in 0..rng.below(6) {
                let Step::Token(id) = random_step(&mut rng, &case, &ahead) else { continue };
                tokens.push(TokenId(id));
                let _ = ahead.commit_token(TokenId(id));
            }
            let mut fresh = replayed(&constraint, &steps);
            let valid = tokens.iter().take_while(|&&token| fresh.commit_token(token).is_ok()).count();
            let before = face(&state);
            assert_eq!(state.validate_tokens(&tokens), Ok(valid), "seed {seed}: {tokens:?}");
            assert_eq!(face(&state), before, "seed {seed}");
            (whole, part) = (whole + usize::from(valid == tokens.len()), part + usize::from(valid < tokens.len()));
            let step = random_step(&mut rng, &case, &state);
            if commit(&mut state, &step) {
                steps.push(step);
            }
        }
    }
    assert!(whole > 300 && part > 300, "{whole} whole, {part} in part");
}

#[test]
fn committing_several_tokens_is_committing_each_until_one_fails() {
    let (mut fine, mut forbidden, mut unknown) = (0, 0, 0);
    for (seed, case, constraint) in cases(70_000, 250) {
        let (mut rng, mut state) = (Rng::new(seed), constraint.start());
        for _ in 0..8 {
            let (mut ahead, mut tokens) = (state.clone(), Vec::new());
            for _ in 0..rng.between(1, 4) {
                let Step::Token(id) = random_step(&mut rng, &case, &ahead) else { continue };
                tokens.push(TokenId(id));
                let _ = ahead.commit_token(TokenId(id));
            }
            let mut one_by_one = state.clone();
            let outcome = state.commit_tokens(&tokens);
            let known = |id: &TokenId| case.ids().contains(&id.0);
            if !one_by_one.is_terminated() && !tokens.iter().all(known) {
                assert!(matches!(&outcome, Err(e) if matches!(e.error, CommitError::UnknownToken(_))), "seed {seed}");
                unknown += 1;
            } else {
                let committed = tokens.iter().take_while(|&&t| one_by_one.commit_token(t).is_ok()).count();
                assert_eq!(outcome.as_ref().map_or_else(|e| e.committed, |()| tokens.len()), committed, "seed {seed}");
                (fine, forbidden) = (fine + usize::from(outcome.is_ok()), forbidden + usize::from(outcome.is_err()));
            }
            assert_eq!(face(&state), face(&one_by_one), "seed {seed}");
            assert_eq!(state.history_len(), one_by_one.history_len());
        }
    }
    assert!(fine > 300 && forbidden > 300 && unknown > 50, "{fine} {forbidden} {unknown}");
}

#[test]
fn forced_tokens_are_those_that_masks_with_one_id_give() {
    let mut forced_in_all = 0;
    // Single bytes only: longer tokens are nearly always another way to go on.
    let single = (80_000..80_400).filter_map(|seed| {
        let mut case = Case::random(seed, 36);
        case.vocabulary.sort_by_key(|token| (token.1.clone(), token.0));
        case.vocabulary.dedup_by(|a, b| a.1 == b.1 && seed % 3 > 0);
        case.vocabulary.retain(|token| token.1.len() <= 1);
        compiled(seed, case)
    });
    for (seed, case, constraint) in single {
        let (mut rng, mut state) = (Rng::new(seed), constraint.start());
        for _ in 0..5 {
            let before = face(&state);
            let forced = state.forced_tokens().unwrap();
            assert_eq!(face(&state), before, "seed {seed}");
            let mut fresh = state.clone();
            for &token in &forced {
                assert_eq!((fresh.is_accepting(), engine::allowed(&fresh).unwrap()), (false, vec![token.0]));
                fresh.commit_token(token).unwrap();
            }
            let more = fresh.is_terminated() || fresh.is_accepting() || engine::allowed(&fresh).unwrap().len() != 1;
            assert!(more || forced.len() == 10_000, "seed {seed}: {forced:?}");
            forced_in_all += forced.len().min(20);
            let step = random_step(&mut rng, &case, &state);
            commit(&mut state, &step);
        }
    }
    assert!(forced_in_all > 200, "{forced_in_all}");
}

#[test]
fn a_batch_does_what_each_state_does_alone() {
    let constraints: Vec<_> = cases(90_000, 60).collect();
    let mut rng = Rng::new(1);
    let mut states: Vec<ConstraintState> = constraints.iter().map(|(_, _, c)| c.start()).collect();
    for _ in 0..6 {
        let width = states.iter().map(|s| s.constraint().mask_words()).max().unwrap() + 1;
        // Every state fills two rows.
        let twice: Vec<&ConstraintState> = states.iter().chain(&states).collect();
        let mut matrix = vec![u32::MAX; twice.len() * width];
        fill_masks(twice.iter().copied().zip(matrix.chunks_mut(width))).unwrap();
        for (state, row) in twice.iter().zip(matrix.chunks(width)) {
            let mut alone = vec![u32::MAX; width];
            state.fill_mask(&mut alone).unwrap();
            assert_eq!(row, alone);
        }
        let draw = |((_, case, _), state): (&(u64, Case, Constraint), &ConstraintState)| -> Vec<TokenId> {
            let steps = (0..rng.below(3)).map(|_| random_step(&mut rng, case, state));
            steps.filter_map(|step| if let Step::Token(id) = step { Some(TokenId(id)) } else { None }).collect()
        };
        let tokens: Vec<Vec<TokenId>> = constraints.iter().zip(&states).map(draw).collect();
        let mut alone = states.clone();
        let outcomes = commit_tokens_batch(states.iter_mut().zip(tokens.iter().map(Vec::as_slice)));
        for (((state, alone), tokens), outcome) in states.iter().zip(&mut alone).zip(&tokens).zip(outcomes) {
            assert_eq!(outcome, alone.commit_tokens(tokens));
            assert_eq!(face(state), face(alone));
        }
    }
}
