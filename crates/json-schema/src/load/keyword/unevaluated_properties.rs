//! `unevaluatedProperties`: what members satisfy that nothing in place evaluates; see `unevaluatedItems`.

use super::{Definition, Keyword, Loader, Subschemas};
use crate::dialect::Draft;
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition = Definition {
    name: "unevaluatedProperties",
    subschemas: Subschemas::Direct,
    since: Draft::Draft2019,
    read,
    ..Definition::PLAIN
};

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.object.unevaluated = loader.constraint(keyword)?;
    schema.object.evaluates_all |= loader.tracks_evaluation() && schema.object.unevaluated.is_none();
    Ok(())
}
