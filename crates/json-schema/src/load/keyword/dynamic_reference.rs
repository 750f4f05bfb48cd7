//! `$dynamicRef`: as `$ref`, but from a dynamic anchor to the outermost resource that has it: schemas are loaded once
//! per scope in which they are reached (`load/scope.rs`).

use super::{Definition, Keyword, Loader, Vocabulary};
use crate::dialect::Draft;
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition = Definition {
    name: "$dynamicRef",
    vocabulary: Vocabulary::Core,
    since: Draft::Draft2020,
    read,
    ..Definition::PLAIN
};

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.references.push(loader.reference(keyword, true)?);
    Ok(())
}
