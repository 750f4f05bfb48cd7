//! `if`: with `then` and `else`, a choice between two conjunctions that exclude each other: `if` and `then`, or not
//! `if` and `else`.

use super::{Definition, Keyword, Loader, Subschemas};
use crate::dialect::Draft;
use crate::error::Result;
use crate::schema::Schema;

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "if", subschemas: Subschemas::Direct, since: Draft::Draft7, read, ..Definition::PLAIN };

fn read<'t>(loader: &mut Loader<'t>, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
    let then = loader.sibling(keyword, "then")?;
    let otherwise = loader.sibling(keyword, "else")?;
    if then.is_none() && otherwise.is_none() {
        if loader.tracks_evaluation() {
            schema.annotating.push(loader.subschema(keyword)?);
        }
        return Ok(());
    }
    let condition = loader.subschema(keyword)?;
    let negated = loader.made(keyword, Schema::negated(condition));
    let holds = loader.made(keyword, Schema::all([condition].into_iter().chain(then).collect()));
    let fails = loader.made(keyword, Schema::all([negated].into_iter().chain(otherwise).collect()));
    schema.any_of.push(vec![holds, fails]);
    Ok(())
}
