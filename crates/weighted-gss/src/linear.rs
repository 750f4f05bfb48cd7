//! The one-stack view: what parsing is nearly always about.

use std::fmt;

use crate::chain::{ChainSymbols, Chunks};
use crate::fork::{Fork, Plain};

/// A set of exactly one stack: see [`WeightedGss::linear`](crate::WeightedGss::linear).
///
/// ```
/// use weighted_gss::WeightedGss;
///
/// let gss = WeightedGss::from_stack([1, 2, 3], true);
/// let stack = gss.linear().ok_or("one stack")?;
/// assert_eq!(stack.iter().copied().collect::<Vec<_>>(), [3, 2, 1]);
/// assert_eq!((stack.len(), stack.weight()), (3, &true));
/// # Ok::<(), &str>(())
/// ```
pub struct Linear<'a, S, W> {
    weight: &'a W,
    chain: &'a Plain<S>,
}

impl<S, W> Clone for Linear<'_, S, W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, W> Copy for Linear<'_, S, W> {}

impl<'a, S, W> Linear<'a, S, W> {
    /// The chain must be straight.
    pub(crate) fn new(weight: &'a W, chain: &'a Plain<S>) -> Self {
        Linear { weight, chain }
    }

    /// The weight of the stack. `O(1)`.
    #[must_use]
    pub fn weight(self) -> &'a W {
        self.weight
    }

    /// Number of symbols. `O(1)`.
    #[must_use]
    pub fn len(self) -> usize {
        self.chain.depth()
    }

    /// Whether this is the empty stack. `O(1)`.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The symbol on top. `O(1)`.
    #[must_use]
    pub fn top(self) -> Option<&'a S> {
        self.chain.run_top()
    }

    /// The symbol `depth` places below the top. Linear in the number of segments above it.
    #[must_use]
    pub fn get(self, depth: usize) -> Option<&'a S> {
        let mut depth = depth;
        for slice in self.slices() {
            match slice.len().checked_sub(depth + 1) {
                Some(index) => return slice.get(index),
                None => depth -= slice.len(),
            }
        }
        None
    }

    /// The symbols, top first. `O(1)` each, no allocation.
    #[must_use]
    pub fn iter(self) -> LinearSymbols<'a, S> {
        LinearSymbols(self.chain.symbols())
    }

    /// The stack as slices: the topmost slice first, each slice from bottom to top. For loops that want contiguous
    /// memory.
    pub fn slices(self) -> impl Iterator<Item = &'a [S]> {
        let chunks: Chunks<'a, S, Fork<S>> = self.chain.chunks();
        chunks
    }
}

impl<'a, S, W> IntoIterator for Linear<'a, S, W> {
    type Item = &'a S;
    type IntoIter = LinearSymbols<'a, S>;

    fn into_iter(self) -> LinearSymbols<'a, S> {
        self.iter()
    }
}

impl<S: fmt::Debug, W: fmt::Debug> fmt::Debug for Linear<'_, S, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()?;
        write!(f, ": {:?}", self.weight)
    }
}

/// The symbols of a [`Linear`] stack, top first.
pub struct LinearSymbols<'a, S>(ChainSymbols<'a, S, Fork<S>>);

impl<S> Clone for LinearSymbols<'_, S> {
    fn clone(&self) -> Self {
        LinearSymbols(self.0.clone())
    }
}

impl<'a, S> Iterator for LinearSymbols<'a, S> {
    type Item = &'a S;

    #[inline]
    fn next(&mut self) -> Option<&'a S> {
        self.0.next()
    }
}

impl<S: fmt::Debug> fmt::Debug for LinearSymbols<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
