//! `const`: one value: an `enum` of one.

use super::{Definition, Keyword, Loader, Vocabulary};
use crate::dialect::Draft;
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "const", vocabulary: Vocabulary::Validation, since: Draft::Draft6, read, ..Definition::PLAIN };

fn read<'t>(_: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.values.push([keyword.node.clone()].into());
    Ok(())
}
