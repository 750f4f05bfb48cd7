//! Arrays: goals of the first items and of the rest, how many items, what must be among them.

use super::excluded;
use crate::algebra::{Algebra, Goal};
use crate::error::Result;
use crate::json::Value;
use crate::schema::{ArrayRules, SchemaId};

/// Largest number of counted states that `contains` may take.
const MAX_CONTAINS: u32 = 64;

/// A set of arrays.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ArrayShape {
    pub(crate) prefix: Vec<Goal>,
    /// Items after the prefix.
    pub(crate) items: Goal,
    pub(crate) min_items: u32,
    pub(crate) max_items: Option<u32>,
    /// At most one.
    pub(crate) contains: Option<ContainsShape>,
}

/// How many items satisfy a goal.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ContainsShape {
    pub(crate) goal: Goal,
    pub(crate) negated: Goal,
    pub(crate) min: u32,
    pub(crate) max: Option<u32>,
}

impl ArrayShape {
    /// `None` if no array is left.
    pub(crate) fn merge(algebra: &mut Algebra<'_>, members: &[SchemaId]) -> Result<Option<Self>> {
        let schemas: Vec<_> = members.iter().map(|&id| algebra.store.get(id)).collect();
        let rules: Vec<&ArrayRules> = schemas.iter().map(|schema| &schema.array).collect();
        let prefix_len = rules.iter().map(|rules| rules.prefix.len()).max().unwrap_or(0);
        let at = |i: usize| {
            let schemas = rules.iter().filter_map(move |rules| rules.prefix.get(i).copied().or(rules.items));
            algebra.goal(schemas)
        };
        let mut shape = Self {
            prefix: (0..prefix_len).map(at).collect(),
            items: algebra.goal(rules.iter().filter_map(|rules| rules.items)),
            min_items: rules.iter().map(|rules| rules.min_items).max().unwrap_or(0),
            max_items: rules.iter().filter_map(|rules| rules.max_items).min(),
            contains: None,
        };
        for node in excluded(algebra, members) {
            match &node.value {
                Value::Array(items) if items.is_empty() => shape.min_items = shape.min_items.max(1),
                Value::Array(_) => {
                    let id = members.first().copied().unwrap_or(algebra.store.always);
                    algebra.unsupported_at(id, "not", "excluding an array by its value is not supported yet")?;
                }
                _ => {}
            }
        }
        shape.contains(algebra, members)?;
        shape.cut(algebra);
        shape.unique(algebra, members)?;
        let possible = shape.max_items.is_none_or(|max| shape.min_items <= max);
        Ok(possible.then_some(shape))
    }
    fn contains(&mut self, algebra: &mut Algebra<'_>, members: &[SchemaId]) -> Result<()> {
        for &id in members {
            let Some(rule) = algebra.store.get(id).array.contains.clone() else { continue };
            if rule.min == 0 && rule.max.is_none() {
                continue;
            }
            let most = rule.max.unwrap_or(0).max(rule.min).max(self.min_items).max(self.max_items.unwrap_or(0));
            if self.contains.is_some() || most > MAX_CONTAINS {
                let reason = "only one \"contains\" with counts up to 64 is supported yet";
                algebra.unsupported_at(id, "contains", reason)?;
                continue;
            }
            let pointer = algebra.store.pointer(rule.schema);
            let negated = algebra.store.intern(crate::schema::Schema::negated(rule.schema), &pointer);
            let (goal, negated) = (algebra.goal([rule.schema]), algebra.goal([negated]));
            self.contains = Some(ContainsShape { goal, negated, min: rule.min, max: rule.max });
        }
        Ok(())
    }
    /// An impossible position ends the array before it.
    fn cut(&mut self, algebra: &Algebra<'_>) {
        let never = |goal: &Goal| goal.contains(&algebra.store.never);
        let longest = self.prefix.iter().position(never).or_else(|| never(&self.items).then_some(self.prefix.len()));
        if let Some(longest) = longest {
            self.prefix.truncate(longest);
            self.max_items = Some(self.max_items.unwrap_or(u32::MAX).min(longest as u32));
        }
    }
    fn unique(&self, algebra: &mut Algebra<'_>, members: &[SchemaId]) -> Result<()> {
        if self.max_items.is_some_and(|max| max <= 1) {
            return Ok(());
        }
        match members.iter().find(|&&id| algebra.store.get(id).array.unique) {
            Some(&id) => algebra.unsupported_at(id, "uniqueItems", "not supported yet for more than one item"),
            None => Ok(()),
        }
    }
}
