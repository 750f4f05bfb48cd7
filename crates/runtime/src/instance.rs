//! Rules beside the grammar: what is asked of a JSON text that no grammar can say.
//!
//! A tracker (`glrmask-instance`) follows the text along with the branches. A mask is that of the grammar without the
//! tokens after which an item of a unique array, or a key, is there twice, or after which no text avoids that; a commit
//! asks the same. Where the tracker has to look ahead, it asks the grammar what may follow (`following.rs`). See
//! `docs/instance.md`.

use std::sync::{Arc, OnceLock};

use glrmask_instance::{filter, must_filter, outlook, Outlook, Rules, TokenWalk, Tracker, Violation};
use glrmask_vocab::Vocab;

use crate::branch::{Branch, Branches};
use crate::constraint::Inner;
use crate::error::RuntimeError;
use crate::following::Following;

/// Rules of a constraint.
#[derive(Debug)]
pub(crate) struct Instance {
    rules: Arc<Rules>,
    /// Shared through the vocabulary; found on first use.
    walk: OnceLock<Arc<TokenWalk>>,
}

impl Instance {
    pub(crate) fn new(rules: Arc<Rules>) -> Self {
        Self { rules, walk: OnceLock::new() }
    }
    pub(crate) fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }
    /// At the start of the text.
    pub(crate) fn start(&self) -> Tracker {
        Tracker::new(self.rules.clone())
    }
    /// Takes the tokens off a mask of the grammar that the rules forbid.
    pub(crate) fn filter(
        &self,
        inner: &Inner,
        (tracker, branches): (&Tracker, &Branches),
        words: &mut [u32],
    ) -> Result<(), RuntimeError> {
        tracker.check_limit().map_err(|limit| over_limit(&limit))?;
        filter(tracker, self.walk(&inner.vocab), &inner.vocab, words, &mut Following::new(inner, branches))
    }
    /// Whether a mask of the grammar is right as it is, as far as a look at it tells.
    pub(crate) fn agrees(&self, inner: &Inner, tracker: &Tracker, words: &[u32]) -> bool {
        tracker.check_limit().is_ok() && !must_filter(tracker, self.walk(&inner.vocab), &inner.vocab, words)
    }
    fn walk(&self, vocab: &Vocab) -> &TokenWalk {
        self.walk.get_or_init(|| TokenWalk::shared(vocab))
    }
}

/// The error of a tracker that remembers too much.
pub(crate) fn over_limit(violation: &Violation) -> RuntimeError {
    let (given, limit) = violation.numbers().unwrap_or_default();
    RuntimeError::limit("bytes remembered of unique items and keys", given, limit)
}

/// Whether some text that the grammar and the rules allow goes on from here, as far as a search can tell.
pub(crate) fn outlook_from(inner: &Inner, tracker: &Tracker, branches: &[Branch]) -> Result<Outlook, RuntimeError> {
    match tracker.is_free() {
        true => Ok(Outlook::Open),
        false => outlook(tracker, &[], &mut Following::new(inner, branches)),
    }
}

/// Whether some text that the grammar and the rules allow is known to go on from here.
pub(crate) fn is_viable(inner: &Inner, tracker: &Tracker, branches: &[Branch]) -> Result<bool, RuntimeError> {
    Ok(outlook_from(inner, tracker, branches)? == Outlook::Open)
}
