//! `contains`: at least one item that satisfies a schema, or `minContains` to `maxContains` of them: counts of items
//! that do, beside those that do not (`emit/watched.rs`).

use super::{count, Definition, Keyword, Loader, Subschemas};
use crate::dialect::Draft;
use crate::error::Result;
use crate::schema::{Contains, Schema};

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "contains", subschemas: Subschemas::Direct, since: Draft::Draft6, read, ..Definition::PLAIN };

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    let contains = contains(loader, keyword)?;
    if loader.tracks_evaluation() && keyword.draft() >= Draft::Draft2020 {
        schema.array.evaluates.push(contains.schema);
    }
    schema.array.contains = Some(contains);
    Ok(())
}

fn contains<'t>(loader: &mut Loader<'t>, keyword: &Keyword<'_, 't>) -> Result<Contains> {
    let schema = loader.subschema(keyword)?;
    let counted = keyword.place.dialect.knows("minContains");
    let bound = |name| match keyword.siblings.get(name).filter(|_| counted) {
        Some(node) => count(node).map(Some),
        None => Ok(None),
    };
    Ok(Contains { schema, min: bound("minContains")?.unwrap_or(1), max: bound("maxContains")?, from: 0 })
}
