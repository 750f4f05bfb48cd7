//! Walks of one lexeme over the vocabulary, kept on the vocabulary.
//!
//! Inside a JSON string nearly every token stays inside, whatever the grammar; only the few that cross the closing quote
//! depend on what may follow. So the walk of a lexeme on its own splits the vocabulary into the tokens that stay inside
//! and the subtrees of the trie whose tokens cross its end. It depends on the automaton and the vocabulary alone and is
//! found again by every grammar with the same terminal: from the second grammar on, a string body costs a walk over the
//! crossing tokens (some thousands of nodes instead of a quarter of a million).
//!
//! For components of one terminal that leaves no conditions, seen from a state that is not itself a match.

use std::sync::{Arc, OnceLock};

use glrmask_automata::{Dfa, Id, StateId};
use glrmask_vocab::{NodeId, Rank, RankSet, Vocab};

use crate::runs::Runs;

/// Walks that visit fewer nodes are not worth keeping.
const KEEP_FROM: usize = 1_000;
/// Subtrees of so few nodes are walked sooner than a run is looked up.
const SMALL: usize = 3;
/// Sets of at least so many tokens are worth a bitmap.
const DENSE_FROM: usize = 1_500;

/// A shared set of tokens, as ranks and, once asked for, as mask words.
#[derive(Debug, Default)]
pub struct TokenGroup {
    ranks: RankSet,
    len: usize,
    words: OnceLock<Box<[u32]>>,
}

impl TokenGroup {
    /// The group of these tokens.
    pub fn new(ranks: RankSet) -> Self {
        Self { len: ranks.len(), ranks, words: OnceLock::new() }
    }
    /// Number of distinct token strings.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether there is no token.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The tokens.
    pub fn ranks(&self) -> &RankSet {
        &self.ranks
    }
    /// The tokens, by value.
    pub fn into_ranks(self) -> RankSet {
        self.ranks
    }
    /// Adds the tokens to a mask of this vocabulary.
    pub fn add_to(&self, vocab: &Vocab, words: &mut [u32]) {
        if !self.is_dense() {
            return vocab.set_ranks(&self.ranks, words);
        }
        words.iter_mut().zip(self.words(vocab)).for_each(|(word, more)| *word |= more);
    }
    /// Whether the group is worth its mask words: then [`words`](Self::words) is the way to use it.
    pub fn is_dense(&self) -> bool {
        self.len >= DENSE_FROM
    }
    /// The group as mask words of this vocabulary; made when first asked for.
    pub fn words(&self, vocab: &Vocab) -> &[u32] {
        self.words.get_or_init(|| {
            let mut words = vec![0; vocab.mask_words()];
            vocab.set_ranks(&self.ranks, &mut words);
            words.into()
        })
    }
}

/// The vocabulary as seen from inside one lexeme.
#[derive(Debug, Default)]
pub struct LexemeWalk {
    /// Tokens after which the lexeme is still in progress and nowhere before its last byte was a match.
    pub inside: Arc<TokenGroup>,
    /// Where tokens read on after a match, as the roots of subtrees in rising order: the last byte of such a node, and no
    /// earlier one, was read after a match. What these tokens mean depends on the grammar.
    pub crossing: Vec<NodeId>,
    /// Trie nodes visited.
    pub visited: usize,
}

impl LexemeWalk {
    /// The walk from `state` of `dfa`: found on the vocabulary under its [residual](Dfa::residuals), or made. For states
    /// from which much can be read; for others [`new`](Self::new) is quicker than the search.
    pub fn get(dfa: &Dfa, residual: u128, state: StateId, vocab: &Vocab) -> Arc<Self> {
        let key = residual.to_le_bytes();
        if let Some(known) = vocab.cache().get(&key) {
            return known;
        }
        let walk = Arc::new(Self::new(dfa, state, vocab));
        if walk.visited < KEEP_FROM {
            return walk;
        }
        vocab.cache().get_or_insert(&key, || (walk.clone(), walk.memory_usage(vocab)))
    }

    /// Bytes this walk may come to hold.
    fn memory_usage(&self, vocab: &Vocab) -> usize {
        let dense = if self.inside.len >= DENSE_FROM { 4 * vocab.mask_words() } else { 0 };
        dense + 8 * self.inside.ranks.ranges().len() + 4 * self.crossing.len() + 400
    }

    /// The walk from `state` of `dfa`. Time: trie nodes visited.
    pub fn new(dfa: &Dfa, state: StateId, vocab: &Vocab) -> Self {
        let trie = vocab.trie();
        let (bytes, ends, depths, ranks) = (trie.bytes(), trie.ends(), trie.depths(), trie.first_ranks());
        let (mut crossing, mut inside, mut runs) = (Vec::new(), RankSet::new(), Runs::default());
        // By length of the prefix of the current string: the state after it, and whether that is a match.
        let mut path = vec![(state, dfa.is_accepting(state)); vocab.max_token_len() + 1];
        let (mut node, mut visited) = (1, 0);
        while node < trie.len() {
            visited += 1;
            let (depth, end, next) = (depths[node] as usize, ends[node] as usize, node + 1);
            let (before, is_match) = path[depth - 1];
            if is_match {
                crossing.push(NodeId::from_usize(node));
                node = end;
                continue;
            }
            let state = dfa.next(before, bytes[node]);
            if state == Dfa::DEAD {
                node = end;
                continue;
            }
            let is_match = dfa.is_accepting(state);
            let worth = end > next + SMALL && !is_match;
            let id = NodeId::from_usize(node);
            if end == next || worth && runs.stays(dfa, state, trie.below(id), trie.height(id)) {
                inside.push_range(Rank(ranks[node]), Rank(ranks[end]));
                node = end;
                continue;
            }
            if ranks[next] > ranks[node] {
                inside.push(Rank(ranks[node]));
            }
            path[depth] = (state, is_match);
            node = next;
        }
        Self { inside: Arc::new(TokenGroup::new(inside)), crossing, visited }
    }
}
