//! The runtime of glrmask: constraints, per-sequence states, masks and commits. Needs no compiler.
//!
//! In reading order: [`constraint`] (immutable parts and shared tables), [`state`] (one sequence), `branch` (lexer place
//! and parser stacks), `commit` (advancing by bytes), [`event`] and [`token_ids`] (tokens that stand
//! for themselves), [`marker`] (where markers may stand), `accept` (may the text end), `query` (asking the Parser DWA),
//! `fill` (tables filled on demand), `similar` (profiles as differences), `split` (masks behind the first terminal), `mask`
//! (from classes back to tokens), [`eager`] (the fill run to the end before decoding), `contexts` (what it has to ask of the
//! parser), `frozen` (its result), `adopted` (what of it was filled by parts), `progress` (waiting for it), `history` (going
//! back), [`speculate`] (several tokens), [`batch`] (several sequences), [`completion`] (closing a text), `instance` (rules
//! that a grammar cannot say), `documents` and `readings` (such rules in parts of a text), `beside` (both), `following` (the
//! grammar for searches), [`explain`] and `words` (why a token is allowed or not), [`dump`] (tables and states as text and
//! graphs), [`artifact`], `stored` and `stored_split` (save and load).
//!
//! # In short
#![doc = include_str!("../README.md")]

mod accept;
mod adopted;
pub mod artifact;
pub mod batch;
mod beside;
mod boundary;
pub mod branch;
mod commit;
pub mod completion;
pub mod constraint;
mod contexts;
mod documents;
pub mod dump;
pub mod eager;
pub mod error;
pub mod event;
pub mod explain;
mod fill;
mod following;
mod frozen;
mod history;
mod instance;
pub mod marker;
mod mask;
mod progress;
mod query;
mod reach;
mod readings;
mod refusals;
mod similar;
pub mod speculate;
mod split;
pub mod state;
mod stored;
mod stored_split;
pub mod token_ids;
mod words;

pub use adopted::{FilledPart, LinkedPart, StoredPart};
pub use batch::{commit_tokens_batch, fill_masks};
pub use boundary::{BoundaryEntry, BoundaryTrigger};
pub use completion::TokenCompletion;
pub use constraint::{max_end_token, Config, Constraint, Parts, Stats};
pub use documents::Document;
pub use dump::View;
pub use eager::{Budget, Cut};
pub use error::{ArtifactError, CommitError, CommitTokensError, Refusal, RuntimeError};
pub use event::TokenTerminal;
pub use explain::{Explanation, Reading};
pub use frozen::FrozenStats;
pub use marker::{MarkerEvent, MarkerTables};
pub use state::ConstraintState;
pub use token_ids::TokenIds;
