//! The state of one generated sequence.

use std::sync::{Arc, OnceLock};

use glrmask_automata::lexdag::ConditionSetId;
use glrmask_glr::Tables;
use glrmask_instance::Tracker;
use glrmask_vocab::TokenId;
use smallvec::smallvec;

use crate::accept;
use crate::beside::Beside;
use crate::branch::{add_branch, Alternatives, Branch, Branches, Lexeme, Stacks};
use crate::commit;
use crate::constraint::{Constraint, Inner};
use crate::error::{CommitError, RuntimeError};
use crate::event;
use crate::history::History;
use crate::instance::{self, over_limit};
use crate::marker::{MarkerEvent, MarkerPlace};
use crate::query;
use crate::readings::Readings;

/// Whether more may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// More may come.
    Active,
    /// An end token was committed.
    Ended,
    /// What was committed cannot be completed.
    Rejected,
}

/// What a commit may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// Whatever it takes.
    Any,
    /// Look into tables that are filled.
    Looks,
}

/// Commits that [`ConstraintState::rollback`] can undo, unless
/// [`set_history_limit`](ConstraintState::set_history_limit) says otherwise.
pub const HISTORY: usize = 256;

/// Where a sequence stands: all of it that a commit changes.
#[derive(Clone, Debug)]
struct Place {
    branches: Branches,
    status: Status,
    /// Whether the bytes so far are a complete text; found when first asked for after a commit.
    accepting: OnceLock<bool>,
    /// What is known about markers; nothing if none can come any more, or nobody wants to know.
    markers: Option<Arc<MarkerPlace>>,
    /// Where the text stands by the rules beside the grammar, if there are any.
    tracker: Option<Arc<Tracker>>,
    /// The branches by the documents they are in, if some parts of the text have rules.
    readings: Option<Arc<Readings>>,
}

impl Place {
    fn new(branches: Branches) -> Self {
        let (accepting, markers, tracker, readings) = Default::default();
        Self { branches, status: Status::Active, accepting, markers, tracker, readings }
    }
}

/// The mutable state of one generated sequence: ask for a mask, sample an allowed token, commit it.
///
/// A clone is an independent snapshot, history included, and costs a few reference counts. `Send + Sync`.
#[derive(Clone, Debug)]
pub struct ConstraintState {
    constraint: Constraint,
    place: Place,
    /// The place before each of the last commits.
    history: History<Place>,
}

impl ConstraintState {
    pub(crate) fn new(constraint: Constraint) -> Self {
        let mut state = Self { constraint, place: Place::new(Branches::new()), history: History::new(HISTORY) };
        state.reset();
        state
    }

    /// The constraint this state belongs to.
    pub fn constraint(&self) -> &Constraint {
        &self.constraint
    }

    /// Returns to the start of the text and forgets the history.
    pub fn reset(&mut self) {
        let stacks = Stacks::from_stack([Tables::START], Alternatives::none());
        let branches = smallvec![Branch { lexeme: Lexeme::Boundary, stacks }];
        self.place = Place::new(branches);
        self.history.clear();
        if !commit::retain_viable(self.constraint.inner(), &mut self.place.branches).unwrap_or(false) {
            return self.reject();
        }
        let inner = self.constraint.inner();
        self.place.tracker = inner.instance.as_ref().map(|instance| Arc::new(instance.start()));
        if let Some(tracker) = &self.place.tracker {
            if !instance::is_viable(inner, tracker, &self.place.branches).unwrap_or(false) {
                return self.reject();
            }
        }
        self.place.readings = inner.documents.as_ref().map(|_| Arc::new(Readings::new(self.place.branches.clone())));
        match inner.markers.as_ref().map(|markers| markers.start()).transpose() {
            Ok(markers) => self.place.markers = markers.filter(|place| !place.is_over()).map(Arc::new),
            Err(_) => self.reject(),
        }
    }

    /// Writes the mask of tokens that may come next: bit `id % 32` of word `id / 32`; words beyond the mask are zeroed.
    /// All zero once the sequence has ended.
    ///
    /// # Errors
    /// `words` has fewer than [`Constraint::mask_words`] words (nothing is written); a limit of the tables that are
    /// filled on demand (the words are zeroed).
    pub fn fill_mask(&self, words: &mut [u32]) -> Result<(), RuntimeError> {
        let fill = |inner: &Inner, place: &Place, words: &mut [u32]| {
            if let (Some(documents), Some(readings)) = (&inner.documents, &place.readings) {
                return documents.fill_mask(inner, readings, words).map(|()| true);
            }
            query::fill_mask(inner, &place.branches, words)?;
            if let (Some(instance), Some(tracker)) = (&inner.instance, &place.tracker) {
                instance.filter(inner, (tracker, &place.branches), words)?;
            }
            Ok(true)
        };
        self.fill_with(words, fill).map(drop)
    }

    /// [`fill_mask`](Self::fill_mask) if that takes no more than a look into the tables: never computes, never waits for
    /// who does. Otherwise false, and the words are zeroed.
    ///
    /// For callers that hold a lock of their own (Python's, for one) and want to let go of it before real work.
    ///
    /// # Errors
    /// As for [`fill_mask`](Self::fill_mask).
    pub fn fill_mask_if_ready(&self, words: &mut [u32]) -> Result<bool, RuntimeError> {
        let agrees = |inner: &Inner, place: &Place, words: &[u32]| match (&inner.instance, &place.tracker) {
            (Some(instance), Some(tracker)) => instance.agrees(inner, tracker, words),
            _ => match (&inner.documents, &place.readings) {
                (Some(documents), Some(readings)) => documents.agrees(inner, readings, words),
                _ => true,
            },
        };
        self.fill_with(words, |inner, place, words| {
            Ok(query::known_mask(inner, &place.branches, words) && agrees(inner, place, words))
        })
    }

    #[inline]
    fn fill_with(
        &self,
        words: &mut [u32],
        fill: impl FnOnce(&Inner, &Place, &mut [u32]) -> Result<bool, RuntimeError>,
    ) -> Result<bool, RuntimeError> {
        let needed = self.constraint.mask_words();
        if words.len() < needed {
            return Err(RuntimeError::short_mask(words.len(), needed));
        }
        if self.place.status != Status::Active {
            words.fill(0);
            return Ok(true);
        }
        let filled = fill(self.constraint.inner(), &self.place, words);
        if filled != Ok(true) {
            words.fill(0);
            return filled;
        }
        if !self.constraint.end_tokens().is_empty() && self.is_accepting() {
            for id in self.constraint.end_tokens() {
                words[id.0 as usize / 32] |= 1 << (id.0 % 32);
            }
        }
        Ok(true)
    }

    /// Advances by one token.
    ///
    /// # Errors
    /// Unknown ids and ended sequences change nothing; a forbidden token rejects the state.
    pub fn commit_token(&mut self, token: TokenId) -> Result<(), CommitError> {
        self.commit_with(token, Work::Any).unwrap_or(Ok(()))
    }

    /// [`commit_token`](Self::commit_token) if nothing needs to be computed for it but the step itself. Otherwise
    /// `None`, and nothing has changed; so it is for a state that follows markers, or documents in the text. See
    /// [`fill_mask_if_ready`](Self::fill_mask_if_ready).
    ///
    /// # Errors
    /// As for [`commit_token`](Self::commit_token).
    pub fn commit_token_if_ready(&mut self, token: TokenId) -> Option<Result<(), CommitError>> {
        if self.place.markers.is_some() || self.place.readings.is_some() {
            return None;
        }
        let before = (self.history.limit() == 0).then(|| self.place.clone());
        let committed = self.commit_with(token, Work::Looks);
        if committed.is_none() {
            if let Some(before) = before.or_else(|| self.history.pop()) {
                self.place = before;
            }
        }
        committed
    }

    fn commit_with(&mut self, token: TokenId, work: Work) -> Option<Result<(), CommitError>> {
        if self.place.status != Status::Active {
            return Some(Err(CommitError::Terminated));
        }
        if self.constraint.end_tokens().contains(&token) && self.is_accepting() {
            self.record();
            self.place.status = Status::Ended;
            self.place.branches.clear();
            self.place.markers = None;
            self.place.tracker = None;
            self.place.readings = None;
            return Some(Ok(()));
        }
        let constraint = self.constraint.clone();
        let Some(bytes) = constraint.vocab().bytes(token) else {
            if constraint.end_tokens().contains(&token) {
                self.record();
                self.reject();
                return Some(Err(CommitError::ForbiddenToken(token)));
            }
            return Some(Err(CommitError::UnknownToken(token)));
        };
        self.record();
        let events = event::advance(constraint.inner(), &self.place.branches, token);
        match self.advance(bytes, Some((token, events)), work)? {
            Err(CommitError::ForbiddenBytes(_)) => Some(Err(CommitError::ForbiddenToken(token))),
            other => Some(other),
        }
    }

    /// Advances by raw bytes, as if tokens with these bytes had been committed. No bytes change nothing.
    ///
    /// # Errors
    /// An ended sequence changes nothing; bytes that cannot be extended to a complete text reject the state.
    pub fn commit_bytes(&mut self, bytes: &[u8]) -> Result<(), CommitError> {
        if self.place.status != Status::Active {
            return Err(CommitError::Terminated);
        }
        if bytes.is_empty() {
            return Ok(());
        }
        self.record();
        self.advance(bytes, None, Work::Any).unwrap_or(Ok(()))
    }

    /// Whether the bytes committed so far are a complete text of the language.
    pub fn is_accepting(&self) -> bool {
        match self.place.status {
            Status::Ended => true,
            Status::Rejected => false,
            Status::Active => {
                let found = || accept::is_accepting(self.constraint.inner(), &self.place.branches);
                *self.place.accepting.get_or_init(found)
            }
        }
    }
    /// Whether what was committed cannot be completed.
    pub fn is_rejected(&self) -> bool {
        self.place.status == Status::Rejected
    }
    /// Whether an end token was committed or the state is rejected: nothing can follow.
    pub fn is_terminated(&self) -> bool {
        self.place.status != Status::Active
    }
    /// The branches, for inspection; none once nothing can follow.
    pub fn branches(&self) -> &[Branch] {
        &self.place.branches
    }

    /// How many commits [`rollback`](Self::rollback) can undo now.
    pub fn history_len(&self) -> usize {
        self.history.len()
    }
    /// How many commits are kept for [`rollback`](Self::rollback) at most; [`HISTORY`] unless set.
    pub fn history_limit(&self) -> usize {
        self.history.limit()
    }
    /// Keeps at most the last `limit` commits from now on, for this state and its later clones; older ones are
    /// forgotten. A commit costs about a hundred bytes while it is kept. With 0 nothing can be undone, and a commit on
    /// a single stack allocates nothing.
    pub fn set_history_limit(&mut self, limit: usize) {
        self.history.set_limit(limit);
    }

    /// Undoes the last `n` commits: each token (the ids of [`commit_tokens`](Self::commit_tokens) one by one, an end
    /// token, and one that was forbidden) and each [`commit_bytes`](Self::commit_bytes) of at least one byte. Commits
    /// that changed nothing (an unknown id, or after the end) do not count. Time: `n`, at a few nanoseconds each.
    ///
    /// # Errors
    /// More than [`history_len`](Self::history_len); nothing has changed then.
    pub fn rollback(&mut self, n: usize) -> Result<(), RuntimeError> {
        if n > self.history.len() {
            return Err(RuntimeError::short_history(n, self.history.len()));
        }
        if let Some(place) = self.history.undo(n) {
            self.place = place;
        }
        Ok(())
    }

    /// Advances by bytes, if there are any; for a token with the branches where it stands for itself. `None` if that takes
    /// more work than is allowed.
    fn advance(
        &mut self,
        bytes: &[u8],
        token: Option<(TokenId, Branches)>,
        work: Work,
    ) -> Option<Result<(), CommitError>> {
        self.place.accepting = OnceLock::new();
        if self.place.readings.is_some() {
            let advanced = self.advance_readings(bytes, token.map(|(token, _)| token));
            if advanced.is_err() {
                self.reject();
            }
            return Some(advanced);
        }
        let (inner, branches) = (self.constraint.inner(), &mut self.place.branches);
        let fine = match bytes {
            [] => {
                branches.clear();
                0
            }
            _ => commit::advance(inner, branches, bytes),
        };
        let (token, events) = token.unzip();
        events.into_iter().flatten().for_each(|branch| add_branch(branches, branch));
        let failed = if fine < bytes.len() && branches.is_empty() {
            CommitError::ForbiddenBytes(fine)
        } else {
            let retained = match work {
                Work::Any => commit::retain_viable(inner, branches),
                Work::Looks => Ok(commit::retain_known_viable(inner, branches)?),
            };
            let advanced = match retained {
                Ok(true) => self.advance_tracker(bytes, work)?.and_then(|()| Ok(self.advance_markers(bytes, token)?)),
                Ok(false) => Err(CommitError::ForbiddenBytes(fine.saturating_sub(1))),
                Err(error) => Err(error.into()),
            };
            match advanced {
                Ok(()) => return Some(Ok(())),
                Err(error) => error,
            }
        };
        self.reject();
        Some(Err(failed))
    }

    /// The markers that the last commit made possible, by offset, then number; at the start, those that may stand there.
    ///
    /// A marker is possible at a place if some text that goes on from here has a reading with the marker there. A commit
    /// tells of the places after the text before it, up to its own end; after [`commit_tokens`](Self::commit_tokens) that
    /// is the last token. A marker beside ignored text may stand on either side of it. Rejected states and ended ones
    /// have none; what changes nothing leaves them. More than [`MARKER_BYTES`](crate::marker::MARKER_BYTES) committed at
    /// once count as several commits.
    pub fn marker_events(&self) -> &[MarkerEvent] {
        self.place.markers.as_ref().map_or(&[], |place| &place.events)
    }

    /// Follows the rules beside the grammar, after it has allowed the bytes. `None` if that takes more work than is allowed.
    fn advance_tracker(&mut self, bytes: &[u8], work: Work) -> Option<Result<(), CommitError>> {
        let Some(tracker) = &mut self.place.tracker else { return Some(Ok(())) };
        let tracker = Arc::make_mut(tracker);
        if let Err(violation) = tracker.advance(bytes) {
            return Some(Err(match violation.is_limit() {
                true => over_limit(&violation).into(),
                false => CommitError::ForbiddenBytes(violation.offset()),
            }));
        }
        if tracker.is_free() {
            return Some(Ok(()));
        }
        if work == Work::Looks {
            return None;
        }
        Some(match instance::is_viable(self.constraint.inner(), tracker, &self.place.branches) {
            Ok(true) => Ok(()),
            Ok(false) => Err(CommitError::ForbiddenBytes(bytes.len().saturating_sub(1))),
            Err(error) => Err(error.into()),
        })
    }

    /// [`advance`](Self::advance) where parts of the text have rules.
    fn advance_readings(&mut self, bytes: &[u8], token: Option<TokenId>) -> Result<(), CommitError> {
        let inner = self.constraint.inner();
        let (Some(readings), Some(documents)) = (&mut self.place.readings, &inner.documents) else { return Ok(()) };
        let readings = Arc::make_mut(readings);
        let events = token.and_then(|token| readings.after_event(inner, token));
        let mut fine = 0;
        if bytes.is_empty() {
            *readings = Readings::none();
        } else {
            fine = readings.advance(inner, documents, bytes)?.bytes;
        }
        events.into_iter().for_each(|events| readings.join(events));
        if fine < bytes.len() && readings.is_empty() {
            return Err(CommitError::ForbiddenBytes(fine));
        }
        if !readings.retain_viable(inner)? {
            return Err(CommitError::ForbiddenBytes(fine.saturating_sub(1)));
        }
        self.place.branches = readings.branches();
        Ok(self.advance_markers(bytes, token)?)
    }

    /// Where the text stands by the rules beside the grammar, if there are any and the sequence goes on.
    pub(crate) fn beside(&self) -> Option<Beside> {
        let whole = self.place.tracker.as_deref().map(|tracker| Beside::Whole(tracker.clone()));
        whole.or_else(|| self.place.readings.as_deref().map(|readings| Beside::Parts(readings.clone())))
    }

    fn advance_markers(&mut self, bytes: &[u8], token: Option<TokenId>) -> Result<(), RuntimeError> {
        let Some(place) = self.place.markers.take() else { return Ok(()) };
        let Some(markers) = &self.constraint.inner().markers else { return Ok(()) };
        let place = markers.advance(&place, bytes, token)?;
        self.place.markers = (!place.is_over()).then(|| Arc::new(place));
        Ok(())
    }

    /// A state at the same place that keeps no history and looks for no markers.
    pub(crate) fn probe(&self) -> Self {
        let place = Place { markers: None, ..self.place.clone() };
        Self { constraint: self.constraint.clone(), place, history: History::new(0) }
    }

    /// Remembers the place before a commit.
    fn record(&mut self) {
        if self.history.limit() > 0 {
            self.history.push(self.place.clone());
        }
    }

    fn reject(&mut self) {
        self.place.status = Status::Rejected;
        self.place.branches.clear();
        self.place.markers = None;
        self.place.tracker = None;
        self.place.readings = None;
    }
}

/// The condition sets of a branch's stacks, each once.
pub(crate) fn condition_sets(stacks: &Stacks) -> smallvec::SmallVec<[ConditionSetId; 4]> {
    if let Some(weight) = stacks.uniform() {
        return weight.iter().collect();
    }
    let mut sets: smallvec::SmallVec<[ConditionSetId; 4]> = stacks.weights().iter().flat_map(|w| w.iter()).collect();
    sets.sort_unstable();
    sets.dedup();
    sets
}
