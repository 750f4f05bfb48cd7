//! `additionalItems`: what items behind those of an array of `items` satisfy; without such an array it says nothing.

use super::{Definition, Keyword, Loader, Subschemas};
use crate::dialect::Draft;
use crate::error::Result;
use crate::json::Value;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition = Definition {
    name: "additionalItems",
    subschemas: Subschemas::Direct,
    until: Draft::Draft2019,
    read,
    ..Definition::PLAIN
};

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    let tuple = keyword.siblings.get("items").is_some_and(|node| matches!(node.value, Value::Array(_)));
    if tuple {
        loader.rest(&mut schema.array, keyword)?;
    }
    Ok(())
}
