//! Grammars of well-known languages, written from their standards, as GLRM text.
//!
//! What each accepts and where it stops short of its standard is said at the top of its file.

mod python;

use std::borrow::Cow;

use crate::diagnostic::GrammarError;
use crate::glrm;
use crate::ir::Grammar;

/// Names and texts (or templates), by name.
const GRAMMARS: [(&str, &str); 7] = [
    ("arithmetic", include_str!("arithmetic.glrm")),
    ("c", include_str!("c.glrm")),
    ("javascript", include_str!("javascript.glrm")),
    ("json", include_str!("json.glrm")),
    ("json5", include_str!("json5.glrm")),
    ("python", python::TEMPLATE),
    ("sql", include_str!("sql.glrm")),
];

/// The names of the grammars, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    GRAMMARS.iter().map(|(name, _)| *name)
}

/// The GLRM text of a grammar. That of `python` is made from a template, in time linear in the text.
pub fn source(name: &str) -> Option<Cow<'static, str>> {
    let (name, text) = *GRAMMARS.iter().find(|(known, _)| *known == name)?;
    Some(if name == "python" { Cow::Owned(python::expand(text)) } else { Cow::Borrowed(text) })
}

/// The grammar of a name.
///
/// ```
/// use glrmask_grammar::builtin;
/// assert!(builtin::names().any(|name| name == "json"));
/// assert_eq!(builtin::grammar("json")?.scopes.len(), 1);
/// assert!(builtin::grammar("jsn").unwrap_err().to_string().contains("json5"));
/// # Ok::<(), glrmask_grammar::GrammarError>(())
/// ```
///
/// # Errors
/// There is none of this name.
pub fn grammar(name: &str) -> Result<Grammar, GrammarError> {
    match source(name) {
        Some(text) => glrm::parse(&text),
        None => {
            let known: Vec<&str> = names().collect();
            Err(GrammarError::invalid(format!("no grammar is called `{name}` (known: {})", known.join(", ")), None))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_read_and_none_is_empty() {
        for name in names() {
            let grammar = grammar(name).unwrap_or_else(|e| panic!("{name}: {e}"));
            let normalized = crate::normalize(&grammar, &Default::default());
            assert!(normalized.is_ok_and(|n| !n.productions.is_empty()), "{name}");
        }
    }

    #[test]
    fn every_rule_is_used() {
        for name in names() {
            let grammar = grammar(name).unwrap_or_else(|e| panic!("{name}: {e}"));
            let used = |n| n == grammar.start || grammar.productions.iter().any(|p| p.nonterminals().any(|m| m == n));
            let unused =
                grammar.nonterminals.iter_enumerated().filter(|(n, rule)| !rule.name.starts_with('$') && !used(*n));
            assert_eq!(unused.map(|(_, rule)| rule.name.as_str()).next(), None, "{name}");
        }
    }
}
