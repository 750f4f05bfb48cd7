//! Taking out of a mask the tokens that break a rule, or leave no way to keep it.
//!
//! Where nothing has to be noticed, the few tokens that can matter are listed (`walk.rs`), and each that is in the mask is
//! read by the tracker. Elsewhere tracker and trie of the vocabulary are walked together. Most bytes lead off every earlier
//! value at once; what is below them is passed over. Where a rule breaks, everything below is cleared. A token that ends
//! where something is at stake stays if a longer one stays, for a completion of that is one of its own; otherwise the
//! search decides.

use glrmask_automata::ByteSet;
use glrmask_vocab::{mask, NodeId, Rank, TokenId, Trie, Vocab};

use crate::search::{Continuations, Outlook, Search};
use crate::state::{Attention, State};
use crate::walk::{needed, TokenWalk};
use crate::{Rules, Tracker};

/// Tokens of a subtree that are looked up to find one that is in the mask.
const LOOKED_UP: usize = 24;

/// Clears the bits of all tokens after which a rule is broken or the text cannot be completed by the rules any more.
///
/// `words` is the grammar's mask at the tracker's place; bits are only ever cleared. Ids without bytes and ids that the
/// vocabulary does not have are left alone, as are tokens that are not JSON here. Bits are left as they were before if
/// there is an error.
///
/// Costs: nothing is open that has a rule, a look at some dozen bits; in a string that repeats nothing so far, some
/// hundred; at the beginning of an item or along an earlier value, the tokens along earlier values, and for those
/// that end there the grammar is asked.
///
/// # Errors
/// Those of `continuations`.
pub fn filter<C: Continuations>(
    tracker: &Tracker,
    walk: &TokenWalk,
    vocab: &Vocab,
    words: &mut [u32],
    continuations: &mut C,
) -> Result<(), C::Error> {
    let rules = tracker.rules().as_ref();
    let (left, cleared) = (Vec::new(), Vec::new());
    let search = Search::new(rules, continuations);
    let mut filter = Filter { rules, walk, vocab, trie: vocab.trie(), words, search, left, cleared };
    let state = tracker.state();
    match state.attention(rules) {
        Attention::Watched => filter.walk(state)?,
        attention => {
            let needed = needed(attention, state, rules);
            filter.read_all(state, walk.list(needed).iter())?;
        }
    }
    for (first, end) in std::mem::take(&mut filter.cleared) {
        vocab.range_ids(first, end).iter().for_each(|&id| mask::clear(words, id));
    }
    Ok(())
}

/// Whether [`filter`] has anything to do other than to look at bits of the mask: whether it would ask the grammar or
/// clear a bit, or has to walk to find out.
pub fn must_filter(tracker: &Tracker, walk: &TokenWalk, vocab: &Vocab, words: &[u32]) -> bool {
    let (rules, state) = (tracker.rules().as_ref(), tracker.state());
    match state.attention(rules) {
        Attention::Watched => true,
        attention => {
            let list = walk.list(needed(attention, state, rules));
            list.iter().any(|&rank| is_set(vocab.ids(rank), words))
        }
    }
}

fn is_set(ids: &[TokenId], words: &[u32]) -> bool {
    ids.iter().any(|&id| mask::get(words, id))
}

struct Filter<'a, C: Continuations> {
    rules: &'a Rules,
    walk: &'a TokenWalk,
    vocab: &'a Vocab,
    trie: &'a Trie,
    words: &'a [u32],
    /// Shared by all tokens.
    search: Search<'a, C>,
    /// Half-open ranges of ranks in which listed tokens are still to be read, and what they are listed for.
    left: Vec<((Rank, Rank), u16)>,
    /// Half-open ranges of ranks that go.
    cleared: Vec<(Rank, Rank)>,
}

/// A node on the path of the walk.
struct Level {
    end: NodeId,
    state: State,
    /// The token of this node, if it is in the mask and something is at stake at its end.
    pending: Option<Rank>,
    /// Whether a token here or above waits for another to stay.
    asked: bool,
    /// Whether a token of this subtree stays.
    stays: bool,
    /// The bytes that can matter at once.
    telling: ByteSet,
    /// What must be below a node of another byte for it to matter; 0 if it cannot.
    needed: u16,
}

impl<C: Continuations> Filter<'_, C> {
    /// Reads each of the tokens that is in the mask.
    fn read_all<'r>(&mut self, start: &State, ranks: impl Iterator<Item = &'r Rank>) -> Result<(), C::Error> {
        for &rank in ranks {
            if is_set(self.vocab.ids(rank), self.words) {
                self.read(start, rank)?;
            }
        }
        Ok(())
    }

    fn read(&mut self, start: &State, rank: Rank) -> Result<(), C::Error> {
        let mut state = start.clone();
        for &byte in self.vocab.rank_bytes(rank) {
            match state.step(self.rules, byte) {
                Ok(()) => {}
                Err(fault) if fault.is_not_json() => return Ok(()),
                Err(_) => {
                    self.clear(rank);
                    return Ok(());
                }
            }
        }
        self.decide(&state, rank).map(drop)
    }

    /// Clears the token that has led to this state unless the text can be completed from there; tells whether it stays.
    fn decide(&mut self, state: &State, rank: Rank) -> Result<bool, C::Error> {
        let stays = self.search.outlook(state, self.vocab.rank_bytes(rank))? == Outlook::Open;
        if !stays {
            self.clear(rank);
        }
        Ok(stays)
    }

    fn clear(&mut self, rank: Rank) {
        self.cleared.push((rank, Rank(rank.0.saturating_add(1))));
    }

    /// Walks the trie in preorder.
    fn walk(&mut self, start: &State) -> Result<(), C::Error> {
        let root = self.level(NodeId::ROOT, start.clone(), Attention::Watched, false);
        let mut levels = vec![root];
        let mut node = NodeId(1);
        while let Some(level) = levels.last() {
            if node >= level.end {
                self.leave(&mut levels)?;
            } else {
                node = self.visit(&mut levels, node);
            }
        }
        for ((first, end), needed) in std::mem::take(&mut self.left) {
            let list = self.walk.list(needed);
            let from = list.partition_point(|&rank| rank < first);
            self.read_all(start, list.iter().skip(from).take_while(|&&rank| rank < end))?;
        }
        Ok(())
    }

    /// Passes over children that do not matter, and enters the next that does; the next node to visit.
    fn visit(&mut self, levels: &mut Vec<Level>, node: NodeId) -> NodeId {
        let Some(level) = levels.last_mut() else { return node };
        let node = self.skip_content(level, node);
        if node >= level.end {
            return node;
        }
        let end = self.trie.end(node);
        let mut state = level.state.clone();
        match state.step(self.rules, self.trie.byte(node)) {
            Ok(()) => {}
            Err(fault) if fault.is_not_json() => return end,
            Err(_) => {
                self.cleared.push(self.trie.subtree_ranks(node));
                return end;
            }
        }
        let attention = state.attention(self.rules);
        let matters =
            attention == Attention::Watched || self.walk.has_below(node, needed(attention, &state, self.rules));
        if !matters {
            self.pass(level, node);
            return end;
        }
        let asked = level.asked && !level.stays;
        let level = self.level(node, state, attention, asked);
        levels.push(level);
        NodeId(node.0 + 1)
    }

    /// Most bytes are content off every earlier value, or no JSON. Below them only listed tokens matter, which are read
    /// one by one later on.
    fn skip_content(&mut self, level: &mut Level, mut node: NodeId) -> NodeId {
        while node < level.end && !level.telling.contains(self.trie.byte(node)) {
            if self.walk.has_below(node, level.needed) {
                self.left.push((self.trie.subtree_ranks(node), level.needed));
            } else {
                self.pass(level, node);
            }
            node = self.trie.end(node);
        }
        node
    }

    fn level(&self, node: NodeId, state: State, attention: Attention, asked: bool) -> Level {
        let token = self.trie.token(node).filter(|&rank| is_set(self.vocab.ids(rank), self.words));
        let at_stake = token.is_some() && state.is_at_stake(self.rules);
        let settled = !state.is_unsettled_anywhere(self.rules);
        let needed = match (state.is_in_string(), attention) {
            (true, _) => needed(Attention::InString, &state, self.rules),
            (false, Attention::Watched) => 0,
            (false, _) => needed(Attention::Structure, &state, self.rules),
        };
        Level {
            end: self.trie.end(node),
            pending: token.filter(|_| at_stake),
            asked: asked || at_stake,
            stays: token.is_some() && !at_stake,
            telling: if settled { state.telling_bytes(attention) } else { ByteSet::FULL },
            needed,
            state,
        }
    }

    /// Nothing at or below the node can be refused: if some token there is in the mask, those it begins with stay.
    fn pass(&self, level: &mut Level, node: NodeId) {
        if level.asked && !level.stays {
            let (first, end) = self.trie.subtree_ranks(node);
            let ids = self.vocab.range_ids(first, end);
            level.stays = is_set(ids.get(..LOOKED_UP).unwrap_or(ids), self.words);
        }
    }

    /// Leaves the last level: its token is decided, and what is known of it is passed up.
    fn leave(&mut self, levels: &mut Vec<Level>) -> Result<(), C::Error> {
        let Some(mut level) = levels.pop() else { return Ok(()) };
        if let (Some(rank), false) = (level.pending, level.stays) {
            level.stays = self.decide(&level.state, rank)?;
        }
        if let Some(above) = levels.last_mut() {
            above.stays |= level.stays;
        }
        Ok(())
    }
}
