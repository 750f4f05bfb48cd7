//! Profiles: the partition of the vocabulary by class, as seen from one scan.
//!
//! One walk over the vocabulary trie with the scan automaton. A subtree in which the scan goes the same way whichever byte
//! comes, without a change of class, is one range of tokens and is cut. The plain reference is [`profile_by_token`], which
//! scans every token on its own.

use std::sync::Arc;

use glrmask_automata::lexdag::{ClassId, ConditionSetId};
use glrmask_automata::{ByteSet, Id};
use glrmask_vocab::{NodeId, Rank, RankSet, Vocab};
use rustc_hash::FxHashMap;

use crate::behind::Run;
use crate::cache::LexerCache;
use crate::completions::Thread;
use crate::error::LexerError;
use crate::lexer::Lexer;
use crate::scan::ScanId;
use crate::walk::{LexemeWalk, TokenGroup};

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

/// Subtrees of so few nodes are walked sooner than they are proven uniform.
const SMALL: usize = 4;
/// In subtrees of more nodes it is worth asking which bytes lead on.
const MANY: usize = 24;

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
    /// [`walk_trie`], with what it finds added here.
    fn walk(
        &mut self,
        lexer: &Lexer,
        cache: &mut LexerCache,
        vocab: &Vocab,
        nodes: (usize, usize),
        scan: ScanId,
    ) -> Result<usize, LexerError> {
        walk_trie(lexer, cache, vocab, nodes, scan, true, &mut |run| self.add(run))
    }

    fn add(&mut self, (class, start, end): Run) {
        let at = match self.last {
            Some((last, at)) if last == class => at,
            _ => self.place(class),
        };
        self.last = Some((class, at));
        self.classes[at].1.push_range(Rank(start), Rank(end));
    }
}

/// Walks sibling nodes, or a single one, with everything below them: those from `first` to before `end`. `scan` is that
/// of their parent. `share`: what is behind a lexeme that has just ended is taken from, or left for, other walks. Returns
/// how many nodes were visited.
pub(crate) fn walk_trie(
    lexer: &Lexer,
    cache: &mut LexerCache,
    vocab: &Vocab,
    (first, end): (usize, usize),
    scan: ScanId,
    share: bool,
    add: &mut impl FnMut(Run),
) -> Result<usize, LexerError> {
    let trie = vocab.trie();
    let (bytes, ends, depths, ranks) = (trie.bytes(), trie.ends(), trie.depths(), trie.first_ranks());
    let above = depths.get(first).map_or(0, |&depth| depth as usize - 1);
    // With each scan the bytes that are worth a step.
    let mut path: Vec<(ScanId, ByteSet)> = vec![(scan, ByteSet::FULL)];
    let mut visited = 0;
    let mut node = first;
    while node < end {
        path.truncate(depths[node] as usize - above);
        let Some(&(scan, ref live)) = path.last() else { break };
        let end = ends[node] as usize;
        if !live.contains(bytes[node]) {
            node = end;
            continue;
        }
        visited += 1;
        let Some(next) = cache.step(lexer, scan, bytes[node])? else {
            node = end;
            continue;
        };
        if share && end > node + 1 {
            if let Some(ended) = cache.only_ended(lexer, next) {
                visited += cache.walk_behind(lexer, vocab, ended, node, &mut *add)?;
                node = end;
                continue;
            }
        }
        let below = &trie.below_sets()[trie.below_ids()[node] as usize];
        let worth = end > node + SMALL;
        if end == node + 1 || worth && cache.is_uniform(lexer, next, below, trie.heights()[node])? {
            if let Some(class) = cache.class(lexer, next)? {
                add((class, ranks[node], ranks[end]));
            }
            node = end;
            continue;
        }
        if ranks[node + 1] > ranks[node] {
            if let Some(class) = cache.class(lexer, next)? {
                add((class, ranks[node], ranks[node] + 1));
            }
        }
        let live = if end > node + MANY { cache.live_bytes(lexer, next) } else { ByteSet::FULL };
        path.push((next, live));
        node += 1;
    }
    Ok(visited)
}

/// The profile of `start`. Time: trie nodes visited, plus the scans and classes that are new.
///
/// # Errors
/// A limit of the cache.
pub fn profile(lexer: &Lexer, cache: &mut LexerCache, vocab: &Vocab, start: ScanId) -> Result<Profile, LexerError> {
    let mut found = Collector::default();
    let visited = found.walk(lexer, cache, vocab, (1, vocab.trie().len()), start)?;
    Ok(found.finish(visited))
}

/// The part of the [`profile`] that begins with one of these bytes.
///
/// # Errors
/// A limit of the cache.
pub fn profile_under(
    lexer: &Lexer,
    cache: &mut LexerCache,
    vocab: &Vocab,
    start: ScanId,
    bytes: &ByteSet,
) -> Result<Profile, LexerError> {
    let (trie, mut found, mut visited) = (vocab.trie(), Collector::default(), 0);
    for child in trie.children(NodeId(0)).filter(|&child| bytes.contains(trie.byte(child))) {
        visited += found.walk(lexer, cache, vocab, (child.index(), trie.end(child).index()), start)?;
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
    if !component.dfa().is_accepting(thread.1) && !has_lexeme_walk(lexer, thread) {
        // Nothing but the lexeme can be read next: most first bytes are not worth a step.
        return profile_under(lexer, cache, vocab, start, &component.dfa().next_bytes(thread.1));
    }
    if !has_lexeme_walk(lexer, thread) {
        return profile(lexer, cache, vocab, start);
    }
    let walk = if wide {
        LexemeWalk::get(component.dfa(), cache.residual(lexer, vocab, thread), thread.1, vocab)
    } else {
        Arc::new(LexemeWalk::new(component.dfa(), thread.1, vocab))
    };
    let (trie, mut found, mut visited) = (vocab.trie(), Collector::default(), 0);
    for &root in &walk.crossing {
        let (first, end) = (root.index(), trie.end(root).index());
        let string = vocab.rank_bytes(trie.first_rank(root));
        let above = &string[..trie.depth(root) as usize - 1];
        let scan = above.iter().try_fold(Some(start), |scan, &byte| match scan {
            Some(scan) => cache.step(lexer, scan, byte),
            None => Ok(None),
        })?;
        if let Some(scan) = scan {
            visited += found.walk(lexer, cache, vocab, (first, end), scan)?;
        }
    }
    let mut profile = found.finish(visited);
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
            found.add((class, rank, rank + 1));
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
