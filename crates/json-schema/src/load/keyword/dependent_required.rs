//! `dependentRequired`: if a key is there, so are others; see `dependencies`.

use super::{Definition, Keyword, Loader, Vocabulary};
use crate::dialect::Draft;
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition = Definition {
    name: "dependentRequired",
    vocabulary: Vocabulary::Validation,
    since: Draft::Draft2019,
    read,
    ..Definition::PLAIN
};

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    loader.dependencies(schema, keyword)
}
