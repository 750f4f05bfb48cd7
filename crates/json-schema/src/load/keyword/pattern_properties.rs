//! `patternProperties`: what members satisfy whose keys match. Free keys are split by the patterns they match
//! (`shape/object.rs`).

use super::{Definition, Keyword, Loader, Subschemas};
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "patternProperties", subschemas: Subschemas::Members, read, ..Definition::PLAIN };

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    for (pattern, value) in loader.members(keyword)? {
        match loader.languages.pattern(pattern) {
            Ok(language) => schema.object.patterns.push((language, value)),
            Err(error) => schema.unsupported.push(keyword.pattern_error(&error)),
        }
    }
    Ok(())
}
