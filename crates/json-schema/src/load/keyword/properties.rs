//! `properties`: what members with these keys satisfy, if they are there; keys are compared after unescaping. They
//! stand in this order (`emit/chain.rs`), or in any (`emit/order.rs`, `emit/crowded.rs`).

use super::{Definition, Keyword, Loader, Subschemas};
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "properties", subschemas: Subschemas::Members, read, ..Definition::PLAIN };

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    schema.object.properties = loader.members(keyword)?.into_iter().map(|(key, value)| (key.into(), value)).collect();
    Ok(())
}
