//! Strings: a length and languages.

use glrmask_automata::Regex;

use super::excluded;
use super::length::at_most;
use crate::algebra::Algebra;
use crate::error::Result;
use crate::json::Value;
use crate::language::{LanguageId, Languages};
use crate::schema::SchemaId;

/// A set of strings.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct StringShape {
    /// In code points.
    pub(crate) min_length: u32,
    /// In code points.
    pub(crate) max_length: Option<u32>,
    /// In the language, or not in it.
    pub(crate) languages: Vec<(LanguageId, bool)>,
    pub(crate) excluded: Vec<String>,
    /// Is a regular expression: a language that is not regular, so it stands alone or is not enforced.
    pub(crate) regex: bool,
}

impl StringShape {
    pub(crate) fn merge(algebra: &mut Algebra<'_>, members: &[SchemaId]) -> Result<Self> {
        let mut shape = Self::default();
        for &id in members {
            let schema = algebra.store.get(id);
            let rules = &schema.string;
            shape.regex |= rules.regex;
            shape.min_length = shape.min_length.max(rules.min_length);
            shape.max_length = [shape.max_length, rules.max_length].into_iter().flatten().min();
            for language in &rules.languages {
                if !shape.languages.contains(language) {
                    shape.languages.push(*language);
                }
            }
        }
        for node in excluded(algebra, members) {
            if let Value::String(text) = node.value {
                shape.excluded.push(text);
            }
        }
        if shape.regex && shape != (Self { regex: true, ..Self::default() }) {
            shape.regex = false;
            let at = members.iter().find(|&&id| algebra.store.get(id).string.regex);
            let id = at.copied().unwrap_or(algebra.store.always);
            algebra.unsupported_at(id, "format", "the format \"regex\" beside other assertions about a string")?;
        }
        Ok(shape)
    }
    /// Whether every string is allowed.
    pub(crate) fn is_free(&self) -> bool {
        *self == Self::default()
    }
    /// Whether only the length is limited.
    pub(crate) fn is_only_length(&self) -> bool {
        self.languages.is_empty() && self.excluded.is_empty()
    }
    /// Whether emptiness is not obvious.
    pub(crate) fn may_be_empty(&self) -> bool {
        !self.languages.is_empty() || !self.excluded.is_empty()
    }
    /// The contents, without quotes.
    pub(crate) fn content(&self, languages: &Languages) -> Regex {
        let spelling = languages.spelling();
        let mut parts: Vec<Regex> = Vec::new();
        let mut minus: Vec<Regex> = self.excluded.iter().map(|text| spelling.text(text)).collect();
        for &(language, positive) in &self.languages {
            let content = languages.content(language);
            if positive { &mut parts } else { &mut minus }.push(content);
        }
        let any = languages.any_char();
        match (parts.as_mut_slice(), self.max_length) {
            ([only], Some(max)) => {
                *only = at_most(only, max, &any);
                if self.min_length > 0 {
                    parts.push(any.repeat(self.min_length, None));
                }
            }
            ([], _) | (_, Some(_)) => parts.push(any.repeat(self.min_length, self.max_length)),
            (_, None) if self.min_length > 0 => parts.push(any.repeat(self.min_length, None)),
            (_, None) => {}
        }
        let mut parts = parts.into_iter();
        let first = parts.next().unwrap_or_else(Regex::empty);
        let both = parts.fold(first, |all, part| all.intersect(&part));
        if minus.is_empty() {
            both
        } else {
            both.difference(&Regex::alternate(minus))
        }
    }
}
