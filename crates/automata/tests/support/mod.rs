//! Plain references: where a match of an expression can end, all short words, random expressions.

use std::collections::BTreeSet;

use glrmask_automata::{ByteSet, Regex, RegexKind};
use proptest::prelude::*;

/// The positions at which a match of `regex` that begins at `from` can end. By definition, no automaton involved.
pub(crate) fn ends(regex: &Regex, text: &[u8], from: usize) -> BTreeSet<usize> {
    match regex.kind() {
        RegexKind::Empty => BTreeSet::new(),
        RegexKind::Epsilon => BTreeSet::from([from]),
        RegexKind::Bytes(set) => text.get(from).filter(|&&b| set.contains(b)).map(|_| from + 1).into_iter().collect(),
        RegexKind::Concat(parts) => parts.iter().fold(BTreeSet::from([from]), |at, part| ends_from(part, text, &at)),
        RegexKind::Alternate(parts) => parts.iter().flat_map(|part| ends(part, text, from)).collect(),
        RegexKind::Intersect(a, b) => &ends(a, text, from) & &ends(b, text, from),
        RegexKind::Difference(a, b) => &ends(a, text, from) - &ends(b, text, from),
        RegexKind::Repeat { inner, min, max } => {
            let mut at = BTreeSet::from([from]);
            (0..*min).for_each(|_| at = ends_from(inner, text, &at));
            let mut all = at.clone();
            // After one round per position nothing new can come.
            for _ in 0..max.map_or(text.len() as u32 + 1, |max| max - min).min(text.len() as u32 + 1) {
                at = ends_from(inner, text, &at);
                all.extend(&at);
            }
            all
        }
    }
}

fn ends_from(regex: &Regex, text: &[u8], at: &BTreeSet<usize>) -> BTreeSet<usize> {
    at.iter().flat_map(|&from| ends(regex, text, from)).collect()
}

/// Whether the whole of `text` matches.
pub(crate) fn matches(regex: &Regex, text: &[u8]) -> bool {
    ends(regex, text, 0).contains(&text.len())
}

/// All words over `alphabet` up to this length.
pub(crate) fn words(alphabet: &[u8], length: usize) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    let mut begin = 0;
    for _ in 0..length {
        let end = all.len();
        for i in begin..end {
            for &byte in alphabet {
                let mut longer: Vec<u8> = all[i].clone();
                longer.push(byte);
                all.push(longer);
            }
        }
        begin = end;
    }
    all
}

/// Random expressions over a, b and c (and sometimes every byte).
pub(crate) fn regexes(set_operations: bool) -> impl Strategy<Value = Regex> {
    let set = prop_oneof![
        8 => proptest::sample::subsequence(b"abc".to_vec(), 0..=3).prop_map(|bytes| bytes.into_iter().collect()),
        1 => Just(ByteSet::FULL),
        1 => Just(ByteSet::single(b'a').complement()),
    ];
    let leaf = prop_oneof![
        6 => set.prop_map(Regex::bytes),
        2 => proptest::collection::vec(proptest::sample::select(b"abc".to_vec()), 0..4).prop_map(Regex::literal),
        1 => Just(Regex::epsilon()),
    ];
    leaf.prop_recursive(5, 24, 12, move |inner| {
        let boolean = u32::from(set_operations);
        prop_oneof![
            3 => proptest::collection::vec(inner.clone(), 2..4).prop_map(Regex::concat),
            3 => proptest::collection::vec(inner.clone(), 2..12).prop_map(Regex::alternate),
            3 => (inner.clone(), 0u32..4, proptest::option::of(0u32..4))
                .prop_map(|(inner, min, more)| inner.repeat(min, more.map(|more| min + more))),
            1 => inner.clone().prop_map(|inner| inner.star()),
            boolean * 2 => (inner.clone(), inner.clone()).prop_map(|(a, b)| a.intersect(&b)),
            1.max(boolean * 2) => (inner.clone(), inner).prop_map(move |(a, b)| {
                if set_operations { a.difference(&b) } else { Regex::alternate([a, b]) }
            }),
        ]
    })
}
