//! `maxItems`: so many items at most, if it is an array; see `minItems`.

use super::{most, Definition, Keyword, Loader, Vocabulary};
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "maxItems", vocabulary: Vocabulary::Validation, read, ..Definition::PLAIN };

fn read<'t>(_: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.array.max_items = most(keyword.node)?;
    Ok(())
}
