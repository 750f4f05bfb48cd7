//! A string in progress: its content after unescaping, and the earlier strings that it may still become.
//!
//! Content is UTF-8; an escaped surrogate without its other half is written as UTF-8 would have it, so that strings are
//! equal exactly if their code points are. Bytes that are no UTF-8 are taken as they are: whether they may stand there is
//! for the grammar to say.

use glrmask_automata::ByteSet;

use crate::pieces::Pieces;
use crate::run::Ranges;
use crate::value::tag;

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
        let bytes = self.ranges.bytes_at(self.content.as_ref().map_or(0, Pieces::len));
        // The quote, the backslash, and what no string holds as it is.
        bytes.union(&ByteSet::range(0, 0x1f)).union(&b"\"\\".iter().copied().collect())
    }

    /// The text, tag included, if wanted. O(length).
    pub(crate) fn text(&self) -> Option<Vec<u8>> {
        self.content.as_ref().map(Pieces::to_vec)
    }

    /// Reads a byte.
    pub(crate) fn step(&mut self, byte: u8) -> Step {
        match self.escape {
            Escape::None => return self.plain(byte),
            Escape::Kind => match byte {
                b'u' => self.escape = Escape::Hex { missing: 4, code: 0 },
                b'"' | b'\\' | b'/' => self.unescaped(byte),
                b'b' => self.unescaped(8),
                b'f' => self.unescaped(12),
                b'n' => self.unescaped(b'\n'),
                b'r' => self.unescaped(b'\r'),
                b't' => self.unescaped(b'\t'),
                _ => return Step::Never,
            },
            Escape::Hex { missing, code } => {
                let Some(digit) = char::from(byte).to_digit(16) else { return Step::Never };
                let code = code << 4 | digit as u16;
                self.escape = Escape::Hex { missing: missing - 1, code };
                if missing == 1 {
                    self.escape = Escape::None;
                    self.unit(code);
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
