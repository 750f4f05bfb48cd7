//! GBNF, the grammar format of llama.cpp: reader. The reference page is `docs/gbnf.md`.
//!
//! Everything is made of characters: there is no lexer, no longest match, no ignored text. Each literal and class is a
//! terminal here, with the keyword rule off, which gives the same language.

mod parser;

use std::collections::BTreeMap;

use glrmask_automata::NonterminalId;
use rustc_hash::FxHashMap;

use crate::builder::GrammarBuilder;
use crate::diagnostic::{Diagnostic, DiagnosticKind, GrammarError};
use crate::ir::{Grammar, Span};
use crate::text::source::{Source, MAX_SOURCE};

/// Reads a GBNF grammar. Its root is the rule `root`. `token_names` gives the ids of `<name>` atoms, with or without the
/// brackets; `<[id]>` needs none.
///
/// ```
/// use glrmask_grammar::gbnf;
/// let grammar = gbnf::parse(r#"
///     root ::= (item "\n")+   # one per line
///     item ::= "- " [^\n]{1,80}
/// "#, &Default::default())?;
/// assert_eq!(grammar.nonterminals[grammar.start].name, "root");
/// # Ok::<(), glrmask_grammar::GrammarError>(())
/// ```
///
/// # Errors
/// All syntax errors of the text, undefined and duplicate rules, tokens without ids, limits.
pub fn parse(source: &str, token_names: &BTreeMap<String, Vec<u32>>) -> Result<Grammar, GrammarError> {
    if source.len() > MAX_SOURCE {
        return Err(GrammarError::limit("grammar text in bytes", MAX_SOURCE, source.len(), None));
    }
    let text = Source::new(source);
    let mut rules = Rules::default();
    let errors = parser::parse(&text, &mut rules, token_names);
    rules.finish(errors).map_err(|e| e.with_source(source))
}

/// The rules read so far.
struct Rules<'a> {
    builder: GrammarBuilder,
    names: FxHashMap<&'a str, Name>,
}

/// A rule that is defined or used.
struct Name {
    nonterminal: NonterminalId,
    defined: bool,
    /// First use or definition.
    span: crate::ir::Span,
}

impl Default for Rules<'_> {
    fn default() -> Self {
        let mut builder = GrammarBuilder::new();
        builder.keywords(false);
        Self { builder, names: FxHashMap::default() }
    }
}

impl<'a> Rules<'a> {
    /// The nonterminal of a name, made on its first appearance.
    fn name(&mut self, name: &'a str, span: crate::ir::Span) -> &mut Name {
        let builder = &mut self.builder;
        self.names.entry(name).or_insert_with(|| {
            builder.set_span(Some(span));
            Name { nonterminal: builder.nonterminal(name), defined: false, span }
        })
    }
    fn finish(self, mut errors: Vec<Diagnostic>) -> Result<Grammar, GrammarError> {
        // After a syntax error what is missing may be what could not be read.
        let complete = errors.is_empty();
        for (name, rule) in self.names.iter().filter(|(_, rule)| complete && !rule.defined) {
            let message = format!("rule `{name}` is not defined");
            errors.push(Diagnostic::new(DiagnosticKind::Invalid, message, Some(rule.span)));
        }
        if let Some(error) = GrammarError::collect(errors) {
            return Err(error);
        }
        match self.names.get("root") {
            Some(root) => self.builder.build(root.nonterminal),
            None => Err(GrammarError::invalid("there is no rule `root`", Some(Span::BEGIN))),
        }
    }
}
