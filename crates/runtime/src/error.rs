//! Errors of the runtime.

use std::fmt;

use glrmask_glr::GlrError;
use glrmask_lexer::LexerError;
use glrmask_vocab::TokenId;

/// A table could not be filled while decoding, or a part of a constraint is unusable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeError(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Lexer(LexerError),
    Glr(GlrError),
    ShortMask { given: usize, needed: usize },
    ShortHistory { asked: usize, kept: usize },
    Limit { what: &'static str, given: usize, limit: usize },
    EmptyLanguage,
    Refused(Refusal),
    Invalid(&'static str),
}

/// Why a fill that was cut off is an error, and its rest not left to decoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Nobody wants the result any more.
    Cancelled,
    /// The time is up.
    Deadline,
    /// More would be filled than this.
    Limit {
        /// What of.
        what: &'static str,
        /// How much is allowed.
        limit: usize,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => write!(f, "the compilation was cancelled"),
            Self::Deadline => write!(f, "the time for compiling is up"),
            Self::Limit { what, limit } => write!(f, "filling before decoding takes more than {limit} {what}"),
        }
    }
}

impl RuntimeError {
    pub(crate) fn short_mask(given: usize, needed: usize) -> Self {
        Self(Kind::ShortMask { given, needed })
    }
    pub(crate) fn short_history(asked: usize, kept: usize) -> Self {
        Self(Kind::ShortHistory { asked, kept })
    }
    pub(crate) fn limit(what: &'static str, given: usize, limit: usize) -> Self {
        Self(Kind::Limit { what, given, limit })
    }
    pub(crate) fn check_limit(what: &'static str, given: usize, limit: usize) -> Result<(), Self> {
        match given > limit {
            true => Err(Self::limit(what, given, limit)),
            false => Ok(()),
        }
    }
    /// Of a [`rollback`](crate::ConstraintState::rollback): the commits to undo, and how many are kept.
    pub fn history(&self) -> Option<(usize, usize)> {
        match self.0 {
            Kind::ShortHistory { asked, kept } => Some((asked, kept)),
            _ => None,
        }
    }
    pub(crate) fn empty_language() -> Self {
        Self(Kind::EmptyLanguage)
    }
    pub(crate) fn invalid(what: &'static str) -> Self {
        Self(Kind::Invalid(what))
    }
    /// A fill was refused.
    pub fn refused(why: Refusal) -> Self {
        Self(Kind::Refused(why))
    }
    /// Why a fill was refused, if that is the error.
    pub fn refusal(&self) -> Option<Refusal> {
        match self.0 {
            Kind::Refused(why) => Some(why),
            _ => None,
        }
    }
    /// Whether a limit was reached.
    pub fn is_limit(&self) -> bool {
        self.numbers().is_some() || self.0 == Kind::Refused(Refusal::Deadline)
    }
    /// For limits: what was needed (or the first amount found too large) and what is allowed.
    pub fn numbers(&self) -> Option<(usize, usize)> {
        match &self.0 {
            Kind::Lexer(e) => e.numbers(),
            Kind::Glr(e) => e.limit().map(|(_, given, limit)| (given, limit)),
            Kind::Limit { given, limit, .. } => Some((*given, *limit)),
            // How much it would have taken is not known.
            Kind::Refused(Refusal::Limit { limit, .. }) => Some((*limit, *limit)),
            _ => None,
        }
    }
    /// Whether the language of the constraint is empty.
    pub fn is_empty_language(&self) -> bool {
        self.0 == Kind::EmptyLanguage
    }
}

impl fmt::Display for RuntimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Lexer(e) => write!(f, "lexer: {e}"),
            Kind::Glr(e) => write!(f, "parser: {e}"),
            Kind::ShortMask { given, needed } => {
                write!(f, "the mask buffer has {given} words of 32 bits, at least {needed} are needed")
            }
            Kind::Limit { what, given, limit } => write!(f, "{what}: {given}, the limit is {limit}"),
            Kind::ShortHistory { asked, kept } => {
                write!(f, "{asked} commits cannot be undone: the last {kept} are kept")
            }
            Kind::Refused(why) => write!(f, "{why}"),
            Kind::EmptyLanguage => write!(f, "the language is empty: no text satisfies the grammar and longest match"),
            Kind::Invalid(what) => write!(f, "unusable constraint: {what}"),
        }
    }
}

impl std::error::Error for RuntimeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            Kind::Lexer(e) => Some(e),
            Kind::Glr(e) => Some(e),
            _ => None,
        }
    }
}

impl From<LexerError> for RuntimeError {
    fn from(error: LexerError) -> Self {
        Self(Kind::Lexer(error))
    }
}

impl From<GlrError> for RuntimeError {
    fn from(error: GlrError) -> Self {
        Self(Kind::Glr(error))
    }
}

/// Why a commit failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitError {
    /// The vocabulary has no such token id; the state is unchanged.
    UnknownToken(TokenId),
    /// The mask does not contain this token; the state is rejected now.
    ForbiddenToken(TokenId),
    /// These bytes cannot be extended to a complete text; the state is rejected now. Holds how many bytes
    /// could be read; the text may have become hopeless before that, since viability is checked after the last byte.
    ForbiddenBytes(usize),
    /// The sequence has ended (an end token was committed, or the state was rejected); the state is unchanged.
    Terminated,
    /// A table could not be filled; the state is rejected now.
    Runtime(RuntimeError),
}

impl fmt::Display for CommitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownToken(id) => write!(f, "unknown token id {}", id.0),
            Self::ForbiddenToken(id) => write!(f, "token {} is not allowed here", id.0),
            Self::ForbiddenBytes(fine) => write!(f, "the bytes are not allowed here (after {fine} allowed ones)"),
            Self::Terminated => write!(f, "the sequence has ended"),
            Self::Runtime(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for CommitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Runtime(error) => Some(error),
            _ => None,
        }
    }
}

/// Why [`commit_tokens`](crate::ConstraintState::commit_tokens) stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitTokensError {
    /// How many tokens were committed before.
    pub committed: usize,
    /// What happened to the next one.
    pub error: CommitError,
}

impl fmt::Display for CommitTokensError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (after {} tokens)", self.error, self.committed)
    }
}

impl std::error::Error for CommitTokensError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl From<RuntimeError> for CommitError {
    fn from(error: RuntimeError) -> Self {
        Self::Runtime(error)
    }
}

/// Why an artifact could not be written or read.
#[derive(Debug)]
pub struct ArtifactError(ArtifactKind);

#[derive(Debug)]
enum ArtifactKind {
    NotAnArtifact,
    Truncated { given: usize, needed: usize },
    Version { found: u32, known: u32 },
    Damaged,
    OtherVocab,
    VocabNeeded,
    Encode(bincode::error::EncodeError),
    Decode(bincode::error::DecodeError),
    Part { what: &'static str, source: Box<dyn std::error::Error + Send + Sync> },
    Invalid(&'static str),
    TooLarge { given: usize, limit: usize },
}

impl ArtifactError {
    pub(crate) fn not_an_artifact() -> Self {
        Self(ArtifactKind::NotAnArtifact)
    }
    pub(crate) fn truncated(given: usize, needed: usize) -> Self {
        Self(ArtifactKind::Truncated { given, needed })
    }
    pub(crate) fn version(found: u32, known: u32) -> Self {
        Self(ArtifactKind::Version { found, known })
    }
    pub(crate) fn damaged() -> Self {
        Self(ArtifactKind::Damaged)
    }
    /// The vocabulary given is not the one it was saved with.
    pub fn other_vocab() -> Self {
        Self(ArtifactKind::OtherVocab)
    }
    pub(crate) fn vocab_needed() -> Self {
        Self(ArtifactKind::VocabNeeded)
    }
    pub(crate) fn encode(error: bincode::error::EncodeError) -> Self {
        Self(ArtifactKind::Encode(error))
    }
    pub(crate) fn decode(error: bincode::error::DecodeError) -> Self {
        Self(ArtifactKind::Decode(error))
    }
    /// A part of it is unusable.
    pub fn part(what: &'static str, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self(ArtifactKind::Part { what, source: Box::new(source) })
    }
    /// It is malformed in some other way.
    pub fn invalid(what: &'static str) -> Self {
        Self(ArtifactKind::Invalid(what))
    }
    pub(crate) fn too_large(given: usize, limit: usize) -> Self {
        Self(ArtifactKind::TooLarge { given, limit })
    }
    /// Whether it was saved without a vocabulary and none was given.
    pub fn needs_vocab(&self) -> bool {
        matches!(self.0, ArtifactKind::VocabNeeded)
    }
    /// Whether the vocabulary given is not the one it was saved with.
    pub fn is_other_vocab(&self) -> bool {
        matches!(self.0, ArtifactKind::OtherVocab)
    }
    /// The version found, if that is what is wrong.
    pub fn version_found(&self) -> Option<u32> {
        match self.0 {
            ArtifactKind::Version { found, .. } => Some(found),
            _ => None,
        }
    }
}

impl fmt::Display for ArtifactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            ArtifactKind::NotAnArtifact => write!(f, "not a glrmask artifact"),
            ArtifactKind::Truncated { given, needed } => {
                write!(f, "the artifact is cut short: {given} of {needed} bytes")
            }
            ArtifactKind::Version { found, known } => {
                write!(f, "the artifact has version {found} of the format, this library reads version {known}")
            }
            ArtifactKind::Damaged => write!(f, "the artifact is damaged: its checksum does not match"),
            ArtifactKind::OtherVocab => write!(f, "the artifact was saved with another vocabulary"),
            ArtifactKind::VocabNeeded => {
                write!(f, "the artifact was saved without its vocabulary, which must be given")
            }
            ArtifactKind::Encode(e) => write!(f, "the artifact cannot be written: {e}"),
            ArtifactKind::Decode(e) => write!(f, "the artifact is malformed: {e}"),
            ArtifactKind::Part { what, source } => write!(f, "the artifact holds an unusable {what}: {source}"),
            ArtifactKind::Invalid(what) => write!(f, "the artifact is malformed: {what}"),
            ArtifactKind::TooLarge { given, limit } => {
                write!(f, "the artifact would take {given} bytes, at most {limit} can be read back")
            }
        }
    }
}

impl std::error::Error for ArtifactError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            ArtifactKind::Encode(e) => Some(e),
            ArtifactKind::Decode(e) => Some(e),
            ArtifactKind::Part { source, .. } => Some(&**source),
            _ => None,
        }
    }
}
