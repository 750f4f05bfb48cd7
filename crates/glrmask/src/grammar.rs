//! Grammars from their sources to a constraint.

use std::collections::BTreeMap;
use std::sync::Arc;

use glrmask_grammar::{lark, GrammarError};
use glrmask_json_schema::{Category, Options, Warning};
use glrmask_runtime::Constraint;
use glrmask_vocab::{TokenId, Vocab};

use crate::compile::{self, CompileOptions, StageTime};

use crate::error::Error;

/// How a Lark grammar is read.
#[derive(Clone, Debug, Default)]
pub struct LarkOptions {
    /// Lark's own syntax, or that of LLM toolkits.
    pub profile: lark::Profile,
    /// Token ids by name: for `<name>` and for names that `%declare` declares.
    pub token_names: BTreeMap<String, Vec<TokenId>>,
    /// For `%json { … }`.
    pub json_schema: Options,
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

    /// From a Lark grammar, in Lark's own syntax (the profile `recognition`).
    ///
    /// # Errors
    /// All errors of the text, with line, column and excerpt.
    pub fn from_lark(source: &str) -> Result<Self, Error> {
        Self::from_lark_with(source, &LarkOptions::default())
    }

    /// From a Lark grammar, with a profile and the ids of named tokens.
    ///
    /// ```
    /// use glrmask::{Grammar, LarkOptions, LarkProfile};
    /// let options = LarkOptions { profile: LarkProfile::Llm, ..LarkOptions::default() };
    /// let source = r#"start: "call " %json { "type": "integer" }"#;
    /// assert!(Grammar::from_lark_with(source, &options)?.to_glrm().contains("grammar json"));
    /// # Ok::<(), glrmask::Error>(())
    /// ```
    ///
    /// # Errors
    /// All errors of the text, with line, column and excerpt.
    pub fn from_lark_with(source: &str, options: &LarkOptions) -> Result<Self, Error> {
        let LarkOptions { profile, token_names, json_schema } = options;
        let reader = |schema: &str| read_schema(schema, json_schema);
        let token_names = token_names.iter().map(|(name, ids)| (name.clone(), ids.iter().map(|id| id.0).collect()));
        let options =
            lark::Options { profile: *profile, token_names: token_names.collect(), json_schema: Some(&reader) };
        Ok(lark::parse(source, &options)?.into())
    }

    /// Compiles for a vocabulary.
    ///
    /// # Errors
    /// An empty language, a limit, a cancellation, or something that is not supported.
    pub fn compile(&self, vocab: &Vocab, options: &CompileOptions) -> Result<Constraint, Error> {
        compile::run(&self.grammar, vocab, options, &mut |_| {})
    }

    /// [`compile`](Self::compile), telling `observe` how long each stage took.
    ///
    /// # Errors
    /// As for [`compile`](Self::compile).
    pub fn compile_timed(
        &self,
        vocab: &Vocab,
        options: &CompileOptions,
        observe: &mut dyn FnMut(StageTime),
    ) -> Result<Constraint, Error> {
        compile::run(&self.grammar, vocab, options, observe)
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

/// The grammar of a JSON Schema inside another grammar.
fn read_schema(schema: &str, options: &Options) -> Result<glrmask_grammar::Grammar, GrammarError> {
    match glrmask_json_schema::compile(schema, options) {
        Ok(compiled) => Ok(compiled.grammar),
        Err(error) if error.category() == Category::Unsupported => {
            Err(GrammarError::unsupported(error.to_string(), None))
        }
        Err(error) => Err(GrammarError::invalid(error.to_string(), None)),
    }
}
