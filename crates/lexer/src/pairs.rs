//! What a walk over the vocabulary knows of pairs of states: how long they look alike, and after which bytes they may not.
//!
//! A walk of two states of one automaton meets few pairs, and each of them at thousands of nodes. Neighbours in the trie
//! mostly ask about the same pair, so the last answer is looked at first.

use glrmask_automata::{ByteSet, StateId};
use rustc_hash::FxHashMap;

use crate::difference::Similarity;
use crate::lexer::Lexer;

pub(crate) type StatePair = (StateId, StateId);

/// Answers about pairs of states of one component. Memory: the pairs asked about.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    levels: Memo<u32>,
    apart: Memo<ByteSet>,
}

impl Pairs {
    /// No string of fewer bytes tells the states apart.
    #[inline]
    pub(crate) fn level(&mut self, similarity: &Similarity, pair: StatePair) -> u32 {
        self.levels.get(pair, || similarity.alike(pair.0, pair.1))
    }

    /// The bytes after which the states may differ.
    pub(crate) fn bytes_apart(&mut self, similarity: &Similarity, lexer: &Lexer, pair: StatePair) -> ByteSet {
        self.apart.get(pair, || similarity.bytes_apart(lexer, pair.0, pair.1))
    }
}

#[derive(Debug)]
struct Memo<T> {
    last: Option<(StatePair, T)>,
    known: FxHashMap<StatePair, T>,
}

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self { last: None, known: FxHashMap::default() }
    }
}

impl<T: Copy> Memo<T> {
    #[inline]
    fn get(&mut self, pair: StatePair, find: impl FnOnce() -> T) -> T {
        match self.last {
            Some((known, answer)) if known == pair => answer,
            _ => {
                let answer = *self.known.entry(pair).or_insert_with(find);
                self.last = Some((pair, answer));
                answer
            }
        }
    }
}
