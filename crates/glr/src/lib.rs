//! GLR parsing for grammar-constrained decoding: LALR(1) tables with conflicts kept, stack effects, the Parser DWA.
//!
//! This crate knows terminals, never bytes. It depends on no grammar crate: [`RuleSet`] is all it wants to know about
//! a grammar.
#![doc = include_str!("../README.md")]

mod digraph;
mod dump;
mod error;
mod lalr;
mod limits;
mod lookahead;
mod lr0;
mod parts;
mod rules;
mod several;
mod sparse;

pub mod adjacency;
pub mod atoms;
pub mod completable;
pub mod effects;
pub mod link;
pub mod parser;
pub mod parser_dwa;
pub mod tables;
pub mod terminal_set;
pub mod weights;

pub use adjacency::Adjacency;
pub use completable::{Completable, Lexemes};
pub use effects::{Machine, Then};
pub use error::GlrError;
pub use limits::Limits;
pub use parser_dwa::{AcceptId, ParserDwa, QueryId, Reading, RowId};
pub use rules::{Rule, RuleSet};
pub use tables::{LrState, Reduction, Tables};
pub use terminal_set::TerminalSet;
