//! `$recursiveRef`: as `$ref`, but where `$recursiveAnchor` stands, to the outermost resource that has it; see
//! `$dynamicRef`.

use super::{Definition, Keyword, Loader, Vocabulary};
use crate::dialect::Draft;
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition = Definition {
    name: "$recursiveRef",
    vocabulary: Vocabulary::Core,
    since: Draft::Draft2019,
    until: Draft::Draft2019,
    read,
    ..Definition::PLAIN
};

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.references.push(loader.reference(keyword, true)?);
    Ok(())
}
