//! Whether a case in the making already implies an assertion: a sound test that only looks at what shows.
//!
//! It keeps choices from multiplying. The negation of `{"properties": {"kind": {"enum": ["a"]}, …}}` is a choice, one
//! branch of which says that `kind` is there and not `"a"`. Where `kind` is known to be `"b"`, the choice is settled
//! and need not be split; without the test, n overlapping branches of a `oneOf` would take mⁿ cases.

use super::expand::Partial;
use super::Algebra;
use crate::error::Result;
use crate::schema::{ObjectRules, Schema, SchemaId};
use crate::types::TypeSet;

impl Algebra<'_> {
    /// Whether every value of the case satisfies the schema. `false` if that does not show.
    pub(super) fn implied(&mut self, partial: &Partial, id: SchemaId) -> Result<bool> {
        if id == self.store.always || partial.members.contains(&id) {
            return Ok(true);
        }
        let schema = self.store.get(id);
        if !partial.types.intersection(schema.types.complement()).is_empty() || !only_named_members(&schema) {
            return Ok(false);
        }
        if !partial.types.meets(TypeSet::OBJECT) {
            return Ok(true);
        }
        if !schema.object.required.iter().all(|key| partial.required.contains(key)) {
            return Ok(false);
        }
        for (key, value) in &schema.object.properties {
            if !self.member_implied(partial, key, *value)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
    /// Whether the value of a key, if it is there, satisfies the schema.
    fn member_implied(&mut self, partial: &Partial, key: &str, wanted: SchemaId) -> Result<bool> {
        if wanted == self.store.always || partial.forbidden.iter().any(|forbidden| &**forbidden == key) {
            return Ok(true);
        }
        let mut values = Vec::new();
        for &member in &partial.members {
            let schema = self.store.get(member);
            values.extend(schema.object.properties.iter().filter(|(name, _)| &**name == key).map(|&(_, value)| value));
        }
        if values.contains(&wanted) {
            return Ok(true);
        }
        let schema = self.store.get(wanted);
        let &[negated] = schema.not.as_slice() else { return Ok(false) };
        if values.is_empty() || *schema != Schema::negated(negated) {
            return Ok(false);
        }
        let clash = self.goal(values.into_iter().chain([negated]));
        self.visibly_unsatisfiable(&clash)
    }
}

/// Whether nothing is asserted but types, required keys and named members.
pub(super) fn only_named_members(schema: &Schema) -> bool {
    let Schema { types: _, values, excluded, number, string, array, object, references, .. } = schema;
    let Schema { all_of, any_of, one_of, not, annotating, unsupported, .. } = schema;
    let ObjectRules { properties: _, required: _, patterns, additional, min_properties, max_properties, .. } = object;
    let ObjectRules { names, unevaluated, some, .. } = object;
    let scalars = values.is_empty() && excluded.is_empty() && *number == Default::default();
    let combined = references.is_empty() && all_of.is_empty() && any_of.is_empty() && one_of.is_empty();
    let others = patterns.is_empty() && additional.is_none() && names.is_none() && unevaluated.is_none();
    let counts = *min_properties == 0 && max_properties.is_none() && some.is_empty();
    scalars
        && *string == Default::default()
        && *array == Default::default()
        && combined
        && not.is_empty()
        && annotating.is_empty()
        && unsupported.is_empty()
        && others
        && counts
}
