//! Token vocabularies: ids and bytes, a preorder byte trie, token sets and mask words.
//!
//! A language model names its tokens by integers; a grammar speaks of bytes. A [`Vocab`] holds both sides once per
//! tokenizer and is shared by handle: cloning is two reference counts. Everything that token sets need is arranged so
//! that sets are ranges. The distinct byte strings are numbered in byte order (a [`Rank`]); that is also the preorder
//! of the byte [`Trie`], so a subtree of the trie, "every token that begins with these bytes", is one range of ranks.
//! Original ids come back only when a [`RankSet`] is expanded into mask words (bit `id % 32` of word `id / 32`).
//!
//! Ordinary, not special: sparse ids; several ids with the same bytes (aliases); strings that end inside a UTF-8
//! character; ids declared with no bytes, which match no text and can only be named exactly.
//!
//! ```
//! use glrmask_vocab::{mask, RankSet, TokenId, Vocab};
//!
//! let entries = [(0, "he"), (1, "hello"), (2, "world"), (7, "he"), (9, "")];
//! let vocab = Vocab::new(entries.map(|(id, text)| (TokenId(id), text)))?;
//! assert_eq!((vocab.len(), vocab.rank_count()), (5, 3));
//! assert_eq!(vocab.exact_only(), [TokenId(9)]);
//!
//! // Every token that begins with "he": one subtree, one range, three ids.
//! let node = vocab.trie().find(b"he").ok_or("no token begins like this")?;
//! let (first, end) = vocab.trie().subtree_ranks(node);
//! let mut ranks = RankSet::new();
//! ranks.push_range(first, end);
//! let mut words = vec![0; vocab.mask_words()];
//! vocab.set_ranks(&ranks, &mut words);
//! assert_eq!(mask::iter(&words).collect::<Vec<_>>(), [TokenId(0), TokenId(1), TokenId(7)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cache;
mod content;
mod error;
mod exact;
mod id_map;
pub mod mask;
mod rank_set;
mod strings;
mod trie;
mod vocab;

pub use cache::Cache;
pub use content::Content;
pub use error::VocabError;
pub use exact::ExactTokens;
pub use rank_set::RankSet;
pub use trie::{Children, Trie};
pub use vocab::{Config, Vocab};

use glrmask_automata::typed_id;

typed_id!(
    /// A token id of the model, as the tokenizer gives it. Ids may have gaps.
    pub struct TokenId, "v"
);
typed_id!(
    /// The number of a distinct byte string of the vocabulary in byte order, which is trie order.
    pub struct Rank, "r"
);
typed_id!(
    /// A node of the byte trie, numbered in preorder; the root, the empty string, is 0.
    pub struct NodeId, "node"
);

impl NodeId {
    /// The root of the trie: the empty string.
    pub const ROOT: Self = Self(0);
}

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
