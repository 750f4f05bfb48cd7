//! Mask words: one bit per token id, bit `id % 32` of word `id / 32`.
//!
//! This is the layout that samplers and the usual bitmask kernels read. A buffer of
//! [`Vocab::mask_words`](crate::Vocab::mask_words) words has room for every id of a vocabulary. Ids beyond the end of
//! a buffer are never in it, and setting them changes nothing.
//!
//! ```
//! use glrmask_vocab::{mask, TokenId};
//! let mut words = [0; 2];
//! mask::set(&mut words, TokenId(33));
//! assert_eq!(words, [0, 2]);
//! assert!(mask::get(&words, TokenId(33)));
//! assert_eq!(mask::count(&words), 1);
//! ```

use crate::TokenId;

/// Number of words that hold `ids` bits.
pub const fn words_for(ids: usize) -> usize {
    ids.div_ceil(32)
}

/// Whether the id is in the mask.
#[inline]
pub fn get(words: &[u32], id: TokenId) -> bool {
    let (word, bit) = position(id);
    words.get(word).is_some_and(|w| w & bit != 0)
}

/// Puts the id into the mask; nothing happens if the buffer is too short to hold it.
#[inline]
pub fn set(words: &mut [u32], id: TokenId) {
    let (word, bit) = position(id);
    if let Some(w) = words.get_mut(word) {
        *w |= bit;
    }
}

/// Takes the id out of the mask.
#[inline]
pub fn clear(words: &mut [u32], id: TokenId) {
    let (word, bit) = position(id);
    if let Some(w) = words.get_mut(word) {
        *w &= !bit;
    }
}

/// Number of ids in the mask. O(words).
pub fn count(words: &[u32]) -> usize {
    words.iter().map(|w| w.count_ones() as usize).sum()
}

/// The ids in the mask, rising. O(words + ids).
pub fn iter(words: &[u32]) -> impl Iterator<Item = TokenId> + '_ {
    words.iter().zip((0u32..).step_by(32)).flat_map(|(&word, base)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                TokenId(base + bit)
            })
        })
    })
}

#[inline]
fn position(id: TokenId) -> (usize, u32) {
    ((id.0 >> 5) as usize, 1 << (id.0 & 31))
}
