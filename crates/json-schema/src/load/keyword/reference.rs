//! `$ref`: what another place says. References are resolved to places (`load/resources.rs`) and loaded from a queue,
//! each once, so that schemas may be recursive. Up to draft 7 it hides what stands beside it.

use super::{Definition, Keyword, Loader, Vocabulary};
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "$ref", vocabulary: Vocabulary::Core, read, ..Definition::PLAIN };

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.references.push(loader.reference(keyword, false)?);
    Ok(())
}
