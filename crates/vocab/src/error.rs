//! The error of this crate: what was wrong with a vocabulary, with the numbers.

use crate::TokenId;

/// Why a vocabulary was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct VocabError(#[from] Kind);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Kind {
    #[error("token id {given} is declared twice")]
    DuplicateId { given: u32 },
    #[error("token id {given} is not in the vocabulary")]
    UnknownId { given: u32 },
    #[error("token id {given} is listed twice")]
    ListedTwice { given: u32 },
    #[error("the range of token ids from {first} is empty")]
    EmptyRange { first: u32 },
    #[error("the token ids belong to another vocabulary")]
    OtherVocab,
    #[error("token id {given} is above the limit of {limit}; raise `max_id` to allow it")]
    IdAboveLimit { given: u32, limit: u32 },
    #[error("the token strings have at least {given} bytes in all, the limit is {limit}")]
    TooManyBytes { given: u64, limit: u64 },
    #[error("{ids} token ids but {ends} string ends in vocabulary content")]
    CountMismatch { ids: usize, ends: usize },
    #[error("string {index} of the vocabulary content ends at byte {end}, outside {start}..={len}")]
    BadEnd { index: usize, start: usize, end: usize, len: usize },
}

impl VocabError {
    /// Whether a limit was reached.
    pub fn is_limit(&self) -> bool {
        self.numbers().is_some()
    }
    /// For limits: what was given and what is allowed.
    pub fn numbers(&self) -> Option<(usize, usize)> {
        let count = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        match self.0 {
            Kind::IdAboveLimit { given, limit } => Some((given as usize, limit as usize)),
            Kind::TooManyBytes { given, limit } => Some((count(given), count(limit))),
            _ => None,
        }
    }
    pub(crate) fn duplicate_id(id: TokenId) -> Self {
        Kind::DuplicateId { given: id.0 }.into()
    }
    /// An id that the vocabulary does not have.
    pub fn unknown_id(id: TokenId) -> Self {
        Kind::UnknownId { given: id.0 }.into()
    }
    pub(crate) fn listed_twice(id: TokenId) -> Self {
        Kind::ListedTwice { given: id.0 }.into()
    }
    pub(crate) fn empty_range(first: TokenId) -> Self {
        Kind::EmptyRange { first: first.0 }.into()
    }
    /// Ids of one vocabulary are used with another.
    pub fn other_vocab() -> Self {
        Kind::OtherVocab.into()
    }
    pub(crate) fn id_above_limit(id: TokenId, limit: u32) -> Self {
        Kind::IdAboveLimit { given: id.0, limit }.into()
    }
    pub(crate) fn too_many_bytes(given: u64, limit: u64) -> Self {
        Kind::TooManyBytes { given, limit }.into()
    }
    pub(crate) fn count_mismatch(ids: usize, ends: usize) -> Self {
        Kind::CountMismatch { ids, ends }.into()
    }
    pub(crate) fn bad_end(index: usize, start: usize, end: usize, len: usize) -> Self {
        Kind::BadEnd { index, start, end, len }.into()
    }
}
