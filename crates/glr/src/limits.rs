//! How much a grammar may cost before building gives up with an error.

/// Bounds on what [`Tables::build`](crate::Tables::build) and [`Adjacency::new`](crate::Adjacency::new) may use. The
/// defaults let pass what anybody would call a grammar (JavaScript takes less than a hundredth of each).
///
/// ```
/// use glrmask_glr::Limits;
/// let small = Limits { states: 1_000, ..Limits::default() };
/// assert_eq!(small.items, Limits::default().items);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Number of LR states.
    pub states: usize,
    /// Number of items in all kernels and closures together, and number of transitions (each counted on its own).
    pub items: usize,
    /// Number of 64-bit words of a matrix of terminal sets (lookaheads, adjacency).
    pub set_words: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { states: 200_000, items: 20_000_000, set_words: 1 << 25 }
    }
}
