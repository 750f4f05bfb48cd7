//! Numbers as text: regular languages of decimals by value.
//!
//! Bounds compare digit strings: a longer integer part is larger, equal lengths compare digit by digit, fractions
//! compare as if padded with zeros. A bounded number may also be written with a normalised exponent (`1e-06`, what
//! `json.dumps` prints): first the exponents compare, then the mantissas. With free exponents bounds would not be
//! regular. Negative numbers are a sign before the mirrored interval; a bounded zero has no sign.

use glrmask_automata::{ByteSet, Regex};

use super::divisor;
use crate::decimal::Decimal;
use crate::error::{Result, SchemaError};
use crate::schema::Bound;
use crate::shape::NumberShape;

/// Plain decimals longer than this are written with an exponent.
const MAX_PLAIN: u64 = 1000;

/// The texts of a set of numbers, as far as a small expression can tell: divisors that are not
/// [expressible](divisor::is_expressible) are left out. `None` if there is none.
pub(crate) fn language(shape: &NumberShape) -> Option<Regex> {
    if shape.is_visibly_empty() || !(shape.integers || shape.fractions) {
        return None;
    }
    if shape.is_free() && shape.integers {
        return Some(free(shape));
    }
    let exponents = shape.fractions && shape.integers && shape.has_no_holes();
    let interval = Interval { lower: shape.lower.as_ref(), upper: shape.upper.as_ref(), exponents };
    let mut language = interval.signed();
    if !(shape.fractions && shape.integers) {
        language = language.intersect(&whole(shape.integers, shape.zero_fraction));
    }
    for multiples in shape.multiple_of.iter().filter_map(divisor::multiples) {
        language = language.intersect(&multiples);
    }
    for multiples in shape.not_multiple_of.iter().filter_map(divisor::multiples) {
        language = language.difference(&multiples);
    }
    if !shape.excluded.is_empty() {
        language = language.difference(&Regex::alternate(shape.excluded.iter().map(plain_by_value)));
    }
    Some(language)
}

/// Whether the plain decimals of all excluded numbers can be told.
///
/// # Errors
/// One is too long.
pub(crate) fn check_excluded(shape: &NumberShape) -> Result<()> {
    let longest = shape.excluded.iter().map(Decimal::plain_len).max().unwrap_or(0);
    if longest > MAX_PLAIN {
        let given = usize::try_from(longest).unwrap_or(usize::MAX);
        return Err(SchemaError::limit("digits of an excluded number", given, MAX_PLAIN as usize));
    }
    Ok(())
}

/// Every spelling of one number that the schema may fix: decimals with any number of trailing zeros, and what
/// `json.dumps` prints.
pub(crate) fn spelled(number: &Decimal) -> Regex {
    let (digits, exponent) = number.scientific();
    let exponential = !number.is_zero() && !(-4..16).contains(&exponent);
    let scientific = exponential.then(|| {
        let (head, tail) = digits.split_at(1.min(digits.len()));
        let point = if tail.is_empty() { "" } else { "." };
        let (sign, size) = (if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs());
        Regex::literal(format!("{}{head}{point}{tail}e{sign}{size:02}", sign_of(number)))
    });
    let plain = (number.plain_len() <= MAX_PLAIN).then(|| plain_spelled(number));
    Regex::alternate(plain.into_iter().chain(scientific))
}

fn plain_spelled(number: &Decimal) -> Regex {
    if number.plain_len() > MAX_PLAIN {
        return Regex::empty();
    }
    let (int, frac) = number.parts();
    let zeros = set("0");
    let text = format!("{}{int}", sign_of(number));
    match frac.is_empty() {
        true => Regex::concat([Regex::literal(text), zero_fraction()]),
        false => Regex::concat([Regex::literal(format!("{text}.{frac}")), zeros.star()]),
    }
}

/// Every plain decimal of this value: zero may have a sign.
fn plain_by_value(number: &Decimal) -> Regex {
    match number.is_zero() {
        true => Regex::concat([set("-").optional(), plain_spelled(number)]),
        false => plain_spelled(number),
    }
}

fn sign_of(number: &Decimal) -> &'static str {
    if number.is_negative() {
        "-"
    } else {
        ""
    }
}

/// Numbers without any assertion.
fn free(shape: &NumberShape) -> Regex {
    let tail = match (shape.fractions, shape.zero_fraction) {
        (true, _) => {
            let exponent = Regex::concat([set("eE"), set("+-").optional(), digit().plus()]);
            Regex::concat([any_fraction(), exponent.optional()])
        }
        (false, true) => zero_fraction(),
        (false, false) => Regex::epsilon(),
    };
    Regex::concat([set("-").optional(), integer(), tail])
}

/// Plain decimals that are integers, or that are not.
fn whole(integers: bool, zero_fraction_allowed: bool) -> Regex {
    let tail = match (integers, zero_fraction_allowed) {
        (true, true) => zero_fraction(),
        (true, false) => Regex::epsilon(),
        (false, _) => Regex::concat([set("."), digit().star(), nonzero(), digit().star()]),
    };
    Regex::concat([set("-").optional(), integer(), tail])
}

struct Interval<'b> {
    lower: Option<&'b Bound>,
    upper: Option<&'b Bound>,
    exponents: bool,
}

impl Interval<'_> {
    fn signed(&self) -> Regex {
        let zero = Bound { value: Decimal::zero(), exclusive: false };
        let open_zero = Bound { value: Decimal::zero(), exclusive: true };
        let mirrored = |bound: &Bound| Bound { value: bound.value.negated(), exclusive: bound.exclusive };
        let mut sides = Vec::new();
        if self.upper.is_none_or(|upper| upper.value > zero.value || (upper.value == zero.value && !upper.exclusive)) {
            let lower = self.lower.filter(|lower| !lower.value.is_negative()).unwrap_or(&zero);
            sides.push(self.magnitudes(lower, self.upper));
        }
        if self.lower.is_none_or(|lower| lower.value.is_negative()) {
            let least = self.upper.map(mirrored).filter(|least| least.value > zero.value).unwrap_or(open_zero);
            let most = self.lower.map(mirrored);
            sides.push(Regex::concat([set("-"), self.magnitudes(&least, most.as_ref())]));
        }
        if self.lower.is_none() && self.upper.is_none() {
            sides.push(Regex::concat([Regex::literal("-0"), zero_fraction()]));
        }
        Regex::alternate(sides)
    }
    /// Unsigned numbers between bounds, both at least zero.
    fn magnitudes(&self, lower: &Bound, upper: Option<&Bound>) -> Regex {
        let above = self.side(lower, Side::Above);
        match upper {
            None => above,
            Some(upper) if lower.value.is_zero() && !lower.exclusive => self.side(upper, Side::Below),
            Some(upper) => above.intersect(&self.side(upper, Side::Below)),
        }
    }
    fn side(&self, bound: &Bound, side: Side) -> Regex {
        let (int, frac) = bound.value.parts();
        let plain = decimals(int.as_bytes(), frac.as_bytes(), side, bound.exclusive);
        if !self.exponents {
            return plain;
        }
        Regex::alternate([plain, exponential(bound, side)])
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Above,
    Below,
}

/// Unsigned decimals on one side of `int.frac`.
fn decimals(int: &[u8], frac: &[u8], side: Side, exclusive: bool) -> Regex {
    let other = Regex::concat([integers_beyond(int, side), any_fraction()]);
    let same = Regex::concat([Regex::literal(int), fractions(frac, side, exclusive)]);
    Regex::alternate([other, same])
}

/// Integers without leading zero strictly on one side of `int`.
fn integers_beyond(int: &[u8], side: Side) -> Regex {
    let length = int.len() as u32;
    let mut forms = Vec::new();
    match side {
        Side::Above => forms.push(Regex::concat([nonzero(), digit().repeat(length, None)])),
        Side::Below if length > 1 => {
            forms.push(set("0"));
            forms.push(Regex::concat([nonzero(), digit().repeat(0, Some(length - 2))]));
        }
        Side::Below => {}
    }
    for (i, &d) in int.iter().enumerate() {
        let least = if i == 0 && length > 1 { b'1' } else { b'0' };
        let better = beyond(d, side, least);
        let rest = length - 1 - i as u32;
        forms.push(Regex::concat([Regex::literal(&int[..i]), better, digit().repeat(rest, Some(rest))]));
    }
    Regex::alternate(forms)
}

/// Digits on one side of `d`, at least `least`.
fn beyond(d: u8, side: Side, least: u8) -> Regex {
    let range = match side {
        Side::Above => d + 1..=b'9',
        Side::Below => least..=d.saturating_sub(1),
    };
    Regex::bytes(range.collect())
}

/// Fractions (with their point, or empty) on one side of `.frac`, which has no trailing zero.
fn fractions(frac: &[u8], side: Side, exclusive: bool) -> Regex {
    let zeros = set("0").star();
    let mut forms = Vec::new();
    for (i, &d) in frac.iter().enumerate() {
        forms.push(Regex::concat([Regex::literal(&frac[..i]), beyond(d, side, b'0'), digit().star()]));
        if side == Side::Below && i > 0 {
            forms.push(Regex::literal(&frac[..i]));
        }
    }
    let exact = Regex::literal(frac);
    if side == Side::Above {
        forms.push(Regex::concat([exact.clone(), zeros.clone(), nonzero(), digit().star()]));
    }
    let mut with_empty = side == Side::Below && !frac.is_empty();
    if !exclusive {
        let tail = if frac.is_empty() { set("0").plus() } else { zeros };
        forms.push(Regex::concat([exact, tail]));
        with_empty |= frac.is_empty();
    }
    let written = Regex::concat([set("."), Regex::alternate(forms)]);
    if with_empty {
        written.optional()
    } else {
        written
    }
}

/// Unsigned normalised exponent forms on one side of a bound that is not negative.
fn exponential(bound: &Bound, side: Side) -> Regex {
    let any_mantissa = Regex::concat([nonzero(), any_fraction()]);
    let (digits, exponent) = bound.value.scientific();
    if digits.is_empty() {
        return match side {
            Side::Above => Regex::concat([any_mantissa, any_exponent()]),
            Side::Below => Regex::empty(),
        };
    }
    let (head, tail) = digits.as_bytes().split_at(1);
    let one_digit = Regex::concat([nonzero(), any_fraction()]);
    let mantissa = decimals(head, tail, side, bound.exclusive).intersect(&one_digit);
    Regex::alternate([
        Regex::concat([any_mantissa, exponents_beyond(exponent, side)]),
        Regex::concat([mantissa, exponent_equal(exponent)]),
    ])
}

fn any_exponent() -> Regex {
    Regex::concat([set("eE"), set("+-").optional(), digit().plus()])
}

fn exponent_equal(exponent: i64) -> Regex {
    let digits = Regex::concat([set("0").star(), Regex::literal(exponent.unsigned_abs().to_string())]);
    let signed = match exponent {
        0 => Regex::concat([set("+-").optional(), digits]),
        1.. => Regex::concat([set("+").optional(), digits]),
        _ => Regex::concat([set("-"), digits]),
    };
    Regex::concat([set("eE"), signed])
}

/// Exponents (with their letter) strictly on one side of `exponent`.
fn exponents_beyond(exponent: i64, side: Side) -> Regex {
    let size = exponent.unsigned_abs().to_string();
    let zeros = set("0").star();
    let sized = |side| Regex::concat([zeros.clone(), integers_beyond(size.as_bytes(), side)]);
    let plus = set("+").optional();
    let signed = match (exponent >= 0, side) {
        (true, Side::Above) => Regex::concat([plus, sized(Side::Above)]),
        (true, Side::Below) => {
            let negative = Regex::concat([set("-"), zeros.clone(), nonzero(), digit().star()]);
            let below = Regex::concat([plus, sized(Side::Below)]);
            let minus_zero = Regex::concat([set("-"), set("0").plus()]);
            Regex::alternate([negative, below, if exponent > 0 { minus_zero } else { Regex::empty() }])
        }
        (false, Side::Above) => {
            let positive = Regex::concat([plus, digit().plus()]);
            Regex::alternate([positive, Regex::concat([set("-"), sized(Side::Below)])])
        }
        (false, Side::Below) => Regex::concat([set("-"), sized(Side::Above)]),
    };
    Regex::concat([set("eE"), signed])
}

pub(super) fn set(bytes: &str) -> Regex {
    Regex::bytes(bytes.bytes().collect())
}

pub(super) fn digit() -> Regex {
    Regex::bytes(ByteSet::range(b'0', b'9'))
}

pub(super) fn nonzero() -> Regex {
    Regex::bytes(ByteSet::range(b'1', b'9'))
}

/// An integer without sign or leading zero.
pub(super) fn integer() -> Regex {
    Regex::alternate([set("0"), Regex::concat([nonzero(), digit().star()])])
}

fn any_fraction() -> Regex {
    Regex::concat([set("."), digit().plus()]).optional()
}

/// `.0`, `.00`, … or nothing.
pub(super) fn zero_fraction() -> Regex {
    Regex::concat([set("."), set("0").plus()]).optional()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glrmask_automata::Limits;
    use proptest::prelude::*;

    fn shape(lower: Option<(&str, bool)>, upper: Option<(&str, bool)>) -> NumberShape {
        let bound = |(text, exclusive): (&str, bool)| Bound { value: Decimal::parse(text).unwrap(), exclusive };
        NumberShape {
            integers: true,
            fractions: true,
            zero_fraction: true,
            lower: lower.map(bound),
            upper: upper.map(bound),
            multiple_of: Vec::new(),
            not_multiple_of: Vec::new(),
            excluded: Vec::new(),
        }
    }
    fn accepts(shape: &NumberShape, text: &str) -> bool {
        language(shape).is_some_and(|l| l.compile(&Limits::default()).unwrap().accepts(text.as_bytes()))
    }

    #[test]
    fn free_numbers() {
        let all = shape(None, None);
        for text in ["0", "-0", "-0.0", "10.25", "1e5", "1E+05", "-0.5e-3"] {
            assert!(accepts(&all, text), "{text}");
        }
        for text in ["", "-", "01", "1.", ".5", "+1", "1e", "0x1", "--1"] {
            assert!(!accepts(&all, text), "{text}");
        }
        let integers = NumberShape { fractions: false, ..all };
        assert!(accepts(&integers, "-12.00") && !accepts(&integers, "1.5") && !accepts(&integers, "1e2"));
        let draft4 = NumberShape { zero_fraction: false, ..integers };
        assert!(accepts(&draft4, "12") && !accepts(&draft4, "12.0"));
        let fractions = NumberShape { integers: false, fractions: true, ..draft4 };
        assert!(accepts(&fractions, "-0.50") && !accepts(&fractions, "3.0") && !accepts(&fractions, "3"));
    }

    #[test]
    fn exponents_in_bounds() {
        let positive = shape(Some(("0", false)), Some(("2500", true)));
        for text in ["1e-06", "2.4e+3", "2e3", "0", "2.499999E3", "9e-0"] {
            assert!(accepts(&positive, text), "{text}");
        }
        for text in ["2.5e3", "2.6e+3", "1e4", "-1e-5", "1e10", "0.1e3", "-0"] {
            assert!(!accepts(&positive, text), "{text}");
        }
    }

    #[test]
    fn spelling_by_value() {
        let dfa = |text| spelled(&Decimal::parse(text).unwrap()).compile(&Limits::default()).unwrap();
        assert!(dfa("2").accepts(b"2.00") && !dfa("2").accepts(b"2."));
        assert!(dfa("1e-6").accepts(b"1e-06") && dfa("1e-6").accepts(b"0.0000010"));
        assert!(dfa("-1.5e300").accepts(b"-1.5e+300"));
        assert!(dfa("1e999999999").accepts(b"1e+999999999"));
    }

    #[test]
    fn what_is_excluded_is_so_in_every_spelling() {
        let number = |text| Decimal::parse(text).unwrap();
        let holes = NumberShape { excluded: vec![number("0"), number("-2.5")], ..shape(None, None) };
        for text in ["0", "-0", "0.0", "-0.00", "-2.5", "-2.50"] {
            assert!(!accepts(&holes, text), "{text}");
        }
        for text in ["-0.01", "10", "-10", "2.5", "-2", "0.1"] {
            assert!(accepts(&holes, text), "{text}");
        }
    }

    prop_compose! {
        fn decimal()(n in -3000i64..3000, scale in 0u32..3, zeros in 0usize..2) -> String {
            let text = format!("{}{}", if n < 0 { "-" } else { "" }, n.abs());
            match scale {
                0 => text,
                s => {
                    let (q, r) = (n.abs() / 10i64.pow(s), n.abs() % 10i64.pow(s));
                    let sign = if n < 0 { "-" } else { "" };
                    format!("{sign}{q}.{r:0width$}{}", "0".repeat(zeros), width = s as usize)
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]
        #[test]
        fn bounds_are_by_value(
            low in proptest::option::of((decimal(), any::<bool>())),
            high in proptest::option::of((decimal(), any::<bool>())),
            texts in proptest::collection::vec(decimal(), 20),
            integers: bool,
        ) {
            let mut shape = shape(low.as_ref().map(|b| (&*b.0, b.1)), high.as_ref().map(|b| (&*b.0, b.1)));
            shape.fractions = !integers;
            let dfa = language(&shape).map(|l| l.compile(&Limits::default()).unwrap());
            for text in texts {
                let value = Decimal::parse(&text).unwrap();
                let above = shape.lower.as_ref().is_none_or(|b| value > b.value || (!b.exclusive && value == b.value));
                let below = shape.upper.as_ref().is_none_or(|b| value < b.value || (!b.exclusive && value == b.value));
                let signed_zero = value.is_zero() && text.starts_with('-') && !shape.is_free();
                let expected = above && below && (!integers || value.is_integer()) && !signed_zero;
                prop_assert_eq!(dfa.as_ref().is_some_and(|d| d.accepts(text.as_bytes())), expected, "{}", text);
            }
        }
        #[test]
        fn exponents_are_by_value(bound in decimal(), exclusive: bool, m in 1u32..100, e in -5i32..6, above: bool) {
            let bound = Some((&*bound, exclusive));
            let shape = if above { shape(bound, None) } else { shape(None, bound) };
            let text = format!("{}.{}e{e:+03}", m / 10, m % 10);
            prop_assume!(m >= 10);
            let value = Decimal::parse(&text).unwrap();
            let b = if above { &shape.lower } else { &shape.upper }.as_ref().unwrap();
            let inside = if above { value > b.value } else { value < b.value } || (!exclusive && value == b.value);
            prop_assert_eq!(accepts(&shape, &text), inside, "{}", text);
        }
    }
}
