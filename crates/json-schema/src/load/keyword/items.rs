//! `items`: what the items satisfy, up to 2019-09 in an array by position; behind the prefix (`emit/array.rs`).

use super::{Definition, Keyword, Loader, Subschemas};
use crate::dialect::Draft;
use crate::error::{Result, SchemaError};
use crate::json::Value;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "items", subschemas: Subschemas::Direct, read, ..Definition::PLAIN };

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    if matches!(keyword.node.value, Value::Array(_)) {
        if keyword.draft() >= Draft::Draft2020 {
            return Err(SchemaError::invalid("an array of schemas is called prefixItems in this draft"));
        }
        schema.array.prefix = loader.subschemas(keyword)?;
        return Ok(());
    }
    loader.rest(&mut schema.array, keyword)
}
