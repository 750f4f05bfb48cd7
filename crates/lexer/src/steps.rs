//! Steps of the scan automaton by byte class, of which most are never asked for.
//!
//! A walk over a vocabulary steps through many scans once, by one byte, and through few by many: with a Unicode lexer a
//! row of all byte classes takes 670 bytes, of which three quarters of the scans use four or none. So a scan has one
//! step in place; from the second on it has a row of blocks, which are made where a step falls into them. A look-up
//! takes one or three loads out of tables that are a sixth as large.

/// Steps per block.
const BLOCK: usize = 16;
/// The first block is shared by everything that is not known.
const NO_BLOCK: u32 = 0;

/// What is known of one scan.
#[derive(Clone, Copy, Debug)]
enum Head {
    /// Nothing.
    Empty,
    /// The step by one class.
    One { class: u8, to: u32 },
    /// A row of blocks.
    Row(u32),
}

/// Steps by scan and byte class.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps {
    heads: Vec<Head>,
    /// Blocks by row and upper part of the class: `row * blocks_per_row + class / BLOCK`.
    rows: Vec<u32>,
    blocks: Vec<[u32; BLOCK]>,
}

impl Steps {
    /// What is said of steps that have not been set.
    pub(crate) const UNKNOWN: u32 = u32::MAX;

    /// Adds a scan of which nothing is known.
    pub(crate) fn push(&mut self) {
        self.heads.push(Head::Empty);
    }

    /// Where a scan goes; `classes` is the number of classes there are.
    #[inline]
    pub(crate) fn get(&self, scan: usize, class: u8, classes: usize) -> u32 {
        match self.heads[scan] {
            Head::One { class: known, to } if known == class => to,
            Head::Row(row) => {
                let block = self.rows[Self::place(row, class, classes)];
                self.blocks[block as usize][usize::from(class) % BLOCK]
            }
            _ => Self::UNKNOWN,
        }
    }

    /// Says where a scan goes.
    pub(crate) fn set(&mut self, scan: usize, class: u8, classes: usize, to: u32) {
        match self.heads[scan] {
            Head::Row(row) => self.set_in(row, class, classes, to),
            Head::One { class: known, to: first } if known != class => {
                let row = self.new_row(classes);
                self.heads[scan] = Head::Row(row);
                self.set_in(row, known, classes, first);
                self.set_in(row, class, classes, to);
            }
            _ => self.heads[scan] = Head::One { class, to },
        }
    }

    /// Rough memory use in bytes.
    pub(crate) fn memory_usage(&self) -> usize {
        size_of::<Head>() * self.heads.len() + 4 * (self.rows.len() + BLOCK * self.blocks.len())
    }

    fn new_row(&mut self, classes: usize) -> u32 {
        if self.blocks.is_empty() {
            self.blocks.push([Self::UNKNOWN; BLOCK]);
        }
        let width = classes.div_ceil(BLOCK);
        let row = self.rows.len() / width;
        self.rows.resize(self.rows.len() + width, NO_BLOCK);
        row as u32
    }

    fn set_in(&mut self, row: u32, class: u8, classes: usize, to: u32) {
        let place = Self::place(row, class, classes);
        if self.rows[place] == NO_BLOCK {
            self.rows[place] = self.blocks.len() as u32;
            self.blocks.push([Self::UNKNOWN; BLOCK]);
        }
        self.blocks[self.rows[place] as usize][usize::from(class) % BLOCK] = to;
    }

    #[inline]
    fn place(row: u32, class: u8, classes: usize) -> usize {
        row as usize * classes.div_ceil(BLOCK) + usize::from(class) / BLOCK
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_was_set_is_there_and_nothing_else(
            classes in 1usize..=256,
            set in prop::collection::vec((0usize..6, any::<u8>(), 0u32..9), 0..60),
        ) {
            let class = |any: u8| (usize::from(any) % classes) as u8;
            let (mut steps, mut wanted) = (Steps::default(), BTreeMap::new());
            (0..6).for_each(|_| steps.push());
            for (scan, any, to) in set {
                steps.set(scan, class(any), classes, to);
                wanted.insert((scan, class(any)), to);
            }
            for scan in 0..6 {
                for class in 0..classes as u32 {
                    let class = class as u8;
                    let known = wanted.get(&(scan, class)).copied();
                    prop_assert_eq!(steps.get(scan, class, classes), known.unwrap_or(Steps::UNKNOWN));
                }
            }
        }
    }

    #[test]
    fn scans_with_one_step_take_little() {
        let mut steps = Steps::default();
        for scan in 0..1_000 {
            steps.push();
            steps.set(scan, 7, 200, 1);
        }
        assert!(steps.memory_usage() <= 16 * 1_000);
        steps.set(3, 150, 200, 2);
        let more = steps.memory_usage();
        steps.set(3, 151, 200, 2);
        assert_eq!(steps.memory_usage(), more, "neighbours share a block");
    }
}
