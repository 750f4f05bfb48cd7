//! Automata for grammar-constrained decoding: regular expressions and DFAs over bytes, weighted automata over any symbol, typed ids.

pub mod byteset;
mod canonical;
mod classes;
mod compile;
mod determinize;
pub mod dfa;
mod draft;
mod dump;
mod error;
mod fingerprint;
pub mod ids;
pub mod interner;
pub mod lexdag;
mod minimize;
pub mod nfa;
mod operations;
mod parse;
mod print;
mod product;
pub mod regex;
mod stored;
mod trie;
mod unicode;
pub mod weighted;

pub use byteset::ByteSet;
pub use compile::Limits;
pub use dfa::{Dfa, LabelSetId};
pub use error::AutomataError;
pub use ids::{Id, IndexVec, NonterminalId, StateId, Symbol, TerminalId};
pub use interner::{Interner, SliceInterner};
pub use nfa::Nfa;
pub use parse::ParseConfig;
pub use regex::{Regex, RegexKind};
