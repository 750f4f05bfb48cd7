//! What tokens do behind the one lexeme that they end.
//!
//! An object of a thousand keys has a thousand lexemes that end alike, and behind each of them the same tokens begin the
//! same values. A scan whose only lexing has ended one lexeme without conditions is that lexeme in front of the scan of
//! the rest, so the subtree is walked with the rest alone, once, and what is found is put behind every such lexeme.
//! Plain reference: the walk with the scan itself.

use std::sync::Arc;

use glrmask_automata::lexdag::ClassId;
use glrmask_automata::TerminalId;
use glrmask_vocab::Vocab;
use rustc_hash::FxHashMap;

use crate::cache::LexerCache;
use crate::error::LexerError;
use crate::lexer::Lexer;
use crate::profile::walk_trie;
use crate::scan::ScanId;

/// Neighbouring tokens of one class: the class, the first rank and the one after the last.
pub(crate) type Run = (ClassId, u32, u32);

/// Runs of subtrees by the scan at their root, in rising order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Behind {
    runs: FxHashMap<(ScanId, u32), Arc<[Run]>>,
    bytes: usize,
}

impl Behind {
    pub(crate) fn memory_usage(&self) -> usize {
        self.bytes
    }
}

impl LexerCache {
    /// The tokens at and below a trie node by their classes behind `terminal`, in rising order, given to `add`. `rest` is
    /// the scan at the node of what has been read since the terminal ended. Returns how many nodes were visited.
    pub(crate) fn walk_behind(
        &mut self,
        lexer: &Lexer,
        vocab: &Vocab,
        (terminal, rest): (TerminalId, ScanId),
        node: usize,
        mut add: impl FnMut(Run),
    ) -> Result<usize, LexerError> {
        let (runs, visited) = self.runs(lexer, vocab, rest, node)?;
        for &(class, first, end) in &*runs {
            if let Some(class) = self.class_behind(lexer, terminal, class) {
                add((class, first, end));
            }
        }
        Ok(visited)
    }

    fn runs(
        &mut self,
        lexer: &Lexer,
        vocab: &Vocab,
        scan: ScanId,
        node: usize,
    ) -> Result<(Arc<[Run]>, usize), LexerError> {
        let key = (scan, node as u32);
        if let Some(known) = self.behind.runs.get(&key) {
            return Ok((known.clone(), 0));
        }
        let mut runs: Vec<Run> = Vec::new();
        let mut add = |(class, first, end): Run| match runs.last_mut() {
            Some(last) if (last.0, last.2) == (class, first) => last.2 = end,
            _ => runs.push((class, first, end)),
        };
        let trie = vocab.trie();
        let first = trie.first_ranks()[node];
        if trie.first_ranks()[node + 1] > first {
            if let Some(class) = self.class(lexer, scan)? {
                add((class, first, first + 1));
            }
        }
        let visited = walk_trie(lexer, self, vocab, (node + 1, trie.ends()[node] as usize), scan, false, &mut add)?;
        let runs: Arc<[Run]> = runs.into();
        self.behind.bytes += size_of_val(&*runs) + 64;
        self.behind.runs.insert(key, runs.clone());
        Ok((runs, visited))
    }
}
