//! Profiles of similar states: one as its difference from the other.
//!
//! The states of one automaton mostly see the vocabulary alike: a string that also tracks whether it is a declared key, a
//! string with 40 characters left and one with 41, a number after its first and after its second digit. Walking both
//! scans together, every subtree is cut in which they have become the same scan or cannot be told apart by strings as
//! short as the subtree is high (see [`crate::levels`]). What remains are the few tokens that change their class. The
//! plain reference is [`mod@crate::profile`] of either state.

use std::sync::Arc;

use glrmask_automata::lexdag::{ClassId, ConditionSetId};
use glrmask_automata::{ByteSet, Dfa, Id, StateId};
use glrmask_vocab::{NodeId, Rank, Vocab};

use crate::cache::LexerCache;
use crate::component::ComponentId;
use crate::error::LexerError;
use crate::levels::Levels;
use crate::lexer::Lexer;
use crate::scan::ScanId;
use crate::walk::LexemeWalk;

/// Automata with more states have no [`Levels`].
const LEVEL_STATES: usize = 60_000;
/// Bytes that the refinement history of one state takes, about.
const LEVEL_STATE_BYTES: usize = 64;
/// Walks of more trie nodes are worth being compared with a known one.
pub const WIDE: usize = 1_000;
/// Token lengths that estimates tell apart.
const LENGTHS: usize = 64;

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
    levels: Option<Arc<Levels>>,
}

impl Similarity {
    /// Time: for automata of one terminal the refinement of its states, once per vocabulary.
    pub fn new(lexer: &Lexer, cache: &mut LexerCache, vocab: &Vocab, id: ComponentId) -> Self {
        let component = lexer.component(id);
        let dfa = component.dfa();
        // Levels tell what is accepted, not as what, and nothing of conditions.
        let simple = component.terminals().len() == 1 && component.is_plain() && dfa.len() <= LEVEL_STATES;
        let levels = simple.then(|| {
            let fingerprint = cache.fingerprint(lexer, id);
            let rounds = u32::try_from(vocab.max_token_len()).unwrap_or(u32::MAX).saturating_add(1).min(1_000);
            let bytes = LEVEL_STATE_BYTES * dfa.len();
            vocab.cache().get_or_insert(&fingerprint.to_le_bytes(), || (Arc::new(Levels::new(dfa, rounds)), bytes))
        });
        let shape = Shape::of(vocab);
        let weight = |bytes: &ByteSet| bytes.iter().map(|byte| shape.nodes(byte, 0)).sum();
        let weights = dfa.class_sets().iter().map(weight).collect();
        Self { component: id, shape, weights, levels }
    }

    /// Equal for states that no token tells apart: their profiles are the same.
    pub fn block(&self, state: StateId) -> Option<u32> {
        self.levels.as_ref()?.block(state)
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

    /// About how many trie nodes a common walk from both states visits; at least the children of the root.
    pub fn visits_apart(&self, lexer: &Lexer, a: StateId, b: StateId) -> usize {
        let component = lexer.component(self.component);
        let dfa = component.dfa();
        let left = |state: StateId| component.matched(state).map(move |t| component.left(t, state));
        if dfa.labels_id(a) != dfa.labels_id(b) || !left(a).eq(left(b)) {
            return self.shape.all;
        }
        let rows = dfa.row(a).iter().zip(dfa.row(b)).zip(dfa.class_sets());
        let apart = rows.filter(|((x, y), _)| x != y).map(|((&x, &y), bytes)| {
            let alike = self.alike(x, y);
            bytes.iter().map(|byte| self.shape.nodes(byte, alike)).sum::<usize>()
        });
        self.shape.root + apart.sum::<usize>()
    }

    /// Tokens must be longer than this to tell the states apart after their first byte.
    fn alike(&self, x: StateId, y: StateId) -> usize {
        match &self.levels {
            Some(levels) => levels.level(x, y) as usize,
            None => 0,
        }
    }

    /// Whether no string of up to `height` bytes tells the states apart.
    fn alike_below(&self, a: StateId, b: StateId, height: u32) -> bool {
        self.levels.as_ref().is_some_and(|levels| levels.level(a, b) > height)
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
        LexemeWalk::get(component.dfa(), cache.fingerprint(lexer, id), hub, vocab);
    }
}

/// How many nodes the trie of a vocabulary has where; found once per vocabulary.
#[derive(Debug)]
struct Shape {
    /// Per first byte, and per length, the nodes through which tokens longer than that go.
    longer: Vec<[u32; LENGTHS]>,
    root: usize,
    all: usize,
    /// Per node, the length of the longest string below it.
    heights: Vec<u16>,
}

impl Shape {
    fn of(vocab: &Vocab) -> Arc<Self> {
        vocab.cache().get_or_insert(b"shape of the trie", || {
            let shape = Self::new(vocab);
            let bytes = 2 * shape.heights.len() + 4 * 256 * LENGTHS;
            (Arc::new(shape), bytes)
        })
    }

    fn new(vocab: &Vocab) -> Self {
        let trie = vocab.trie();
        let mut heights = vec![0u16; trie.len()];
        for node in (1..trie.len()).rev() {
            let own =
                trie.children(NodeId::from_usize(node)).map(|child| heights[child.index()].saturating_add(1)).max();
            heights[node] = own.unwrap_or(0);
        }
        let mut longer = vec![[0; LENGTHS]; 256];
        let mut root = 0;
        for child in trie.children(NodeId(0)) {
            root += 1;
            let counts = &mut longer[usize::from(trie.byte(child))];
            let below = child.index()..trie.end(child).index();
            for (&depth, &height) in trie.depths()[below.clone()].iter().zip(&heights[below]) {
                let longest = depth as usize + usize::from(height);
                counts[..longest.min(LENGTHS)].iter_mut().for_each(|count| *count += 1);
            }
        }
        Self { longer, root, all: trie.len(), heights }
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
    let component = similarity.component;
    let heights = &similarity.shape.heights;
    let start = |cache: &mut LexerCache, q| Some(cache.inside(lexer, (component, q), ConditionSetId::NONE));
    let mut path = vec![(start(cache, state), start(cache, reference))];
    let trie = vocab.trie();
    let (bytes, ends, depths) = (trie.bytes(), trie.ends(), trie.depths());
    let mut moved = Vec::new();
    let (mut node, mut visited) = (1, 0);
    while node < bytes.len() {
        path.truncate(depths[node] as usize);
        visited += 1;
        if visited > limit {
            return Ok(None);
        }
        let Some(&(mine, other)) = path.last() else { break };
        let mut step = |scan: Option<ScanId>| scan.map_or(Ok(None), |scan| cache.step(lexer, scan, bytes[node]));
        let (mine, other) = (step(mine)?, step(other)?);
        let inside = |scan| cache.only_thread(scan?).map(|thread| thread.1);
        let same = mine == other
            || similarity.levels.is_some()
                && matches!((inside(mine), inside(other)), (Some(a), Some(b))
                    if similarity.alike_below(a, b, heights[node].into()));
        if same {
            node = ends[node] as usize;
            continue;
        }
        if let Some(rank) = trie.token(NodeId::from_usize(node)) {
            let mut class = |scan: Option<ScanId>| scan.map_or(Ok(None), |scan| cache.class(lexer, scan));
            let (to, from) = (class(mine)?, class(other)?);
            if from != to {
                moved.push(Moved { rank, from, to });
            }
        }
        path.push((mine, other));
        node += 1;
    }
    Ok(Some(moved))
}
