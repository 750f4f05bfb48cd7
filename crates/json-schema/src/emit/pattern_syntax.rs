//! `format: regex`: the strings that are regular expressions of ECMA-262.
//!
//! Brackets nest, so this is a grammar and not a terminal. What only counting or remembering could check is left out,
//! so some expressions are refused but none is accepted wrongly: backreferences, names of groups, repetition `{n,m}`
//! with n above 99, class ranges that begin beyond ASCII, Unicode properties, unescaped `]`, `{` and `}`.

use glrmask_automata::{NonterminalId, Regex, Symbol};

use super::Emitter;
use crate::error::Result;

/// Printable ASCII characters.
const PRINTABLE: std::ops::RangeInclusive<u32> = 0x20..=0x7e;
const LAST: u32 = 0x10_ffff;

impl Emitter<'_, '_> {
    /// A JSON string whose value is a regular expression. Made once.
    pub(super) fn pattern_syntax(&mut self) -> Result<NonterminalId> {
        if let Some(known) = self.pattern_syntax {
            return Ok(known);
        }
        let string = self.builder.fresh("pattern");
        self.pattern_syntax = Some(string);
        let [alternatives, sequence, term, atom] = [(); 4].map(|()| Symbol::Nonterminal(self.builder.fresh("regex")));
        let quote = self.terminal("QUOTE", Regex::literal("\""));
        self.production(string, vec![quote, alternatives, quote])?;
        self.rules(
            alternatives,
            &[&[Part::Is(sequence)], &[Part::Is(alternatives), Part::In("|"), Part::Is(sequence)]],
        )?;
        self.rules(sequence, &[&[], &[Part::Is(sequence), Part::Is(term)]])?;
        let inner = Part::Is(alternatives);
        let quantifier = Part::Is(self.quantifier()?);
        self.rules(
            term,
            &[
                &[Part::In("^$")],
                &[Part::In("\\"), Part::In("bB")],
                &[Part::In("("), Part::In("?"), Part::In("=!"), inner, Part::In(")")],
                &[Part::In("("), Part::In("?"), Part::In("<"), Part::In("=!"), inner, Part::In(")")],
                &[Part::Is(atom)],
                &[Part::Is(atom), quantifier],
                &[Part::Is(atom), quantifier, Part::In("?")],
            ],
        )?;
        let (class, escape) = (self.class_syntax()?, Part::Is(self.escape_syntax()?));
        self.rules(
            atom,
            &[
                &[Part::NotIn("^$\\.*+?()[]{}|")],
                &[Part::In(".")],
                &[Part::In("\\"), escape],
                &[Part::Is(class)],
                &[Part::In("("), inner, Part::In(")")],
                &[Part::In("("), Part::In("?"), Part::In(":"), inner, Part::In(")")],
            ],
        )?;
        Ok(string)
    }
    fn quantifier(&mut self) -> Result<Symbol> {
        let [quantifier, digits, bounds] = [(); 3].map(|()| Symbol::Nonterminal(self.builder.fresh("regex")));
        self.rules(digits, &[&[Part::In(DIGITS)], &[Part::Is(digits), Part::In(DIGITS)]])?;
        self.rules(
            quantifier,
            &[
                &[Part::In("*+?")],
                &[Part::In("{"), Part::Is(digits), Part::In("}")],
                &[Part::In("{"), Part::Is(digits), Part::In(","), Part::In("}")],
                &[Part::In("{"), Part::Is(bounds), Part::In("}")],
            ],
        )?;
        let (comma, digit) = (Part::In(","), Part::In(DIGITS));
        self.rules(bounds, &[&[digit, comma, Part::In(&DIGITS[1..]), Part::Is(digits)]])?;
        for n in 0..10 {
            self.rules(bounds, &[&[Part::In(&DIGITS[n..=n]), comma, Part::In(&DIGITS[n..])]])?;
        }
        for n in 10..100 {
            let (tens, ones) = (n / 10, n % 10);
            let least = [Part::In(&DIGITS[tens..=tens]), Part::In(&DIGITS[ones..=ones]), comma];
            let with = |most: &[Part<'static>]| [&least[..], most].concat();
            self.rules(
                bounds,
                &[
                    &with(&[Part::In(&DIGITS[tens..=tens]), Part::In(&DIGITS[ones..])]),
                    &with(&[Part::In(&DIGITS[1..]), digit, Part::Is(digits)]),
                ],
            )?;
            if tens < 9 {
                self.rules(bounds, &[&with(&[Part::In(&DIGITS[tens + 1..]), digit])])?;
            }
        }
        Ok(quantifier)
    }
    /// What follows a backslash.
    fn escape_syntax(&mut self) -> Result<Symbol> {
        let escape = Symbol::Nonterminal(self.builder.fresh("regex"));
        let hex = Part::In("0123456789abcdefABCDEF");
        self.rules(
            escape,
            &[
                &[Part::In("dDsSwWtnvfr")],
                &[Part::NotIn(ALPHANUMERIC)],
                &[Part::In("c"), Part::In(&ALPHANUMERIC[10..])],
                &[Part::In("x"), hex, hex],
                &[Part::In("u"), hex, hex, hex, hex],
            ],
        )?;
        Ok(escape)
    }
    /// `[…]`. A hyphen stands for itself only at either end, so that every other one is checked as a range.
    fn class_syntax(&mut self) -> Result<Symbol> {
        let [class, items] = [(); 2].map(|()| Symbol::Nonterminal(self.builder.fresh("regex")));
        let escape = Part::Is(self.escape_syntax()?);
        for negation in [&[][..], &[Part::In("^")]] {
            for (before, after) in [(false, false), (true, false), (false, true), (true, true)] {
                let hyphen = |there: bool| there.then_some(Part::In("-"));
                let start = [Part::In("[")].into_iter().chain(negation.iter().copied()).chain(hyphen(before));
                let body = start.chain([Part::Is(items)]).chain(hyphen(after)).chain([Part::In("]")]);
                self.rules(class, &[&body.collect::<Vec<_>>()])?;
            }
        }
        self.rules(
            items,
            &[
                &[],
                &[Part::Is(items), Part::NotIn("]\\-")],
                &[Part::Is(items), Part::In("\\"), escape],
                &[Part::Is(items), Part::In("\\"), Part::In("b")],
            ],
        )?;
        for low in PRINTABLE.filter(|&low| !r"]\-".chars().any(|c| u32::from(c) == low)) {
            let range = [Part::Is(items), Part::Range(low, low), Part::In("-"), Part::Range(low, LAST)];
            self.rules(items, &[&range])?;
        }
        Ok(class)
    }
    fn rules(&mut self, lhs: Symbol, bodies: &[&[Part<'_>]]) -> Result<()> {
        let Symbol::Nonterminal(lhs) = lhs else { return Ok(()) };
        for body in bodies {
            let rhs = body.iter().map(|part| self.part(*part)).collect();
            self.production(lhs, rhs)?;
        }
        Ok(())
    }
    fn part(&mut self, part: Part<'_>) -> Symbol {
        let points = |text: &str| text.chars().map(|c| (u32::from(c), u32::from(c))).collect::<Vec<_>>();
        let ranges = match part {
            Part::Is(symbol) => return symbol,
            Part::In(text) => points(text),
            Part::NotIn(text) => without(0, &points(text)),
            // What would end the class or begin an escape is no end of a range.
            Part::Range(low, high) if low < high => {
                without(low, &points(r"\]")).into_iter().map(|(a, b)| (a, b.min(high))).collect()
            }
            Part::Range(low, high) => vec![(low, high)],
        };
        let class = self.text.spelling.class(&ranges);
        self.terminal("CHARACTER", class)
    }
}

const DIGITS: &str = "0123456789";
const ALPHANUMERIC: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A part of a right-hand side: a symbol, or one character.
#[derive(Clone, Copy)]
enum Part<'a> {
    Is(Symbol),
    In(&'a str),
    NotIn(&'a str),
    /// Between two code points.
    Range(u32, u32),
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
