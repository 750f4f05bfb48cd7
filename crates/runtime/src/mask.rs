//! Masks: from accepted classes back to tokens, in original id order.

use glrmask_automata::lexdag::{ClassDag, ClassId};
use glrmask_glr::{ParserDwa, QueryId, RowId};
use glrmask_vocab::{RankSet, Vocab};

/// Masks with fewer tokens are kept as lists of ids: a 16 KB copy is dearer than a few hundred stores after a clear.
const SPARSE_IDS: usize = 512;

/// A finished mask.
#[derive(Clone, Debug)]
pub(crate) enum Mask {
    /// The allowed ids.
    Sparse(Box<[u32]>),
    /// One bit per id.
    Dense(Box<[u32]>),
}

impl Mask {
    /// Writes the mask over `words`, which are long enough.
    #[inline]
    pub(crate) fn write(&self, words: &mut [u32]) {
        match self {
            Self::Sparse(ids) => {
                words.fill(0);
                set_ids(ids, words);
            }
            Self::Dense(bits) => {
                words[..bits.len()].copy_from_slice(bits);
                words[bits.len()..].fill(0);
            }
        }
    }

    /// Adds the mask to `words`, which are long enough.
    pub(crate) fn add(&self, words: &mut [u32]) {
        match self {
            Self::Sparse(ids) => set_ids(ids, words),
            Self::Dense(bits) => words.iter_mut().zip(&**bits).for_each(|(word, more)| *word |= more),
        }
    }

    pub(crate) fn memory_usage(&self) -> usize {
        match self {
            Self::Sparse(ids) | Self::Dense(ids) => 4 * ids.len() + 48,
        }
    }
}

#[inline]
fn set_ids(ids: &[u32], words: &mut [u32]) {
    for &id in ids {
        words[id as usize / 32] |= 1 << (id % 32);
    }
}

/// The tokens of each class of a profile, arranged by what accepts them.
#[derive(Debug)]
pub(crate) struct TokenSets {
    sets: Vec<RankSet>,
    /// Per first terminal of the query and member of its need set: the sets it accepts.
    by_member: Vec<Vec<Vec<u32>>>,
}

impl TokenSets {
    pub(crate) fn new(dwa: &ParserDwa, dag: &ClassDag, query: QueryId, classes: Vec<(ClassId, RankSet)>) -> Self {
        let mut by_member: Vec<Vec<Vec<u32>>> = vec![Vec::new(); dwa.query_firsts(query).firsts.len()];
        for (index, (class, _)) in classes.iter().enumerate() {
            for (first, member) in dwa.places(dag, query, *class) {
                let members = &mut by_member[first];
                if members.len() <= member {
                    members.resize(member + 1, Vec::new());
                }
                members[member].push(index as u32);
            }
        }
        Self { sets: classes.into_iter().map(|c| c.1).collect(), by_member }
    }

    /// The mask of all tokens whose class the row accepts.
    pub(crate) fn mask(&self, dwa: &ParserDwa, row: RowId, vocab: &Vocab) -> Mask {
        let mut wanted = vec![false; self.sets.len()];
        for (first, &weight) in dwa.row(row).accepted.iter().enumerate() {
            for member in dwa.members(weight) {
                let sets = self.by_member[first].get(member).map_or(&[][..], |s| s);
                sets.iter().for_each(|&set| wanted[set as usize] = true);
            }
        }
        let mut words = vec![0u32; vocab.mask_words()];
        let accepted = self.sets.iter().zip(&wanted).filter(|(_, &wanted)| wanted);
        accepted.for_each(|(set, _)| vocab.set_ranks(set, &mut words));
        compact(words)
    }

    pub(crate) fn memory_usage(&self) -> usize {
        self.sets.iter().map(|s| 8 * s.ranges().len() + 64).sum()
    }
}

fn compact(words: Vec<u32>) -> Mask {
    let count: usize = words.iter().map(|w| w.count_ones() as usize).sum();
    if count >= SPARSE_IDS {
        return Mask::Dense(words.into());
    }
    let mut ids = Vec::with_capacity(count);
    for (index, &word) in words.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            ids.push(index as u32 * 32 + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
    Mask::Sparse(ids.into())
}
