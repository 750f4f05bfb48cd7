//! Minimisation: which states of a trimmed partial automaton have the same language?
//!
//! Without cycles, states are hashed bottom-up by (labels, edges to classes already known): Revuz, "Minimisation of
//! acyclic deterministic automata in linear time", 1992. With cycles, Hopcroft's refinement in the form that works
//! on the edges that exist: Valmari, "Fast brief practical DFA minimization", 2012, O(edges · log states); but only
//! from the first cycle on. What comes before (the words that a string must not be, say) is hashed as above.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

use crate::draft::{Draft, Incoming};

/// The states in an order in which targets come before sources, or `None` if there is a cycle.
pub(crate) fn postorder(draft: &Draft) -> Option<Vec<u32>> {
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut colour = vec![NEW; draft.len()];
    let mut order = Vec::with_capacity(draft.len());
    let mut stack: Vec<(u32, usize)> = Vec::new();
    for root in 0..draft.len() as u32 {
        if colour[root as usize] != NEW {
            continue;
        }
        colour[root as usize] = OPEN;
        stack.push((root, draft.edge_range(root).start));
        while let Some((q, edge)) = stack.last_mut() {
            if *edge == draft.edge_range(*q).end {
                colour[*q as usize] = DONE;
                order.push(*q);
                stack.pop();
                continue;
            }
            let target = draft.all_edges()[*edge].1;
            *edge += 1;
            match colour[target as usize] {
                NEW => {
                    colour[target as usize] = OPEN;
                    stack.push((target, draft.edge_range(target).start));
                }
                OPEN => return None,
                _ => {}
            }
        }
    }
    Some(order)
}

/// The equivalence class of each state, no edge leading to a dead one.
pub(crate) fn minimize_acyclic(draft: &Draft, postorder: &[u32]) -> Vec<u32> {
    let mut block = vec![u32::MAX; draft.len()];
    hash_bottom_up(draft, &mut block, std::iter::empty(), postorder.iter().copied());
    number_densely(&mut block);
    block
}

/// The same where there are cycles.
pub(crate) fn minimize_cyclic(draft: &Draft, incoming: &Incoming) -> Vec<u32> {
    let before = before_cycles(draft);
    if before.is_empty() {
        return refine(draft, incoming);
    }
    let mut is_before = vec![false; draft.len()];
    before.iter().for_each(|&q| is_before[q as usize] = true);
    let rest: Vec<u32> = (0..draft.len() as u32).filter(|&q| !is_before[q as usize]).collect();
    let core = draft.restricted(&rest);
    let mut block = vec![u32::MAX; draft.len()];
    let mut representative: Vec<u32> = vec![u32::MAX; rest.len()];
    for (&q, core_block) in rest.iter().zip(refine(&core, &Incoming::of(&core))) {
        let first = &mut representative[core_block as usize];
        *first = (*first).min(q);
        block[q as usize] = *first;
    }
    let known = representative.into_iter().filter(|&q| q != u32::MAX);
    hash_bottom_up(draft, &mut block, known, before.iter().rev().copied());
    number_densely(&mut block);
    block
}

/// The states that no cycle leads to, sources before targets.
fn before_cycles(draft: &Draft) -> Vec<u32> {
    let mut sources = vec![0u32; draft.len()];
    draft.all_edges().iter().for_each(|&(_, target)| sources[target as usize] += 1);
    let mut order: Vec<u32> = (0..draft.len() as u32).filter(|&q| sources[q as usize] == 0).collect();
    let mut next = 0;
    while let Some(&q) = order.get(next) {
        next += 1;
        for &(_, target) in draft.edges(q) {
            sources[target as usize] -= 1;
            if sources[target as usize] == 0 {
                order.push(target);
            }
        }
    }
    order
}

/// Puts `states` (targets first) into the block of an equal state among `known` and those before it, or a new one. A
/// block is named by one of its states; those of `known` and of all targets outside are named already.
fn hash_bottom_up(
    draft: &Draft,
    block: &mut [u32],
    known: impl Iterator<Item = u32>,
    states: impl Iterator<Item = u32>,
) {
    let mut representatives: HashTable<u32> = HashTable::with_capacity(draft.len());
    for q in known {
        representatives.insert_unique(signature_hash(draft, block, q), q, |&other| signature_hash(draft, block, other));
    }
    for q in states {
        let hashed = signature_hash(draft, block, q);
        let same = |&other: &u32| same_signature(draft, block, q, other);
        let representative = representatives.find(hashed, same).copied();
        if representative.is_none() {
            representatives.insert_unique(hashed, q, |&other| signature_hash(draft, block, other));
        }
        block[q as usize] = representative.unwrap_or(q);
    }
}

fn signature_hash(draft: &Draft, block: &[u32], state: u32) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u32(draft.labels[state as usize].0);
    for &(class, target) in draft.edges(state) {
        hasher.write_u64(u64::from(class) << 32 | u64::from(block[target as usize]));
    }
    hasher.finish()
}

fn same_signature(draft: &Draft, block: &[u32], a: u32, b: u32) -> bool {
    let (x, y) = (draft.edges(a), draft.edges(b));
    let same_edge = |(e, f): (&(u8, u32), &(u8, u32))| e.0 == f.0 && block[e.1 as usize] == block[f.1 as usize];
    draft.labels[a as usize] == draft.labels[b as usize] && x.len() == y.len() && x.iter().zip(y).all(same_edge)
}

/// Renumbers blocks by first appearance.
pub(crate) fn number_densely(block: &mut [u32]) {
    let mut number = vec![u32::MAX; block.len()];
    let mut count = 0;
    for b in block {
        let n = &mut number[*b as usize];
        if *n == u32::MAX {
            *n = count;
            count += 1;
        }
        *b = *n;
    }
}

/// Valmari's refinement. `states` and `edges` are partitioned together: a block of edges (same class, targets not yet
/// told apart) splits the states that have such an edge from those that do not; a new block of states splits the edges
/// into it. Block 0 of the states need not be used as a splitter: its edges are the rest of what the others leave.
pub(crate) fn refine(draft: &Draft, incoming: &Incoming) -> Vec<u32> {
    let mut states = Partition::by_key(draft.len(), draft.sets.len(), |q| draft.labels[q].0);
    let mut edges = Partition::by_key(draft.edge_count(), 256, |e| u32::from(draft.all_edges()[e].0));
    let (mut edge_block, mut state_block) = (0, 1);
    while edge_block < edges.len() {
        for i in edges.range(edge_block) {
            states.mark(incoming.sources[edges.items[i] as usize]);
        }
        states.split();
        edge_block += 1;
        while state_block < states.len() {
            for i in states.range(state_block) {
                for &edge in incoming.of_state(states.items[i]) {
                    edges.mark(edge);
                }
            }
            edges.split();
            state_block += 1;
        }
    }
    states.into_block_of()
}

/// A refinable partition of 0..n: mark items, then split every block into its marked and unmarked part.
pub(crate) struct Partition {
    /// All items, block by block; the marked ones of a block come first.
    items: Vec<u32>,
    /// Position of each item in `items`.
    position: Vec<u32>,
    block_of: Vec<u32>,
    /// Per block: begin, end, number of marked items.
    blocks: Vec<(u32, u32, u32)>,
    touched: Vec<u32>,
}

impl Partition {
    /// Items with equal keys together; keys are below `keys`.
    pub(crate) fn by_key(len: usize, keys: usize, key: impl Fn(usize) -> u32) -> Self {
        let mut begins = vec![0u32; keys + 1];
        (0..len).for_each(|item| begins[key(item) as usize + 1] += 1);
        for k in 0..keys {
            begins[k + 1] += begins[k];
        }
        let mut partition = Self {
            items: vec![0; len],
            position: vec![0; len],
            block_of: vec![0; len],
            blocks: Vec::new(),
            touched: Vec::new(),
        };
        let mut block_of_key = vec![0; keys];
        for k in 0..keys {
            if begins[k] < begins[k + 1] {
                block_of_key[k] = partition.blocks.len() as u32;
                partition.blocks.push((begins[k], begins[k + 1], 0));
            }
        }
        for item in 0..len {
            let k = key(item) as usize;
            partition.block_of[item] = block_of_key[k];
            partition.place(item as u32, begins[k]);
            begins[k] += 1;
        }
        partition
    }
    /// Number of blocks.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }
    /// The block of each item.
    pub(crate) fn into_block_of(self) -> Vec<u32> {
        self.block_of
    }
    fn range(&self, block: usize) -> std::ops::Range<usize> {
        let (begin, end, _) = self.blocks[block];
        begin as usize..end as usize
    }
    fn place(&mut self, item: u32, position: u32) {
        self.items[position as usize] = item;
        self.position[item as usize] = position;
    }
    /// Marks an item for the next `split`.
    pub(crate) fn mark(&mut self, item: u32) {
        let block = self.block_of[item as usize];
        let (begin, _, marked) = &mut self.blocks[block as usize];
        let (from, to) = (self.position[item as usize], *begin + *marked);
        if from < to {
            return;
        }
        if *marked == 0 {
            self.touched.push(block);
        }
        *marked += 1;
        let other = self.items[to as usize];
        self.place(other, from);
        self.place(item, to);
    }
    /// Cuts each touched block in two, the marked and the other items.
    /// The smaller part of each split block becomes a new block: every item moves at most log n times.
    pub(crate) fn split(&mut self) {
        while let Some(block) = self.touched.pop() {
            let (begin, end, marked) = std::mem::take(&mut self.blocks[block as usize]);
            let middle = begin + marked;
            if middle == end {
                self.blocks[block as usize] = (begin, end, 0);
                continue;
            }
            let (kept, moved) = if marked <= end - middle {
                ((middle, end), (begin, middle))
            } else {
                ((begin, middle), (middle, end))
            };
            self.blocks[block as usize] = (kept.0, kept.1, 0);
            let new = self.blocks.len() as u32;
            self.blocks.push((moved.0, moved.1, 0));
            for i in moved.0..moved.1 {
                self.block_of[self.items[i as usize] as usize] = new;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::ByteClasses;
    use crate::dfa::LabelSetId;
    use crate::ByteSet;
    use proptest::prelude::*;

    proptest! {
        /// Valmari's refinement of the whole automaton is the plain reference.
        #[test]
        fn hashing_before_the_first_cycle_changes_nothing(
            rows in prop::collection::vec((prop::array::uniform2(0u32..14), prop::bool::weighted(0.4)), 1..14),
            forward in 0usize..10,
        ) {
            let classes = ByteClasses::separating([&ByteSet::single(b'a')]);
            let mut draft = Draft::new(classes);
            let accepting = draft.sets.intern(&[0]);
            for (q, (targets, accepts)) in rows.iter().enumerate() {
                for (class, &target) in (0..).zip(targets) {
                    // The first states lead forward only, so that there is something before the first cycle.
                    let least = if q < forward { q as u32 + 1 } else { forward.min(rows.len()) as u32 };
                    if target >= least && (target as usize) < rows.len() {
                        draft.push_edge(class, target);
                    }
                }
                draft.push_state(if *accepts { accepting } else { LabelSetId(0) });
            }
            let incoming = Incoming::of(&draft);
            if draft.is_trimmed() {
                let (mut plain, mut found) = (refine(&draft, &incoming), minimize_cyclic(&draft, &incoming));
                number_densely(&mut plain);
                number_densely(&mut found);
                prop_assert_eq!(found, plain);
            }
        }
    }
}
