//! `multipleOf`: a multiple of a number above zero, if it is a number: by its last digits, or by an automaton over
//! remainders (`emit/divisor.rs`, `emit/remainder.rs`).

use super::{Definition, Keyword, Loader, Vocabulary};
use crate::decimal::Decimal;
use crate::error::{Result, SchemaError};
use crate::json::{Node, Value};
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "multipleOf", vocabulary: Vocabulary::Validation, read, ..Definition::PLAIN };

fn read<'t>(_: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.number.multiple_of.push(divisor(keyword.node)?);
    Ok(())
}

fn divisor(node: &Node) -> Result<Decimal> {
    match &node.value {
        Value::Number(number) if !number.is_negative() && !number.is_zero() => Ok(number.clone()),
        _ => Err(SchemaError::invalid("must be a number above zero")),
    }
}
