//! A growing sequence that is cheap to clone at every length: what has been read of a string, the items of an array.
//!
//! A state of a decoder is cloned at every token, and its history keeps the clones; copying a long string each time would
//! cost its length squared. So only the last few elements are held in place, and full pieces are shared. Pieces of like
//! length are joined as in a binary counter: n elements are in O(log n) pieces, each element is copied O(log n) times, and
//! all clones along the way together hold O(n log n) elements.

use std::sync::Arc;

use smallvec::SmallVec;

/// A sequence of which `N` elements at most are held in place.
#[derive(Clone, Debug)]
pub(crate) struct Pieces<T: Clone, const N: usize> {
    /// Lengths fall, by half or more.
    full: SmallVec<[Arc<[T]>; 1]>,
    /// Fewer than `N` elements.
    tail: SmallVec<[T; N]>,
    len: usize,
}

impl<T: Clone, const N: usize> Default for Pieces<T, N> {
    fn default() -> Self {
        Self { full: SmallVec::new(), tail: SmallVec::new(), len: 0 }
    }
}

impl<T: Clone, const N: usize> Pieces<T, N> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// O(log length) amortised.
    #[inline]
    pub(crate) fn push(&mut self, element: T) {
        self.tail.push(element);
        self.len += 1;
        if self.tail.len() >= N {
            self.carry();
        }
    }

    /// The elements in order. O(length).
    pub(crate) fn to_vec(&self) -> Vec<T> {
        let mut all = Vec::with_capacity(self.len);
        self.full.iter().for_each(|piece| all.extend_from_slice(piece));
        all.extend_from_slice(&self.tail);
        all
    }

    fn carry(&mut self) {
        let mut piece: Vec<T> = self.tail.drain(..).collect();
        while let Some(before) = self.full.last().filter(|before| before.len() <= piece.len()) {
            piece.splice(0..0, before.iter().cloned());
            self.full.pop();
        }
        self.full.push(piece.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_a_sequence_in_few_parts() {
        let mut pieces = Pieces::<u32, 4>::default();
        for i in 0..1000 {
            assert_eq!(pieces.to_vec(), (0..i).collect::<Vec<_>>());
            assert!(pieces.full.len() <= 9 && pieces.len() == i as usize);
            pieces.push(i);
        }
    }
}
