//! Why a grammar could not be compiled.

use std::fmt;

use glrmask_automata::AutomataError;
use glrmask_glr::GlrError;
use glrmask_grammar::GrammarError;
use glrmask_lexer::LexerError;
use glrmask_runtime::RuntimeError;

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
    Unsupported { what: &'static str, name: String },
}

impl CompileError {
    pub(crate) fn terminal(name: &str, source: AutomataError) -> Self {
        Self(Kind::Terminal { name: name.to_owned(), source })
    }
    pub(crate) fn unsupported(what: &'static str, name: &str) -> Self {
        Self(Kind::Unsupported { what, name: name.to_owned() })
    }
    /// Whether a limit was reached.
    pub fn is_limit(&self) -> bool {
        self.numbers().is_some()
    }
    /// For limits: what was needed (or the first amount found too large) and what is allowed.
    pub fn numbers(&self) -> Option<(usize, usize)> {
        match &self.0 {
            Kind::Terminal { source, .. } => source.numbers(),
            Kind::Lexer(e) => e.numbers(),
            Kind::Glr(e) => e.limit().map(|(_, given, limit)| (given, limit)),
            Kind::Runtime(e) => e.numbers(),
            Kind::Grammar(_) | Kind::Unsupported { .. } => None,
        }
    }
    /// Whether the grammar asks for something that is not supported (as opposed to being wrong).
    pub fn is_unsupported(&self) -> bool {
        matches!(self.0, Kind::Unsupported { .. })
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
            Kind::Unsupported { what, name } => write!(f, "{what} are not supported yet: {name}"),
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
            Kind::Unsupported { .. } => None,
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
impl From<RuntimeError> for CompileError {
    fn from(error: RuntimeError) -> Self {
        Self(Kind::Runtime(error))
    }
}
