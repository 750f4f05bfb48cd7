//! Which draft a schema is written in, and what that changes.

use crate::error::{Result, SchemaError};
use crate::json::{Node, Value};

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
    /// The draft that `$schema` of the root names; 2020-12 if there is none.
    pub(crate) fn detect(root: &Node) -> Result<Self> {
        let Value::Object(members) = &root.value else { return Ok(Self::Draft2020) };
        let Some(node) = members.get("$schema") else { return Ok(Self::Draft2020) };
        let fail = |error: SchemaError| Err(error.at("", "$schema"));
        let Value::String(uri) = &node.value else { return fail(SchemaError::invalid("must be a string")) };
        let name = uri.trim_end_matches('#').trim_start_matches("https://").trim_start_matches("http://");
        Ok(match name {
            "json-schema.org/draft-04/schema" => Self::Draft4,
            "json-schema.org/draft-06/schema" => Self::Draft6,
            "json-schema.org/draft-07/schema" => Self::Draft7,
            "json-schema.org/draft/2019-09/schema" => Self::Draft2019,
            "json-schema.org/draft/2020-12/schema" | "json-schema.org/schema" | "" => Self::Draft2020,
            _ => return fail(SchemaError::unsupported(format!("unknown dialect \"{uri}\""))),
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
    pub(crate) fn knows(self, keyword: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_the_draft() {
        let detect = |text| Draft::detect(&crate::json::parse(text, 9).unwrap());
        assert_eq!(detect("{\"$schema\": \"http://json-schema.org/draft-04/schema#\"}"), Ok(Draft::Draft4));
        assert_eq!(detect("{\"$schema\": \"https://json-schema.org/draft/2019-09/schema\"}"), Ok(Draft::Draft2019));
        assert_eq!(detect("{}"), Ok(Draft::Draft2020));
        assert_eq!(detect("true"), Ok(Draft::Draft2020));
        assert!(detect("{\"$schema\": \"http://example.com/mine\"}").is_err());
        assert!(detect("{\"$schema\": 7}").is_err());
    }
}
