//! Keywords about arrays.

use super::scalar::optional_count;
use super::{boolean, least, most, Keyword, Loader};
use crate::dialect::Draft;
use crate::error::{Result, SchemaError};
use crate::json::Value;
use crate::schema::{ArrayRules, Contains, Schema, SchemaId};

impl<'t> Loader<'t> {
    pub(super) fn array(&mut self, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
        let rules = &mut schema.array;
        match keyword.name {
            "minItems" => rules.min_items = least(keyword.node)?,
            "maxItems" => rules.max_items = most(keyword.node)?,
            "uniqueItems" => rules.unique = boolean(keyword.node)?,
            "prefixItems" => rules.prefix = self.subschemas(keyword)?,
            "items" if matches!(keyword.node.value, Value::Array(_)) => {
                if keyword.draft() >= Draft::Draft2020 {
                    return Err(SchemaError::invalid("an array of schemas is called prefixItems in this draft"));
                }
                rules.prefix = self.subschemas(keyword)?;
            }
            "items" => self.rest(rules, keyword)?,
            "additionalItems" => {
                let tuple = keyword.siblings.get("items").is_some_and(|node| matches!(node.value, Value::Array(_)));
                if tuple && keyword.draft() < Draft::Draft2020 {
                    self.rest(rules, keyword)?;
                }
            }
            "contains" => {
                let contains = self.contains(keyword)?;
                if self.tracks_evaluation() && keyword.draft() >= Draft::Draft2020 {
                    rules.evaluates.push(contains.schema);
                }
                rules.contains = Some(contains);
            }
            _ => {
                rules.unevaluated = self.constraint(keyword)?;
                rules.evaluates_all |= self.tracks_evaluation() && rules.unevaluated.is_none();
            }
        }
        Ok(())
    }
    /// The items behind the prefix.
    fn rest(&mut self, rules: &mut ArrayRules, keyword: &Keyword<'_, 't>) -> Result<()> {
        rules.items = self.constraint(keyword)?;
        rules.evaluates_all |= self.tracks_evaluation() && rules.items.is_none();
        Ok(())
    }
    fn contains(&mut self, keyword: &Keyword<'_, 't>) -> Result<Contains> {
        let schema = self.subschema(keyword)?;
        let counted = keyword.draft() >= Draft::Draft2019 && keyword.place.dialect.knows("minContains");
        let bound = |name| if counted { optional_count(keyword, name) } else { Ok(None) };
        Ok(Contains { schema, min: bound("minContains")?.unwrap_or(1), max: bound("maxContains")?, from: 0 })
    }
    /// The sub-schema, unless it allows everything.
    pub(super) fn constraint(&mut self, keyword: &Keyword<'_, 't>) -> Result<Option<SchemaId>> {
        let schema = self.subschema(keyword)?;
        Ok((schema != self.store.always).then_some(schema))
    }
}
