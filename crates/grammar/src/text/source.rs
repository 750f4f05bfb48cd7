//! Source texts: from byte offsets to lines and columns, and a cursor that reads and collects errors.

use crate::diagnostic::{Diagnostic, DiagnosticKind, MAX_DIAGNOSTICS};
use crate::ir::Span;

/// The longest grammar text accepted, in bytes.
pub(crate) const MAX_SOURCE: usize = 16 << 20;
/// Distance of the offsets at which characters have been counted: columns of one endless line stay cheap.
const STEP: usize = 64;

/// A text with an index of its lines.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    text: &'a str,
    /// Offsets of the first bytes of lines.
    lines: Vec<usize>,
    /// Number of characters that begin before byte `STEP · i`.
    counts: Vec<usize>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let starts = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        let mut counts = vec![0];
        let mut total = 0;
        for chunk in text.as_bytes().chunks(STEP) {
            total += count_chars(chunk);
            counts.push(total);
        }
        Self { text, lines: std::iter::once(0).chain(starts).collect(), counts }
    }
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }
    /// The span of a byte interval.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        let line = self.lines.partition_point(|&first| first <= start);
        let first = self.lines.get(line.wrapping_sub(1)).copied().unwrap_or(0);
        Span { start, end, line, column: self.chars_before(start) - self.chars_before(first) + 1 }
    }
    fn chars_before(&self, offset: usize) -> usize {
        let step = offset / STEP;
        let rest = self.text.as_bytes().get(step * STEP..offset).unwrap_or_default();
        self.counts.get(step).copied().unwrap_or(0) + count_chars(rest)
    }
}

/// Number of bytes that begin a character.
fn count_chars(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&b| b & 0xC0 != 0x80).count()
}

/// Reads a source from left to right.
#[derive(Debug)]
pub(crate) struct Cursor<'a, 's> {
    source: &'s Source<'a>,
    position: usize,
    pub(crate) errors: Vec<Diagnostic>,
}

impl<'a, 's> Cursor<'a, 's> {
    pub(crate) fn new(source: &'s Source<'a>) -> Self {
        Self { source, position: 0, errors: Vec::new() }
    }
    pub(crate) fn position(&self) -> usize {
        self.position
    }
    /// What is left to read.
    pub(crate) fn rest(&self) -> &'a str {
        self.source.text.get(self.position..).unwrap_or("")
    }
    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }
    pub(crate) fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.position += c.len_utf8();
        Some(c)
    }
    /// Skips `expected` if it comes next.
    pub(crate) fn eat(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.position += expected.len();
        }
        found
    }
    /// Reads while the predicate holds.
    pub(crate) fn take_while(&mut self, mut wanted: impl FnMut(char) -> bool) -> &'a str {
        let rest = self.rest();
        let len = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.position += len;
        rest.get(..len).unwrap_or("")
    }
    /// The text from `start` to here.
    pub(crate) fn since(&self, start: usize) -> &'a str {
        self.source.text.get(start..self.position).unwrap_or("")
    }
    pub(crate) fn span_since(&self, start: usize) -> Span {
        self.source.span(start, self.position)
    }
    /// Records a syntax error from `start` to here.
    pub(crate) fn error(&mut self, start: usize, message: impl Into<String>) {
        let diagnostic = Diagnostic::new(DiagnosticKind::Syntax, message, Some(self.span_since(start)));
        self.errors.push(diagnostic);
    }
    /// Whether so many errors have been found that there is no point in going on.
    pub(crate) fn has_given_up(&self) -> bool {
        self.errors.len() >= MAX_DIAGNOSTICS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lines_and_columns_count_characters(text in "[aé\n𝄞]{0,2000}") {
            let source = Source::new(&text);
            let (mut line, mut column) = (1, 1);
            for (offset, c) in text.char_indices() {
                prop_assert_eq!(source.span(offset, offset), Span { start: offset, end: offset, line, column });
                column += 1;
                if c == '\n' {
                    (line, column) = (line + 1, 1);
                }
            }
            prop_assert_eq!(source.span(text.len(), text.len()).line, line);
        }
    }
}
