//! What a search of a graph looks at next: what is deep and what is wide, by turns.
//!
//! Depth first finds what is far along one path, and may follow a path for ever; breadth first finds what is near, and
//! drowns where there are many ways. Both at once, each getting as much of the work, find what either would find with
//! twice the work. A node is looked at once.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

/// A node of the graph.
pub(crate) type NodeId = u32;

#[derive(Debug)]
pub(crate) struct Frontier {
    /// Behind what has been looked at in depth, the last first.
    deep: Vec<NodeId>,
    /// Everything, the oldest first.
    wide: VecDeque<NodeId>,
    /// What is looked at when nothing else is left, the oldest first.
    late: VecDeque<NodeId>,
    /// Everything that has been here.
    seen: FxHashSet<NodeId>,
    done: FxHashSet<NodeId>,
    /// Work in depth and in breadth, and which was the last.
    spent: [usize; 2],
    turn: usize,
}

const DEEP: usize = 0;
const WIDE: usize = 1;

impl Frontier {
    pub(crate) fn new(start: NodeId) -> Self {
        let (seen, done, late) = (FxHashSet::from_iter([start]), FxHashSet::default(), VecDeque::new());
        Self { deep: vec![start], wide: VecDeque::from([start]), late, seen, done, spent: [0, 0], turn: DEEP }
    }

    /// The next node; `None` once all have been looked at.
    pub(crate) fn next(&mut self) -> Option<NodeId> {
        let [deep, wide] = self.spent;
        self.turn = if deep <= wide { DEEP } else { WIDE };
        while let Some(id) = self.take() {
            if self.done.insert(id) {
                return Some(id);
            }
        }
        None
    }

    /// Takes up the nodes behind the last one, of which the last is to be looked at first, and `late` after everything that
    /// is known; the last one has cost so much work.
    pub(crate) fn extend(&mut self, late: &[NodeId], after: &[NodeId], work: usize) {
        if let Some(spent) = self.spent.get_mut(self.turn) {
            *spent += work;
        }
        if self.turn == DEEP {
            self.deep.extend(after.iter().filter(|id| !self.done.contains(id)));
        }
        self.wide.extend(after.iter().filter(|&&id| self.seen.insert(id)));
        self.late.extend(late.iter().filter(|&&id| self.seen.insert(id)));
    }

    pub(crate) fn seen(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.seen.iter().copied()
    }

    fn take(&mut self) -> Option<NodeId> {
        let deep = if self.turn == DEEP { self.deep.pop() } else { None };
        deep.or_else(|| self.wide.pop_front()).or_else(|| self.deep.pop()).or_else(|| self.late.pop_front())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks until a node is found; how many were looked at.
    fn looked_at(goal: NodeId, after: impl Fn(NodeId) -> Vec<NodeId>) -> usize {
        let mut frontier = Frontier::new(1);
        for count in 1..10_000 {
            let id = frontier.next().unwrap();
            if id == goal {
                return count;
            }
            frontier.extend(&[], &after(id), 1);
        }
        10_000
    }

    #[test]
    fn what_is_deep_and_what_is_near_are_both_found() {
        // Ten ways at every node, numbered by their digits; the last is followed in depth.
        let ten = |id: NodeId| (0..10).filter_map(|digit| id.checked_mul(10).map(|id| id + digit)).collect();
        assert!(looked_at(1_999_999_999, ten) < 30);
        assert!(looked_at(103, ten) < 40);
        // A path without an end beside a short one.
        assert!(looked_at(4, |id| if id == 1 { vec![4, 1001] } else { vec![id + 1] }) < 5);
    }

    #[test]
    fn a_node_is_looked_at_once() {
        let mut frontier = Frontier::new(0);
        let mut found = Vec::new();
        while let Some(id) = frontier.next() {
            found.push(id);
            frontier.extend(&[(id * 2) % 32], &[(id * 2 + 1) % 32], 1 + id as usize % 3);
        }
        found.sort_unstable();
        assert_eq!(found, (0..32).collect::<Vec<_>>());
        assert_eq!(frontier.seen().count(), 32);
    }
}
