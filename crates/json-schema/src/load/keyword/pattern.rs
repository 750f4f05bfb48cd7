//! `pattern`: an ECMA-262 expression that is found in the string, if it is one (`ecma/`): a language, intersected with
//! the others (`language.rs`).

use super::{string, Definition, Keyword, Loader, Vocabulary};
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "pattern", vocabulary: Vocabulary::Validation, read, ..Definition::PLAIN };

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    let pattern = string(keyword.node)?;
    loader.pattern(schema, keyword, pattern);
    Ok(())
}
