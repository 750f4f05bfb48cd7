//! Reads ECMA-262 pattern syntax (with Annex B's literal `{`, `}` and `]`) into an [`Ast`]. Nesting is bounded.

use super::boundary::{Boundary, MAX_COPIED};
use super::class;
use super::PatternError;
use crate::spell::Ranges;

/// Deepest nesting of groups.
const MAX_DEPTH: usize = 100;

/// A pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ast {
    /// The empty string.
    Empty,
    /// One character.
    Class(Ranges),
    /// One after the other.
    Concat(Vec<Ast>),
    /// Any of these.
    Alternate(Vec<Ast>),
    /// Repetition.
    Repeat { inner: Box<Ast>, min: u32, max: Option<u32> },
    /// `^`
    Start,
    /// `$`
    End,
    /// `(?=…)`, or `(?!…)` if negative.
    Look { inner: Box<Ast>, negative: bool },
}

type Result<T> = std::result::Result<T, PatternError>;

/// A pattern that is searched for, or one that has to match the `whole` of a string.
pub(super) fn parse(pattern: &str, whole: bool) -> Result<Ast> {
    let mut parser = Parser { chars: pattern.chars().collect(), at: 0, depth: 0, whole, copies: MAX_COPIED };
    let ast = parser.alternation()?;
    match parser.peek() {
        None => Ok(ast),
        Some(_) => Err(parser.syntax("unmatched \")\"")),
    }
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    depth: usize,
    whole: bool,
    /// What boundaries may still copy.
    copies: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }
    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }
    fn eat(&mut self, text: &str) -> bool {
        let found = text.chars().enumerate().all(|(i, c)| self.chars.get(self.at + i) == Some(&c));
        if found {
            self.at += text.chars().count();
        }
        found
    }
    fn syntax(&self, message: &str) -> PatternError {
        PatternError::Syntax(format!("{message} at character {}", self.at))
    }
    fn unsupported(&self, construct: &str) -> PatternError {
        PatternError::Unsupported(format!("{construct} at character {}", self.at))
    }

    fn alternation(&mut self) -> Result<Ast> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.unsupported("groups nested deeper than 100 levels"));
        }
        let mut parts = vec![self.sequence()?];
        while self.eat("|") {
            parts.push(self.sequence()?);
        }
        self.depth -= 1;
        Ok(if parts.len() == 1 { parts.swap_remove(0) } else { Ast::Alternate(parts) })
    }
    fn sequence(&mut self) -> Result<Ast> {
        let mut parts = Vec::new();
        while !matches!(self.peek(), None | Some('|' | ')')) {
            if let Some(is_boundary) = self.boundary() {
                parts = self.after(is_boundary, parts)?;
                continue;
            }
            let atom = self.atom()?;
            parts.push(self.quantified(atom)?);
        }
        Ok(match parts.len() {
            0 => Ast::Empty,
            1 => parts.swap_remove(0),
            _ => Ast::Concat(parts),
        })
    }
    /// Whether it is `\b`; `None` if it is not `\B` either.
    fn boundary(&mut self) -> Option<bool> {
        let is_boundary = self.eat("\\b");
        (is_boundary || self.eat("\\B")).then_some(is_boundary)
    }
    fn after(&mut self, is_boundary: bool, parts: Vec<Ast>) -> Result<Vec<Ast>> {
        let is_first = parts.is_empty() && self.depth == 1;
        let mut boundary = Boundary { is_boundary, left: &mut self.copies };
        let after = match is_first {
            true if !self.whole => return Ok(vec![boundary.at_start_of_search()]),
            true => boundary.after(vec![Ast::Start]),
            false => boundary.after(parts),
        };
        after.ok_or_else(|| self.unsupported("word boundary behind what is not known"))
    }
    fn atom(&mut self) -> Result<Ast> {
        Ok(match self.next() {
            Some('^') => Ast::Start,
            Some('$') => Ast::End,
            Some('.') => Ast::Class(class::complement(class::LINE_END)),
            Some('(') => self.group()?,
            Some('[') => Ast::Class(self.class()?),
            Some('\\') => self.escape()?,
            Some('*' | '+' | '?') => return Err(self.syntax("nothing to repeat")),
            Some('{') if self.bounds().is_some() => return Err(self.syntax("nothing to repeat")),
            Some(c) => single(c),
            None => return Err(self.syntax("unexpected end")),
        })
    }
    fn group(&mut self) -> Result<Ast> {
        let look = if self.eat("?=") {
            Some(false)
        } else if self.eat("?!") {
            Some(true)
        } else {
            self.group_head()?;
            None
        };
        let inner = self.alternation()?;
        if !self.eat(")") {
            return Err(self.syntax("\")\" is missing"));
        }
        Ok(match look {
            Some(negative) => Ast::Look { inner: Box::new(inner), negative },
            None => inner,
        })
    }
    fn group_head(&mut self) -> Result<()> {
        if self.eat("?<=") || self.eat("?<!") {
            return Err(self.unsupported("look-behind"));
        }
        if self.eat("?:") {
            return Ok(());
        }
        if self.eat("?<") {
            while let Some(c) = self.next() {
                if c == '>' {
                    return Ok(());
                }
            }
            return Err(self.syntax("\">\" is missing"));
        }
        match self.peek() {
            Some('?') => Err(self.syntax("unknown group")),
            _ => Ok(()),
        }
    }
    fn quantified(&mut self, atom: Ast) -> Result<Ast> {
        let bounds = match self.peek() {
            Some('*') => Some((0, None, 1)),
            Some('+') => Some((1, None, 1)),
            Some('?') => Some((0, Some(1), 1)),
            Some('{') => {
                self.at += 1;
                let bounds = self.bounds();
                self.at -= 1;
                bounds.map(|(min, max, len)| (min, max, len + 1))
            }
            _ => None,
        };
        let Some((min, max, len)) = bounds else { return Ok(atom) };
        self.at += len;
        if max.is_some_and(|max| max < min) {
            return Err(self.syntax("bounds out of order"));
        }
        if matches!(atom, Ast::Start | Ast::End) {
            return Err(self.syntax("nothing to repeat"));
        }
        self.eat("?");
        if matches!(self.peek(), Some('*' | '+' | '?')) {
            return Err(self.syntax("nothing to repeat"));
        }
        Ok(Ast::Repeat { inner: Box::new(atom), min, max })
    }
    /// `n}`, `n,}` or `n,m}` here: the bounds and how many characters they take.
    fn bounds(&self) -> Option<(u32, Option<u32>, usize)> {
        let rest = self.chars.get(self.at..)?;
        let len = rest.iter().take(24).position(|&c| c == '}')?;
        let text: String = rest.get(..len)?.iter().collect();
        let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse::<u32>().ok())?;
        let (min, max) = match text.split_once(',') {
            None => (number(&text)?, Some(number(&text)?)),
            Some((min, "")) => (number(min)?, None),
            Some((min, max)) => (number(min)?, Some(number(max)?)),
        };
        Some((min, max, len + 1))
    }

    fn escape(&mut self) -> Result<Ast> {
        match self.peek() {
            Some('k') => Err(self.unsupported("backreference")),
            Some('1'..='9') => Err(self.unsupported("backreference")),
            _ => Ok(Ast::Class(self.class_escape()?.ranges())),
        }
    }
    fn class(&mut self) -> Result<Ranges> {
        let negated = self.eat("^");
        let mut ranges = Vec::new();
        loop {
            match self.peek() {
                None => return Err(self.syntax("\"]\" is missing")),
                Some(']') => break,
                Some(_) => self.class_range(&mut ranges)?,
            }
        }
        self.at += 1;
        Ok(if negated { class::complement(&ranges) } else { class::normalize(ranges) })
    }
    fn class_range(&mut self, ranges: &mut Ranges) -> Result<()> {
        let first = self.class_atom()?;
        let is_range = self.peek() == Some('-') && !matches!(self.chars.get(self.at + 1), None | Some(']'));
        let ClassAtom::Point(low) = first else {
            ranges.extend(first.ranges());
            return Ok(());
        };
        if !is_range {
            ranges.push((low, low));
            return Ok(());
        }
        self.at += 1;
        match self.class_atom()? {
            ClassAtom::Point(high) if high < low => Err(self.syntax("range out of order")),
            ClassAtom::Point(high) => {
                ranges.push((low, high));
                Ok(())
            }
            // Annex B: `[a-\d]` is three members.
            set => {
                ranges.extend([(low, low), (0x2d, 0x2d)]);
                ranges.extend(set.ranges());
                Ok(())
            }
        }
    }
    fn class_atom(&mut self) -> Result<ClassAtom> {
        match self.next() {
            Some('\\') if self.eat("b") => Ok(ClassAtom::Point(8)),
            Some('\\') => self.class_escape(),
            Some(c) => Ok(ClassAtom::Point(u32::from(c))),
            None => Err(self.syntax("\"]\" is missing")),
        }
    }
    /// What follows a backslash, where it stands for characters.
    fn class_escape(&mut self) -> Result<ClassAtom> {
        let Some(c) = self.next() else { return Err(self.syntax("nothing follows the backslash")) };
        Ok(match c {
            'd' => ClassAtom::Set(class::DIGIT.to_vec()),
            'D' => ClassAtom::Set(class::complement(class::DIGIT)),
            'w' => ClassAtom::Set(class::WORD.to_vec()),
            'W' => ClassAtom::Set(class::complement(class::WORD)),
            's' => ClassAtom::Set(class::SPACE.to_vec()),
            'S' => ClassAtom::Set(class::complement(class::SPACE)),
            'p' | 'P' => ClassAtom::Set(self.property(c == 'P')?),
            't' => ClassAtom::Point(9),
            'n' => ClassAtom::Point(10),
            'v' => ClassAtom::Point(11),
            'f' => ClassAtom::Point(12),
            'r' => ClassAtom::Point(13),
            '0' if !matches!(self.peek(), Some('0'..='9')) => ClassAtom::Point(0),
            'c' => ClassAtom::Point(self.control()?),
            'x' => ClassAtom::Point(self.hex(2)?),
            'u' => ClassAtom::Point(self.unicode()?),
            c if c.is_ascii_alphanumeric() => return Err(self.syntax("no such escape")),
            c => ClassAtom::Point(u32::from(c)),
        })
    }
    fn property(&mut self, negated: bool) -> Result<Ranges> {
        let start = self.at + 1;
        let end = self.chars.iter().skip(self.at).position(|&c| c == '}').map(|len| self.at + len);
        let name = end.filter(|_| self.eat("{")).and_then(|end| self.chars.get(start..end));
        let ranges = name.and_then(|name| class::property(&name.iter().collect::<String>()));
        let (Some(ranges), Some(end)) = (ranges, end) else { return Err(self.syntax("no such Unicode property")) };
        self.at = end + 1;
        Ok(if negated { class::complement(&ranges) } else { ranges })
    }
    fn control(&mut self) -> Result<u32> {
        match self.next() {
            Some(c) if c.is_ascii_alphabetic() => Ok(u32::from(c) % 32),
            _ => Err(self.syntax("a letter must follow \\c")),
        }
    }
    fn hex(&mut self, len: usize) -> Result<u32> {
        let digits: String = self.chars.iter().skip(self.at).take(len).collect();
        if digits.len() != len || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(self.syntax("hexadecimal digits expected"));
        }
        self.at += len;
        u32::from_str_radix(&digits, 16).map_err(|_| self.syntax("hexadecimal digits expected"))
    }
    fn unicode(&mut self) -> Result<u32> {
        if self.eat("{") {
            let len = self.chars.iter().skip(self.at).take(8).position(|&c| c == '}').unwrap_or(0);
            let point = self.hex(len).ok().filter(|&point| len > 0 && point <= 0x10_ffff);
            self.at += 1;
            return point.ok_or_else(|| self.syntax("code point expected"));
        }
        let high = self.hex(4)?;
        let back = self.at;
        if (0xd800..0xdc00).contains(&high) && self.eat("\\u") {
            if let Some(low) = self.hex(4).ok().filter(|low| (0xdc00..0xe000).contains(low)) {
                return Ok(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
            }
            self.at = back;
        }
        Ok(high)
    }
}

enum ClassAtom {
    Point(u32),
    Set(Ranges),
}

impl ClassAtom {
    fn ranges(self) -> Ranges {
        match self {
            Self::Point(point) => vec![(point, point)],
            Self::Set(ranges) => ranges,
        }
    }
}

fn single(c: char) -> Ast {
    Ast::Class(vec![(u32::from(c), u32::from(c))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tells_wrong_from_unsupported() {
        for pattern in
            ["(", ")", "[", "a**", "*", "^*", "\\", "[b-a]", "a{2,1}", "\\u12", "\\p{Xx}", "(?P<n>a)", "\\Z", "{1}"]
        {
            assert!(matches!(parse(pattern, false), Err(PatternError::Syntax(_))), "{pattern}");
        }
        for pattern in ["(?<=a)b", "(?<!a)b", "(a)\\1", "(\\bfoo)", "a\\b\\b", "(?<n>a)\\k<n>", &"(".repeat(100_000)] {
            assert!(matches!(parse(pattern, false), Err(PatternError::Unsupported(_))), "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(pattern in "[(){}\\[\\]|*+?^$\\\\.,a-fpuxk0-9:=!<>é-]{0,20}") {
            let _ = parse(&pattern, false);
        }
    }
}
