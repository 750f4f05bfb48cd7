//! JSON Schema to context-free grammar.
//!
//! [`compile`] turns a schema into a [`Grammar`] over bytes whose language is the set of JSON texts with a valid value,
//! in one fixed layout. It is exact or it refuses: a schema that compiles accepts no text with an invalid value and at
//! least one text of every valid value; what cannot be enforced is a [`SchemaError`] with a JSON Pointer and a keyword
//! (or, on request, a [`Warning`]).
//!
//! ```
//! use glrmask_json_schema::{compile, Options};
//!
//! let schema = r#"{"type": "object", "properties": {"n": {"type": "integer", "minimum": 0}}, "required": ["n"],
//!                  "additionalProperties": false}"#;
//! let compiled = compile(schema, &Options::default())?;
//! assert!(compiled.warnings.is_empty());
//! assert!(compiled.grammar.productions.len() < 10);
//!
//! let error = compile(r#"{"items": {"pattern": "(a)\\1"}}"#, &Options::default()).unwrap_err();
//! assert_eq!((error.pointer(), error.keyword()), (Some("/items"), Some("pattern")));
//! # Ok::<(), glrmask_json_schema::SchemaError>(())
//! ```
//!
//! The way through the crate: `json` reads the text, `load/` makes the schema IR (`schema`), `algebra/` combines
//! schemas at one place into cases, `shape/` merges a case per type, `emit/` writes productions,
//! `places/` says where items and keys are remembered at run time.

mod algebra;
pub mod decimal;
mod dialect;
mod ecma;
mod emit;
mod error;
mod format;
pub mod json;
mod language;
mod load;
mod options;
mod places;
mod schema;
mod shape;
mod spell;
mod types;
mod uri;

pub use ecma::ecma_pattern;
pub use error::{Category, SchemaError};
use glrmask_grammar::Grammar;
pub use options::{Escapes, Limits, Options, PropertyOrder, Unsupported, Whitespace};

/// A compiled schema.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The grammar of the JSON texts that satisfy the schema.
    pub grammar: Grammar,
    /// What was not taken at its word: weakened assertions, keywords of another draft, objects whose optional keys may be
    /// repeated.
    pub warnings: Vec<Warning>,
}

/// Something in the schema that has no effect although it looks as if it should.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Warning {
    /// JSON Pointer of the schema.
    pub pointer: String,
    /// The keyword.
    pub keyword: String,
    /// What happened to it.
    pub message: String,
}

impl Warning {
    fn new(pointer: &str, keyword: &str, message: &str) -> Self {
        Self { pointer: pointer.to_owned(), keyword: keyword.to_owned(), message: message.to_owned() }
    }
}

/// Compiles a schema given as JSON text.
///
/// Time and size are linear in the schema for plain schemas; `anyOf` beside `anyOf`, overlapping `oneOf` and key
/// patterns multiply, within [`Limits`].
///
/// # Errors
/// The text is not JSON or not a schema, something is unsupported, nothing satisfies the schema, or a limit is reached;
/// see [`Category`].
pub fn compile(schema: &str, options: &Options) -> Result<Compiled, SchemaError> {
    if schema.len() > options.limits.schema_bytes {
        return Err(SchemaError::limit("bytes of schema text", schema.len(), options.limits.schema_bytes));
    }
    let root = json::parse(schema, options.limits.depth)?;
    let library = load::Library::new(options);
    let document = load::load(&root, &library, options)?;
    let start = document.root;
    let mut algebra = algebra::Algebra::new(document, options);
    let grammar = emit::grammar(&mut algebra, start)?;
    Ok(Compiled { grammar, warnings: algebra.warnings })
}
