//! Masks: from accepted classes back to tokens, in original id order.

use glrmask_automata::lexdag::{ClassDag, ClassId};
use glrmask_glr::{ParserDwa, QueryId, RowId};
use glrmask_lexer::TokenSet;
use glrmask_vocab::Vocab;

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
    sets: Vec<TokenSet>,
    /// Per group of the query and place in it: the sets it accepts.
    by_place: Vec<Vec<Vec<u32>>>,
}

impl TokenSets {
    pub(crate) fn new(dwa: &ParserDwa, dag: &ClassDag, query: QueryId, classes: Vec<(ClassId, TokenSet)>) -> Self {
        let mut by_place: Vec<Vec<Vec<u32>>> = vec![Vec::new(); dwa.get_query(query).groups.len()];
        for (index, (class, _)) in classes.iter().enumerate() {
            for (group, place) in dwa.places(dag, query, *class) {
                let places = &mut by_place[group];
                if places.len() <= place {
                    places.resize(place + 1, Vec::new());
                }
                places[place].push(index as u32);
            }
        }
        Self { sets: classes.into_iter().map(|c| c.1).collect(), by_place }
    }

    /// The mask of all tokens whose class the row accepts.
    pub(crate) fn mask(&self, dwa: &ParserDwa, row: RowId, vocab: &Vocab) -> Mask {
        let mut wanted = vec![false; self.sets.len()];
        for (group, &weight) in dwa.row(row).accepted.iter().enumerate() {
            for place in dwa.accepted_places(weight) {
                let sets = self.by_place[group].get(place).map_or(&[][..], |s| s);
                sets.iter().for_each(|&set| wanted[set as usize] = true);
            }
        }
        let accepted = || self.sets.iter().zip(&wanted).filter(|(_, &wanted)| wanted).map(|(set, _)| set);
        if accepted().map(|set| set.len()).sum::<usize>() < SPARSE_IDS / 2 {
            let mut ids: Vec<u32> = accepted().flat_map(|set| ids_of(set, vocab)).collect();
            ids.sort_unstable();
            return Mask::Sparse(ids.into());
        }
        let mut words = vec![0u32; vocab.mask_words()];
        accepted().for_each(|set| set.add_to(vocab, &mut words));
        compact(words)
    }

    pub(crate) fn memory_usage(&self) -> usize {
        self.sets.iter().map(|s| 8 * s.own.ranges().len() + 64).sum()
    }
}

fn ids_of<'a>(set: &'a TokenSet, vocab: &'a Vocab) -> impl Iterator<Item = u32> + 'a {
    let ranges = set.own.ranges().iter().chain(set.shared.iter().flat_map(|group| group.ranks().ranges()));
    ranges.flat_map(|&(start, end)| vocab.range_ids(start, end)).map(|id| id.0)
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
