//! Languages of free text.
//!
//! All texts are UTF-8. "Up to a mark" is the shortest match, in which no mark is complete before the end; among marks
//! that are told apart (triggers, what is excluded, the end of the tag around) the first one to be complete counts.

use glrmask_automata::Regex;

use crate::regex::shortest;

/// Any text.
pub(super) fn any() -> Regex {
    Regex::any_char().star()
}

/// Texts in which none of the marks occurs.
pub(super) fn without(marks: &[&str]) -> Regex {
    match marks.is_empty() {
        true => any(),
        false => any().difference(&Regex::concat([any(), one_of(marks), any()])),
    }
}

/// Texts that end with one of `wanted`, and in which neither any of `wanted` nor any of `others` is complete before that
/// end, nor one of `others` at it.
pub(super) fn up_to(wanted: &[&str], others: &[&str]) -> Regex {
    let all: Vec<&str> = wanted.iter().chain(others).copied().collect();
    let first = shortest(&ending_with(&all));
    let first = if others.is_empty() { first } else { first.intersect(&ending_with(wanted)) };
    let bad: Vec<&str> = others.iter().filter(|other| !wanted.contains(other)).copied().collect();
    if bad.is_empty() {
        first
    } else {
        first.difference(&ending_with(&bad))
    }
}

fn ending_with(marks: &[&str]) -> Regex {
    Regex::concat([any(), one_of(marks)])
}

fn one_of(marks: &[&str]) -> Regex {
    Regex::alternate(marks.iter().map(Regex::literal).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(regex: &Regex, text: &str) -> bool {
        regex.compile(&Default::default()).expect("a small automaton").accepts(text.as_bytes())
    }

    #[test]
    fn the_first_mark_counts() {
        let text = up_to(&["<f"], &["</x"]);
        assert!(accepts(&text, "a é<f") && accepts(&text, "<<f"));
        assert!(["<f<f", "a</x<f", "a</x", "<", ""].iter().all(|bad| !accepts(&text, bad)));
        let nested = up_to(&["ab"], &["xab"]);
        assert!(accepts(&nested, "ab") && accepts(&nested, "yab") && !accepts(&nested, "xab"));
    }

    #[test]
    fn text_without_marks_may_end_in_a_piece_of_one() {
        let text = without(&["<f", "</x"]);
        assert!(accepts(&text, "a < b </") && !accepts(&text, "a <f b") && !accepts(&text, "</x"));
        assert!(accepts(&without(&[]), "anything <f"));
    }
}
