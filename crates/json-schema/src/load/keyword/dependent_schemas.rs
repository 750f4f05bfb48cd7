//! `dependentSchemas`: if a key is there, the object satisfies a schema; see `dependencies`.

use super::{Definition, Keyword, Loader, Subschemas};
use crate::dialect::Draft;
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition = Definition {
    name: "dependentSchemas",
    subschemas: Subschemas::Members,
    since: Draft::Draft2019,
    read,
    ..Definition::PLAIN
};

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    loader.dependencies(schema, keyword)
}
