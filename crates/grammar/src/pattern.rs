//! Patterns of terminals: structural questions that need no automaton.
//!
//! A terminal never matches the empty string. `split_empty` takes it out of a pattern *structurally* (`a*` becomes
//! `a+`), which is cheaper for the automaton than a difference with ε.

use glrmask_automata::{Regex, RegexKind};

use crate::ir::Pattern;

/// Deepest regular expression accepted in a terminal: what can be compiled.
pub const MAX_REGEX_DEPTH: usize = Regex::MAX_DEPTH;

/// The pattern without the empty string, and whether it had it. `None`: nested deeper than [`MAX_REGEX_DEPTH`].
pub(crate) fn split_empty(pattern: Pattern) -> Option<(Pattern, bool)> {
    Some(match pattern {
        Pattern::Literal(bytes) if bytes.is_empty() => (Pattern::Regex(Regex::empty()), true),
        Pattern::LiteralIgnoreCase(text) if text.is_empty() => (Pattern::Regex(Regex::empty()), true),
        Pattern::Regex(regex) if regex.depth() > MAX_REGEX_DEPTH => return None,
        Pattern::Regex(regex) => (Pattern::Regex(without_empty(&regex)), regex.matches_empty()),
        Pattern::ExactTokens(mut ids) => {
            ids.sort_unstable();
            ids.dedup();
            (Pattern::ExactTokens(ids), false)
        }
        literal => (literal, false),
    })
}

/// The regex without the empty string. The depth has been checked.
fn without_empty(regex: &Regex) -> Regex {
    if !regex.matches_empty() {
        return regex.clone();
    }
    match regex.kind() {
        RegexKind::Empty | RegexKind::Bytes(_) | RegexKind::Epsilon => Regex::empty(),
        RegexKind::Concat(parts) => concat_without_empty(parts),
        RegexKind::Alternate(parts) => Regex::alternate(parts.iter().map(without_empty)),
        RegexKind::Repeat { max: Some(0), .. } => Regex::empty(),
        RegexKind::Repeat { inner, max, .. } => match without_empty(inner) {
            body if matches!(body.kind(), RegexKind::Empty) => body,
            body => body.repeat(1, *max),
        },
        RegexKind::Intersect(a, b) => without_empty(a).intersect(b),
        RegexKind::Difference(a, b) => without_empty(a).difference(b),
    }
}

/// `p₁ p₂ … pₙ`, all nullable: `(p₁−ε) p₂ … pₙ | (p₂−ε) p₃ … pₙ | …`. That is quadratic, so long ones take a difference.
fn concat_without_empty(parts: &[Regex]) -> Regex {
    if parts.len() > 32 {
        return Regex::concat(parts.iter().cloned()).difference(&Regex::epsilon());
    }
    Regex::alternate(parts.iter().enumerate().map(|(i, part)| {
        let rest = parts.get(i + 1..).unwrap_or_default().iter().cloned();
        Regex::concat(std::iter::once(without_empty(part)).chain(rest))
    }))
}

/// Whether the pattern is *visibly* empty. `/a/ & /b/` is empty too, but only an automaton shows it.
pub fn is_visibly_empty(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Literal(bytes) => bytes.is_empty(),
        Pattern::LiteralIgnoreCase(text) => text.is_empty(),
        Pattern::Regex(regex) => matches!(regex.kind(), RegexKind::Empty),
        Pattern::ExactTokens(ids) => ids.is_empty(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use glrmask_automata::ByteSet;
    use proptest::prelude::*;

    /// A random regular expression over a and b.
    pub(crate) fn any_regex() -> impl Strategy<Value = Regex> {
        let leaf = prop_oneof![
            1 => Just(Regex::empty()),
            1 => Just(Regex::epsilon()),
            3 => Just(Regex::literal("a")),
            3 => Just(Regex::bytes(ByteSet::range(b'a', b'b')))
        ];
        leaf.prop_recursive(4, 24, 3, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Regex::concat),
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Regex::alternate),
                (inner.clone(), 0u32..3, proptest::option::of(0u32..3))
                    .prop_map(|(r, a, b)| r.repeat(a, b.map(|b| a + b))),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| a.intersect(&b)),
                (inner.clone(), inner).prop_map(|(a, b)| a.difference(&b)),
            ]
        })
    }

    proptest! {
        #[test]
        fn only_the_empty_string_goes(regex in any_regex()) {
            let limits = Default::default();
            let stripped = without_empty(&regex);
            prop_assert!(!stripped.matches_empty());
            let wanted = regex.difference(&Regex::epsilon()).compile(&limits);
            prop_assert_eq!(stripped.compile(&limits).ok(), wanted.ok());
        }
    }

    #[test]
    fn long_nullable_sequences_stay_small() {
        let optional = Regex::literal("a").optional();
        let long = without_empty(&Regex::concat(vec![optional; 2000]));
        assert!(long.size() < 10_000 && !long.matches_empty());
    }
}
