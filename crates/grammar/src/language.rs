//! Grammars that need no grammar text: one regular language, one of several strings.

use glrmask_automata::Regex;

use crate::builder::GrammarBuilder;
use crate::diagnostic::GrammarError;
use crate::ir::{Grammar, Pattern};

/// The grammar of one terminal: the strings of a regular expression, the empty one included if it is one of them.
///
/// ```
/// use glrmask_automata::{ParseConfig, Regex};
/// let regex = Regex::parse("[0-9]{4}", &ParseConfig::default())?;
/// assert_eq!(glrmask_grammar::language::regex(regex)?.terminals.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// An expression nested too deeply.
pub fn regex(regex: Regex) -> Result<Grammar, GrammarError> {
    let mut builder = GrammarBuilder::new();
    let start = builder.nonterminal("start");
    let terminal = builder.terminal("TEXT", Pattern::Regex(regex));
    builder.define(start, terminal.into());
    builder.build(start)
}

/// The grammar of exactly these strings, as one terminal.
///
/// ```
/// let grammar = glrmask_grammar::language::choices(["yes", "no"])?;
/// assert_eq!(grammar.terminals.len(), 1);
/// # Ok::<(), glrmask_grammar::GrammarError>(())
/// ```
///
/// # Errors
/// No string at all.
pub fn choices<T: AsRef<[u8]>>(choices: impl IntoIterator<Item = T>) -> Result<Grammar, GrammarError> {
    let literals: Vec<Regex> = choices.into_iter().map(Regex::literal).collect();
    match literals.is_empty() {
        true => Err(GrammarError::invalid("there are no choices", None)),
        false => regex(Regex::alternate(literals)),
    }
}
