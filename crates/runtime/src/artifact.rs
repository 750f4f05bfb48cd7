//! Artifacts: a constraint as bytes.
//!
//! An envelope of fixed layout (magic, version, fingerprint of the vocabulary, length and checksum of the payload) around
//! a payload in bincode: lexer, LR tables, options, and whatever tables were filled. Nothing of the input is trusted: the
//! checksum guards against damage, and every part is checked again when it is read, so that forged bytes are an error
//! or a constraint with strange answers, never a panic or an access out of bounds. Memory is bounded by a small multiple
//! of the input.
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | `glrmask` and a zero byte (prepared grammars: `glrmaskp`) |
//! | 8..12 | version of the format, little-endian |
//! | 12..28 | fingerprint of the vocabulary |
//! | 28..36 | length of the payload |
//! | 36..52 | XXH3-128 of the payload |
//! | 52.. | payload |

use std::sync::Arc;

use glrmask_glr::Tables;
use glrmask_instance::Rules;
use glrmask_lexer::Lexer;
use glrmask_vocab::{Content, TokenId, Vocab};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::boundary::BoundaryTrigger;
use crate::constraint::{max_end_token, Config, Constraint, Parts};
use crate::documents::Document;
use crate::error::ArtifactError;
use crate::event::TokenTerminal;
use crate::marker::MarkerTables;
use crate::stored::StoredFrozen;
use crate::stored_split::StoredSplits;

/// The envelope of constraints; its version is raised whenever the payload changes.
const ENVELOPE: Envelope = Envelope { magic: *b"glrmask\0", version: 8 };
const HEADER: usize = 52;
/// Bytes that decoding may claim.
const DECODE_LIMIT: usize = 1 << 30;

#[derive(Serialize, Deserialize)]
struct Payload {
    vocab: Option<Content>,
    lexer: Lexer,
    tables: Tables,
    accepts_empty: bool,
    token_terminals: Vec<TokenTerminal>,
    markers: Option<MarkerTables>,
    /// Checked as they are read.
    rules: Option<Arc<Rules>>,
    documents: Vec<Document>,
    end_tokens: Vec<TokenId>,
    cache_bytes: u64,
    compare_from: u64,
    shift_first: Option<bool>,
    boundary_triggers: Vec<BoundaryTrigger>,
    frozen: Option<StoredFrozen>,
    splits: Option<StoredSplits>,
}

impl Constraint {
    /// The constraint as bytes, with whatever has been filled so far. With `external_vocab` the vocabulary is left out, and
    /// whoever loads has to bring it: smaller by megabytes, and loaded within a millisecond.
    ///
    /// Time and size: those of the tables, and of the vocabulary if it is included.
    ///
    /// # Errors
    /// More than 1 GiB.
    pub fn save(&self, external_vocab: bool) -> Result<Vec<u8>, ArtifactError> {
        let inner = self.inner();
        let payload = Payload {
            vocab: (!external_vocab).then(|| Content::from(&inner.vocab)),
            lexer: Lexer::clone(&inner.lexer),
            tables: inner.tables.clone(),
            accepts_empty: inner.accepts_empty,
            token_terminals: inner.token_terminals.clone(),
            markers: inner.markers.as_ref().map(|markers| markers.stored()),
            rules: inner.instance.as_ref().map(|instance| instance.rules().clone()),
            documents: inner.documents.as_ref().map_or_else(Vec::new, |documents| documents.stored().to_vec()),
            end_tokens: inner.config.end_tokens.clone(),
            cache_bytes: inner.config.cache_bytes as u64,
            compare_from: inner.config.compare_from as u64,
            shift_first: inner.config.shift_first,
            boundary_triggers: inner.config.boundary_triggers.clone(),
            frozen: self.stored(),
            splits: self.stored_splits(),
        };
        ENVELOPE.seal(inner.vocab.fingerprint(), &payload)
    }

    /// Reads what [`save`](Self::save) wrote. `vocab` must be the vocabulary it was saved with; it is needed if that was
    /// left out, and spares building it anew if it was not.
    ///
    /// # Errors
    /// Bytes that are cut short, damaged, of another version, of another vocabulary, or not an artifact; a vocabulary
    /// that is needed and not given.
    pub fn load(data: &[u8], vocab: Option<&Vocab>) -> Result<Self, ArtifactError> {
        let (fingerprint, payload) = ENVELOPE.open(data)?;
        if vocab.is_some_and(|vocab| vocab.fingerprint() != fingerprint) {
            return Err(ArtifactError::other_vocab());
        }
        let payload: Payload = Envelope::decode(payload)?;
        let vocab = match (vocab, payload.vocab) {
            (Some(vocab), _) => vocab.clone(),
            (None, Some(content)) => built(content, fingerprint)?,
            (None, None) => return Err(ArtifactError::vocab_needed()),
        };
        let Payload { lexer, tables, accepts_empty, token_terminals, markers, rules, end_tokens, frozen, .. } = payload;
        let (shift_first, splits, documents) = (payload.shift_first, payload.splits, payload.documents);
        let boundary_triggers = payload.boundary_triggers;
        let (cache_bytes, compare_from) = (payload.cache_bytes, payload.compare_from);
        lexer.validate().map_err(|e| ArtifactError::part("lexer", e))?;
        let limit = max_end_token(&vocab);
        if end_tokens.iter().any(|&id| id > limit) {
            return Err(ArtifactError::invalid("an end token beyond all vocabularies"));
        }
        let frozen = frozen.map(|stored| stored.restore(&lexer, &tables, &vocab)).transpose();
        let frozen = frozen.map_err(ArtifactError::invalid)?;
        if boundary_triggers.iter().any(|boundary| !boundary.tokens.is_of(&vocab)) {
            return Err(ArtifactError::invalid("boundaries of another vocabulary"));
        }
        let (cache_bytes, compare_from) = (to_usize(cache_bytes), to_usize(compare_from));
        let config = Config { end_tokens, cache_bytes, compare_from, boundary_triggers, shift_first };
        let parts = Parts { lexer, tables, accepts_empty, token_terminals, markers, rules, documents };
        let constraint = Self::unchecked(parts, vocab, config).map_err(|e| ArtifactError::part("constraint", e))?;
        if let Some((frozen, complete)) = frozen {
            constraint.restore(Arc::new(frozen), complete);
        }
        if let Some(splits) = splits.filter(|_| constraint.shifts_first()) {
            constraint.restore_splits(splits).map_err(ArtifactError::invalid)?;
        }
        Ok(constraint)
    }
}

fn format() -> impl bincode::config::Config {
    // Ids are mostly large: fixed numbers are quicker to read, and hardly longer.
    bincode::config::standard().with_fixed_int_encoding().with_limit::<DECODE_LIMIT>()
}

/// A layout around a payload, the same for everything that is saved; see the [module](self).
#[derive(Clone, Copy, Debug)]
pub struct Envelope {
    /// The first bytes: what kind of thing it is.
    pub magic: [u8; 8],
    /// Raised whenever the payload changes.
    pub version: u32,
}

impl Envelope {
    /// Writes a payload. Linear.
    ///
    /// # Errors
    /// More than 1 GiB.
    pub fn seal(&self, fingerprint: u128, payload: &impl Serialize) -> Result<Vec<u8>, ArtifactError> {
        let payload = bincode::serde::encode_to_vec(payload, format()).map_err(ArtifactError::encode)?;
        if payload.len() > DECODE_LIMIT {
            return Err(ArtifactError::too_large(payload.len(), DECODE_LIMIT));
        }
        let mut data = Vec::with_capacity(HEADER + payload.len());
        data.extend_from_slice(&self.magic);
        data.extend_from_slice(&self.version.to_le_bytes());
        data.extend_from_slice(&fingerprint.to_le_bytes());
        data.extend_from_slice(&(payload.len() as u64).to_le_bytes());
        data.extend_from_slice(&xxh3_128(&payload).to_le_bytes());
        data.extend_from_slice(&payload);
        Ok(data)
    }

    /// Checks the envelope; the fingerprint and the payload.
    ///
    /// # Errors
    /// Bytes that are cut short, damaged, of another version, or something else.
    pub fn open<'d>(&self, data: &'d [u8]) -> Result<(u128, &'d [u8]), ArtifactError> {
        let Some((header, payload)) = data.split_at_checked(HEADER) else {
            return Err(if self.magic.starts_with(data) || data.starts_with(&self.magic) {
                ArtifactError::truncated(data.len(), HEADER)
            } else {
                ArtifactError::not_an_artifact()
            });
        };
        if header[..8] != self.magic {
            return Err(ArtifactError::not_an_artifact());
        }
        let number =
            |from: usize, len: usize| header[from..from + len].iter().rev().fold(0u128, |n, &b| n << 8 | u128::from(b));
        let version = number(8, 4) as u32;
        if version != self.version {
            return Err(ArtifactError::version(version, self.version));
        }
        let length = number(28, 8);
        if length != payload.len() as u128 {
            return Err(match length > payload.len() as u128 {
                true => ArtifactError::truncated(payload.len(), usize::try_from(length).unwrap_or(usize::MAX)),
                false => ArtifactError::invalid("bytes beyond the end"),
            });
        }
        if number(36, 16) != xxh3_128(payload) {
            return Err(ArtifactError::damaged());
        }
        Ok((number(12, 16), payload))
    }

    /// Reads a payload; whatever it holds has to be checked by its own type.
    ///
    /// # Errors
    /// Bytes that are no such payload, or more than that.
    pub fn decode<T: serde::de::DeserializeOwned>(payload: &[u8]) -> Result<T, ArtifactError> {
        let decoded = bincode::serde::decode_from_slice(payload, format()).map_err(ArtifactError::decode)?;
        match decoded.1 == payload.len() {
            true => Ok(decoded.0),
            false => Err(ArtifactError::invalid("bytes beyond the end")),
        }
    }
}

/// The vocabulary of an artifact.
///
/// # Errors
/// Content that makes no vocabulary, or another one than the envelope names.
pub fn vocabulary(content: Content, fingerprint: u128) -> Result<Vocab, ArtifactError> {
    built(content, fingerprint)
}

fn built(content: Content, fingerprint: u128) -> Result<Vocab, ArtifactError> {
    let vocab = content.into_vocab(&glrmask_vocab::Config::default());
    let vocab = vocab.map_err(|e| ArtifactError::part("vocabulary", e))?;
    match vocab.fingerprint() == fingerprint {
        true => Ok(vocab),
        false => Err(ArtifactError::invalid("the vocabulary is not the one the envelope names")),
    }
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
