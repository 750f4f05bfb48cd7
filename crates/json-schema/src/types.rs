//! Sets of JSON types. Numbers are two types, integers and the rest, so that `number` is a plain union.

use crate::json::{Node, Value};

/// A set of JSON types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct TypeSet(u8);

impl TypeSet {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const BOOLEAN: Self = Self(2);
    pub(crate) const INTEGER: Self = Self(4);
    /// Numbers that are not integers.
    pub(crate) const FRACTION: Self = Self(8);
    pub(crate) const NUMBER: Self = Self(4 | 8);
    pub(crate) const STRING: Self = Self(16);
    pub(crate) const ARRAY: Self = Self(32);
    pub(crate) const OBJECT: Self = Self(64);
    pub(crate) const ALL: Self = Self(127);

    /// The types a name of the keyword `type` stands for.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => return None,
        })
    }
    /// The type of a value.
    pub(crate) fn of(node: &Node) -> Self {
        match &node.value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(n) if n.is_integer() => Self::INTEGER,
            Value::Number(_) => Self::FRACTION,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }
    pub(crate) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    pub(crate) fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
    pub(crate) fn complement(self) -> Self {
        Self(Self::ALL.0 & !self.0)
    }
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
    /// Whether the two sets share a type.
    pub(crate) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_is_integers_and_the_rest() {
        assert_eq!(TypeSet::INTEGER.union(TypeSet::FRACTION), TypeSet::NUMBER);
        assert_eq!(TypeSet::NUMBER.complement().intersection(TypeSet::NUMBER), TypeSet::NONE);
        assert!(TypeSet::NUMBER.meets(TypeSet::INTEGER) && !TypeSet::NULL.meets(TypeSet::ARRAY));
        assert!(TypeSet::NONE.is_empty() && TypeSet::named("float").is_none());
    }

    #[test]
    fn a_zero_fraction_is_an_integer() {
        let of = |text| TypeSet::of(&crate::json::parse(text, 9).unwrap());
        assert_eq!((of("2.0"), of("2.5"), of("1e2")), (TypeSet::INTEGER, TypeSet::FRACTION, TypeSet::INTEGER));
    }
}
