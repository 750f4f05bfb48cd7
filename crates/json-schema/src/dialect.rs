//! Which draft a schema is written in, and what that changes.

use crate::load::keyword::{self, Definition, Vocabulary};

/// A draft of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Draft {
    Draft4,
    Draft6,
    Draft7,
    Draft2019,
    Draft2020,
}

impl Draft {
    /// The draft whose metaschema has this URI.
    pub(crate) fn of_metaschema(uri: &str) -> Option<Self> {
        let name = uri.trim_end_matches('#').trim_start_matches("https://").trim_start_matches("http://");
        Some(match name {
            "json-schema.org/draft-04/schema" => Self::Draft4,
            "json-schema.org/draft-06/schema" => Self::Draft6,
            "json-schema.org/draft-07/schema" => Self::Draft7,
            "json-schema.org/draft/2019-09/schema" => Self::Draft2019,
            "json-schema.org/draft/2020-12/schema" | "json-schema.org/schema" | "" => Self::Draft2020,
            _ => return None,
        })
    }
    /// Whether `$ref` hides the keywords beside it.
    pub(crate) fn ref_hides_siblings(self) -> bool {
        self <= Self::Draft7
    }
    /// The keyword that names a schema.
    pub(crate) fn id_keyword(self) -> &'static str {
        if self == Self::Draft4 {
            "id"
        } else {
            "$id"
        }
    }
}

/// A draft and the vocabularies of it that are in use: the meaning of `$schema`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) draft: Draft,
    /// Keywords that apply sub-schemas.
    applicators: bool,
    /// Keywords that assert something by themselves.
    validation: bool,
    /// Whether the dialect asks for `format` to be asserted.
    pub(crate) format_assertion: bool,
}

impl Dialect {
    /// All of a draft.
    pub(crate) const fn full(draft: Draft) -> Self {
        Self { draft, applicators: true, validation: true, format_assertion: false }
    }
    /// The part of a draft that these vocabularies of it make up.
    pub(crate) fn of_vocabularies<'v>(draft: Draft, mut uris: impl Iterator<Item = &'v str> + Clone) -> Self {
        let has = |name| uris.clone().any(|uri| vocabulary(uri) == Some(name));
        let (applicators, validation) = (has("applicator"), has("validation"));
        let format_assertion = uris.any(|uri| vocabulary(uri) == Some("format-assertion"));
        Self { draft, applicators, validation, format_assertion }
    }
    /// Whether the keyword with this name means something in this dialect.
    pub(crate) fn knows(self, keyword: &str) -> bool {
        keyword::find(keyword).is_some_and(|definition| self.knows_definition(definition))
    }
    /// Whether the keyword means something in this dialect; otherwise it is an annotation.
    pub(crate) fn knows_definition(self, keyword: &Definition) -> bool {
        let in_use = match keyword.vocabulary {
            Vocabulary::Core => true,
            Vocabulary::Applicator => self.applicators,
            Vocabulary::Validation => self.validation,
        };
        in_use && keyword.since <= self.draft && self.draft <= keyword.until
    }
}

/// The name of a standard vocabulary.
pub(crate) fn vocabulary(uri: &str) -> Option<&str> {
    let rest = uri.strip_prefix("https://json-schema.org/draft/")?;
    let (year, name) = rest.split_once("/vocab/")?;
    matches!(year, "2019-09" | "2020-12").then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_metaschemas() {
        assert_eq!(Draft::of_metaschema("http://json-schema.org/draft-04/schema#"), Some(Draft::Draft4));
        assert_eq!(Draft::of_metaschema("https://json-schema.org/draft/2019-09/schema"), Some(Draft::Draft2019));
        assert_eq!(Draft::of_metaschema("http://example.com/mine"), None);
    }

    #[test]
    fn vocabularies_switch_keywords_off() {
        let core = ["https://json-schema.org/draft/2020-12/vocab/core", "http://other/vocab/validation"];
        let dialect = Dialect::of_vocabularies(Draft::Draft2020, core.into_iter());
        assert!(!dialect.knows("minimum") && !dialect.knows("items") && dialect.knows("$ref"));
        let full = Dialect::full(Draft::Draft2020);
        assert!(full.knows("minimum") && full.knows("items") && !full.knows("dependencies"));
    }
}
