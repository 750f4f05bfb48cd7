//! What keywords about arrays share.

use super::{Keyword, Loader};
use crate::error::Result;
use crate::schema::{ArrayRules, SchemaId};

impl<'t> Loader<'t> {
    /// The items behind the prefix.
    pub(super) fn rest(&mut self, rules: &mut ArrayRules, keyword: &Keyword<'_, 't>) -> Result<()> {
        rules.items = self.constraint(keyword)?;
        rules.evaluates_all |= self.tracks_evaluation() && rules.items.is_none();
        Ok(())
    }
    /// The sub-schema, unless it allows everything.
    pub(super) fn constraint(&mut self, keyword: &Keyword<'_, 't>) -> Result<Option<SchemaId>> {
        let schema = self.subschema(keyword)?;
        Ok((schema != self.store.always).then_some(schema))
    }
}
