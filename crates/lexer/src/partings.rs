//! Where two states of one lexeme part: the first nodes of the vocabulary trie at which exactly one of them is dead, or
//! either is a match.
//!
//! Before such a node both are inside the lexeme, and whatever token ends there has the same class from both. So the
//! difference of two profiles is that of the subtrees below these nodes ([`crate::difference`]), and where they are depends
//! on what can be read from the two states and on the vocabulary alone. They are kept on the vocabulary under both
//! [`Dfa::residuals`]: strings with nine and ten characters left part at the same nodes in every grammar.

use std::sync::Arc;

use glrmask_automata::{ByteSet, Dfa, Id};
use glrmask_vocab::{NodeId, Vocab};

use crate::difference::{Similarity, WORTH_COMPARING};
use crate::lexer::Lexer;
use crate::pairs::{Pairs, StatePair};

/// Walks that visit fewer nodes are not worth keeping.
const KEEP_FROM: usize = 200;

/// Where two states part, as far as that could be found within a limit.
#[derive(Debug)]
pub(crate) struct Partings {
    /// Rising; none below another. `None` if more than `visited` nodes would have to be visited.
    roots: Option<Box<[u32]>>,
    /// Trie nodes visited.
    visited: usize,
}

/// Two states of a component of one terminal that leaves no conditions, neither of them dead or a match.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub(crate) lexer: &'a Lexer,
    pub(crate) similarity: &'a Similarity,
    pub(crate) states: StatePair,
}

impl Partings {
    /// The nodes, and how many nodes were visited to find them; `None` if that would be more than `limit`.
    pub(crate) fn within(&self, limit: usize) -> Option<(&[u32], usize)> {
        let roots = self.roots.as_deref().filter(|_| self.visited <= limit)?;
        Some((roots, self.visited))
    }

    /// Found on the vocabulary under the residuals of the two states, or by a walk.
    pub(crate) fn get(pair: Pair<'_>, residuals: (u128, u128), vocab: &Vocab, limit: usize) -> Arc<Self> {
        let mut key = [0; 32];
        key[..16].copy_from_slice(&residuals.0.to_le_bytes());
        key[16..].copy_from_slice(&residuals.1.to_le_bytes());
        let known = vocab.cache().get::<Self>(&key);
        if let Some(known) = known.filter(|known| known.roots.is_some() || known.visited >= limit) {
            return known;
        }
        let found = Arc::new(Self::find(pair, &ByteSet::FULL, vocab, limit));
        if found.visited < KEEP_FROM {
            return found;
        }
        let bytes = found.roots.as_ref().map_or(0, |roots| size_of_val(&**roots)) + size_of::<Self>();
        vocab.cache().insert(&key, found.clone(), bytes);
        found
    }

    /// By a walk, below children of the root with these bytes.
    pub(crate) fn find(pair: Pair<'_>, first: &ByteSet, vocab: &Vocab, limit: usize) -> Self {
        let mut walk = Walk { pair, vocab, limit, visited: 0, roots: Vec::new(), known: Pairs::default() };
        let bytes = pair.similarity.bytes_apart(pair.lexer, pair.states.0, pair.states.1).intersection(first);
        for child in vocab.trie().children(NodeId(0)) {
            if bytes.contains(vocab.trie().byte(child)) && !walk.subtree(child.index()) {
                return Self { roots: None, visited: limit };
            }
        }
        Self { roots: Some(walk.roots.into()), visited: walk.visited }
    }
}

struct Walk<'a> {
    pair: Pair<'a>,
    vocab: &'a Vocab,
    limit: usize,
    visited: usize,
    roots: Vec<u32>,
    known: Pairs,
}

impl<'a> Walk<'a> {
    /// Walks the subtree of `top`, a child of the root. False if it takes too many visits.
    fn subtree(&mut self, top: usize) -> bool {
        let trie = self.vocab.trie();
        let (bytes, ends, depths, heights) = (trie.bytes(), trie.ends(), trie.depths(), trie.heights());
        let Pair { lexer, similarity, states } = self.pair;
        let dfa: &'a Dfa = similarity.dfa(lexer);
        let mut path = vec![(states, ByteSet::FULL)];
        let mut node = top;
        while node < ends[top] as usize {
            path.truncate(depths[node] as usize);
            let Some(&((mine, other), apart)) = path.last() else { break };
            if !apart.contains(bytes[node]) {
                node = ends[node] as usize;
                continue;
            }
            self.visited += 1;
            if self.visited > self.limit {
                return false;
            }
            let pair = (dfa.next(mine, bytes[node]), dfa.next(other, bytes[node]));
            let inside = |state| state != Dfa::DEAD && !dfa.is_accepting(state);
            let parted = pair.0 != pair.1 && !(inside(pair.0) && inside(pair.1));
            if parted {
                self.roots.push(node as u32);
            }
            if parted || pair.0 == pair.1 || self.known.level(similarity, pair) > heights[node] {
                node = ends[node] as usize;
                continue;
            }
            let large = ends[node] - node as u32 > WORTH_COMPARING;
            path.push((pair, if large { self.known.bytes_apart(similarity, lexer, pair) } else { ByteSet::FULL }));
            node += 1;
        }
        true
    }
}
