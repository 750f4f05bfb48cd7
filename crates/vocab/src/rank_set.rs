//! Sets of ranks as sorted disjoint ranges.
//!
//! Ranks follow the trie, so the sets that matter ("tokens that stay inside a string") are a few dozen ranges where a
//! bitmap would have four thousand words. The hot use is to append ranges in rising order while walking the trie and
//! to expand the result into mask words once. A balanced tree of ranges would make out-of-order insertion cheaper; no
//! caller inserts out of order, so a plain vector wins.

use crate::Rank;

/// A set of ranks: sorted, disjoint, non-adjacent, half-open ranges.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, serde::Serialize)]
pub struct RankSet {
    /// `start < end` in each, and `end < start` of the next.
    ranges: Vec<(Rank, Rank)>,
}

impl RankSet {
    /// The empty set.
    pub const fn new() -> Self {
        Self { ranges: Vec::new() }
    }

    /// The ranks from `start` up to but without `end`.
    pub fn from_range(start: Rank, end: Rank) -> Self {
        let mut set = Self::new();
        set.push_range(start, end);
        set
    }

    /// Adds `start..end`. O(1) when ranges come in rising order (they may touch or overlap the last one), O(ranges)
    /// otherwise.
    #[inline]
    pub fn push_range(&mut self, start: Rank, end: Rank) {
        if start >= end {
            return;
        }
        match self.ranges.last_mut() {
            Some(last) if start < last.0 => *self = self.union(&Self { ranges: vec![(start, end)] }),
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => self.ranges.push((start, end)),
        }
    }

    /// Adds one rank. Cost as for [`push_range`](Self::push_range).
    pub fn push(&mut self, rank: Rank) {
        self.push_range(rank, Rank(rank.0.saturating_add(1)));
    }

    /// Takes everything out and keeps the memory.
    pub fn clear(&mut self) {
        self.ranges.clear();
    }

    /// Number of ranks. O(ranges).
    pub fn len(&self) -> usize {
        self.ranges.iter().map(|(start, end)| (end.0 - start.0) as usize).sum()
    }

    /// Whether there is no rank.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether the rank is in the set. O(log ranges).
    pub fn contains(&self, rank: Rank) -> bool {
        let after = self.ranges.partition_point(|&(start, _)| start <= rank);
        after.checked_sub(1).and_then(|i| self.ranges.get(i)).is_some_and(|&(_, end)| rank < end)
    }

    /// The ranges, rising, disjoint and not touching: (first, one past the last).
    pub fn ranges(&self) -> &[(Rank, Rank)] {
        &self.ranges
    }

    /// The ranks, rising.
    pub fn iter(&self) -> impl Iterator<Item = Rank> + '_ {
        self.ranges.iter().flat_map(|(start, end)| (start.0..end.0).map(Rank))
    }

    /// Ranks in either set. O(ranges of both).
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut merged = Self { ranges: Vec::with_capacity(self.ranges.len() + other.ranges.len()) };
        let (mut left, mut right) = (self.ranges.iter().peekable(), other.ranges.iter().peekable());
        loop {
            let next = match (left.peek(), right.peek()) {
                (Some(l), Some(r)) if l.0 <= r.0 => left.next(),
                (Some(_), None) => left.next(),
                _ => right.next(),
            };
            match next {
                Some(&(start, end)) => merged.push_range(start, end),
                None => return merged,
            }
        }
    }

    /// Ranks in both sets. O(ranges of both).
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut common = Self::new();
        let (mut left, mut right) = (self.ranges.iter().peekable(), other.ranges.iter().peekable());
        while let (Some(l), Some(r)) = (left.peek(), right.peek()) {
            common.push_range(l.0.max(r.0), l.1.min(r.1));
            let spent = if l.1 < r.1 { &mut left } else { &mut right };
            spent.next();
        }
        common
    }

    /// Ranks here and not in `other`. O(ranges of both).
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut rest = Self::new();
        let mut holes = other.ranges.iter().peekable();
        for &(mut start, end) in &self.ranges {
            while let Some(&&(hole_start, hole_end)) = holes.peek() {
                if hole_start >= end {
                    break;
                }
                rest.push_range(start, hole_start);
                start = start.max(hole_end);
                if hole_end > end {
                    break;
                }
                holes.next();
            }
            rest.push_range(start, end);
        }
        rest
    }

    /// Tells which rule of the representation is broken, if one is. For tests and fuzzers.
    pub fn check_invariants(&self) -> Result<(), String> {
        if let Some((start, end)) = self.ranges.iter().find(|(start, end)| start >= end) {
            return Err(format!("empty range {start}..{end}"));
        }
        let touching = self.ranges.windows(2).find(|pair| matches!(pair, [a, b] if a.1 >= b.0));
        touching.map_or(Ok(()), |pair| Err(format!("ranges touch or are out of order: {pair:?}")))
    }
}

impl FromIterator<Rank> for RankSet {
    fn from_iter<I: IntoIterator<Item = Rank>>(ranks: I) -> Self {
        let mut sorted: Vec<Rank> = ranks.into_iter().collect();
        sorted.sort_unstable();
        let mut set = Self::new();
        sorted.into_iter().for_each(|rank| set.push(rank));
        set
    }
}

/// Reads the ranges back and normalises them, so that no input breaks the invariant.
impl<'de> serde::Deserialize<'de> for RankSet {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename = "RankSet")]
        struct Raw {
            ranges: Vec<(Rank, Rank)>,
        }
        let mut ranges = Raw::deserialize(deserializer)?.ranges;
        ranges.sort_unstable();
        let mut set = Self::new();
        ranges.into_iter().for_each(|(start, end)| set.push_range(start, end));
        Ok(set)
    }
}
