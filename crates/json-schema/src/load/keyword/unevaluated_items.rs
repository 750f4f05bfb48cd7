//! `unevaluatedItems`: what items satisfy that nothing in place evaluates: the schema is split into cases in which it
//! is known what does (`algebra/unevaluated.rs`).

use super::{Definition, Keyword, Loader, Subschemas};
use crate::dialect::Draft;
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition = Definition {
    name: "unevaluatedItems",
    subschemas: Subschemas::Direct,
    since: Draft::Draft2019,
    read,
    ..Definition::PLAIN
};

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.array.unevaluated = loader.constraint(keyword)?;
    schema.array.evaluates_all |= loader.tracks_evaluation() && schema.array.unevaluated.is_none();
    Ok(())
}
