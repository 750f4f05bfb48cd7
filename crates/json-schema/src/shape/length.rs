//! A language cut at a maximal length, so that the product of both stays small.
//!
//! Most states of a product with a counter are about words that are nowhere near the bound. A bounded tail of m bytes
//! needs the counter only behind a head that comes within m of it:
//!
//! ```text
//! (head tail) up to n  =  (head up to n - m) tail  |  (head from n - m + 1 to n) tail, up to n
//! ```
//!
//! and alternatives are cut each by itself. A mail address of up to 1024 characters, whose domain may be an IPv6 literal
//! of hundreds of states, then takes thousands of states instead of hundreds of thousands. Lengths count characters, and
//! a character has at least one byte; so a bound in bytes is one in characters.

use glrmask_automata::{Regex, RegexKind};

/// The strings of a language with at most `max` characters, each spelled as one of `any`.
pub(super) fn at_most(language: &Regex, max: u32, any: &Regex) -> Regex {
    if longest(language).is_some_and(|longest| longest <= max) {
        return language.clone();
    }
    match language.kind() {
        RegexKind::Alternate(parts) => Regex::alternate(parts.iter().map(|part| at_most(part, max, any))),
        RegexKind::Concat(parts) => concatenation(parts, max, any),
        _ => language.intersect(&any.repeat(0, Some(max))),
    }
}

fn concatenation(parts: &[Regex], max: u32, any: &Regex) -> Regex {
    let whole = || Regex::concat(parts.iter().cloned());
    let product = || whole().intersect(&any.repeat(0, Some(max)));
    let Some((last, head)) = parts.split_last().filter(|(_, head)| !head.is_empty()) else { return product() };
    if let RegexKind::Alternate(tails) = last.kind() {
        if tails.iter().any(|tail| longest(tail).is_some()) && longest(last).is_none() {
            let with = |tail: &Regex| Regex::concat(head.iter().cloned().chain([tail.clone()]));
            return Regex::alternate(tails.iter().map(|tail| at_most(&with(tail), max, any)));
        }
    }
    let mut tail = 0u32;
    let bounded = parts.iter().rev().take_while(|part| {
        tail = longest(part).and_then(|length| tail.checked_add(length)).unwrap_or(u32::MAX);
        tail <= max / 4
    });
    let (head, last) = parts.split_at(parts.len() - bounded.count());
    let (head, last) = (Regex::concat(head.iter().cloned()), Regex::concat(last.iter().cloned()));
    let Some(tail) = longest(&last).filter(|&tail| tail > 0) else { return product() };
    let short = Regex::concat([at_most(&head, max - tail, any), last.clone()]);
    let long = head.intersect(&any.repeat(max - tail + 1, Some(max)));
    Regex::alternate([short, Regex::concat([long, last]).intersect(&any.repeat(0, Some(max)))])
}

/// Bytes of the longest string at most; `None` if that is without bound or not obvious. Recursion is bounded by the
/// depth of the expression.
pub(crate) fn longest(language: &Regex) -> Option<u32> {
    match language.kind() {
        RegexKind::Empty | RegexKind::Epsilon => Some(0),
        RegexKind::Bytes(_) => Some(1),
        RegexKind::Concat(parts) => parts.iter().try_fold(0u32, |sum, part| sum.checked_add(longest(part)?)),
        RegexKind::Alternate(parts) => parts.iter().try_fold(0, |most, part| Some(longest(part)?.max(most))),
        RegexKind::Repeat { inner, max, .. } => longest(inner)?.checked_mul((*max)?),
        RegexKind::Intersect(a, b) => longest(a).into_iter().chain(longest(b)).min(),
        RegexKind::Difference(a, _) => longest(a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glrmask_automata::Limits;

    fn letters(text: &str) -> Regex {
        Regex::alternate(text.bytes().map(|byte| Regex::literal([byte])))
    }

    #[test]
    fn cuts_like_the_product() {
        let (a, b, any) = (letters("a"), letters("b"), letters("abc@[]"));
        let tail = Regex::concat([letters("["), b.repeat(0, Some(3)), letters("]")]);
        let languages = [
            Regex::concat([a.plus(), letters("@"), Regex::alternate([b.plus(), tail.clone()])]),
            Regex::concat([a.star(), tail.clone()]),
            Regex::alternate([a.star(), Regex::concat([a.plus(), b.clone()])]),
            Regex::concat([tail, a.star()]),
        ];
        for language in languages {
            for max in [0, 1, 3, 6, 20, 24, 40] {
                let expected = language.intersect(&any.repeat(0, Some(max))).compile(&Limits::default()).unwrap();
                let cut = at_most(&language, max, &any).compile(&Limits::default()).unwrap();
                assert!(cut.difference(&expected, &Limits::default()).unwrap().is_empty_language(), "{max}");
                assert!(expected.difference(&cut, &Limits::default()).unwrap().is_empty_language(), "{max}");
            }
        }
    }
}
