//! `uniqueItems`: no two items equal: by the grammar where few values are possible (`emit/watched.rs`), else by the run
//! time (`places/`).

use super::{boolean, Definition, Keyword, Loader, Vocabulary};
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "uniqueItems", vocabulary: Vocabulary::Validation, read, ..Definition::PLAIN };

fn read<'t>(_: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.array.unique = boolean(keyword.node)?;
    Ok(())
}
