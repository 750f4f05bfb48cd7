//! What was filled before decoding, in a form that is only read: no locks, nothing left to compute.
//!
//! A copy of what decoding needs of the tables in [`crate::fill`], without what it takes to fill more: for every place
//! of a lexeme when it is viable and which profile it has, the rows of the Parser DWA, and the finished masks. Whatever
//! is not in here (pending conditions, ambiguous boundaries, what a limit cut off) is filled on demand as ever, so
//! that a frozen table can be partial without changing any answer.

use std::sync::Arc;

use glrmask_automata::lexdag::ConditionSetId;
use glrmask_automata::Id;
use glrmask_glr::{AcceptId, LrState, QueryId, Reading, RowId};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::branch::Lexeme;
use crate::fill::{Cache, ProfileId, Viability};
use crate::mask::Mask;

/// One place of a lexeme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) viability: Option<Viability>,
    pub(crate) profile: Option<ProfileId>,
}

/// The tables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frozen {
    /// By component, then state.
    pub(crate) inside: Vec<Vec<Place>>,
    /// At a boundary under no conditions.
    pub(crate) viability_at_boundary: Option<Viability>,
    pub(crate) boundary: FxHashMap<LrState, ProfileId>,
    pub(crate) queries: Vec<QueryId>,
    pub(crate) starts: FxHashMap<(QueryId, LrState), Reading>,
    /// What is left to read after a symbol, and what the edge accepts.
    pub(crate) edges: FxHashMap<(RowId, LrState), Reading>,
    /// What is accepted by either of two, the smaller number first; where that is neither of them.
    pub(crate) unions: FxHashMap<(AcceptId, AcceptId), AcceptId>,
    /// Numbers of rows and of accepted sets, the reserved ones included.
    pub(crate) rows: u32,
    pub(crate) accepts: u32,
    pub(crate) masks: FxHashMap<(ProfileId, AcceptId), Arc<Mask>>,
    /// Whether nothing in here had to ask which stacks can be completed under pending conditions.
    pub(crate) is_free: bool,
    pub(crate) bytes: usize,
}

/// Sizes of frozen tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrozenStats {
    /// Profiles (partitions of the vocabulary).
    pub profiles: usize,
    /// States of the Parser DWA.
    pub rows: usize,
    /// Its transitions.
    pub transitions: usize,
    /// Finished masks.
    pub masks: usize,
    /// Rough memory use in bytes, without what is shared through the vocabulary.
    pub bytes: usize,
}

impl Frozen {
    /// A copy of what is filled. Time and memory: that of the tables.
    pub(crate) fn new(cache: &Cache) -> Self {
        let dwa = cache.dwa();
        let profiles = cache.profiles();
        let masks = profiles
            .iter_enumerated()
            .flat_map(|(id, profile)| profile.masks.iter().map(move |(&accept, mask)| ((id, accept), mask.clone())));
        let frozen = Self {
            inside: cache.places(|viability, profile| Place { viability, profile }),
            viability_at_boundary: cache.known_viability(Lexeme::Boundary, ConditionSetId::NONE),
            boundary: cache.boundaries().collect(),
            queries: profiles.iter().map(|p| p.query).collect(),
            starts: dwa.known_starts().map(|(query, top, reading)| ((query, top), reading)).collect(),
            edges: dwa.known_edges().map(|(row, symbol, edge)| ((row, symbol), edge)).collect(),
            unions: dwa.known_unions().map(|(a, b, both)| ((a, b), both)).collect(),
            rows: dwa.len() as u32,
            accepts: dwa.accepts() as u32,
            masks: masks.collect(),
            is_free: cache.is_free(),
            bytes: 0,
        };
        frozen.counted()
    }

    /// Tables filled apart from each other, side by side: the numbers of each are shifted past those of the one before.
    pub(crate) fn join(parts: Vec<Self>) -> Self {
        let mut parts = parts.into_iter();
        let mut joined = Joined::new(parts.next().unwrap_or_default());
        parts.for_each(|part| joined.add(part, 0));
        joined.finish()
    }

    /// Adds tables whose first component has this number, and whose queries are shifted by so many.
    fn append(&mut self, part: Self, component: usize, queries: u32) {
        // The first row and the first accepted set are reserved and the same in all tables.
        let (rows, accepts) = (self.rows.saturating_sub(1), self.accepts.saturating_sub(1));
        let profiles = self.queries.len() as u32;
        // What was loaded may have any numbers.
        let query = |q: QueryId| QueryId(q.0.saturating_add(queries));
        let profile = |p: ProfileId| ProfileId(p.0.saturating_add(profiles));
        let row = |r: RowId| if r == RowId::DONE { r } else { RowId(r.0.saturating_add(rows)) };
        let accept = |a: AcceptId| if a == AcceptId::NOTHING { a } else { AcceptId(a.0.saturating_add(accepts)) };
        let reading = |r: Reading| Reading { row: row(r.row), accepted: accept(r.accepted) };
        let viability = |v: Viability| match v {
            Viability::Query(q) => Viability::Query(query(q)),
            other => other,
        };
        let place =
            |place: Place| Place { viability: place.viability.map(viability), profile: place.profile.map(profile) };
        self.take_places(component, part.inside, place);
        self.viability_at_boundary = self.viability_at_boundary.or(part.viability_at_boundary.map(viability));
        part.boundary.into_iter().for_each(|(top, p)| {
            self.boundary.entry(top).or_insert(profile(p));
        });
        self.queries.extend(part.queries.into_iter().map(query));
        self.starts.extend(part.starts.into_iter().map(|((q, top), r)| ((query(q), top), reading(r))));
        self.edges.extend(part.edges.into_iter().map(|((r, symbol), edge)| ((row(r), symbol), reading(edge))));
        self.unions.extend(part.unions.into_iter().map(|((a, b), both)| ((accept(a), accept(b)), accept(both))));
        self.rows = rows.saturating_add(part.rows.max(1));
        self.accepts = accepts.saturating_add(part.accepts.max(1));
        self.is_free &= part.is_free;
        self.masks.extend(part.masks.into_iter().map(|((p, a), mask)| ((profile(p), accept(a)), mask)));
    }

    /// Takes over places of components from this one on.
    fn take_places(&mut self, component: usize, inside: Vec<Vec<Place>>, moved: impl Fn(Place) -> Place) {
        let places = self.inside.iter_mut().skip(component).zip(inside);
        for (place, more) in places.flat_map(|(places, more)| places.iter_mut().zip(more)) {
            // A profile without viability was made for comparisons only, and has no rows.
            if more.viability.is_some() {
                *place = moved(more);
            }
        }
    }

    /// Every query that something in here asks; some more than once.
    fn asked(&self) -> impl Iterator<Item = QueryId> + '_ {
        let places = self.inside.iter().flatten().filter_map(|place| place.viability);
        let viabilities = places.chain(self.viability_at_boundary).filter_map(|viability| match viability {
            Viability::Query(query) => Some(query),
            _ => None,
        });
        self.queries.iter().copied().chain(self.starts.keys().map(|key| key.0)).chain(viabilities)
    }

    /// One more than the largest of them.
    fn asked_end(&self) -> u32 {
        self.asked().map(|query| query.0.saturating_add(1)).max().unwrap_or(0)
    }

    /// With its size.
    pub(crate) fn counted(mut self) -> Self {
        let places: usize = self.inside.iter().map(|states| states.len() * size_of::<Place>()).sum();
        let shared: FxHashSet<*const Mask> = self.masks.values().map(Arc::as_ptr).collect();
        let mut first = shared;
        let own = self.masks.values().filter(|mask| first.remove(&Arc::as_ptr(mask)));
        let masks: usize = own.map(|mask| mask.memory_usage()).sum();
        let tables = 16 * (self.starts.len() + self.edges.len() + self.unions.len() + self.masks.len());
        self.bytes = places + masks + tables;
        self
    }

    #[inline]
    pub(crate) fn viability(&self, lexeme: Lexeme, conditions: ConditionSetId) -> Option<Viability> {
        if conditions != ConditionSetId::NONE {
            return None;
        }
        match lexeme {
            Lexeme::Inside((component, state)) => self.inside[component.index()][state.index()].viability,
            Lexeme::Boundary => self.viability_at_boundary,
        }
    }

    #[inline]
    pub(crate) fn profile(&self, lexeme: Lexeme, only_top: impl FnOnce() -> Option<LrState>) -> Option<ProfileId> {
        match lexeme {
            Lexeme::Inside((component, state)) => self.inside[component.index()][state.index()].profile,
            Lexeme::Boundary => self.boundary.get(&only_top()?).copied(),
        }
    }

    #[inline]
    pub(crate) fn query(&self, profile: ProfileId) -> QueryId {
        self.queries[profile.index()]
    }
    #[inline]
    pub(crate) fn start(&self, query: QueryId, top: LrState) -> Option<Reading> {
        self.starts.get(&(query, top)).copied()
    }
    #[inline]
    pub(crate) fn read(&self, reading: Reading, symbol: LrState) -> Option<Reading> {
        let edge = self.edges.get(&(reading.row, symbol))?;
        Some(Reading { row: edge.row, accepted: self.union(reading.accepted, edge.accepted)? })
    }
    #[inline]
    fn union(&self, a: AcceptId, b: AcceptId) -> Option<AcceptId> {
        a.trivial_union(b).or_else(|| self.unions.get(&(a.min(b), a.max(b))).copied())
    }
    #[inline]
    pub(crate) fn mask(&self, profile: ProfileId, accept: AcceptId) -> Option<&Mask> {
        self.masks.get(&(profile, accept)).map(|mask| &**mask)
    }

    pub(crate) fn stats(&self) -> FrozenStats {
        FrozenStats {
            profiles: self.queries.len(),
            rows: self.rows as usize,
            transitions: self.starts.len() + self.edges.len(),
            masks: self.masks.len(),
            bytes: self.bytes,
        }
    }
}

/// Tables that others are added to, one after the other: in the time of what is added.
pub(crate) struct Joined {
    frozen: Frozen,
    /// Numbers of queries that are taken.
    queries: u32,
}

impl Joined {
    /// Begins with these, which have every component.
    pub(crate) fn new(frozen: Frozen) -> Self {
        let queries = frozen.asked_end();
        Self { frozen, queries }
    }

    /// Begins with tables of some of the components, of which the first has this number; `places` are all there are.
    pub(crate) fn with_places(mut frozen: Frozen, component: usize, places: Vec<Vec<Place>>) -> Self {
        let own = std::mem::replace(&mut frozen.inside, places);
        frozen.take_places(component, own, |place| place);
        Self::new(frozen)
    }

    /// Adds tables whose first component has this number.
    pub(crate) fn add(&mut self, part: Frozen, component: usize) {
        let asked = part.asked_end();
        self.frozen.append(part, component, self.queries);
        self.queries = self.queries.saturating_add(asked);
    }

    pub(crate) fn finish(self) -> Frozen {
        self.frozen.counted()
    }
}
