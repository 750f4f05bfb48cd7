//! ECMA-262 regular expressions, as JSON Schema's `pattern` uses them: searched for, not matched against the whole.
//!
//! `parser.rs` reads the syntax, `class.rs` knows the character classes, `translate.rs` turns a pattern into the
//! language of all strings in which it is found, over the chosen JSON spelling. Anchors and look-ahead are regular
//! and supported outside loops; so are word boundaries behind what ends in known characters (`boundary.rs`). Look-behind and
//! backreferences are refused.

mod assertion_loop;
mod boundary;
mod class;
mod parser;
mod translate;

use glrmask_automata::Regex;

use crate::error::SchemaError;
#[cfg(test)]
use crate::spell::Spelling;

/// Why a pattern is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PatternError {
    /// Not a pattern.
    Syntax(String),
    /// A pattern, but with something that is not supported.
    Unsupported(String),
}

/// Whether a text is a pattern.
pub(crate) fn check(pattern: &str) -> Result<(), PatternError> {
    parser::parse(pattern, false).map(|_| ())
}

/// The strings in which the pattern is found, given how a character out of ranges is written.
pub(crate) fn compile_with(pattern: &str, class: &translate::Class<'_>) -> Result<Regex, PatternError> {
    translate::search(&parser::parse(pattern, false)?, class)
}

/// The strings in which the pattern is found, in UTF-8.
pub(crate) fn in_utf8(pattern: &str) -> Result<Regex, PatternError> {
    compile_with(pattern, &utf8)
}

/// The contents of JSON strings (without quotes) in which the pattern is found.
#[cfg(test)]
pub(crate) fn compile(pattern: &str, spelling: Spelling) -> Result<Regex, PatternError> {
    compile_with(pattern, &|ranges| spelling.class(ranges))
}

/// The strings that an ECMA-262 pattern matches from end to end, in UTF-8. Anchors at the ends say nothing new.
///
/// ```
/// let date = glrmask_json_schema::ecma_pattern(r"^(?!0000)\d{4}$")?.compile(&Default::default())?;
/// assert!(date.accepts(b"2024") && !date.accepts(b"0000"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A pattern that is malformed, or has something that is not supported (back-references, look-behind, assertions in
/// loops, word boundaries at the start of a group or behind an assertion).
pub fn ecma_pattern(pattern: &str) -> Result<Regex, SchemaError> {
    let language = parser::parse(pattern, true).and_then(|ast| translate::whole(&ast, &utf8));
    language.map_err(|error| match error {
        PatternError::Syntax(message) => SchemaError::invalid(format!("bad pattern: {message}")),
        PatternError::Unsupported(construct) => SchemaError::unsupported(format!("pattern with {construct}")),
    })
}

/// Characters out of ranges in UTF-8.
fn utf8(ranges: &[(u32, u32)]) -> Regex {
    // Surrogates at the end of a range are left out; those inside are for `char_class` to leave out.
    let scalar = |point: u32, end: u32| char::from_u32(point).or(char::from_u32(end));
    let scalars = ranges.iter().filter_map(|&(a, b)| Some((scalar(a, 0xe000)?, scalar(b, 0xd7ff)?)));
    Regex::char_class(scalars.filter(|(first, last)| first <= last))
}
