//! A sound test for goals that nothing satisfies. It decides whether `oneOf` branches can overlap.
//!
//! "Unsatisfiable" is always right; "satisfiable" may be wrong where recursion or an automaton limit cuts the search.
//! Exact emptiness of the whole language is decided on the finished grammar.

use super::{Algebra, Case, Goal};
use crate::error::{Category, Result};
use crate::json::{Node, Value};
use crate::language;
use crate::schema::SchemaId;
use crate::shape::{ArrayShape, NumberShape, ObjectShape, StringShape};
use crate::types::TypeSet;

/// How deep into members and items the test looks.
const MAX_DEPTH: usize = 6;

impl Algebra<'_> {
    /// Whether some value may satisfy the goal.
    pub(crate) fn satisfiable(&mut self, goal: &Goal) -> Result<bool> {
        if let Some(&known) = self.satisfiable.get(goal) {
            return Ok(known);
        }
        if self.depth >= MAX_DEPTH {
            return Ok(true);
        }
        self.depth += 1;
        self.satisfiable.insert(goal.clone(), true);
        let cases = self.expand(goal)?;
        let mut found = false;
        for case in cases.iter() {
            found = found || self.case_satisfiable(case)?;
        }
        self.depth -= 1;
        self.satisfiable.insert(goal.clone(), found);
        Ok(found)
    }
    fn case_satisfiable(&mut self, case: &Case) -> Result<bool> {
        let Case::Assertions { members, types } = case else { return Ok(true) };
        let simple = [Value::Null, Value::Bool(true), Value::Bool(false)];
        let simple = simple.map(|value| Node { value, bytes: (0, 0) });
        if simple.iter().any(|value| types.meets(TypeSet::of(value)) && !self.excludes(members, value)) {
            return Ok(true);
        }
        Ok((types.meets(TypeSet::NUMBER) && !NumberShape::merge(self, members, *types)?.is_visibly_empty())
            || (types.meets(TypeSet::STRING) && self.some_string(members)?)
            || (types.meets(TypeSet::ARRAY) && self.some_array(members)?)
            || (types.meets(TypeSet::OBJECT) && self.some_object(members)?))
    }
    /// Whether the value stands in a list of excluded values.
    pub(crate) fn excludes(&self, members: &[SchemaId], value: &Node) -> bool {
        members.iter().any(|&id| self.store.get(id).excluded.iter().any(|list| list.contains(value)))
    }
    fn some_string(&mut self, members: &[SchemaId]) -> Result<bool> {
        let shape = StringShape::merge(self, members)?;
        if shape.max_length.is_some_and(|max| max < shape.min_length) {
            return Ok(false);
        }
        if shape.is_free() {
            return Ok(true);
        }
        let content = shape.content(&self.languages);
        match language::compile(&content, &self.options.limits) {
            Ok(dfa) => Ok(!dfa.is_empty_language()),
            Err(error) if error.category() == Category::Limit => Ok(true),
            Err(error) => Err(error),
        }
    }
    fn some_array(&mut self, members: &[SchemaId]) -> Result<bool> {
        let Some(shape) = ArrayShape::merge(self, members)? else { return Ok(false) };
        let forced = shape.min_items.min(shape.prefix.len() as u32 + 1) as usize;
        let positions = shape.prefix.iter().chain([&shape.items]).take(forced);
        for goal in positions.chain(shape.contains.iter().filter(|c| c.min > 0).map(|c| &c.goal)) {
            if !self.satisfiable(goal)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
    fn some_object(&mut self, members: &[SchemaId]) -> Result<bool> {
        let Some(shape) = ObjectShape::merge(self, members)? else { return Ok(false) };
        let required = || shape.named.iter().filter(|named| named.required);
        // A clash of discriminators first: looking into recursive members may lead back here.
        for named in required() {
            if self.visibly_unsatisfiable(&named.value)? {
                return Ok(false);
            }
        }
        for named in required() {
            if !self.satisfiable(&named.value)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
