//! The tests of this crate against plain references: one binary, so that they share grammars and references.

#![allow(clippy::expect_used)]

mod adjacency;
mod calculus;
mod completing;
mod effects;
mod grammars;
mod link;
mod lr1;
mod parser;
mod random;
mod sequences;
mod stacks;
mod tables;
mod weights;
