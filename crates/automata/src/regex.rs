//! Regular expressions over bytes, as immutable shared trees.
//!
//! A node knows its depth, its number of nodes, whether it matches the empty string, and a 128-bit fingerprint of its
//! structure. So hashing and telling expressions apart take constant time; where fingerprints agree, the structure is
//! compared, since what is found by expression must be right for whoever gets it. Nothing here recurses deeper than
//! [`Regex::MAX_DEPTH`], however deep a caller nests: compiling such an expression is an error, dropping it is a loop.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::compile::repeats_copies;
use crate::fingerprint::Fingerprint;
use crate::ByteSet;

/// A regular expression over bytes: an immutable tree, cheap to clone.
///
/// Equality and order are those of the structure, not of the language: compile to compare languages. O(1) for expressions
/// that differ and for clones, otherwise O(nodes).
///
/// ```
/// use glrmask_automata::Regex;
/// let word = Regex::char_class([('a', 'z'), ('à', 'ÿ')]).plus();
/// let quoted = Regex::concat([Regex::literal("'"), word, Regex::literal("'")]);
/// assert!(!quoted.matches_empty());
/// assert!(quoted.compile(&Default::default())?.accepts("'été'".as_bytes()));
/// # Ok::<(), glrmask_automata::AutomataError>(())
/// ```
#[derive(Clone, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "crate::stored_regex::StoredRegex", into = "crate::stored_regex::StoredRegex")]
pub struct Regex(Arc<Node>);

struct Node {
    kind: RegexKind,
    depth: usize,
    /// Number of nodes as a tree (shared ones count each time), saturating.
    size: u64,
    nullable: bool,
    /// Whether compiling needs automata of some operands first.
    has_parts: bool,
    fingerprint: u128,
}

/// The root of a [`Regex`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegexKind {
    /// No string at all.
    Empty,
    /// The empty string.
    Epsilon,
    /// One byte out of a set (never empty).
    Bytes(ByteSet),
    /// One after the other.
    Concat(Vec<Regex>),
    /// Any of these.
    Alternate(Vec<Regex>),
    /// `inner` at least `min` and at most `max` times (`None`: without bound).
    Repeat {
        /// What is repeated.
        inner: Regex,
        /// Least number of repetitions.
        min: u32,
        /// Largest number of repetitions, if bounded.
        max: Option<u32>,
    },
    /// Strings of both.
    Intersect(Regex, Regex),
    /// Strings of the first that are not in the second.
    Difference(Regex, Regex),
}

/// Longer operands stay shared nodes: doubling an expression forty times must not take 2⁴⁰ operands.
const MAX_FLATTENED: usize = 1024;

impl RegexKind {
    pub(crate) fn for_each_operand<'a>(&'a self, mut visit: impl FnMut(&'a Regex)) {
        match self {
            Self::Empty | Self::Epsilon | Self::Bytes(_) => {}
            Self::Concat(parts) | Self::Alternate(parts) => parts.iter().for_each(visit),
            Self::Repeat { inner, .. } => visit(inner),
            Self::Intersect(a, b) | Self::Difference(a, b) => [a, b].into_iter().for_each(visit),
        }
    }
    /// Which of the kinds it is.
    fn number(&self) -> u64 {
        match self {
            Self::Empty => 0,
            Self::Epsilon => 1,
            Self::Bytes(_) => 2,
            Self::Concat(_) => 3,
            Self::Alternate(_) => 4,
            Self::Repeat { .. } => 5,
            Self::Intersect(..) => 6,
            Self::Difference(..) => 7,
        }
    }
    fn needs_parts(&self) -> bool {
        match self {
            Self::Intersect(..) | Self::Difference(..) => true,
            Self::Repeat { inner, min, max } => repeats_copies(inner, *min, *max),
            _ => false,
        }
    }
    fn nullable(&self) -> bool {
        match self {
            Self::Empty | Self::Bytes(_) => false,
            Self::Epsilon => true,
            Self::Concat(parts) => parts.iter().all(Regex::matches_empty),
            Self::Alternate(parts) => parts.iter().any(Regex::matches_empty),
            Self::Repeat { inner, min, .. } => *min == 0 || inner.matches_empty(),
            Self::Intersect(a, b) => a.matches_empty() && b.matches_empty(),
            Self::Difference(a, b) => a.matches_empty() && !b.matches_empty(),
        }
    }
    fn fingerprint(&self) -> u128 {
        let kind = Fingerprint::new(self.number());
        let mut hash = match self {
            Self::Bytes(set) => set.words().iter().fold(kind, |hash, &word| hash.word(word)),
            Self::Concat(parts) | Self::Alternate(parts) => kind.word(parts.len() as u64),
            Self::Repeat { min, max, .. } => kind.word(u64::from(*min)).word(max.map_or(u64::MAX, u64::from)),
            Self::Empty | Self::Epsilon | Self::Intersect(..) | Self::Difference(..) => kind,
        };
        self.for_each_operand(|operand| hash = hash.wide(operand.0.fingerprint));
        hash.finish()
    }
}

impl Regex {
    /// The root of the tree.
    pub fn kind(&self) -> &RegexKind {
        &self.0.kind
    }
    fn new(kind: RegexKind) -> Self {
        let (mut depth, mut size) = (0, 1u64);
        let mut has_parts = kind.needs_parts();
        kind.for_each_operand(|operand| {
            has_parts |= operand.has_parts();
            depth = depth.max(operand.depth());
            size = size.saturating_add(operand.size());
        });
        let (nullable, fingerprint) = (kind.nullable(), kind.fingerprint());
        Self(Arc::new(Node { kind, depth: depth + 1, size, nullable, has_parts, fingerprint }))
    }
    /// A 128-bit hash of the structure: equal expressions have equal fingerprints, in every process. Different ones do not
    /// by chance, but can be made to. O(1).
    pub fn fingerprint(&self) -> u128 {
        self.0.fingerprint
    }
    /// Bytes on the heap, of nodes that stand there more than once too; what others share with this counts. O(nodes).
    pub fn memory_usage(&self) -> usize {
        let mut seen: FxHashSet<*const Node> = FxHashSet::default();
        let (mut stack, mut bytes) = (vec![self], 0);
        while let Some(regex) = stack.pop() {
            if seen.insert(Arc::as_ptr(&regex.0)) {
                let before = stack.len();
                regex.kind().for_each_operand(|operand| stack.push(operand));
                bytes += size_of::<Node>() + (stack.len() - before + 2) * size_of::<Self>();
            }
        }
        bytes
    }
    /// Nesting depth: 1 for a byte, one more than the deepest operand otherwise. O(1).
    pub fn depth(&self) -> usize {
        self.0.depth
    }
    /// Number of nodes, where shared operands count each time; saturates. O(1).
    pub fn size(&self) -> u64 {
        self.0.size
    }
    pub(crate) fn has_parts(&self) -> bool {
        self.0.has_parts
    }
    /// Whether the empty string is in the language: exact, also below intersections and differences. O(1).
    pub fn matches_empty(&self) -> bool {
        self.0.nullable
    }
    /// The only word, if the expression is written as exactly one literal (of at most 2²⁰ nodes).
    ///
    /// ```
    /// use glrmask_automata::Regex;
    /// assert_eq!(Regex::literal("null").as_literal(), Some(b"null".to_vec()));
    /// assert_eq!(Regex::any_byte().as_literal(), None);
    /// ```
    pub fn as_literal(&self) -> Option<Vec<u8>> {
        let mut word = Vec::new();
        let small = self.depth() <= SHALLOW && self.size() <= 1 << 20;
        (small && self.push_literal(&mut word)).then_some(word)
    }
    fn push_literal(&self, word: &mut Vec<u8>) -> bool {
        match self.kind() {
            RegexKind::Epsilon => true,
            RegexKind::Bytes(set) if set.len() == 1 => {
                word.extend(set.iter());
                true
            }
            RegexKind::Concat(parts) => parts.iter().all(|part| part.push_literal(word)),
            _ => false,
        }
    }
    /// The language without any string.
    pub fn empty() -> Self {
        Self::new(RegexKind::Empty)
    }
    /// The language of the empty string.
    pub fn epsilon() -> Self {
        Self::new(RegexKind::Epsilon)
    }
    /// One byte out of `set`.
    pub fn bytes(set: ByteSet) -> Self {
        if set.is_empty() {
            Self::empty()
        } else {
            Self::new(RegexKind::Bytes(set))
        }
    }
    /// Any one byte.
    pub fn any_byte() -> Self {
        Self::bytes(ByteSet::FULL)
    }
    /// Exactly this byte string.
    pub fn literal(text: impl AsRef<[u8]>) -> Self {
        Self::concat(text.as_ref().iter().map(|&b| Self::bytes(ByteSet::single(b))))
    }
    /// One after the other (flattened; ∅ absorbs, ε vanishes).
    pub fn concat(parts: impl IntoIterator<Item = Regex>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part.kind() {
                RegexKind::Empty => return Self::empty(),
                RegexKind::Epsilon => {}
                RegexKind::Concat(inner) if inner.len() <= MAX_FLATTENED => flat.extend(inner.iter().cloned()),
                _ => flat.push(part),
            }
        }
        match flat.len() {
            0 => Self::epsilon(),
            1 => flat.remove(0),
            _ => Self::new(RegexKind::Concat(flat)),
        }
    }
    /// Any of these (flattened; ∅ vanishes).
    pub fn alternate(parts: impl IntoIterator<Item = Regex>) -> Self {
        let mut flat: Vec<Regex> = Vec::new();
        for part in parts {
            match part.kind() {
                RegexKind::Empty => {}
                RegexKind::Alternate(inner) if inner.len() <= MAX_FLATTENED => flat.extend(inner.iter().cloned()),
                _ => flat.push(part),
            }
        }
        match flat.len() {
            0 => Self::empty(),
            1 => flat.remove(0),
            _ => Self::new(RegexKind::Alternate(flat)),
        }
    }
    /// `self` at least `min` and at most `max` times; no string at all if `max` is smaller than `min`.
    pub fn repeat(&self, min: u32, max: Option<u32>) -> Self {
        if max.is_some_and(|max| max < min) {
            return Self::empty();
        }
        match self.kind() {
            _ if max == Some(0) => return Self::epsilon(),
            _ if (min, max) == (1, Some(1)) => return self.clone(),
            RegexKind::Empty if min > 0 => return Self::empty(),
            RegexKind::Empty | RegexKind::Epsilon => return Self::epsilon(),
            _ => {}
        }
        Self::new(RegexKind::Repeat { inner: self.clone(), min, max })
    }
    /// `self*`.
    pub fn star(&self) -> Self {
        self.repeat(0, None)
    }
    /// `self+`.
    pub fn plus(&self) -> Self {
        self.repeat(1, None)
    }
    /// `self?`.
    pub fn optional(&self) -> Self {
        self.repeat(0, Some(1))
    }
    /// Strings of both.
    pub fn intersect(&self, other: &Self) -> Self {
        Self::new(RegexKind::Intersect(self.clone(), other.clone()))
    }
    /// Strings of `self` that are not in `other`.
    pub fn difference(&self, other: &Self) -> Self {
        Self::new(RegexKind::Difference(self.clone(), other.clone()))
    }
}

impl PartialEq for Regex {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Regex {}

impl Hash for Regex {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.fingerprint.hash(state);
    }
}

impl PartialOrd for Regex {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Regex {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.fingerprint.cmp(&other.0.fingerprint).then_with(|| compare(self, other))
    }
}

/// By structure, pairs of nodes once each: an expression may be a doubled one forty times over.
fn compare(a: &Regex, b: &Regex) -> Ordering {
    let mut seen: FxHashSet<(*const Node, *const Node)> = FxHashSet::default();
    let mut stack = vec![(a, b)];
    while let Some((a, b)) = stack.pop() {
        let pair = (Arc::as_ptr(&a.0), Arc::as_ptr(&b.0));
        // Seen before is compared before: what is below a pair is above it on the stack. A pair comes up again only where
        // one of the two is shared: otherwise it has one pair above it.
        let is_shared = Arc::strong_count(&a.0).max(Arc::strong_count(&b.0)) > 1;
        if pair.0 == pair.1 || is_shared && a.depth() > 1 && !seen.insert(pair) {
            continue;
        }
        let order = a.0.fingerprint.cmp(&b.0.fingerprint).then_with(|| compare_roots(&a.0.kind, &b.0.kind, &mut stack));
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}

/// The roots alone; pairs of operands are put on the stack.
fn compare_roots<'a>(a: &'a RegexKind, b: &'a RegexKind, stack: &mut Vec<(&'a Regex, &'a Regex)>) -> Ordering {
    match (a, b) {
        (RegexKind::Empty, RegexKind::Empty) | (RegexKind::Epsilon, RegexKind::Epsilon) => Ordering::Equal,
        (RegexKind::Bytes(x), RegexKind::Bytes(y)) => x.cmp(y),
        (RegexKind::Concat(x), RegexKind::Concat(y)) | (RegexKind::Alternate(x), RegexKind::Alternate(y)) => {
            stack.extend(x.iter().zip(y));
            x.len().cmp(&y.len())
        }
        (RegexKind::Repeat { inner: x, min, max }, RegexKind::Repeat { inner: y, min: other_min, max: other_max }) => {
            stack.push((x, y));
            (min, max).cmp(&(other_min, other_max))
        }
        (RegexKind::Intersect(x, y), RegexKind::Intersect(v, w))
        | (RegexKind::Difference(x, y), RegexKind::Difference(v, w)) => {
            stack.extend([(x, v), (y, w)]);
            Ordering::Equal
        }
        _ => a.number().cmp(&b.number()),
    }
}

/// Down to this depth plain recursion is safe anywhere.
const SHALLOW: usize = 64;

impl Drop for Node {
    fn drop(&mut self) {
        if self.depth <= SHALLOW {
            return;
        }
        let mut pending = take_operands(&mut self.kind);
        while let Some(mut regex) = pending.pop() {
            if let Some(node) = Arc::get_mut(&mut regex.0).filter(|node| node.depth > SHALLOW) {
                pending.append(&mut take_operands(&mut node.kind));
            }
        }
    }
}

fn take_operands(kind: &mut RegexKind) -> Vec<Regex> {
    match std::mem::replace(kind, RegexKind::Empty) {
        RegexKind::Empty | RegexKind::Epsilon | RegexKind::Bytes(_) => Vec::new(),
        RegexKind::Concat(parts) | RegexKind::Alternate(parts) => parts,
        RegexKind::Repeat { inner, .. } => vec![inner],
        RegexKind::Intersect(a, b) | RegexKind::Difference(a, b) => vec![a, b],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An expression of this kind that claims the fingerprint of another.
    fn forged(kind: RegexKind, fingerprint: u128) -> Regex {
        let Node { depth, size, nullable, has_parts, .. } = &*Regex::new(kind.clone()).0;
        let (depth, size, nullable, has_parts) = (*depth, *size, *nullable, *has_parts);
        Regex(Arc::new(Node { kind, depth, size, nullable, has_parts, fingerprint }))
    }

    #[test]
    fn expressions_of_one_fingerprint_are_told_apart_and_compiled_apart() {
        let (a, b) = (Regex::literal("ab").plus(), Regex::literal("cd").plus());
        let fake = forged(b.kind().clone(), a.fingerprint());
        assert_ne!(fake, a);
        assert_ne!(fake.cmp(&a), Ordering::Equal);
        assert_eq!(fake.cmp(&a), a.cmp(&fake).reverse());
        let [both, second] = [a.repeat(2, Some(2)), fake.repeat(2, Some(2))];
        let dfa = Regex::concat([both, second]).compile(&Default::default());
        assert!(dfa.is_ok_and(|dfa| dfa.accepts(b"ababcdcd") && !dfa.accepts(b"abababab")));
    }

    #[test]
    fn expressions_built_apart_are_equal_however_much_they_share() {
        let build = || (0..40).fold(Regex::literal("x"), |r, _| Regex::concat([r.plus(), r.star()]));
        assert_eq!(build(), build());
        assert!(build().memory_usage() < 50_000);
        assert_ne!(build(), build().plus());
    }

    #[test]
    fn expressions_that_share_in_different_places_are_compared_without_unfolding() {
        let twice = (0..60).fold(Regex::literal("x"), |r, _| Regex::concat([r.star(), r.star()]));
        let once = (0..60).fold(Regex::literal("x"), |r, _| {
            let star = r.star();
            Regex::concat([star.clone(), star])
        });
        assert_eq!(twice, once);
    }
}
