//! The byte trie of a vocabulary, in flat preorder arrays.
//!
//! ```text
//! strings a, ab, ac, b        node   0 1 2 3 4        first child of n: n + 1, if n + 1 < end(n)
//!                             byte   – a b c b        next sibling of c: end(c), if end(c) < end(parent)
//!         0                   end    5 4 3 4 5        token of n: first_rank[n], if first_rank[n + 1] is larger
//!       a/ \b                 depth  0 1 2 2 1
//!       1   4                 first  0 0 1 2 3 4      ranks below and at n: first_rank[n] .. first_rank[end(n)]
//!     b/ \c                   rank
//!     2   3
//! ```
//!
//! A walk is a scan over arrays: going into a node is `n + 1`, skipping its subtree is `end(n)`. Each node also knows
//! the set of bytes that occur strictly below it. Where an automaton loops on all of them, the whole subtree is one
//! range and need not be walked. There are few distinct sets, so nodes hold their number.
//!
//! Price: 21 bytes per node, no sharing of equal subtrees.

use glrmask_automata::{ByteSet, Id};
use rustc_hash::FxHashMap;

use crate::{NodeId, Rank};

/// A byte trie in preorder; see the module's picture.
///
/// Methods that take a [`NodeId`] panic if it is not a node of this trie.
#[derive(Debug)]
pub struct Trie {
    bytes: Vec<u8>,
    /// `n < ends[n] <= len`, and subtrees nest.
    ends: Vec<u32>,
    depths: Vec<u32>,
    /// One entry more than nodes; never falls, rises by at most one.
    first_ranks: Vec<u32>,
    below_ids: Vec<u32>,
    below_sets: Vec<ByteSet>,
    heights: Vec<u32>,
}

impl Trie {
    /// Number of nodes, the root included.
    #[allow(clippy::len_without_is_empty)] // a trie has a root
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The last byte of the node's string; 0 for the root.
    #[inline]
    pub fn byte(&self, node: NodeId) -> u8 {
        self.bytes[node.index()]
    }

    /// One past the last node of the subtree.
    #[inline]
    pub fn end(&self, node: NodeId) -> NodeId {
        NodeId(self.ends[node.index()])
    }

    /// Length of the node's string, in bytes.
    #[inline]
    pub fn depth(&self, node: NodeId) -> u32 {
        self.depths[node.index()]
    }

    /// Number of token strings that come before this node's string. Also takes the id one past the last node.
    #[inline]
    pub fn first_rank(&self, node: NodeId) -> Rank {
        Rank(self.first_ranks[node.index()])
    }

    /// The token strings that begin with this node's string, itself included, as a half-open range of ranks.
    #[inline]
    pub fn subtree_ranks(&self, node: NodeId) -> (Rank, Rank) {
        (self.first_rank(node), self.first_rank(self.end(node)))
    }

    /// The rank of exactly this node's string, if it is a token.
    #[inline]
    pub fn token(&self, node: NodeId) -> Option<Rank> {
        let first = self.first_rank(node);
        (self.first_ranks[node.index() + 1] > first.0).then_some(first)
    }

    /// The children in rising order of their bytes.
    #[inline]
    pub fn children(&self, node: NodeId) -> Children<'_> {
        Children { trie: self, next: node.0 + 1, end: self.ends[node.index()] }
    }

    /// The child reached by this byte. O(children).
    pub fn child(&self, node: NodeId, byte: u8) -> Option<NodeId> {
        self.children(node).find(|&child| self.byte(child) == byte)
    }

    /// The node of this string, if some token begins with it. O(length · children per node).
    pub fn find(&self, string: &[u8]) -> Option<NodeId> {
        string.iter().try_fold(NodeId::ROOT, |node, &byte| self.child(node, byte))
    }

    /// The bytes that occur strictly below the node.
    #[inline]
    pub fn below(&self, node: NodeId) -> &ByteSet {
        &self.below_sets[self.below_ids[node.index()] as usize]
    }

    /// Length of the longest string that leads from the node to one below it, in bytes.
    #[inline]
    pub fn height(&self, node: NodeId) -> u32 {
        self.heights[node.index()]
    }

    /// [`byte`](Self::byte) of every node, for hot loops.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// [`end`](Self::end) of every node.
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// [`depth`](Self::depth) of every node.
    pub fn depths(&self) -> &[u32] {
        &self.depths
    }

    /// [`first_rank`](Self::first_rank) of every node, and of the end: one entry more than nodes.
    pub fn first_ranks(&self) -> &[u32] {
        &self.first_ranks
    }

    /// Position in [`below_sets`](Self::below_sets) of every node's [`below`](Self::below). Leaves have 0.
    pub fn below_ids(&self) -> &[u32] {
        &self.below_ids
    }

    /// [`height`](Self::height) of every node.
    pub fn heights(&self) -> &[u32] {
        &self.heights
    }

    /// The distinct sets of bytes below nodes; the first is the empty one.
    pub fn below_sets(&self) -> &[ByteSet] {
        &self.below_sets
    }

    /// Builds the trie of non-empty strings that come in byte order without repeats, of `bytes` bytes in all.
    ///
    /// Each string shares a prefix with the one before: the path is cut back to it, which closes subtrees, and grown
    /// by the rest.
    pub(crate) fn from_sorted<'a>(strings: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut trie = Self::root();
        let mut path: Vec<u32> = Vec::new();
        let mut previous: &[u8] = &[];
        let mut rank = 0;
        for string in strings {
            let shared = previous.iter().zip(string).take_while(|(a, b)| a == b).count();
            trie.close(&mut path, shared);
            for &byte in string.iter().skip(shared) {
                path.push(trie.len() as u32);
                trie.push(byte, path.len() as u32, rank);
            }
            previous = string;
            rank += 1;
        }
        trie.close(&mut path, 0);
        trie.ends[0] = trie.len() as u32;
        trie.first_ranks.push(rank);
        trie.fill_below();
        trie
    }

    fn root() -> Self {
        let (bytes, ends, depths, first_ranks) = (vec![0], vec![1], vec![0], vec![0]);
        let (below_ids, below_sets, heights) = (Vec::new(), Vec::new(), Vec::new());
        Self { bytes, ends, depths, first_ranks, below_ids, below_sets, heights }
    }

    fn push(&mut self, byte: u8, depth: u32, rank: u32) {
        self.bytes.push(byte);
        self.ends.push(0);
        self.depths.push(depth);
        self.first_ranks.push(rank);
    }

    /// Cuts the path back to `depth` nodes; the subtrees cut off end here.
    fn close(&mut self, path: &mut Vec<u32>, depth: usize) {
        let end = self.len() as u32;
        for node in path.drain(depth..) {
            self.ends[node as usize] = end;
        }
    }

    /// Bottom-up: backwards through preorder, children come before their parent.
    fn fill_below(&mut self) {
        let mut ids: FxHashMap<ByteSet, u32> = FxHashMap::from_iter([(ByteSet::EMPTY, 0)]);
        self.below_sets = vec![ByteSet::EMPTY];
        self.below_ids = vec![0; self.len()];
        self.heights = vec![0; self.len()];
        for node in (0..self.len()).rev() {
            let highest = self.children(NodeId(node as u32)).map(|child| self.heights[child.index()] + 1);
            self.heights[node] = highest.max().unwrap_or(0);
            let set = self.children(NodeId(node as u32)).fold(ByteSet::EMPTY, |below, child| {
                let child_set = &self.below_sets[self.below_ids[child.index()] as usize];
                below.union(child_set).union(&ByteSet::single(self.byte(child)))
            });
            if !set.is_empty() {
                self.below_ids[node] = *ids.entry(set).or_insert_with(|| {
                    self.below_sets.push(set);
                    self.below_sets.len() as u32 - 1
                });
            }
        }
    }

    /// Tells which rule of the arrays is broken, if one is. For tests and fuzzers; O(nodes).
    pub fn check_invariants(&self) -> Result<(), String> {
        let len = self.len();
        let ranks = self.first_ranks.len() - 1;
        let lens = [self.ends.len(), self.depths.len(), self.below_ids.len(), self.heights.len(), ranks];
        if lens != [len; 5] || self.ends.first() != Some(&(len as u32)) || self.depths.first() != Some(&0) {
            return Err(format!("{len} nodes, arrays of {lens:?}, root ends at {:?}", self.ends.first()));
        }
        if self.first_ranks.first() != Some(&0) || self.below_sets.first() != Some(&ByteSet::EMPTY) {
            return Err("ranks or byte sets do not begin with nothing".to_owned());
        }
        (0..len as u32).map(NodeId).try_for_each(|node| self.check_node(node).map_err(|what| format!("{node}: {what}")))
    }

    fn check_node(&self, node: NodeId) -> Result<(), String> {
        let children: Vec<NodeId> = self.children(node).collect();
        if self.end(node) <= node || children.iter().any(|&child| self.end(child) > self.end(node)) {
            return Err("subtree ends before it begins or after its parent".to_owned());
        }
        if children.iter().any(|&child| self.depth(child) != self.depth(node) + 1) {
            return Err("child is not one deeper".to_owned());
        }
        if !children.is_sorted_by_key(|&child| self.byte(child)) || children.len() > 256 {
            return Err("children are out of order".to_owned());
        }
        let (here, next) = (self.first_ranks[node.index()], self.first_ranks[node.index() + 1]);
        if next < here || next > here + 1 || (node == NodeId::ROOT && next != here) {
            return Err(format!("rank goes from {here} to {next}"));
        }
        if children.is_empty() && node != NodeId::ROOT && self.token(node).is_none() {
            return Err("leaf is no token".to_owned());
        }
        let within = |child: &NodeId| self.below(*child).union(&ByteSet::single(self.byte(*child)));
        let highest = children.iter().map(|&child| self.height(child) + 1).max().unwrap_or(0);
        if highest != self.height(node) {
            return Err(format!("height is {highest}, not {}", self.height(node)));
        }
        let below = children.iter().map(within).fold(ByteSet::EMPTY, |all, set| all.union(&set));
        if &below != self.below(node) {
            return Err(format!("bytes below are {below:?}, not {:?}", self.below(node)));
        }
        Ok(())
    }
}

/// Iterator over the children of a node, see [`Trie::children`].
#[derive(Clone, Debug)]
pub struct Children<'a> {
    trie: &'a Trie,
    next: u32,
    end: u32,
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    #[inline]
    fn next(&mut self) -> Option<NodeId> {
        if self.next >= self.end {
            return None;
        }
        let child = NodeId(self.next);
        self.next = self.trie.end(child).0;
        Some(child)
    }
}
