//! Rules beside the grammar: what is asked of a JSON text that no grammar can say.
//!
//! A tracker (`glrmask-instance`) follows the text along with the branches. A mask is that of the grammar without the
//! tokens after which an item of a unique array, or a key, is there twice, or after which no text avoids that; a commit
//! asks the same. Where the tracker has to look ahead, it asks the grammar which bytes may follow: those of a class that
//! no branch tells apart are tried once. See `docs/instance.md`.

use std::sync::{Arc, OnceLock};

use glrmask_automata::{ByteSet, Dfa, StateId};
use glrmask_glr::LrState;
use glrmask_instance::{filter, must_filter, viable, Continuations, Rules, TokenWalk, Tracker, Violation};
use glrmask_lexer::Thread;
use glrmask_vocab::Vocab;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::branch::{Alternatives, Branch, Branches, Lexeme};
use crate::commit;
use crate::constraint::Inner;
use crate::error::RuntimeError;

/// Rules of a constraint.
#[derive(Debug)]
pub(crate) struct Instance {
    rules: Arc<Rules>,
    /// Shared through the vocabulary; found on first use.
    walk: OnceLock<Arc<TokenWalk>>,
    /// Bytes that may follow, by place: searches come to the same places again and again.
    following: Mutex<FxHashMap<Key, ByteSet>>,
}

/// A place of the grammar that has one stack per branch and nothing pending: lexemes and stacks, from the top.
type Key = SmallVec<[(Lexeme, SmallVec<[LrState; 16]>); 1]>;

/// Places whose following bytes are kept.
const MAX_KEYS: usize = 1 << 14;
/// Deepest stack that is compared with others.
const MAX_DEPTH: usize = 128;

impl Instance {
    pub(crate) fn new(rules: Arc<Rules>) -> Self {
        Self { rules, walk: OnceLock::new(), following: Mutex::default() }
    }
    pub(crate) fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }
    /// At the start of the text.
    pub(crate) fn start(&self) -> Tracker {
        Tracker::new(self.rules.clone())
    }
    /// Takes the tokens off a mask of the grammar that the rules forbid.
    pub(crate) fn filter(
        &self,
        inner: &Inner,
        (tracker, branches): (&Tracker, &Branches),
        words: &mut [u32],
    ) -> Result<(), RuntimeError> {
        tracker.check_limit().map_err(|limit| over_limit(&limit))?;
        filter(tracker, self.walk(&inner.vocab), &inner.vocab, words, &mut Following::new(inner, branches))
    }
    /// Whether a mask of the grammar is right as it is, as far as a look at it tells.
    pub(crate) fn agrees(&self, inner: &Inner, tracker: &Tracker, words: &[u32]) -> bool {
        tracker.check_limit().is_ok() && !must_filter(tracker, self.walk(&inner.vocab), &inner.vocab, words)
    }
    /// The bytes at a place, found if they are not known.
    fn following(
        &self,
        key: Key,
        find: impl FnOnce() -> Result<ByteSet, RuntimeError>,
    ) -> Result<ByteSet, RuntimeError> {
        if let Some(known) = self.following.lock().get(&key) {
            return Ok(*known);
        }
        let found = find()?;
        let mut following = self.following.lock();
        if following.len() >= MAX_KEYS {
            following.clear();
        }
        following.insert(key, found);
        Ok(found)
    }
    fn walk(&self, vocab: &Vocab) -> &TokenWalk {
        self.walk.get_or_init(|| TokenWalk::shared(vocab))
    }
}

/// The error of a tracker that remembers too much.
pub(crate) fn over_limit(violation: &Violation) -> RuntimeError {
    let (given, limit) = violation.numbers().unwrap_or_default();
    RuntimeError::limit("bytes remembered of unique items and keys", given, limit)
}

/// Whether some text that the grammar and the rules allow goes on from here.
pub(crate) fn is_viable(inner: &Inner, tracker: &Tracker, branches: &Branches) -> Result<bool, RuntimeError> {
    Ok(tracker.is_free() || viable(tracker, &[], &mut Following::new(inner, branches))?)
}

/// The grammar, asked which bytes may follow.
pub(crate) struct Following<'a> {
    inner: &'a Inner,
    /// Bytes read behind the place in question.
    read: Vec<u8>,
    /// The branches before them, after the first, and so on.
    places: Vec<Branches>,
}

/// What a byte does to the branches: equal for bytes that no branch tells apart.
type Step = SmallVec<[(StateId, SmallVec<[Thread; 2]>); 2]>;

impl<'a> Following<'a> {
    pub(crate) fn new(inner: &'a Inner, branches: &Branches) -> Self {
        Self { inner, read: Vec::new(), places: vec![branches.clone()] }
    }

    /// The branches after these bytes, which the grammar allows.
    fn go(&mut self, after: &[u8]) -> Result<Branches, RuntimeError> {
        let common = self.read.iter().zip(after).take_while(|(a, b)| a == b).count();
        self.read.truncate(common);
        self.places.truncate(common + 1);
        for &byte in after.get(common..).unwrap_or(&[]) {
            let mut next = self.places.last().cloned().unwrap_or_default();
            if !next.is_empty() {
                advance(self.inner, &mut next, byte)?;
            }
            self.read.push(byte);
            self.places.push(next);
        }
        Ok(self.places.last().cloned().unwrap_or_default())
    }
}

/// Advances by a byte; whether a text goes on from there.
fn advance(inner: &Inner, branches: &mut Branches, byte: u8) -> Result<bool, RuntimeError> {
    if commit::advance(inner, branches, &[byte]) == 0 {
        branches.clear();
    }
    Ok(!branches.is_empty() && commit::retain_viable(inner, branches)?)
}

impl Continuations for Following<'_> {
    type Error = RuntimeError;

    fn next_bytes(&mut self, after: &[u8]) -> Result<ByteSet, RuntimeError> {
        let branches = self.go(after)?;
        match (&self.inner.instance, key(&branches)) {
            (Some(instance), Some(key)) => instance.following(key, || next_bytes(self.inner, &branches)),
            _ => next_bytes(self.inner, &branches),
        }
    }

    fn allows(&mut self, after: &[u8]) -> Result<bool, RuntimeError> {
        Ok(!self.go(after)?.is_empty())
    }
}

pub(crate) fn key(branches: &Branches) -> Option<Key> {
    let one = |branch: &Branch| {
        let stack = branch.stacks.linear().filter(|stack| stack.len() <= MAX_DEPTH)?;
        let plain = branch.stacks.uniform().is_some_and(Alternatives::is_none);
        plain.then(|| (branch.lexeme, stack.iter().copied().collect()))
    };
    branches.iter().map(one).collect()
}

/// The bytes after which some text goes on.
fn next_bytes(inner: &Inner, branches: &Branches) -> Result<ByteSet, RuntimeError> {
    let mut tried: FxHashMap<(Option<u8>, Step), bool> = FxHashMap::default();
    let mut found = ByteSet::EMPTY;
    let apart = branches.iter().any(|branch| tells_bytes_apart(inner, branch));
    for byte in 0..=u8::MAX {
        let step = step(inner, branches, byte);
        if step.iter().all(|(next, started)| *next == Dfa::DEAD && started.is_empty()) {
            continue;
        }
        let key = (apart.then_some(byte), step);
        let viable = match tried.get(&key) {
            Some(&known) => known,
            None => {
                let viable = advance(inner, &mut branches.clone(), byte)?;
                tried.insert(key, viable);
                viable
            }
        };
        if viable {
            found.insert(byte);
        }
    }
    Ok(found)
}

/// Where the byte leads in each branch: inside the lexeme, and where it begins a new one.
fn step(inner: &Inner, branches: &Branches, byte: u8) -> Step {
    let one = |branch: &Branch| match branch.lexeme {
        Lexeme::Boundary => (Dfa::DEAD, inner.lexer.starts(byte).iter().copied().collect()),
        Lexeme::Inside((component, state)) => {
            let dfa = inner.lexer.component(component).dfa();
            let started = match dfa.is_accepting(state) {
                true => inner.lexer.starts(byte).iter().copied().collect(),
                false => SmallVec::new(),
            };
            (dfa.next(state, byte), started)
        }
    };
    branches.iter().map(one).collect()
}

/// Whether longest match has a say, which looks at the byte itself.
fn tells_bytes_apart(inner: &Inner, branch: &Branch) -> bool {
    let pending = !branch.stacks.uniform().is_some_and(Alternatives::is_none);
    let Lexeme::Inside((component, state)) = branch.lexeme else { return pending };
    let component = inner.lexer.component(component);
    pending || component.matched(state).any(|terminal| !component.left(terminal, state).is_empty())
}
