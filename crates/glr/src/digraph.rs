//! Least solutions of `F(x) = F₀(x) ∪ ⋃ { F(y) : x R y }` over bit sets: the one equation behind FIRST, LAST,
//! adjacency and the LALR(1) lookaheads.
//!
//! DeRemer and Pennello, *Efficient Computation of LALR(1) Look-Ahead Sets* (1982), algorithm DIGRAPH: one
//! depth-first traversal, in which all nodes of a strongly connected component end up with the same set. Linear in
//! the number of pairs, each costing one union. The traversal keeps its own stack, since relations are as deep as
//! the grammar's author likes.

/// A finite relation over `0..nodes`, as adjacency rows.
pub(crate) struct Relation {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

/// `rows` bit sets of equal width in one vector.
#[derive(Clone)]
pub(crate) struct BitMatrix {
    words: Vec<u64>,
    width: usize,
}

impl Relation {
    /// The relation with these pairs, by counting sort. Pairs outside of `0..nodes` must not occur.
    pub(crate) fn new(nodes: usize, pairs: Vec<(usize, usize)>) -> Self {
        Self::from_pairs(nodes, pairs.iter().map(|&(x, y)| (x as u32, y as u32)))
    }

    /// The same, from anything that can be iterated twice.
    pub(crate) fn from_pairs(nodes: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0; nodes + 1];
        pairs.clone().for_each(|(x, _)| starts[x as usize + 1] += 1);
        (0..nodes).for_each(|x| starts[x + 1] += starts[x]);
        let mut targets = vec![0; starts[nodes] as usize];
        let mut free = starts.clone();
        for (x, y) in pairs {
            targets[free[x as usize] as usize] = y;
            free[x as usize] += 1;
        }
        Self { starts, targets }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// All `y` with `x R y`.
    pub(crate) fn row(&self, x: usize) -> &[u32] {
        &self.targets[self.starts[x] as usize..self.starts[x + 1] as usize]
    }

    /// Some node from which a nonempty path leads back to it.
    pub(crate) fn find_cycle(&self) -> Option<usize> {
        let mut cyclic = None;
        let mut no_sets = BitMatrix::new(self.nodes(), 0);
        self.traverse(&mut no_sets, |node| cyclic = Some(node));
        cyclic
    }

    /// Replaces `sets` (F₀) by the least solution F.
    pub(crate) fn solve(&self, sets: &mut BitMatrix) {
        self.traverse(sets, |_| ());
    }

    /// The traversal: `low[x]` is 0 before the visit, the smallest stack depth reached while open, `DONE` after.
    fn traverse(&self, sets: &mut BitMatrix, mut on_cycle: impl FnMut(usize)) {
        const DONE: u32 = u32::MAX;
        let mut low = vec![0; self.nodes()];
        let mut component: Vec<u32> = Vec::new();
        let mut path: Vec<Frame> = Vec::new();
        for root in 0..self.nodes() {
            if low[root] != 0 {
                continue;
            }
            path.push(Frame::open(root, &self.starts, &mut low, &mut component));
            while let Some(frame) = path.last_mut() {
                let x = frame.node as usize;
                if frame.next < self.starts[x + 1] {
                    let y = self.targets[frame.next as usize] as usize;
                    if low[y] == 0 {
                        path.push(Frame::open(y, &self.starts, &mut low, &mut component));
                        continue;
                    }
                    frame.next += 1;
                    if y == x {
                        on_cycle(x);
                        continue;
                    }
                    low[x] = low[x].min(low[y]);
                    sets.union_rows(x, y);
                    continue;
                }
                if low[x] == frame.depth {
                    while let Some(y) = component.pop() {
                        low[y as usize] = DONE;
                        if y as usize == x {
                            break;
                        }
                        on_cycle(x);
                        sets.copy_row(x, y as usize);
                    }
                }
                path.pop();
            }
        }
    }
}

/// A node being visited: the next pair to look at, and the depth at which it was entered.
struct Frame {
    node: u32,
    next: u32,
    depth: u32,
}

impl Frame {
    fn open(node: usize, starts: &[u32], low: &mut [u32], component: &mut Vec<u32>) -> Self {
        component.push(node as u32);
        let depth = component.len() as u32;
        low[node] = depth;
        Self { node: node as u32, next: starts[node], depth }
    }
}

impl BitMatrix {
    /// `rows` empty sets over `0..bits`.
    pub(crate) fn new(rows: usize, bits: usize) -> Self {
        let width = bits.div_ceil(64);
        Self { words: vec![0; rows * width], width }
    }

    pub(crate) fn row(&self, x: usize) -> &[u64] {
        &self.words[x * self.width..(x + 1) * self.width]
    }

    pub(crate) fn row_mut(&mut self, x: usize) -> &mut [u64] {
        &mut self.words[x * self.width..(x + 1) * self.width]
    }

    pub(crate) fn insert(&mut self, x: usize, bit: usize) {
        self.words[x * self.width + bit / 64] |= 1 << (bit % 64);
    }

    /// Row `x` |= row `y`.
    fn union_rows(&mut self, x: usize, y: usize) {
        for i in 0..self.width {
            self.words[x * self.width + i] |= self.words[y * self.width + i];
        }
    }

    /// Row `to` = row `from`.
    fn copy_row(&mut self, from: usize, to: usize) {
        self.words.copy_within(from * self.width..(from + 1) * self.width, to * self.width);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The equation itself, iterated until nothing changes.
    fn iterate(nodes: usize, pairs: &[(usize, usize)], seeds: &[u64]) -> Vec<u64> {
        let mut sets = seeds.to_vec();
        for _ in 0..nodes {
            pairs.iter().for_each(|&(x, y)| sets[x] |= sets[y]);
        }
        sets
    }

    fn has_cycle(nodes: usize, pairs: &[(usize, usize)]) -> bool {
        let ones: Vec<u64> = (0..nodes).map(|x| 1 << x).collect();
        let reach = iterate(nodes, pairs, &ones);
        pairs.iter().any(|&(x, y)| reach[y] >> x & 1 == 1)
    }

    proptest! {
        #[test]
        fn solution_and_cycles_agree_with_iteration(
            pairs in prop::collection::vec((0usize..12, 0usize..12), 0..30),
            seeds in prop::collection::vec(any::<u64>(), 12),
        ) {
            let relation = Relation::new(12, pairs.clone());
            let mut sets = BitMatrix::new(12, 64);
            (0..12).for_each(|x| sets.row_mut(x)[0] = seeds[x]);
            relation.solve(&mut sets);
            let solved: Vec<u64> = (0..12).map(|x| sets.row(x)[0]).collect();
            prop_assert_eq!(solved, iterate(12, &pairs, &seeds));
            prop_assert_eq!(relation.find_cycle().is_some(), has_cycle(12, &pairs));
        }
    }

    #[test]
    fn a_chain_of_a_million_nodes_needs_no_call_stack() {
        let n = 1_000_000;
        let relation = Relation::new(n, (1..n).map(|x| (x - 1, x)).collect());
        let mut sets = BitMatrix::new(n, 1);
        sets.insert(n - 1, 0);
        relation.solve(&mut sets);
        assert_eq!(sets.row(0), [1]);
    }
}
