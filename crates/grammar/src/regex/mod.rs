//! Regular expressions as backtracking engines write them: lazy quantifiers and assertions included.
//!
//! A [`Regex`](glrmask_automata::Regex) is a language and nothing else. What `/".*?"/` matches in Python is not all of
//! its language but the shortest part, and `(?!x)` looks beyond what it stands for. An [`Extended`] expression keeps
//! both until a terminal has been put together from all its parts; [`Extended::language`] then gives the language of
//! its lexemes, or says why there is none. Lark grammars are read this way.

mod class;
mod extended;
mod lazy;
mod look;
pub(crate) mod python;

pub(crate) use extended::{Extended, LanguageError};
pub(crate) use lazy::shortest;
