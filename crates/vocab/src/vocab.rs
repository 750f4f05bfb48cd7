//! The vocabulary: token ids and their bytes, both ways.

use std::collections::BTreeMap;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3Default;

use crate::id_map::IdMap;
use crate::strings::{Entries, Strings};
use crate::{mask, Cache, Rank, RankSet, TokenId, Trie, VocabError};

/// Limits of a vocabulary.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// Largest id allowed. A mask has a bit for every id up to the largest, so one stray id can cost half a gigabyte
    /// per mask. Default 2²⁴ − 1 (masks of 2 MiB).
    pub max_id: u32,
    /// Largest number of bytes of all strings together, default 2²⁶: the trie takes
    /// 21 bytes for each. Never more than 2³² − 2.
    pub max_bytes: u64,
    /// Budget of the vocabulary's [`Cache`] in bytes, default 256 MiB.
    pub cache_bytes: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { max_id: (1 << 24) - 1, max_bytes: 1 << 26, cache_bytes: 256 << 20 }
    }
}

/// A token vocabulary: immutable, shared by handle. Cloning is O(1), and clones share the trie and the cache.
#[derive(Clone, Debug)]
pub struct Vocab {
    core: Arc<Core>,
    names: Arc<Names>,
}

#[derive(Debug)]
struct Core {
    ids: IdMap,
    strings: Strings,
    trie: Trie,
    /// Ids without bytes, rising.
    exact_only: Vec<TokenId>,
    max_token_len: usize,
    fingerprint: u128,
    cache: Cache,
}

#[derive(Debug, Default)]
struct Names {
    special_tokens: BTreeMap<String, TokenId>,
    end_tokens: Vec<TokenId>,
}

impl Vocab {
    /// Builds a vocabulary with the default [`Config`] from ids with their bytes. Ids with no bytes match no text.
    /// O(bytes · log entries); 128 000 tokens take some tens of milliseconds.
    ///
    /// # Errors
    /// An id twice, an id above `max_id`, or more bytes than `max_bytes`.
    ///
    /// ```
    /// use glrmask_vocab::{TokenId, Vocab};
    /// let vocab = Vocab::new([(TokenId(0), "a"), (TokenId(5), "b")])?;
    /// assert_eq!(vocab.bytes(TokenId(5)), Some(&b"b"[..]));
    /// assert_eq!(vocab.bytes(TokenId(1)), None);
    /// let twice = Vocab::new([(TokenId(0), "a"), (TokenId(0), "b")]);
    /// assert_eq!(twice.unwrap_err().to_string(), "token id 0 is declared twice");
    /// # Ok::<(), glrmask_vocab::VocabError>(())
    /// ```
    pub fn new<B: AsRef<[u8]>>(entries: impl IntoIterator<Item = (TokenId, B)>) -> Result<Self, VocabError> {
        Self::with_config(entries, &Config::default())
    }

    /// [`new`](Self::new) with other limits.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn with_config<B: AsRef<[u8]>>(
        entries: impl IntoIterator<Item = (TokenId, B)>,
        config: &Config,
    ) -> Result<Self, VocabError> {
        let (strings, ranks) = Entries::collect(entries, config)?.sort();
        let ids = IdMap::new(ranks)?;
        let core = Core {
            trie: Trie::from_sorted(strings.iter()),
            exact_only: ids.iter().filter(|(_, rank)| rank.is_none()).map(|(id, _)| id).collect(),
            max_token_len: strings.iter().map(<[u8]>::len).max().unwrap_or(0),
            fingerprint: fingerprint(&ids, &strings),
            cache: Cache::new(config.cache_bytes),
            ids,
            strings,
        };
        Ok(Self { core: Arc::new(core), names: Arc::default() })
    }

    /// The same vocabulary with names for special tokens. They say nothing about matching and are not part of the
    /// [`fingerprint`](Self::fingerprint); the ids need not be in the vocabulary.
    #[must_use]
    pub fn with_special_tokens(mut self, special_tokens: BTreeMap<String, TokenId>) -> Self {
        let end_tokens = self.names.end_tokens.clone();
        self.names = Arc::new(Names { special_tokens, end_tokens });
        self
    }

    /// The same vocabulary with the ids that end a sequence, where the source knows them. They need not be in the
    /// vocabulary and are not part of the [`fingerprint`](Self::fingerprint).
    #[must_use]
    pub fn with_end_tokens(mut self, end_tokens: Vec<TokenId>) -> Self {
        let special_tokens = self.names.special_tokens.clone();
        self.names = Arc::new(Names { special_tokens, end_tokens });
        self
    }

    /// Names of special tokens; empty unless given.
    pub fn special_tokens(&self) -> &BTreeMap<String, TokenId> {
        &self.names.special_tokens
    }

    /// Ids that end a sequence, as given; empty unless given.
    pub fn end_tokens(&self) -> &[TokenId] {
        &self.names.end_tokens
    }

    /// Number of ids, those without bytes included.
    pub fn len(&self) -> usize {
        self.core.ids.ids().len()
    }

    /// Whether there is no id.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of distinct non-empty byte strings; ranks are below it.
    pub fn rank_count(&self) -> usize {
        self.core.strings.len()
    }

    /// The largest id.
    pub fn max_id(&self) -> Option<TokenId> {
        self.core.ids.ids().last().copied()
    }

    /// Number of 32-bit words of a mask over this vocabulary.
    pub fn mask_words(&self) -> usize {
        self.max_id().map_or(0, |max| mask::words_for(max.0 as usize + 1))
    }

    /// Length of the longest string, in bytes.
    pub fn max_token_len(&self) -> usize {
        self.core.max_token_len
    }

    /// Whether the id is declared, with or without bytes.
    pub fn contains(&self, id: TokenId) -> bool {
        self.core.ids.get(id).is_some()
    }

    /// Bytes of the id; empty for an id without bytes. O(1), or O(log ids) if ids are very sparse.
    #[inline]
    pub fn bytes(&self, id: TokenId) -> Option<&[u8]> {
        self.core.ids.get(id).map(|rank| rank.map_or(&[][..], |rank| self.rank_bytes(rank)))
    }

    /// Rank of the id's bytes; `None` if the id is unknown or has no bytes.
    #[inline]
    pub fn rank(&self, id: TokenId) -> Option<Rank> {
        self.core.ids.get(id).flatten()
    }

    /// The string of this rank.
    ///
    /// # Panics
    /// If the rank is not below [`rank_count`](Self::rank_count).
    #[inline]
    pub fn rank_bytes(&self, rank: Rank) -> &[u8] {
        self.core.strings.bytes(rank)
    }

    /// The ids with this string, rising; more than one if it has aliases, none if the rank is out of range.
    #[inline]
    pub fn ids(&self, rank: Rank) -> &[TokenId] {
        self.range_ids(rank, Rank(rank.0.saturating_add(1)))
    }

    /// The smallest id with this string.
    #[inline]
    pub fn first_id(&self, rank: Rank) -> Option<TokenId> {
        self.ids(rank).first().copied()
    }

    /// The ids of all ranks from `start` up to but without `end`, in order of (rank, id).
    #[inline]
    pub fn range_ids(&self, start: Rank, end: Rank) -> &[TokenId] {
        self.core.strings.ids(start, end)
    }

    /// Ids without bytes, rising. They match no text.
    pub fn exact_only(&self) -> &[TokenId] {
        &self.core.exact_only
    }

    /// Ids with their bytes, in order of id.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (TokenId, &[u8])> + '_ {
        self.core.ids.iter().map(|(id, rank)| (id, rank.map_or(&[][..], |rank| self.rank_bytes(rank))))
    }

    /// Hash of the mapping from ids to bytes, ids without bytes included: the same for the same mapping in every
    /// process and version. It guards against mix-ups, not against forgery.
    pub fn fingerprint(&self) -> u128 {
        self.core.fingerprint
    }

    /// Every id, rising.
    pub(crate) fn id_list(&self) -> &[TokenId] {
        self.core.ids.ids()
    }

    /// The byte trie.
    pub fn trie(&self) -> &Trie {
        &self.core.trie
    }

    /// The cache of what has been built for this vocabulary, shared by all clones.
    pub fn cache(&self) -> &Cache {
        &self.core.cache
    }

    /// Sets the bits of every id of these ranks; other bits stay. O(ranges + ids).
    ///
    /// Ids beyond the end of the buffer are left out, see [`mask_words`](Self::mask_words).
    pub fn set_ranks(&self, ranks: &RankSet, words: &mut [u32]) {
        for &(start, end) in ranks.ranges() {
            self.range_ids(start, end).iter().for_each(|&id| mask::set(words, id));
        }
    }

    /// Clears the bits of every id of these ranks; other bits stay. O(ranges + ids).
    pub fn clear_ranks(&self, ranks: &RankSet, words: &mut [u32]) {
        for &(start, end) in ranks.ranges() {
            self.range_ids(start, end).iter().for_each(|&id| mask::clear(words, id));
        }
    }
}

/// XXH3-128 over (id, length, bytes) in order of id, numbers little-endian.
fn fingerprint(ids: &IdMap, strings: &Strings) -> u128 {
    let mut hasher = Xxh3Default::new();
    let mut record = Vec::new();
    for (id, rank) in ids.iter() {
        let bytes = rank.map_or(&[][..], |rank| strings.bytes(rank));
        record.clear();
        record.extend_from_slice(&id.0.to_le_bytes());
        record.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        record.extend_from_slice(bytes);
        hasher.update(&record);
    }
    hasher.digest128()
}
