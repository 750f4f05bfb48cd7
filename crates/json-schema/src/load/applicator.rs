//! What keywords with sub-schemas share: lists of schemas, references, static and dynamic.

use super::resources::{dynamic_anchor, Place};
use super::scope::ScopeId;
use super::{string, Keyword, Loader};
use crate::error::{Result, SchemaError};
use crate::schema::{RefId, SchemaId};
use crate::uri::split_fragment;

impl<'t> Loader<'t> {
    /// The keyword's schemas, one at least.
    pub(super) fn some_schemas(&mut self, keyword: &Keyword<'_, 't>) -> Result<Vec<SchemaId>> {
        let schemas = self.subschemas(keyword)?;
        match schemas.is_empty() {
            true => Err(SchemaError::invalid("must not be empty")),
            false => Ok(schemas),
        }
    }
    /// The target of a reference, in the scope that following it leads to.
    pub(super) fn reference(&mut self, keyword: &Keyword<'_, 't>, dynamic: bool) -> Result<RefId> {
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
}
