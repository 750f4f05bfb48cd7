//! `propertyNames`: what every key satisfies, as a string; a declared key that does not is forbidden
//! (`shape/object.rs`).

use super::{Definition, Keyword, Loader, Subschemas};
use crate::dialect::Draft;
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition = Definition {
    name: "propertyNames",
    subschemas: Subschemas::Direct,
    since: Draft::Draft6,
    read,
    ..Definition::PLAIN
};

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.object.names = loader.constraint(keyword)?;
    Ok(())
}
