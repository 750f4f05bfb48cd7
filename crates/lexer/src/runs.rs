//! Runs: bytes of which it does not matter which is read next, for how many steps.
//!
//! In a string of at most 40 characters every plain letter leads from "40 left" to "39 left", and so on for 40 steps; in a
//! string without a limit it leads back, for ever. A subtree of the vocabulary trie with nothing but such letters in it,
//! and no more than so many levels, stays inside the lexeme as a whole and need not be walked. Plain reference: the walk
//! node by node.

use glrmask_automata::{ByteSet, Dfa, Id, StateId};

use crate::memo::Memo;

/// The next state of each state on most bytes, found when first asked for.
#[derive(Debug, Default)]
pub(crate) struct Runs(Memo<(ByteSet, StateId)>);

impl Runs {
    /// Whether every string of up to `height` bytes out of `below` surely stays inside the lexeme, without a match on the
    /// way. No proof, no yes: false is always safe. Time: `height` look-ups at most.
    pub(crate) fn stays(&mut self, dfa: &Dfa, state: StateId, below: &ByteSet, height: u32) -> bool {
        let mut current = state;
        for _ in 0..height {
            let (bytes, next) = self.get(dfa, current);
            if !below.is_subset(&bytes) {
                return false;
            }
            if next == current {
                break;
            }
            current = next;
        }
        true
    }

    fn get(&mut self, dfa: &Dfa, state: StateId) -> (ByteSet, StateId) {
        self.0.get(state.index()).unwrap_or_else(|| {
            let run = widest(dfa, state);
            self.0.insert(state.index(), run);
            run
        })
    }
}

/// The state to which most bytes lead, as far as one byte class tells, with all bytes that lead there; no bytes if it is a
/// match.
pub(crate) fn widest(dfa: &Dfa, state: StateId) -> (ByteSet, StateId) {
    let ways = || dfa.row(state).iter().zip(dfa.class_sets()).filter(|(&next, _)| next != Dfa::DEAD);
    let Some((&to, _)) = ways().max_by_key(|(_, bytes)| bytes.len()) else { return (ByteSet::EMPTY, Dfa::DEAD) };
    if dfa.is_accepting(to) {
        return (ByteSet::EMPTY, to);
    }
    (ways().filter(|(&next, _)| next == to).fold(ByteSet::EMPTY, |all, (_, bytes)| all.union(bytes)), to)
}
