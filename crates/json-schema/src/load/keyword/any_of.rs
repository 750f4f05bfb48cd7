//! `anyOf`: at least one of some schemas: a case for each (`algebra/expand.rs`).

use super::{Definition, Keyword, Loader, Subschemas};
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "anyOf", subschemas: Subschemas::Direct, read, ..Definition::PLAIN };

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    let branches = loader.some_schemas(keyword)?;
    schema.any_of.push(branches);
    Ok(())
}
