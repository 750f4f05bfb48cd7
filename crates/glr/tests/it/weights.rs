//! Weights are sets.

use std::collections::BTreeSet;

use glrmask_glr::weights::{WeightId, Weights};
use proptest::prelude::*;

fn items(weights: &Weights, id: WeightId) -> BTreeSet<usize> {
    weights.iter(id).collect()
}

fn set() -> impl Strategy<Value = BTreeSet<usize>> {
    prop_oneof![
        prop::collection::btree_set(0usize..8, 0..6),
        prop::collection::btree_set(prop_oneof![60usize..70, 120usize..200], 0..6),
    ]
}

proptest! {
    #[test]
    fn operations_are_those_of_sets(sets in prop::collection::vec(set(), 3), item in 0usize..200) {
        let mut weights = Weights::default();
        let ids: Vec<WeightId> = sets.iter().map(|s| weights.of(s.iter().rev().copied())).collect();
        for (a, &x) in sets.iter().zip(&ids) {
            prop_assert_eq!(&items(&weights, x), a);
            prop_assert!(weights.iter(x).is_sorted());
            prop_assert_eq!(weights.count(x), a.len());
            prop_assert_eq!(weights.contains(x, item), a.contains(&item));
            prop_assert_eq!(x == WeightId::ZERO, a.is_empty());
            for (b, &y) in sets.iter().zip(&ids) {
                prop_assert_eq!(x == y, a == b, "equal sets have one id");
                let (either, less) = (weights.union(x, y), weights.difference(x, y));
                prop_assert_eq!(items(&weights, either), a | b);
                prop_assert_eq!(items(&weights, less), a - b);
                prop_assert_eq!((weights.union(x, y), weights.difference(x, y)), (either, less));
            }
        }
    }

    #[test]
    fn laws(sets in prop::collection::vec(set(), 3)) {
        let mut weights = Weights::default();
        let [a, b, c] = [0, 1, 2].map(|i| weights.of(sets[i].iter().copied()));
        let mut union = |x, y| weights.union(x, y);
        let (ab, bc) = (union(a, b), union(b, c));
        prop_assert_eq!(union(ab, c), union(a, bc));
        prop_assert_eq!(union(a, b), union(b, a));
        prop_assert_eq!((union(a, a), union(a, WeightId::ZERO), union(WeightId::ZERO, a)), (a, a, a));
        let (a_b, a_bc) = (weights.difference(a, b), weights.difference(a, bc));
        prop_assert_eq!(weights.difference(a_b, c), a_bc);
        prop_assert_eq!(weights.difference(ab, a), weights.difference(b, a));
        prop_assert_eq!(weights.union(a_b, b), ab);
        prop_assert_eq!((weights.difference(a, a), weights.difference(a, WeightId::ZERO)), (WeightId::ZERO, a));
    }
}
