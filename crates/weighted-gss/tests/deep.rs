//! Graphs a million levels deep: nothing may recurse on the call stack, dropping included.

use std::ops::ControlFlow;

use weighted_gss::{Gss, WeightedGss};

const DEPTH: u32 = 1_000_000;
/// Levels of the tests that build large nodes: far beyond what a recursion would survive.
const FORKS: u32 = 200_000;

/// A fork at every level: pairs of tops above one shared tail.
fn forks(depth: u32, weights: [bool; 2]) -> WeightedGss<u32, bool> {
    let mut gss = WeightedGss::from_stack([0], weights[0]).merge(&WeightedGss::from_stack([1], weights[1]));
    for level in 1..depth {
        gss = gss.push(2 * level).merge(&gss.push(2 * level + 1));
    }
    gss
}

/// One stack of many short segments.
fn segments(depth: u32) -> WeightedGss<u32, bool> {
    let mut gss = WeightedGss::from_stack([], true);
    for symbol in 0..depth {
        let longer = gss.push(symbol);
        gss = longer;
    }
    gss
}

#[test]
fn a_long_stack() {
    let gss = WeightedGss::from_stack(0..DEPTH, true);
    let other = WeightedGss::from_stack(0..DEPTH, true);
    assert_eq!(gss, other);
    assert_eq!(
        gss.merge(&WeightedGss::from_stack(1..DEPTH, false)).popn(DEPTH as usize - 1).to_stacks(2).unwrap().len(),
        2
    );
    assert_eq!(gss.max_depth(), DEPTH as usize);
    assert_eq!(gss.popn(DEPTH as usize - 1).top(), Some(&0));
    gss.check_invariants().unwrap();
}

#[test]
fn a_long_chain_of_segments() {
    let gss = segments(DEPTH);
    let linear = gss.linear().unwrap();
    assert_eq!(linear.iter().count(), DEPTH as usize);
    assert_eq!(linear.get(DEPTH as usize - 1), Some(&0));
    assert_eq!(gss.merge(&segments(DEPTH)), gss);
    assert!(gss.memory_usage() > DEPTH as usize * size_of::<u32>());
    gss.check_invariants().unwrap();
}

#[test]
fn a_fork_at_every_level_of_one_weight() {
    let (left, right) = (forks(FORKS, [true, true]), forks(FORKS, [true, true]));
    assert!(left.uniform().is_some());
    assert_eq!(left, right);
    assert_eq!(left.merge(&right), left);
    left.merge(&WeightedGss::from_unweighted(right.to_unweighted(), false)).check_invariants().unwrap();
    assert_eq!(left.popn(FORKS as usize - 1).tops().count(), 2);
    assert!(left.to_dot().len() > FORKS as usize);
}

#[test]
fn a_fork_at_every_level_of_two_weights() {
    let (left, right) = (forks(FORKS, [true, false]), forks(FORKS, [true, false]));
    assert!(left.uniform().is_none());
    assert_eq!(left, right);
    let merged = left.merge(&right);
    assert_eq!(merged, left);
    assert_eq!(merged.joined_weight(), Some(true));
    assert_eq!(merged.weights().len(), 2);
    assert_eq!(left.map_weights(|weight| !weight).map_weights(|weight| !weight), left);
    assert!(left.filter_map_weights(|weight| weight.then_some(true)).uniform().is_some());
    assert_eq!(left.to_unweighted().max_depth(), FORKS as usize);
    assert_eq!(WeightedGss::merge_minimal([left.clone(), right]), left);
    assert_eq!(segments(FORKS).minimize(), segments(FORKS));
    left.check_invariants().unwrap();
}

#[test]
fn the_first_of_exponentially_many_stacks() {
    let gss = forks(1000, [true, false]);
    let mut seen = 0;
    gss.visit_stacks(usize::MAX, |stack, _| {
        assert_eq!(stack.len(), 1000);
        seen += 1;
        if seen == 10 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })
    .unwrap();
    assert_eq!(seen, 10);
    assert!(gss.to_stacks(100).is_err());
    assert!(format!("{gss:?}").len() < 200_000);
}

#[test]
fn unweighted_stacks_of_every_length() {
    let mut gss = Gss::from_stack([]);
    for _ in 0..DEPTH {
        gss = gss.push('a').merge(&Gss::from_stack([]));
    }
    assert_eq!(gss.max_depth(), DEPTH as usize);
    assert_eq!(gss.popn(DEPTH as usize), Gss::from_stack([]));
    assert_eq!(gss.merge(&gss.pop()), gss);
}
