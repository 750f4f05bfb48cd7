//! Why a grammar could not be compiled.

use std::fmt;

use glrmask_automata::AutomataError;
use glrmask_glr::GlrError;
use glrmask_grammar::{DiagnosticKind, GrammarError};
use glrmask_lexer::LexerError;
use glrmask_runtime::{Refusal, RuntimeError};
use glrmask_vocab::{TokenId, VocabError};

use crate::policy::Interrupt;

/// An error of the compiler.
#[derive(Debug)]
pub struct CompileError(Kind);

#[derive(Debug)]
enum Kind {
    Grammar(GrammarError),
    Terminal { name: String, source: AutomataError },
    Lexer(LexerError),
    Glr(GlrError),
    Runtime(RuntimeError),
    Vocab(VocabError),
    UnknownToken { id: TokenId, name: String },
    Refused(Refusal),
}

impl CompileError {
    pub(crate) fn terminal(name: &str, source: AutomataError) -> Self {
        Self(Kind::Terminal { name: name.to_owned(), source })
    }
    pub(crate) fn unknown_token(id: TokenId, name: &str) -> Self {
        Self(Kind::UnknownToken { id, name: name.to_owned() })
    }
    pub(crate) fn refused(why: Refusal) -> Self {
        Self(Kind::Refused(why))
    }
    pub(crate) fn interrupted(why: Interrupt) -> Self {
        Self::refused(match why {
            Interrupt::Cancelled => Refusal::Cancelled,
            Interrupt::Deadline => Refusal::Deadline,
        })
    }
    /// Whether the caller asked for the work to end.
    pub fn is_cancelled(&self) -> bool {
        matches!(self.0, Kind::Refused(Refusal::Cancelled))
    }
    /// Which limit on what is filled before decoding was reached, if that is the error.
    pub fn fill_limit_reached(&self) -> Option<(&'static str, usize)> {
        match self.0 {
            Kind::Refused(Refusal::Limit { what, limit }) => Some((what, limit)),
            _ => None,
        }
    }
    /// Whether a limit was reached.
    pub fn is_limit(&self) -> bool {
        self.numbers().is_some() || matches!(self.0, Kind::Refused(Refusal::Deadline))
    }
    /// For limits: what was needed (or the first amount found too large) and what is allowed.
    pub fn numbers(&self) -> Option<(usize, usize)> {
        match &self.0 {
            Kind::Terminal { source, .. } => source.numbers(),
            Kind::Lexer(e) => e.numbers(),
            Kind::Glr(e) => e.limit().map(|(_, given, limit)| (given, limit)),
            Kind::Runtime(e) => e.numbers(),
            // How much it would have taken is not known.
            Kind::Refused(Refusal::Limit { limit, .. }) => Some((*limit, *limit)),
            Kind::Grammar(e) => match e.kind() {
                DiagnosticKind::Limit { limit, given } => Some((given as usize, limit as usize)),
                _ => None,
            },
            Kind::Vocab(_) | Kind::UnknownToken { .. } | Kind::Refused(_) => None,
        }
    }
    /// Whether the grammar asks for something that is not supported (as opposed to being wrong).
    pub fn is_unsupported(&self) -> bool {
        self.grammar().is_some_and(|e| e.kind() == DiagnosticKind::Unsupported)
    }
    /// The id that a terminal names and the vocabulary does not have, if that is the error.
    pub fn unknown_token_id(&self) -> Option<TokenId> {
        match self.0 {
            Kind::UnknownToken { id, .. } => Some(id),
            _ => None,
        }
    }
    /// The error of the grammar, if it is one.
    pub fn grammar(&self) -> Option<&GrammarError> {
        match &self.0 {
            Kind::Grammar(e) => Some(e),
            _ => None,
        }
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Grammar(e) => write!(f, "{e}"),
            Kind::Terminal { name, source } => write!(f, "terminal {name}: {source}"),
            Kind::Lexer(e) => write!(f, "{e}"),
            Kind::Glr(e) => write!(f, "{e}"),
            Kind::Runtime(e) => write!(f, "{e}"),
            Kind::Vocab(e) => write!(f, "{e}"),
            Kind::Refused(why) => write!(f, "{why}"),
            Kind::UnknownToken { id, name } => {
                write!(f, "terminal `{name}` names token {}, which is not in the vocabulary", id.0)
            }
        }
    }
}

impl std::error::Error for CompileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Kind::Grammar(e) => Some(e),
            Kind::Terminal { source, .. } => Some(source),
            Kind::Lexer(e) => Some(e),
            Kind::Glr(e) => Some(e),
            Kind::Runtime(e) => Some(e),
            Kind::Vocab(e) => Some(e),
            Kind::UnknownToken { .. } | Kind::Refused(_) => None,
        }
    }
}

impl From<GrammarError> for CompileError {
    fn from(error: GrammarError) -> Self {
        Self(Kind::Grammar(error))
    }
}
impl From<LexerError> for CompileError {
    fn from(error: LexerError) -> Self {
        Self(Kind::Lexer(error))
    }
}
impl From<GlrError> for CompileError {
    fn from(error: GlrError) -> Self {
        Self(Kind::Glr(error))
    }
}
impl From<VocabError> for CompileError {
    fn from(error: VocabError) -> Self {
        Self(Kind::Vocab(error))
    }
}
impl From<RuntimeError> for CompileError {
    fn from(error: RuntimeError) -> Self {
        Self(Kind::Runtime(error))
    }
}
