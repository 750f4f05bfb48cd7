//! Regular expressions and literals in GLRM's own notation, from the tree (never by way of another syntax).

use std::fmt::Write as _;

use glrmask_automata::{ByteSet, Regex, RegexKind};

/// Deeper parts become `internal t` rules of their own: the reader bounds the nesting of one rule.
const MAX_DEPTH: usize = 60;

/// How tightly an expression binds, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Choice,
    Sequence,
    Difference,
    Postfix,
    Atom,
}

/// Prints a regular expression. Parts nested too deeply are replaced by the name that `hoist` gives them.
pub(super) fn print_regex(regex: &Regex, hoist: &mut dyn FnMut(&Regex) -> String) -> String {
    let mut printer = Printer { out: String::new(), hoist };
    printer.expr(regex, Level::Choice, 0);
    printer.out
}

struct Printer<'h> {
    out: String,
    hoist: &'h mut dyn FnMut(&Regex) -> String,
}

impl Printer<'_> {
    fn expr(&mut self, regex: &Regex, around: Level, depth: usize) {
        let text = atom(regex);
        if let Some(text) = text {
            self.out.push_str(&text);
        } else if depth >= MAX_DEPTH {
            let name = (self.hoist)(regex);
            self.out.push_str(&name);
        } else if level(regex) < around {
            self.out.push('(');
            self.open(regex, depth + 1);
            self.out.push(')');
        } else {
            self.open(regex, depth + 1);
        }
    }
    fn open(&mut self, regex: &Regex, depth: usize) {
        match regex.kind() {
            RegexKind::Concat(parts) => self.sequence(parts, depth),
            RegexKind::Alternate(parts) => self.choice(parts, depth),
            RegexKind::Repeat { inner, min, max } => {
                self.expr(inner, Level::Atom, depth);
                self.out.push_str(&bounds(*min, *max));
            }
            RegexKind::Intersect(a, b) => self.binary(a, " & ", b, depth),
            RegexKind::Difference(a, b) => self.binary(a, " - ", b, depth),
            RegexKind::Empty | RegexKind::Epsilon | RegexKind::Bytes(_) => {}
        }
    }
    /// Alternatives that together are a class of characters become one (a choice is flat, so it has lost its classes).
    fn choice(&mut self, parts: &[Regex], depth: usize) {
        let mut rest = parts;
        while let Some((first, tail)) = rest.split_first() {
            self.out.push_str(if rest.len() < parts.len() { " | " } else { "" });
            if let Some((class, length)) = leading_class(rest) {
                self.out.push_str(&class);
                rest = rest.get(length..).unwrap_or_default();
            } else {
                self.expr(first, Level::Sequence, depth);
                rest = tail;
            }
        }
    }
    /// Single bytes in a row become one string.
    fn sequence(&mut self, parts: &[Regex], depth: usize) {
        let mut rest = parts;
        while let Some((first, tail)) = rest.split_first() {
            if rest.len() < parts.len() {
                self.out.push(' ');
            }
            let word: Vec<u8> = rest.iter().map_while(single_byte).collect();
            if word.is_empty() {
                self.expr(first, Level::Difference, depth);
                rest = tail;
            } else {
                self.out.push_str(&literal(&word));
                rest = rest.get(word.len()..).unwrap_or_default();
            }
        }
    }
    fn binary(&mut self, a: &Regex, operator: &str, b: &Regex, depth: usize) {
        self.expr(a, Level::Postfix, depth);
        self.out.push_str(operator);
        self.expr(b, Level::Postfix, depth);
    }
}

fn level(regex: &Regex) -> Level {
    match regex.kind() {
        RegexKind::Alternate(_) => Level::Choice,
        RegexKind::Concat(_) => Level::Sequence,
        RegexKind::Intersect(..) | RegexKind::Difference(..) => Level::Difference,
        RegexKind::Repeat { .. } => Level::Postfix,
        RegexKind::Empty | RegexKind::Epsilon | RegexKind::Bytes(_) => Level::Atom,
    }
}

/// What needs no operator: constants, sets of bytes, classes of characters.
fn atom(regex: &Regex) -> Option<String> {
    match regex.kind() {
        RegexKind::Empty => Some("[]".to_owned()),
        RegexKind::Epsilon => Some("eps".to_owned()),
        RegexKind::Bytes(set) => Some(match single_byte(regex) {
            Some(byte) => literal(&[byte]),
            None => byte_class(set),
        }),
        RegexKind::Alternate(parts) => {
            leading_class(parts).filter(|(_, length)| *length == parts.len()).map(|(class, _)| class)
        }
        _ => None,
    }
}

fn single_byte(regex: &Regex) -> Option<u8> {
    match regex.kind() {
        RegexKind::Bytes(set) if set.len() == 1 => set.first(),
        _ => None,
    }
}

fn bounds(min: u32, max: Option<u32>) -> String {
    match (min, max) {
        (0, Some(1)) => "?".to_owned(),
        (0, None) => "*".to_owned(),
        (1, None) => "+".to_owned(),
        (_, None) => format!("{{{min},}}"),
        (_, Some(max)) if max == min => format!("{{{min}}}"),
        (_, Some(max)) => format!("{{{min},{max}}}"),
    }
}

/// A string literal of these bytes; what is not printable UTF-8 is escaped.
pub(super) fn literal(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|c| push_char(&mut out, c, "\""));
        chunk.invalid().iter().for_each(|b| push_byte(&mut out, *b));
    }
    out.push('"');
    out
}

fn push_byte(out: &mut String, byte: u8) {
    // Writing to a string cannot fail.
    let _ = write!(out, "\\x{byte:02x}");
}

fn push_char(out: &mut String, c: char, special: &str) {
    match c {
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        '\\' => out.push_str("\\\\"),
        c if special.contains(c) => out.extend(['\\', c]),
        ' '..='~' => out.push(c),
        c if c.is_ascii() => push_byte(out, c as u8),
        c if c.is_alphanumeric() => out.push(c),
        c => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        }
    }
}

/// A class of bytes: those from 0x80 on as `\xHH`.
fn byte_class(set: &ByteSet) -> String {
    let mut out = String::from("[");
    let mut bytes = set.iter().peekable();
    while let Some(first) = bytes.next() {
        let mut last = first;
        // A range does not cross from characters to bytes.
        while let Some(next) = bytes.next_if(|&b| Some(b) == last.checked_add(1) && b != 0x80) {
            last = next;
        }
        let member = |out: &mut String, byte: u8| match byte {
            ..0x80 => push_char(out, char::from(byte), "[]^-"),
            _ => push_byte(out, byte),
        };
        push_range(&mut out, first, last, u32::from(last) - u32::from(first), member);
    }
    out.push(']');
    out
}

fn push_range<T: Copy>(out: &mut String, first: T, last: T, distance: u32, member: impl Fn(&mut String, T)) {
    member(out, first);
    if distance > 1 {
        out.push('-');
    }
    if distance > 0 {
        member(out, last);
    }
}

/// The class of characters that the first alternatives are exactly made of, and their number, if there is more than one.
fn leading_class(parts: &[Regex]) -> Option<(String, usize)> {
    let ranges: Vec<Vec<(char, char)>> = parts.iter().map_while(|part| scalar_ranges(&byte_sets(part)?)).collect();
    let run = parts.get(..ranges.len())?;
    let ranges: Vec<(char, char)> = ranges.into_iter().flatten().collect();
    if run.len() < 2 || Regex::char_class(ranges.iter().copied()) != Regex::alternate(run.iter().cloned()) {
        return None;
    }
    Some((scalar_class(ranges), run.len()))
}

/// A class of characters, as what is left out if it goes to the end of Unicode.
fn scalar_class(mut ranges: Vec<(char, char)>) -> String {
    ranges.sort_unstable();
    let mut merged: Vec<(char, char)> = Vec::new();
    for (first, last) in ranges {
        match merged.last_mut() {
            Some(before) if successor(before.1) == Some(first) => before.1 = last,
            _ => merged.push((first, last)),
        }
    }
    let negated = merged.last().is_some_and(|range| range.1 == char::MAX);
    if negated {
        merged = gaps(&merged);
    }
    if negated && merged.is_empty() {
        return ".".to_owned();
    }
    let mut out = String::from(if negated { "[^" } else { "[" });
    for (first, last) in merged {
        push_range(&mut out, first, last, u32::from(last) - u32::from(first), |out, c| push_char(out, c, "[]^-"));
    }
    out.push(']');
    out
}

/// The characters before and between sorted ranges that do not touch, the last of which goes to the end of Unicode.
fn gaps(ranges: &[(char, char)]) -> Vec<(char, char)> {
    let mut next = Some('\0');
    let mut gaps = Vec::new();
    for &(first, last) in ranges {
        gaps.extend(next.zip(predecessor(first)).filter(|(a, b)| a <= b));
        next = successor(last);
    }
    gaps
}

/// The next character; the surrogates are none.
fn successor(c: char) -> Option<char> {
    if c == '\u{D7FF}' {
        return Some('\u{E000}');
    }
    u32::from(c).checked_add(1).and_then(char::from_u32)
}

fn predecessor(c: char) -> Option<char> {
    if c == '\u{E000}' {
        return Some('\u{D7FF}');
    }
    u32::from(c).checked_sub(1).and_then(char::from_u32)
}

/// The sets of a sequence of up to four bytes.
fn byte_sets(regex: &Regex) -> Option<Vec<ByteSet>> {
    let set = |r: &Regex| match r.kind() {
        RegexKind::Bytes(set) => Some(*set),
        _ => None,
    };
    match regex.kind() {
        RegexKind::Concat(parts) if parts.len() <= 4 => parts.iter().map(set).collect(),
        _ => Some(vec![set(regex)?]),
    }
}

/// The characters of a sequence of byte sets, one range per first byte, if it can be a sequence of UTF-8.
fn scalar_ranges(sets: &[ByteSet]) -> Option<Vec<(char, char)>> {
    let (leads, rest) = sets.split_first()?;
    let ends: Vec<(u8, u8)> = rest.iter().map(|s| Some((s.first()?, s.iter().last()?))).collect::<Option<_>>()?;
    let range = |lead: u8| {
        let low = decode(std::iter::once(lead).chain(ends.iter().map(|e| e.0)).collect())?;
        let high = decode(std::iter::once(lead).chain(ends.iter().map(|e| e.1)).collect())?;
        Some((low, high))
    };
    leads.iter().map(range).collect()
}

fn decode(bytes: Vec<u8>) -> Option<char> {
    let text = String::from_utf8(bytes).ok()?;
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Pattern;
    use crate::pattern::tests::any_regex;
    use proptest::prelude::*;

    /// Prints the language less ε as the terminal of a grammar and reads it again.
    fn round_trip(regex: &Regex) -> Result<Regex, String> {
        let mut rules: Vec<Regex> = vec![regex.clone()];
        let mut text = String::from("start s; nt s = r0 | \"never\";");
        let mut next = 0;
        while let Some(rule) = rules.get(next).cloned() {
            let body = print_regex(&rule, &mut |part| {
                rules.push(part.clone());
                format!("r{}", rules.len() - 1)
            });
            text += &format!("\nt r{next} = {body};");
            next += 1;
        }
        let grammar = crate::glrm::parse(&text).map_err(|e| format!("{e}\n{text}"))?;
        let terminal = grammar.terminals.iter().find(|t| t.name == "r0");
        match terminal.map(|t| &t.pattern) {
            Some(Pattern::Regex(regex)) => Ok(regex.clone()),
            Some(Pattern::Literal(bytes)) => Ok(Regex::literal(bytes)),
            other => Err(format!("unexpected {other:?}")),
        }
    }

    fn assert_same_language(read: &Regex, regex: &Regex) {
        let wanted = regex.difference(&Regex::epsilon()).compile(&Default::default());
        assert_eq!(read.compile(&Default::default()).ok(), wanted.ok());
    }

    proptest! {
        #[test]
        fn reading_what_was_printed_gives_the_same_language(regex in any_regex()) {
            let read = round_trip(&regex).map_err(TestCaseError::fail)?;
            assert_same_language(&read, &regex);
        }

        #[test]
        fn literals_and_byte_classes_are_read_back(bytes in proptest::collection::vec(any::<u8>(), 1..20)) {
            let set: ByteSet = bytes.iter().copied().collect();
            for regex in [Regex::literal(&bytes), Regex::bytes(set), Regex::bytes(set.complement())] {
                let read = round_trip(&regex).map_err(TestCaseError::fail)?;
                assert_same_language(&read, &regex);
            }
        }

        #[test]
        fn character_classes_are_printed_as_such(ranges in proptest::collection::vec(any::<(char, char)>(), 1..5)) {
            let regex = Regex::char_class(ranges.iter().map(|&(a, b)| (a.min(b), a.max(b))));
            let read = round_trip(&regex).map_err(TestCaseError::fail)?;
            assert_same_language(&read, &regex);
        }
    }

    #[test]
    fn the_notation_is_readable() {
        let print = |regex: &Regex| print_regex(regex, &mut |_| String::new());
        assert_eq!(print(&Regex::any_char()), ".");
        let body = Regex::char_class([('\0', '!'), ('#', '['), (']', char::MAX)]);
        let escaped = Regex::concat([Regex::literal("\\"), Regex::any_char()]);
        assert_eq!(print(&Regex::alternate([body, escaped])), "[^\"\\\\] | \"\\\\\" .");
        assert_eq!(print(&Regex::char_class([('a', 'z'), ('à', 'ÿ'), ('-', '-')])), "[\\-a-zà-ÿ]");
        let quoted = Regex::concat([Regex::literal("\"é"), Regex::any_char().star(), Regex::literal("\n\0")]);
        assert_eq!(print(&quoted), "\"\\\"é\" .* \"\\n\\x00\"");
        let nested = Regex::alternate([Regex::literal("ab").plus(), Regex::epsilon()]).repeat(2, Some(3));
        assert_eq!(print(&nested.difference(&Regex::literal("x"))), "((\"ab\")+ | eps){2,3} - \"x\"");
    }

    #[test]
    fn deep_expressions_are_printed_in_parts() {
        let deep = (0..400).fold(Regex::literal("a"), |r, _| Regex::concat([r.optional(), Regex::literal("b")]));
        let read = round_trip(&deep);
        assert!(read.is_err_and(|e| e.contains("regex nesting")));
        let deep = (0..120).fold(Regex::literal("a"), |r, _| Regex::concat([r.optional(), Regex::literal("b")]));
        assert_same_language(&round_trip(&deep).expect("printed in parts"), &deep);
    }
}
