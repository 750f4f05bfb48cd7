//! The proof that masks are exact: an independent oracle, random grammars and vocabularies, and cases as data.
//!
//! Reading order: [`regex`] and [`dfa`] (one terminal), [`spec`] (a whole constraint, plainly), [`oracle`] (what it
//! allows), [`generate`] (random ones).

pub mod case;
pub mod cases;
pub mod convert;
pub mod corpus;
pub mod dfa;
pub mod engine;
mod error;
pub mod generate;
pub mod harness;
pub mod keywords;
mod lexing;
mod lr1;
pub mod oracle;
mod plain;
mod reach;
pub mod reference;
pub mod regex;
pub mod regex_syntax;
pub mod rng;
pub mod spec;
pub mod texts;
pub mod vocabulary;

pub use error::TooLarge;
