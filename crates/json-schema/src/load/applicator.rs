//! References and Boolean combinations. `if` becomes a choice between two disjoint conjunctions.

use super::{string, Keyword, Loader};
use crate::error::{Result, SchemaError};
use crate::schema::{RefId, Schema, SchemaId};

impl<'t> Loader<'t> {
    pub(super) fn applicator(&mut self, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
        match keyword.name {
            "$ref" => schema.references.push(self.reference(keyword)?),
            "allOf" => schema.all_of.extend(self.some_schemas(keyword)?),
            "anyOf" => {
                let branches = self.some_schemas(keyword)?;
                schema.any_of.push(branches);
            }
            "oneOf" => {
                let branches = self.some_schemas(keyword)?;
                schema.one_of.push(branches);
            }
            "not" => schema.not.push(self.subschema(keyword)?),
            "if" => self.conditional(schema, keyword)?,
            _ => schema.unsupported.push(keyword.unsupported("dynamic references are not supported yet")),
        }
        Ok(())
    }
    fn some_schemas(&mut self, keyword: &Keyword<'_, 't>) -> Result<Vec<SchemaId>> {
        let schemas = self.subschemas(keyword)?;
        match schemas.is_empty() {
            true => Err(SchemaError::invalid("must not be empty")),
            false => Ok(schemas),
        }
    }
    fn reference(&mut self, keyword: &Keyword<'_, 't>) -> Result<RefId> {
        let target = self.resources.resolve(string(keyword.node)?, &keyword.place.base)?;
        let next = RefId(self.references.len());
        let id = *self.references.entry(target.pointer.clone()).or_insert(next);
        if id == next {
            self.queue.push((id, target));
        }
        Ok(id)
    }
    fn conditional(&mut self, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
        let then = self.sibling(keyword, "then")?;
        let otherwise = self.sibling(keyword, "else")?;
        if then.is_none() && otherwise.is_none() {
            return Ok(());
        }
        let condition = self.subschema(keyword)?;
        let negated = self.made(keyword, Schema::negated(condition));
        let holds = self.made(keyword, Schema::all([condition].into_iter().chain(then).collect()));
        let fails = self.made(keyword, Schema::all([negated].into_iter().chain(otherwise).collect()));
        schema.any_of.push(vec![holds, fails]);
        Ok(())
    }
}
