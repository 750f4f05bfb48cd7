//! 128-bit fingerprints: of expressions, equal on every machine and in every version of the standard library; and of
//! automata, under a secret key.
//!
//! Expressions are hashed as they are built, with one multiply and one shift per word. Chance collisions are out of the
//! question (2⁻¹²⁸ per pair), but it is no cryptographic hash: whoever works at it could construct two expressions of
//! equal fingerprint. So nothing rests on it alone: [`Regex`](crate::Regex) compares the structure wherever fingerprints agree.
//!
//! What can be read from the states of automata is compared by fingerprints alone, among all grammars that are compiled
//! for one vocabulary. These are SipHash-2-4 with 128 bits (Aumasson, Bernstein: "SipHash: a fast short-input PRF", 2012)
//! under a key that nobody knows, so that nobody can construct a collision.

use std::fmt;
use std::hash::Hasher;

use siphasher::sip128::{Hasher128, SipHasher24};

/// Folds words into a fingerprint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fingerprint(u128);

impl Fingerprint {
    const MULTIPLIER: u128 = 0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645;

    /// A fingerprint of nothing; `kind` separates domains.
    pub(crate) fn new(kind: u64) -> Self {
        Self(0x6A09_E667_F3BC_C908_BB67_AE85_84CA_A73B).word(kind)
    }
    /// Adds one word.
    #[inline]
    #[must_use]
    pub(crate) fn word(self, word: u64) -> Self {
        let mixed = (self.0 ^ u128::from(word)).wrapping_mul(Self::MULTIPLIER);
        Self(mixed ^ (mixed >> 61))
    }
    /// Adds a fingerprint.
    #[must_use]
    pub(crate) fn wide(self, value: u128) -> Self {
        self.word(value as u64).word((value >> 64) as u64)
    }
    /// The value.
    pub(crate) fn finish(self) -> u128 {
        self.word(0).0
    }
}

/// What fingerprints of automata are made with. Of a random and secret key nobody can construct two automata that have one
/// fingerprint; fingerprints of different keys have nothing to do with each other.
#[derive(Clone, Copy)]
pub struct FingerprintKey(u64, u64);

impl FingerprintKey {
    /// The key of these 128 bits.
    pub const fn new(bits: u128) -> Self {
        Self(bits as u64, (bits >> 64) as u64)
    }

    /// A fingerprint of nothing; `kind` separates domains.
    pub(crate) fn start(self, kind: u64) -> Keyed {
        let mut keyed = Keyed(SipHasher24::new_with_keys(self.0, self.1));
        keyed.word(kind);
        keyed
    }
}

impl fmt::Debug for FingerprintKey {
    /// Keeps the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FingerprintKey(..)")
    }
}

/// Folds words into a fingerprint under a key.
pub(crate) struct Keyed(SipHasher24);

impl Keyed {
    /// Adds one word.
    #[inline]
    pub(crate) fn word(&mut self, word: u64) {
        self.0.write_u64(word);
    }
    /// Adds a fingerprint.
    #[inline]
    pub(crate) fn wide(&mut self, value: u128) {
        self.word(value as u64);
        self.word((value >> 64) as u64);
    }
    /// Adds a list of small numbers, two to a word; and how many there are, so that no other lists look the same.
    pub(crate) fn list(&mut self, numbers: impl Iterator<Item = u32>) {
        let (mut count, mut last) = (0u64, 0);
        for number in numbers {
            count += 1;
            if count % 2 == 0 {
                self.word(last << 32 | u64::from(number));
            }
            last = u64::from(number);
        }
        if count % 2 == 1 {
            self.word(last);
        }
        self.word(count);
    }
    /// The value.
    pub(crate) fn finish(self) -> u128 {
        self.0.finish128().as_u128()
    }
}
