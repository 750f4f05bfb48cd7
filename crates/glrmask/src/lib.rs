//! Grammar-constrained decoding for LLMs: exact next-token masks for JSON Schema and any context-free grammar, in
//! microseconds.
//!
//! ```
//! use glrmask::{Grammar, CompileOptions, TokenId, Vocab};
//!
//! let vocab = Vocab::new([(0, "hello"), (1, " "), (2, "world")].map(|(id, text)| (TokenId(id), text)))?;
//! let grammar = Grammar::from_ebnf(r#"start ::= "hello" " " "world""#)?;
//! let constraint = grammar.compile(&vocab, &CompileOptions::default())?;
//! let mut state = constraint.start();
//! let mut mask = vec![0u32; constraint.mask_words()];
//! for id in 0..3 {
//!     state.fill_mask(&mut mask)?;
//!     assert_eq!(mask, [1 << id]);
//!     state.commit_token(TokenId(id))?;
//! }
//! assert!(state.is_accepting());
//! # Ok::<(), glrmask::Error>(())
//! ```
//!
//! # In short
#![doc = include_str!("../README.md")]

mod compile;
mod compose;
mod error;
mod grammar;
mod prepared;

pub use compile::{Cancel, CompileOptions, Limits, StageTime, DEFAULT_THREADS};
pub use compose::{Token, Value};
pub use error::{Error, ErrorKind};
pub use glrmask_compiler::{BoundaryTriggerDetail, Optimization, Stage};
pub use glrmask_grammar::lark::Profile as LarkProfile;
pub use glrmask_grammar::{Requirement, SlotKind};
pub use glrmask_json_schema::Options as JsonSchemaOptions;
pub use glrmask_runtime::{commit_tokens_batch, explain, fill_masks, Explanation, TokenCompletion, View};
pub use glrmask_runtime::{
    ArtifactError, BoundaryTrigger, CommitError, CommitTokensError, Constraint, ConstraintState, MarkerEvent,
    RuntimeError, Stats,
};
pub use glrmask_vocab::{ExactTokens, TokenId, Vocab, VocabError};
pub use grammar::{Grammar, LarkOptions, RegexFlavor, SchemaWarning};
pub use prepared::{PrepareOptions, PreparedGrammar, PreparedValue};

pub use glrmask_automata as automata;
pub use glrmask_compiler as compiler;
pub use glrmask_glr as glr;
pub use glrmask_grammar as ir;
pub use glrmask_json_schema as json_schema;
pub use glrmask_lexer as lexer;
pub use glrmask_runtime as runtime;
pub use glrmask_vocab as vocab;
