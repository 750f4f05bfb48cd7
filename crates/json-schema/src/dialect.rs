//! Which draft a schema is written in, and what that changes.

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
    /// Whether the keyword means something in this draft (other keywords are annotations).
    fn knows(self, keyword: &str) -> bool {
        match keyword {
            "const" | "contains" | "propertyNames" => self >= Self::Draft6,
            "if" => self >= Self::Draft7,
            "dependentRequired" | "dependentSchemas" | "unevaluatedItems" | "unevaluatedProperties" => {
                self >= Self::Draft2019
            }
            "dependencies" => self <= Self::Draft7,
            "$recursiveRef" => self == Self::Draft2019,
            "prefixItems" | "$dynamicRef" => self >= Self::Draft2020,
            _ => true,
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
    /// Whether the keyword means something in this dialect.
    pub(crate) fn knows(self, keyword: &str) -> bool {
        let in_use = match keyword {
            "type" | "enum" | "const" | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum"
            | "multipleOf" | "minLength" | "maxLength" | "pattern" | "minItems" | "maxItems" | "uniqueItems"
            | "minContains" | "maxContains" | "minProperties" | "maxProperties" | "required" | "dependentRequired" => {
                self.validation
            }
            "format" | "$ref" | "$dynamicRef" | "$recursiveRef" => true,
            _ => self.applicators,
        };
        in_use && self.draft.knows(keyword)
    }
}

/// The name of a standard vocabulary.
pub(crate) fn vocabulary(uri: &str) -> Option<&str> {
    let rest = uri.strip_prefix("https://json-schema.org/draft/")?;
    let (year, name) = rest.split_once("/vocab/")?;
    matches!(year, "2019-09" | "2020-12").then_some(name)
}

/// Where the value of a keyword holds schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subschemas {
    /// It is one, or an array of them.
    Direct,
    /// Its members are.
    Members,
    /// Nowhere.
    None,
}

/// Where a keyword, of whatever draft, holds schemas.
pub(crate) fn subschemas(keyword: &str) -> Subschemas {
    match keyword {
        "additionalItems"
        | "additionalProperties"
        | "allOf"
        | "anyOf"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "items"
        | "not"
        | "oneOf"
        | "prefixItems"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Subschemas::Direct,
        "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties" | "properties" => {
            Subschemas::Members
        }
        _ => Subschemas::None,
    }
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
