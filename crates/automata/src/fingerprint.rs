//! 128-bit fingerprints of structures, equal on every machine and in every version of the standard library.
//!
//! One multiply and one shift per word. Chance collisions are out of the question (2⁻¹²⁸ per pair). It is no cryptographic
//! hash: whoever works at it could construct two automata of equal fingerprint, and spoil what a vocabulary keeps for
//! all grammars that are compiled for it. Whoever compiles grammars of people who may want to harm each other gives each of
//! them a vocabulary of their own.

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
