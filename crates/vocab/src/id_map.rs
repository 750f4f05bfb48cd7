//! Token id → rank, whether ids are dense or sparse.
//!
//! Tokenizers number their tokens almost without gaps, so a table indexed by id is the normal case. A handful of ids
//! near the limit would make that table huge; then the sorted ids are searched instead.

use crate::{Rank, TokenId, VocabError};

/// The ids of a vocabulary with their ranks.
#[derive(Debug)]
pub(crate) struct IdMap {
    /// Rising, without repeats.
    ids: Vec<TokenId>,
    /// Rank of the id at the same position; `EXACT` if it has no bytes.
    ranks: Vec<Rank>,
    /// Position by id, `NONE` in gaps; empty if ids are sparse.
    table: Vec<u32>,
}

const EXACT: Rank = Rank(u32::MAX);
const NONE: u32 = u32::MAX;

impl IdMap {
    /// Takes ids with their ranks (none: no bytes), in any order.
    pub(crate) fn new(mut pairs: Vec<(TokenId, Option<Rank>)>) -> Result<Self, VocabError> {
        pairs.sort_unstable_by_key(|&(id, _)| id);
        if let Some([first, _]) = pairs.array_windows().find(|[a, b]| a.0 == b.0) {
            return Err(VocabError::duplicate_id(first.0));
        }
        let ids: Vec<_> = pairs.iter().map(|&(id, _)| id).collect();
        let ranks = pairs.iter().map(|&(_, rank)| rank.unwrap_or(EXACT)).collect();
        let table = table(&ids);
        Ok(Self { ids, ranks, table })
    }

    /// Every id, rising.
    pub(crate) fn ids(&self) -> &[TokenId] {
        &self.ids
    }

    /// Ids with their ranks, in order of id; no rank means no bytes.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (TokenId, Option<Rank>)> + '_ {
        self.ids.iter().zip(&self.ranks).map(|(&id, &rank)| (id, Some(rank).filter(|&r| r != EXACT)))
    }

    /// `None` if the id is unknown, `Some(None)` if it has no bytes.
    #[inline]
    pub(crate) fn get(&self, id: TokenId) -> Option<Option<Rank>> {
        let rank = *self.ranks.get(self.position(id)?)?;
        Some(Some(rank).filter(|&r| r != EXACT))
    }

    #[inline]
    fn position(&self, id: TokenId) -> Option<usize> {
        if self.table.is_empty() {
            return self.ids.binary_search(&id).ok();
        }
        self.table.get(id.0 as usize).filter(|&&position| position != NONE).map(|&position| position as usize)
    }
}

/// The dense table, or nothing where it would be more than four times as long as the list of ids.
fn table(ids: &[TokenId]) -> Vec<u32> {
    let len = ids.last().map_or(0, |max| max.0 as usize + 1);
    if len > ids.len().saturating_mul(4).saturating_add(1024) {
        return Vec::new();
    }
    let mut table = vec![NONE; len];
    for (id, position) in ids.iter().zip(0u32..) {
        if let Some(slot) = table.get_mut(id.0 as usize) {
            *slot = position;
        }
    }
    table
}
