//! Rules about JSON texts that no (or no small) context-free grammar can state: items that are unique, keys that are
//! distinct, members that must be there in whatever order.
//!
//! A grammar for a decoder says which tokens may come next; that the items of an array be pairwise different is beyond it.
//! But a JSON text is deterministic to follow, so the rule can be kept at run time: a [`Tracker`] beside the parser knows
//! at which place of the [`Rules`] it is and what stood there before, and [`filter`] takes out of the grammar's mask the
//! tokens after which a rule is broken, or can be kept by no completion.
//!
//! ```text
//! [{"id": 1, "tag": "x"}, {"tag": "x", "id": 1.
//!                                             │
//!    grammar: 0–9                             │  tracker: the item can still become an earlier one; if it ends
//!                                             │  as 1.0 or 1.00 it does, and 1.5 sets it free
//! ```
//!
//! The grammar's word that a text can be completed is enough as long as nothing is *at stake*: no value or key in progress
//! can still become one that it must not be. (A member that is missing can always be written.) Otherwise a small search asks
//! the grammar byte by byte ([`viable`]), through [`Continuations`].
//!
//! Read `rules.rs`, then `value.rs` (equality), `frame.rs` (candidates), `state.rs` (one byte), `search.rs`,
//! `frontier.rs`, `walk.rs`, `filter.rs`. Nothing recurses over the depth of a text, clones of a tracker share what they remember, and what is
//! remembered is bounded.

mod describe;
mod error;
mod filter;
mod frame;
mod frontier;
mod number;
mod pieces;
mod print;
mod rules;
mod run;
mod search;
mod shelf;
mod state;
mod string;
mod tracker;
mod value;
mod violation;
mod walk;

pub use error::InstanceError;
pub use filter::{filter, must_filter};
pub use rules::{ArrayRules, KeyLanguage, ObjectRules, Place, PlaceId, Rules};
pub use search::{outlook, viable, Continuations, Outlook};
pub use tracker::Tracker;
pub use violation::Violation;
pub use walk::TokenWalk;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
