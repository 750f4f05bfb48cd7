//! `maxProperties`: so many members at most, if it is an object; see `minProperties`.

use super::{most, Definition, Keyword, Loader, Vocabulary};
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "maxProperties", vocabulary: Vocabulary::Validation, read, ..Definition::PLAIN };

fn read<'t>(_: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.object.max_properties = most(keyword.node)?;
    Ok(())
}
