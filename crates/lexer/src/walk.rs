//! Walks of one lexeme over the vocabulary, kept on the vocabulary.
//!
//! Inside a JSON string nearly every token stays inside, whatever the grammar; only the few that cross the closing quote
//! depend on what may follow. So the walk of a lexeme on its own splits the vocabulary into the tokens that stay inside
//! and, as a small trie of their own, those that cross its end. It depends on the automaton and the vocabulary alone
//! and is found again by every grammar with the same terminal: from the second grammar on, a string body costs a walk
//! over the crossing tokens (some thousands of nodes instead of a quarter of a million).
//!
//! States of one automaton are often nearly alike: a string that also tracks whether it is a declared key, a string with 40
//! characters left and one with 41. Such a walk is made from that of a similar state: both are walked together, and
//! every subtree is cut in which they cannot differ (see [`crate::levels`]).
//!
//! For components of one terminal that leaves no conditions, seen from a state that is not itself a match.

use std::sync::{Arc, OnceLock};

use glrmask_automata::{ByteSet, Dfa, Id, StateId};
use glrmask_vocab::{NodeId, Rank, RankSet, Vocab};
use parking_lot::Mutex;

use crate::levels::Levels;

/// Walks that visit fewer nodes are not worth keeping.
const KEEP_FROM: usize = 1_000;
/// Automata with more states are compared by equality of states alone.
const LEVEL_STATES: usize = 60_000;
/// Walks of one automaton that others are compared with.
const REFERENCES: usize = 256;
/// Bytes that the refinement history of one state takes, about.
const FAMILY_STATE_BYTES: usize = 64;
/// Sets of at least so many tokens are worth a bitmap.
const DENSE_FROM: usize = 1_500;

/// A shared set of tokens, as ranks and, once asked for, as mask words.
#[derive(Debug, Default)]
pub struct TokenGroup {
    ranks: RankSet,
    len: usize,
    words: OnceLock<Box<[u32]>>,
    /// A nearly equal group, with what was taken out of it and added to it.
    base: Option<(Arc<TokenGroup>, RankSet, RankSet)>,
}

impl TokenGroup {
    fn new(ranks: RankSet) -> Self {
        Self { len: ranks.len(), ranks, words: OnceLock::new(), base: None }
    }
    fn derived(base: &Arc<Self>, removed: RankSet, added: RankSet) -> Self {
        let ranks = base.ranks.difference(&removed).union(&added);
        Self { len: ranks.len(), ranks, words: OnceLock::new(), base: Some((base.clone(), removed, added)) }
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
        self.words.get_or_init(|| match &self.base {
            Some((base, removed, added)) if base.len >= DENSE_FROM => {
                let mut own = base.words(vocab).to_vec();
                vocab.clear_ranks(removed, &mut own);
                vocab.set_ranks(added, &mut own);
                own.into()
            }
            _ => {
                let mut own = vec![0; vocab.mask_words()];
                vocab.set_ranks(&self.ranks, &mut own);
                own.into()
            }
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
    /// Tokens that read on after a match, and perhaps others: what they mean depends on the grammar.
    pub crossing: Arc<SubTrie>,
    /// Tokens that read on after a match and are not in `crossing`.
    pub extra: Box<[Rank]>,
    /// Trie nodes visited.
    pub visited: usize,
}

/// What the walks of one automaton share. The walks themselves are kept one by one, so that each is charged for.
#[derive(Debug, Default)]
struct Family {
    levels: OnceLock<Levels>,
    /// States that others are compared with.
    references: Mutex<Vec<StateId>>,
}

impl LexemeWalk {
    /// The walk from `state` of `dfa`: found on the vocabulary, made from that of a similar state, or made.
    pub fn get(dfa: &Dfa, fingerprint: u128, state: StateId, vocab: &Vocab) -> Arc<Self> {
        if let Some(known) = vocab.cache().get(&walk_key(fingerprint, state)) {
            return known;
        }
        let size = FAMILY_STATE_BYTES * dfa.len() + 4 * REFERENCES;
        let family: Arc<Family> =
            vocab.cache().get_or_insert(&fingerprint.to_le_bytes(), || (Arc::new(Family::default()), size));
        let walk = Arc::new(match family.reference(dfa, fingerprint, state, vocab) {
            Some((reference, from)) => Self::compared(dfa, state, reference, &from, family.levels(dfa, vocab), vocab),
            None => Self::new(dfa, state, vocab),
        });
        if walk.visited < KEEP_FROM && Arc::strong_count(&walk.crossing) == 1 {
            return walk;
        }
        family.add_reference(state, &walk);
        vocab.cache().get_or_insert(&walk_key(fingerprint, state), || (walk.clone(), walk.memory_usage(vocab)))
    }

    /// Bytes this walk may come to hold, what it shares with its reference counted again.
    fn memory_usage(&self, vocab: &Vocab) -> usize {
        let dense = if self.inside.len >= DENSE_FROM { 4 * vocab.mask_words() } else { 0 };
        dense + 8 * self.inside.ranks.ranges().len() + 20 * self.crossing.len() + 4 * self.extra.len() + 400
    }

    /// The walk from `state` of `dfa`. Time: trie nodes visited.
    pub fn new(dfa: &Dfa, state: StateId, vocab: &Vocab) -> Self {
        let trie = vocab.trie();
        let mut builder = Builder {
            crossing: SubTrie::default(),
            inside: RankSet::new(),
            path: Vec::new(),
            loops: vec![None; dfa.len()],
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
        Self { inside, crossing: Arc::new(builder.crossing), extra: Box::default(), visited }
    }

    /// The walk from `state`, given that from `reference`: only subtrees in which the two can differ are visited.
    fn compared(
        dfa: &Dfa,
        state: StateId,
        reference: StateId,
        from: &Self,
        levels: Option<&Levels>,
        vocab: &Vocab,
    ) -> Self {
        let trie = vocab.trie();
        let heights = heights(vocab);
        let alike = |a: StateId, b: StateId, height: u16| {
            a == b || levels.is_some_and(|levels| levels.level(a, b) > u32::from(height))
        };
        let start = (Place::Inside(state), Place::Inside(reference));
        let mut path: Vec<(Place, Place)> = vec![start];
        let (mut removed, mut added, mut extra) = (RankSet::new(), RankSet::new(), Vec::new());
        let (mut node, mut visited) = (1, 0);
        while node < trie.len() {
            let id = NodeId::from_usize(node);
            path.truncate(trie.depth(id) as usize);
            visited += 1;
            let Some(&(mine, other)) = path.last() else { break };
            let (mine, other) = (mine.step(dfa, trie.byte(id)), other.step(dfa, trie.byte(id)));
            let same = match (mine, other) {
                (Place::Inside(a), Place::Inside(b)) => alike(a, b, heights[node]),
                _ => mine == other,
            };
            if same {
                node = trie.end(id).index();
                continue;
            }
            if let Some(rank) = trie.token(id) {
                match (mine.is_inside(), other.is_inside()) {
                    (true, false) => added.push(rank),
                    (false, true) => removed.push(rank),
                    _ => {}
                }
                if mine == Place::Crossed && other != Place::Crossed {
                    extra.push(rank);
                }
            }
            path.push((mine, other));
            node += 1;
        }
        // In rising order, so that they can be collected as ranges.
        extra.extend_from_slice(&from.extra);
        extra.sort_unstable();
        extra.dedup();
        let inside = match removed.is_empty() && added.is_empty() {
            true => from.inside.clone(),
            false => Arc::new(TokenGroup::derived(&from.inside, removed, added)),
        };
        Self { inside, crossing: from.crossing.clone(), extra: extra.into(), visited }
    }
}

impl Family {
    fn levels(&self, dfa: &Dfa, vocab: &Vocab) -> Option<&Levels> {
        let rounds = u32::try_from(vocab.max_token_len()).unwrap_or(u32::MAX).saturating_add(1).min(1_000);
        (dfa.len() <= LEVEL_STATES).then(|| self.levels.get_or_init(|| Levels::new(dfa, rounds)))
    }

    /// The state with a known walk that looks like `state` for the longest.
    fn reference(
        &self,
        dfa: &Dfa,
        fingerprint: u128,
        state: StateId,
        vocab: &Vocab,
    ) -> Option<(StateId, Arc<LexemeWalk>)> {
        let references = self.references.lock();
        let best = match self.levels(dfa, vocab).filter(|_| !references.is_empty()) {
            Some(levels) => references.iter().copied().max_by_key(|&r| levels.level(state, r)),
            None => references.first().copied(),
        }?;
        // It may have been forgotten since.
        Some((best, vocab.cache().get(&walk_key(fingerprint, best))?))
    }

    fn add_reference(&self, state: StateId, walk: &LexemeWalk) {
        let mut references = self.references.lock();
        if walk.visited >= KEEP_FROM && references.len() < REFERENCES && !references.contains(&state) {
            references.push(state);
        }
    }
}

/// Under which key the walk from a state is kept.
fn walk_key(fingerprint: u128, state: StateId) -> [u8; 20] {
    let mut key = [0; 20];
    key[..16].copy_from_slice(&fingerprint.to_le_bytes());
    key[16..].copy_from_slice(&state.0.to_le_bytes());
    key
}

/// Where a lexeme stands in a comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In progress.
    Inside(StateId),
    /// A byte has been read after a match.
    Crossed,
    /// Not possible.
    Dead,
}

impl Place {
    fn step(self, dfa: &Dfa, byte: u8) -> Self {
        match self {
            Self::Inside(state) if dfa.is_accepting(state) => Self::Crossed,
            Self::Inside(state) => match dfa.next(state, byte) {
                Dfa::DEAD => Self::Dead,
                next => Self::Inside(next),
            },
            other => other,
        }
    }
    fn is_inside(self) -> bool {
        matches!(self, Self::Inside(_))
    }
}

/// Per trie node, the length of the longest string below it; found once per vocabulary.
fn heights(vocab: &Vocab) -> Arc<Vec<u16>> {
    vocab.cache().get_or_insert(b"heights", || {
        let trie = vocab.trie();
        let mut heights = vec![0u16; trie.len()];
        for node in (1..trie.len()).rev() {
            let id = NodeId::from_usize(node);
            let own = trie.children(id).map(|child| heights[child.index()].saturating_add(1)).max();
            heights[node] = own.unwrap_or(0);
        }
        let bytes = 2 * heights.len();
        (Arc::new(heights), bytes)
    })
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
    loops: Vec<Option<ByteSet>>,
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
        self.loops[state.index()]
            .get_or_insert_with(|| dfa.transitions(state).find(|t| t.1 == state).map_or(ByteSet::EMPTY, |t| t.0))
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
