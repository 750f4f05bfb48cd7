//! Structural tags: the tree of formats that serving engines pass around for tool calls and reasoning. The reference page
//! is `docs/structural-tag.md`.
//!
//! ```text
//! {"type": "structural_tag", "format": {"type": "tag", "begin": "<think>", "content": {"type": "any_text"}, "end": "</think>"}}
//! ```
//! `read` makes a tree of formats of the JSON, `build` a grammar of that. Free text is the difficult part:
//! as a terminal of its own it would swallow the delimiter that ends it, so it is put together with the delimiter
//! (`text`), or made of single characters where nothing definite follows.

mod build;
mod format;
mod read;
mod text;

use std::collections::BTreeMap;

use crate::diagnostic::GrammarError;
use crate::ir::Grammar;

/// Makes a grammar of a JSON Schema; the flag asks for properties in any order.
pub type JsonSchemaReader<'r> = dyn Fn(&str, bool) -> Result<Grammar, GrammarError> + 'r;

/// What a structural tag may refer to.
#[derive(Clone, Default)]
pub struct Options<'o> {
    /// Token ids by name, for `token` formats.
    pub token_names: BTreeMap<String, Vec<u32>>,
    /// Reads `json_schema` formats; without it they are an error.
    pub json_schema: Option<&'o JsonSchemaReader<'o>>,
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let json_schema = self.json_schema.is_some();
        f.debug_struct("Options").field("token_names", &self.token_names).field("json_schema", &json_schema).finish()
    }
}

/// Longest text of a structural tag, in bytes.
const MAX_SOURCE: usize = 16 << 20;

/// Reads a structural tag (JSON text): the object with `"type": "structural_tag"`, a bare format, or the older shape
/// with `structures` and `triggers`.
///
/// ```
/// use glrmask_grammar::structural_tag;
/// let tag = r#"{"type": "tag", "begin": "<b>", "content": {"type": "regex", "pattern": "[0-9]+"}, "end": "</b>"}"#;
/// assert!(structural_tag::parse(tag, &structural_tag::Options::default()).is_ok());
/// let error = structural_tag::parse(r#"{"type": "sequence", "elements": [{"type": "tagg"}]}"#, &Default::default());
/// assert_eq!(error.unwrap_err().to_string(), "/elements/0: unknown format \"tagg\"");
/// ```
///
/// # Errors
/// Text that is no JSON, a malformed format (with its JSON Pointer), a construct that is not supported, an error of an
/// embedded schema, grammar or pattern, a limit.
pub fn parse(source: &str, options: &Options<'_>) -> Result<Grammar, GrammarError> {
    if source.len() > MAX_SOURCE {
        return Err(GrammarError::limit("structural tag in bytes", MAX_SOURCE, source.len(), None));
    }
    build::grammar(&read::read(source)?, options)
}
