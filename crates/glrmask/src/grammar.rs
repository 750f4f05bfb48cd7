//! Grammars from their sources to a constraint.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use glrmask_automata::{ParseConfig, Regex};
use glrmask_grammar::{lark, structural_tag, GrammarError, Span};
use glrmask_json_schema::{Category, Options, PropertyOrder, Warning};
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

/// The syntax of a regular expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RegexFlavor {
    /// That of Rust's `regex` crate.
    #[default]
    Rust,
    /// ECMA-262, as in JSON Schema.
    Ecma,
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
    /// assert!(Grammar::from_lark_with(source, &options)?.to_glrm().contains("keywords off;")); // as in JSON
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

    /// From GBNF text, the format of llama.cpp; the root is the rule `root`.
    ///
    /// # Errors
    /// All errors of the text, with line, column and excerpt.
    pub fn from_gbnf(source: &str) -> Result<Self, Error> {
        Self::from_gbnf_with(source, &BTreeMap::new())
    }

    /// From GBNF text with `<name>` atoms, whose ids are given by name.
    ///
    /// # Errors
    /// All errors of the text, with line, column and excerpt.
    pub fn from_gbnf_with(source: &str, token_names: &BTreeMap<String, Vec<TokenId>>) -> Result<Self, Error> {
        Ok(glrmask_grammar::gbnf::parse(source, &plain_ids(token_names))?.into())
    }

    /// From a regular expression, which the text has to match from end to end.
    ///
    /// ```
    /// use glrmask::{Grammar, RegexFlavor};
    /// assert!(Grammar::from_regex(r"[a-z]+\d", RegexFlavor::Rust).is_ok());
    /// assert!(Grammar::from_regex(r"(?!a)[a-z]+", RegexFlavor::Ecma).is_ok());
    /// assert!(Grammar::from_regex(r"(a)\1", RegexFlavor::Rust).is_err());
    /// ```
    ///
    /// # Errors
    /// A malformed pattern, or a construct that is not regular or not supported.
    pub fn from_regex(pattern: &str, flavor: RegexFlavor) -> Result<Self, Error> {
        let regex = match flavor {
            RegexFlavor::Rust => Regex::parse(pattern, &ParseConfig::default()).map_err(|error| {
                let span = error.span().unwrap_or(0..pattern.len());
                (error.is_limit() || error.is_unsupported(), error.to_string(), span)
            }),
            RegexFlavor::Ecma => glrmask_json_schema::ecma_pattern(pattern).map_err(|error| {
                (error.category() == Category::Unsupported, error.message().to_owned(), 0..pattern.len())
            }),
        };
        let regex = regex.map_err(|(unsupported, message, span)| {
            let make = if unsupported { GrammarError::unsupported } else { GrammarError::syntax };
            make(message, Some(place(pattern, span))).with_source(pattern)
        })?;
        Ok(glrmask_grammar::language::regex(regex)?.into())
    }

    /// The texts that are exactly one of these.
    ///
    /// # Errors
    /// No choice at all.
    pub fn from_choices<T: AsRef<[u8]>>(choices: impl IntoIterator<Item = T>) -> Result<Self, Error> {
        Ok(glrmask_grammar::language::choices(choices)?.into())
    }

    /// From a structural tag (JSON text): the tree of formats that serving engines use for tool calls and reasoning.
    ///
    /// ```
    /// let tag = r#"{"type": "structural_tag", "format": {"type": "triggered_tags", "triggers": ["<f="], "tags": [
    ///     {"begin": "<f=add>", "content": {"type": "json_schema", "json_schema": {"type": "integer"}}, "end": "</f>"}
    /// ]}}"#;
    /// assert!(glrmask::Grammar::from_structural_tag(tag).is_ok());
    /// ```
    ///
    /// # Errors
    /// Malformed JSON or formats (with a JSON Pointer), what is not supported, a limit.
    pub fn from_structural_tag(spec: &str) -> Result<Self, Error> {
        Self::from_structural_tag_with(spec, &BTreeMap::new(), &Options::default())
    }

    /// From a structural tag with named tokens, and options for the JSON Schemas in it.
    ///
    /// # Errors
    /// Malformed JSON or formats (with a JSON Pointer), what is not supported, a limit.
    pub fn from_structural_tag_with(
        spec: &str,
        token_names: &BTreeMap<String, Vec<TokenId>>,
        json_schema: &Options,
    ) -> Result<Self, Error> {
        let any_order = Options { property_order: PropertyOrder::Any, ..json_schema.clone() };
        let reader = |schema: &str, any| read_schema(schema, if any { &any_order } else { json_schema });
        let options = structural_tag::Options { token_names: plain_ids(token_names), json_schema: Some(&reader) };
        Ok(structural_tag::parse(spec, &options)?.into())
    }

    /// One of the grammars that come with the library: arithmetic, c, javascript, json, json5, sql.
    ///
    /// # Errors
    /// There is none of this name; the message lists them.
    pub fn builtin(name: &str) -> Result<Self, Error> {
        Ok(glrmask_grammar::builtin::grammar(name)?.into())
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

fn plain_ids(token_names: &BTreeMap<String, Vec<TokenId>>) -> BTreeMap<String, Vec<u32>> {
    token_names.iter().map(|(name, ids)| (name.clone(), ids.iter().map(|id| id.0).collect())).collect()
}

/// Bytes of a pattern as a place in a text.
fn place(pattern: &str, bytes: Range<usize>) -> Span {
    let before = pattern.get(..bytes.start).unwrap_or("");
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    Span { start: bytes.start, end: bytes.end, line, column }
}
