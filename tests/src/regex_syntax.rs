//! The tiny pattern syntax of generators and hand-written specifications.
//!
//! ```text
//! alternatives  ab|c     repetition  * + ? {n} {n,} {n,m}     groups  ( )
//! sets          [a-z_] [^"]          escapes  \xHH and \c     characters outside ASCII: their UTF-8 bytes
//! ```
//! Sets are sets of bytes; `[^…]` is the complement over all 256 bytes.

use std::iter::Peekable;
use std::str::Chars;

use crate::regex::Rx;

/// Reads `pattern`; the error names what was wrong.
///
/// ```
/// let rx = glrmask_tests::regex_syntax::parse("[ab]+c?").unwrap();
/// assert!(!rx.nullable());
/// assert!(rx.derivative(b'a').derivative(b'c').nullable());
/// ```
pub fn parse(pattern: &str) -> Result<Rx, String> {
    let mut parser = Parser { rest: pattern.chars().peekable() };
    let rx = parser.alternatives()?;
    match parser.rest.next() {
        None => Ok(rx),
        Some(c) => Err(format!("unexpected {c:?} in /{pattern}/")),
    }
}

struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
}

impl Parser<'_> {
    fn alternatives(&mut self) -> Result<Rx, String> {
        let mut parts = vec![self.sequence()?];
        while self.rest.next_if_eq(&'|').is_some() {
            parts.push(self.sequence()?);
        }
        Ok(Rx::either(parts))
    }

    fn sequence(&mut self) -> Result<Rx, String> {
        let mut all = Rx::unit();
        while let Some(c) = self.rest.next_if(|c| !"|)".contains(*c)) {
            let atom = match c {
                '(' => self.group()?,
                '[' => self.set()?,
                '\\' => Rx::set([self.escape()?]),
                c => Rx::literal(c.encode_utf8(&mut [0; 4]).as_bytes()),
            };
            all = all.then(self.repeated(atom)?);
        }
        Ok(all)
    }

    fn group(&mut self) -> Result<Rx, String> {
        let inner = self.alternatives()?;
        self.rest.next_if_eq(&')').map(|_| inner).ok_or_else(|| "missing )".to_owned())
    }

    fn repeated(&mut self, mut atom: Rx) -> Result<Rx, String> {
        while let Some(c) = self.rest.next_if(|c| "*+?{".contains(*c)) {
            let (min, max) = match c {
                '*' => (0, None),
                '+' => (1, None),
                '?' => (0, Some(1)),
                _ => self.bounds()?,
            };
            atom = atom.repeat(min, max);
        }
        Ok(atom)
    }

    fn bounds(&mut self) -> Result<(u32, Option<u32>), String> {
        let mut text = String::new();
        while let Some(c) = self.rest.next_if(|c| *c != '}') {
            text.push(c);
        }
        self.rest.next();
        let number = |s: &str| s.parse::<u32>().map_err(|_| format!("bad repetition {{{text}}}"));
        match text.split_once(',') {
            None => number(&text).map(|n| (n, Some(n))),
            Some((min, "")) => Ok((number(min)?, None)),
            Some((min, max)) => Ok((number(min)?, Some(number(max)?))),
        }
    }

    fn escape(&mut self) -> Result<u8, String> {
        match self.rest.next() {
            Some('x') => {
                let digits: String = self.rest.by_ref().take(2).collect();
                u8::from_str_radix(&digits, 16).map_err(|_| format!("bad escape \\x{digits}"))
            }
            Some('n') => Ok(b'\n'),
            Some(c) if c.is_ascii() => Ok(c as u8),
            other => Err(format!("bad escape {other:?}")),
        }
    }

    fn set(&mut self) -> Result<Rx, String> {
        let negated = self.rest.next_if_eq(&'^').is_some();
        let mut bytes = Vec::new();
        while self.rest.next_if_eq(&']').is_none() {
            let first = self.set_byte()?;
            let ranged = self.rest.peek() == Some(&'-') && self.rest.clone().nth(1) != Some(']');
            let last = if ranged { self.range_end()? } else { first };
            bytes.extend(first..=last);
        }
        if negated {
            bytes = (0..=255).filter(|b| !bytes.contains(b)).collect();
        }
        Ok(Rx::set(bytes))
    }

    fn range_end(&mut self) -> Result<u8, String> {
        self.rest.next();
        self.set_byte()
    }

    fn set_byte(&mut self) -> Result<u8, String> {
        match self.rest.next() {
            Some('\\') => self.escape(),
            Some(c) if c.is_ascii() => Ok(c as u8),
            other => Err(format!("{other:?} in a set of bytes")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn matches(pattern: &str, text: &[u8]) -> bool {
        text.iter().fold(parse(pattern).unwrap(), |rx, &b| rx.derivative(b)).nullable()
    }

    #[test]
    fn patterns_mean_what_they_say() {
        for (pattern, yes, no) in [
            ("a(b*c)?", vec!["a", "ac", "abbc"], vec!["", "ab", "abb"]),
            ("[ab]+c?|d", vec!["a", "bac", "d"], vec!["c", "dd", "acc"]),
            ("a{2,3}", vec!["aa", "aaa"], vec!["a", "aaaa"]),
            ("a{2}b{1,}", vec!["aab", "aabb"], vec!["ab", "aa"]),
            ("\\x41\\+[\\x2d-]", vec!["A+-"], vec!["A+", "A-"]),
            ("é[^\\x80-\\xff]", vec!["éa"], vec!["é", "éé"]),
        ] {
            assert!(yes.iter().all(|s| matches(pattern, s.as_bytes())), "{pattern}");
            assert!(!no.iter().any(|s| matches(pattern, s.as_bytes())), "{pattern}");
        }
    }

    #[test]
    fn printing_gives_the_same_language() {
        for pattern in ["a(b*c)?", "[ab]+c?|d", "é", "[\\x80-\\xff]x"] {
            assert!(!parse(pattern).unwrap().to_string().is_empty());
        }
        assert_eq!(parse("[ab]c").unwrap().to_string(), "[ab]c");
        assert_eq!(parse("\\xff").unwrap().to_string(), "(?-u:[\\xFF])");
    }

    #[test]
    fn mistakes_are_named() {
        for (pattern, word) in [("(a", "missing"), ("a)", "unexpected"), ("a{x}", "repetition"), ("\\xZZ", "escape")] {
            assert!(parse(pattern).unwrap_err().contains(word), "{pattern}");
        }
    }
}
