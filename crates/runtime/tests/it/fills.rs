//! How far tables are filled before decoding changes no answer: nothing, everything, cut anywhere, in the background.

use std::sync::Arc;
use std::time::Duration;

use glrmask_automata::TerminalId;
use glrmask_runtime::{Budget, Config, Constraint, Cut, Refusal};
use proptest::prelude::*;

use crate::constraints::{same, settings, vocab, walk, ALL, PIECES};

fn budget(states: usize, memory: usize) -> Budget<'static> {
    Budget { states, memory, ..Budget::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn every_fill_gives_the_same_masks(
        (spec, vocab) in settings(),
        choices in prop::collection::vec(any::<u8>(), 0..12),
        states in 0usize..300,
        compare_from in prop::sample::select(vec![0, 30, usize::MAX]),
        threads in 1usize..4,
        shift_first in prop::option::of(any::<bool>()),
    ) {
        let plain = Config { compare_from: usize::MAX, shift_first: Some(false), ..Config::default() };
        let plain = spec.with(&vocab, plain);
        let config = Config { compare_from, shift_first, ..Config::default() };
        let full = spec.with(&vocab, config.clone());
        prop_assert_eq!(full.fill(&Budget { threads, ..Budget::default() }).unwrap(), None);
        prop_assert!(full.is_complete());
        same(&plain, &full, &choices);
        let cut = spec.with(&vocab, config);
        let ended = cut.fill(&Budget { threads, ..budget(states, usize::MAX) }).unwrap();
        prop_assert!(matches!(ended, None | Some(Cut::States)));
        prop_assert_eq!(cut.is_complete(), ended.is_none());
        same(&plain, &cut, &choices);
    }

    #[test]
    fn after_a_complete_fill_nothing_is_computed(
        (spec, vocab) in settings(),
        choices in prop::collection::vec(any::<u8>(), 0..12),
        threads in 1usize..4,
    ) {
        let constraint = spec.constraint(&vocab);
        constraint.fill(&Budget { threads, ..Budget::default() }).unwrap();
        if !constraint.lexer().is_plain() {
            // Pending conditions are filled on demand.
            return Ok(());
        }
        let tokens = walk(&spec.constraint(&vocab), &choices);
        let mut state = constraint.start();
        let before = constraint.stats();
        let mut words = vec![0; constraint.mask_words()];
        for token in tokens {
            // Ambiguity can lead to boundaries with several tops, which are left to demand as well.
            if !state.branches().iter().all(|branch| branch.stacks.top().is_some()) {
                return Ok(());
            }
            prop_assert!(state.fill_mask_if_ready(&mut words).unwrap());
            prop_assert_eq!(constraint.stats(), before);
            state.commit_token(token).unwrap();
        }
    }
}

#[test]
fn shifting_the_first_terminal_asks_one_query() {
    let vocab = vocab(PIECES);
    for spec in ALL {
        let constraint = spec.with(&vocab, Config { shift_first: Some(true), ..Config::default() });
        assert!(constraint.shifts_first());
        assert_eq!(constraint.fill(&Budget::default()).unwrap(), None);
        let filled = constraint.stats();
        assert!(filled.profiles > 0 && filled.rows > 0 && filled.masks == 0, "{filled:?}");
        // Masks are made when they are needed, and need no new profiles, not even where conditions are pending; without
        // those, no new rows either.
        let plain = spec.with(&vocab, Config { shift_first: Some(false), ..Config::default() });
        for seed in 0..20u8 {
            let choices: Vec<u8> = (0..12).map(|i| seed.wrapping_mul(41).wrapping_add(i * 7)).collect();
            same(&plain, &constraint, &choices);
        }
        let decoded = constraint.stats();
        assert!(decoded.masks > 0);
        assert_eq!(decoded.profiles, filled.profiles, "{decoded:?}");
        if constraint.lexer().is_plain() && !has_ignored(&constraint) {
            assert_eq!(decoded.rows, filled.rows, "{decoded:?}");
        }
    }
}

/// Whether text can be ignored: places where it may begin ask about whole classes, which are filled on demand.
fn has_ignored(constraint: &Constraint) -> bool {
    (0..constraint.lexer().terminal_count()).any(|t| constraint.lexer().is_ignored(TerminalId(t as u32)))
}

#[test]
fn memory_and_stop_cut_a_fill() {
    let vocab = vocab(PIECES);
    for spec in ALL {
        let constraint = spec.constraint(&vocab);
        // Asked once in so many units of work, so that tiny grammars may be done before.
        let ended = constraint.fill(&budget(usize::MAX, 0)).unwrap();
        assert!(matches!(ended, None | Some(Cut::Memory)), "{ended:?}");
        let ended = constraint.fill(&Budget { stop: &|| true, ..Budget::default() }).unwrap();
        assert!(matches!(ended, None | Some(Cut::Stopped)), "{ended:?}");
        assert_eq!(constraint.fill(&Budget { threads: 3, ..Budget::default() }).unwrap(), None);
        assert!(constraint.is_complete());
        let stats = constraint.frozen_stats().unwrap();
        assert!(stats.profiles > 0 && stats.rows > 0 && stats.masks > 0 && stats.bytes > 0);
    }
}

/// [`same`] from eight threads at once, on walks of their own.
fn same_from_threads(plain: &Constraint, filling: &Constraint) {
    std::thread::scope(|scope| {
        for seed in 0..8u8 {
            scope.spawn(move || {
                for round in 0..20u8 {
                    let choices: Vec<u8> =
                        (0..10).map(|i| seed.wrapping_mul(37).wrapping_add(round * 11 + i * 5)).collect();
                    same(plain, filling, &choices);
                }
            });
        }
    });
}

#[test]
fn masks_while_a_fill_runs_in_the_background() {
    let vocab = vocab(PIECES);
    for spec in ALL {
        let (plain, filling) = (spec.constraint(&vocab), spec.constraint(&vocab));
        assert!(filling.wait(Some(Duration::ZERO)).unwrap().is_none());
        filling.fill_in_background((usize::MAX, usize::MAX, 1), Arc::new(|| false), |_| None).unwrap();
        same_from_threads(&plain, &filling);
        assert_eq!(filling.wait(None).unwrap(), Some(None));
        assert!(filling.is_complete());
    }
}

#[test]
fn masks_while_first_terminals_are_filled_in_the_background() {
    let vocab = vocab(PIECES);
    for spec in ALL {
        let plain = spec.with(&vocab, Config { shift_first: Some(false), ..Config::default() });
        let filling = spec.with(&vocab, Config { shift_first: Some(true), ..Config::default() });
        filling.fill_in_background((usize::MAX, usize::MAX, 1), Arc::new(|| false), |_| None).unwrap();
        same_from_threads(&plain, &filling);
        // Complete, unless decoding meets new conditions again and again.
        let ended = filling.wait(None).unwrap();
        assert!(matches!(ended, Some(None | Some(Cut::Stopped))), "{ended:?}");
        assert_eq!(filling.is_complete(), ended == Some(None));
        assert_eq!(filling.fill(&Budget::default()).unwrap(), None);
        assert!(filling.is_complete());
        assert!(filling.stats().profiles > 0);
        for seed in 0..20u8 {
            let choices: Vec<u8> = (0..12).map(|i| seed.wrapping_mul(41).wrapping_add(i * 7)).collect();
            same(&plain, &filling, &choices);
        }
    }
}

#[test]
fn a_fill_in_the_background_ends_with_its_constraint() {
    let vocab = vocab(PIECES);
    let asked = Arc::new(());
    let held = asked.clone();
    let constraint = ALL[0].constraint(&vocab);
    constraint
        .fill_in_background((usize::MAX, usize::MAX, 1), Arc::new(move || Arc::strong_count(&held) > 99), |_| None)
        .unwrap();
    drop(constraint);
    let start = std::time::Instant::now();
    while Arc::strong_count(&asked) > 1 {
        assert!(start.elapsed() < Duration::from_secs(60), "the thread goes on");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn what_is_refused_in_the_background_is_an_error_of_waiting() {
    let vocab = vocab(PIECES);
    for (budget, cut) in [((1, usize::MAX), Cut::States), ((usize::MAX, 1), Cut::Memory)] {
        let constraint = ALL[0].constraint(&vocab);
        let fill = |refuse: fn(Cut) -> Option<Refusal>| {
            constraint.fill_in_background((budget.0, budget.1, 1), Arc::new(|| false), refuse).unwrap();
            constraint.wait(None)
        };
        assert_eq!(fill(|_| None), Ok(Some(Some(cut))));
        let refused = fill(|_| Some(Refusal::Cancelled)).unwrap_err();
        assert_eq!(refused.refusal(), Some(Refusal::Cancelled));
        assert_eq!(constraint.wait(None), Err(refused), "for everybody who waits");
        assert!(!constraint.is_complete() && !constraint.is_filling());
    }
}
