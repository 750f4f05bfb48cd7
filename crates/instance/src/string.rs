//! A string in progress: its content after unescaping, and the earlier strings that it may still become.
//!
//! Content is UTF-8; an escaped surrogate without its other half is written as UTF-8 would have it, so that strings are
//! equal exactly if their code points are. Bytes that are no UTF-8 are taken as they are: whether they may stand there is
//! for the grammar to say.

use glrmask_automata::ByteSet;

use crate::pieces::Pieces;
use crate::run::{Identity, Ranges};
use crate::value::tag;

/// What stands behind a backslash for one character, and which.
const ESCAPES: [(u8, u8); 8] =
    [(b'"', b'"'), (b'\\', b'\\'), (b'/', b'/'), (b'b', 8), (b'f', 12), (b'n', b'\n'), (b'r', b'\r'), (b't', b'\t')];

/// What an escape still needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Escape {
    None,
    /// The byte after a backslash.
    Kind,
    /// So many hexadecimal digits more, after these.
    Hex {
        missing: u8,
        code: u16,
    },
}

/// What a byte did to a string.
pub(crate) enum Step {
    Goes,
    Ends,
    /// No string has this byte here.
    Never,
}

/// A string in progress.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    escape: Escape,
    /// The first half of a pair of surrogates, waiting for the second.
    high: Option<u16>,
    /// The text so far, tag included, if it is wanted.
    content: Option<Pieces<u8, 32>>,
    /// Entries that begin with the content.
    ranges: Ranges,
}

impl Text {
    /// A string that has just begun. `ranges` may hold values that are no strings.
    pub(crate) fn begin(keep: bool, ranges: Ranges) -> Self {
        let mut text = Self { escape: Escape::None, high: None, content: keep.then(Pieces::default), ranges };
        text.push(&[tag::STRING]);
        text
    }

    pub(crate) fn is_at_stake(&self) -> bool {
        self.ranges.are_at_stake()
    }

    /// Whether it may still become one of the entries, at stake or not.
    pub(crate) fn is_watched(&self) -> bool {
        !self.ranges.is_empty()
    }

    /// The bytes that keep it watched, end it, begin an escape, or cannot come. Any other is content and no more.
    pub(crate) fn telling_bytes(&self) -> ByteSet {
        if self.escape != Escape::None || self.high.is_some() {
            return ByteSet::FULL;
        }
        let bytes = self.next_of_entries();
        // The quote, the backslash, and what no string holds as it is.
        bytes.union(&ByteSet::range(0, 0x1f)).union(&b"\"\\".iter().copied().collect())
    }

    /// Bytes after which it cannot become one of the entries any more, if they may come. There may be others.
    pub(crate) fn leads_off(&self) -> ByteSet {
        if self.high.is_some() {
            return ByteSet::EMPTY;
        }
        let next = self.next_of_entries();
        match self.escape {
            Escape::None => ByteSet::FULL.difference(&self.telling_bytes()),
            Escape::Kind => ESCAPES.iter().filter(|(_, means)| !next.contains(*means)).map(|&(byte, _)| byte).collect(),
            Escape::Hex { missing, code } => {
                let off = |digit: &u8| {
                    let value = char::from(*digit).to_digit(16).unwrap_or_default() as u16;
                    leads(code << 4 | value, missing - 1).intersection(&next).is_empty()
                };
                b"0123456789abcdefABCDEF".iter().copied().filter(off).collect()
            }
        }
    }

    /// The bytes with which entries go on.
    fn next_of_entries(&self) -> ByteSet {
        self.ranges.bytes_at(self.content.as_ref().map_or(0, Pieces::len))
    }

    /// What tells it from other strings that had the same ranges to begin with: what its future depends on, and no more.
    pub(crate) fn identify(&self, out: &mut Identity) {
        let escape = match self.escape {
            Escape::None => 0,
            Escape::Kind => 1,
            Escape::Hex { missing, code } => 2 + (u64::from(missing) << 16 | u64::from(code)),
        };
        let len = self.content.as_ref().map_or(0, Pieces::len) as u64;
        out.extend([escape, self.high.map_or(0, |high| 1 + u64::from(high)), u64::from(self.content.is_some()), len]);
        self.ranges.identify(out);
        // The entries begin with the content.
        if let Some(content) = self.content.as_ref().filter(|_| self.ranges.is_empty()) {
            out.extend(content.to_vec().into_iter().map(u64::from));
        }
    }

    /// The text, tag included, if wanted. O(length).
    pub(crate) fn text(&self) -> Option<Vec<u8>> {
        self.content.as_ref().map(Pieces::to_vec)
    }

    /// Reads a byte.
    pub(crate) fn step(&mut self, byte: u8) -> Step {
        match self.escape {
            Escape::None => return self.plain(byte),
            Escape::Kind if byte == b'u' => self.escape = Escape::Hex { missing: 4, code: 0 },
            Escape::Kind => match ESCAPES.iter().find(|(escape, _)| *escape == byte) {
                Some(&(_, means)) => self.unescaped(means),
                None => return Step::Never,
            },
            Escape::Hex { missing, code } => {
                let Some(digit) = char::from(byte).to_digit(16) else { return Step::Never };
                let code = code << 4 | digit as u16;
                self.escape = Escape::Hex { missing: missing - 1, code };
                if missing == 1 {
                    self.escape = Escape::None;
                    self.unit(code);
                } else if self.high.is_none() && !self.ranges.is_empty() {
                    self.begin_unit(code, missing - 1);
                }
            }
        }
        Step::Goes
    }

    fn plain(&mut self, byte: u8) -> Step {
        match byte {
            b'\\' => self.escape = Escape::Kind,
            b'"' => {
                self.flush();
                return Step::Ends;
            }
            0..=0x1f => return Step::Never,
            _ => {
                self.flush();
                self.push(&[byte]);
            }
        }
        Step::Goes
    }

    fn unescaped(&mut self, byte: u8) {
        self.escape = Escape::None;
        self.flush();
        self.push(&[byte]);
    }

    /// The first digits of a code unit: entries that go on with none that begins so are out.
    fn begin_unit(&mut self, code: u16, missing: u8) {
        if leads(code, missing).intersection(&self.next_of_entries()).is_empty() {
            self.ranges.clear();
        }
    }

    /// A UTF-16 code unit.
    fn unit(&mut self, unit: u16) {
        match (self.high.take(), unit) {
            (Some(high), 0xdc00..=0xdfff) => {
                let code = 0x10000 + (u32::from(high - 0xd800) << 10) + u32::from(unit - 0xdc00);
                self.code_point(code);
            }
            (high, _) => {
                self.high = high;
                self.flush();
                if matches!(unit, 0xd800..=0xdbff) {
                    self.high = Some(unit);
                } else {
                    self.code_point(u32::from(unit));
                }
            }
        }
    }

    /// Writes a surrogate that has stayed alone.
    fn flush(&mut self) {
        if let Some(high) = self.high.take() {
            self.code_point(u32::from(high));
        }
    }

    fn code_point(&mut self, code: u32) {
        match char::from_u32(code) {
            Some(character) => self.push(character.encode_utf8(&mut [0; 4]).as_bytes()),
            None => self.push(&[0xe0 | (code >> 12) as u8, 0x80 | (code >> 6 & 63) as u8, 0x80 | (code & 63) as u8]),
        }
    }

    #[inline]
    fn push(&mut self, bytes: &[u8]) {
        let Some(content) = &mut self.content else { return };
        for &byte in bytes {
            if !self.ranges.is_empty() {
                self.ranges.narrow(content.len(), byte);
            }
            content.push(byte);
        }
    }
}

/// The first bytes that characters can have whose code unit, or the first of two, begins with `code` and has so many
/// hexadecimal digits more.
fn leads(code: u16, missing: u8) -> ByteSet {
    let low = u32::from(code) << (4 * missing);
    let high = low | ((1 << (4 * missing)) - 1);
    let part = |first: u32, last: u32, lead: fn(u32) -> u8| {
        let (first, last) = (first.max(low), last.min(high));
        if first > last {
            ByteSet::EMPTY
        } else {
            ByteSet::range(lead(first), lead(last))
        }
    };
    let two = part(0x80, 0x7ff, |code| 0xc0 | (code >> 6) as u8);
    let three = part(0x800, 0xffff, |code| 0xe0 | (code >> 12) as u8);
    let pairs = part(0xd800, 0xdbff, |code| 0xf0 | ((0x10000 + ((code - 0xd800) << 10)) >> 18) as u8);
    part(0, 0x7f, |code| code as u8).union(&two).union(&three).union(&pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Run;
    use crate::value::{Entry, Value};
    use std::sync::Arc;

    fn text(ranges: &Ranges, spelled: &[u8]) -> Text {
        let mut text = Text::begin(true, ranges.clone());
        assert!(spelled.iter().all(|&byte| matches!(text.step(byte), Step::Goes)));
        text
    }

    /// Every code unit, alone and as the first half of a pair, beside the entry that it spells.
    #[test]
    fn escapes_are_at_stake_with_what_they_can_become() {
        for unit in (0..=0xffffu32).step_by(7) {
            let code = if (0xd800..0xdc00).contains(&unit) { 0x10000 + ((unit - 0xd800) << 10) + 5 } else { unit };
            let Some(character) = char::from_u32(code) else { continue };
            let entry = Value::scalar([&[tag::STRING], character.to_string().as_bytes()].concat());
            let ranges = Ranges::all([&Arc::new(Run::new(vec![Entry::of(&entry)]))], true);
            let spelled: String =
                character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect();
            for end in 0..=spelled.len() {
                let begun = text(&ranges, &spelled.as_bytes()[..end]);
                assert!(begun.is_at_stake(), "{} of {spelled}", end);
                for byte in begun.leads_off().iter() {
                    let mut next = begun.clone();
                    assert!(!matches!(next.step(byte), Step::Goes) || !next.is_at_stake(), "{spelled} {end} {byte}");
                }
            }
        }
        let a = Value::scalar([&[tag::STRING][..], b"a"].concat());
        let ranges = Ranges::all([&Arc::new(Run::new(vec![Entry::of(&a)]))], true);
        for off in ["b", "\\n", "\\u1", "\\u01", "\\u007"] {
            assert!(!text(&ranges, off.as_bytes()).is_at_stake() || off == "\\u007", "{off}");
        }
        assert_eq!(text(&ranges, b"\\").leads_off().len(), 8);
        assert_eq!(text(&ranges, b"\\u006").leads_off().len(), 21);
    }
}
