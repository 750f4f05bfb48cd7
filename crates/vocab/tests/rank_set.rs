//! Rank sets against sets of numbers.

use std::collections::BTreeSet;

use glrmask_vocab::{Rank, RankSet};
use proptest::collection::vec;
use proptest::prelude::*;

fn ranges() -> impl Strategy<Value = Vec<(u32, u32)>> {
    vec((0..80u32, 0..12u32).prop_map(|(start, len)| (start, start + len)), 0..10)
}

fn both(ranges: &[(u32, u32)]) -> (RankSet, BTreeSet<u32>) {
    let mut set = RankSet::new();
    ranges.iter().for_each(|&(start, end)| set.push_range(Rank(start), Rank(end)));
    (set, ranges.iter().flat_map(|&(start, end)| start..end).collect())
}

fn check(set: &RankSet, plain: &BTreeSet<u32>) -> Result<(), TestCaseError> {
    set.check_invariants().map_err(TestCaseError::fail)?;
    prop_assert!(set.iter().eq(plain.iter().map(|&rank| Rank(rank))));
    prop_assert_eq!(set.len(), plain.len());
    prop_assert_eq!(set.is_empty(), plain.is_empty());
    prop_assert!((0..100).all(|rank| set.contains(Rank(rank)) == plain.contains(&rank)));
    Ok(())
}

proptest! {
    #[test]
    fn operations_are_those_of_sets(left in ranges(), right in ranges()) {
        let ((a, plain_a), (b, plain_b)) = (both(&left), both(&right));
        check(&a, &plain_a)?;
        check(&a.union(&b), &(&plain_a | &plain_b))?;
        check(&a.intersection(&b), &(&plain_a & &plain_b))?;
        check(&a.difference(&b), &(&plain_a - &plain_b))?;
        prop_assert_eq!(a == b, plain_a == plain_b);
        check(&plain_a.iter().map(|&rank| Rank(rank)).collect(), &plain_a)?;
    }

    #[test]
    fn stored_ranges_are_normalised(ranges in vec((0..50u32, 0..50u32), 0..9)) {
        let stored = serde_json::json!({ "ranges": ranges });
        let set: RankSet = serde_json::from_value(stored).unwrap();
        check(&set, &both(&ranges).1)?;
        let again: RankSet = serde_json::from_str(&serde_json::to_string(&set).unwrap()).unwrap();
        prop_assert_eq!(again, set);
    }
}

#[test]
fn the_last_rank_of_all_is_a_half_open_range_too() {
    let set = RankSet::from_range(Rank(5), Rank(u32::MAX));
    assert_eq!(set.len(), (u32::MAX - 5) as usize);
    assert!(set.contains(Rank(u32::MAX - 1)) && !set.contains(Rank(u32::MAX)));
}

#[test]
fn touching_ranges_become_one() {
    let mut set = RankSet::from_range(Rank(1), Rank(3));
    set.push_range(Rank(3), Rank(4));
    set.push(Rank(4));
    assert_eq!(set.ranges(), [(Rank(1), Rank(5))]);
    set.clear();
    assert_eq!(set, RankSet::default());
}
