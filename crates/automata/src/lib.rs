//! Automata for grammar-constrained decoding: regular expressions and DFAs over bytes, weighted automata over any symbol, typed ids.

pub mod byteset;
pub mod ids;
pub mod lexdag;
pub mod regex;

pub use byteset::ByteSet;
pub use ids::{Id, IndexVec, NonterminalId, StateId, Symbol, TerminalId};
pub use regex::{Regex, RegexKind};
