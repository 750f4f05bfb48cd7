//! Transformations of grammars, one per file, each language-preserving, and the driver that puts them in order.
//!
//! All but [`ignore`](mod@ignore) work on a [`Cfg`]: productions over opaque terminals. No parse tree is ever needed, so
//! any rewriting that keeps the language is allowed. Every transformation is tested against a plain enumerator of all
//! short strings of random grammars.

mod buckets;
mod cfg;
mod dump;
mod emptiness;
pub mod epsilon;
pub mod ignore;
pub mod inline;
mod marks;
pub mod merge_terminals;
pub mod normalize;
pub mod right_recursion;
pub mod split;
mod trie;
pub mod trim;
pub mod unit_bypass;
pub mod unit_cycles;

pub use cfg::Cfg;
pub use normalize::{normalize, normalize_marked, Marked, NormalizeConfig, Normalized};
