//! The stored form of a regular expression: its nodes in one list, operands before what they are in, shared ones once.
//!
//! Reading goes through the constructors, so that whatever is read is an expression like any other, and takes memory in
//! proportion to the input; neither direction recurses.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::regex::{Regex, RegexKind};
use crate::ByteSet;

/// A node; operands are positions in the list.
#[derive(Serialize, Deserialize)]
enum Entry {
    Empty,
    Epsilon,
    Bytes(ByteSet),
    Concat(Vec<u32>),
    Alternate(Vec<u32>),
    Repeat(u32, u32, Option<u32>),
    Intersect(u32, u32),
    Difference(u32, u32),
}

/// A list of nodes; the last one is the root.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredRegex(Vec<Entry>);

impl From<Regex> for StoredRegex {
    fn from(regex: Regex) -> Self {
        let mut entries = Vec::new();
        let mut known: FxHashMap<&Regex, u32> = FxHashMap::default();
        let mut work = vec![&regex];
        while let Some(&node) = work.last() {
            let before = work.len();
            node.kind().for_each_operand(|operand| {
                if !known.contains_key(operand) {
                    work.push(operand);
                }
            });
            if work.len() > before {
                continue;
            }
            work.pop();
            let number = entries.len() as u32;
            if *known.entry(node).or_insert(number) == number {
                entries.push(entry(node.kind(), |operand| known[operand]));
            }
        }
        Self(entries)
    }
}

fn entry(kind: &RegexKind, at: impl Fn(&Regex) -> u32) -> Entry {
    match kind {
        RegexKind::Empty => Entry::Empty,
        RegexKind::Epsilon => Entry::Epsilon,
        RegexKind::Bytes(set) => Entry::Bytes(*set),
        RegexKind::Concat(parts) => Entry::Concat(parts.iter().map(at).collect()),
        RegexKind::Alternate(parts) => Entry::Alternate(parts.iter().map(at).collect()),
        RegexKind::Repeat { inner, min, max } => Entry::Repeat(at(inner), *min, *max),
        RegexKind::Intersect(a, b) => Entry::Intersect(at(a), at(b)),
        RegexKind::Difference(a, b) => Entry::Difference(at(a), at(b)),
    }
}

impl TryFrom<StoredRegex> for Regex {
    type Error = &'static str;

    fn try_from(stored: StoredRegex) -> Result<Self, Self::Error> {
        let mut nodes: Vec<Regex> = Vec::with_capacity(stored.0.len());
        for entry in stored.0 {
            let at = |i: u32| nodes.get(i as usize).cloned().ok_or("a regular expression names a later node");
            let all = |parts: Vec<u32>| parts.into_iter().map(at).collect::<Result<Vec<_>, _>>();
            let node = match entry {
                Entry::Empty => Self::empty(),
                Entry::Epsilon => Self::epsilon(),
                Entry::Bytes(set) => Self::bytes(set),
                Entry::Concat(parts) => Self::concat(all(parts)?),
                Entry::Alternate(parts) => Self::alternate(all(parts)?),
                Entry::Repeat(inner, min, max) => at(inner)?.repeat(min, max),
                Entry::Intersect(a, b) => at(a)?.intersect(&at(b)?),
                Entry::Difference(a, b) => at(a)?.difference(&at(b)?),
            };
            nodes.push(node);
        }
        nodes.pop().ok_or("a regular expression without nodes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(regex: &Regex) -> Result<Regex, &'static str> {
        StoredRegex::from(regex.clone()).try_into()
    }

    #[test]
    fn what_is_stored_comes_back() {
        let word = Regex::char_class([('a', 'z'), ('à', 'ÿ')]).plus();
        let all = [
            Regex::empty(),
            Regex::epsilon(),
            Regex::literal("abc"),
            Regex::concat([word.clone(), Regex::literal("-"), word.repeat(2, Some(5))]),
            Regex::alternate([word.clone(), Regex::epsilon(), Regex::literal("x")]).star(),
            word.intersect(&Regex::any_byte().plus()).difference(&Regex::literal("no")),
        ];
        for regex in &all {
            assert_eq!(again(regex).as_ref(), Ok(regex));
        }
    }

    #[test]
    fn sharing_and_depth_cost_nothing() {
        let mut doubled = Regex::literal("x");
        for _ in 0..40 {
            doubled = Regex::alternate([doubled.plus(), doubled.intersect(&doubled)]);
        }
        assert!(StoredRegex::from(doubled.clone()).0.len() < 200);
        assert_eq!(again(&doubled).as_ref(), Ok(&doubled));
        let deep = (0..100_000).fold(Regex::literal("x"), |r, _| r.plus().optional());
        assert_eq!(again(&deep).as_ref(), Ok(&deep));
    }

    #[test]
    fn nonsense_is_an_error() {
        assert!(Regex::try_from(StoredRegex(Vec::new())).is_err());
        assert!(Regex::try_from(StoredRegex(vec![Entry::Concat(vec![0])])).is_err());
        assert!(Regex::try_from(StoredRegex(vec![Entry::Epsilon, Entry::Repeat(7, 0, None)])).is_err());
    }
}
