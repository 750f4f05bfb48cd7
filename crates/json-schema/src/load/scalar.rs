//! `type`, values, numbers, strings.

use super::{array, boolean, count, least, most, string, Keyword, Loader};
use crate::decimal::Decimal;
use crate::dialect::Draft;
use crate::ecma::PatternError;
use crate::error::{Category, Result, SchemaError};
use crate::format::{self, Format};
use crate::json::{Node, Value};
use crate::schema::{Bound, Schema};
use crate::types::TypeSet;

impl<'t> Loader<'t> {
    pub(super) fn scalar(&mut self, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
        let node = keyword.node;
        match keyword.name {
            "type" => schema.types = types(node)?,
            "enum" => schema.values.push(distinct(array(node)?).into()),
            "const" => schema.values.push([node.clone()].into()),
            "minimum" | "exclusiveMinimum" => schema.number.lower.extend(self.bound(keyword)?),
            "maximum" | "exclusiveMaximum" => schema.number.upper.extend(self.bound(keyword)?),
            "multipleOf" => schema.number.multiple_of.push(divisor(node)?),
            "minLength" => schema.string.min_length = least(node)?,
            "maxLength" => schema.string.max_length = most(node)?,
            "pattern" => self.pattern(schema, keyword, string(node)?),
            "format" if self.options.format_assertion || keyword.place.dialect.format_assertion => {
                self.format(schema, keyword, string(node)?)
            }
            _ => {}
        }
        Ok(())
    }
    fn bound(&self, keyword: &Keyword<'_, 't>) -> Result<Option<Bound>> {
        let exclusive = keyword.name.starts_with("exclusive");
        if exclusive && keyword.draft() == Draft::Draft4 {
            boolean(keyword.node)?;
            return Ok(None);
        }
        let value = self.number(keyword.node)?;
        let flag = if keyword.name == "minimum" { "exclusiveMinimum" } else { "exclusiveMaximum" };
        let flagged = match keyword.siblings.get(flag) {
            Some(flag) if keyword.draft() == Draft::Draft4 => boolean(flag)?,
            _ => false,
        };
        Ok(Some(Bound { value, exclusive: exclusive || flagged }))
    }
    fn number(&self, node: &Node) -> Result<Decimal> {
        let Value::Number(number) = &node.value else { return Err(SchemaError::invalid("must be a number")) };
        let limit = self.options.limits.digits;
        match usize::try_from(number.plain_len()).unwrap_or(usize::MAX) {
            len if len > limit => Err(SchemaError::limit("digits of a bound", len, limit)),
            _ => Ok(number.clone()),
        }
    }
    pub(super) fn pattern(&mut self, schema: &mut Schema, keyword: &Keyword<'_, 't>, pattern: &str) {
        match self.languages.pattern(pattern) {
            Ok(id) => schema.string.languages.push((id, true)),
            Err(error) => schema.unsupported.push(keyword.pattern_error(&error)),
        }
    }
    fn format(&mut self, schema: &mut Schema, keyword: &Keyword<'_, 't>, name: &str) {
        match format::lookup(name) {
            Format::Pattern(pattern) => self.pattern(schema, keyword, &pattern),
            Format::Regex => schema.string.regex = true,
            Format::Unknown => {}
        }
    }
}

impl Keyword<'_, '_> {
    pub(super) fn pattern_error(&self, error: &PatternError) -> crate::schema::Unsupported {
        match error {
            PatternError::Syntax(message) => self.note(Category::Invalid, &format!("bad pattern: {message}")),
            PatternError::Unsupported(message) => self.unsupported(&format!("pattern with {message}")),
        }
    }
}

fn types(node: &Node) -> Result<TypeSet> {
    let named = |node: &Node| {
        let name = string(node)?;
        TypeSet::named(name).ok_or_else(|| SchemaError::invalid(format!("no type is called \"{name}\"")))
    };
    match &node.value {
        Value::Array(items) => items.iter().try_fold(TypeSet::NONE, |types, item| Ok(types.union(named(item)?))),
        _ => named(node),
    }
}

fn divisor(node: &Node) -> Result<Decimal> {
    match &node.value {
        Value::Number(number) if !number.is_negative() && !number.is_zero() => Ok(number.clone()),
        _ => Err(SchemaError::invalid("must be a number above zero")),
    }
}

/// The values without repetition.
fn distinct(values: &[Node]) -> Vec<Node> {
    let mut seen = rustc_hash::FxHashSet::default();
    values.iter().filter(|&value| seen.insert(value)).cloned().collect()
}

/// `minContains` and `maxContains`.
pub(super) fn optional_count(keyword: &Keyword<'_, '_>, name: &str) -> Result<Option<u32>> {
    keyword.siblings.get(name).map(count).transpose()
}
