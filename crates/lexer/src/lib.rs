//! Lexing for grammar-constrained decoding: terminals to components, longest match, classes of tokens, profiles,
//! filled on demand. Knows bytes, never productions.
//!
//! In reading order: [`lexer`] (terminals and components), [`link`] (lexers side by side), [`conditions`] (longest match),
//! [`scan`] (all lexings of a text at once), [`completions`] and [`safety`] (what an open lexeme can become), [`classes`]
//! (what a parser can learn from a token), [`mod@profile`] (the vocabulary by class), `behind` (the same behind a
//! lexeme that has just ended), [`split`] (the same behind the first
//! lexeme), [`walk`] (what a lexeme alone makes of the vocabulary), [`mod@difference`] and `partings` (how profiles
//! differ), [`cache`] (all that is filled on demand).
//!
//! # In short
#![doc = include_str!("../README.md")]

mod behind;
pub mod cache;
pub mod classes;
pub mod completions;
pub mod component;
pub mod conditions;
pub mod difference;
pub mod error;
pub mod levels;
pub mod lexer;
pub mod link;
mod memo;
mod pairs;
mod partings;
pub mod profile;
pub mod relation;
mod runs;
pub mod safety;
pub mod scan;
pub mod split;
mod steps;
pub mod walk;

pub use cache::{LexerCache, StoredClasses};
pub use completions::Thread;
pub use component::{Component, ComponentId};
pub use conditions::{antichain, Condition, ConditionSets};
pub use difference::{difference, difference_continued, difference_of_scans, warm, Moved, Similarity, WIDE};
pub use error::LexerError;
pub use lexer::{Language, Lexer, TerminalDef};
pub use link::LexerPart;
pub use profile::{has_lexeme_walk, profile, profile_by_token, profile_inside, profile_under, Profile, TokenSet};
pub use relation::BitSet;
pub use scan::{ScanId, StartSetId};
pub use split::{beginning_with, ended_by, profile_continued};
pub use walk::TokenGroup;
