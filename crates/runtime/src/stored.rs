//! The stored form of frozen tables, and the checks on the way back.
//!
//! What many masks share (token groups, words, lists of ids) is stored once. Whatever is read is checked: every index
//! is in range afterwards, so that no stored data can make decoding read out of bounds. That the tables say the truth
//! is not checked; it cannot be without computing them again.

use std::sync::Arc;

use glrmask_automata::Id;
use glrmask_glr::{AcceptId, LrState, QueryId, Reading, RowId, Tables};
use glrmask_lexer::{Lexer, TokenGroup};
use glrmask_vocab::{RankSet, Vocab};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::fill::{ProfileId, Viability};
use crate::frozen::{Frozen, Place};
use crate::mask::{Base, Mask};

/// Frozen tables as plain data.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredFrozen {
    complete: bool,
    /// By component, then state: viability and profile, 0 for what is unknown.
    inside: Vec<Vec<(u32, u32)>>,
    viability_at_boundary: u32,
    boundary: Vec<(u32, u32)>,
    queries: Vec<u32>,
    /// Query and top, or row and symbol; the row that is left and what is accepted.
    starts: Vec<(u32, u32, u32, u32)>,
    edges: Vec<(u32, u32, u32, u32)>,
    unions: Vec<(u32, u32, u32)>,
    rows: u32,
    accepts: u32,
    masks: Vec<(u32, u32, u32)>,
    pool: Pool,
}

/// Masks, and what they share.
#[derive(Default, Serialize, Deserialize)]
struct Pool {
    groups: Vec<RankSet>,
    words: Vec<Vec<u32>>,
    lists: Vec<Vec<u32>>,
    masks: Vec<StoredMask>,
}

#[derive(Serialize, Deserialize)]
struct StoredMask {
    base: StoredBase,
    common: u32,
    removed: Vec<u32>,
    added: Vec<u32>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
enum StoredBase {
    Nothing,
    Group(u32),
    Words(u32),
}

const UNKNOWN: u32 = 0;
const ALWAYS: u32 = 1;
const NEVER: u32 = 2;
const QUERY: u32 = 3;

fn code(viability: Option<Viability>) -> u32 {
    match viability {
        // Tables of lexers whose terminals are shifted first are not stored.
        None | Some(Viability::Shift) => UNKNOWN,
        Some(Viability::Always) => ALWAYS,
        Some(Viability::Never) => NEVER,
        // What was loaded may have any numbers.
        Some(Viability::Query(query)) => QUERY.saturating_add(query.0),
    }
}

fn decode(code: u32) -> Option<Viability> {
    match code {
        UNKNOWN => None,
        ALWAYS => Some(Viability::Always),
        NEVER => Some(Viability::Never),
        query => Some(Viability::Query(QueryId(query - QUERY))),
    }
}

impl StoredFrozen {
    pub(crate) fn new(frozen: &Frozen, complete: bool) -> Self {
        let mut writer = Writer::default();
        let place = |p: &Place| (code(p.viability), p.profile.map_or(0, |p| p.0 + 1));
        // Everything in order: the same bytes for the same tables.
        let mut keys: Vec<_> = frozen.masks.iter().collect();
        keys.sort_unstable_by_key(|&(&key, _)| key);
        let masks = keys.into_iter().map(|(&(p, a), mask)| (p.0, a.0, writer.mask(mask))).collect();
        let mut boundary: Vec<_> = frozen.boundary.iter().map(|(top, profile)| (top.0, profile.0)).collect();
        let mut starts: Vec<_> =
            frozen.starts.iter().map(|(&(q, top), to)| (q.0, top.0, to.row.0, to.accepted.0)).collect();
        let mut edges: Vec<_> =
            frozen.edges.iter().map(|(&(row, s), to)| (row.0, s.0, to.row.0, to.accepted.0)).collect();
        let mut unions: Vec<_> = frozen.unions.iter().map(|(&(a, b), both)| (a.0, b.0, both.0)).collect();
        boundary.sort_unstable();
        starts.sort_unstable();
        edges.sort_unstable();
        unions.sort_unstable();
        Self {
            complete,
            inside: frozen.inside.iter().map(|states| states.iter().map(place).collect()).collect(),
            viability_at_boundary: code(frozen.viability_at_boundary),
            boundary,
            queries: frozen.queries.iter().map(|q| q.0).collect(),
            starts,
            edges,
            unions,
            rows: frozen.rows,
            accepts: frozen.accepts,
            masks,
            pool: writer.pool,
        }
    }

    /// The tables, and whether they are complete.
    pub(crate) fn restore(self, lexer: &Lexer, tables: &Tables, vocab: &Vocab) -> Result<(Frozen, bool), &'static str> {
        let sizes = lexer.components().iter().map(|c| c.dfa().len());
        if !sizes.eq(self.inside.iter().map(Vec::len)) {
            return Err("frozen tables of another lexer");
        }
        let (profiles, rows, accepts) = (self.queries.len(), self.rows, self.accepts);
        let bad_edge = |&(_, symbol, row, accept): &(u32, u32, u32, u32)| {
            row >= rows || accept >= accepts || symbol as usize >= tables.states()
        };
        let bad_place = |&(_, profile): &(u32, u32)| profile as usize > profiles;
        if self.inside.iter().flatten().any(bad_place)
            || self.boundary.iter().any(|&(_, profile)| profile as usize >= profiles)
            || self.starts.iter().chain(&self.edges).any(bad_edge)
            || self.edges.iter().any(|edge| edge.0 >= rows)
            || self.unions.iter().any(|&(a, b, both)| a.max(b).max(both) >= accepts)
            || self.masks.iter().any(|&(profile, accept, _)| profile as usize >= profiles || accept >= accepts)
        {
            return Err("frozen tables name what they do not hold");
        }
        let pool = self.pool.restore(vocab)?;
        let mask = |&(profile, accept, mask): &(u32, u32, u32)| {
            let mask = pool.get(mask as usize).ok_or("frozen tables name a mask they do not hold")?;
            Ok(((ProfileId(profile), AcceptId(accept)), mask.clone()))
        };
        let place = |(viability, profile): (u32, u32)| Place {
            viability: decode(viability),
            profile: profile.checked_sub(1).map(ProfileId),
        };
        let to = |row, accepted| Reading { row: RowId(row), accepted: AcceptId(accepted) };
        let masks = self.masks.iter().map(mask).collect::<Result<_, &'static str>>()?;
        let frozen = Frozen {
            is_free: false,
            inside: self.inside.into_iter().map(|states| states.into_iter().map(place).collect()).collect(),
            viability_at_boundary: decode(self.viability_at_boundary),
            boundary: self.boundary.into_iter().map(|(top, profile)| (LrState(top), ProfileId(profile))).collect(),
            queries: self.queries.into_iter().map(QueryId).collect(),
            starts: self.starts.into_iter().map(|(q, top, row, a)| ((QueryId(q), LrState(top)), to(row, a))).collect(),
            edges: self.edges.into_iter().map(|(row, s, next, a)| ((RowId(row), LrState(s)), to(next, a))).collect(),
            unions: self.unions.into_iter().map(|(a, b, both)| ((AcceptId(a), AcceptId(b)), AcceptId(both))).collect(),
            rows,
            accepts,
            masks,
            bytes: 0,
        };
        Ok((frozen.counted(), self.complete))
    }
}

/// Collects what masks share.
#[derive(Default)]
struct Writer {
    pool: Pool,
    /// By address; everything is held by the tables that are written.
    known: FxHashMap<usize, u32>,
}

impl Writer {
    fn once<T: ?Sized, U>(
        known: &mut FxHashMap<usize, u32>,
        list: &mut Vec<U>,
        shared: &Arc<T>,
        stored: impl FnOnce(&T) -> U,
    ) -> u32 {
        *known.entry(Arc::as_ptr(shared).cast::<()>() as usize).or_insert_with(|| {
            list.push(stored(shared));
            list.len() as u32 - 1
        })
    }

    fn mask(&mut self, mask: &Arc<Mask>) -> u32 {
        let Self { pool, known } = self;
        let base = match &mask.base {
            Base::Nothing => StoredBase::Nothing,
            Base::Group(group) => {
                StoredBase::Group(Self::once(known, &mut pool.groups, group, |group| group.ranks().clone()))
            }
            Base::Words(words) => StoredBase::Words(Self::once(known, &mut pool.words, words, <[u32]>::to_vec)),
        };
        // All empty lists may be one address.
        let common = match mask.common.is_empty() {
            true => u32::MAX,
            false => Self::once(known, &mut pool.lists, &mask.common, <[u32]>::to_vec),
        };
        Self::once(known, &mut pool.masks, mask, |mask| StoredMask {
            base,
            common,
            removed: mask.removed.to_vec(),
            added: mask.added.to_vec(),
        })
    }
}

impl Pool {
    fn restore(self, vocab: &Vocab) -> Result<Vec<Arc<Mask>>, &'static str> {
        let ids = 32 * vocab.mask_words();
        let bad_ids = |list: &[u32]| list.iter().any(|&id| id as usize >= ids);
        let ranks = vocab.rank_count();
        let bad_ranks = |set: &RankSet| set.ranges().last().is_some_and(|last| last.1.index() > ranks);
        if self.words.iter().any(|words| words.len() != vocab.mask_words())
            || self.lists.iter().any(|list| bad_ids(list))
            || self.masks.iter().any(|mask| bad_ids(&mask.removed) || bad_ids(&mask.added))
            || self.groups.iter().any(bad_ranks)
        {
            return Err("masks of another vocabulary");
        }
        let groups: Vec<Arc<TokenGroup>> = self.groups.into_iter().map(|set| shared_group(set, vocab)).collect();
        let words: Vec<Arc<[u32]>> = self.words.into_iter().map(Into::into).collect();
        let lists: Vec<Arc<[u32]>> = self.lists.into_iter().map(Into::into).collect();
        let none: Arc<[u32]> = Arc::default();
        let missing = "a mask names what is not held";
        let mask = |stored: StoredMask| {
            let base = match stored.base {
                StoredBase::Nothing => Base::Nothing,
                StoredBase::Group(index) => Base::Group(groups.get(index as usize).ok_or(missing)?.clone()),
                StoredBase::Words(index) => Base::Words(words.get(index as usize).ok_or(missing)?.clone()),
            };
            let common = match stored.common {
                u32::MAX => none.clone(),
                index => lists.get(index as usize).ok_or(missing)?.clone(),
            };
            Ok(Arc::new(Mask { base, common, removed: stored.removed.into(), added: stored.added.into() }))
        };
        self.masks.into_iter().map(mask).collect()
    }
}

/// One group per set of tokens and vocabulary, so that its mask words are made once for all constraints.
fn shared_group(set: RankSet, vocab: &Vocab) -> Arc<TokenGroup> {
    let mut key = Vec::with_capacity(8 * set.ranges().len() + 5);
    key.extend_from_slice(b"group");
    for (start, end) in set.ranges() {
        key.extend_from_slice(&start.0.to_le_bytes());
        key.extend_from_slice(&end.0.to_le_bytes());
    }
    let bytes = 2 * key.len() + 4 * vocab.mask_words();
    vocab.cache().get_or_insert(&key, || (Arc::new(TokenGroup::new(set)), bytes))
}
