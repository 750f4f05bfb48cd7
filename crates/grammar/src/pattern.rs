//! Patterns of terminals: structural questions that need no automaton.
//!
//! A terminal never matches the empty string. [`split_empty`] takes it out of a pattern *structurally* (`a*` becomes
//! `a+`), which is cheaper for the automaton than a difference with ε.

use glrmask_automata::{Regex, RegexKind};

use crate::ir::Pattern;

/// Deepest regular expression that is looked into.
pub const MAX_REGEX_DEPTH: usize = 500;

/// The pattern without the empty string, and whether it had it. `None`: nested deeper than [`MAX_REGEX_DEPTH`].
pub(crate) fn split_empty(pattern: Pattern) -> Option<(Pattern, bool)> {
    Some(match pattern {
        Pattern::Literal(bytes) if bytes.is_empty() => (Pattern::Regex(Regex::empty()), true),
        Pattern::LiteralIgnoreCase(text) if text.is_empty() => (Pattern::Regex(Regex::empty()), true),
        Pattern::Regex(regex) => match nullable(&regex, MAX_REGEX_DEPTH)? {
            true => (Pattern::Regex(without_empty(&regex)), true),
            false => (Pattern::Regex(regex), false),
        },
        Pattern::ExactTokens(mut ids) => {
            ids.sort_unstable();
            ids.dedup();
            (Pattern::ExactTokens(ids), false)
        }
        literal => (literal, false),
    })
}

/// Whether the regex matches the empty string; `None` if it is nested deeper than `depth`.
pub fn nullable(regex: &Regex, depth: usize) -> Option<bool> {
    let depth = depth.checked_sub(1)?;
    let all = |parts: &[Regex], wanted: bool| {
        // Every part is visited, so that the depth is checked everywhere.
        parts.iter().try_fold(false, |hit, part| Some(nullable(part, depth)? == wanted || hit))
    };
    Some(match regex.kind() {
        RegexKind::Empty | RegexKind::Bytes(_) => false,
        RegexKind::Epsilon => true,
        RegexKind::Concat(parts) => !all(parts, false)?,
        RegexKind::Alternate(parts) => all(parts, true)?,
        RegexKind::Repeat { inner, min, max } => {
            (nullable(inner, depth)? || *min == 0) && max.is_none_or(|m| m >= *min)
        }
        RegexKind::Intersect(a, b) => nullable(a, depth)? & nullable(b, depth)?,
        RegexKind::Difference(a, b) => nullable(a, depth)? & !nullable(b, depth)?,
    })
}

/// The regex without the empty string. The depth has been checked.
fn without_empty(regex: &Regex) -> Regex {
    if nullable(regex, MAX_REGEX_DEPTH) == Some(false) {
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
