//! Regular expressions as text.
//!
//! Without intersections and differences the text is an expression in Rust syntax for the same language, when read
//! with Unicode off: `Regex::parse(&format!("(?-u:{regex})"), ..)`.

use std::fmt;

use crate::byteset::escape;
use crate::{Regex, RegexKind};

/// Larger expressions are abbreviated.
const MAX_SIZE: u64 = 1 << 20;

impl fmt::Display for Regex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.depth() > Self::MAX_DEPTH || self.size() > MAX_SIZE {
            return write!(f, "(expression of {} nodes, {} levels deep)", self.size(), self.depth());
        }
        write(f, self, Tightness::Alternate)
    }
}

impl fmt::Debug for Regex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Regex({self})")
    }
}

/// How tightly the surrounding operator binds; looser expressions are put in parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    Alternate,
    Concat,
    Repeat,
    Atom,
}

fn tightness(regex: &Regex) -> Tightness {
    match regex.kind() {
        RegexKind::Alternate(_) | RegexKind::Intersect(..) | RegexKind::Difference(..) => Tightness::Alternate,
        RegexKind::Concat(_) => Tightness::Concat,
        RegexKind::Repeat { .. } => Tightness::Repeat,
        RegexKind::Empty | RegexKind::Epsilon | RegexKind::Bytes(_) => Tightness::Atom,
    }
}

fn write(f: &mut fmt::Formatter<'_>, regex: &Regex, around: Tightness) -> fmt::Result {
    if tightness(regex) >= around {
        return write_open(f, regex);
    }
    f.write_str("(")?;
    write_open(f, regex)?;
    f.write_str(")")
}

fn write_open(f: &mut fmt::Formatter<'_>, regex: &Regex) -> fmt::Result {
    match regex.kind() {
        RegexKind::Empty => f.write_str("[a&&b]"),
        RegexKind::Epsilon => f.write_str("()"),
        RegexKind::Bytes(set) if set.len() == 1 => set.iter().try_for_each(|byte| escape(f, byte)),
        RegexKind::Bytes(set) => write!(f, "{set}"),
        RegexKind::Concat(parts) => parts.iter().try_for_each(|part| write(f, part, Tightness::Concat)),
        RegexKind::Alternate(parts) => write_separated(f, parts, "|"),
        RegexKind::Repeat { inner, min, max } => {
            write(f, inner, Tightness::Atom)?;
            write_bounds(f, *min, *max)
        }
        RegexKind::Intersect(a, b) => write_pair(f, a, "&", b),
        RegexKind::Difference(a, b) => write_pair(f, a, "-", b),
    }
}

fn write_separated(f: &mut fmt::Formatter<'_>, parts: &[Regex], separator: &str) -> fmt::Result {
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            f.write_str(separator)?;
        }
        write(f, part, Tightness::Concat)?;
    }
    Ok(())
}

fn write_pair(f: &mut fmt::Formatter<'_>, a: &Regex, operator: &str, b: &Regex) -> fmt::Result {
    write(f, a, Tightness::Atom)?;
    f.write_str(operator)?;
    write(f, b, Tightness::Atom)
}

fn write_bounds(f: &mut fmt::Formatter<'_>, min: u32, max: Option<u32>) -> fmt::Result {
    match (min, max) {
        (0, None) => f.write_str("*"),
        (1, None) => f.write_str("+"),
        (0, Some(1)) => f.write_str("?"),
        (min, None) => write!(f, "{{{min},}}"),
        (min, Some(max)) if min == max => write!(f, "{{{min}}}"),
        (min, Some(max)) => write!(f, "{{{min},{max}}}"),
    }
}
