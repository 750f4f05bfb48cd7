//! `not`: what does not satisfy a schema: the negation is pushed inwards onto dual assertions (`algebra/negation.rs`).

use super::{Definition, Keyword, Loader, Subschemas};
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "not", subschemas: Subschemas::Direct, read, ..Definition::PLAIN };

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.not.push(loader.subschema(keyword)?);
    Ok(())
}
