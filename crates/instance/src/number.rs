//! Numbers: their spelling, their value, and which values a beginning may still have.
//!
//! A number is `digits · 10^exponent` with digits that neither begin nor end in 0; its text is the sign, the digits, a 0
//! byte and the exponent in decimal, so `1`, `1.0`, `1e0` and `10e-1` have one text. Nothing is rounded: exponents are
//! numbers of any length.
//!
//! What has been read fixes the first digits, and that sorts the earlier values it may still become into two ranges:
//!
//! ```text
//! open    their digits begin with those read, zeros added       12 and 120 after 1; 120 after 120
//! same    their digits are those read, but for zeros at the end   1 and 10 after 1, 1.0 and 100e
//! ```
//!
//! A digit narrows the first, and if it is not 0 the second is what of the first ends there. Zeros leave the second as it
//! is, for an exponent, or digits before the point, can still move the value. From the exponent on there is only the
//! second, and of it the values whose exponent can still be reached. So a byte costs O(log values), and in an exponent
//! O(values with these digits), however long the number is.

use glrmask_automata::ByteSet;

use crate::pieces::Pieces;
use crate::run::{Identity, Ranges};
use crate::value::tag;

/// Where the spelling stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Minus,
    Zero,
    Integer,
    Point,
    Fraction,
    Exponent,
    ExponentSign,
    ExponentDigits,
}

/// A number in progress.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    part: Part,
    /// What has been read, if the value is wanted.
    read: Option<Read>,
    /// Values it must not take, whose digits begin with those read.
    open: Ranges,
    /// Values it must not take, whose digits are those read but for zeros at the end.
    same: Ranges,
}

/// A spelling taken apart.
#[derive(Clone, Debug, Default)]
struct Read {
    negative: bool,
    /// Digits before the exponent, without zeros in front.
    digits: Pieces<u8, 24>,
    /// How many of them are zeros at the end.
    zeros: usize,
    /// How many digits stand behind the point.
    fraction: usize,
    exponent: Exponent,
}

#[derive(Clone, Debug, Default)]
struct Exponent {
    negative: bool,
    /// Digits without zeros in front.
    magnitude: Pieces<u8, 8>,
    /// The value of as many of them as fit.
    value: u64,
}

impl Number {
    /// Begins a number; `None` if no number begins like this.
    pub(crate) fn begin(byte: u8, keep: bool, ranges: &Ranges) -> Option<Self> {
        let part = match byte {
            b'-' => Part::Minus,
            b'0' => Part::Zero,
            b'1'..=b'9' => Part::Integer,
            _ => return None,
        };
        let (mut read, mut open, mut same) = (keep.then(Read::default), Ranges::default(), Ranges::default());
        if let Some(read) = &mut read {
            let numbers = ranges.narrowed(0, tag::NUMBER);
            read.negative = byte == b'-';
            // -0 is 0.
            same = numbers.narrowed(1, b'+').narrowed(2, 0);
            open = numbers.narrowed(1, if read.negative { b'-' } else { b'+' });
        }
        let mut number = Self { part, read, open, same };
        number.push(byte);
        Some(number)
    }

    /// Reads one byte more; tells whether the number goes on with it.
    pub(crate) fn step(&mut self, byte: u8) -> bool {
        let Some(part) = self.part.next(byte) else { return false };
        self.part = part;
        self.push(byte);
        true
    }

    /// Whether it may end here.
    pub(crate) fn is_complete(&self) -> bool {
        matches!(self.part, Part::Zero | Part::Integer | Part::Fraction | Part::ExponentDigits)
    }

    pub(crate) fn is_at_stake(&self) -> bool {
        !self.open.is_empty() || !self.same.is_empty()
    }

    /// The text of its value, if wanted. O(length).
    pub(crate) fn text(&self) -> Option<Vec<u8>> {
        self.read.as_ref().map(Read::text)
    }

    /// Digits after which nothing is at stake any more, and which may come.
    pub(crate) fn leads_off(&self) -> ByteSet {
        let Some(read) = self.read.as_ref().filter(|_| self.part.goes_on_with_digits()) else { return ByteSet::EMPTY };
        ByteSet::range(b'1', b'9').difference(&self.open.bytes_at(read.depth()))
    }

    /// What tells it from other numbers that had the same ranges to begin with: what its future depends on, and no more.
    pub(crate) fn identify(&self, out: &mut Identity) {
        out.extend([self.part as u64, u64::from(self.read.is_some())]);
        self.open.identify(out);
        self.same.identify(out);
        let Some(read) = &self.read else { return };
        // Values of the same digits have the digits, and how many zeros follow is in the scale.
        let is_only_same = self.open.is_empty() && !self.same.is_empty();
        if !is_only_same {
            out.extend([read.digits.len() as u64, read.zeros as u64]);
        }
        if !self.is_at_stake() {
            out.extend(read.significant().into_iter().map(u64::from));
        }
        if read.digits.len() == 0 && (is_only_same || self.part.is_exponent()) {
            // It is 0, or about to be set free.
            return;
        }
        let signs = u64::from(read.negative) << 1 | u64::from(read.exponent.negative);
        out.extend([read.scale() as u64, signs]);
        out.extend(read.exponent.magnitude.to_vec().into_iter().map(u64::from));
    }

    fn push(&mut self, byte: u8) {
        let Some(read) = &mut self.read else { return };
        match (self.part, byte) {
            (Part::Exponent, _) => self.open.clear(),
            (Part::ExponentSign | Part::ExponentDigits, _) => {
                read.exponent.push(byte);
                read.retain_reachable(&mut self.same);
            }
            (_, b'0'..=b'9') => {
                read.fraction += usize::from(self.part == Part::Fraction);
                if byte == b'0' && read.digits.len() == 0 {
                    return;
                }
                self.open.narrow(read.depth(), byte);
                read.digits.push(byte);
                read.zeros = if byte == b'0' { read.zeros + 1 } else { 0 };
                if byte != b'0' {
                    self.same = self.open.narrowed(read.depth(), 0);
                }
            }
            _ => {}
        }
    }
}

impl Part {
    fn next(self, byte: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::Minus, b'0') => Self::Zero,
            (Self::Minus, b'1'..=b'9') | (Self::Integer, b'0'..=b'9') => Self::Integer,
            (Self::Zero | Self::Integer, b'.') => Self::Point,
            (Self::Point | Self::Fraction, b'0'..=b'9') => Self::Fraction,
            (Self::Zero | Self::Integer | Self::Fraction, b'e' | b'E') => Self::Exponent,
            (Self::Exponent, b'+' | b'-') => Self::ExponentSign,
            (Self::Exponent | Self::ExponentSign | Self::ExponentDigits, b'0'..=b'9') => Self::ExponentDigits,
            _ => return None,
        })
    }

    fn is_exponent(self) -> bool {
        matches!(self, Self::Exponent | Self::ExponentSign | Self::ExponentDigits)
    }

    /// Whether any digit may come, and is one before the exponent.
    fn goes_on_with_digits(self) -> bool {
        matches!(self, Self::Integer | Self::Point | Self::Fraction)
    }
}

impl Read {
    /// Where in the texts of values the next digit stands.
    fn depth(&self) -> usize {
        2 + self.digits.len()
    }

    /// The digits without zeros at the end. O(length).
    fn significant(&self) -> Vec<u8> {
        let mut digits = self.digits.to_vec();
        digits.truncate(digits.len() - self.zeros);
        digits
    }

    /// The power of ten that the last significant digit stands for, but for the exponent.
    fn scale(&self) -> i64 {
        self.zeros as i64 - self.fraction as i64
    }

    /// The text of the value. O(length).
    fn text(&self) -> Vec<u8> {
        let digits = self.significant();
        if digits.is_empty() {
            return vec![tag::NUMBER, b'+', 0];
        }
        let exponent = shifted(&self.exponent, self.scale());
        let sign = if self.negative { b'-' } else { b'+' };
        [&[tag::NUMBER, sign][..], &digits, &[0], exponent.as_bytes()].concat()
    }

    /// Clears values of these digits unless the exponent, of which a sign or digit has been read, can become that of one.
    fn retain_reachable(&self, same: &mut Ranges) {
        // The value is 0 whatever the exponent is.
        if self.digits.len() == 0 || same.is_empty() {
            return;
        }
        let begin = self.depth() - self.zeros + 1;
        let can_become = |text: &[u8]| self.exponent.reaches(text.get(begin..).unwrap_or_default(), self.scale());
        if !same.any(can_become) {
            same.clear();
        }
    }
}

impl Exponent {
    fn push(&mut self, byte: u8) {
        self.negative |= byte == b'-';
        if byte.is_ascii_digit() && (byte != b'0' || self.magnitude.len() > 0) {
            self.magnitude.push(byte);
            self.value = self.value.saturating_mul(10).saturating_add(u64::from(byte - b'0'));
        }
    }

    /// Whether an exponent that begins like this can become one that is `wanted` when `scale` is added. Of wanted ones with
    /// more than 18 digits that is assumed unless this has far more.
    fn reaches(&self, wanted: &[u8], scale: i64) -> bool {
        if wanted.len() > 18 {
            return self.magnitude.len() <= wanted.len() + 1;
        }
        let Some(wanted) = std::str::from_utf8(wanted).ok().and_then(|text| text.parse::<i64>().ok()) else {
            return true;
        };
        let spelled = wanted - scale;
        if spelled == 0 || self.value == 0 {
            return self.value == 0 && (spelled == 0 || (spelled < 0) == self.negative);
        }
        let mut rest = spelled.unsigned_abs();
        while rest > self.value {
            rest /= 10;
        }
        (spelled < 0) == self.negative && rest == self.value
    }
}

/// `exponent + by` in decimal.
fn shifted(exponent: &Exponent, by: i64) -> String {
    let (negative, magnitude) = (exponent.negative, exponent.magnitude.to_vec());
    if magnitude.len() <= 17 {
        let value = exponent.value as i64;
        return if negative { by - value } else { by + value }.to_string();
    }
    // `by` counts bytes read, far fewer than 10¹⁷: the sign stays.
    let by = if negative { -by } else { by };
    let sum = add(magnitude, by);
    let digits = String::from_utf8_lossy(&sum);
    format!("{}{}", if negative { "-" } else { "" }, digits.trim_start_matches('0'))
}

/// `number + by` for a decimal number that is larger than `-by`.
fn add(mut number: Vec<u8>, by: i64) -> Vec<u8> {
    let mut carry = by;
    for digit in number.iter_mut().rev() {
        let sum = i64::from(*digit - b'0') + carry;
        *digit = b'0' + sum.rem_euclid(10) as u8;
        carry = sum.div_euclid(10);
    }
    if carry > 0 {
        number.splice(0..0, carry.to_string().into_bytes());
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Run;
    use crate::value::{Entry, Value};
    use std::sync::Arc;

    fn read(spelling: &str, ranges: &Ranges) -> Number {
        let mut bytes = spelling.bytes();
        let mut number = Number::begin(bytes.next().unwrap(), true, ranges).unwrap();
        assert!(bytes.all(|byte| number.step(byte)), "{spelling}");
        number
    }

    fn text(spelling: &str) -> Vec<u8> {
        let number = read(spelling, &Ranges::default());
        assert!(number.is_complete(), "{spelling}");
        number.text().unwrap()
    }

    fn ranges(values: &[&str]) -> Ranges {
        let entries = values.iter().map(|value| Entry::of(&Value::scalar(text(value)))).collect();
        Ranges::all([&Arc::new(Run::new(entries))], true)
    }

    #[test]
    fn spellings_of_one_value_have_one_text() {
        let long = "1".repeat(40);
        let big = [format!("1e{long}"), format!("10e{}0", &long[..39]), format!("0.1e+00{}2", &long[..39])];
        let classes: [&[&str]; 8] = [
            &["0", "-0", "0.000", "0e99999999999999999999", "-0.0E-1"],
            &["1", "1.0", "1e0", "10e-1", "0.1e1", "0.001E+3", "1000.00e-03"],
            &["-1", "-1.0", "-0.1e1"],
            &["10", "1e1", "1E+1"],
            &["12.5", "125e-1", "0.0125e3"],
            &["1e100000000000000000", "10e99999999999999999", "0.1e100000000000000001"],
            &["1e-100000000000000000", "10e-100000000000000001", "0.1e-99999999999999999"],
            &[&big[0], &big[1], &big[2]],
        ];
        for (i, class) in classes.iter().enumerate() {
            assert!(class.iter().all(|spelling| text(spelling) == text(class[0])), "{class:?}");
            assert!(classes[..i].iter().all(|other| text(other[0]) != text(class[0])), "{class:?}");
        }
    }

    #[test]
    fn beginnings_are_at_stake_with_what_they_can_become() {
        for (value, can, cannot) in [
            ("1", vec!["1", "10", "0.1", "1e", "100e-2", "100e-", "0.01e00"], vec!["2", "11", "1.01", "12e", "1e5"]),
            ("120", vec!["1", "12", "1200", "0", "120.0", "12e1", "12e01"], vec!["13", "121", "-1", "1e", "12e2"]),
            ("0", vec!["0", "-", "-0.0", "0e5", "0.00"], vec!["1", "-1", "0.1", "0.01e", "-0.5"]),
            ("-2.5", vec!["-", "-2", "-25", "-0.00", "-250e", "-25e-1"], vec!["2", "0", "-3", "-2.6", "-0e", "-25e1"]),
            ("1e30", vec!["1e3", "1e30", "10e2", "1e+", "0.1e3"], vec!["1e-", "1e4", "1e300", "10e3", "0.1e30"]),
            ("7e123456789012345678901", vec!["7e12", "70e9"], vec!["8e12", "7e1234567890123456789012345"]),
        ] {
            let ranges = ranges(&[value]);
            assert!(can.iter().all(|beginning| read(beginning, &ranges).is_at_stake()), "{value}");
            assert!(!cannot.iter().any(|beginning| read(beginning, &ranges).is_at_stake()), "{value}");
        }
    }

    /// All spellings of up to six bytes, and what of them can become one of few values by four bytes more.
    #[test]
    fn what_can_become_a_value_is_at_stake() {
        let ranges = ranges(&["1", "10", "0.1", "101", "-1", "0", "11e2"]);
        let values: Vec<Vec<u8>> = ["1", "10", "0.1", "101", "-1", "0", "11e2"].into_iter().map(text).collect();
        let begin = b"-01".iter().filter_map(|&byte| Number::begin(byte, true, &ranges));
        let mut level: Vec<(Number, Vec<bool>)> = begin.map(|number| (number, Vec::new())).collect();
        for length in 1..9 {
            let mut next = Vec::new();
            for (number, at_stake) in &level {
                let at_stake = [at_stake.as_slice(), &[number.is_at_stake()]].concat();
                if number.is_complete() && values.contains(&number.text().unwrap()) {
                    assert!(at_stake.iter().all(|&is| is), "{number:?}");
                }
                for byte in number.leads_off().iter() {
                    let mut other = number.clone();
                    assert!(other.step(byte) && !other.is_at_stake());
                }
                for &byte in b"01.e-".iter().filter(|_| length < 8) {
                    let mut other = number.clone();
                    if other.step(byte) {
                        next.push((other, at_stake.clone()));
                    }
                }
            }
            level = next;
        }
    }

    /// Numbers of one identity do the same from there on.
    #[test]
    fn spellings_that_behave_alike_have_one_identity() {
        let earlier = ranges(&["1", "100", "25"]);
        let identity = |spelling: &str| {
            let mut out = Identity::new();
            read(spelling, &earlier).identify(&mut out);
            out
        };
        for class in [&["1.0", "1.00", "1.000000"][..], &["2.50", "2.500"], &["1e0", "1e00"], &["100e-2", "100e-02"]] {
            // One 0 more is still in front of no digit of an earlier value.
            assert!(class.iter().all(|spelling| identity(spelling) == identity(class[0])), "{class:?}");
        }
        let apart = ["1", "1.0", "10", "100", "1e", "1e-", "1e0", "25", "2.5", "-1", "7", "70", "7.0"];
        for (i, spelling) in apart.iter().enumerate() {
            assert!(apart[..i].iter().all(|other| identity(other) != identity(spelling)), "{spelling}");
        }
    }

    #[test]
    fn long_numbers_cost_their_length() {
        let earlier = ranges(&["1"]);
        let mut number = read("1", &earlier);
        assert!((0..300_000).all(|_| number.clone().step(b'0') && number.step(b'0')));
        assert!(number.is_at_stake() && number.step(b'1') && !number.is_at_stake());
        assert!(number.step(b'e') && (0..300_000).all(|_| number.step(b'9')));
        assert_eq!(number.text().unwrap().len(), 2 + 300_002 + 1 + 300_000);
    }
}
