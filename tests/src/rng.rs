//! A small seeded random number generator (SplitMix64): the same seed gives the same cases on every machine, for ever.
//!
//! No dependency, because a published generator may change its stream with a version and so lose old failures.

/// SplitMix64. Not for secrets.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// The stream of `seed`.
    pub const fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1234_5678_9ABC_DEF0 }
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in `0..bound` (0 if `bound` is 0).
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `items`, which must not be empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// `count` items (all, if there are fewer) at distinct positions, in random order.
    pub fn sample<T: Clone>(&mut self, items: &[T], count: usize) -> Vec<T> {
        let mut pool = items.to_vec();
        for i in (1..pool.len()).rev() {
            pool.swap(i, self.below(i + 1));
        }
        pool.truncate(count);
        pool
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn the_stream_is_fixed_and_bounded() {
        let (mut a, mut b) = (Rng::new(7), Rng::new(7));
        let left: Vec<usize> = (0..1000).map(|_| a.below(10)).collect();
        let right: Vec<usize> = (0..1000).map(|_| b.below(10)).collect();
        assert_eq!(left, right);
        assert!((0..10).all(|n| left.iter().filter(|&&x| x == n).count() > 50));
        assert_ne!(left[..10], (0..10).map(|_| Rng::new(8).below(10)).collect::<Vec<_>>()[..]);
    }

    #[test]
    fn a_sample_has_distinct_positions() {
        let mut drawn = Rng::new(1).sample(&[1, 2, 3, 4, 5], 3);
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn.len(), 3);
    }
}
