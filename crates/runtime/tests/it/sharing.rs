//! One constraint, many threads.

use glrmask_runtime::{CommitError, Config, Constraint, ConstraintState, RuntimeError, Stats};
use glrmask_vocab::TokenId;

use crate::constraints::{trace, walk, ALL};

#[test]
fn everything_can_be_sent_and_shared() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Constraint>();
    check::<ConstraintState>();
    check::<RuntimeError>();
    check::<CommitError>();
    check::<Config>();
    check::<Stats>();
}

#[test]
fn eight_threads_see_what_one_sees() {
    for spec in ALL {
        let vocab = spec.vocab();
        let alone = spec.constraint(&vocab);
        let choices =
            |seed: u32| -> Vec<u8> { (0..40u32).map(|i| (((seed + 1) * (i + 3) * 2_654_435) >> 7) as u8).collect() };
        let walks: Vec<Vec<TokenId>> = (0..8).map(|seed| walk(&alone, &choices(seed))).collect();
        let wanted: Vec<_> = walks.iter().map(|tokens| trace(&alone, tokens)).collect();
        // With enough memory and with none: tables are emptied by one thread while others read.
        for cache_bytes in [256 << 20, 0] {
            let shared = spec.with(&vocab, Config { cache_bytes, ..Config::default() });
            std::thread::scope(|scope| {
                for (tokens, wanted) in walks.iter().zip(&wanted) {
                    let shared = shared.clone();
                    scope.spawn(move || (0..3).for_each(|_| assert_eq!(&trace(&shared, tokens), wanted)));
                }
            });
        }
    }
}
