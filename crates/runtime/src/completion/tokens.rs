//! Completions by tokens: few of them, and the fewest within a bounded search.
//!
//! The shortest bytes are split into as few tokens as possible. Token events stand between them, and count as many bytes
//! as the longest token has. That need not be the fewest of all, since a longer text may take fewer tokens; so texts are searched level by level, one token each, for a completion with fewer. A level
//! is a walk of the vocabulary's trie from each state of the level before, all states once. A subtree is left out when
//! no token below it can save enough: after any of them at least `(B − longest rest) / longest token` tokens are needed,
//! where `B` is the number of bytes that complete the text at the subtree's root.

use glrmask_automata::TerminalId;
use glrmask_vocab::{NodeId, Rank, TokenId, Vocab};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::branch::Branches;
use crate::commit;
use crate::completion::text::Text;
use crate::completion::{Search, With};
use crate::constraint::Inner;
use crate::error::RuntimeError;
use crate::event;
use crate::following::{key, Key};
use crate::state::ConstraintState;

/// Steps of one search: one for each node of the vocabulary's trie, and twenty more for each place not seen before.
pub const COMPLETION_STEPS: usize = 50_000;
/// Completions of more tokens are not searched for better ones: every level more is as wide as the vocabulary.
pub const SEARCHED_TOKENS: usize = 8;
/// A place that was not seen before costs a search of its own.
const PLACE_STEPS: usize = 20;

/// Tokens that complete a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenCompletion {
    /// The tokens, without an end token.
    pub tokens: Vec<TokenId>,
    /// Whether it is certain that no fewer tokens complete the text.
    pub is_minimal: bool,
}

impl ConstraintState {
    /// Few tokens that complete the text; empty if it is complete already. End tokens are not used, not even by their
    /// bytes. Changes nothing.
    ///
    /// They are the fewest if a search can tell, which [`TokenCompletion::is_minimal`] says: it is tried where
    /// [`shortest_completion`](Self::shortest_completion) takes at most [`SEARCHED_TOKENS`], for at most
    /// [`COMPLETION_STEPS`] (some tens of milliseconds). Otherwise they are those bytes in the fewest tokens.
    ///
    /// `None` if no tokens complete the text: the state is rejected, or the vocabulary lacks what it takes.
    ///
    /// # Errors
    /// As for [`shortest_completion`](Self::shortest_completion); the search ended without any completion.
    pub fn shortest_completion_tokens(&self) -> Result<Option<TokenCompletion>, RuntimeError> {
        let Some(mut text) = self.completion(With::Events)? else { return Ok(None) };
        let mut is_shortest = true;
        if self.beside().is_some() {
            let Some(ruled) = self.by_the_rules(Some(text), With::Events)? else { return Ok(None) };
            (is_shortest, text) = (ruled.is_minimal, ruled.text);
        }
        let inner = self.constraint().inner();
        let split = split(inner, &text);
        if text == Text::default() {
            return Ok(Some(TokenCompletion { tokens: Vec::new(), is_minimal: true }));
        }
        let split = match split {
            Some(tokens) if tokens.len() > SEARCHED_TOKENS => {
                return Ok(Some(TokenCompletion { tokens, is_minimal: false }));
            }
            // The search takes it that no text is shorter.
            Some(tokens) if !is_shortest => return Ok(Some(TokenCompletion { tokens, is_minimal: false })),
            other => other,
        };
        let mut search = TokenSearch::new(inner, split.as_ref().map(Vec::len));
        let improved = search.run(self.branches(), text.cost)?;
        let within_rules = |tokens: &Vec<TokenId>| self.validate_tokens(tokens).map(|valid| valid == tokens.len());
        if !improved.as_ref().map_or(Ok(true), within_rules)? {
            // The fewest by the grammar: whether others are as few is not known.
            let unknown = RuntimeError::limit("steps to find tokens", COMPLETION_STEPS, COMPLETION_STEPS);
            return split.map(|tokens| Some(TokenCompletion { tokens, is_minimal: false })).ok_or(unknown);
        }
        match (improved.or(split), search.steps_left) {
            (Some(tokens), left) => Ok(Some(TokenCompletion { tokens, is_minimal: left > 0 })),
            (None, 0) => Err(RuntimeError::limit("steps to find tokens", COMPLETION_STEPS, COMPLETION_STEPS)),
            (None, _) => Ok(None),
        }
    }
}

/// The id to commit for a string: any that is not an end token.
fn usable_id(inner: &Inner, rank: Rank) -> Option<TokenId> {
    let ends = &inner.config.end_tokens;
    inner.vocab.ids(rank).iter().copied().find(|id| !ends.contains(id))
}

/// The id to commit for a token event: any that is not an end token.
pub(super) fn usable_event(inner: &Inner, terminal: TerminalId) -> Option<TokenId> {
    let ends = &inner.config.end_tokens;
    inner.events.ids(&inner.lexer, terminal)?.iter().find(|id| !ends.contains(id))
}

/// The fewest tokens that spell `text`; `None` if none do.
fn split(inner: &Inner, text: &Text) -> Option<Vec<TokenId>> {
    let mut tokens = Vec::new();
    for (bytes, event) in text.parts() {
        tokens.extend(fewest_tokens(inner, bytes)?);
        if let Some(terminal) = event {
            tokens.push(usable_event(inner, terminal)?);
        }
    }
    Some(tokens)
}

/// The fewest tokens that spell these bytes; `None` if none do. From the end to the beginning.
fn fewest_tokens(inner: &Inner, text: &[u8]) -> Option<Vec<TokenId>> {
    let trie = inner.vocab.trie();
    // Per position: how many tokens to the end, and the first of them with its length.
    let mut best: Vec<Option<(usize, TokenId, usize)>> = vec![None; text.len()];
    let cost = |best: &[Option<(usize, TokenId, usize)>], at: usize| match best.get(at) {
        Some(known) => known.map(|b| b.0),
        None => Some(0),
    };
    for start in (0..text.len()).rev() {
        let mut node = NodeId::ROOT;
        for (length, &byte) in text[start..].iter().enumerate() {
            let Some(child) = trie.child(node, byte) else { break };
            node = child;
            let Some(id) = trie.token(node).and_then(|rank| usable_id(inner, rank)) else { continue };
            let Some(rest) = cost(&best, start + length + 1) else { continue };
            if best[start].is_none_or(|known| rest + 1 < known.0) {
                best[start] = Some((rest + 1, id, length + 1));
            }
        }
    }
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let (_, id, length) = best[at]?;
        tokens.push(id);
        at += length;
    }
    Some(tokens)
}

/// A place that some tokens lead to.
struct Place {
    branches: Branches,
    from: Option<(usize, TokenId)>,
}

struct TokenSearch<'a> {
    inner: &'a Inner,
    vocab: &'a Vocab,
    /// Completions must have fewer tokens than this.
    below: usize,
    places: Vec<Place>,
    seen: FxHashSet<Key>,
    /// What it costs to complete a place; the branches keep addresses alive.
    known: FxHashMap<Key, (Option<u64>, Branches)>,
    steps_left: usize,
}

impl<'a> TokenSearch<'a> {
    fn new(inner: &'a Inner, known: Option<usize>) -> Self {
        Self {
            inner,
            vocab: &inner.vocab,
            below: known.unwrap_or(usize::MAX),
            places: Vec::new(),
            seen: FxHashSet::default(),
            known: FxHashMap::default(),
            steps_left: COMPLETION_STEPS,
        }
    }

    /// A completion of fewer tokens than known, the fewest of all; `None` if there is none, or no steps are left.
    fn run(&mut self, branches: &[crate::branch::Branch], cost: u64) -> Result<Option<Vec<TokenId>>, RuntimeError> {
        if self.tokens_for(cost) >= self.below {
            return Ok(None);
        }
        self.places.push(Place { branches: branches.iter().cloned().collect(), from: None });
        let (mut level, mut used) = (0..1, 0);
        while !level.is_empty() && used + 1 < self.below {
            let next = self.places.len();
            for place in level {
                if let Some(last) = self.expand(place, used)? {
                    return Ok(Some(self.tokens(place, last)));
                }
                if self.steps_left == 0 {
                    return Ok(None);
                }
            }
            (level, used) = (next..self.places.len(), used + 1);
        }
        Ok(None)
    }

    /// A token that completes the text at a place that took `used` tokens, if there is one; otherwise the places after
    /// all tokens that may lead to fewer tokens than known are added.
    fn expand(&mut self, place: usize, used: usize) -> Result<Option<TokenId>, RuntimeError> {
        let inner = self.inner;
        for terminal in inner.events.terminals() {
            let Some(token) = usable_event(inner, terminal) else { continue };
            self.steps_left = self.steps_left.saturating_sub(1);
            let after = event::advance_terminal(inner, &self.places[place].branches, terminal);
            match self.cost_left(&after)? {
                Some(cost) if self.reached(place, used, token, after, cost) => return Ok(Some(token)),
                _ => {}
            }
        }
        self.expand_text(place, used)
    }

    /// Whether the token completes the text; if not, the place after it is added unless that is pointless.
    fn reached(&mut self, place: usize, used: usize, token: TokenId, after: Branches, cost: u64) -> bool {
        if cost > 0 && used + 1 + self.tokens_for(cost) < self.below && self.seen.insert(key(&after)) {
            self.places.push(Place { branches: after, from: Some((place, token)) });
        }
        cost == 0
    }

    /// Walks the trie from a place.
    fn expand_text(&mut self, place: usize, used: usize) -> Result<Option<TokenId>, RuntimeError> {
        let trie = self.vocab.trie();
        let mut work: Vec<(NodeId, Branches)> = vec![(NodeId::ROOT, self.places[place].branches.clone())];
        while let Some((node, branches)) = work.pop() {
            for child in trie.children(node) {
                if self.steps_left == 0 {
                    return Ok(None);
                }
                self.steps_left -= 1;
                let mut after = branches.clone();
                if commit::advance(self.inner, &mut after, &[trie.byte(child)]) == 0 {
                    continue;
                }
                let Some(cost) = self.cost_left(&after)? else { continue };
                if let Some(token) = trie.token(child).and_then(|rank| usable_id(self.inner, rank)) {
                    if self.reached(place, used, token, after.clone(), cost) {
                        return Ok(Some(token));
                    }
                }
                let saved = u64::from(self.vocab.trie().height(child));
                if saved > 0 && used + 1 + self.tokens_for(cost.saturating_sub(saved)) < self.below {
                    work.push((child, after));
                }
            }
        }
        Ok(None)
    }

    /// At least so many tokens cost so much.
    fn tokens_for(&self, cost: u64) -> usize {
        let longest = self.vocab.max_token_len().max(1) as u64;
        usize::try_from(cost.div_ceil(longest)).unwrap_or(usize::MAX)
    }

    /// What completes these branches costs this; `None` if nothing does.
    fn cost_left(&mut self, branches: &Branches) -> Result<Option<u64>, RuntimeError> {
        let key = key(branches);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.0);
        }
        self.steps_left = self.steps_left.saturating_sub(PLACE_STEPS);
        let mut search = Search::new(self.inner);
        let found = search.run(self.inner.completions.lock().facts(self.inner, With::Events), branches)?;
        let cost = found.then_some(search.cost);
        self.known.insert(key, (cost, branches.clone()));
        Ok(cost)
    }

    fn tokens(&self, place: usize, last: TokenId) -> Vec<TokenId> {
        let mut tokens = vec![last];
        let mut here = place;
        while let Some((before, token)) = self.places[here].from {
            tokens.push(token);
            here = before;
        }
        tokens.reverse();
        tokens
    }
}
