//! Profiles: the partition of the vocabulary by class, as seen from one scan.
//!
//! One walk over the vocabulary trie with the scan automaton. A subtree on all of whose bytes the scan stays where it is
//! is one range of tokens of one class and is cut. The plain reference is [`profile_by_token`], which scans every token
//! on its own.

use glrmask_automata::lexdag::ClassId;
use glrmask_vocab::{Rank, RankSet, Vocab};
use rustc_hash::FxHashMap;

use crate::cache::LexerCache;
use crate::error::LexerError;
use crate::lexer::Lexer;
use crate::scan::ScanId;

/// The tokens of each class seen from one scan. Tokens that appear nowhere have no class: nothing accepts them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// Classes with their tokens (as ranks), each class once, in order of first appearance; no set is empty.
    pub classes: Vec<(ClassId, RankSet)>,
    /// Trie nodes visited.
    pub visited: usize,
}

/// Collects ranges per class, in rising order.
#[derive(Default)]
struct Collector {
    classes: Vec<(ClassId, RankSet)>,
    index: FxHashMap<ClassId, usize>,
    last: Option<(ClassId, usize)>,
}

impl Collector {
    fn add(&mut self, class: ClassId, start: u32, end: u32) {
        let at = match self.last {
            Some((last, at)) if last == class => at,
            _ => *self.index.entry(class).or_insert_with(|| {
                self.classes.push((class, RankSet::default()));
                self.classes.len() - 1
            }),
        };
        self.last = Some((class, at));
        self.classes[at].1.push_range(Rank(start), Rank(end));
    }
}

/// The profile of `start`. Time: trie nodes visited, plus the scans and classes that are new.
///
/// # Errors
/// A limit of the cache.
pub fn profile(lexer: &Lexer, cache: &mut LexerCache, vocab: &Vocab, start: ScanId) -> Result<Profile, LexerError> {
    let trie = vocab.trie();
    let (bytes, ends, depths, ranks) = (trie.bytes(), trie.ends(), trie.depths(), trie.first_ranks());
    let mut found = Collector::default();
    let mut path: Vec<ScanId> = vec![start];
    let mut visited = 0;
    let mut node = 1;
    while node < bytes.len() {
        let depth = depths[node] as usize;
        path.truncate(depth);
        visited += 1;
        let Some(scan) = path.last().copied() else { break };
        let Some(next) = cache.step(lexer, scan, bytes[node])? else {
            node = ends[node] as usize;
            continue;
        };
        let end = ends[node] as usize;
        let below = &trie.below_sets()[trie.below_ids()[node] as usize];
        if end == node + 1 || (next == scan && below.is_subset(&cache.loops(lexer, next)?)) {
            if let Some(class) = cache.class(lexer, next)? {
                found.add(class, ranks[node], ranks[end]);
            }
            node = end;
            continue;
        }
        if ranks[node + 1] > ranks[node] {
            if let Some(class) = cache.class(lexer, next)? {
                found.add(class, ranks[node], ranks[node] + 1);
            }
        }
        path.push(next);
        node += 1;
    }
    Ok(Profile { classes: found.classes, visited })
}

/// The reference: every token on its own, byte by byte.
///
/// # Errors
/// A limit of the cache.
pub fn profile_by_token(
    lexer: &Lexer,
    cache: &mut LexerCache,
    vocab: &Vocab,
    start: ScanId,
) -> Result<Profile, LexerError> {
    let mut found = Collector::default();
    for rank in 0..vocab.rank_count() as u32 {
        let mut scan = Some(start);
        for &byte in vocab.rank_bytes(Rank(rank)) {
            scan = match scan {
                Some(scan) => cache.step(lexer, scan, byte)?,
                None => None,
            };
        }
        if let Some(class) = scan.map(|scan| cache.class(lexer, scan)).transpose()?.flatten() {
            found.add(class, rank, rank + 1);
        }
    }
    Ok(Profile { classes: found.classes, visited: 0 })
}
