//! The documents that references may lead to: those the caller gave and the metaschemas of the drafts.
//!
//! A document is read when something refers to it. The metaschemas are kept as data files without their annotations
//! (titles, descriptions, defaults), which assert nothing.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::dialect::{vocabulary, Dialect, Draft};
use crate::error::{Result, SchemaError};
use crate::json::{self, Node, Value};
use crate::Options;

macro_rules! metaschemas {
    ($($uri:literal $file:literal)*) => { [$(($uri, include_str!(concat!("../../metaschemas/", $file, ".json")))),*] };
}

const METASCHEMAS: [(&str, &str); 19] = metaschemas! {
    "http://json-schema.org/draft-04/schema" "draft-04"
    "http://json-schema.org/draft-06/schema" "draft-06"
    "http://json-schema.org/draft-07/schema" "draft-07"
    "https://json-schema.org/draft/2019-09/schema" "2019-09-schema"
    "https://json-schema.org/draft/2019-09/meta/core" "2019-09-core"
    "https://json-schema.org/draft/2019-09/meta/applicator" "2019-09-applicator"
    "https://json-schema.org/draft/2019-09/meta/validation" "2019-09-validation"
    "https://json-schema.org/draft/2019-09/meta/meta-data" "2019-09-meta-data"
    "https://json-schema.org/draft/2019-09/meta/format" "2019-09-format"
    "https://json-schema.org/draft/2019-09/meta/content" "2019-09-content"
    "https://json-schema.org/draft/2020-12/schema" "2020-12-schema"
    "https://json-schema.org/draft/2020-12/meta/core" "2020-12-core"
    "https://json-schema.org/draft/2020-12/meta/applicator" "2020-12-applicator"
    "https://json-schema.org/draft/2020-12/meta/unevaluated" "2020-12-unevaluated"
    "https://json-schema.org/draft/2020-12/meta/validation" "2020-12-validation"
    "https://json-schema.org/draft/2020-12/meta/meta-data" "2020-12-meta-data"
    "https://json-schema.org/draft/2020-12/meta/format-annotation" "2020-12-format-annotation"
    "https://json-schema.org/draft/2020-12/meta/format-assertion" "2020-12-format-assertion"
    "https://json-schema.org/draft/2020-12/meta/content" "2020-12-content"
};

/// Longest chain of metaschemas that are each written in a dialect of the next.
const MAX_METASCHEMAS: usize = 16;

/// Documents by URI, without fragment.
pub(crate) struct Library<'o> {
    documents: FxHashMap<&'o str, Stored<'o>>,
    schema_bytes: usize,
    depth: usize,
    mentions_unevaluated: bool,
}

struct Stored<'o> {
    text: &'o str,
    node: OnceCell<Node>,
}

impl<'o> Library<'o> {
    /// The documents of the options, before built-in ones of the same URI.
    pub(crate) fn new(options: &'o Options) -> Self {
        let stored = |text| Stored { text, node: OnceCell::new() };
        let mut documents: FxHashMap<&str, Stored<'_>> =
            METASCHEMAS.map(|(uri, text)| (uri, stored(text))).into_iter().collect();
        let given: &BTreeMap<String, String> = &options.registry;
        documents.extend(given.iter().map(|(uri, text)| (uri.strip_suffix('#').unwrap_or(uri), stored(text.as_str()))));
        let mentions_unevaluated = given.values().any(|text| text.contains("\"unevaluated"));
        let (schema_bytes, depth) = (options.limits.schema_bytes, options.limits.depth);
        Self { documents, schema_bytes, depth, mentions_unevaluated }
    }
    /// The document at a URI, if there is one.
    ///
    /// # Errors
    /// It is not JSON, or over a limit.
    pub(crate) fn get(&self, uri: &str) -> Result<Option<&Node>> {
        let Some(stored) = self.documents.get(uri) else { return Ok(None) };
        if let Some(node) = stored.node.get() {
            return Ok(Some(node));
        }
        let (given, limit) = (stored.text.len(), self.schema_bytes);
        if given > limit {
            return Err(SchemaError::limit("bytes of schema text", given, limit).within(uri));
        }
        let node = json::parse(stored.text, self.depth).map_err(|error| error.within(uri))?;
        Ok(Some(stored.node.get_or_init(|| node)))
    }
    /// Whether a document of the caller may have an unevaluated keyword.
    pub(crate) fn mentions_unevaluated(&self) -> bool {
        self.mentions_unevaluated
    }
    /// The URIs of all documents, sorted.
    pub(crate) fn uris(&self) -> Vec<&'o str> {
        let mut uris: Vec<&str> = self.documents.keys().copied().collect();
        uris.sort_unstable();
        uris
    }
    /// The dialect that a metaschema stands for: one of the drafts, or what a document of the library says about its
    /// vocabularies and its own `$schema`. `None` if it is not known.
    ///
    /// # Errors
    /// The document requires a vocabulary that is not known, or is not readable.
    pub(crate) fn dialect(&self, metaschema: &str) -> Result<Option<Dialect>> {
        let mut vocabularies: Option<Vec<&str>> = None;
        let mut uri = metaschema;
        for _ in 0..MAX_METASCHEMAS {
            if let Some(draft) = Draft::of_metaschema(uri) {
                return Ok(Some(match vocabularies {
                    Some(uris) if draft >= Draft::Draft2019 => Dialect::of_vocabularies(draft, uris.into_iter()),
                    _ => Dialect::full(draft),
                }));
            }
            let Some(node) = self.get(uri.strip_suffix('#').unwrap_or(uri))? else { return Ok(None) };
            let Value::Object(members) = &node.value else { return Ok(None) };
            if let (None, Some(Value::Object(listed))) = (&vocabularies, members.get("$vocabulary").map(|n| &n.value)) {
                let unknown =
                    |(uri, node): (&String, &Node)| node.value == Value::Bool(true) && vocabulary(uri).is_none();
                if listed.iter().any(unknown) {
                    return Err(SchemaError::unsupported(format!("\"{metaschema}\" requires an unknown vocabulary")));
                }
                vocabularies = Some(listed.keys().map(String::as_str).collect());
            }
            match members.get("$schema").map(|node| &node.value) {
                Some(Value::String(next)) => uri = next,
                _ => uri = "",
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metaschemas_are_readable_and_say_who_they_are() {
        let options = Options::default();
        let library = Library::new(&options);
        for uri in library.uris() {
            let Value::Object(members) = &library.get(uri).unwrap().unwrap().value else { panic!("{uri}") };
            let id = members.get("$id").or_else(|| members.get("id")).map(|node| &node.value);
            assert!(matches!(id, Some(Value::String(id)) if id.trim_end_matches('#') == uri), "{uri}");
        }
    }

    #[test]
    fn a_metaschema_of_ones_own_picks_vocabularies() {
        let mine = r#"{"$schema": "https://json-schema.org/draft/2020-12/schema",
                       "$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/applicator": true}}"#;
        let strange = r#"{"$vocabulary": {"http://x/vocab": true}}"#;
        let registry = [
            ("http://x/mine", mine),
            ("http://x/strange", strange),
            ("http://x/loop", "{\"$schema\": \"http://x/loop\"}"),
        ];
        let registry = registry.map(|(uri, text)| (uri.to_owned(), text.to_owned())).into();
        let options = Options { registry, ..Options::default() };
        let library = Library::new(&options);
        let dialect = library.dialect("http://x/mine").unwrap().unwrap();
        assert!(dialect.draft == Draft::Draft2020 && dialect.knows("items") && !dialect.knows("minimum"));
        assert!(library.dialect("http://x/strange").is_err());
        assert_eq!(library.dialect("http://x/loop"), Ok(None));
        assert_eq!(library.dialect("http://x/none"), Ok(None));
    }
}
