//! `additionalProperties`: what members satisfy that are neither in `properties` nor match a pattern: free keys, the
//! complement of the others after unescaping (`shape/object.rs`).

use super::{Definition, Keyword, Loader, Subschemas};
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "additionalProperties", subschemas: Subschemas::Direct, read, ..Definition::PLAIN };

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.object.additional = loader.constraint(keyword)?;
    schema.object.evaluates_all |= loader.tracks_evaluation() && schema.object.additional.is_none();
    Ok(())
}
