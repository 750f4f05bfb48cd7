//! The distinct token strings in byte order, end to end in one buffer, with the ids of each.
//!
//! Sorting is the largest part of building a vocabulary. Most comparisons are settled by the first eight bytes, held
//! beside each entry as one big-endian number; only ties look at the strings themselves.

use crate::{Config, Rank, TokenId, VocabError};

/// Strings and ids by rank.
#[derive(Debug)]
pub(crate) struct Strings {
    data: Vec<u8>,
    /// String of rank `r` is `data[bounds[r]..bounds[r + 1]]`; one entry more than ranks.
    bounds: Vec<u32>,
    /// Ids in order of (rank, id).
    ids: Vec<TokenId>,
    /// Ids of rank `r` are `ids[id_bounds[r]..id_bounds[r + 1]]`; one entry more than ranks.
    id_bounds: Vec<u32>,
}

/// Entries as they come in, end to end in one buffer.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    data: Vec<u8>,
    entries: Vec<(TokenId, u32, u32)>,
}

impl Entries {
    /// Collects entries within the limits of the configuration.
    pub(crate) fn collect<B: AsRef<[u8]>>(
        entries: impl IntoIterator<Item = (TokenId, B)>,
        config: &Config,
    ) -> Result<Self, VocabError> {
        let entries = entries.into_iter();
        let byte_limit = config.max_bytes.min(MAX_BYTES);
        let mut all = Self { data: Vec::new(), entries: Vec::with_capacity(entries.size_hint().0.min(1 << 20)) };
        for (id, bytes) in entries {
            if id.0 > config.max_id {
                return Err(VocabError::id_above_limit(id, config.max_id));
            }
            let start = all.data.len();
            all.data.extend_from_slice(bytes.as_ref());
            if all.data.len() as u64 > byte_limit {
                return Err(VocabError::too_many_bytes(all.data.len() as u64, byte_limit));
            }
            all.entries.push((id, start as u32, all.data.len() as u32));
        }
        Ok(all)
    }

    /// Sorts the entries by bytes. Returns the strings, and every id with its rank (none: no bytes).
    pub(crate) fn sort(self) -> (Strings, Vec<(TokenId, Option<Rank>)>) {
        let mut keyed: Vec<Keyed<'_>> = self.keyed().filter(|entry| !entry.bytes.is_empty()).collect();
        keyed.sort_unstable_by(|a, b| (a.prefix, a.bytes, a.id).cmp(&(b.prefix, b.bytes, b.id)));
        let mut strings = Strings::with_capacity(self.data.len(), keyed.len());
        let mut ranks: Vec<_> = self.keyed().filter(|e| e.bytes.is_empty()).map(|e| (e.id, None)).collect();
        ranks.extend(keyed.into_iter().map(|entry| (entry.id, Some(strings.push(entry.bytes, entry.id)))));
        (strings, ranks)
    }

    fn keyed(&self) -> impl Iterator<Item = Keyed<'_>> {
        self.entries.iter().map(|&(id, start, end)| {
            let bytes = self.data.get(start as usize..end as usize).unwrap_or_default();
            Keyed { prefix: prefix(bytes), bytes, id }
        })
    }
}

/// The trie has at most one node per byte and a root, and numbers them with 32 bits.
const MAX_BYTES: u64 = u32::MAX as u64 - 1;

struct Keyed<'a> {
    prefix: u64,
    bytes: &'a [u8],
    id: TokenId,
}

/// The first eight bytes as a number that compares as they do; shorter strings are padded with zeros.
fn prefix(bytes: &[u8]) -> u64 {
    if let Some(chunk) = bytes.first_chunk::<8>() {
        return u64::from_be_bytes(*chunk);
    }
    bytes.iter().fold(0, |key, &byte| key << 8 | u64::from(byte)) << (8 * (8 - bytes.len()) % 64)
}

impl Strings {
    fn with_capacity(bytes: usize, strings: usize) -> Self {
        let mut bounds = Vec::with_capacity(strings + 1);
        let mut id_bounds = Vec::with_capacity(strings + 1);
        bounds.push(0);
        id_bounds.push(0);
        Self { data: Vec::with_capacity(bytes), bounds, ids: Vec::with_capacity(strings), id_bounds }
    }

    /// Appends an id, whose bytes are those of the last rank or come after them.
    fn push(&mut self, bytes: &[u8], id: TokenId) -> Rank {
        self.ids.push(id);
        if self.len() > 0 && self.bytes(self.last()) == bytes {
            if let Some(end) = self.id_bounds.last_mut() {
                *end += 1;
            }
        } else {
            self.data.extend_from_slice(bytes);
            self.bounds.push(self.data.len() as u32);
            self.id_bounds.push(self.ids.len() as u32);
        }
        self.last()
    }

    fn last(&self) -> Rank {
        Rank(self.len().saturating_sub(1) as u32)
    }

    /// Number of distinct strings.
    pub(crate) fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    /// The string of this rank.
    #[inline]
    pub(crate) fn bytes(&self, rank: Rank) -> &[u8] {
        &self.data[self.bounds[rank.0 as usize] as usize..self.bounds[rank.0 as usize + 1] as usize]
    }

    /// Every string in order of rank.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len() as u32).map(|rank| self.bytes(Rank(rank)))
    }

    /// Ids of the ranks `start..end`, in order of (rank, id); ranks beyond the last are left out.
    #[inline]
    pub(crate) fn ids(&self, start: Rank, end: Rank) -> &[TokenId] {
        let bound = |rank: Rank| self.id_bounds.get(rank.0 as usize).map_or(self.ids.len(), |&b| b as usize);
        self.ids.get(bound(start)..bound(end)).unwrap_or_default()
    }
}
