//! How many bytes a graph occupies.

use rustc_hash::FxHashSet;

use crate::chain::ChainId;
use crate::cursor::Cursor;
use crate::gss::Gss;
use crate::weighted::WeightedGss;

/// Bytes of all nodes reachable from `root`, each counted once.
fn reachable_bytes<S, W>(root: Option<Cursor<'_, S, W>>) -> usize {
    let mut seen: FxHashSet<ChainId> = FxHashSet::default();
    let mut pending: Vec<Cursor<'_, S, W>> = root.into_iter().collect();
    let mut bytes = 0;
    while let Some(place) = pending.pop() {
        if seen.insert(place.node()) {
            bytes += place.node_bytes();
            pending.extend(place.below());
        }
    }
    bytes
}

impl<S, W> WeightedGss<S, W> {
    /// Bytes of all nodes of this graph, shared ones counted once, with the spare room in their buffers; without what
    /// symbols and weights own elsewhere. Linear in the number of nodes.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        size_of::<Self>() + reachable_bytes(Cursor::root(&self.set))
    }
}

impl<S> Gss<S> {
    /// See [`WeightedGss::memory_usage`].
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        size_of::<Self>() + reachable_bytes(self.root())
    }
}
