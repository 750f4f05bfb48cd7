//! `minimum`: a number that is at least so much; others pass. The tightest bound of all counts (`shape/number.rs`), and
//! becomes an expression over decimals (`emit/number.rs`). In draft 4, `exclusiveMinimum` beside it is a flag.

use super::{Definition, Keyword, Loader, Vocabulary};
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "minimum", vocabulary: Vocabulary::Validation, read, ..Definition::PLAIN };

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.number.lower.push(loader.inclusive(keyword, "exclusiveMinimum")?);
    Ok(())
}
