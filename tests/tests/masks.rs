//! The engine against the oracle on seeded random cases. A failure prints the seed and the smallest case found.

use glrmask_tests::harness::{check, Tally};

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
