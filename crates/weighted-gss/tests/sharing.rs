//! What the graph promises beyond the map: sharing, work in place, threads.

use std::collections::BTreeSet;
use std::thread;

use weighted_gss::{Gss, WeightedGss};

type Facts = BTreeSet<u8>;

fn facts<const N: usize>(facts: [u8; N]) -> Facts {
    facts.into()
}

/// `2^rounds` stacks, of two weights.
fn grow(rounds: u32) -> WeightedGss<u32, Facts> {
    let mut gss = WeightedGss::from_stack([0], facts([1])).merge(&WeightedGss::from_stack([1], facts([2])));
    for round in 1..=rounds {
        gss = gss.push(2 * round).merge(&gss.push(2 * round + 1));
    }
    gss
}

#[test]
fn exponentially_many_stacks_take_linear_room() {
    assert!(grow(20).memory_usage() < 3 * grow(10).memory_usage());
    assert!(grow(11).to_stacks(4096).is_ok_and(|stacks| stacks.len() == 4096));
}

#[test]
fn merging_copies_without_shared_nodes_takes_polynomial_time() {
    let (left, right) = (grow(200), grow(200).map_weights(|weight| weight.iter().map(|fact| fact + 2).collect()));
    let merged = left.merge(&right);
    assert_eq!(merged.joined_weight(), Some(facts([1, 2, 3, 4])));
    assert_eq!(merged.max_depth(), 201);
    assert!(merged.memory_usage() < 4 * left.memory_usage());
}

/// Union knows equal parts by address: without minimising, sets that become equal in two ways stay two objects.
#[test]
fn equal_sets_made_in_different_ways_become_one_object() {
    let mut gss = WeightedGss::from_stack([0], facts([1])).merge(&WeightedGss::from_stack([1], facts([2])));
    for _ in 0..100 {
        let (left, right) = (gss.push(0).merge(&gss.push(1)), gss.push(1).merge(&gss.push(0)));
        assert_eq!(left, right);
        gss = left.push(2).merge(&right.push(3));
    }
    let minimal = gss.minimize();
    assert_eq!((gss.count_forks(1000), minimal.count_forks(1000)), (301, 201));
    assert_eq!(minimal, gss);
    let tails: Vec<_> = minimal.pop_branches().map(|(_, tail)| tail.node_id()).collect();
    assert_eq!(tails[0], tails[1]);
    assert_eq!(minimal.minimize().node_id(), minimal.node_id());
    assert_eq!(minimal.count_forks(7), 7);
}

#[test]
fn merging_with_a_part_of_itself_gives_the_same_object() {
    let shape = grow(12).to_unweighted();
    let part = shape.pop_top(&24).push(24);
    assert_eq!(shape.merge(&part).node_id(), shape.node_id());
    assert_eq!(part.merge(&shape).node_id(), shape.node_id());
    let apart = Gss::from_stacks(grow(3).to_unweighted().to_stacks(100).unwrap());
    assert_eq!(grow(3).to_unweighted(), apart);
}

#[test]
fn mapping_weights_calls_once_for_each_stored_weight_and_keeps_stacks() {
    let gss = grow(30);
    let mut calls = 0;
    let mapped = gss.map_weights(|weight| {
        calls += 1;
        weight.contains(&1)
    });
    assert_eq!(calls, 2);
    assert_eq!(mapped.to_unweighted(), gss.to_unweighted());

    let deep = WeightedGss::from_stack(0..512, facts([1]));
    let twice = deep.push(1000).merge(&deep.push(1001).map_weights(|_| facts([7])));
    let tails: Vec<_> = twice.map_weights(|weight| weight.contains(&7)).pop_branches().map(|(_, tail)| tail).collect();
    assert_eq!(tails[0].node_id(), tails[1].node_id());
    assert_eq!(tails[0].node_id(), deep.node_id());
}

#[test]
fn pushing_on_the_only_handle_appends_in_place() {
    let mut gss = WeightedGss::from_stack(0..100, true);
    gss.push_mut(0);
    let before = gss.memory_usage();
    for symbol in 0..50 {
        gss.push_mut(symbol);
        gss.popn_mut(1);
    }
    assert_eq!(gss.memory_usage(), before);
    assert_eq!(gss.linear().map(|stack| stack.slices().count()), Some(1));
}

#[test]
fn another_handle_does_not_see_what_is_pushed() {
    let mut gss = WeightedGss::from_stack(0..100, true);
    let snapshot = gss.clone();
    gss.popn_mut(3);
    gss.push_mut(7);
    assert_eq!(snapshot, WeightedGss::from_stack(0..100, true));
    assert_eq!(gss, WeightedGss::from_stack((0..97).chain([7]), true));
}

#[test]
fn threads_share_a_graph() {
    let gss = grow(12);
    let results: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|worker| {
                let mut own = gss.clone();
                scope.spawn(move || {
                    for symbol in 0..1000 {
                        own.push_mut(symbol);
                        own = own.push(symbol).merge(&own.push(symbol + 1 + worker % 2));
                        own.popn_mut(2);
                    }
                    (own.joined_weight(), own)
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    for (joined, own) in results {
        assert_eq!(joined, Some(facts([1, 2])));
        assert_eq!(own, gss);
    }
}

#[test]
fn a_picture_names_symbols_and_weights() {
    let gss = WeightedGss::from_stacks([(vec!["a", "say \"b\""], false), (vec!["c"], true), (vec![], true)]);
    let dot = gss.to_dot();
    assert!(dot.starts_with("digraph gss {\n") && dot.ends_with("}\n"));
    assert!(dot.contains("say \\\\\\\"b\\\\\\\"") && dot.contains("\\\"c\\\" : true"), "{dot}");
    assert!(!gss.to_unweighted().to_dot().contains("()"));
}

#[test]
fn sets_that_differ_only_in_where_a_stack_ends_are_different() {
    let long = Gss::from_stacks([vec![1, 3, 9], vec![2, 3, 9]]);
    let ending = long.with_stack([3, 9]);
    assert_ne!(long, ending);
    assert_ne!(long.push(7).merge(&long), ending.push(7).merge(&long));
    assert_eq!(ending, long.with_stack([3, 9]));
    assert_ne!(long.with_weight(true), ending.with_weight(true));
}

#[test]
fn weighted_stacks_below_a_common_run_are_not_copied() {
    let mixed = (100..200).fold(grow(5), |gss, symbol| gss.push(symbol));
    let part = mixed.map_weights(Clone::clone);
    assert_ne!(part.node_id(), mixed.node_id());
    // Only the run was built apart: what lies below is one object, and so is the merged set.
    let below = mixed.popn(100);
    let again = (100..200).fold(below, |gss, symbol| gss.push(symbol));
    assert_eq!(again.merge(&mixed).node_id(), again.node_id());
}
