//! ECMA-262 regular expressions, as JSON Schema's `pattern` uses them: searched for, not matched against the whole.
//!
//! `parser.rs` reads the syntax, `class.rs` knows the character classes, `translate.rs` turns a pattern into the
//! language of all strings in which it is found, over the chosen JSON spelling. Anchors and look-ahead are regular
//! and supported outside loops; look-behind, word boundaries and backreferences are refused.

mod class;
mod parser;
mod translate;

use glrmask_automata::Regex;

use crate::spell::Spelling;

/// Why a pattern is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PatternError {
    /// Not a pattern.
    Syntax(String),
    /// A pattern, but with something that is not supported.
    Unsupported(String),
}

/// The contents of JSON strings (without quotes) in which the pattern is found.
pub(crate) fn compile(pattern: &str, spelling: Spelling) -> Result<Regex, PatternError> {
    translate::search(&parser::parse(pattern)?, spelling)
}
