//! States as decoders use them: many at once on one constraint, cloned, reset, and walked until the text is complete.

#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

use glrmask_runtime::{Constraint, ConstraintState};
use glrmask_tests::case::Case;
use glrmask_tests::engine;
use glrmask_tests::rng::Rng;
use glrmask_vocab::TokenId;

/// Constraints of random cases that compile.
fn constraints(from: u64, count: u64) -> impl Iterator<Item = (u64, Constraint)> {
    (from..from + count).filter_map(|seed| {
        let case = Case::random(seed, 36);
        let grammar = engine::grammar(&case).ok()?;
        let vocab = engine::vocab(&case).ok()?;
        Some((seed, engine::constraint(&grammar, &vocab, &engine::config(&case, seed)).ok()?))
    })
}

/// A random walk under the mask: at each step the mask, whether the text is complete, and the token chosen.
fn walk(constraint: &Constraint, seed: u64, steps: usize) -> Vec<(Vec<u32>, bool, Option<u32>)> {
    let (mut rng, mut state, mut log) = (Rng::new(seed), constraint.start(), Vec::new());
    for _ in 0..steps {
        let mask = engine::allowed(&state).unwrap();
        let choice = (!mask.is_empty()).then(|| *rng.pick(&mask));
        log.push((mask, state.is_accepting(), choice));
        let Some(token) = choice else { break };
        state.commit_token(TokenId(token)).unwrap();
        if state.is_terminated() {
            break;
        }
    }
    log
}

#[test]
fn random_walks_under_the_mask_never_get_stuck() {
    let mut steps = 0;
    for (seed, constraint) in constraints(10_000, 400) {
        for walk_seed in 0..2 {
            let log = walk(&constraint, walk_seed, 16);
            steps += log.len();
            // Every byte that a terminal reads is a token: no token means that nothing can follow.
            let stuck = log.iter().any(|(mask, accepting, _)| mask.is_empty() && !accepting);
            assert!(!stuck, "seed {seed}, walk {walk_seed}: {log:?}");
        }
    }
    println!("{steps} steps");
    assert!(steps > 5_000);
}

#[test]
fn four_threads_on_one_constraint_see_what_one_alone_sees() {
    for (seed, shared) in constraints(20_000, 100) {
        let case = Case::random(seed, 36);
        let (grammar, vocab) = (engine::grammar(&case).unwrap(), engine::vocab(&case).unwrap());
        let alone = engine::constraint(&grammar, &vocab, &engine::config(&case, seed)).unwrap();
        let logs: Vec<_> = std::thread::scope(|scope| {
            let start = |walk_seed| {
                let shared = &shared;
                scope.spawn(move || walk(shared, walk_seed, 12))
            };
            let threads: Vec<_> = (0..4).map(start).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for (walk_seed, log) in logs.iter().enumerate() {
            assert_eq!(*log, walk(&alone, walk_seed as u64, 12), "seed {seed}");
        }
    }
}

/// Everything a state shows.
fn face(state: &ConstraintState) -> (Vec<u32>, bool, bool, bool) {
    (engine::allowed(state).unwrap(), state.is_accepting(), state.is_rejected(), state.is_terminated())
}

#[test]
fn clones_are_independent_and_reset_returns_to_the_start() {
    let mut branches = 0;
    for (seed, constraint) in constraints(30_000, 120) {
        let (mut rng, mut state) = (Rng::new(seed), constraint.start());
        let start = face(&state);
        for _ in 0..4 {
            let before = face(&state);
            let mut faces = Vec::new();
            for &token in &before.0 {
                let mut branch = state.clone();
                branch.commit_token(TokenId(token)).unwrap();
                faces.push((branch.clone(), face(&branch)));
                branches += 1;
            }
            assert_eq!(face(&state), before, "seed {seed}");
            assert!(faces.iter().all(|(branch, shown)| face(branch) == *shown), "seed {seed}");
            if faces.is_empty() {
                break;
            }
            state = rng.pick(&faces).0.clone();
        }
        state.reset();
        assert_eq!(face(&state), start, "seed {seed}");
    }
    assert!(branches > 1_500);
}

#[test]
fn a_prefix_does_not_depend_on_how_it_was_split() {
    let mut compared = 0;
    for (seed, constraint) in constraints(40_000, 400).filter(|(_, c)| c.token_terminals().is_empty()) {
        let (mut rng, mut state, mut text) = (Rng::new(seed), constraint.start(), Vec::new());
        for _ in 0..5 {
            let ends = constraint.end_tokens();
            let mut mask = engine::allowed(&state).unwrap();
            mask.retain(|id| !ends.contains(&TokenId(*id)));
            if mask.is_empty() {
                break;
            }
            let token = TokenId(*rng.pick(&mask));
            state.commit_token(token).unwrap();
            text.extend(constraint.vocab().bytes(token).unwrap_or_default());
        }
        let (mut whole, mut bytes) = (constraint.start(), constraint.start());
        whole.commit_bytes(&text).unwrap();
        text.iter().for_each(|&b| bytes.commit_bytes(&[b]).unwrap());
        assert_eq!((face(&whole), face(&bytes)), (face(&state), face(&state)), "seed {seed} {text:?}");
        compared += 1;
    }
    assert!(compared > 250);
}
