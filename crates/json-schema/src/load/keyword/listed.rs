//! `enum`: one of some values. They are filtered by everything beside them, and what is left is written out; numbers
//! are equal by value.

use super::{array, Definition, Keyword, Loader, Vocabulary};
use crate::error::Result;
use crate::json::Node;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "enum", vocabulary: Vocabulary::Validation, read, ..Definition::PLAIN };

fn read<'t>(_: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.values.push(distinct(array(keyword.node)?).into());
    Ok(())
}

/// The values without repetition.
fn distinct(values: &[Node]) -> Vec<Node> {
    let mut seen = rustc_hash::FxHashSet::default();
    values.iter().filter(|&value| seen.insert(value)).cloned().collect()
}
