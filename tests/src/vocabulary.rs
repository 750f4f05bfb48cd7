//! Random vocabularies and prefixes for a specification.
//!
//! Tokens cross terminals and stop inside characters by construction: they are random strings over the bytes that the
//! terminals read. Ids are sparse and in no order; some strings have several ids; some ids have no bytes.

use std::collections::BTreeSet;

use crate::oracle::Oracle;
use crate::rng::Rng;
use crate::spec::{Spec, SpecPattern};
use crate::TooLarge;

/// A token: its id and its bytes (none: it matches no text).
pub type Token = (u32, Vec<u8>);

/// A random vocabulary of about `size` tokens, which holds every exact-token id of `spec` and all single bytes.
pub fn vocabulary(rng: &mut Rng, spec: &Spec, size: usize) -> Vec<Token> {
    let mut words: Vec<Vec<u8>> = words(rng, &spec.alphabet(), size).into_iter().collect();
    for _ in 0..rng.below(4) {
        let alias = rng.pick(&words).clone();
        words.push(alias);
    }
    words.extend(vec![Vec::new(); rng.below(3)]);
    let mut words = rng.sample(&words, words.len());
    let mut tokens: Vec<Token> = Vec::new();
    for id in exact_ids(spec) {
        let word = if rng.chance(50) { Vec::new() } else { rng.pick(&words).clone() };
        tokens.push((id, word));
    }
    let mut id = rng.below(3) as u32;
    while let Some(word) = words.pop() {
        if tokens.iter().all(|token| token.0 != id) {
            tokens.push((id, word));
        } else {
            words.push(word);
        }
        id += *rng.pick(&[1, 1, 1, 1, 2, 7, 40]);
    }
    tokens
}

fn words(rng: &mut Rng, alphabet: &[u8], size: usize) -> BTreeSet<Vec<u8>> {
    let mut words: BTreeSet<Vec<u8>> = alphabet.iter().map(|&b| vec![b]).collect();
    // A byte that no terminal reads, and one token with it.
    words.extend([vec![b'~'], vec![*alphabet.first().unwrap_or(&b'~'), b'~']]);
    for _ in 0..4 * size {
        if words.len() >= size || alphabet.is_empty() {
            break;
        }
        let length = *rng.pick(&[2, 2, 2, 3, 3, 4, 5]);
        words.insert((0..length).map(|_| *rng.pick(alphabet)).collect());
    }
    words
}

fn exact_ids(spec: &Spec) -> BTreeSet<u32> {
    let ids = |pattern: &SpecPattern| match pattern {
        SpecPattern::Tokens(ids) => ids.clone(),
        SpecPattern::Text(_) => Vec::new(),
    };
    spec.terminals.iter().flat_map(|terminal| ids(&terminal.pattern)).collect()
}

/// Viable prefixes, the empty one first: `walks` random walks of up to `length` bytes, sorted and distinct.
pub fn prefixes(rng: &mut Rng, oracle: &mut Oracle, walks: usize, length: usize) -> Result<Vec<Vec<u8>>, TooLarge> {
    let alphabet = oracle.spec().alphabet();
    let mut found = BTreeSet::from([(0, Vec::new())]);
    for _ in 0..walks {
        let mut text = Vec::new();
        for _ in 0..rng.between(1, length) {
            let mut next = Vec::new();
            for &byte in &alphabet {
                text.push(byte);
                if oracle.viable(&text)? {
                    next.push(byte);
                }
                text.pop();
            }
            if next.is_empty() {
                break;
            }
            text.push(*rng.pick(&next));
        }
        found.insert((text.len(), text));
    }
    Ok(found.into_iter().map(|(_, text)| text).collect())
}
