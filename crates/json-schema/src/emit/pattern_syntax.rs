//! `format: regex`: the strings that are regular expressions of ECMA-262.
//!
//! Only groups nest, so this is a grammar over a handful of terminals, none of which is the beginning of a longer one: no
//! lexeme waits to see whether it goes on. Atoms, classes in brackets included, are one terminal, all quantifiers another.
//! What only counting or remembering could check is left out, so some expressions are refused but none is accepted
//! wrongly: backreferences, names of groups, repetition `{n,m}` with n above 99, class ranges that begin beyond ASCII,
//! Unicode properties, unescaped `]`, `{` and `}`.

use glrmask_automata::{NonterminalId, Regex, Symbol};

use super::Emitter;
use crate::error::Result;
use crate::spell::Spelling;

/// Printable ASCII characters.
const PRINTABLE: std::ops::RangeInclusive<u32> = 0x20..=0x7e;
const LAST: u32 = 0x10_ffff;
const DIGITS: &str = "0123456789";
const HEX: &str = "0123456789abcdefABCDEF";
const ALPHANUMERIC: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

impl Emitter<'_, '_> {
    /// A JSON string whose value is a regular expression. Made once.
    pub(super) fn pattern_syntax(&mut self) -> Result<NonterminalId> {
        if let Some(known) = self.pattern_syntax {
            return Ok(known);
        }
        let string = self.builder.fresh("pattern");
        self.pattern_syntax = Some(string);
        let pattern = self.builder.fresh("regex");
        let syntax = Syntax { spelling: self.text.spelling };
        let quote = self.terminal("QUOTE", Regex::literal("\""));
        let other = self.terminal("REGEX_OTHER", syntax.other());
        let atom = self.terminal("REGEX_ATOM", syntax.atom());
        let quantifier = self.terminal("REGEX_QUANTIFIER", syntax.quantifier());
        let [lazy, open, close] = ["?", "(", ")"].map(|word| self.terminal("REGEX_SIGN", syntax.words(&[word])));
        let uncaptured = self.terminal("REGEX_GROUP", syntax.words(&["?:"]));
        let look = self.terminal("REGEX_LOOK", syntax.words(&["?=", "?!", "?<=", "?<!"]));
        let (inner, group) = (Symbol::Nonterminal(pattern), Symbol::Nonterminal(self.builder.fresh("regex")));
        self.production(string, vec![quote, inner, quote])?;
        self.production(pattern, vec![])?;
        self.production(pattern, vec![inner, other])?;
        self.production(pattern, vec![inner, open, look, inner, close])?;
        for quantified in [atom, group] {
            for quantifier in [&[][..], &[quantifier], &[quantifier, lazy]] {
                self.production(pattern, [&[inner, quantified], quantifier].concat())?;
            }
        }
        let Symbol::Nonterminal(group) = group else { return Ok(string) };
        self.production(group, vec![open, inner, close])?;
        self.production(group, vec![open, uncaptured, inner, close])?;
        Ok(string)
    }
}

/// The regular parts, as JSON spells them.
struct Syntax {
    spelling: Spelling,
}

impl Syntax {
    /// What takes no quantifier: a bar or an assertion.
    fn other(&self) -> Regex {
        Regex::alternate([self.one_of("|^$"), Regex::concat([self.one_of("\\"), self.one_of("bB")])])
    }
    fn atom(&self) -> Regex {
        Regex::alternate([
            self.none_of("^$\\.*+?()[]{}|"),
            self.one_of("."),
            Regex::concat([self.one_of("\\"), self.escape()]),
            self.class(),
        ])
    }
    /// Greedy ones.
    fn quantifier(&self) -> Regex {
        let bounds = Regex::concat([self.one_of("{"), self.bounds(), self.one_of("}")]);
        Regex::alternate([self.one_of("*+?"), bounds])
    }
    /// `n`, `n,` and `n,m` with n ≤ m. Only of n up to 99 it can be told whether m is as large.
    fn bounds(&self) -> Regex {
        let (digit, comma) = (self.one_of(DIGITS), self.one_of(","));
        let mut bounds = vec![Regex::concat([digit.plus(), comma.optional()])];
        for least in 0..10 {
            let more = Regex::concat([self.one_of(&DIGITS[1..]), digit.plus()]);
            let most = Regex::alternate([self.one_of(&DIGITS[least..]), more]);
            bounds.push(Regex::concat([self.one_of(&DIGITS[least..=least]), comma.clone(), most]));
        }
        for least in 10..100 {
            let (tens, ones) = (least / 10, least % 10);
            let most = Regex::alternate([
                Regex::concat([self.one_of(&DIGITS[tens..=tens]), self.one_of(&DIGITS[ones..])]),
                Regex::concat([self.one_of(&DIGITS[tens + 1..]), digit.clone()]),
                Regex::concat([self.one_of(&DIGITS[1..]), digit.clone(), digit.plus()]),
            ]);
            let least = Regex::concat([self.one_of(&DIGITS[tens..=tens]), self.one_of(&DIGITS[ones..=ones])]);
            bounds.push(Regex::concat([least, comma.clone(), most]));
        }
        Regex::alternate(bounds)
    }
    /// What follows a backslash.
    fn escape(&self) -> Regex {
        let hex = self.one_of(HEX);
        Regex::alternate([
            self.one_of("dDsSwWtnvfr"),
            self.none_of(ALPHANUMERIC),
            Regex::concat([self.one_of("c"), self.one_of(&ALPHANUMERIC[10..])]),
            Regex::concat([self.one_of("x"), hex.repeat(2, Some(2))]),
            Regex::concat([self.one_of("u"), hex.repeat(4, Some(4))]),
        ])
    }
    /// `[…]`. A hyphen stands for itself only at either end, so that every other one is checked as a range.
    fn class(&self) -> Regex {
        let hyphen = self.one_of("-");
        let escape = Regex::alternate([self.escape(), self.one_of("b")]);
        let mut items = vec![self.none_of("]\\-"), Regex::concat([self.one_of("\\"), escape])];
        for low in PRINTABLE.filter(|&low| !r"]\-".chars().any(|c| u32::from(c) == low)) {
            let low_end = self.spelling.class(&[(low, low)]);
            items.push(Regex::concat([low_end, hyphen.clone(), self.upper_end(low)]));
        }
        Regex::concat([
            self.one_of("["),
            self.one_of("^").optional(),
            hyphen.optional(),
            Regex::alternate(items).star(),
            hyphen.optional(),
            self.one_of("]"),
        ])
    }
    /// The end of a range that begins at `low`: what would end the class or begin an escape is none.
    fn upper_end(&self, low: u32) -> Regex {
        self.spelling.class(&without(low, &points(r"\]")))
    }
    fn one_of(&self, text: &str) -> Regex {
        self.spelling.class(&points(text))
    }
    fn none_of(&self, text: &str) -> Regex {
        self.spelling.class(&without(0, &points(text)))
    }
    fn words(&self, words: &[&str]) -> Regex {
        Regex::alternate(words.iter().map(|word| self.spelling.text(word)))
    }
}

fn points(text: &str) -> Vec<(u32, u32)> {
    text.chars().map(|c| (u32::from(c), u32::from(c))).collect()
}

/// Everything from `first` on but these points.
fn without(first: u32, points: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut points: Vec<u32> = points.iter().map(|point| point.0).filter(|&point| point >= first).collect();
    points.sort_unstable();
    let mut ranges = Vec::new();
    let mut next = first;
    for point in points {
        if next < point {
            ranges.push((next, point - 1));
        }
        next = point + 1;
    }
    ranges.push((next, LAST));
    ranges
}
