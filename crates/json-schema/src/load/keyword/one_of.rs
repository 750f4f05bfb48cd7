//! `oneOf`: exactly one of some schemas: as `anyOf` where they cannot overlap, else each together with the negation of
//! those that it overlaps (`algebra/expand.rs`).

use super::{Definition, Keyword, Loader, Subschemas};
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "oneOf", subschemas: Subschemas::Direct, read, ..Definition::PLAIN };

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    let branches = loader.some_schemas(keyword)?;
    schema.one_of.push(branches);
    Ok(())
}
