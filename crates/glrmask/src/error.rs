//! One error for everything.

use std::fmt;

use glrmask_compiler::CompileError;
use glrmask_grammar::GrammarError;
use glrmask_json_schema::SchemaError;
use glrmask_runtime::{ArtifactError, CommitError, RuntimeError};
use glrmask_vocab::VocabError;

/// An error of glrmask. The error of the crate it comes from is its source.
#[derive(Debug)]
pub struct Error(ErrorKind);

/// Where an error comes from.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A vocabulary could not be built.
    Vocab(VocabError),
    /// A grammar text or a grammar is unusable.
    Grammar(GrammarError),
    /// A JSON Schema is unusable.
    Schema(SchemaError),
    /// A grammar could not be compiled.
    Compile(CompileError),
    /// A token could not be committed.
    Commit(CommitError),
    /// A mask could not be computed.
    Runtime(RuntimeError),
    /// An artifact could not be written or read.
    Artifact(ArtifactError),
}

impl Error {
    /// Where it comes from.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            ErrorKind::Vocab(e) => e.fmt(f),
            ErrorKind::Grammar(e) => e.fmt(f),
            ErrorKind::Schema(e) => e.fmt(f),
            ErrorKind::Compile(e) => e.fmt(f),
            ErrorKind::Commit(e) => e.fmt(f),
            ErrorKind::Runtime(e) => e.fmt(f),
            ErrorKind::Artifact(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(match &self.0 {
            ErrorKind::Vocab(e) => e,
            ErrorKind::Grammar(e) => e,
            ErrorKind::Schema(e) => e,
            ErrorKind::Compile(e) => e,
            ErrorKind::Commit(e) => e,
            ErrorKind::Runtime(e) => e,
            ErrorKind::Artifact(e) => e,
        })
    }
}

macro_rules! from {
    ($($source:ty => $kind:ident),* $(,)?) => {
        $(impl From<$source> for Error {
            fn from(error: $source) -> Self {
                Self(ErrorKind::$kind(error))
            }
        })*
    };
}

from! {
    VocabError => Vocab,
    GrammarError => Grammar,
    SchemaError => Schema,
    CompileError => Compile,
    CommitError => Commit,
    RuntimeError => Runtime,
    ArtifactError => Artifact,
}
