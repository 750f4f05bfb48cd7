//! The terminals that `%import common.NAME` brings, as Lark documents them.
//!
//! `ESCAPED_STRING` and `_STRING_ESC_INNER` are written without look-behind: an even number of backslashes stands before
//! the closing quote exactly if every backslash is followed by a character that belongs to it.

use super::ast::Items;
use super::{parser, Profile};
use crate::diagnostic::GrammarError;
use crate::text::source::Source;

const TEXT: &str = r##"
DIGIT: "0".."9"
HEXDIGIT: "a".."f" | "A".."F" | DIGIT
INT: DIGIT+
SIGNED_INT: ["+" | "-"] INT
DECIMAL: INT "." INT? | "." INT
_EXP: ("e" | "E") SIGNED_INT
FLOAT: INT _EXP | DECIMAL _EXP?
SIGNED_FLOAT: ["+" | "-"] FLOAT
NUMBER: FLOAT | INT
SIGNED_NUMBER: ["+" | "-"] NUMBER
_STRING_INNER: /.*?/
_STRING_ESC_INNER: /([^\\\n]|\\.)*?/
ESCAPED_STRING: "\"" _STRING_ESC_INNER "\""
LCASE_LETTER: "a".."z"
UCASE_LETTER: "A".."Z"
LETTER: UCASE_LETTER | LCASE_LETTER
WORD: LETTER+
CNAME: ("_" | LETTER) ("_" | LETTER | DIGIT)*
WS_INLINE: (" " | /\t/)+
WS: /[ \t\f\r\n]/+
CR: /\r/
LF: /\n/
NEWLINE: (CR? LF)+
SH_COMMENT: /#[^\n]*/
CPP_COMMENT: /\/\/[^\n]*/
C_COMMENT: "/*" /(.|\n)*?/ "*/"
SQL_COMMENT: /--[^\n]*/
"##;

/// The declarations of the library.
pub(super) fn library() -> Result<Items, GrammarError> {
    parser::parse(&Source::new(TEXT), Profile::Recognition)
}
