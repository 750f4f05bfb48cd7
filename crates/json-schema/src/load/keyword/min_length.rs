//! `minLength`: so many code points at least, if it is a string. The largest bound counts (`shape/string.rs`); long
//! ones are chains of chunks (`emit/run.rs`).

use super::{least, Definition, Keyword, Loader, Vocabulary};
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "minLength", vocabulary: Vocabulary::Validation, read, ..Definition::PLAIN };

fn read<'t>(_: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.string.min_length = least(keyword.node)?;
    Ok(())
}
