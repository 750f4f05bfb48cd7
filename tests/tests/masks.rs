//! The engine against the oracle on seeded random cases. A failure prints the seed and the smallest case found.

#![allow(clippy::print_stdout, reason = "what was compared is part of the result")]

use glrmask_tests::case::Case;
use glrmask_tests::engine;
use glrmask_tests::harness::{check, Tally};
use glrmask_tests::reference::Reference;
use glrmask_tests::spec::Spec;

/// Seeds `from..to`, one walk after another.
fn sweep(from: u64, to: u64) -> Tally {
    let mut total = Tally::default();
    for seed in from..to {
        match check(seed, 2) {
            Ok(tally) => total += tally,
            Err(failure) => panic!("{failure}"),
        }
    }
    println!("{total}");
    total
}

#[test]
fn masks_equal_the_oracle_token_by_token() {
    let total = sweep(0, 3000);
    assert!(total.cases > 2000 && total.tokens > 500_000 && total.competing > 300 && total.empty > 20);
    assert!(total.too_large < 60);
}

/// The comparison can fail: an oracle that is told slightly other kill sets disagrees with the engine.
#[test]
fn the_comparison_notices_a_changed_kill_set() {
    let none = |spec: &mut Spec| spec.kills.iter_mut().for_each(std::collections::BTreeSet::clear);
    let own_only = |spec: &mut Spec| spec.kills.iter_mut().zip(0..).for_each(|(set, t)| set.retain(|k| k.0 == t));
    assert!(differing_starts(|_| ()) == 0);
    assert!(differing_starts(none) > 20);
    assert!(differing_starts(own_only) > 5);
}

/// In how many of 300 cases the first mask differs once the oracle's specification is `changed`.
fn differing_starts(changed: impl Fn(&mut Spec)) -> usize {
    let differs = |seed: &u64| {
        let mut case = Case::random(*seed, 36);
        let (config, grammar) = (engine::config(&case, *seed), engine::grammar(&case).ok()?);
        case.spec = engine::with_kills(&case.spec, &grammar, &config).ok()?;
        let state = engine::constraint(&grammar, &engine::vocab(&case).ok()?, &config).ok()?.start();
        changed(&mut case.spec);
        let expected = Reference::new(&case).ok()?.mask().ok()?;
        Some(engine::allowed(&state).ok()? != expected)
    };
    (0..300).filter(|seed| differs(seed) == Some(true)).count()
}
