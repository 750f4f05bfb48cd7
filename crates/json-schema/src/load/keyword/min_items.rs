//! `minItems`: so many items at least, if it is an array. Counts of items are runs of doubled lengths (`emit/run.rs`),
//! not copies.

use super::{least, Definition, Keyword, Loader, Vocabulary};
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "minItems", vocabulary: Vocabulary::Validation, read, ..Definition::PLAIN };

fn read<'t>(_: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.array.min_items = least(keyword.node)?;
    Ok(())
}
