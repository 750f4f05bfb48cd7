//! `minProperties`: so many members at least, if it is an object: counted by the grammar (`emit/counted.rs`), with keys
//! that the run time keeps from standing twice (`places/`).

use super::{least, Definition, Keyword, Loader, Vocabulary};
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "minProperties", vocabulary: Vocabulary::Validation, read, ..Definition::PLAIN };

fn read<'t>(_: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.object.min_properties = least(keyword.node)?;
    Ok(())
}
