//! The tests of this crate against plain references: one binary, so that they share grammars and references.

#![allow(clippy::expect_used)]

mod adjacency;
mod grammars;
mod lr1;
mod parser;
mod random;
mod stacks;
mod tables;
