//! Profiles of similar states: one as its difference from the other.
//!
//! The states of one automaton mostly see the vocabulary alike: a string that also tracks whether it is a declared key, a
//! string with 40 characters left and one with 41, a number after its first and after its second digit. Walking both
//! scans together, every subtree is cut in which they have become the same scan or cannot be told apart by strings as
//! short as the subtree is high (see [`crate::levels`]). Where two states have equal rows but for a few bytes, only those
//! bytes are looked at. What remains are the few tokens that change their class. The plain reference is
//! [`mod@crate::profile`] of either state.

use std::sync::{Arc, OnceLock};

use glrmask_automata::lexdag::{ClassId, ConditionSetId};
use glrmask_automata::{ByteSet, Dfa, Id, StateId};
use glrmask_vocab::{NodeId, Rank, Vocab};

use crate::cache::LexerCache;
use crate::component::ComponentId;
use crate::error::LexerError;
use crate::levels::Levels;
use crate::lexer::Lexer;
use crate::pairs::{Pairs, StatePair};
use crate::partings::{Pair, Partings};
use crate::profile::has_lexeme_walk;
use crate::scan::ScanId;
use crate::walk::LexemeWalk;

/// Automata with more states have no [`Levels`].
const LEVEL_STATES: usize = 60_000;
/// Vocabularies with tokens of so many bytes have no [`Levels`].
const MAX_ROUNDS: usize = 1_000;
/// Bytes that the refinement history of one state takes, about.
const LEVEL_STATE_BYTES: usize = 64;
/// Walks of more trie nodes are worth being compared with a known one.
pub const WIDE: usize = 1_000;
/// Token lengths that estimates tell apart.
const LENGTHS: usize = 64;
/// Subtrees with fewer nodes are walked without comparing the rows of the states first.
pub(crate) const WORTH_COMPARING: u32 = 12;

/// A token whose class differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The token string.
    pub rank: Rank,
    /// Its class as seen from the reference; `None` if nothing accepts it there.
    pub from: Option<ClassId>,
    /// Its class as seen from the state.
    pub to: Option<ClassId>,
}

/// How alike the states of one component are, as far as one byte and the length of tokens tell.
#[derive(Debug)]
pub struct Similarity {
    component: ComponentId,
    shape: Arc<Shape>,
    /// Per byte class of the automaton, the trie nodes that begin with it.
    weights: Box<[usize]>,
    /// Per byte class, the bytes of the longest token that begins with it.
    longest: Box<[u32]>,
    /// Trie nodes by byte class as in `weights`, for tokens that are longer than so many bytes; found when states are first
    /// compared.
    longer: OnceLock<Vec<[u32; LENGTHS]>>,
    levels: Option<Arc<Levels>>,
}

impl Similarity {
    /// Time: for automata of one terminal the refinement of its states, once per vocabulary.
    pub fn new(lexer: &Lexer, cache: &mut LexerCache, vocab: &Vocab, id: ComponentId) -> Self {
        let component = lexer.component(id);
        let dfa = component.dfa();
        // Levels tell what is accepted, not as what, and nothing of conditions.
        let simple = component.terminals().len() == 1 && component.is_plain() && dfa.len() <= LEVEL_STATES;
        // Beyond the last round everything looks alike.
        let simple = simple && vocab.max_token_len() < MAX_ROUNDS;
        let levels = simple.then(|| {
            let fingerprint = cache.fingerprint(lexer, vocab, id);
            let rounds = vocab.max_token_len() as u32 + 1;
            let bytes = LEVEL_STATE_BYTES * dfa.len();
            vocab.cache().get_or_insert(&fingerprint.to_le_bytes(), || (Arc::new(Levels::new(dfa, rounds)), bytes))
        });
        let shape = Shape::of(vocab);
        let weight = |bytes: &ByteSet| bytes.iter().map(|byte| shape.nodes(byte, 0)).sum();
        let weights = dfa.class_sets().iter().map(weight).collect();
        let longest = |bytes: &ByteSet| bytes.iter().map(|byte| shape.longest[usize::from(byte)]).max().unwrap_or(0);
        let longest = dfa.class_sets().iter().map(longest).collect();
        Self { component: id, shape, weights, longest, longer: OnceLock::new(), levels }
    }

    pub(crate) fn dfa<'a>(&self, lexer: &'a Lexer) -> &'a Dfa {
        lexer.component(self.component).dfa()
    }

    /// Equal for states that no token tells apart: their profiles are the same. Only tokens count that can be read on from
    /// the state: few and short ones where a character is read in part.
    pub fn block(&self, lexer: &Lexer, state: StateId) -> Option<(u32, u32)> {
        let dfa = self.dfa(lexer);
        let live = dfa.row(state).iter().zip(&self.longest).filter(|(&next, _)| next != Dfa::DEAD);
        let longest = match dfa.is_accepting(state) {
            true => self.shape.longest.iter().max(),
            false => live.map(|(_, longest)| longest).max(),
        };
        // One byte more: a match at the end of a token may go on or not.
        let round = longest.map_or(0, |longest| longest + 1);
        Some((round, self.levels.as_ref()?.block(state, round)?))
    }

    /// About how many trie nodes a walk from `state` visits.
    pub fn visits(&self, lexer: &Lexer, state: StateId) -> usize {
        let dfa = lexer.component(self.component).dfa();
        if dfa.is_accepting(state) {
            return self.shape.all;
        }
        let live = dfa.row(state).iter().zip(&self.weights).filter(|(&next, _)| next != Dfa::DEAD);
        live.map(|(_, &weight)| weight).sum()
    }

    /// The state in which most of the vocabulary stays where it is: the plain body of a string, whatever else is tracked
    /// at its start. What can be read from it is often the same in other grammars.
    pub fn hub(&self, lexer: &Lexer) -> Option<StateId> {
        let dfa = lexer.component(self.component).dfa();
        let stays = |state: StateId| {
            let loops = dfa.row(state).iter().zip(&self.weights).filter(|(&next, _)| next == state);
            loops.map(|(_, &weight)| weight).sum::<usize>()
        };
        dfa.states()
            .map(|state| (stays(state), state))
            .max_by_key(|&(weight, state)| (weight, state.0))
            .map(|hub| hub.1)
    }

    /// About how many trie nodes a common walk from both states visits; at least one. From `enough` on, some number that
    /// is no smaller: for comparisons with a known pair.
    pub fn visits_apart(&self, lexer: &Lexer, (a, b): (StateId, StateId), enough: usize) -> usize {
        if !self.end_alike(lexer, a, b) {
            return self.shape.all;
        }
        let dfa = lexer.component(self.component).dfa();
        let longer =
            self.longer.get_or_init(|| dfa.class_sets().iter().map(|set| self.shape.longer_than(set)).collect());
        let mut nodes = 1;
        for ((&x, &y), longer) in dfa.row(a).iter().zip(dfa.row(b)).zip(longer) {
            if x != y {
                nodes += longer.get(self.alike(x, y) as usize).map_or(0, |&nodes| nodes as usize);
            }
            if nodes >= enough {
                break;
            }
        }
        nodes
    }

    /// Whether a lexeme that ends in either state ends in the same way.
    fn end_alike(&self, lexer: &Lexer, a: StateId, b: StateId) -> bool {
        let component = lexer.component(self.component);
        let left = |state: StateId| component.matched(state).map(move |t| component.left(t, state));
        component.dfa().labels_id(a) == component.dfa().labels_id(b) && left(a).eq(left(b))
    }

    /// The bytes after which the states may differ; after all others they are one and the same scan.
    pub(crate) fn bytes_apart(&self, lexer: &Lexer, a: StateId, b: StateId) -> ByteSet {
        if !self.end_alike(lexer, a, b) {
            return ByteSet::FULL;
        }
        let dfa = lexer.component(self.component).dfa();
        let rows = dfa.row(a).iter().zip(dfa.row(b)).zip(dfa.class_sets());
        rows.filter(|((x, y), _)| x != y).fold(ByteSet::EMPTY, |apart, (_, bytes)| apart.union(bytes))
    }

    /// The bytes after which the states may differ for tokens that continue the lexeme.
    fn bytes_apart_continued(
        &self,
        lexer: &Lexer,
        (a, a_ended): (StateId, &ByteSet),
        (b, b_ended): (StateId, &ByteSet),
    ) -> ByteSet {
        let apart = self.bytes_apart(lexer, a, b);
        let one_ended = a_ended.difference(b_ended).union(&b_ended.difference(a_ended));
        apart.difference(&a_ended.intersection(b_ended)).union(&one_ended)
    }

    /// About how many trie nodes a common walk from both states visits, for tokens that continue the lexeme.
    pub fn visits_apart_continued(
        &self,
        lexer: &Lexer,
        (a, a_ended): (StateId, &ByteSet),
        (b, b_ended): (StateId, &ByteSet),
    ) -> usize {
        let dfa = lexer.component(self.component).dfa();
        let rows = dfa.row(a).iter().zip(dfa.row(b)).zip(dfa.class_sets());
        let apart = rows.filter(|((x, y), _)| x != y).map(|((&x, &y), bytes)| {
            let alike = if x == Dfa::DEAD || y == Dfa::DEAD { 0 } else { self.alike(x, y) as usize };
            let bytes = bytes.difference(&a_ended.intersection(b_ended));
            bytes.iter().map(|byte| self.shape.nodes(byte, alike)).sum::<usize>()
        });
        1 + apart.sum::<usize>()
    }

    /// About how many trie nodes a walk from `state` visits, for tokens that continue the lexeme.
    pub fn visits_continued(&self, lexer: &Lexer, state: StateId, ended: &ByteSet) -> usize {
        let dfa = lexer.component(self.component).dfa();
        let live = dfa.row(state).iter().zip(dfa.class_sets()).filter(|(&next, _)| next != Dfa::DEAD);
        let bytes = live.fold(ByteSet::EMPTY, |all, (_, set)| all.union(set));
        let bytes = if dfa.is_accepting(state) { ended.complement() } else { bytes };
        bytes.iter().map(|byte| self.shape.nodes(byte, 0)).sum()
    }

    /// Tokens must be longer than this to tell the states apart after their first byte.
    pub(crate) fn alike(&self, x: StateId, y: StateId) -> u32 {
        self.levels.as_ref().map_or(0, |levels| levels.level(x, y))
    }
}

/// Makes what the vocabulary keeps for a component: the walk of the state where most of the vocabulary stays, and how
/// alike its states are. Later calls for profiles find it there.
pub fn warm(lexer: &Lexer, vocab: &Vocab, id: ComponentId) {
    let component = lexer.component(id);
    if component.terminals().len() > 1 || !component.is_plain() {
        return;
    }
    let mut cache = LexerCache::new();
    let similarity = Similarity::new(lexer, &mut cache, vocab, id);
    let hub = similarity.hub(lexer).filter(|&hub| similarity.visits(lexer, hub) >= WIDE);
    if let Some(hub) = hub.filter(|&hub| !component.dfa().is_accepting(hub)) {
        LexemeWalk::get(component.dfa(), cache.residual(lexer, vocab, (id, hub)), hub, vocab);
    }
}

/// How many nodes the trie of a vocabulary has where; found once per vocabulary.
#[derive(Debug)]
struct Shape {
    /// Per first byte, and per length, the nodes through which tokens longer than that go.
    longer: Vec<[u32; LENGTHS]>,
    /// Per first byte, its node; 0 if no token begins with it.
    roots: Box<[u32]>,
    /// Per first byte, the bytes of the longest token that begins with it.
    longest: Box<[u32]>,
    all: usize,
}

impl Shape {
    fn of(vocab: &Vocab) -> Arc<Self> {
        vocab.cache().get_or_insert(b"shape of the trie", || (Arc::new(Self::new(vocab)), 4 * 256 * (LENGTHS + 2)))
    }

    fn new(vocab: &Vocab) -> Self {
        let trie = vocab.trie();
        let mut longer = vec![[0; LENGTHS]; 256];
        let mut roots = vec![0; 256].into_boxed_slice();
        let mut longest = roots.clone();
        for child in trie.children(NodeId(0)) {
            roots[usize::from(trie.byte(child))] = child.0;
            longest[usize::from(trie.byte(child))] = trie.height(child) + 1;
            let counts = &mut longer[usize::from(trie.byte(child))];
            let below = child.index()..trie.end(child).index();
            for (&depth, &height) in trie.depths()[below.clone()].iter().zip(&trie.heights()[below]) {
                let longest = (depth + height) as usize;
                counts[..longest.min(LENGTHS)].iter_mut().for_each(|count| *count += 1);
            }
        }
        Self { longer, roots, longest, all: trie.len() }
    }

    /// Per length, the nodes below these first bytes through which tokens longer than that go.
    fn longer_than(&self, first: &ByteSet) -> [u32; LENGTHS] {
        let mut all = [0; LENGTHS];
        for byte in first.iter().filter(|&byte| self.roots[usize::from(byte)] > 0) {
            all.iter_mut().zip(&self.longer[usize::from(byte)]).for_each(|(sum, more)| *sum += more);
        }
        all
    }

    /// Nodes below the first byte through which tokens of more than `length` bytes go.
    fn nodes(&self, first: u8, length: usize) -> usize {
        self.longer[usize::from(first)].get(length).map_or(0, |&count| count as usize)
    }
}

/// The tokens that have another class from `state` than from `reference`, by rising rank; `None` if more than `limit` trie
/// nodes would have to be visited to find them.
///
/// # Errors
/// A limit of the cache.
pub fn difference(
    lexer: &Lexer,
    cache: &mut LexerCache,
    vocab: &Vocab,
    similarity: &Similarity,
    (state, reference): (StateId, StateId),
    limit: usize,
) -> Result<Option<Vec<Moved>>, LexerError> {
    let mut walk = Walk::new(lexer, cache, vocab, similarity, limit);
    let states = (state, reference);
    if walk.is_inside(states) {
        let id = similarity.component;
        let residuals =
            (walk.cache.residual(lexer, vocab, (id, state)), walk.cache.residual(lexer, vocab, (id, reference)));
        let partings = Partings::get(Pair { lexer, similarity, states }, residuals, vocab, limit);
        return Ok(if walk.below(&partings, states)? { Some(walk.moved) } else { None });
    }
    let start = walk.scans(states);
    for byte in walk.bytes_apart(start).iter() {
        let node = similarity.shape.roots[usize::from(byte)] as usize;
        if node > 0 && !walk.subtree(node, start)? {
            return Ok(None);
        }
    }
    Ok(Some(walk.moved))
}

/// [`difference`] for tokens that continue the lexeme: each state sees nothing behind the bytes that end it, which
/// [`ended_by`](crate::ended_by) gave.
///
/// # Errors
/// A limit of the cache.
pub fn difference_continued(
    lexer: &Lexer,
    cache: &mut LexerCache,
    vocab: &Vocab,
    similarity: &Similarity,
    (state, ended): (StateId, &ByteSet),
    (reference, reference_ended): (StateId, &ByteSet),
    limit: usize,
) -> Result<Option<Vec<Moved>>, LexerError> {
    let mut walk = Walk::new(lexer, cache, vocab, similarity, limit);
    let states = (state, reference);
    let inside = walk.is_inside(states);
    let mut bytes = similarity.bytes_apart_continued(lexer, (state, ended), (reference, reference_ended));
    if inside {
        let both = bytes.difference(&ended.union(reference_ended));
        let partings = Partings::find(Pair { lexer, similarity, states }, &both, vocab, limit);
        if !walk.below(&partings, states)? {
            return Ok(None);
        }
        bytes = bytes.difference(&both);
    }
    let scans = walk.scans(states);
    for byte in bytes.iter() {
        let node = similarity.shape.roots[usize::from(byte)] as usize;
        let start = match (ended.contains(byte), reference_ended.contains(byte)) {
            (true, true) => continue,
            (mine, other) => (scans.0.filter(|_| !mine), scans.1.filter(|_| !other)),
        };
        if node > 0 && !walk.subtree(node, start)? {
            return Ok(None);
        }
    }
    walk.moved.sort_unstable_by_key(|moved| moved.rank);
    Ok(Some(walk.moved))
}

/// The tokens that have another class from the scan `mine` than from `other`, by rising rank. For scans of which most tokens
/// make the same scan, such as the same place with and without pending conditions.
///
/// # Errors
/// A limit of the cache.
pub fn difference_of_scans(
    lexer: &Lexer,
    cache: &mut LexerCache,
    vocab: &Vocab,
    mine: ScanId,
    other: ScanId,
) -> Result<Vec<Moved>, LexerError> {
    let trie = vocab.trie();
    let (bytes, ends, depths) = (trie.bytes(), trie.ends(), trie.depths());
    let mut moved = Vec::new();
    let mut path: Vec<Both> = vec![(Some(mine), Some(other))];
    let mut node = 1;
    while node < trie.len() {
        path.truncate(depths[node] as usize);
        let Some(&(mine, other)) = path.last() else { break };
        let mut step = |scan: Option<ScanId>| match scan {
            Some(scan) => cache.step(lexer, scan, bytes[node]),
            None => Ok(None),
        };
        let both = (step(mine)?, step(other)?);
        if both.0 == both.1 {
            node = ends[node] as usize;
            continue;
        }
        if let Some(rank) = trie.token(NodeId::from_usize(node)) {
            let mut class = |scan: Option<ScanId>| scan.map_or(Ok(None), |scan| cache.class(lexer, scan));
            let (to, from) = (class(both.0)?, class(both.1)?);
            if from != to {
                moved.push(Moved { rank, from, to });
            }
        }
        path.push(both);
        node += 1;
    }
    Ok(moved)
}

/// The scans of one text from either state; `None` where nothing is left.
type Both = (Option<ScanId>, Option<ScanId>);

struct Walk<'a> {
    lexer: &'a Lexer,
    cache: &'a mut LexerCache,
    vocab: &'a Vocab,
    similarity: &'a Similarity,
    limit: usize,
    visited: usize,
    moved: Vec<Moved>,
    known: Pairs,
}

impl<'a> Walk<'a> {
    fn new(
        lexer: &'a Lexer,
        cache: &'a mut LexerCache,
        vocab: &'a Vocab,
        similarity: &'a Similarity,
        limit: usize,
    ) -> Self {
        Self { lexer, cache, vocab, similarity, limit, visited: 0, moved: Vec::new(), known: Pairs::default() }
    }

    /// Whether the lexeme walk of either state says all about it.
    fn is_inside(&self, (mine, other): (StateId, StateId)) -> bool {
        let inside = |state| state != Dfa::DEAD && has_lexeme_walk(self.lexer, (self.similarity.component, state));
        inside(mine) && inside(other)
    }

    /// The scans of two states of the component, nothing having been read before.
    fn scans(&mut self, (mine, other): (StateId, StateId)) -> Both {
        let id = self.similarity.component;
        let mut scan =
            |state| (state != Dfa::DEAD).then(|| self.cache.inside(self.lexer, (id, state), ConditionSetId::NONE));
        (scan(mine), scan(other))
    }

    /// Walks what is below the nodes where the two states part. False if it takes too many visits.
    fn below(&mut self, partings: &Partings, states: (StateId, StateId)) -> Result<bool, LexerError> {
        let Some((roots, visited)) = partings.within(self.limit) else { return Ok(false) };
        self.visited += visited;
        let (trie, dfa) = (self.vocab.trie(), self.similarity.dfa(self.lexer));
        for &root in roots {
            let node = NodeId(root);
            let string = self.vocab.rank_bytes(trie.first_rank(node));
            let above = &string[..trie.depth(node) as usize - 1];
            let next = |(mine, other), &byte| (dfa.next(mine, byte), dfa.next(other, byte));
            let start = self.scans(above.iter().fold(states, next));
            if !self.subtree(node.index(), start)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Walks the subtree of `top`; `start` are the scans before it. False if it takes too many visits.
    fn subtree(&mut self, top: usize, start: Both) -> Result<bool, LexerError> {
        let trie = self.vocab.trie();
        let (bytes, ends, depths) = (trie.bytes(), trie.ends(), trie.depths());
        let above = depths[top] - 1;
        let mut path = vec![(start, ByteSet::FULL)];
        let mut node = top;
        while node < ends[top] as usize {
            path.truncate((depths[node] - above) as usize);
            let Some(&(before, apart)) = path.last() else { break };
            if !apart.contains(bytes[node]) {
                node = ends[node] as usize;
                continue;
            }
            self.visited += 1;
            if self.visited > self.limit {
                return Ok(false);
            }
            let both = (self.step(before.0, bytes[node])?, self.step(before.1, bytes[node])?);
            if self.is_alike_below(both, node) {
                node = ends[node] as usize;
                continue;
            }
            if let Some(rank) = trie.token(NodeId::from_usize(node)) {
                let (to, from) = (self.class(both.0)?, self.class(both.1)?);
                if from != to {
                    self.moved.push(Moved { rank, from, to });
                }
            }
            let large = ends[node] - node as u32 > WORTH_COMPARING;
            path.push((both, if large { self.bytes_apart(both) } else { ByteSet::FULL }));
            node += 1;
        }
        Ok(true)
    }

    fn step(&mut self, scan: Option<ScanId>, byte: u8) -> Result<Option<ScanId>, LexerError> {
        scan.map_or(Ok(None), |scan| self.cache.step(self.lexer, scan, byte))
    }
    fn class(&mut self, scan: Option<ScanId>) -> Result<Option<ClassId>, LexerError> {
        scan.map_or(Ok(None), |scan| self.cache.class(self.lexer, scan))
    }
    /// The two states, where nothing but the lexeme has been read.
    fn states(&self, (mine, other): Both) -> Option<StatePair> {
        Some((self.cache.only_thread(mine?)?.1, self.cache.only_thread(other?)?.1))
    }
    /// Whether no token at or below the node has different classes.
    fn is_alike_below(&mut self, both: Both, node: usize) -> bool {
        let height = self.vocab.trie().heights()[node];
        if both.0 == both.1 || self.similarity.levels.is_none() {
            return both.0 == both.1;
        }
        self.states(both).is_some_and(|pair| self.known.level(self.similarity, pair) > height)
    }
    fn bytes_apart(&mut self, both: Both) -> ByteSet {
        let Some(pair) = self.states(both) else { return ByteSet::FULL };
        self.known.bytes_apart(self.similarity, self.lexer, pair)
    }
}
