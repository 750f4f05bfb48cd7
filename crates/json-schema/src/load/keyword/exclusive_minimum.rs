//! `exclusiveMinimum`: a number above so much; see `minimum`. In draft 4 a flag that is read with that.

use super::{Definition, Keyword, Loader, Vocabulary};
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "exclusiveMinimum", vocabulary: Vocabulary::Validation, read, ..Definition::PLAIN };

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.number.lower.extend(loader.exclusive(keyword)?);
    Ok(())
}
