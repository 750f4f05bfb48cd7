//! Numbers: their spelling, their value, and which values a beginning may still have.
//!
//! A number is `digits · 10^exponent` with digits that neither begin nor end in 0; its text is the sign, the digits, a 0
//! byte and the exponent in decimal, so `1`, `1.0`, `1e0` and `10e-1` have one text. Nothing is rounded: exponents are
//! numbers of any length.
//!
//! What has been read fixes the first digits. A later exponent can move them anywhere, so a beginning is held to be
//! consistent with every value that has those digits in front, zeros added; that is a little more than what it can
//! become, never less.

use crate::pieces::Pieces;
use crate::run::Ranges;
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
    spelling: Option<Pieces<u8, 32>>,
    /// The values it must not take and may still take; all numbers of them.
    ranges: Ranges,
}

impl Number {
    /// Begins a number; `None` if no number begins like this.
    pub(crate) fn begin(byte: u8, keep: bool, ranges: Ranges) -> Option<Self> {
        let part = match byte {
            b'-' => Part::Minus,
            b'0' => Part::Zero,
            b'1'..=b'9' => Part::Integer,
            _ => return None,
        };
        let mut number = Self { part, spelling: keep.then(Pieces::default), ranges };
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
        !self.ranges.is_empty()
    }

    /// The text of its value, if wanted. O(length).
    pub(crate) fn text(&self) -> Option<Vec<u8>> {
        self.spelling.as_ref().map(|spelling| canonical(&spelling.to_vec()))
    }

    fn push(&mut self, byte: u8) {
        if let Some(spelling) = &mut self.spelling {
            spelling.push(byte);
            if !self.ranges.is_empty() && !consistent(&spelling.to_vec(), &self.ranges) {
                self.ranges.clear();
            }
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
}

/// A spelling, or its beginning, taken apart.
struct Parts<'a> {
    sign: u8,
    /// All digits before the exponent, without zeros in front.
    digits: Vec<u8>,
    /// How many of the digits read stand behind the point.
    fraction: usize,
    /// What stands behind `e`.
    exponent: Option<&'a [u8]>,
}

fn parts(spelling: &[u8]) -> Parts<'_> {
    let (sign, rest) = match spelling.strip_prefix(b"-") {
        Some(rest) => (b'-', rest),
        None => (b'+', spelling),
    };
    let mut halves = rest.splitn(2, |&byte| byte == b'e' || byte == b'E');
    let mantissa = halves.next().unwrap_or_default();
    let fraction = mantissa.iter().rev().position(|&byte| byte == b'.').unwrap_or(0);
    let digits = mantissa.iter().copied().filter(u8::is_ascii_digit).skip_while(|&digit| digit == b'0').collect();
    Parts { sign, digits, fraction, exponent: halves.next() }
}

/// The text of a complete number. O(length).
fn canonical(spelling: &[u8]) -> Vec<u8> {
    let Parts { sign, mut digits, fraction, exponent } = parts(spelling);
    let zeros = strip_zeros(&mut digits);
    if digits.is_empty() {
        return vec![tag::NUMBER, b'+', 0];
    }
    let exponent = shifted(exponent.unwrap_or_default(), zeros as i64 - fraction as i64);
    [&[tag::NUMBER, sign][..], &digits, &[0], exponent.as_bytes()].concat()
}

/// Takes the zeros from the end, and tells how many there were.
fn strip_zeros(digits: &mut Vec<u8>) -> usize {
    let len = digits.len();
    let end = digits.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1);
    digits.truncate(end);
    len - end
}

/// `exponent + by` in decimal, for an exponent as it may stand behind `e`.
fn shifted(exponent: &[u8], by: i64) -> String {
    let negative = exponent.starts_with(b"-");
    let magnitude: Vec<u8> =
        exponent.iter().copied().filter(u8::is_ascii_digit).skip_while(|&digit| digit == b'0').collect();
    if magnitude.len() <= 17 {
        let value = magnitude.iter().fold(0i64, |value, digit| value * 10 + i64::from(digit - b'0'));
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

/// Whether a number that begins like this may have one of these values. O(length + log values).
fn consistent(beginning: &[u8], ranges: &Ranges) -> bool {
    let Parts { sign, mut digits, exponent, .. } = parts(beginning);
    let has = |sign: u8, digits: &[u8], end: &[u8]| ranges.have_prefix(&[&[tag::NUMBER, sign], digits, end].concat());
    if digits.is_empty() {
        // 0, 0.00, -: zero, or no digit yet.
        return has(b'+', &[], &[0]) || exponent.is_none() && has(sign, &[], &[]);
    }
    let open = exponent.is_none() && has(sign, &digits, &[]);
    strip_zeros(&mut digits);
    open || has(sign, &digits, &[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Run;
    use crate::value::{Entry, Value};
    use std::sync::Arc;

    fn text(spelling: &str) -> Vec<u8> {
        let mut bytes = spelling.bytes();
        let mut number = Number::begin(bytes.next().unwrap(), true, Ranges::default()).unwrap();
        assert!(bytes.all(|byte| number.step(byte)) && number.is_complete(), "{spelling}");
        number.text().unwrap()
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
    fn beginnings_are_consistent_with_what_they_can_become() {
        let ranges = |values: &[&str]| {
            let entries = values.iter().map(|value| Entry::of(&Value::scalar(text(value)))).collect();
            Ranges::all([&Arc::new(Run::new(entries))], true)
        };
        for (value, can, cannot) in [
            ("1", ["1", "10", "0.1", "1e", "100e-2"], ["2", "-", "11", "1.01", "12e"]),
            ("120", ["1", "12", "1200", "0", "120.0"], ["13", "121", "-1", "2", "1e"]),
            ("0", ["0", "-", "-0.0", "0e5", "0.00"], ["1", "-1", "0.1", "0.01e", "-0.5"]),
            ("-2.5", ["-", "-2", "-25", "-0.00", "-250e"], ["2", "0", "-3", "-2.6", "-0e"]),
        ] {
            assert!(can.iter().all(|beginning| consistent(beginning.as_bytes(), &ranges(&[value]))), "{value}");
            assert!(!cannot.iter().any(|beginning| consistent(beginning.as_bytes(), &ranges(&[value]))), "{value}");
        }
    }
}
