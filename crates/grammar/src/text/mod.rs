//! What the text front-ends share: positions, escapes, character classes, tokens, expressions.
//!
//! GLRM and EBNF differ in what the lexer lets through ([`Dialect`](lexer::Dialect)) and in their declarations; the
//! expression language between is one.

pub(crate) mod ast;
pub(crate) mod charset;
pub(crate) mod escape;
pub(crate) mod expression;
pub(crate) mod lexer;
pub(crate) mod source;
