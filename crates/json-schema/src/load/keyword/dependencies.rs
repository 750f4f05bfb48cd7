//! `dependencies`: if a key is there, so are others, or the object satisfies a schema: as "the key is absent, or …".

use super::{Definition, Keyword, Loader, Subschemas};
use crate::dialect::Draft;
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition = Definition {
    name: "dependencies",
    subschemas: Subschemas::Members,
    until: Draft::Draft7,
    read,
    ..Definition::PLAIN
};

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    loader.dependencies(schema, keyword)
}
