//! Masks: from accepted classes back to tokens, in original id order.

use std::sync::Arc;

use glrmask_automata::lexdag::{ClassDag, ClassId};
use glrmask_glr::{AcceptId, ParserDwa, QueryId};
use glrmask_lexer::{Moved, TokenGroup, TokenSet};
use glrmask_vocab::{RankSet, Vocab};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Masks with fewer tokens are kept as lists of ids: about as quick to write as a copy of 16 KB, and smaller.
const SPARSE_IDS: usize = 2_048;

/// A finished mask: words and ids that others share, and the ids in which it differs from them.
#[derive(Clone, Debug)]
pub(crate) struct Mask {
    pub(crate) base: Base,
    /// Ids beside those of the base.
    pub(crate) common: Arc<[u32]>,
    /// Ids of base or common, rising.
    pub(crate) removed: Box<[u32]>,
    /// Ids of neither, rising.
    pub(crate) added: Box<[u32]>,
}

/// What many masks have in common.
#[derive(Clone, Debug)]
pub(crate) enum Base {
    Nothing,
    /// The tokens that stay inside a lexeme, shared through the vocabulary.
    Group(Arc<TokenGroup>),
    Words(Arc<[u32]>),
}

impl Base {
    #[inline]
    fn words<'a>(&'a self, vocab: &Vocab) -> &'a [u32] {
        match self {
            Self::Nothing => &[],
            Self::Group(group) => group.words(vocab),
            Self::Words(words) => words,
        }
    }
}

impl Mask {
    fn new(base: Base, ids: Box<[u32]>) -> Self {
        Self { base, common: ids.into(), removed: Box::default(), added: Box::default() }
    }

    /// Writes the mask over `words`, which are long enough.
    #[inline]
    pub(crate) fn write(&self, vocab: &Vocab, words: &mut [u32]) {
        let base = self.base.words(vocab);
        words[..base.len()].copy_from_slice(base);
        words[base.len()..].fill(0);
        set_ids(&self.common, words);
        for &id in &self.removed {
            words[id as usize / 32] &= !(1 << (id % 32));
        }
        set_ids(&self.added, words);
    }

    /// Adds the mask to `words`, which are long enough.
    pub(crate) fn add(&self, vocab: &Vocab, words: &mut [u32]) {
        let base = self.base.words(vocab);
        let kept: SmallVec<[u32; 16]> = self.removed.iter().copied().filter(|&id| is_set(words, id)).collect();
        words.iter_mut().zip(base).for_each(|(word, more)| *word |= more);
        set_ids(&self.common, words);
        // What others allow stays.
        for &id in self.removed.iter().filter(|id| kept.binary_search(id).is_err()) {
            words[id as usize / 32] &= !(1 << (id % 32));
        }
        set_ids(&self.added, words);
    }

    /// The mask without the ids in `removed`, which it has, and with those in `added`, which it has not. Both rising.
    fn changed(&self, removed: &[u32], added: &[u32]) -> Self {
        let without = |list: &[u32], ids: &[u32]| -> Vec<u32> {
            list.iter().copied().filter(|id| ids.binary_search(id).is_err()).collect()
        };
        let both = |mut a: Vec<u32>, mut b: Vec<u32>| -> Box<[u32]> {
            a.append(&mut b);
            a.sort_unstable();
            a.into()
        };
        Self {
            base: self.base.clone(),
            common: self.common.clone(),
            removed: both(without(&self.removed, added), without(removed, &self.added)),
            added: both(without(&self.added, removed), without(added, &self.removed)),
        }
    }

    pub(crate) fn memory_usage(&self) -> usize {
        let base = if let Base::Words(words) = &self.base { 4 * words.len() } else { 0 };
        // What differs from another mask shares its ids.
        let common = if self.removed.is_empty() && self.added.is_empty() { 4 * self.common.len() } else { 0 };
        base + common + 4 * (self.removed.len() + self.added.len()) + 96
    }
}

#[inline]
fn set_ids(ids: &[u32], words: &mut [u32]) {
    for &id in ids {
        words[id as usize / 32] |= 1 << (id % 32);
    }
}

fn is_set(words: &[u32], id: u32) -> bool {
    words[id as usize / 32] >> (id % 32) & 1 == 1
}

/// (group, place) pairs of a query that accept a class.
type Places = Vec<(usize, usize)>;

/// Tokens whose class differs from that in the profile they are taken from.
#[derive(Debug)]
struct MovedIds {
    from: Option<Places>,
    to: Option<Places>,
    /// Rising.
    ids: Vec<u32>,
}

/// The tokens of each class of a profile, arranged by what accepts them.
#[derive(Debug)]
pub(crate) struct TokenSets {
    sets: Arc<[(ClassId, TokenSet)]>,
    /// The ids of the sets' own tokens in a row, where masks are made while decoding.
    row: Option<Arc<IdRow>>,
    /// Per group of the query and place in it: the sets it accepts.
    by_place: Arc<ByPlace>,
    /// What is different here.
    moved: Box<[MovedIds]>,
}

type ByPlace = Vec<Vec<Vec<u32>>>;

/// Masks by the token sets in them, as bit sets.
pub(crate) type BySets = FxHashMap<Box<[u64]>, Arc<Mask>>;

/// The ids of many sets, one after the other: a mask of hundreds of small sets is made from one piece of memory.
#[derive(Debug)]
struct IdRow {
    ids: Box<[u32]>,
    /// Where each set ends.
    ends: Box<[u32]>,
}

impl IdRow {
    fn new(sets: &[(ClassId, TokenSet)], vocab: &Vocab) -> Self {
        let (mut ids, mut ends) = (Vec::new(), Vec::with_capacity(sets.len()));
        for (_, set) in sets {
            for &(start, end) in set.own.ranges() {
                ids.extend(vocab.range_ids(start, end).iter().map(|id| id.0));
            }
            ends.push(ids.len() as u32);
        }
        Self { ids: ids.into(), ends: ends.into() }
    }

    fn of(&self, set: usize) -> &[u32] {
        let start = if set == 0 { 0 } else { self.ends[set - 1] };
        &self.ids[start as usize..self.ends[set] as usize]
    }
}

impl TokenSets {
    pub(crate) fn new(dwa: &ParserDwa, dag: &ClassDag, query: QueryId, classes: Vec<(ClassId, TokenSet)>) -> Self {
        let by_place = Arc::new(by_place(dwa, dag, query, &classes));
        Self { sets: classes.into(), row: None, by_place, moved: Box::default() }
    }

    /// The same, laid out so that masks are quick to make.
    pub(crate) fn laid_out(mut self, vocab: &Vocab) -> Self {
        self.row = Some(Arc::new(IdRow::new(&self.sets, vocab)));
        self
    }

    /// These sets with some tokens in other classes. `query` asks about all of them.
    pub(crate) fn with_moved(
        &self,
        dwa: &ParserDwa,
        dag: &ClassDag,
        query: QueryId,
        same_query: bool,
        (moved, vocab): (&[Moved], &Vocab),
    ) -> Self {
        let by_place = match same_query {
            true => self.by_place.clone(),
            false => Arc::new(by_place(dwa, dag, query, &self.sets)),
        };
        let mut sorted: Vec<&Moved> = moved.iter().collect();
        sorted.sort_unstable_by_key(|m| (m.from, m.to));
        let places = |class: Option<ClassId>| class.map(|class| dwa.places(dag, query, class).unwrap_or_default());
        let group = |run: &[&Moved]| {
            let mut ids: Vec<u32> = run.iter().flat_map(|m| vocab.ids(m.rank)).map(|id| id.0).collect();
            ids.sort_unstable();
            MovedIds { from: places(run[0].from), to: places(run[0].to), ids }
        };
        let moved = sorted.chunk_by(|a, b| (a.from, a.to) == (b.from, b.to)).map(group).collect();
        Self { sets: self.sets.clone(), row: self.row.clone(), by_place, moved }
    }

    /// The classes.
    pub(crate) fn classes(&self) -> impl Iterator<Item = ClassId> + '_ {
        self.sets.iter().map(|set| set.0)
    }
    /// Whether nothing has been moved.
    pub(crate) fn is_whole(&self) -> bool {
        self.moved.is_empty()
    }

    /// The mask of all tokens whose class is accepted. `whole`: the same with nothing moved, if it is known. `known`: masks
    /// with nothing moved, by the sets in them: many accepted sets differ in nothing that this profile has.
    pub(crate) fn mask(
        &self,
        dwa: &ParserDwa,
        accept: AcceptId,
        vocab: &Vocab,
        (whole, known): (Option<&Arc<Mask>>, &mut BySets),
    ) -> Arc<Mask> {
        let mask = match whole {
            Some(whole) => whole.clone(),
            None => {
                let wanted = self.wanted(dwa, accept);
                let make = || Arc::new(self.whole_mask(&wanted, vocab));
                known.entry(wanted.clone()).or_insert_with(make).clone()
            }
        };
        let (mut removed, mut added) = (Vec::new(), Vec::new());
        let accepts = |places: &Option<Places>| places.as_ref().is_some_and(|places| dwa.accepts_any(accept, places));
        for MovedIds { from, to, ids } in &self.moved {
            match (accepts(from), accepts(to)) {
                (true, false) => removed.extend_from_slice(ids),
                (false, true) => added.extend_from_slice(ids),
                _ => {}
            }
        }
        if removed.is_empty() && added.is_empty() {
            return mask;
        }
        removed.sort_unstable();
        added.sort_unstable();
        Arc::new(mask.changed(&removed, &added))
    }

    /// The sets of which some place is accepted, as a bit set.
    fn wanted(&self, dwa: &ParserDwa, accept: AcceptId) -> Box<[u64]> {
        let mut wanted = vec![0u64; self.sets.len().div_ceil(64)];
        for (group, place) in dwa.accepted_places(accept) {
            let sets = self.by_place[group].get(place).map_or(&[][..], |s| s);
            sets.iter().for_each(|&set| wanted[set as usize / 64] |= 1 << (set % 64));
        }
        wanted.into()
    }

    fn whole_mask(&self, wanted: &[u64], vocab: &Vocab) -> Mask {
        let rest = || (0..self.sets.len()).filter(|&set| wanted[set / 64] >> (set % 64) & 1 == 1);
        let accepted = || rest().map(|set| &self.sets[set].1);
        // One dense group is shared as it is; further ones, which only profiles behind the first terminal have, are ids.
        let group = accepted().filter_map(|set| set.shared.as_ref()).find(|group| group.is_dense());
        let is_group = |set: &&TokenSet| set.shared.as_ref().is_some_and(|g| group.is_some_and(|h| Arc::ptr_eq(g, h)));
        let besides = |set: &TokenSet| if is_group(&set) { set.own.len() } else { set.len() };
        if accepted().map(besides).sum::<usize>() < SPARSE_IDS {
            let base = group.map_or(Base::Nothing, |group| {
                // Made now: decoding shall find nothing left to do.
                group.words(vocab);
                Base::Group(group.clone())
            });
            let ids = match &self.row {
                Some(row) => {
                    let mut ids: Vec<u32> = rest().flat_map(|set| row.of(set)).copied().collect();
                    let own = |set: &TokenSet| TokenSet { own: RankSet::new(), shared: set.shared.clone() };
                    let shared: Vec<TokenSet> = accepted().map(own).filter(|set| set.shared.is_some()).collect();
                    ids.extend(ids_besides(shared.iter(), group, vocab));
                    ids.into()
                }
                None => ids_besides(accepted(), group, vocab),
            };
            return Mask::new(base, ids);
        }
        let mut words = vec![0u32; vocab.mask_words()];
        match &self.row {
            Some(row) => {
                accepted().filter_map(|set| set.shared.as_ref()).for_each(|group| group.add_to(vocab, &mut words));
                rest().for_each(|set| set_ids(row.of(set), &mut words));
            }
            None => accepted().for_each(|set| set.add_to(vocab, &mut words)),
        }
        Mask::new(Base::Words(words.into()), Box::default())
    }

    pub(crate) fn memory_usage(&self) -> usize {
        let moved: usize = self.moved.iter().map(|m| 4 * m.ids.len() + 80).sum();
        match self.is_whole() {
            true => {
                let row = self.row.as_ref().map_or(0, |row| 4 * (row.ids.len() + row.ends.len()));
                row + self.sets.iter().map(|(_, s)| 8 * s.own.ranges().len() + 64).sum::<usize>()
            }
            false => moved,
        }
    }
}

fn by_place(dwa: &ParserDwa, dag: &ClassDag, query: QueryId, classes: &[(ClassId, TokenSet)]) -> ByPlace {
    let mut by_place: ByPlace = vec![Vec::new(); dwa.get_query(query).groups.len()];
    for (index, (class, _)) in classes.iter().enumerate() {
        for (group, place) in dwa.places(dag, query, *class).into_iter().flatten() {
            let places = &mut by_place[group];
            if places.len() <= place {
                places.resize(place + 1, Vec::new());
            }
            places[place].push(index as u32);
        }
    }
    by_place
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
    let mut ids: Vec<u32> = Vec::new();
    for &(start, end) in sets.flat_map(|set| set.own.ranges().iter().chain(shared(set))) {
        ids.extend(vocab.range_ids(start, end).iter().map(|id| id.0));
    }
    ids.into()
}
