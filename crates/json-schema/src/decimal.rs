//! Exact decimal numbers: digits and the place of the decimal point, compared by value.
//!
//! A number is kept as `± 0.d₁d₂…dₙ × 10^point` without leading or trailing zero digits, so equal values are equal
//! structures, comparison never rounds, and `1e999999999` costs a few bytes.

use std::cmp::Ordering;

/// An exact decimal number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    negative: bool,
    /// ASCII digits; neither the first nor the last is `0`; empty for zero.
    digits: Box<str>,
    /// The value is `0.digits × 10^point`; 0 for zero.
    point: i64,
}

impl Decimal {
    /// Zero.
    pub fn zero() -> Self {
        Self { negative: false, digits: "".into(), point: 0 }
    }
    /// Reads a number in JSON's (or any decimal) notation. `None` if it is not one or its exponent exceeds `±2^62`.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = match rest.find(['e', 'E']) {
            Some(at) => (rest.get(..at)?, rest.get(at + 1..)?.parse::<i64>().ok()?),
            None => (rest, 0),
        };
        let (int, frac) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{int}{frac}");
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) || exponent.unsigned_abs() > 1 << 62 {
            return None;
        }
        let stripped = digits.trim_start_matches('0');
        let leading = digits.len() - stripped.len();
        let point = exponent + int.len() as i64 - leading as i64;
        Some(Self::from_digits(negative, stripped, point))
    }
    fn from_digits(negative: bool, digits: &str, point: i64) -> Self {
        let digits = digits.trim_end_matches('0');
        if digits.is_empty() {
            return Self::zero();
        }
        Self { negative, digits: digits.into(), point }
    }
    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        self.negative
    }
    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }
    /// Whether it has no fraction.
    pub fn is_integer(&self) -> bool {
        self.digits.len() as i64 <= self.point || self.is_zero()
    }
    /// The value without its sign.
    pub fn magnitude(&self) -> Self {
        Self { negative: false, ..self.clone() }
    }
    /// The value with the other sign.
    pub fn negated(&self) -> Self {
        Self { negative: !self.negative && !self.is_zero(), ..self.clone() }
    }
    /// As a count: `None` if negative or not an integer; too large saturates.
    pub fn to_count(&self) -> Option<u32> {
        if self.negative || !self.is_integer() {
            return None;
        }
        if self.point > 10 {
            return Some(u32::MAX);
        }
        let (int, _) = self.parts();
        Some(int.parse::<u64>().map_or(u32::MAX, |n| u32::try_from(n).unwrap_or(u32::MAX)))
    }
    /// How many digits [`parts`](Self::parts) would write.
    pub fn plain_len(&self) -> u64 {
        let n = self.digits.len() as i64;
        let int = self.point.max(1);
        let frac = (n.saturating_sub(self.point)).max(0);
        (int.saturating_add(frac)) as u64
    }
    /// Digits before and after the decimal point of the magnitude: `"0"`, or without leading zero; without trailing
    /// zero. Check [`plain_len`](Self::plain_len) first: huge exponents write many digits.
    pub fn parts(&self) -> (String, String) {
        let n = self.digits.len() as i64;
        if self.is_zero() {
            ("0".into(), String::new())
        } else if self.point <= 0 {
            ("0".into(), format!("{}{}", "0".repeat(self.point.unsigned_abs() as usize), self.digits))
        } else if self.point >= n {
            (format!("{}{}", self.digits, "0".repeat((self.point - n) as usize)), String::new())
        } else {
            let (int, frac) = self.digits.split_at(self.point as usize);
            (int.into(), frac.into())
        }
    }
    /// Digits `d₁d₂…` and exponent `e` of the magnitude `d₁.d₂… × 10^e`; no digits for zero.
    pub fn scientific(&self) -> (&str, i64) {
        (&self.digits, self.point.saturating_sub(1))
    }
    fn cmp_magnitude(&self, other: &Self) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => self.point.cmp(&other.point).then_with(|| self.digits.cmp(&other.digits)),
        }
    }
    /// Whether `self` is an integer multiple of `divisor` (positive). `None` if that takes more than `budget` digits.
    pub fn is_multiple_of(&self, divisor: &Self, budget: usize) -> Option<bool> {
        if self.is_zero() {
            return Some(true);
        }
        let scale = |d: &Self| d.point.saturating_sub(d.digits.len() as i64);
        let low = scale(self).min(scale(divisor));
        let digits = |d: &Self| -> Option<num_bigint::BigUint> {
            let zeros = usize::try_from(scale(d).checked_sub(low)?).ok()?;
            if zeros.checked_add(d.digits.len())? > budget {
                return None;
            }
            format!("{}{}", d.digits, "0".repeat(zeros)).parse().ok()
        };
        let (value, divisor) = (digits(self)?, digits(divisor)?);
        let zero = num_bigint::BigUint::default();
        Some(divisor != zero && value % divisor == zero)
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => self.cmp_magnitude(other),
            (true, true) => other.cmp_magnitude(self),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn equal_values_are_equal() {
        for (a, b) in [("2", "2.0"), ("0", "-0.00e7"), ("1e3", "1000"), ("12e-1", "1.20"), ("0.001", "1e-3")] {
            assert_eq!(decimal(a), decimal(b), "{a} {b}");
        }
        assert!(decimal("1e999999999") > decimal("9e999999998"));
        assert!(decimal("-1e999999999") < decimal("-5"));
        assert!(Decimal::parse("1e99999999999999999999").is_none());
    }

    #[test]
    fn parts_and_counts() {
        assert_eq!(decimal("1230.4500").parts(), ("1230".into(), "45".into()));
        assert_eq!(decimal("0.0045").parts(), ("0".into(), "0045".into()));
        assert_eq!(decimal("1e3").parts(), ("1000".into(), String::new()));
        assert_eq!(decimal("1e3").plain_len(), 4);
        assert_eq!(decimal("3.0").to_count(), Some(3));
        assert_eq!(decimal("1e30").to_count(), Some(u32::MAX));
        assert_eq!(decimal("4294967296").to_count(), Some(u32::MAX));
        assert_eq!(decimal("1.5").to_count(), None);
        assert_eq!(decimal("-1").to_count(), None);
    }

    proptest! {
        #[test]
        fn order_agrees_with_scaled_integers(a in -5000i64..5000, b in -5000i64..5000, s in 0u32..4) {
            let text = |n: i64| format!("{n}e-{s}");
            prop_assert_eq!(decimal(&text(a)).cmp(&decimal(&text(b))), a.cmp(&b));
            let multiple = decimal(&text(a)).is_multiple_of(&decimal("0.7"), 100).unwrap();
            let seven = 7 * 10i64.pow(3) / 10;
            prop_assert_eq!(multiple, (a * 10i64.pow(3 - s)) % seven == 0);
        }
    }
}
