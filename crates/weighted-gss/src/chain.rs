//! Straight runs of symbols above a branching node: the part of the graph that almost every stack consists of.
//!
//! A chain is a run, a fork or the bottom. The symbols of a run lie in a segment, bottom to top, so that the owner of
//! the only handle appends in place; a handle sees the first `len` symbols of its segment, so that popping copies
//! nothing. A handle that shares its segment diverges by a new segment above the old one (or by a copy, when it
//! sees only a few symbols):
//!
//! ```text
//! handle A: len 5 ──► segment [s0 s1 s2 s3 s4] ──► below (bottom, fork, or another run)
//! handle B: len 3 ──┘      (B = A popped twice)
//! handle C: len 1 ──► segment [t] ──► below = B
//! ```
//!
//! The price: a popped handle keeps the symbols above it alive as long as it lives. The type of the fork is a
//! parameter, so that unweighted and weighted graphs share this file.

use std::sync::Arc;

use smallvec::SmallVec;

/// Symbols stored inside the segment itself, without a second allocation.
const INLINE: usize = 8;
/// A shared run of at most this many visible symbols is copied when it diverges; a longer one is chained to.
const COPY_LIMIT: usize = INLINE - 1;

/// What a chain needs to know of the branching node at its end.
pub(crate) trait Branching<S>: Sized {
    /// Length of the longest stack below.
    fn depth(&self) -> usize;
    /// Moves the chains below into `out`, so that dropping never recurses.
    fn take_tails(&mut self, out: &mut Vec<Chain<S, Self>>);
}

/// A run of symbols, a fork, or the bottom of the stack.
pub(crate) enum Chain<S, N: Branching<S>> {
    /// The end of a stack.
    Bottom,
    /// At least one symbol above another chain.
    Run(Run<S, N>),
    /// A branching node.
    Fork(Arc<N>),
}

/// A view of the lowest symbols of a shared segment.
pub(crate) struct Run<S, N: Branching<S>> {
    segment: Arc<Segment<S, N>>,
    /// Number of symbols seen: at least one, at most `segment.symbols.len()`.
    len: usize,
}

/// Symbols from bottom to top, and what lies below them.
pub(crate) struct Segment<S, N: Branching<S>> {
    symbols: SmallVec<[S; INLINE]>,
    below: Chain<S, N>,
    /// Length of the longest stack in `below`.
    depth_below: usize,
    /// Whether `below` is one single stack: runs down to the bottom.
    straight_below: bool,
}

/// Identity of a chain by address: equal ids of living chains mean the same stacks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct ChainId(usize, usize);

impl<S, N: Branching<S>> Clone for Chain<S, N> {
    #[inline]
    fn clone(&self) -> Self {
        match self {
            Chain::Bottom => Chain::Bottom,
            Chain::Run(run) => Chain::Run(Run { segment: Arc::clone(&run.segment), len: run.len }),
            Chain::Fork(fork) => Chain::Fork(Arc::clone(fork)),
        }
    }
}

impl<S, N: Branching<S>> Chain<S, N> {
    /// Identity by address.
    #[inline]
    pub(crate) fn id(&self) -> ChainId {
        match self {
            Chain::Bottom => ChainId(0, 0),
            Chain::Run(run) => ChainId(Arc::as_ptr(&run.segment).addr(), run.len),
            Chain::Fork(fork) => ChainId(Arc::as_ptr(fork).addr(), 0),
        }
    }

    /// Identity of the segment or fork, whatever part of it is seen.
    pub(crate) fn node(&self) -> ChainId {
        ChainId(self.id().0, 0)
    }

    /// Length of the longest stack.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Chain::Bottom => 0,
            Chain::Run(run) => run.len + run.segment.depth_below,
            Chain::Fork(fork) => fork.depth(),
        }
    }

    /// Whether this is one single stack.
    pub(crate) fn is_straight(&self) -> bool {
        match self {
            Chain::Bottom => true,
            Chain::Run(run) => run.segment.straight_below,
            Chain::Fork(_) => false,
        }
    }

    /// The top symbol of a run.
    #[inline]
    pub(crate) fn run_top(&self) -> Option<&S> {
        match self {
            Chain::Run(run) => run.visible().last(),
            _ => None,
        }
    }

    /// The symbols of the leading run, top first, up to the first fork or the bottom.
    pub(crate) fn symbols(&self) -> ChainSymbols<'_, S, N> {
        ChainSymbols { slice: &[], next: self }
    }

    /// The leading run's slices, top segment first, each from bottom to top.
    pub(crate) fn chunks(&self) -> Chunks<'_, S, N> {
        Chunks { next: self }
    }

    /// The fork or the bottom at the end of the leading run.
    pub(crate) fn end(&self) -> &Self {
        let mut chain = self;
        while let Chain::Run(run) = chain {
            chain = &run.segment.below;
        }
        chain
    }

    /// The symbols seen and the chain below, of a run.
    pub(crate) fn as_run(&self) -> Option<(&[S], &Self)> {
        match self {
            Chain::Run(run) => Some((run.visible(), &run.segment.below)),
            _ => None,
        }
    }

    /// For a run: the whole of its first segment, and by how many symbols the view is shorter.
    pub(crate) fn whole_segment(&self) -> (Self, usize) {
        match self {
            Chain::Run(run) => {
                let len = run.segment.symbols.len();
                (Chain::Run(Run { segment: Arc::clone(&run.segment), len }), len - run.len)
            }
            other => (other.clone(), 0),
        }
    }

    /// Bytes of the node itself, without what lies below.
    pub(crate) fn node_bytes(&self) -> usize {
        match self {
            Chain::Bottom => 0,
            Chain::Run(run) => {
                let symbols = &run.segment.symbols;
                let heap = if symbols.spilled() { symbols.capacity() * size_of::<S>() } else { 0 };
                ARC_HEADER + size_of::<Segment<S, N>>() + heap
            }
            Chain::Fork(_) => ARC_HEADER + size_of::<N>(),
        }
    }

    /// Without the topmost `count` symbols of the leading run, and how many of them remain to be popped.
    pub(crate) fn skip(&self, mut count: usize) -> (Self, usize) {
        let mut chain = self;
        while let Chain::Run(run) = chain {
            if count < run.len {
                return (Chain::Run(Run { segment: Arc::clone(&run.segment), len: run.len - count }), 0);
            }
            count -= run.len;
            chain = &run.segment.below;
        }
        (chain.clone(), count)
    }

    /// Without the topmost symbol of the leading run.
    #[inline]
    pub(crate) fn skip_one(&self) -> Self {
        self.skip(1).0
    }

    /// Pops `count` symbols in place if the first segment has that many and stays in use; whether it did.
    #[inline]
    pub(crate) fn skip_within(&mut self, count: usize) -> bool {
        match self {
            Chain::Run(run) if count < run.len => {
                run.len -= count;
                true
            }
            _ => count == 0,
        }
    }

    /// The rule that the leading run breaks, if any; the caller walks on.
    pub(crate) fn broken_rule(&self) -> Option<&'static str> {
        let Chain::Run(run) = self else { return None };
        let segment = &*run.segment;
        let rules = [
            (run.len >= 1, "a run is not empty"),
            (run.len <= segment.symbols.len(), "a run lies within its segment"),
            (segment.depth_below == segment.below.depth(), "a segment knows the depth below it"),
            (segment.straight_below == segment.below.is_straight(), "a segment knows whether one stack is below it"),
        ];
        rules.iter().find(|(holds, _)| !holds).map(|(_, rule)| *rule)
    }
}

impl<S: Clone, N: Branching<S>> Chain<S, N> {
    /// With `symbol` on top. Constant time: copies at most [`COPY_LIMIT`] symbols.
    pub(crate) fn push(&self, symbol: S) -> Self {
        match self {
            Chain::Run(run) if run.len <= COPY_LIMIT => run.copy_with(symbol),
            other => Self::above(other.clone(), [symbol]),
        }
    }

    /// With `symbol` on top, in place where this is the only handle.
    #[inline]
    pub(crate) fn push_mut(&mut self, symbol: S) {
        if let Chain::Run(run) = self {
            if let Some(segment) = Arc::get_mut(&mut run.segment) {
                segment.symbols.truncate(run.len);
                segment.symbols.push(symbol);
                run.len += 1;
                return;
            }
        }
        *self = self.push(symbol);
    }

    /// With `symbols` (bottom to top) on top.
    pub(crate) fn push_all(&self, symbols: impl IntoIterator<Item = S>) -> Self {
        Self::above(self.clone(), symbols)
    }

    /// A new segment of `symbols` (bottom to top) above `below`; `below` itself when there are none.
    pub(crate) fn above(below: Self, symbols: impl IntoIterator<Item = S>) -> Self {
        let symbols: SmallVec<[S; INLINE]> = symbols.into_iter().collect();
        let len = symbols.len();
        if len == 0 {
            return below;
        }
        let (depth_below, straight_below) = (below.depth(), below.is_straight());
        Chain::Run(Run { segment: Arc::new(Segment { symbols, below, depth_below, straight_below }), len })
    }

    /// The topmost `count` symbols of the leading run, bottom to top.
    pub(crate) fn top_symbols(&self, count: usize) -> Vec<S> {
        let mut symbols: Vec<S> = self.symbols().take(count).cloned().collect();
        symbols.reverse();
        symbols
    }
}

impl<S, N: Branching<S>> Run<S, N> {
    #[inline]
    fn visible(&self) -> &[S] {
        self.segment.symbols.get(..self.len).unwrap_or_default()
    }
}

impl<S: Clone, N: Branching<S>> Run<S, N> {
    /// The visible symbols and one more in a segment of their own, above the same chain.
    fn copy_with(&self, symbol: S) -> Chain<S, N> {
        let mut symbols = SmallVec::with_capacity(self.len + 1);
        symbols.extend(self.visible().iter().cloned());
        symbols.push(symbol);
        let Segment { below, depth_below, straight_below, .. } = &*self.segment;
        let (below, depth_below, straight_below) = (below.clone(), *depth_below, *straight_below);
        Chain::Run(Run {
            len: self.len + 1,
            segment: Arc::new(Segment { symbols, below, depth_below, straight_below }),
        })
    }
}

/// How many top symbols two chains share for certain, at most `limit`. Stops early where the rest is one object.
pub(crate) fn shared_run<S: PartialEq, M: Branching<S>, N: Branching<S>>(
    left: &Chain<S, M>,
    right: &Chain<S, N>,
    limit: usize,
) -> usize {
    let (mut left, mut right) = (left.symbols(), right.symbols());
    let mut shared = 0;
    while shared < limit && left.position() != right.position() {
        match (left.next(), right.next()) {
            (Some(a), Some(b)) if a == b => shared += 1,
            _ => break,
        }
    }
    shared
}

/// The symbols of a run, top first.
pub(crate) struct ChainSymbols<'a, S, N: Branching<S>> {
    slice: &'a [S],
    next: &'a Chain<S, N>,
}

impl<S, N: Branching<S>> ChainSymbols<'_, S, N> {
    /// Identity of what has not been yielded yet.
    fn position(&self) -> ChainId {
        match self.slice {
            [] => self.next.id(),
            [first, ..] => ChainId(std::ptr::from_ref(first).addr(), self.slice.len()),
        }
    }
}

impl<S, N: Branching<S>> Clone for ChainSymbols<'_, S, N> {
    fn clone(&self) -> Self {
        ChainSymbols { slice: self.slice, next: self.next }
    }
}

impl<'a, S, N: Branching<S>> Iterator for ChainSymbols<'a, S, N> {
    type Item = &'a S;

    #[inline]
    fn next(&mut self) -> Option<&'a S> {
        if self.slice.is_empty() {
            (self.slice, self.next) = self.next.as_run()?;
        }
        let (last, rest) = self.slice.split_last()?;
        self.slice = rest;
        Some(last)
    }
}

/// The slices of a run, top segment first.
pub(crate) struct Chunks<'a, S, N: Branching<S>> {
    next: &'a Chain<S, N>,
}

impl<S, N: Branching<S>> Clone for Chunks<'_, S, N> {
    fn clone(&self) -> Self {
        Chunks { next: self.next }
    }
}

impl<'a, S, N: Branching<S>> Iterator for Chunks<'a, S, N> {
    type Item = &'a [S];

    fn next(&mut self) -> Option<&'a [S]> {
        let (slice, below) = self.next.as_run()?;
        self.next = below;
        Some(slice)
    }
}

/// The two counters in front of every shared node.
pub(crate) const ARC_HEADER: usize = 2 * size_of::<usize>();

/// Frees a chain with a work list in place of recursion: stacks may be millions of symbols deep.
pub(crate) fn dismantle<S, N: Branching<S>>(mut pending: Vec<Chain<S, N>>, first: Chain<S, N>) {
    let mut next = Some(first);
    while let Some(chain) = next.take().or_else(|| pending.pop()) {
        match chain {
            Chain::Bottom => {}
            Chain::Run(run) => {
                next = Arc::into_inner(run.segment)
                    .map(|mut segment| std::mem::replace(&mut segment.below, Chain::Bottom));
            }
            Chain::Fork(fork) => {
                if let Some(mut fork) = Arc::into_inner(fork) {
                    fork.take_tails(&mut pending);
                }
            }
        }
    }
}

impl<S, N: Branching<S>> Drop for Segment<S, N> {
    fn drop(&mut self) {
        if !matches!(self.below, Chain::Bottom) {
            dismantle(Vec::new(), std::mem::replace(&mut self.below, Chain::Bottom));
        }
    }
}
