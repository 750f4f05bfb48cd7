//! The one hidden cache: what has been built for a vocabulary and may be wanted by the next grammar.
//!
//! Lexers of different grammars share their expensive parts (string bodies, numbers, white space). Such a part depends
//! on the vocabulary and on a canonical description of the automaton, nothing else, so it is kept here under that
//! description. The cache is type-erased, because the types that live in it belong to crates above this one; a value
//! is found only under the type it was stored with. It is bounded in bytes, forgets the least recently used values
//! first, and never changes a result: whoever misses builds the same value again.
//!
//! Grammars of people who do not trust each other may share a vocabulary. So a key must say all that the value depends on,
//! or be a fingerprint under the cache's own [`FingerprintKey`], which is drawn at random and told to nobody.
//!
//! Rejected: one global cache keyed by fingerprint (its memory would outlive every vocabulary).

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use glrmask_automata::FingerprintKey;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// A bounded, thread-safe, type-erased cache; see the [module](self).
pub struct Cache {
    budget: usize,
    fingerprint_key: FingerprintKey,
    shelf: Mutex<Shelf>,
}

/// What a cache holds and how it has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Values held now.
    pub entries: usize,
    /// Bytes of these values and their keys, as told by those who stored them.
    pub bytes: usize,
    /// Look-ups that found a value.
    pub hits: u64,
    /// Look-ups that found none.
    pub misses: u64,
    /// Values dropped to stay within the budget.
    pub evictions: u64,
}

impl Cache {
    /// An empty cache that keeps at most `budget` bytes.
    pub fn new(budget: usize) -> Self {
        Self { budget, fingerprint_key: random_key(), shelf: Mutex::default() }
    }

    /// What fingerprints in keys are made with: another for each cache, and unknown to whoever writes grammars.
    pub fn fingerprint_key(&self) -> FingerprintKey {
        self.fingerprint_key
    }

    /// The byte budget.
    pub fn budget(&self) -> usize {
        self.budget
    }

    /// The value stored under this key and type. O(key + log entries).
    pub fn get<T: Any + Send + Sync>(&self, key: &[u8]) -> Option<Arc<T>> {
        let found = self.shelf.lock().touch(&(TypeId::of::<T>(), key.into()));
        found.and_then(|value| value.downcast().ok())
    }

    /// The value under this key and type; if there is none, what `make` returns, with its size in bytes.
    ///
    /// `make` runs without any lock held, so two threads that miss together both build; the first to finish wins and
    /// both get its value. A value larger than the whole budget is returned and not kept.
    ///
    /// # Errors
    /// Those of `make`; nothing is stored then.
    pub fn get_or_try_insert<T, E, F>(&self, key: &[u8], make: F) -> Result<Arc<T>, E>
    where
        T: Any + Send + Sync,
        F: FnOnce() -> Result<(Arc<T>, usize), E>,
    {
        if let Some(found) = self.get(key) {
            return Ok(found);
        }
        let (value, bytes) = make()?;
        let kept = self.shelf.lock().insert((TypeId::of::<T>(), key.into()), value.clone(), bytes, self.budget);
        Ok(kept.downcast().unwrap_or(value))
    }

    /// Stores a value of `bytes` bytes under this key and type, in place of one that is there.
    pub fn insert<T: Any + Send + Sync>(&self, key: &[u8], value: Arc<T>, bytes: usize) {
        let key: Key = (TypeId::of::<T>(), key.into());
        let mut shelf = self.shelf.lock();
        shelf.remove(&key);
        shelf.insert(key, value, bytes, self.budget);
    }

    /// [`get_or_try_insert`](Self::get_or_try_insert) for a `make` that cannot fail.
    pub fn get_or_insert<T, F>(&self, key: &[u8], make: F) -> Arc<T>
    where
        T: Any + Send + Sync,
        F: FnOnce() -> (Arc<T>, usize),
    {
        match self.get_or_try_insert(key, || Ok::<_, Infallible>(make())) {
            Ok(value) => value,
            Err(never) => match never {},
        }
    }

    /// Drops every value.
    pub fn clear(&self) {
        let mut shelf = self.shelf.lock();
        let stats = Stats { entries: 0, bytes: 0, ..shelf.stats };
        *shelf = Shelf { stats, ..Shelf::default() };
    }

    /// What the cache holds and how it has done.
    pub fn stats(&self) -> Stats {
        self.shelf.lock().stats
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("budget", &self.budget).field("stats", &self.stats()).finish()
    }
}

/// From what the standard library seeds its hash maps with.
fn random_key() -> FingerprintKey {
    let [low, high] = [0u8, 1].map(|part| RandomState::new().hash_one(part));
    FingerprintKey::new(u128::from(high) << 64 | u128::from(low))
}

type Key = (TypeId, Arc<[u8]>);
type Value = Arc<dyn Any + Send + Sync>;

struct Entry {
    value: Value,
    bytes: usize,
    last_use: u64,
}

/// The content. `by_use` holds exactly the keys of `entries`, under their `last_use`.
#[derive(Default)]
struct Shelf {
    entries: FxHashMap<Key, Entry>,
    by_use: BTreeMap<u64, Key>,
    clock: u64,
    stats: Stats,
}

impl Shelf {
    /// Finds a value and makes it the most recently used.
    fn touch(&mut self, key: &Key) -> Option<Value> {
        let Some(entry) = self.entries.get_mut(key) else {
            self.stats.misses += 1;
            return None;
        };
        self.stats.hits += 1;
        self.clock += 1;
        if let Some(key) = self.by_use.remove(&entry.last_use) {
            self.by_use.insert(self.clock, key);
        }
        entry.last_use = self.clock;
        Some(entry.value.clone())
    }

    /// Stores a value unless the key is taken; returns the value that is now the key's.
    fn insert(&mut self, key: Key, value: Value, bytes: usize, budget: usize) -> Value {
        if let Some(earlier) = self.entries.get(&key) {
            return earlier.value.clone();
        }
        let bytes = bytes.saturating_add(key.1.len());
        if bytes > budget {
            return value;
        }
        self.shrink_to(budget - bytes);
        self.clock += 1;
        self.by_use.insert(self.clock, key.clone());
        self.entries.insert(key, Entry { value: value.clone(), bytes, last_use: self.clock });
        self.stats.entries += 1;
        self.stats.bytes += bytes;
        value
    }

    /// Drops the value of this key.
    fn remove(&mut self, key: &Key) {
        if let Some(entry) = self.entries.remove(key) {
            self.by_use.remove(&entry.last_use);
            self.stats.bytes -= entry.bytes;
            self.stats.entries -= 1;
        }
    }

    /// Drops the least recently used values until at most `bytes` are held.
    fn shrink_to(&mut self, bytes: usize) {
        while self.stats.bytes > bytes {
            let Some((_, key)) = self.by_use.pop_first() else { return };
            if let Some(entry) = self.entries.remove(&key) {
                self.stats.bytes -= entry.bytes;
                self.stats.entries -= 1;
                self.stats.evictions += 1;
            }
        }
    }
}
