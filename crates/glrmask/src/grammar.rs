//! Grammars from their sources to a constraint.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use glrmask_automata::{ParseConfig, Regex, Symbol};
use glrmask_grammar::assembly::Define;
use glrmask_grammar::{
    glrm, lark, structural_tag, Assembly, GrammarBuilder, GrammarError, Pattern, Requirement, Source, Span,
};
use glrmask_json_schema::{Category, Options, PropertyOrder, Warning};
use glrmask_runtime::Constraint;
use glrmask_vocab::{ExactTokens, TokenId, Vocab};

use crate::compile::{self, CompileOptions, StageTime};
use crate::compose::{self, Value};
use crate::error::Error;
use crate::prepared::{unprepared, PrepareOptions, PreparedGrammar};

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

/// A grammar, independent of any vocabulary, and what is bound to its slots. Cheap to clone.
///
/// Binding changes this handle only: clones, and grammars that it was bound to earlier, keep what they had.
///
/// ```
/// use glrmask::{CompileOptions, Grammar, TokenId, Vocab};
/// let mut call = Grammar::from_glrm(r#"start call; extern grammar arguments; nt call = "f(" arguments ")";"#)?;
/// assert_eq!(call.requirements()?[0].name(), "arguments");
/// call.bind("arguments", Grammar::from_json_schema(r#"{"type": "integer"}"#)?)?;
///
/// let vocab = Vocab::new(["f(", "f(-", "1", "2)", ")"].into_iter().zip(0..).map(|(text, id)| (TokenId(id), text)))?;
/// let constraint = call.compile(&vocab, &CompileOptions::default())?;
/// let mut state = constraint.start();
/// [1, 2, 3].iter().try_for_each(|&id| state.commit_token(TokenId(id)))?; // f(-12)
/// assert!(state.is_accepting());
/// # Ok::<(), glrmask::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Grammar {
    assembly: Assembly<Source>,
    /// The assembly as one grammar, made when first asked for. Binding leaves it behind.
    flat: Arc<OnceLock<glrmask_grammar::Grammar>>,
    warnings: Vec<SchemaWarning>,
}

/// Something in a schema that has no effect although it looks as if it should, and where the schema is bound.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SchemaWarning {
    /// JSON Pointer of the schema it stands in.
    pub pointer: String,
    /// The keyword.
    pub keyword: String,
    /// What happened to it.
    pub message: String,
    /// The path of the slot that the schema is bound to, joined with `::`; empty for the grammar itself.
    pub slot: String,
}

impl From<Warning> for SchemaWarning {
    fn from(Warning { pointer, keyword, message }: Warning) -> Self {
        Self { pointer, keyword, message, slot: String::new() }
    }
}

impl SchemaWarning {
    /// The same one level up, in the slot of this name.
    fn bound(&self, name: &str) -> Self {
        let slot = if self.slot.is_empty() { name.to_owned() } else { format!("{name}::{}", self.slot) };
        Self { slot, ..self.clone() }
    }
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
        let warnings = compiled.warnings.into_iter().map(SchemaWarning::from).collect();
        Ok(Self { warnings, ..compiled.grammar.into() })
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
    /// assert!(Grammar::from_lark_with(source, &options)?.to_glrm()?.contains("keywords off;")); // as in JSON
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

    /// One of the grammars that come with the library: arithmetic, c, javascript, json, json5, python, sql.
    ///
    /// # Errors
    /// There is none of this name; the message lists them.
    pub fn builtin(name: &str) -> Result<Self, Error> {
        Ok(glrmask_grammar::builtin::grammar(name)?.into())
    }

    /// The grammar of one token event out of a set: no bytes, no ignored text.
    ///
    /// ```
    /// use glrmask::{Grammar, TokenId, Vocab};
    /// let vocab = Vocab::new([(TokenId(0), "a"), (TokenId(1), "")])?;
    /// let mut grammar = Grammar::from_glrm("start s; extern grammar x; nt s = \"a\" x;")?;
    /// grammar.bind("x", Grammar::exact(&vocab.tokens([TokenId(1)])?)?)?;
    /// assert!(grammar.requirements()?.is_empty());
    /// # Ok::<(), glrmask::Error>(())
    /// ```
    ///
    /// # Errors
    /// None in practice: the grammar has one production and one slot.
    pub fn exact(tokens: &ExactTokens) -> Result<Self, Error> {
        let mut builder = GrammarBuilder::new();
        let start = builder.nonterminal("start");
        let event = builder.token_slot("event");
        builder.production(start, vec![Symbol::Terminal(event)]);
        let mut grammar = Self::from(builder.build(start)?);
        grammar.bind("event", tokens)?;
        Ok(grammar)
    }

    /// Fills a slot that the source declares (`extern grammar NAME;`, `extern token NAME;`), once. A path joined with `::`
    /// leads to the slots of what is bound already. What is bound is a snapshot.
    ///
    /// ```
    /// use glrmask::{Grammar, Token, TokenId};
    /// let mut outer = Grammar::from_glrm("start s; extern grammar x; nt s = \"<\" x \">\";")?;
    /// outer.bind("x", Grammar::from_glrm("start s; extern token end; nt s = \"a\"+ end;")?)?;
    /// outer.bind("x::end", Token::new(TokenId(7)))?;
    /// assert!(outer.bind("x::end", Token::new(TokenId(8))).is_err()); // once
    /// # Ok::<(), glrmask::Error>(())
    /// ```
    ///
    /// # Errors
    /// No such slot, one that is filled, a grammar for a slot that takes token events, too deep a nesting. The grammar
    /// is as before then.
    pub fn bind(&mut self, name: &str, value: impl Into<Value>) -> Result<(), Error> {
        let value = value.into();
        let warnings = match &value {
            Value::Grammar(child) => child.warnings.iter().map(|w| w.bound(name)).collect(),
            Value::Token(_) | Value::Tokens(_) => Vec::new(),
        };
        self.assembly.bind(name, value.binding())?;
        self.flat = Arc::default();
        self.warnings.extend(warnings);
        Ok(())
    }

    /// The slots that are not filled, those of bound grammars included.
    ///
    /// # Errors
    /// More than ten thousand (a grammar bound in many places counts in each).
    pub fn requirements(&self) -> Result<Vec<Requirement>, Error> {
        Ok(self.assembly.requirements()?)
    }

    /// Compiles what does not depend on the grammars that will be bound, for a vocabulary; see [`PreparedGrammar`].
    ///
    /// ```
    /// use glrmask::{Cancel, Grammar, PrepareOptions, TokenId, Vocab};
    /// let vocab = Vocab::new([(TokenId(0), "a"), (TokenId(1), "b")])?;
    /// let grammar = Grammar::from_glrm("start s; extern grammar x; nt s = \"a\" x;")?;
    /// let cancel = Cancel::new();
    /// let options = PrepareOptions { cancel: Some(cancel.clone()), ..PrepareOptions::default() };
    /// let mut prepared = grammar.prepare(&vocab, &options)?;
    /// prepared.bind("x", Grammar::from_ebnf("s ::= 'b'")?.prepare(&vocab, &options)?)?;
    /// assert!(prepared.link(&Default::default())?.start().commit_bytes(b"ab").is_ok());
    /// cancel.cancel();
    /// assert!(grammar.prepare(&vocab, &options).is_err());
    /// # Ok::<(), glrmask::Error>(())
    /// ```
    ///
    /// # Errors
    /// An open slot is none, nor is an empty language, both of which only show when linking. A limit, a cancellation,
    /// token events of another vocabulary, or something that is not supported.
    pub fn prepare(&self, vocab: &Vocab, options: &PrepareOptions) -> Result<PreparedGrammar, Error> {
        PreparedGrammar::new(&self.assembly, vocab, options)
    }

    /// Compiles for a vocabulary.
    ///
    /// # Errors
    /// An empty language, an open slot, token events of another vocabulary, a limit, a cancellation, or something that
    /// is not supported.
    pub fn compile(&self, vocab: &Vocab, options: &CompileOptions) -> Result<Constraint, Error> {
        self.compile_timed(vocab, options, &mut |_| {})
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
        compose::check(&self.assembly, vocab)?;
        match self.assembly.has_bindings() {
            true => compile::run_assembly(&unprepared(&self.assembly), vocab, options, observe),
            false => compile::run(self.ir(), vocab, options, observe),
        }
    }

    /// The grammar as data: one grammar, in which slots that are filled are replaced by what fills them. If that is too
    /// large (token events of more than 2²⁶ ids) they are left open.
    pub fn ir(&self) -> &glrmask_grammar::Grammar {
        self.flat().unwrap_or_else(|_| self.assembly.definition().grammar())
    }

    fn flat(&self) -> Result<&glrmask_grammar::Grammar, Error> {
        if !self.assembly.has_bindings() {
            return Ok(self.assembly.definition().grammar());
        }
        if let Some(known) = self.flat.get() {
            return Ok(known);
        }
        let made = self.assembly.flatten()?;
        Ok(self.flat.get_or_init(|| made))
    }

    pub(crate) fn assembly(&self) -> &Assembly<Source> {
        &self.assembly
    }
    /// The grammar as GLRM text, which [`from_glrm`](Self::from_glrm) reads back.
    ///
    /// # Errors
    /// A token event of more ids than a text may have (2²⁰); a JSON Schema that asks for what no grammar can say: unique
    /// items, or counted keys, without bound, or which of many keys in any order are there.
    pub fn to_glrm(&self) -> Result<String, Error> {
        let flat = self.flat()?;
        flat.check_printable()?;
        let ids = |terminal: &glrmask_grammar::Terminal| match &terminal.pattern {
            Pattern::ExactTokens(ids) => ids.len(),
            _ => 0,
        };
        match flat.terminals.iter().map(ids).max() {
            Some(most) if most > glrm::MAX_IDS => {
                Err(GrammarError::limit("token ids of one atom", glrm::MAX_IDS, most, None).into())
            }
            _ => Ok(glrm::print(flat)),
        }
    }
    /// What a schema says without effect: assertions that are not enforced (only if weakening was asked for), keywords of
    /// another draft, optional keys that may be repeated (see [`PropertyOrder::Any`]).
    pub fn warnings(&self) -> &[SchemaWarning] {
        &self.warnings
    }
}

impl From<glrmask_grammar::Grammar> for Grammar {
    fn from(grammar: glrmask_grammar::Grammar) -> Self {
        let assembly = Assembly::new(Arc::new(Source::new(grammar)));
        Self { assembly, flat: Arc::default(), warnings: Vec::new() }
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
