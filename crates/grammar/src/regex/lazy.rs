//! Lazy quantifiers: from preferences to a language.
//!
//! A lexer runs `/".*?"/` at the beginning of a text and takes the match that the engine prefers: the shortest. As a
//! language that is `S − S·Σ⁺` for the plain language S of the expression: its words without a shorter word in front.
//! That is right up to the last lazy quantifier and what has to follow it; what may follow greedily after that is
//! appended. So `/".*?"[a-z]*/` is the shortest of `".*?"`, and then `[a-z]*`.
//!
//! Where a greedy choice after a lazy one has to match for the whole to match (`/a.*?b+c/`), what is preferred depends
//! on the text beyond the lexeme, and the answer is an error. Alternatives are told apart only where they end.

use glrmask_automata::{Limits, Regex, RegexKind};

use super::extended::{Extended, Kind, LanguageError};

type Result<T> = std::result::Result<T, LanguageError>;

/// The language of an expression without assertions.
pub(super) fn language(expression: &Extended) -> Result<Regex> {
    ordered(&settle(expression)?)
}

/// Forgets laziness where it has no effect: in parts of which no word begins with another.
fn settle(expression: &Extended) -> Result<Extended> {
    let settled = match expression.kind() {
        Kind::Plain(_) | Kind::Assertion(_) | Kind::Look { .. } => return Ok(expression.clone()),
        Kind::Concat(parts) => Extended::concat(parts.iter().map(settle).collect::<Result<_>>()?),
        Kind::Alternate(parts) => Extended::alternate(parts.iter().map(settle).collect::<Result<_>>()?),
        Kind::Repeat { inner, min, max, lazy } => settle(inner)?.repeat(*min, *max, *lazy),
    };
    let plain = settled.forget_laziness();
    Ok(if is_prefix_free(&plain)? { Extended::plain(plain) } else { settled })
}

fn ordered(expression: &Extended) -> Result<Regex> {
    match expression.kind() {
        Kind::Plain(regex) => Ok(regex.clone()),
        Kind::Alternate(parts) => Ok(Regex::alternate(parts.iter().map(ordered).collect::<Result<Vec<_>>>()?)),
        Kind::Repeat { inner, min: 0, max: Some(1), lazy: false } => Ok(ordered(inner)?.optional()),
        _ => sequence(&flatten(expression)),
    }
}

/// The parts of a sequence, those of nested sequences included.
pub(super) fn flatten(expression: &Extended) -> Vec<Extended> {
    match expression.kind() {
        Kind::Concat(parts) => parts.iter().flat_map(flatten).collect(),
        Kind::Plain(regex) => match regex.kind() {
            RegexKind::Concat(parts) => parts.iter().cloned().map(Extended::plain).collect(),
            _ => vec![expression.clone()],
        },
        _ => vec![expression.clone()],
    }
}

fn sequence(parts: &[Extended]) -> Result<Regex> {
    let lazy_end = parts.iter().rposition(|part| part.as_plain().is_none()).map_or(0, |last| last + 1);
    let (head, rest) = parts.split_at(lazy_end);
    check_loops(head)?;
    let (fixed, tail) = split(rest)?;
    let head = head.iter().map(Extended::forget_laziness).chain(fixed).collect::<Vec<_>>();
    Ok(Regex::concat([shortest(&Regex::concat(head)), tail]))
}

/// A greedy loop around something lazy takes as many rounds as it can, of lengths that depend on what follows.
fn check_loops(parts: &[Extended]) -> Result<()> {
    for part in parts {
        match part.kind() {
            Kind::Repeat { lazy: false, .. } => {
                return Err(LanguageError::Unsupported("a lazy quantifier inside a greedy one".to_owned()));
            }
            Kind::Alternate(branches) => check_loops(branches)?,
            Kind::Concat(inner) => check_loops(inner)?,
            _ => {}
        }
    }
    Ok(())
}

/// What has to follow the last lazy quantifier, without a choice of its length, and what may follow then.
fn split(rest: &[Extended]) -> Result<(Vec<Regex>, Regex)> {
    let mut fixed = Vec::new();
    for (i, part) in rest.iter().enumerate() {
        let part = part.forget_laziness();
        if is_prefix_free(&part)? {
            fixed.push(part);
            continue;
        }
        let (needed, optional) = needed(&part)?;
        fixed.extend(needed);
        let others = rest.iter().skip(i + 1).map(Extended::forget_laziness);
        let tail: Vec<Regex> = std::iter::once(optional).chain(others).collect();
        if !tail.iter().all(Regex::matches_empty) {
            return Err(after_lazy());
        }
        return Ok((fixed, Regex::concat(tail)));
    }
    Ok((fixed, Regex::epsilon()))
}

/// `x{n,m}` as `x{n}` and `x{0,m−n}`.
fn needed(part: &Regex) -> Result<(Option<Regex>, Regex)> {
    match part.kind() {
        _ if part.matches_empty() => Ok((None, part.clone())),
        RegexKind::Repeat { inner, min, max } if is_prefix_free(inner)? => {
            let more = inner.repeat(0, max.map(|max| max - min));
            Ok((Some(inner.repeat(*min, Some(*min))), more))
        }
        _ => Err(after_lazy()),
    }
}

fn after_lazy() -> LanguageError {
    LanguageError::Unsupported("a lazy quantifier with a greedy choice after it that has to match".to_owned())
}

/// Words that do not begin with a shorter word.
pub(crate) fn shortest(regex: &Regex) -> Regex {
    match regex.matches_empty() {
        true => Regex::epsilon(),
        false => regex.difference(&Regex::concat([regex.clone(), Regex::any_byte().plus()])),
    }
}

/// Whether no word of the language begins with another.
pub(super) fn is_prefix_free(regex: &Regex) -> Result<bool> {
    let dfa = regex.compile(&Limits::default()).map_err(|e| LanguageError::Limit(e.to_string()))?;
    let extends = |state| dfa.is_accepting(state) && !dfa.next_bytes(state).is_empty();
    Ok(!dfa.states().any(extends))
}
