//! `multipleOf` in general: an automaton that carries the remainder through the digits.
//!
//! Let the divisor be `P / 10ᵉ` with integers P and e ≥ 0. A decimal is a multiple iff the integer written by its digits
//! up to the e-th after the point (padded with zeros) is one of P, and all later digits are zeros. So a state is the
//! remainder modulo P of the digits read so far, and how many of them stand after the point: P · (e + 2) states. Zeros at
//! the end of an integer divisor are taken off P and guessed: a multiple of 7000 is one of 7, then three zeros.

use glrmask_automata::{ByteSet, Dfa, Nfa, StateId};

use crate::decimal::Decimal;
use crate::error::{Result, SchemaError};
use crate::language;
use crate::Limits;

/// Plain decimals, signed or not, without superfluous leading zeros, that are multiples of a number above zero.
pub(super) fn multiples(divisor: &Decimal, limits: &Limits) -> Result<Dfa> {
    let parts = Parts::of(divisor, limits)?;
    Remainders::build(&parts, limits).map_err(|error| language::automaton_error(&error, limits))
}

/// The divisor as `p · 10^zeros / 10^places`.
struct Parts {
    p: u64,
    places: usize,
    zeros: usize,
}

impl Parts {
    /// Errors if the automaton would exceed the limit.
    fn of(divisor: &Decimal, limits: &Limits) -> Result<Self> {
        let given = usize::try_from(divisor.plain_len()).unwrap_or(usize::MAX);
        if given > limits.digits {
            return Err(SchemaError::limit("digits of a divisor", given, limits.digits));
        }
        let (int, frac) = divisor.parts();
        let digits = format!("{int}{frac}");
        let significant = if frac.is_empty() { digits.trim_end_matches('0') } else { &digits };
        let p = significant.parse::<u64>().unwrap_or(u64::MAX);
        let (places, zeros) = (frac.len(), digits.len() - significant.len());
        let states = p.saturating_mul(places as u64 + 2).saturating_add(zeros as u64);
        let states = usize::try_from(states).unwrap_or(usize::MAX);
        match states > limits.regex_states {
            true => Err(SchemaError::limit("remainders of a divisor", states, limits.regex_states)),
            false => Ok(Self { p, places, zeros }),
        }
    }
}

type Built<T> = std::result::Result<T, glrmask_automata::AutomataError>;

struct Remainders {
    nfa: Nfa,
    p: u64,
    /// By number of digits after the point, then by remainder.
    rows: Vec<Vec<StateId>>,
}

impl Remainders {
    fn build(parts: &Parts, limits: &Limits) -> Built<Dfa> {
        let mut all = Self { nfa: Nfa::new(language::bounds(limits)), p: parts.p, rows: Vec::new() };
        for _ in 0..=parts.places {
            let row = (0..parts.p).map(|_| all.nfa.add_state()).collect::<Built<Vec<_>>>()?;
            all.rows.push(row);
        }
        all.heads()?;
        all.digits()?;
        match parts.zeros {
            0 => all.tails()?,
            zeros => all.guessed_zeros(zeros)?,
        }
        all.nfa.determinize()
    }
    fn state(&self, row: usize, remainder: u64) -> StateId {
        self.rows[row][(remainder % self.p) as usize]
    }
    fn edge(&mut self, from: StateId, digit: u64, to: StateId) -> Built<()> {
        self.nfa.add_edge(from, &ByteSet::single(b'0' + digit as u8), to)
    }
    /// The sign, and the first digit: nothing but the point may follow a zero.
    fn heads(&mut self) -> Built<()> {
        let (start, unsigned, zero) = (self.nfa.start(), self.nfa.add_state()?, self.nfa.add_state()?);
        self.nfa.add_edge(start, &ByteSet::single(b'-'), unsigned)?;
        self.nfa.add_epsilon(start, unsigned)?;
        self.edge(unsigned, 0, zero)?;
        for digit in 1..10 {
            self.edge(unsigned, digit, self.state(0, digit))?;
        }
        self.nfa.set_label(zero, 0)?;
        self.point(zero, 0)
    }
    /// The digits that count.
    fn digits(&mut self) -> Built<()> {
        for row in 0..self.rows.len() {
            // Before the point a number stays in its row; the digits after it take a row each.
            let next = if row == 0 { Some(0) } else { Some(row + 1).filter(|&next| next < self.rows.len()) };
            let Some(next) = next else { continue };
            for remainder in 0..self.p {
                for digit in 0..10 {
                    self.edge(self.state(row, remainder), digit, self.state(next, remainder * 10 + digit))?;
                }
            }
        }
        Ok(())
    }
    /// A point and the first digit after it.
    fn point(&mut self, from: StateId, remainder: u64) -> Built<()> {
        let after = self.nfa.add_state()?;
        self.nfa.add_edge(from, &ByteSet::single(b'.'), after)?;
        if self.rows.len() == 1 {
            return if remainder == 0 { self.zeros(after) } else { Ok(()) };
        }
        (0..10).try_for_each(|digit| self.edge(after, digit, self.state(1, remainder * 10 + digit)))
    }
    /// At least one zero and nothing else.
    fn zeros(&mut self, from: StateId) -> Built<()> {
        let zeros = self.nfa.add_state()?;
        self.nfa.set_label(zeros, 0)?;
        self.edge(from, 0, zeros)?;
        self.edge(zeros, 0, zeros)
    }
    /// From a remainder of zero, so many zeros.
    fn guessed_zeros(&mut self, count: usize) -> Built<()> {
        let mut here = self.state(0, 0);
        for _ in 0..count {
            let next = self.nfa.add_state()?;
            self.edge(here, 0, next)?;
            here = next;
        }
        self.nfa.set_label(here, 0)?;
        self.point(here, 0)
    }
    /// Where a number may end, and zeros beyond the last digit that counts.
    fn tails(&mut self) -> Built<()> {
        let mut padding = 1 % self.p;
        for row in (0..self.rows.len()).rev() {
            for remainder in 0..self.p {
                if (remainder * padding).is_multiple_of(self.p) {
                    self.nfa.set_label(self.state(row, remainder), 0)?;
                }
            }
            padding = padding * 10 % self.p;
        }
        for remainder in 0..self.p {
            self.point(self.state(0, remainder), remainder)?;
        }
        match self.rows.len() - 1 {
            0 => Ok(()),
            last => self.zeros(self.state(last, 0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
        #[test]
        fn multiples_by_value(p in 1u32..40, e in -3i32..3, n in prop::collection::vec(-2000i32..2000, 30), scale in 0usize..5) {
            let divisor = decimal(&format!("{p}e{e}"));
            let dfa = multiples(&divisor, &Limits::default()).unwrap();
            for n in n {
                for factor in [1, i64::from(p), 1000 * i64::from(p)] {
                    let n = i64::from(n) * factor;
                    let digits = format!("{:0width$}", n.abs(), width = scale + 1);
                    let (int, frac) = digits.split_at(digits.len() - scale);
                    let point = if scale == 0 { "" } else { "." };
                    let text = format!("{}{int}{point}{frac}", if n < 0 { "-" } else { "" });
                    let expected = decimal(&text).is_multiple_of(&divisor, 100).unwrap();
                    prop_assert_eq!(dfa.accepts(text.as_bytes()), expected, "{} multiple of {}e{}", text, p, e);
                }
            }
        }
    }

    #[test]
    fn only_decimals() {
        let dfa = multiples(&decimal("7"), &Limits::default()).unwrap();
        for good in ["0", "7", "-14.00", "0.0", "700", "-0"] {
            assert!(dfa.accepts(good.as_bytes()), "{good}");
        }
        for bad in ["", "07", "7.", ".0", "-", "7e0", "00", "0.7"] {
            assert!(!dfa.accepts(bad.as_bytes()), "{bad}");
        }
        assert!(multiples(&decimal("123456789"), &Limits::default()).is_err());
        assert!(multiples(&decimal("1e999999"), &Limits::default()).is_err());
    }
}
