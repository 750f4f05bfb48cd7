//! Byte classes: bytes that an automaton never tells apart share one column of its table.

use crate::ByteSet;

/// A partition of the 256 bytes, numbered by each class's smallest byte.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ByteClasses {
    /// Class of each byte.
    pub(crate) map: [u8; 256],
    /// The bytes of each class. Never empty; `sets[0]` holds byte 0.
    pub(crate) sets: Vec<ByteSet>,
}

impl ByteClasses {
    /// The coarsest partition that cuts none of `sets`. O(|sets| · classes).
    pub(crate) fn separating<'a>(sets: impl IntoIterator<Item = &'a ByteSet>) -> Self {
        let mut blocks = vec![ByteSet::FULL];
        for set in sets {
            for i in 0..blocks.len() {
                let inside = blocks[i].intersection(set);
                if !inside.is_empty() && inside != blocks[i] {
                    blocks.push(blocks[i].difference(set));
                    blocks[i] = inside;
                }
            }
        }
        blocks.sort_unstable_by_key(ByteSet::first);
        Self::from_blocks(blocks)
    }
    /// The partition in which every byte of `present` is alone and all others are together.
    pub(crate) fn singles(present: &ByteSet) -> Self {
        let rest = present.complement();
        let mut sets = Vec::with_capacity(present.len() + 1);
        sets.extend(present.iter().map(ByteSet::single));
        let first = rest.first().unwrap_or(0);
        if !rest.is_empty() {
            // Every byte before the first absent one is present: that many classes come before.
            sets.insert(usize::from(first), rest);
        }
        let mut map = [first; 256];
        for (class, byte) in sets.iter().filter_map(ByteSet::first).enumerate() {
            map[usize::from(byte)] = class as u8;
        }
        Self { map, sets }
    }
    /// The partition whose classes are joined as `class_of` says (dense, numbered by first appearance).
    pub(crate) fn joined(&self, class_of: &[u8], count: usize) -> Self {
        let mut blocks = vec![ByteSet::EMPTY; count];
        for (set, &class) in self.sets.iter().zip(class_of) {
            blocks[usize::from(class)] = blocks[usize::from(class)].union(set);
        }
        Self::from_blocks(blocks)
    }
    /// Runs of bytes of one class: the first byte of each, and the class.
    pub(crate) fn runs(&self) -> Vec<(u8, u8)> {
        let starts = |byte: &u8| *byte == 0 || self.map[usize::from(*byte)] != self.map[usize::from(*byte) - 1];
        (0..=255u8).filter(starts).map(|byte| (byte, self.map[usize::from(byte)])).collect()
    }
    fn from_blocks(sets: Vec<ByteSet>) -> Self {
        let mut map = [0; 256];
        for (class, set) in sets.iter().enumerate() {
            for byte in set.iter() {
                map[usize::from(byte)] = class as u8;
            }
        }
        Self { map, sets }
    }
    /// Number of classes, 1 to 256.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.sets.len()
    }
    /// The classes inside `set`, in order. `set` must be a union of classes.
    pub(crate) fn within<'a>(&'a self, set: &'a ByteSet) -> impl Iterator<Item = u8> + 'a {
        let inside = |block: &ByteSet| block.first().is_some_and(|b| set.contains(b));
        (0..=255u8).zip(&self.sets).filter(move |(_, block)| inside(block)).map(|(class, _)| class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_numbered_by_their_smallest_byte() {
        let digits = ByteSet::range(b'0', b'9');
        let hex = digits.union(&ByteSet::range(b'a', b'f'));
        let classes = ByteClasses::separating([&hex, &digits]);
        assert_eq!(classes.len(), 3);
        assert_eq!((classes.map[0], classes.map[usize::from(b'5')], classes.map[usize::from(b'c')]), (0, 1, 2));
        assert_eq!(classes.within(&hex).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(ByteClasses::singles(&hex).len(), 17);
        assert_eq!(ByteClasses::singles(&ByteSet::FULL).len(), 256);
        assert_eq!(classes.joined(&[0, 1, 1], 2), ByteClasses::separating([&hex]));
    }
}
