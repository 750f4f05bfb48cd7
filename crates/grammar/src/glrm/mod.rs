//! GLRM, the text format of grammars: reader and printer. The reference page is `docs/glrm.md`.

mod items;
mod print;
mod print_regex;
mod regular;
mod resolve;
#[cfg(test)]
mod tests;

pub use crate::text::expression::MAX_IDS;
pub use print::print;

use crate::diagnostic::GrammarError;
use crate::ir::Grammar;
use crate::text::source::{Source, MAX_SOURCE};

/// Reads a grammar in GLRM.
///
/// ```
/// let grammar = glrmask_grammar::glrm::parse(r#"
///     start list;
///     ignore WS;
///     nt list = "[" "," ~ (item*) "]";
///     nt item = NUMBER | list;
///     t NUMBER = [0-9]+;
///     t WS = /\s+/;
/// "#)?;
/// assert_eq!(grammar.nonterminals[grammar.start].name, "list");
///
/// let error = glrmask_grammar::glrm::parse("start s; nt s = \"a\" undefined;").unwrap_err();
/// assert!(error.to_string().starts_with("line 1, column 21: `undefined` is not defined"));
/// # Ok::<(), glrmask_grammar::GrammarError>(())
/// ```
///
/// # Errors
/// All syntax errors of the text or, if there are none, all others: undefined and duplicate names, recursion in `t`
/// rules, unbound `extern`s, limits.
pub fn parse(source: &str) -> Result<Grammar, GrammarError> {
    if source.len() > MAX_SOURCE {
        return Err(GrammarError::limit("grammar text in bytes", MAX_SOURCE, source.len(), None));
    }
    let text = Source::new(source);
    let scope = items::parse(&text).map_err(|e| e.with_source(source))?;
    resolve::resolve(&text, &scope).map_err(|e| e.with_source(source))
}
