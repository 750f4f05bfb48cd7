//! The proof that masks are exact: an independent oracle, random grammars and vocabularies, and cases as data.
//!
//! Reading order: [`regex`] and [`dfa`] (one terminal), [`spec`] (a whole constraint, plainly), [`oracle`] (what it
//! allows), [`generate`] (random ones).

pub mod dfa;
mod error;
pub mod generate;
mod lexing;
pub mod oracle;
mod reach;
pub mod regex;
pub mod regex_syntax;
pub mod rng;
pub mod spec;
pub mod vocabulary;

pub use error::TooLarge;
