//! `prefixItems`: what the first items satisfy, by position; they need not be there.

use super::{Definition, Keyword, Loader, Subschemas};
use crate::dialect::Draft;
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition = Definition {
    name: "prefixItems",
    subschemas: Subschemas::Direct,
    since: Draft::Draft2020,
    read,
    ..Definition::PLAIN
};

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.array.prefix = loader.subschemas(keyword)?;
    Ok(())
}
