//! Tokens that rules refuse between documents, by the place of the grammar.
//!
//! What is refused there depends on the branches alone (`documents.rs`), so it is kept for all states of a constraint, within a
//! part of what its tables may take; beyond that all of it is forgotten. No answer depends on it.

use std::sync::Arc;

use glrmask_vocab::Rank;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::branch::Branches;
use crate::following::{key, place_bytes, Key};

/// Refused tokens of the places that are known.
#[derive(Debug, Default)]
pub(crate) struct Refusals(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// With the branches by which a place is known.
    places: FxHashMap<Key, (Branches, Arc<[Rank]>)>,
    /// Rough memory use.
    bytes: usize,
}

impl Refusals {
    /// What is refused at a place, if that is known.
    pub(crate) fn get(&self, branches: &Branches) -> Option<Arc<[Rank]>> {
        self.0.lock().places.get(&key(branches)).map(|(_, refused)| refused.clone())
    }

    /// Keeps what is refused at a place, in at most so many bytes for all of them.
    pub(crate) fn insert(&self, branches: &Branches, refused: Arc<[Rank]>, limit: usize) {
        let bytes = place_bytes(branches) + size_of_val(&*refused);
        let mut kept = self.0.lock();
        if kept.bytes + bytes > limit {
            *kept = Kept::default();
        }
        if bytes <= limit && kept.places.insert(key(branches), (branches.clone(), refused)).is_none() {
            kept.bytes += bytes;
        }
    }

    /// Rough memory use in bytes.
    pub(crate) fn memory_usage(&self) -> usize {
        self.0.lock().bytes
    }
}
