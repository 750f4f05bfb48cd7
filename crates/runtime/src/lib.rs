//! The runtime of glrmask: constraints, per-sequence states, masks and commits. Needs no compiler.
//!
//! In reading order: [`constraint`] (immutable parts and shared tables), [`state`] (one sequence), `branch` (lexer place
//! and parser stacks), `commit` (advancing by bytes), `query` (asking the Parser DWA), `fill` (tables filled on demand),
//! `mask` (from classes back to tokens).
//!
//! # In short
#![doc = include_str!("../README.md")]

pub mod branch;
mod commit;
pub mod constraint;
pub mod error;
mod fill;
mod mask;
mod query;
pub mod state;

pub use constraint::{Config, Constraint, Parts, Stats};
pub use error::{CommitError, RuntimeError};
pub use state::ConstraintState;
