//! Which tokens of a vocabulary can matter: those with a byte that begins an item or a member, and something after it.
//!
//! A rule breaks where a value or key ends that had to be noticed since it began. While nothing has to be noticed, a token
//! matters only if it begins a value or key itself: it has `,`, `[` or `{` and then more than white space, within a string
//! a `"` before. Where an object lacks a member that it must have, a `}` matters as well. Few tokens have these; they are
//! listed once per vocabulary, and marked in its trie.

use std::sync::Arc;

use glrmask_automata::Id;
use glrmask_vocab::{NodeId, Rank, Trie, Vocab};

use crate::search::is_space;
use crate::state::{Attention, State};
use crate::Rules;

/// What there is in bytes, as a subsequence of them: bits.
pub(crate) mod within {
    /// Anything but white space.
    pub(crate) const SOLID: u16 = 1;
    /// One of `,[{`.
    pub(crate) const BEGIN: u16 = 2;
    /// One of `,[{`, then solid.
    pub(crate) const BEGUN: u16 = 4;
    /// `"`, then one of `,[{`.
    pub(crate) const QUOTED_BEGIN: u16 = 8;
    /// `"`, then one of `,[{`, then solid.
    pub(crate) const QUOTED_BEGUN: u16 = 16;
    /// A comma, then solid.
    pub(crate) const SECOND: u16 = 32;
    /// `[` or `{`, then a comma, then solid.
    pub(crate) const FRESH: u16 = 64;
    /// `"`, then [`FRESH`].
    pub(crate) const QUOTED_FRESH: u16 = 128;
    /// One of `,[{}`.
    pub(crate) const TURN: u16 = 256;
    /// `"`, then one of `,[{}`.
    pub(crate) const QUOTED_TURN: u16 = 512;
    /// [`FRESH`], or `{` and then `}`.
    pub(crate) const WHOLE: u16 = 1024;
    /// `"`, then [`WHOLE`].
    pub(crate) const QUOTED_WHOLE: u16 = 2048;
    /// `}`.
    pub(crate) const END: u16 = 4096;
}

/// What the filter knows about a vocabulary. Immutable; 2 bytes per node of the trie and some lists.
#[derive(Debug)]
pub struct TokenWalk {
    /// What is in the bytes below each node, along some path.
    below: Vec<u16>,
    /// For each bit of [`within`], the tokens that have it, where that is asked.
    lists: [Vec<Rank>; 13],
}

impl TokenWalk {
    /// Looks at every token. O(nodes of the trie).
    pub fn new(vocab: &Vocab) -> Self {
        let unlisted = within::SOLID | within::SECOND | within::END;
        let mut lists: [Vec<Rank>; 13] = Default::default();
        for rank in (0..vocab.rank_count()).map(Rank::from_usize) {
            let bits = vocab.rank_bytes(rank).iter().rev().fold(0, |bits, &byte| before(byte, bits));
            for (bit, list) in lists.iter_mut().enumerate() {
                if (bits & !unlisted) >> bit & 1 == 1 {
                    list.push(rank);
                }
            }
        }
        Self { below: below(vocab.trie()), lists }
    }

    /// That of this vocabulary, kept in its cache.
    pub fn shared(vocab: &Vocab) -> Arc<Self> {
        vocab.cache().get_or_insert(b"instance walk", || {
            let walk = Self::new(vocab);
            let listed: usize = walk.lists.iter().map(Vec::len).sum();
            let bytes = size_of::<Self>() + walk.below.len() * size_of::<u16>() + listed * size_of::<Rank>();
            (Arc::new(walk), bytes)
        })
    }

    /// The tokens that can begin a document with one of these rules and break it, or leave it where it takes a search to
    /// tell how it goes on. Rising.
    pub fn entering<'r>(&self, rules: impl IntoIterator<Item = &'r Rules>) -> &[Rank] {
        let bit = |rules: &Rules| match (rules.are_unsettled(), rules.are_requiring()) {
            (true, _) => within::BEGIN,
            (false, true) => within::WHOLE,
            (false, false) => within::FRESH,
        };
        // Each of them has what the next has.
        let order = [within::BEGIN, within::WHOLE, within::FRESH];
        let bits: Vec<u16> = rules.into_iter().map(bit).collect();
        order.iter().find(|bit| bits.contains(bit)).map_or(&[], |&bit| self.list(bit))
    }

    /// Whether some path below the node has this.
    #[inline]
    pub(crate) fn has_below(&self, node: NodeId, bit: u16) -> bool {
        self.below.get(node.index()).is_some_and(|bits| bits & bit != 0)
    }

    /// The tokens that have this, rising.
    pub(crate) fn list(&self, bit: u16) -> &[Rank] {
        self.lists.get(bit.trailing_zeros() as usize).map_or(&[], Vec::as_slice)
    }
}

/// What a token needs to matter where nothing has to be noticed.
pub(crate) fn needed(attention: Attention, state: &State, rules: &Rules) -> u16 {
    let (plain, quoted) = if state.misses_members() {
        (within::TURN, within::QUOTED_TURN)
    } else if rules.are_unsettled() {
        // A rule may need a search as soon as an array or an item begins.
        (within::BEGIN, within::QUOTED_BEGIN)
    } else if state.is_watched() {
        (within::BEGUN, within::QUOTED_BEGUN)
    } else if rules.are_requiring() {
        (within::WHOLE, within::QUOTED_WHOLE)
    } else {
        (within::FRESH, within::QUOTED_FRESH)
    };
    if attention == Attention::InString {
        quoted
    } else {
        plain
    }
}

/// What is in `byte` and bytes after it that have `bits`.
fn before(byte: u8, bits: u16) -> u16 {
    let if_after = |needed: u16, gained: u16| if bits & needed != 0 { gained } else { 0 };
    let solid = if is_space(byte) { 0 } else { within::SOLID };
    let gained = match byte {
        b',' => within::BEGIN | within::TURN | if_after(within::SOLID, within::BEGUN | within::SECOND),
        b'[' | b'{' => {
            let ended = if byte == b'{' { within::END } else { 0 };
            within::BEGIN
                | within::TURN
                | if_after(within::SOLID, within::BEGUN)
                | if_after(within::SECOND, within::FRESH | within::WHOLE)
                | if_after(ended, within::WHOLE)
        }
        b'}' => within::TURN | within::END,
        b'"' => {
            if_after(within::BEGIN, within::QUOTED_BEGIN)
                | if_after(within::BEGUN, within::QUOTED_BEGUN)
                | if_after(within::FRESH, within::QUOTED_FRESH)
                | if_after(within::TURN, within::QUOTED_TURN)
                | if_after(within::WHOLE, within::QUOTED_WHOLE)
        }
        _ => 0,
    };
    bits | solid | gained
}

/// Bottom-up: backwards through preorder, children come before their parent.
fn below(trie: &Trie) -> Vec<u16> {
    let mut below = vec![0; trie.len()];
    for node in (0..trie.len()).rev() {
        let bits = trie.children(NodeId::from_usize(node)).fold(0, |bits, child| {
            let under = below.get(child.index()).copied().unwrap_or_default();
            bits | before(trie.byte(child), under)
        });
        if let Some(slot) = below.get_mut(node) {
            *slot = bits;
        }
    }
    below
}

#[cfg(test)]
mod tests {
    use super::*;
    use glrmask_vocab::TokenId;

    #[test]
    fn tokens_are_listed_by_what_is_in_them() {
        let tokens = ["a", ", ", ",\"", "[", "\",", "\", \"", "[1,2", "\":[\"a\",\"", " {", "{,", ",[1"];
        let vocab = Vocab::new((0..).map(TokenId).zip(tokens)).unwrap();
        let walk = TokenWalk::new(&vocab);
        let listed = |bit| {
            let mut found: Vec<&str> = walk.list(bit).iter().map(|&r| tokens[vocab.ids(r)[0].index()]).collect();
            found.sort_by_key(|token| tokens.iter().position(|other| other == token));
            found
        };
        assert_eq!(listed(within::BEGIN), &tokens[1..]);
        assert_eq!(listed(within::BEGUN), [",\"", "\", \"", "[1,2", "\":[\"a\",\"", "{,", ",[1"]);
        assert_eq!(listed(within::QUOTED_BEGIN), ["\",", "\", \"", "\":[\"a\",\""]);
        assert_eq!(listed(within::QUOTED_BEGUN), ["\", \"", "\":[\"a\",\""]);
        assert_eq!(listed(within::FRESH), ["[1,2", "\":[\"a\",\""]);
        assert_eq!(listed(within::QUOTED_FRESH), ["\":[\"a\",\""]);
        let node = vocab.trie().find(b"\"").unwrap();
        assert!(walk.has_below(node, within::FRESH) && !walk.has_below(node, within::QUOTED_FRESH));
        assert!(walk.has_below(NodeId::ROOT, within::QUOTED_FRESH));
    }
}
