//! Numbers: an interval, divisors, exceptions.

use rustc_hash::FxHashSet;

use super::excluded;
use crate::algebra::Algebra;
use crate::decimal::Decimal;
use crate::dialect::Draft;
use crate::error::Result;
use crate::json::Value;
use crate::schema::{Bound, SchemaId};
use crate::types::TypeSet;

/// A set of numbers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct NumberShape {
    pub(crate) integers: bool,
    pub(crate) fractions: bool,
    /// Whether an integer may be written `2.0` where only integers are allowed (not in draft 4).
    pub(crate) zero_fraction: bool,
    pub(crate) lower: Option<Bound>,
    pub(crate) upper: Option<Bound>,
    pub(crate) multiple_of: Vec<Decimal>,
    pub(crate) not_multiple_of: Vec<Decimal>,
    pub(crate) excluded: Vec<Decimal>,
}

impl NumberShape {
    pub(crate) fn merge(algebra: &mut Algebra<'_>, members: &[SchemaId], types: TypeSet) -> Result<Self> {
        let mut shape = Self {
            integers: types.meets(TypeSet::INTEGER),
            fractions: types.meets(TypeSet::FRACTION),
            zero_fraction: algebra.draft > Draft::Draft4,
            lower: None,
            upper: None,
            multiple_of: Vec::new(),
            not_multiple_of: Vec::new(),
            excluded: Vec::new(),
        };
        for &id in members {
            let schema = algebra.store.get(id);
            for bound in &schema.number.lower {
                shape.lower = Some(tighter(shape.lower.take(), bound, |new, old| new > old));
            }
            for bound in &schema.number.upper {
                shape.upper = Some(tighter(shape.upper.take(), bound, |new, old| new < old));
            }
            let rules = &schema.number;
            shape.multiple_of.extend(rules.multiple_of.iter().cloned());
            shape.not_multiple_of.extend(rules.not_multiple_of.iter().cloned());
        }
        for divisors in [&mut shape.multiple_of, &mut shape.not_multiple_of] {
            let mut seen = FxHashSet::default();
            divisors.retain(|divisor| seen.insert(divisor.clone()));
        }
        for node in excluded(algebra, members) {
            if let Value::Number(number) = node.value {
                shape.excluded.push(number);
            }
        }
        Ok(shape)
    }
    /// Whether nothing is asserted beyond the type.
    pub(crate) fn is_free(&self) -> bool {
        self.lower.is_none() && self.upper.is_none() && self.has_no_holes()
    }
    /// Whether nothing is left out between the bounds.
    pub(crate) fn has_no_holes(&self) -> bool {
        self.multiple_of.is_empty() && self.not_multiple_of.is_empty() && self.excluded.is_empty()
    }
    /// Whether the bounds cross.
    pub(crate) fn is_visibly_empty(&self) -> bool {
        let (Some(lower), Some(upper)) = (&self.lower, &self.upper) else { return false };
        let point_is_excluded = lower.exclusive || upper.exclusive || (!self.integers && lower.value.is_integer());
        lower.value > upper.value || (lower.value == upper.value && point_is_excluded)
    }
    /// Whether some number shows at once: an open side, or bounds more than one apart.
    pub(crate) fn is_visibly_inhabited(&self) -> bool {
        if !self.has_no_holes() {
            return false;
        }
        let (Some(lower), Some(upper)) = (&self.lower, &self.upper) else { return true };
        let inclusive = !lower.exclusive && !upper.exclusive;
        (self.integers && self.fractions && lower.value < upper.value)
            || (self.integers && inclusive && lower.value.is_integer() && lower.value <= upper.value)
    }
}

fn tighter(old: Option<Bound>, new: &Bound, inside: fn(&Decimal, &Decimal) -> bool) -> Bound {
    match old {
        Some(old) if inside(&old.value, &new.value) => old,
        Some(old) if old.value == new.value => Bound { exclusive: old.exclusive || new.exclusive, value: old.value },
        _ => new.clone(),
    }
}
