//! Character classes: sets of Unicode scalars, plus raw bytes from 0x80 on (`\xHH` in a class is a byte).

use glrmask_automata::{ByteSet, Regex};

use super::escape::{escape, hex, Escaped};
use super::lexer::Dialect;
use super::source::Cursor;

/// A set of characters and of bytes that are no characters.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct CharSet {
    /// Code points, sorted, apart from each other. May span the surrogates, which do not count.
    ranges: Vec<(u32, u32)>,
    /// Bytes from 0x80 on.
    bytes: ByteSet,
}

const LAST: u32 = char::MAX as u32;

impl CharSet {
    /// Every Unicode scalar.
    pub(crate) fn any() -> Self {
        Self { ranges: vec![(0, LAST)], bytes: ByteSet::EMPTY }
    }
    /// The characters of these ranges, ends included.
    pub(crate) fn of(ranges: Vec<(char, char)>) -> Self {
        let ranges = ranges.into_iter().map(|(first, last)| (first.into(), last.into())).collect();
        let mut set = Self { ranges, bytes: ByteSet::EMPTY };
        set.normalize();
        set
    }
    /// One character.
    pub(crate) fn single(c: char) -> Self {
        Self { ranges: vec![(c.into(), c.into())], bytes: ByteSet::EMPTY }
    }
    fn normalize(&mut self) {
        self.ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(self.ranges.len());
        for &(first, last) in &self.ranges {
            match merged.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
                _ => merged.push((first, last)),
            }
        }
        self.ranges = merged;
    }
    /// Whether there are bytes that are no characters.
    pub(crate) fn has_bytes(&self) -> bool {
        !self.bytes.is_empty()
    }
    /// The characters that are not in the set (which has no bytes).
    fn complement(&self) -> Self {
        let mut next = 0;
        let mut ranges = Vec::new();
        for &(first, last) in &self.ranges {
            if next < first {
                ranges.push((next, first - 1));
            }
            next = last + 1;
        }
        if next <= LAST {
            ranges.push((next, LAST));
        }
        Self { ranges, bytes: ByteSet::EMPTY }
    }
    /// Characters and bytes of either set.
    pub(crate) fn union(mut self, other: &Self) -> Self {
        self.ranges.extend_from_slice(&other.ranges);
        self.normalize();
        self.bytes = self.bytes.union(&other.bytes);
        self
    }
    /// Characters and bytes of `self` that are not in `other`: A − B is the complement of (complement of A) ∪ B.
    pub(crate) fn difference(&self, other: &Self) -> Self {
        let chars = self.complement().union(&Self { bytes: ByteSet::EMPTY, ..other.clone() }).complement();
        Self { bytes: self.bytes.difference(&other.bytes), ..chars }
    }
    /// The language of the single characters and bytes of the set.
    pub(crate) fn regex(&self) -> Regex {
        let scalars = self.ranges.iter().filter_map(|&(first, last)| scalar_range(first, last));
        let chars = Regex::char_class(scalars);
        Regex::alternate([chars, Regex::bytes(self.bytes)])
    }

    /// Reads a class, with the cursor after the `[` at `start`.
    pub(crate) fn parse(cursor: &mut Cursor<'_, '_>, start: usize, dialect: Dialect) -> Option<Self> {
        let negated = cursor.eat("^");
        let mut set = Self::default();
        let mut valid = true;
        while !cursor.eat("]") {
            if cursor.peek().is_none_or(|c| c == '\n') {
                cursor.error(start, "character class without a closing `]`");
                return None;
            }
            valid &= set.parse_range(cursor, dialect).is_some();
        }
        set.normalize();
        if negated && set.has_bytes() {
            cursor.error(start, "a negated class is a set of characters: it cannot leave out bytes from \\x80 on");
            return None;
        }
        valid.then(|| if negated { set.complement() } else { set })
    }
    /// Reads `x` or `x-y`.
    fn parse_range(&mut self, cursor: &mut Cursor<'_, '_>, dialect: Dialect) -> Option<()> {
        let start = cursor.position();
        let first = member(cursor, dialect)?;
        let is_range = cursor.rest().starts_with('-') && !cursor.rest().starts_with("-]");
        let last = if is_range {
            cursor.bump();
            member(cursor, dialect)?
        } else {
            first
        };
        let (from, to) = match (first, last) {
            (Escaped::Byte(a), Escaped::Byte(b)) => (u32::from(a), u32::from(b)),
            _ => (character(first), character(last)),
        };
        let bytes = matches!((first, last), (Escaped::Byte(_), Escaped::Byte(_)));
        let mixed = !bytes && [first, last].iter().any(|m| matches!(m, Escaped::Byte(0x80..)));
        if mixed {
            cursor.error(start, "a range goes from character to character or from byte to byte");
        } else if from > to {
            cursor.error(start, format!("range `{}` goes backwards", cursor.since(start)));
        } else if bytes {
            (from..=to).filter_map(|n| u8::try_from(n).ok()).for_each(|b| self.insert_byte(b));
        } else {
            self.ranges.push((from, to));
        }
        (!mixed && from <= to).then_some(())
    }
    fn insert_byte(&mut self, byte: u8) {
        match byte {
            ..0x80 => self.ranges.push((byte.into(), byte.into())),
            _ => self.bytes.insert(byte),
        }
    }
}

/// One member of a class: a character, an escape or, in EBNF, `#xHH`.
fn member(cursor: &mut Cursor<'_, '_>, dialect: Dialect) -> Option<Escaped> {
    let start = cursor.position();
    if dialect == Dialect::Ebnf && cursor.rest().starts_with("#x") {
        return code_point(cursor).map(Escaped::Char);
    }
    match cursor.bump()? {
        '\\' => escape(cursor, start, "[]^-"),
        c => Some(Escaped::Char(c)),
    }
}

/// `#xHH…` of EBNF.
pub(crate) fn code_point(cursor: &mut Cursor<'_, '_>) -> Option<char> {
    let start = cursor.position();
    cursor.eat("#x");
    let number = hex(cursor, start, 1, 8)?;
    let scalar = char::from_u32(number);
    if scalar.is_none() {
        cursor.error(start, format!("U+{number:04X} is not a Unicode scalar value"));
    }
    scalar
}

fn character(member: Escaped) -> u32 {
    match member {
        Escaped::Byte(b) => b.into(),
        Escaped::Char(c) => c.into(),
    }
}

/// The range less surrogates at its ends; those in the middle are for `char_class` to leave out.
fn scalar_range(first: u32, last: u32) -> Option<(char, char)> {
    let first = if (0xD800..0xE000).contains(&first) { 0xE000 } else { first };
    let last = if (0xD800..0xE000).contains(&last) { 0xD7FF } else { last };
    let range = (char::from_u32(first)?, char::from_u32(last)?);
    (first <= last).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::source::Source;

    fn parse(text: &str) -> Result<CharSet, String> {
        let source = Source::new(text);
        let mut cursor = Cursor::new(&source);
        cursor.bump();
        let set = CharSet::parse(&mut cursor, 0, Dialect::Ebnf);
        match cursor.errors.first() {
            Some(error) => Err(error.message().to_owned()),
            None => set.ok_or_else(|| "no error recorded".to_owned()),
        }
    }

    #[test]
    fn classes_are_sets() {
        assert_eq!(parse("[]"), Ok(CharSet::default()));
        assert_eq!(parse("[^]"), Ok(CharSet::any()));
        assert_eq!(parse("[c-da-b]"), parse("[a-d]"));
        assert_eq!(parse("[^\\0-`b-\\u{10FFFF}]"), Ok(CharSet::single('a')));
        assert_eq!(parse("[a\\-\\]-]"), parse("[\\]a-]").map(|s| s.union(&CharSet::single('-'))));
        assert_eq!(parse("[#x41-#x43]"), parse("[\\x41-\\x43]"));
        let letters = parse("[a-z]").unwrap_or_default();
        let consonants = letters.difference(&parse("[aeiou]").unwrap_or_default());
        assert_eq!(Ok(consonants), parse("[b-df-hj-np-tv-z]"));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, message) in [
            ("[a", "without a closing"),
            ("[b-a]", "`b-a` goes backwards"),
            ("[a-\\xff]", "from character to character"),
            ("[^\\x80]", "negated class"),
            ("[\\q]", "unknown escape `\\q`"),
            ("[\\uD800]", "U+D800 is not a Unicode scalar"),
            ("[\\x4]", "needs 2 hexadecimal digits"),
        ] {
            assert!(parse(text).is_err_and(|e| e.contains(message)), "{text}");
        }
    }
}
