//! What keywords about numbers and strings share: bounds, patterns.

use super::{boolean, Keyword, Loader};
use crate::decimal::Decimal;
use crate::dialect::Draft;
use crate::ecma::PatternError;
use crate::error::{Category, Result, SchemaError};
use crate::json::{Node, Value};
use crate::schema::{Bound, Schema};

impl<'t> Loader<'t> {
    /// The bound of `minimum` or `maximum`; in draft 4 a flag beside it excludes the bound itself.
    pub(super) fn inclusive(&self, keyword: &Keyword<'_, 't>, flag: &str) -> Result<Bound> {
        let exclusive = match keyword.siblings.get(flag) {
            Some(flag) if keyword.draft() == Draft::Draft4 => boolean(flag)?,
            _ => false,
        };
        Ok(Bound { value: self.number(keyword.node)?, exclusive })
    }
    /// The bound of `exclusiveMinimum` or `exclusiveMaximum`; none where that is a flag.
    pub(super) fn exclusive(&self, keyword: &Keyword<'_, 't>) -> Result<Option<Bound>> {
        if keyword.draft() == Draft::Draft4 {
            boolean(keyword.node)?;
            return Ok(None);
        }
        Ok(Some(Bound { value: self.number(keyword.node)?, exclusive: true }))
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
}

impl Keyword<'_, '_> {
    pub(super) fn pattern_error(&self, error: &PatternError) -> crate::schema::Unsupported {
        match error {
            PatternError::Syntax(message) => self.note(Category::Invalid, &format!("bad pattern: {message}")),
            PatternError::Unsupported(message) => self.unsupported(&format!("pattern with {message}")),
        }
    }
}
