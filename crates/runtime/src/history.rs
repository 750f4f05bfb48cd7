//! What a state can go back to: its places before the last commits, newest last.
//!
//! A place costs a few reference counts and about a hundred bytes, since stacks are persistent. Places lie in chunks; a
//! full chunk never changes again and is shared by clones, so that cloning a long history costs one reference count
//! per chunk, and what is forgotten at the old end is a chunk at a time, whose memory is used again.

use std::collections::VecDeque;
use std::sync::Arc;

/// Entries per chunk.
const CHUNK: usize = 16;

/// The last entries pushed, up to a limit.
#[derive(Clone, Debug)]
pub(crate) struct History<T> {
    limit: usize,
    /// How many of the entries count; older ones wait for the rest of their chunk to be forgotten.
    len: usize,
    /// Chunks of [`CHUNK`] entries, oldest first.
    full: VecDeque<Arc<Vec<T>>>,
    /// At most [`CHUNK`] entries, newer than all of `full`.
    recent: Vec<T>,
}

impl<T: Clone> History<T> {
    /// Nothing yet; keeps the last `limit` entries.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, len: 0, full: VecDeque::new(), recent: Vec::new() }
    }

    /// How many entries are kept at most.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// How many entries there are to go back to.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Keeps at most `limit` entries from now on; older ones are forgotten.
    pub(crate) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
        self.len = self.len.min(limit);
        if limit == 0 {
            self.clear();
        }
        self.forget(0);
    }

    /// Adds an entry; the oldest is forgotten where there are more than the limit.
    pub(crate) fn push(&mut self, entry: T) {
        if self.limit == 0 {
            return;
        }
        if self.recent.len() == CHUNK {
            let spare = self.forget(1).unwrap_or_else(|| Vec::with_capacity(CHUNK));
            self.full.push_back(Arc::new(std::mem::replace(&mut self.recent, spare)));
        }
        self.recent.push(entry);
        self.len = self.limit.min(self.len + 1);
    }

    /// Takes the newest entry off.
    pub(crate) fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        if self.recent.is_empty() {
            let chunk = self.full.pop_back()?;
            self.recent = Arc::try_unwrap(chunk).unwrap_or_else(|shared| (*shared).clone());
        }
        self.recent.pop()
    }

    /// Takes the `n` newest entries off and gives the oldest of them. `None`, and nothing happens, if there are fewer,
    /// or if `n` is 0.
    pub(crate) fn undo(&mut self, n: usize) -> Option<T> {
        if n > self.len() {
            return None;
        }
        (1..n).for_each(|_| drop(self.pop()));
        (n > 0).then(|| self.pop()).flatten()
    }

    /// Forgets everything; the limit stays.
    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.full.clear();
        self.recent.clear();
    }

    /// Forgets chunks that are not needed once there are `more` entries; the memory of one of them, emptied.
    fn forget(&mut self, more: usize) -> Option<Vec<T>> {
        let mut spare = None;
        while self.full.len() * CHUNK + self.recent.len() + more >= self.limit.saturating_add(CHUNK) {
            let Some(chunk) = self.full.pop_front() else { break };
            spare = Arc::try_unwrap(chunk).ok();
        }
        let mut spare = spare?;
        spare.clear();
        Some(spare)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Action {
        Push,
        Undo(usize),
        Clone,
        Limit(usize),
    }

    fn actions() -> impl Strategy<Value = Vec<Action>> {
        let action = prop_oneof![
            20 => Just(Action::Push),
            3 => (0usize..40).prop_map(Action::Undo),
            1 => Just(Action::Clone),
            1 => (0usize..70).prop_map(Action::Limit),
        ];
        prop::collection::vec(action, 0..300)
    }

    proptest! {
        /// Beside a plain vector. A clone that goes its own way leaves the original alone.
        #[test]
        fn keeps_the_last_entries(limit in 0usize..70, actions in actions()) {
            let (mut history, mut plain) = (History::new(limit), Vec::new());
            let mut clones = Vec::new();
            for (number, action) in actions.into_iter().enumerate() {
                match action {
                    Action::Push => {
                        history.push(number);
                        plain.push(number);
                    }
                    Action::Undo(n) if n <= plain.len() => {
                        let at = plain.len() - n;
                        prop_assert_eq!(history.undo(n), plain.get(at).copied());
                        plain.truncate(at);
                    }
                    Action::Undo(n) => prop_assert_eq!(history.undo(n), None),
                    Action::Clone => clones.push((history.clone(), plain.clone())),
                    Action::Limit(limit) => history.set_limit(limit),
                }
                plain.drain(..plain.len().saturating_sub(history.limit()));
                prop_assert_eq!(history.len(), plain.len());
                prop_assert!(history.full.len() * CHUNK <= history.limit() + CHUNK);
            }
            clones.push((history, plain));
            for (mut history, mut plain) in clones {
                while let Some(entry) = history.pop() {
                    prop_assert_eq!(Some(entry), plain.pop());
                }
                prop_assert!(plain.is_empty());
            }
        }
    }
}
