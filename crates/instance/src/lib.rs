//! Rules about JSON texts that no context-free grammar can state, enforced token by token.

mod error;
mod rules;

pub use error::InstanceError;
pub use rules::{ArrayRules, KeyLanguage, ObjectRules, Place, PlaceId, Rules};

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
