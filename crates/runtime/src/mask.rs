//! Masks: from accepted classes back to tokens, in original id order.

use std::sync::Arc;

use glrmask_automata::lexdag::{ClassDag, ClassId};
use glrmask_glr::{ParserDwa, QueryId, RowId};
use glrmask_lexer::{TokenGroup, TokenSet};
use glrmask_vocab::Vocab;

/// Masks with fewer tokens are kept as lists of ids: as quick to write as a copy of 16 KB, and smaller.
const SPARSE_IDS: usize = 1_024;

/// A finished mask.
#[derive(Clone, Debug)]
pub(crate) enum Mask {
    /// The allowed ids.
    Sparse(Box<[u32]>),
    /// One bit per id.
    Dense(Box<[u32]>),
    /// A group that many masks share, and further ids: the tokens that stay inside a string, and the few that end it.
    Grouped(Arc<TokenGroup>, Box<[u32]>),
}

impl Mask {
    /// Writes the mask over `words`, which are long enough.
    #[inline]
    pub(crate) fn write(&self, vocab: &Vocab, words: &mut [u32]) {
        let (bits, ids): (&[u32], &[u32]) = match self {
            Self::Sparse(ids) => (&[], ids),
            Self::Dense(bits) => (bits, &[]),
            Self::Grouped(group, ids) => (group.words(vocab), ids),
        };
        words[..bits.len()].copy_from_slice(bits);
        words[bits.len()..].fill(0);
        set_ids(ids, words);
    }

    /// Adds the mask to `words`, which are long enough.
    pub(crate) fn add(&self, vocab: &Vocab, words: &mut [u32]) {
        match self {
            Self::Sparse(ids) => set_ids(ids, words),
            Self::Dense(bits) => add_bits(bits, words),
            Self::Grouped(group, ids) => {
                add_bits(group.words(vocab), words);
                set_ids(ids, words);
            }
        }
    }

    pub(crate) fn memory_usage(&self) -> usize {
        match self {
            Self::Sparse(ids) | Self::Dense(ids) | Self::Grouped(_, ids) => 4 * ids.len() + 48,
        }
    }
}

#[inline]
fn set_ids(ids: &[u32], words: &mut [u32]) {
    for &id in ids {
        words[id as usize / 32] |= 1 << (id % 32);
    }
}

fn add_bits(bits: &[u32], words: &mut [u32]) {
    words.iter_mut().zip(bits).for_each(|(word, more)| *word |= more);
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
        let group = accepted().filter_map(|set| set.shared.as_ref()).find(|group| group.is_dense());
        let besides = |set: &TokenSet| match group.is_some() && set.shared.as_ref().is_some_and(|g| g.is_dense()) {
            true => set.own.len(),
            false => set.len(),
        };
        // A profile holds the walk of one lexeme at most, so there is one dense group at most.
        if accepted().map(besides).sum::<usize>() < SPARSE_IDS {
            let ids = ids_besides(accepted(), group, vocab);
            return match group {
                Some(group) => {
                    group.words(vocab);
                    Mask::Grouped(group.clone(), ids)
                }
                None => Mask::Sparse(ids),
            };
        }
        let mut words = vec![0u32; vocab.mask_words()];
        accepted().for_each(|set| set.add_to(vocab, &mut words));
        Mask::Dense(words.into())
    }

    pub(crate) fn memory_usage(&self) -> usize {
        self.sets.iter().map(|s| 8 * s.own.ranges().len() + 64).sum()
    }
}

/// The ids of these sets that are not in `group`. Aliases can make them more than the sets have strings.
fn ids_besides<'a>(
    sets: impl Iterator<Item = &'a TokenSet>,
    group: Option<&Arc<TokenGroup>>,
    vocab: &Vocab,
) -> Box<[u32]> {
    let shared = |set: &'a TokenSet| {
        let rest = set.shared.as_ref().filter(|g| !group.is_some_and(|group| Arc::ptr_eq(group, g)));
        rest.into_iter().flat_map(|g| g.ranks().ranges())
    };
    let ranges = sets.flat_map(|set| set.own.ranges().iter().chain(shared(set)));
    let mut ids: Vec<u32> = ranges.flat_map(|&(start, end)| vocab.range_ids(start, end)).map(|id| id.0).collect();
    ids.sort_unstable();
    ids.into()
}
