//! Documents: parts of a text that are JSON, with rules of their own beside the grammar.
//!
//! [`Readings`] follow them. A mask is that of the grammar, reading by reading: within a document without what its rules
//! forbid, as where the document is the whole text (`instance.rs`). Besides, a token may enter a document and break a rule of it
//! at once, or leave one and enter the next. Few tokens could: those are tried, and what comes of it between documents is kept.
//! See `docs/instance.md`.

use std::sync::{Arc, OnceLock};

use glrmask_automata::{Id, IndexVec};
use glrmask_instance::{filter, Rules, TokenWalk, Tracker};
use glrmask_lexer::ComponentId;
use glrmask_vocab::{mask, Rank, Vocab};
use serde::{Deserialize, Serialize};

use crate::branch::Branch;
use crate::constraint::Inner;
use crate::error::RuntimeError;
use crate::event;
use crate::following::{Following, PART};
use crate::instance::over_limit;
use crate::query;
use crate::readings::{component, DocumentId, Reading, Readings};
use crate::refusals::Refusals;

/// A part of the grammar whose texts are JSON documents with rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The rules.
    pub rules: Arc<Rules>,
    /// The components of the lexer that read it, and nothing else.
    pub components: Vec<ComponentId>,
}

/// The documents of a constraint.
#[derive(Debug)]
pub(crate) struct Documents {
    documents: IndexVec<DocumentId, Document>,
    /// The document of each component, if it has one.
    by_component: Vec<Option<DocumentId>>,
    /// Shared through the vocabulary; found on first use.
    walk: OnceLock<Arc<TokenWalk>>,
    /// Tokens that are refused between documents.
    refused: Refusals,
}

impl Documents {
    /// `None` if there are none.
    pub(crate) fn new(documents: Vec<Document>, components: usize) -> Result<Option<Self>, RuntimeError> {
        let mut by_component = vec![None; components];
        for (number, document) in documents.iter().enumerate() {
            for component in &document.components {
                match by_component.get_mut(component.index()) {
                    Some(known) if known.is_none() => *known = Some(DocumentId::from_usize(number)),
                    _ => {
                        return Err(RuntimeError::invalid("documents that share a component, or name one there is not"))
                    }
                }
            }
        }
        let (walk, refused) = Default::default();
        let documents = IndexVec::from(documents);
        Ok((!documents.is_empty()).then_some(Self { documents, by_component, walk, refused }))
    }

    pub(crate) fn stored(&self) -> &[Document] {
        self.documents.as_slice()
    }

    /// Rough memory use, in bytes, of what is kept of the tokens that are refused.
    pub(crate) fn memory_usage(&self) -> usize {
        self.refused.memory_usage()
    }

    /// The document that the lexeme of a branch belongs to.
    pub(crate) fn of(&self, branch: &Branch) -> Option<DocumentId> {
        *self.by_component.get(component(branch)?)?
    }

    /// At the start of a document.
    pub(crate) fn start(&self, document: DocumentId) -> Tracker {
        Tracker::new(self.documents[document].rules.clone())
    }

    /// The mask of the tokens that grammar and rules allow.
    pub(crate) fn fill_mask(&self, inner: &Inner, readings: &Readings, words: &mut [u32]) -> Result<(), RuntimeError> {
        let Some((first, others)) = readings.as_slice().split_first() else {
            words.fill(0);
            return Ok(());
        };
        self.fill_one(inner, first, words)?;
        let mut more = vec![0; if others.is_empty() { 0 } else { words.len() }];
        for reading in others {
            self.fill_one(inner, reading, &mut more)?;
            words.iter_mut().zip(&more).for_each(|(word, more)| *word |= more);
        }
        Ok(())
    }

    /// Whether a mask of the grammar is right as it is, as far as a look at it tells.
    pub(crate) fn agrees(&self, inner: &Inner, readings: &Readings, words: &[u32]) -> bool {
        let [Reading { inside: None, branches }] = readings.as_slice() else { return false };
        let is_set = |&rank: &Rank| inner.vocab.ids(rank).iter().any(|&id| mask::get(words, id));
        let known = || self.refused.get(branches).is_some_and(|refused| refused.is_empty());
        !self.entering(inner).iter().any(is_set) || known()
    }

    fn fill_one(&self, inner: &Inner, reading: &Reading, words: &mut [u32]) -> Result<(), RuntimeError> {
        query::fill_mask(inner, &reading.branches, words)?;
        let refused = match &reading.inside {
            Some((_, tracker)) => {
                tracker.check_limit().map_err(|limit| over_limit(&limit))?;
                let following = &mut Following::new(inner, &reading.branches);
                filter(tracker, self.walk(&inner.vocab), &inner.vocab, words, following)?;
                let leaves = |&rank: &Rank| {
                    let left = tracker.clone().advance(inner.vocab.rank_bytes(rank));
                    left.is_err_and(|violation| violation.is_not_json())
                };
                self.tried(inner, reading, words, leaves)?
            }
            None => self.refused(inner, reading, words)?,
        };
        for &rank in refused.iter() {
            inner.vocab.ids(rank).iter().for_each(|&id| mask::clear(words, id));
        }
        // What has been cleared as text may be allowed as an event.
        event::add_to_mask(inner, &reading.branches, words, |branch| query::is_viable(inner, branch))
    }

    /// Tokens that are refused between documents.
    fn refused(&self, inner: &Inner, reading: &Reading, words: &[u32]) -> Result<Arc<[Rank]>, RuntimeError> {
        if let Some(known) = self.refused.get(&reading.branches) {
            return Ok(known);
        }
        let refused = self.tried(inner, reading, words, |_| true)?;
        self.refused.insert(&reading.branches, refused.clone(), inner.config.cache_bytes / PART);
        Ok(refused)
    }

    /// Those of the tokens that can enter a document, are in the mask and satisfy the predicate after which nothing goes on.
    fn tried(
        &self,
        inner: &Inner,
        reading: &Reading,
        words: &[u32],
        matters: impl Fn(&Rank) -> bool,
    ) -> Result<Arc<[Rank]>, RuntimeError> {
        let mut refused = Vec::new();
        for &rank in self.entering(inner) {
            let is_set = inner.vocab.ids(rank).iter().any(|&id| mask::get(words, id));
            if is_set && matters(&rank) && !self.allows(inner, reading, inner.vocab.rank_bytes(rank))? {
                refused.push(rank);
            }
        }
        Ok(refused.into())
    }

    fn allows(&self, inner: &Inner, reading: &Reading, bytes: &[u8]) -> Result<bool, RuntimeError> {
        let mut readings = Readings::one(reading.clone());
        let read = readings.advance(inner, self, bytes)?;
        Ok(read.bytes == bytes.len() && readings.retain_viable(inner)?)
    }

    fn entering(&self, inner: &Inner) -> &[Rank] {
        self.walk(&inner.vocab).entering(self.documents.iter().map(|document| document.rules.as_ref()))
    }

    fn walk(&self, vocab: &Vocab) -> &TokenWalk {
        self.walk.get_or_init(|| TokenWalk::shared(vocab))
    }
}
