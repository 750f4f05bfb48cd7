//! The cache: keys, types, budget, threads.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use glrmask_vocab::cache::Stats;
use glrmask_vocab::{Cache, TokenId, Vocab};
use proptest::collection::vec;
use proptest::prelude::*;

fn put(cache: &Cache, key: &[u8], value: u32, bytes: usize) -> u32 {
    *cache.get_or_insert(key, || (Arc::new(value), bytes))
}

#[test]
fn a_value_is_made_once() {
    let cache = Cache::new(100);
    assert_eq!((put(&cache, b"k", 1, 10), put(&cache, b"k", 2, 10)), (1, 1));
    assert_eq!(cache.stats(), Stats { entries: 1, bytes: 11, hits: 1, misses: 1, evictions: 0 });
}

#[test]
fn types_do_not_meet_under_one_key() {
    let cache = Cache::new(100);
    put(&cache, b"k", 1, 1);
    let text = cache.get_or_insert(b"k", || (Arc::new("text".to_owned()), 4));
    assert_eq!((text.as_str(), cache.get::<u32>(b"k"), cache.get::<u64>(b"k")), ("text", Some(Arc::new(1)), None));
}

#[test]
fn a_failure_is_returned_and_not_kept() {
    let cache = Cache::new(100);
    let failed: Result<Arc<u32>, &str> = cache.get_or_try_insert(b"k", || Err("no"));
    assert_eq!((failed, put(&cache, b"k", 2, 1)), (Err("no"), 2));
}

#[test]
fn a_value_larger_than_the_budget_is_returned_and_drops_nothing() {
    let cache = Cache::new(10);
    put(&cache, b"a", 1, 5);
    assert_eq!(put(&cache, b"b", 2, usize::MAX), 2);
    assert_eq!((cache.get::<u32>(b"a"), cache.get::<u32>(b"b")), (Some(Arc::new(1)), None));
}

#[test]
fn what_is_inserted_takes_the_place_of_what_was_there() {
    let cache = Cache::new(100);
    put(&cache, b"k", 1, 10);
    cache.insert(b"k", Arc::new(2u32), 30);
    cache.insert(b"k", Arc::new("text".to_owned()), 4);
    assert_eq!(cache.get::<u32>(b"k"), Some(Arc::new(2)));
    let Stats { entries, bytes, evictions, .. } = cache.stats();
    assert_eq!((entries, bytes, evictions), (2, 31 + 5, 0));
    // Others make room as they do for anything new; what is larger than the budget is not kept, nor what it replaces.
    cache.insert(b"l", Arc::new(3u32), 68);
    assert_eq!((cache.get::<String>(b"k"), cache.stats().bytes), (None, 31 + 69));
    assert_eq!((cache.get::<u32>(b"k"), cache.stats().evictions), (Some(Arc::new(2)), 1));
    cache.insert(b"l", Arc::new(4u32), 100);
    assert_eq!((cache.get::<u32>(b"l"), cache.stats().bytes), (None, 31));
}

#[test]
fn every_cache_has_a_fingerprint_key_of_its_own() {
    let letter = glrmask_automata::Dfa::from_literals(&[(b"a", 0)]);
    let keys = [Cache::new(0), Cache::new(0)].map(|cache| cache.fingerprint_key());
    assert_ne!(letter.fingerprint(keys[0]), letter.fingerprint(keys[1]));
    assert_eq!(letter.fingerprint(keys[0]), letter.fingerprint(keys[0]));
}

#[test]
fn a_vocabulary_keeps_what_its_clones_store() {
    let vocab = Vocab::new([(TokenId(0), "a")]).unwrap();
    assert_eq!(put(vocab.clone().cache(), b"k", 1, 1), 1);
    assert_eq!(vocab.cache().get::<u32>(b"k"), Some(Arc::new(1)));
    vocab.cache().clear();
    assert_eq!((vocab.cache().get::<u32>(b"k"), vocab.cache().stats().bytes), (None, 0));
}

#[test]
fn threads_agree_on_one_value() {
    let (cache, made) = (Cache::new(1 << 20), AtomicUsize::new(0));
    let make = || (Arc::new(made.fetch_add(1, Ordering::SeqCst)), 8);
    let round = |key: usize| cache.get_or_insert(&key.to_le_bytes(), make);
    let results: Vec<Vec<Arc<usize>>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| (0..200).map(round).collect())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(results.iter().all(|values| values.iter().zip(&results[0]).all(|(a, b)| Arc::ptr_eq(a, b))));
    assert_eq!(cache.stats().entries, 200);
}

proptest! {
    /// Against a plain list from least to most recently used.
    #[test]
    fn the_least_recently_used_values_go_first(uses in vec((0..8u8, 0..6usize), 0..60)) {
        const BUDGET: usize = 12;
        let cache = Cache::new(BUDGET);
        let mut held: VecDeque<(u8, usize)> = VecDeque::new();
        for (key, bytes) in uses {
            put(&cache, &[key], u32::from(key), bytes);
            if let Some(at) = held.iter().position(|&(k, _)| k == key) {
                let entry = held.remove(at).unwrap();
                held.push_back(entry);
                continue;
            }
            while held.iter().map(|(_, b)| b).sum::<usize>() + bytes + 1 > BUDGET {
                held.pop_front();
            }
            held.push_back((key, bytes + 1));
            let Stats { entries, bytes, .. } = cache.stats();
            prop_assert_eq!((entries, bytes), (held.len(), held.iter().map(|(_, b)| b).sum::<usize>()));
        }
        let kept: Vec<u8> = (0..8).filter(|&key| cache.get::<u32>(&[key]).is_some()).collect();
        prop_assert!(kept.iter().all(|key| held.iter().any(|(k, _)| k == key)) && kept.len() == held.len());
    }
}
