//! How characters are written inside a JSON string.
//!
//! The *canonical* spelling of a character is the one `json.dumps(ensure_ascii=False)` writes: itself, or a short
//! escape, or `\u00xx` in lower case for the other control characters. Languages of strings (patterns, formats, keys)
//! are built directly over this spelling, so that no unescaping is needed later. The *natural* spelling allows every
//! escape that JSON knows.

use glrmask_automata::{ByteSet, Regex};
use regex_syntax::utf8::Utf8Sequences;

/// Characters with a short canonical escape, and the letter of the escape.
const SHORT: [(u32, u8); 7] = [(0x22, b'"'), (0x5c, b'\\'), (8, b'b'), (12, b'f'), (10, b'n'), (13, b'r'), (9, b't')];

/// Inclusive ranges of code points.
pub(crate) type Ranges = Vec<(u32, u32)>;

/// The canonical spelling of a text, without quotes.
pub(crate) fn canonical(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match SHORT.iter().find(|(point, _)| *point == u32::from(c)) {
            Some((_, letter)) => out.extend(['\\', char::from(*letter)]),
            None if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            None => out.push(c),
        }
    }
    out
}

/// The canonical spelling of a text, as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", canonical(text))
}

/// One character out of these ranges, in canonical spelling. Surrogates are left out.
pub(crate) fn class(ranges: &[(u32, u32)]) -> Regex {
    let contains = |point: u32| ranges.iter().any(|&(first, last)| first <= point && point <= last);
    let short: ByteSet = SHORT.iter().filter(|(point, _)| contains(*point)).map(|&(_, letter)| letter).collect();
    let is_long = |point: u32| contains(point) && SHORT.iter().all(|(short, _)| *short != point);
    let long = (0..2u8).map(|high| {
        let low: ByteSet = (0..16u8).filter(|low| is_long(u32::from(high * 16 + low))).map(hex_digit).collect();
        Regex::concat([Regex::literal([b'u', b'0', b'0', b'0' + high]), Regex::bytes(low)])
    });
    let escape = Regex::alternate([Regex::bytes(short)].into_iter().chain(long));
    let raw = [(0x20, 0x21), (0x23, 0x5b), (0x5d, 0xd7ff), (0xe000, 0x10ffff)];
    let raw = raw.iter().flat_map(|&area| ranges.iter().filter_map(move |&range| meet(area, range)));
    Regex::alternate([scalars(raw), Regex::concat([Regex::literal("\\"), escape])])
}

/// Any character in canonical spelling.
pub(crate) fn canonical_char() -> Regex {
    class(&[(0, 0x10ffff)])
}

/// Any character in any spelling; surrogates only in pairs.
pub(crate) fn natural_char() -> Regex {
    let set = |text: &str| Regex::bytes(text.bytes().collect());
    let hex = set("0123456789abcdefABCDEF");
    let plain = Regex::concat([set("0123456789abcefABCEF"), hex.repeat(3, Some(3))]);
    let below = Regex::concat([set("dD"), set("01234567"), hex.repeat(2, Some(2))]);
    let high = Regex::concat([set("dD"), set("89abAB"), hex.repeat(2, Some(2))]);
    let low = Regex::concat([set("dD"), set("cdefCDEF"), hex.repeat(2, Some(2))]);
    let pair = Regex::concat([high, Regex::literal("\\u"), low]);
    let unicode = Regex::concat([Regex::literal("u"), Regex::alternate([plain, below, pair])]);
    let escape = Regex::concat([Regex::literal("\\"), Regex::alternate([set("\"\\/bfnrt"), unicode])]);
    let raw = [(0x20, 0x21), (0x23, 0x5b), (0x5d, 0xd7ff), (0xe000, 0x10ffff)];
    Regex::alternate([scalars(raw.into_iter()), escape])
}

fn hex_digit(digit: u8) -> u8 {
    if digit < 10 {
        b'0' + digit
    } else {
        b'a' + digit - 10
    }
}

fn meet(a: (u32, u32), b: (u32, u32)) -> Option<(u32, u32)> {
    let both = (a.0.max(b.0), a.1.min(b.1));
    (both.0 <= both.1).then_some(both)
}

/// One scalar out of these ranges in UTF-8.
fn scalars(ranges: impl Iterator<Item = (u32, u32)>) -> Regex {
    let mut single = ByteSet::EMPTY;
    let mut sequences = Vec::new();
    for (first, last) in ranges {
        for byte in first..=last.min(0x7f) {
            single.insert(byte as u8);
        }
        let (Some(first), Some(last)) = (char::from_u32(first.max(0x80)), char::from_u32(last)) else { continue };
        if first <= last {
            let bytes = |range: &regex_syntax::utf8::Utf8Range| Regex::bytes(ByteSet::range(range.start, range.end));
            sequences.extend(Utf8Sequences::new(first, last).map(|s| Regex::concat(s.as_slice().iter().map(bytes))));
        }
    }
    Regex::alternate([Regex::bytes(single)].into_iter().chain(sequences))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glrmask_automata::Limits;
    use proptest::prelude::*;

    #[test]
    fn canonical_is_what_json_dumps_writes() {
        assert_eq!(
            quoted("a\"\\/\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}é😀"),
            "\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\u{7f}é😀\""
        );
    }

    #[test]
    fn natural_takes_escapes_but_no_lone_surrogate() {
        let dfa = natural_char().compile(&Limits::default()).unwrap();
        for good in ["a", "é", "\\u0041", "\\/", "\\ud83D\\uDe00", "\\uD7ff", "\\ue000", "\u{7f}", "\\n"] {
            assert!(dfa.accepts(good.as_bytes()), "{good}");
        }
        for bad in ["\"", "\\", "\n", "\\x", "\\ud800", "\\ude00", "\\ud83d\\u0041", "aa", ""] {
            assert!(!dfa.accepts(bad.as_bytes()), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn a_class_is_the_spelling_of_its_characters(c: char, first in 0u32..300, width in 0u32..200) {
            let ranges = [(first, first + width), (0x2000, 0xffff)];
            let dfa = class(&ranges).compile(&Limits::default()).unwrap();
            for c in [c, char::from_u32(u32::from(c) % 300).unwrap_or('a')] {
                let inside = ranges.iter().any(|r| r.0 <= u32::from(c) && u32::from(c) <= r.1);
                prop_assert_eq!(dfa.accepts(canonical(&c.to_string()).as_bytes()), inside);
            }
        }
    }
}
