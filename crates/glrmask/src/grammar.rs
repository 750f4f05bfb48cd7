//! Grammars from their sources to a constraint.

use std::sync::Arc;

use glrmask_compiler::Config;
use glrmask_json_schema::{Options, Warning};
use glrmask_runtime::Constraint;
use glrmask_vocab::{TokenId, Vocab};

use crate::error::Error;

/// Build time against time per token. The language is the same in every mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Optimization {
    /// Decide by predicted size.
    #[default]
    Auto,
    /// Fill what is cheap, leave the rest to decoding.
    Balanced,
    /// Fill everything while decoding.
    FastBuild,
    /// Lowest latency while decoding.
    FastRuntime,
}

/// How to compile a grammar.
#[derive(Clone, Debug, Default)]
pub struct CompileOptions {
    /// Tokens that end the sequence: allowed exactly when the text is complete. They need not be in the vocabulary.
    pub end_tokens: Vec<TokenId>,
    /// Build time against time per token. In this version every mode fills its tables while decoding.
    pub optimization: Optimization,
    /// Transformations and limits, for experts.
    pub config: Config,
}

/// A grammar, independent of any vocabulary. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Grammar {
    grammar: Arc<glrmask_grammar::Grammar>,
    warnings: Vec<Warning>,
}

impl Grammar {
    /// From a JSON Schema (JSON text), with default options.
    ///
    /// # Errors
    /// Malformed JSON, an invalid or unsupported schema (with a JSON Pointer and the keyword), a limit.
    pub fn from_json_schema(schema: &str) -> Result<Self, Error> {
        Self::from_json_schema_with(schema, &Options::default())
    }

    /// From a JSON Schema (JSON text).
    ///
    /// # Errors
    /// Malformed JSON, an invalid or unsupported schema (with a JSON Pointer and the keyword), a limit.
    pub fn from_json_schema_with(schema: &str, options: &Options) -> Result<Self, Error> {
        let compiled = glrmask_json_schema::compile(schema, options)?;
        Ok(Self { grammar: Arc::new(compiled.grammar), warnings: compiled.warnings })
    }

    /// From GLRM text.
    ///
    /// # Errors
    /// All errors of the text, with line, column and excerpt.
    pub fn from_glrm(source: &str) -> Result<Self, Error> {
        Ok(glrmask_grammar::glrm::parse(source)?.into())
    }

    /// From W3C-style EBNF text.
    ///
    /// # Errors
    /// All errors of the text, with line, column and excerpt.
    pub fn from_ebnf(source: &str) -> Result<Self, Error> {
        Ok(glrmask_grammar::ebnf::parse(source)?.into())
    }

    /// Compiles for a vocabulary.
    ///
    /// # Errors
    /// An empty language, a limit, or something that is not supported.
    pub fn compile(&self, vocab: &Vocab, options: &CompileOptions) -> Result<Constraint, Error> {
        let config = Config { end_tokens: options.end_tokens.clone(), ..options.config.clone() };
        Ok(glrmask_compiler::compile(&self.grammar, vocab, &config)?)
    }

    /// The grammar as data.
    pub fn ir(&self) -> &glrmask_grammar::Grammar {
        &self.grammar
    }
    /// The grammar as GLRM text.
    pub fn to_glrm(&self) -> String {
        glrmask_grammar::glrm::print(&self.grammar)
    }
    /// Assertions of the source that the grammar does not enforce (never any unless weakening was asked for).
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }
}

impl From<glrmask_grammar::Grammar> for Grammar {
    fn from(grammar: glrmask_grammar::Grammar) -> Self {
        Self { grammar: Arc::new(grammar), warnings: Vec::new() }
    }
}
