//! References, static and dynamic, and Boolean combinations. `if` becomes a choice between two disjoint conjunctions.

use super::resources::{dynamic_anchor, Place};
use super::scope::ScopeId;
use super::{string, Keyword, Loader};
use crate::error::{Result, SchemaError};
use crate::schema::{RefId, Schema, SchemaId};
use crate::uri::split_fragment;

impl<'t> Loader<'t> {
    pub(super) fn applicator(&mut self, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
        match keyword.name {
            "$ref" => schema.references.push(self.reference(keyword, false)?),
            "$dynamicRef" | "$recursiveRef" => schema.references.push(self.reference(keyword, true)?),
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
            _ => self.conditional(schema, keyword)?,
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
    /// The target of a reference, in the scope that following it leads to.
    fn reference(&mut self, keyword: &Keyword<'_, 't>, dynamic: bool) -> Result<RefId> {
        let reference = string(keyword.node)?;
        let mut target = self.resources.resolve(reference, &keyword.place.base)?;
        let scope = keyword.place.scope;
        if dynamic {
            target = self.outermost(reference, target, scope);
        }
        let target = self.within(target, scope);
        let next = RefId(self.references.len());
        let id = *self.references.entry((target.pointer.clone(), target.scope)).or_insert(next);
        if id == next {
            self.queue.push((id, target));
        }
        Ok(id)
    }
    /// Where a dynamic reference goes that statically goes to `target`: if that is a dynamic anchor, to the outermost
    /// schema of this anchor.
    fn outermost(&self, reference: &str, target: Place<'t>, scope: ScopeId) -> Place<'t> {
        let (_, fragment) = split_fragment(reference);
        let anchor = dynamic_anchor(&target).filter(|anchor| *anchor == fragment);
        let outermost = anchor.and_then(|anchor| self.scopes.find(scope, anchor)).cloned();
        outermost.unwrap_or(target)
    }
    fn conditional(&mut self, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
        let then = self.sibling(keyword, "then")?;
        let otherwise = self.sibling(keyword, "else")?;
        if then.is_none() && otherwise.is_none() {
            if self.tracks_evaluation() {
                schema.annotating.push(self.subschema(keyword)?);
            }
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
