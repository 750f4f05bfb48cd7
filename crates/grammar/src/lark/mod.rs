//! Lark grammars: reader for Lark's own syntax and for the dialect of LLM toolkits. The reference page is `docs/lark.md`.
//!
//! `lexer` → `parser`, `expression` (the tree of `ast`) → `terminals` (one pattern per terminal) → `resolve` (rules,
//! templates, productions). Nothing is ignored silently: what has no effect on *which* texts there are (aliases,
//! priorities, `?rule`, `!rule`, captures) is read and dropped, everything else works or is an error with its line.

mod ast;
mod common;
mod expression;
mod lexer;
mod parser;
mod resolve;
mod substring;
mod terminals;

use std::collections::BTreeMap;

use crate::diagnostic::GrammarError;
use crate::ir::Grammar;
use crate::text::source::{Source, MAX_SOURCE};

/// Which Lark is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// Lark's own syntax, regular expressions as in Python.
    #[default]
    Recognition,
    /// With the extensions of LLM toolkits, regular expressions as in Rust.
    Llm,
}

/// Makes a grammar of the JSON Schema in `%json { … }`.
pub type JsonSchemaReader<'r> = dyn Fn(&str) -> Result<Grammar, GrammarError> + 'r;

/// How a Lark grammar is read.
#[derive(Clone, Default)]
pub struct Options<'o> {
    /// Which Lark is read.
    pub profile: Profile,
    /// Token ids by name: for `<name>` (with or without the brackets) and for names that `%declare` declares.
    pub token_names: BTreeMap<String, Vec<u32>>,
    /// Reads `%json { … }`; without it that is an error.
    pub json_schema: Option<&'o JsonSchemaReader<'o>>,
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("profile", &self.profile)
            .field("token_names", &self.token_names)
            .field("json_schema", &self.json_schema.is_some())
            .finish()
    }
}

/// Deepest nesting of `%lark { … }`.
const MAX_NESTED: usize = 8;

/// Reads a Lark grammar. Its start symbol is the rule `start`.
///
/// ```
/// use glrmask_grammar::lark;
/// let grammar = lark::parse(r#"
///     start: "[" [_list{NUMBER}] "]"
///     _list{item}: item ("," item)*
///     %import common (NUMBER, WS)
///     %ignore WS
/// "#, &lark::Options::default())?;
/// assert_eq!(grammar.scopes[glrmask_grammar::ROOT_SCOPE].ignore.len(), 1);
///
/// let error = lark::parse("start: A\nA: /a(?=b)/\n", &lark::Options::default()).unwrap_err();
/// assert!(error.to_string().starts_with("line 2, column 4: the assertion `(?=…)`, which depends on text"), "{error}");
/// # Ok::<(), glrmask_grammar::GrammarError>(())
/// ```
///
/// # Errors
/// All syntax errors of the text or, if there are none, all others: undefined and duplicate names, what is not
/// supported, limits.
pub fn parse(source: &str, options: &Options<'_>) -> Result<Grammar, GrammarError> {
    parse_nested(source, options, 0)
}

fn parse_nested(source: &str, options: &Options<'_>, depth: usize) -> Result<Grammar, GrammarError> {
    if source.len() > MAX_SOURCE {
        return Err(GrammarError::limit("grammar text in bytes", MAX_SOURCE, source.len(), None));
    }
    if depth > MAX_NESTED {
        return Err(GrammarError::limit("nested `%lark`", MAX_NESTED, depth, None));
    }
    let text = Source::new(source);
    let items = parser::parse(&text, options.profile).map_err(|e| e.with_source(source))?;
    resolve::resolve(&text, &items, options, depth).map_err(|e| e.with_source(source))
}
