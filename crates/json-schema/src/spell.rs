//! How characters are written inside a JSON string.
//!
//! A [`Spelling`] says which texts stand for a character: only the *canonical* one, which `json.dumps` writes (itself, a
//! short escape such as `\n`, or `\uXXXX` in lower case), or any that JSON knows; with or without raw characters beyond
//! ASCII. Languages of strings (patterns, formats, keys) are built from characters already spelled, so that nothing is
//! unescaped later: spellings of different characters differ and none begins another, hence intersections and
//! differences of spelled languages are spellings of intersections and differences.

use glrmask_automata::{ByteSet, Regex};
use regex_syntax::utf8::Utf8Sequences;

use crate::{Escapes, Options};

/// Characters with a short canonical escape, and the letter of the escape.
const SHORT: [(u32, u8); 7] = [(0x22, b'"'), (0x5c, b'\\'), (8, b'b'), (12, b'f'), (10, b'n'), (13, b'r'), (9, b't')];

/// Inclusive ranges of code points.
pub(crate) type Ranges = Vec<(u32, u32)>;

type Range = (u32, u32);

/// Every scalar value.
const ALL: [Range; 1] = [(0, 0x10_ffff)];
/// What may stand for itself.
const RAW: [Range; 4] = [(0x20, 0x21), (0x23, 0x5b), (0x5d, 0xd7ff), (0xe000, 0x10_ffff)];
const RAW_ASCII: [Range; 3] = [(0x20, 0x21), (0x23, 0x5b), (0x5d, 0x7f)];
/// What `json.dumps(ensure_ascii=True)` writes as itself.
const CANONICAL_ASCII: [Range; 3] = [(0x20, 0x21), (0x23, 0x5b), (0x5d, 0x7e)];
/// Scalar values of the basic plane.
const BASIC: [Range; 2] = [(0, 0xd7ff), (0xe000, 0xffff)];
/// Control characters without a short escape.
const CONTROL: [Range; 3] = [(0, 7), (0xb, 0xb), (0xe, 0x1f)];
/// What is neither raw nor a short escape in canonical ASCII.
const ESCAPED_ASCII: [Range; 5] = [(0, 7), (0xb, 0xb), (0xe, 0x1f), (0x7f, 0xd7ff), (0xe000, 0xffff)];
const ASTRAL: [Range; 1] = [(0x1_0000, 0x10_ffff)];

/// Which texts stand for a character.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Spelling {
    /// Every escape that JSON knows, not only the canonical text.
    any: bool,
    /// No raw character beyond ASCII.
    ascii: bool,
}

impl Spelling {
    /// Every text that JSON knows.
    #[cfg(test)]
    pub(crate) const ANY: Self = Self { any: true, ascii: false };

    /// Where something is said about the string beside its type.
    pub(crate) fn constrained(options: &Options) -> Self {
        Self { any: options.escapes == Escapes::Any, ascii: options.ensure_ascii }
    }
    /// Where nothing is.
    pub(crate) fn free(options: &Options) -> Self {
        Self { any: options.escapes != Escapes::Canonical, ascii: options.ensure_ascii }
    }
    /// Whether every text has one spelling only.
    pub(crate) fn is_unique(self) -> bool {
        !self.any
    }
    /// One character out of these ranges. Surrogates are left out.
    pub(crate) fn class(self, ranges: &[Range]) -> Regex {
        let (raw, long, pairs): (&[Range], &[Range], &[Range]) = match (self.any, self.ascii) {
            (false, false) => (&RAW, &CONTROL, &[]),
            (false, true) => (&CANONICAL_ASCII, &ESCAPED_ASCII, &ASTRAL),
            (true, false) => (&RAW, &BASIC, &ASTRAL),
            (true, true) => (&RAW_ASCII, &BASIC, &ASTRAL),
        };
        let mut short: ByteSet = SHORT.iter().filter(|(point, _)| contains(ranges, *point)).map(|&(_, b)| b).collect();
        if self.any && contains(ranges, 0x2f) {
            short.insert(b'/');
        }
        let unicode = meet(ranges, long).map(|range| hex(range, 4, self.any));
        let pairs = meet(ranges, pairs).flat_map(|range| surrogates(range, self.any));
        let unicode = Regex::concat([Regex::literal("u"), Regex::alternate(unicode.chain(pairs))]);
        let escape = Regex::concat([Regex::literal("\\"), Regex::alternate([Regex::bytes(short), unicode])]);
        Regex::alternate([scalars(meet(ranges, raw)), escape])
    }
    /// Any character.
    pub(crate) fn any_char(self) -> Regex {
        self.class(&ALL)
    }
    /// A text, without quotes.
    pub(crate) fn text(self, text: &str) -> Regex {
        match self.any {
            false => Regex::literal(self.canonical(text)),
            true => Regex::concat(text.chars().map(|c| self.class(&[(u32::from(c), u32::from(c))]))),
        }
    }
    /// A text as a JSON string.
    pub(crate) fn quoted(self, text: &str) -> Regex {
        Regex::concat([Regex::literal("\""), self.text(text), Regex::literal("\"")])
    }
    /// The canonical spelling of a text, without quotes.
    pub(crate) fn canonical(self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match SHORT.iter().find(|(point, _)| *point == u32::from(c)) {
                Some((_, letter)) => out.extend(['\\', char::from(*letter)]),
                None if c < ' ' || (self.ascii && c > '~') => {
                    let mut units = [0; 2];
                    c.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
                }
                None => out.push(c),
            }
        }
        out
    }
}

fn contains(ranges: &[Range], point: u32) -> bool {
    ranges.iter().any(|&(first, last)| first <= point && point <= last)
}

/// The common parts of two lists of ranges.
fn meet<'a>(ranges: &'a [Range], areas: &'a [Range]) -> impl Iterator<Item = Range> + 'a {
    let both = |area: Range, range: Range| (area.0.max(range.0), area.1.min(range.1));
    areas.iter().flat_map(move |&area| ranges.iter().map(move |&range| both(area, range))).filter(|r| r.0 <= r.1)
}

/// `digits` hexadecimal digits for the numbers of a range, in lower case or in any.
fn hex((first, last): Range, digits: u32, any_case: bool) -> Regex {
    let Some(rest) = digits.checked_sub(1) else { return Regex::epsilon() };
    let block = 1 << (4 * rest);
    let (low, high) = (first / block, last / block);
    let digit = |range: std::ops::RangeInclusive<u32>| Regex::bytes(hex_digits(range, any_case));
    let part = |top: u32, from: u32, to: u32| Regex::concat([digit(top..=top), hex((from, to), rest, any_case)]);
    if first % block == 0 && last % block == block - 1 {
        let all = digit(0..=15).repeat(rest, Some(rest));
        return Regex::concat([digit(low..=high), all]);
    }
    if low == high {
        return part(low, first % block, last % block);
    }
    let middle = (low + 1 < high).then(|| hex(((low + 1) * block, high * block - 1), digits, any_case));
    let ends = [part(low, first % block, block - 1), part(high, 0, last % block)];
    Regex::alternate(ends.into_iter().chain(middle))
}

fn hex_digits(range: std::ops::RangeInclusive<u32>, any_case: bool) -> ByteSet {
    let mut set = ByteSet::EMPTY;
    for c in range.filter_map(|digit| char::from_digit(digit, 16)) {
        set.insert(c as u8);
        if any_case {
            set.insert(c.to_ascii_uppercase() as u8);
        }
    }
    set
}

/// Pairs of escaped surrogates, without the `\u` of the first, for characters of a range beyond the basic plane.
fn surrogates((first, last): Range, any_case: bool) -> Vec<Regex> {
    let split = |point: u32| ((point - 0x1_0000) >> 10, (point - 0x1_0000) & 0x3ff);
    let ((low_head, low_tail), (high_head, high_tail)) = (split(first), split(last));
    let pair = |heads: Range, tails: Range| {
        let head = hex((0xd800 + heads.0, 0xd800 + heads.1), 4, any_case);
        Regex::concat([head, Regex::literal("\\u"), hex((0xdc00 + tails.0, 0xdc00 + tails.1), 4, any_case)])
    };
    if low_head == high_head {
        return vec![pair((low_head, low_head), (low_tail, high_tail))];
    }
    let mut pairs = vec![pair((low_head, low_head), (low_tail, 0x3ff)), pair((high_head, high_head), (0, high_tail))];
    if low_head + 1 < high_head {
        pairs.push(pair((low_head + 1, high_head - 1), (0, 0x3ff)));
    }
    pairs
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
    use glrmask_automata::{Dfa, Limits};
    use proptest::prelude::*;

    const CANONICAL: Spelling = Spelling { any: false, ascii: false };

    fn dfa(regex: &Regex) -> Dfa {
        regex.compile(&Limits::default()).unwrap()
    }

    #[test]
    fn canonical_is_what_json_dumps_writes() {
        let text = "a\"\\/\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}é😀";
        assert_eq!(CANONICAL.canonical(text), "a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\u{7f}é😀");
        let ascii = Spelling { any: false, ascii: true };
        assert_eq!(ascii.canonical(text), "a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\\u00e9\\ud83d\\ude00");
    }

    #[test]
    fn any_takes_escapes_but_no_lone_surrogate() {
        let any = dfa(&Spelling::ANY.any_char());
        for good in ["a", "é", "\\u0041", "\\/", "\\ud83D\\uDe00", "\\uD7ff", "\\ue000", "\u{7f}", "\\n"] {
            assert!(any.accepts(good.as_bytes()), "{good}");
        }
        for bad in ["\"", "\\", "\n", "\\x", "\\ud800", "\\ude00", "\\ud83d\\u0041", "aa", ""] {
            assert!(!any.accepts(bad.as_bytes()), "{bad}");
        }
        let ascii = dfa(&Spelling { any: true, ascii: true }.any_char());
        assert!(ascii.accepts(b"\\u00e9") && ascii.accepts(b"a") && !ascii.accepts("é".as_bytes()));
    }

    /// Texts for a character: raw, short, long in both cases.
    fn spellings(c: char) -> Vec<String> {
        let mut units = [0; 2];
        let units = c.encode_utf16(&mut units);
        let long = |upper: bool| {
            let unit = |u: &u16| if upper { format!("\\u{u:04X}") } else { format!("\\u{u:04x}") };
            units.iter().map(unit).collect::<String>()
        };
        vec![c.to_string(), CANONICAL.canonical(&c.to_string()), format!("\\{c}"), long(false), long(true)]
    }

    /// The character that a text stands for in a JSON string.
    fn spelled(text: &str) -> Option<char> {
        match crate::json::parse(&format!("\"{text}\""), 1).ok()?.value {
            crate::json::Value::String(text) => text.chars().next(),
            _ => None,
        }
    }

    proptest! {
        #[test]
        fn a_class_is_the_spellings_of_its_characters(
            c: char, first in 0u32..300, width in 0u32..200, astral in 0x1_0000u32..0x10_0000, any: bool, ascii: bool,
        ) {
            let spelling = Spelling { any, ascii };
            let ranges = [(first, first + width), (0x2000, 0xefff), (astral, astral + 5000)];
            let class = dfa(&spelling.class(&ranges));
            let near = char::from_u32(astral + width * 40).unwrap_or('b');
            for c in [c, near, char::from_u32(u32::from(c) % 300).unwrap_or('a')] {
                let inside = contains(&ranges, u32::from(c));
                let canonical = spelling.canonical(&c.to_string());
                prop_assert_eq!(class.accepts(canonical.as_bytes()), inside);
                for text in spellings(c) {
                    // A backslash and a letter may be the spelling of another character.
                    let expected = spelled(&text).is_some_and(|c| {
                        let unique = any || text == spelling.canonical(&c.to_string());
                        contains(&ranges, u32::from(c)) && unique && (!ascii || text.is_ascii())
                    });
                    prop_assert_eq!(class.accepts(text.as_bytes()), expected, "{}", text);
                }
            }
        }
    }
}
