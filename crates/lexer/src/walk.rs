//! Walks of one lexeme over the vocabulary, kept on the vocabulary.
//!
//! Inside a JSON string nearly every token stays inside, whatever the grammar; only the few that cross the closing quote
//! depend on what may follow. So the walk of a lexeme on its own splits the vocabulary into the tokens that stay inside
//! and, as a small trie of their own, those that cross its end. It depends on the automaton and the vocabulary alone
//! and is found again by every grammar with the same terminal: from the second grammar on, a string body costs a walk
//! over the crossing tokens (some thousands of nodes instead of a quarter of a million).
//!
//! For components of one terminal that leaves no conditions, seen from a state that is not itself a match.

use std::sync::{Arc, OnceLock};

use glrmask_automata::{ByteSet, Dfa, Id, StateId};
use glrmask_vocab::{NodeId, Rank, RankSet, Vocab};
use rustc_hash::FxHashMap;

/// Walks that visit fewer nodes are not worth keeping.
const KEEP_FROM: usize = 1_000;
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

/// A trie of some tokens, in preorder: of each node the byte, the depth, the end of its subtree and its token, if any.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SubTrie {
    pub(crate) bytes: Vec<u8>,
    pub(crate) depths: Vec<u32>,
    pub(crate) ends: Vec<u32>,
    pub(crate) ranks: Vec<Option<Rank>>,
}

impl SubTrie {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }
    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// The vocabulary as seen from inside one lexeme.
#[derive(Debug, Default)]
pub struct LexemeWalk {
    /// Tokens after which the lexeme is still in progress and nowhere before its last byte was a match.
    pub inside: Arc<TokenGroup>,
    /// Tokens that read on after a match: what they mean depends on the grammar.
    pub crossing: SubTrie,
    /// Trie nodes visited.
    pub visited: usize,
}

impl LexemeWalk {
    /// The walk from `state` of `dfa`: found on the vocabulary, or made. For states from which much can be read; for
    /// others [`new`](Self::new) is quicker than the search.
    pub fn get(dfa: &Dfa, fingerprint: u128, state: StateId, vocab: &Vocab) -> Arc<Self> {
        let key = walk_key(dfa, fingerprint, state);
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
        dense + 8 * self.inside.ranks.ranges().len() + 20 * self.crossing.len() + 400
    }

    /// The walk from `state` of `dfa`. Time: trie nodes visited.
    pub fn new(dfa: &Dfa, state: StateId, vocab: &Vocab) -> Self {
        let trie = vocab.trie();
        let mut builder = Builder {
            crossing: SubTrie::default(),
            inside: RankSet::new(),
            path: Vec::new(),
            loops: FxHashMap::default(),
        };
        builder.path.push(Step { node: NodeId(0), state, crossed: false, copied: None });
        let (mut node, mut visited) = (1, 0);
        while node < trie.len() {
            let id = NodeId::from_usize(node);
            visited += 1;
            node = builder.enter(dfa, vocab, id).index();
        }
        builder.leave(0);
        let inside = Arc::new(TokenGroup::new(builder.inside));
        Self { inside, crossing: builder.crossing, visited }
    }
}

/// States beyond which a walk is kept for its automaton alone.
const KEY_STATES: usize = 400;

/// Under which key the walk from a state is kept: what can be read from there on, if that is small (a string with five
/// characters left is the same whatever its limit); otherwise the automaton and the state.
fn walk_key(dfa: &Dfa, fingerprint: u128, state: StateId) -> [u8; 20] {
    let own = dfa.fingerprint_from(state, KEY_STATES);
    let mut key = [u8::MAX; 20];
    key[..16].copy_from_slice(&own.unwrap_or(fingerprint).to_le_bytes());
    if own.is_none() {
        key[16..].copy_from_slice(&state.0.to_le_bytes());
    }
    key
}

/// One node on the path from the root.
struct Step {
    node: NodeId,
    state: StateId,
    /// Whether a byte has been read after a match.
    crossed: bool,
    /// Its place in the trie of crossing tokens, once it is needed there.
    copied: Option<usize>,
}

struct Builder {
    crossing: SubTrie,
    inside: RankSet,
    path: Vec<Step>,
    /// Per state, the bytes on which it stays where it is.
    loops: FxHashMap<StateId, ByteSet>,
}

impl Builder {
    /// Handles one trie node; returns the next one to visit.
    fn enter(&mut self, dfa: &Dfa, vocab: &Vocab, node: NodeId) -> NodeId {
        let trie = vocab.trie();
        self.leave(trie.depth(node) as usize);
        let end = trie.end(node);
        let Some(&Step { state: before, crossed, .. }) = self.path.last() else { return end };
        let next = NodeId::from_usize(node.index() + 1);
        if crossed || dfa.is_accepting(before) {
            self.path.push(Step { node, state: Dfa::DEAD, crossed: true, copied: None });
            self.copy(vocab, trie.token(node));
            return next;
        }
        let state = dfa.next(before, trie.byte(node));
        if state == Dfa::DEAD {
            return end;
        }
        let stays = state == before && !dfa.is_accepting(state);
        if end == next || stays && trie.below(node).is_subset(self.loops(dfa, state)) {
            let (first, last) = trie.subtree_ranks(node);
            self.inside.push_range(first, last);
            return end;
        }
        if let Some(rank) = trie.token(node) {
            self.inside.push(rank);
        }
        self.path.push(Step { node, state, crossed: false, copied: None });
        next
    }

    fn loops(&mut self, dfa: &Dfa, state: StateId) -> &ByteSet {
        let stays = || dfa.transitions(state).find(|t| t.1 == state).map_or(ByteSet::EMPTY, |t| t.0);
        self.loops.entry(state).or_insert_with(stays)
    }

    /// Goes back up to this depth.
    fn leave(&mut self, depth: usize) {
        while self.path.len() > depth.max(1) || (depth == 0 && !self.path.is_empty()) {
            if let Some(Step { copied: Some(index), .. }) = self.path.pop() {
                self.crossing.ends[index] = self.crossing.bytes.len() as u32;
            }
        }
    }

    /// Copies the nodes of the path that are not yet in the trie of crossing tokens; the last one ends this token.
    fn copy(&mut self, vocab: &Vocab, token: Option<Rank>) {
        let trie = vocab.trie();
        for depth in 1..self.path.len() {
            if self.path[depth].copied.is_none() {
                self.path[depth].copied = Some(self.crossing.bytes.len());
                self.crossing.bytes.push(trie.byte(self.path[depth].node));
                self.crossing.depths.push(depth as u32);
                self.crossing.ends.push(0);
                self.crossing.ranks.push(None);
            }
        }
        if let (Some(last), Some(_)) = (self.crossing.ranks.last_mut(), token) {
            *last = token;
        }
    }
}
