//! `maximum`: a number that is at most so much; others pass. The tightest bound of all counts (`shape/number.rs`), and
//! becomes an expression over decimals (`emit/number.rs`). In draft 4, `exclusiveMaximum` beside it is a flag.

use super::{Definition, Keyword, Loader, Vocabulary};
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "maximum", vocabulary: Vocabulary::Validation, read, ..Definition::PLAIN };

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.number.upper.push(loader.inclusive(keyword, "exclusiveMaximum")?);
    Ok(())
}
