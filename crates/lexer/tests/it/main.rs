//! The lexer against plain references: one binary, so that all tests share the reference and the random lexers.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod classes;
mod components;
mod conditions;
mod hostile;
mod profiles;
mod random;
mod reference;
mod walk;
