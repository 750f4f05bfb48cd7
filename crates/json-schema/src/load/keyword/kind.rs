//! `type`: the kinds of values that are allowed: bits of a set, intersected where schemas meet (`types.rs`).

use super::{string, Definition, Keyword, Loader, Vocabulary};
use crate::error::{Result, SchemaError};
use crate::json::{Node, Value};
use crate::schema::Schema;
use crate::types::TypeSet;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "type", vocabulary: Vocabulary::Validation, read, ..Definition::PLAIN };

fn read<'t>(_: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.types = types(keyword.node)?;
    Ok(())
}

fn types(node: &Node) -> Result<TypeSet> {
    let named = |node: &Node| {
        let name = string(node)?;
        TypeSet::named(name).ok_or_else(|| SchemaError::invalid(format!("no type is called \"{name}\"")))
    };
    match &node.value {
        Value::Array(items) => items.iter().try_fold(TypeSet::NONE, |types, item| Ok(types.union(named(item)?))),
        _ => named(node),
    }
}
