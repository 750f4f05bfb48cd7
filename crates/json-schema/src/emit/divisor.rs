//! `multipleOf`, where the last digits tell: divisors `p / 10^k` with `p` dividing a power of ten.
//!
//! Whether a number is a multiple then depends on a window of at most four digits around the decimal point, followed
//! by zeros only. Other divisors need a remainder over all digits (`remainder.rs`), which is not written as a regular
//! expression of sensible size.

use glrmask_automata::Regex;

use super::number::{digit, integer, nonzero, set};
use crate::decimal::Decimal;

/// Widest window.
const MAX_WINDOW: u32 = 4;

/// Whether [`multiples`] can express the multiples of this number.
pub(super) fn is_expressible(divisor: &Decimal) -> bool {
    Window::of(divisor).is_some()
}

/// Plain decimals, signed or not, that are multiples of the number.
pub(super) fn multiples(divisor: &Decimal) -> Option<Regex> {
    let window = Window::of(divisor)?;
    Some(Regex::concat([set("-").optional(), window.unsigned()]))
}

/// The digits that decide: `before` of them before the decimal point, `after` behind it.
struct Window {
    p: u64,
    before: u32,
    after: u32,
}

impl Window {
    fn of(divisor: &Decimal) -> Option<Self> {
        if divisor.plain_len() > 12 {
            return None;
        }
        let (int, frac) = divisor.parts();
        let p: u64 = format!("{int}{frac}").parse().ok().filter(|&p| p > 0)?;
        let after = frac.len() as u32;
        let digits = (0..=MAX_WINDOW).find(|&m| 10u64.pow(m) % p == 0)?;
        let before = digits.saturating_sub(after);
        (before + after <= MAX_WINDOW).then_some(Self { p, before, after })
    }
    fn unsigned(&self) -> Regex {
        let scale = 10u64.pow(self.after);
        let count = 10u64.pow(self.before) * scale;
        let windows = (0..count).filter(|n| n % self.p == 0).map(|n| {
            let (int, frac) = (n / scale, n % scale);
            Regex::concat([self.integers(int), self.fraction(frac)])
        });
        Regex::alternate(windows)
    }
    /// Integers that end in these digits.
    fn integers(&self, end: u64) -> Regex {
        if self.before == 0 {
            return integer();
        }
        let padded = format!("{end:0width$}", width = self.before as usize);
        let longer = Regex::concat([nonzero(), digit().star(), Regex::literal(padded)]);
        Regex::alternate([Regex::literal(end.to_string()), longer])
    }
    /// A fraction with exactly this value.
    fn fraction(&self, value: u64) -> Regex {
        if value == 0 {
            return super::number::zero_fraction();
        }
        let padded = format!("{value:0width$}", width = self.after as usize);
        Regex::concat([set("."), Regex::literal(padded.trim_end_matches('0')), set("0").star()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glrmask_automata::Limits;

    #[test]
    fn multiples_by_value() {
        for divisor in ["1", "2", "5", "10", "16", "25", "100", "1000", "0.1", "0.01", "0.25", "0.5", "2.5", "0.0001"] {
            let number = Decimal::parse(divisor).unwrap();
            let dfa = multiples(&number).unwrap().compile(&Limits::default()).unwrap();
            for n in (0..4000).chain([12500, 99975, 100000]) {
                for text in
                    [format!("{}.{:02}", n / 100, n % 100), format!("-{}.{:03}", n / 1000, n % 1000), n.to_string()]
                {
                    let expected = Decimal::parse(&text).unwrap().is_multiple_of(&number, 100).unwrap();
                    assert_eq!(dfa.accepts(text.as_bytes()), expected, "{text} multiple of {divisor}");
                }
            }
        }
        for divisor in ["3", "7", "0.3", "1e-9", "60"] {
            assert!(!is_expressible(&Decimal::parse(divisor).unwrap()), "{divisor}");
        }
    }
}
