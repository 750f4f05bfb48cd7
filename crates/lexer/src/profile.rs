//! Profiles: the partition of the vocabulary by class, as seen from one scan.
//!
//! One walk over the vocabulary trie with the scan automaton. A subtree on all of whose bytes the scan stays where it is
//! is one range of tokens of one class and is cut. The plain reference is [`profile_by_token`], which scans every token
//! on its own.

use std::sync::Arc;

use glrmask_automata::lexdag::{ClassId, ConditionSetId};
use glrmask_vocab::{Rank, RankSet, Vocab};
use rustc_hash::FxHashMap;

use crate::cache::LexerCache;
use crate::completions::Thread;
use crate::error::LexerError;
use crate::lexer::Lexer;
use crate::scan::ScanId;
use crate::walk::{LexemeWalk, SubTrie, TokenGroup};

/// The tokens of one class.
#[derive(Clone, Debug, Default)]
pub struct TokenSet {
    /// Tokens of this profile.
    pub own: RankSet,
    /// Further tokens, shared with other profiles.
    pub shared: Option<Arc<TokenGroup>>,
}

impl TokenSet {
    /// All tokens.
    pub fn ranks(&self) -> RankSet {
        match &self.shared {
            Some(group) => self.own.union(group.ranks()),
            None => self.own.clone(),
        }
    }
    /// Number of distinct token strings.
    pub fn len(&self) -> usize {
        self.own.len() + self.shared.as_ref().map_or(0, |group| group.len())
    }
    /// Whether there is no token.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Adds the tokens to a mask of this vocabulary.
    pub fn add_to(&self, vocab: &Vocab, words: &mut [u32]) {
        vocab.set_ranks(&self.own, words);
        if let Some(group) = &self.shared {
            group.add_to(vocab, words);
        }
    }
}

/// The tokens of each class seen from one scan. Tokens that appear nowhere have no class: nothing accepts them.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// Classes with their tokens, each class once; no set is empty.
    pub classes: Vec<(ClassId, TokenSet)>,
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
    fn place(&mut self, class: ClassId) -> usize {
        *self.index.entry(class).or_insert_with(|| {
            self.classes.push((class, RankSet::default()));
            self.classes.len() - 1
        })
    }
    fn finish(self, visited: usize) -> Profile {
        let classes = self.classes.into_iter().map(|(class, own)| (class, TokenSet { own, shared: None })).collect();
        Profile { classes, visited }
    }
    fn add(&mut self, class: ClassId, start: u32, end: u32) {
        let at = match self.last {
            Some((last, at)) if last == class => at,
            _ => self.place(class),
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
    Ok(found.finish(visited))
}

/// Whether the walk of a lexeme alone says all about this place: a component of one terminal that leaves no conditions, in
/// a state that is not itself a match.
pub fn has_lexeme_walk(lexer: &Lexer, (id, state): Thread) -> bool {
    let component = lexer.component(id);
    component.terminals().len() == 1 && component.is_plain() && !component.dfa().is_accepting(state)
}

/// The profile from inside a lexeme without conditions: what [`profile`] gives for its scan, with the walk of the lexeme
/// itself taken from the vocabulary where it can be and is worth it (`wide`: much can be read from there).
///
/// # Errors
/// A limit of the cache.
pub fn profile_inside(
    lexer: &Lexer,
    cache: &mut LexerCache,
    vocab: &Vocab,
    thread: Thread,
    wide: bool,
) -> Result<Profile, LexerError> {
    let start = cache.inside(lexer, thread, ConditionSetId::NONE);
    let component = lexer.component(thread.0);
    if !has_lexeme_walk(lexer, thread) {
        return profile(lexer, cache, vocab, start);
    }
    let walk = if wide {
        LexemeWalk::get(component.dfa(), cache.fingerprint(lexer, thread.0), thread.1, vocab)
    } else {
        Arc::new(LexemeWalk::new(component.dfa(), thread.1, vocab))
    };
    let SubTrie { bytes, depths, ends, ranks } = &walk.crossing;
    let mut found = Collector::default();
    let mut path: Vec<ScanId> = vec![start];
    let mut node = 0;
    while node < bytes.len() {
        path.truncate(depths[node] as usize);
        let Some(scan) = path.last().copied() else { break };
        let Some(next) = cache.step(lexer, scan, bytes[node])? else {
            node = ends[node] as usize;
            continue;
        };
        if let Some(rank) = ranks[node] {
            if let Some(class) = cache.class(lexer, next)? {
                found.add(class, rank.0, rank.0 + 1);
            }
        }
        path.push(next);
        node += 1;
    }
    let mut profile = found.finish(node);
    // After every token inside the same terminal is open, as it is now.
    if let (Some(class), false) = (cache.class(lexer, start)?, walk.inside.is_empty()) {
        let shared = Some(walk.inside.clone());
        match profile.classes.iter_mut().find(|c| c.0 == class) {
            Some((_, tokens)) => tokens.shared = shared,
            None => profile.classes.push((class, TokenSet { own: RankSet::new(), shared })),
        }
    }
    Ok(profile)
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
        if let Some(class) = class_of(lexer, cache, vocab, start, Rank(rank))? {
            found.add(class, rank, rank + 1);
        }
    }
    Ok(found.finish(0))
}

/// The class of one token.
fn class_of(
    lexer: &Lexer,
    cache: &mut LexerCache,
    vocab: &Vocab,
    start: ScanId,
    rank: Rank,
) -> Result<Option<ClassId>, LexerError> {
    let mut scan = start;
    for &byte in vocab.rank_bytes(rank) {
        match cache.step(lexer, scan, byte)? {
            Some(next) => scan = next,
            None => return Ok(None),
        }
    }
    cache.class(lexer, scan)
}
