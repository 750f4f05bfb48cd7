//! Whether a value satisfies a schema: used to filter `enum` and `const` by everything that stands beside them.

use super::unevaluated::{Kind, Leftover};
use super::Algebra;
use crate::ecma::{self, PatternError};
use crate::error::{Result, SchemaError};
use crate::json::{Node, Value};
use crate::schema::{ArrayRules, KeySet, NumberRules, ObjectRules, Schema, SchemaId, SomeMember, StringRules};
use crate::types::TypeSet;

/// Deepest nesting of schemas applied to one value.
const MAX_DEPTH: usize = 300;

impl Algebra<'_> {
    /// Whether the value satisfies all of the schemas.
    pub(crate) fn holds(&mut self, schemas: &[SchemaId], value: &Node) -> Result<bool> {
        Validator { algebra: self, depth: 0 }.all(schemas, value)
    }
}

struct Validator<'a, 'o> {
    algebra: &'a mut Algebra<'o>,
    depth: usize,
}

impl Validator<'_, '_> {
    fn all(&mut self, schemas: &[SchemaId], value: &Node) -> Result<bool> {
        for &id in schemas {
            if !self.schema(id, value)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
    fn schema(&mut self, id: SchemaId, value: &Node) -> Result<bool> {
        self.algebra.step()?;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let error = SchemaError::limit("schemas applied to one value", self.depth, MAX_DEPTH);
            return Err(error.at(&self.algebra.store.pointer(id), ""));
        }
        let schema = self.algebra.store.get(id);
        for note in &schema.unsupported {
            self.algebra.unsupported(note)?;
        }
        let holds = schema.types.meets(TypeSet::of(value))
            && schema.values.iter().all(|list| list.contains(value))
            && !schema.excluded.iter().any(|list| list.contains(value))
            && self.plain(&schema, value)?
            && self.combined(&schema, value)?
            && self.unevaluated(id, value)?;
        self.depth -= 1;
        Ok(holds)
    }
    fn plain(&mut self, schema: &Schema, value: &Node) -> Result<bool> {
        match &value.value {
            Value::Number(_) => self.number(&schema.number, value),
            Value::String(text) => self.string(&schema.string, text),
            Value::Array(items) => self.array(&schema.array, items),
            Value::Object(members) => self.object(&schema.object, members),
            Value::Null | Value::Bool(_) => Ok(true),
        }
    }
    fn combined(&mut self, schema: &Schema, value: &Node) -> Result<bool> {
        let inner = self.algebra.in_place(schema);
        if !self.all(&inner, value)? {
            return Ok(false);
        }
        for &negated in &schema.not {
            if self.schema(negated, value)? {
                return Ok(false);
            }
        }
        for list in &schema.any_of {
            if self.count(list, value)? == 0 {
                return Ok(false);
            }
        }
        for list in &schema.one_of {
            if self.count(list, value)? != 1 {
                return Ok(false);
            }
        }
        Ok(true)
    }
    /// The first case whose conditions hold decides.
    fn unevaluated(&mut self, id: SchemaId, value: &Node) -> Result<bool> {
        for kind in [Kind::Properties, Kind::Items] {
            for Leftover { conditions, rule } in self.algebra.leftovers(id, kind)? {
                if self.all(&conditions, value)? {
                    match rule {
                        Some(rule) if !self.schema(rule, value)? => return Ok(false),
                        _ => break,
                    }
                }
            }
        }
        Ok(true)
    }
    fn count(&mut self, schemas: &[SchemaId], value: &Node) -> Result<usize> {
        let mut count = 0;
        for &id in schemas {
            count += usize::from(self.schema(id, value)?);
        }
        Ok(count)
    }
    fn number(&mut self, rules: &NumberRules, value: &Node) -> Result<bool> {
        let Value::Number(number) = &value.value else { return Ok(true) };
        let above = |b: &crate::schema::Bound| *number > b.value || (!b.exclusive && *number == b.value);
        let below = |b: &crate::schema::Bound| *number < b.value || (!b.exclusive && *number == b.value);
        if !rules.lower.iter().all(above) || !rules.upper.iter().all(below) {
            return Ok(false);
        }
        let limit = self.algebra.options.limits.digits;
        let wanted = rules.multiple_of.iter().map(|divisor| (divisor, true));
        for (divisor, wanted) in wanted.chain(rules.not_multiple_of.iter().map(|divisor| (divisor, false))) {
            match number.is_multiple_of(divisor, limit) {
                Some(is_multiple) if is_multiple == wanted => {}
                Some(_) => return Ok(false),
                None => return Err(SchemaError::limit("digits of a value", limit + 1, limit)),
            }
        }
        Ok(true)
    }
    fn string(&mut self, rules: &StringRules, text: &str) -> Result<bool> {
        let length = text.chars().count() as u64;
        if length < u64::from(rules.min_length) || rules.max_length.is_some_and(|max| length > u64::from(max)) {
            return Ok(false);
        }
        for &(language, positive) in &rules.languages {
            if self.algebra.languages.contains(language, text, &self.algebra.options.limits)? != positive {
                return Ok(false);
            }
        }
        // A pattern with what this version cannot enforce is a pattern still.
        Ok(!rules.regex || !matches!(ecma::check(text), Err(PatternError::Syntax(_))))
    }
    fn array(&mut self, rules: &ArrayRules, items: &[Node]) -> Result<bool> {
        let length = items.len() as u64;
        if length < u64::from(rules.min_items) || rules.max_items.is_some_and(|max| length > u64::from(max)) {
            return Ok(false);
        }
        let rest = std::iter::repeat(rules.items);
        for (item, schema) in items.iter().zip(rules.prefix.iter().copied().map(Some).chain(rest)) {
            if let Some(schema) = schema {
                if !self.schema(schema, item)? {
                    return Ok(false);
                }
            }
        }
        if let Some(contains) = &rules.contains {
            let mut count = 0u64;
            for item in items.iter().skip(contains.from as usize) {
                count += u64::from(self.schema(contains.schema, item)?);
            }
            if count < u64::from(contains.min) || contains.max.is_some_and(|max| count > u64::from(max)) {
                return Ok(false);
            }
        }
        Ok(!rules.unique || all_distinct(items))
    }
    fn object(&mut self, rules: &ObjectRules, members: &indexmap::IndexMap<String, Node>) -> Result<bool> {
        let length = members.len() as u64;
        if length < u64::from(rules.min_properties)
            || rules.max_properties.is_some_and(|max| length > u64::from(max))
            || !rules.required.iter().all(|key| members.contains_key(&**key))
        {
            return Ok(false);
        }
        for (key, value) in members {
            let applicable = self.algebra.member_schemas(rules, key)?;
            if !self.all(&applicable, value)? {
                return Ok(false);
            }
            if let Some(names) = rules.names {
                let name = Node { value: Value::String(key.clone()), bytes: (0, 0) };
                if !self.schema(names, &name)? {
                    return Ok(false);
                }
            }
        }
        for some in &rules.some {
            if !self.some_member(some, members)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
    fn some_member(&mut self, some: &SomeMember, members: &indexmap::IndexMap<String, Node>) -> Result<bool> {
        for (key, value) in members {
            if self.algebra.among(&some.keys, key)? && self.schema(some.value, value)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Algebra<'_> {
    /// Whether a key is in the set.
    pub(crate) fn among(&mut self, keys: &KeySet, key: &str) -> Result<bool> {
        if keys.except.iter().any(|name| &**name == key) {
            return Ok(false);
        }
        for &(language, positive) in &keys.languages {
            if self.languages.contains(language, key, &self.options.limits)? != positive {
                return Ok(false);
            }
        }
        let name = Node { value: Value::String(key.to_owned()), bytes: (0, 0) };
        keys.names.map_or(Ok(true), |names| self.holds(&[names], &name))
    }
    /// What an object schema says about the value of a key.
    pub(crate) fn member_schemas(&self, rules: &ObjectRules, key: &str) -> Result<Vec<SchemaId>> {
        let declared = rules.properties.iter().filter(|(name, _)| &**name == key).map(|&(_, schema)| schema);
        let mut schemas: Vec<SchemaId> = declared.collect();
        for &(language, schema) in &rules.patterns {
            if self.languages.contains(language, key, &self.options.limits)? {
                schemas.push(schema);
            }
        }
        if schemas.is_empty() {
            schemas.extend(rules.additional);
        }
        Ok(schemas)
    }
}

fn all_distinct(items: &[Node]) -> bool {
    let mut seen = rustc_hash::FxHashSet::default();
    items.iter().all(|item| seen.insert(item))
}
