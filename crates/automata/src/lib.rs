//! Automata for grammar-constrained decoding: regular expressions and DFAs over bytes, weighted automata over any
//! symbol, typed ids.
//!
//! ```text
//! text ─ parse ─> Regex ─ compile ─> Nfa ─ determinize ─> draft ─ minimize, canonical ─> Dfa
//!                        literals ─ trie ────────────────────^            Dfa × Dfa ─ product ─┘ (back to draft)
//! ```
//!
//! Every road ends in a [`Dfa`]: minimal, trimmed, numbered canonically, so that two of them are equal exactly if
//! their (labelled) languages are. [`weighted`] holds automata over arbitrary symbols with weights.
//!
//! ```
//! use glrmask_automata::{Limits, ParseConfig, Regex};
//! let number = Regex::parse(r"-?(0|[1-9][0-9]*)", &ParseConfig::default())?;
//! let even = Regex::parse(r".*[02468]", &ParseConfig::default())?;
//! let dfa = number.intersect(&even).compile(&Limits::default())?;
//! assert!(dfa.accepts(b"-42") && !dfa.accepts(b"41"));
//! assert_eq!(dfa.shortest_match(dfa.start()), Some(b"0".to_vec()));
//! # Ok::<(), glrmask_automata::AutomataError>(())
//! ```

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
mod residuals;
mod stored;
mod stored_regex;
mod trie;
mod unicode;
pub mod weighted;

pub use byteset::ByteSet;
pub use compile::{Limits, PartStore};
pub use dfa::{Dfa, LabelSetId};
pub use error::AutomataError;
pub use fingerprint::FingerprintKey;
pub use ids::{Id, IndexVec, NonterminalId, StateId, Symbol, TerminalId};
pub use interner::{Interner, SliceInterner};
pub use nfa::Nfa;
pub use parse::ParseConfig;
pub use regex::{Regex, RegexKind};

/// Runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
