//! Readings of a text in which JSON documents with rules of their own may stand.
//!
//! Where a document begins is for the grammar to say, and it may be in doubt. So branches that are in the same document
//! since the same byte go together, with a tracker that follows it from there; all others are between documents:
//!
//! ```text
//! <tool>["a", "b"]</tool>
//! between│in a document  │between
//! ```
//!
//! A lexeme tells by its component whether it belongs to a document (`documents.rs`). A document begins with a lexeme of
//! its own that begins where none is open, and ends where its tracker says so. Numbers and literals by themselves have no
//! rules, and count as between documents.

use glrmask_automata::{typed_id, Id, TerminalId};
use glrmask_instance::{outlook, Outlook, Tracker, Violation};
use glrmask_vocab::TokenId;
use smallvec::{smallvec, SmallVec};

use crate::branch::{add_branch, Branch, Branches, Lexeme};
use crate::commit;
use crate::constraint::Inner;
use crate::documents::Documents;
use crate::error::RuntimeError;
use crate::event;
use crate::following::Following;
use crate::instance::over_limit;

typed_id!(
    /// A document of the grammar.
    pub(crate) struct DocumentId, "document"
);

/// Readings that go on at the same time; more of them are a limit error.
const READINGS: usize = 256;

/// One of the readings of a text.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    /// The document that it is in, and where in it; nothing between documents.
    pub(crate) inside: Option<(DocumentId, Tracker)>,
    pub(crate) branches: Branches,
}

/// All of them.
#[derive(Clone, Debug)]
pub(crate) struct Readings(SmallVec<[Reading; 1]>);

/// How far bytes could be read.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) bytes: usize,
    /// The last rule that ended a reading.
    pub(crate) broken: Option<Broken>,
}

/// A rule that bytes break.
#[derive(Clone, Debug)]
pub(crate) struct Broken {
    /// The byte with which that is sure.
    pub(crate) at: usize,
    pub(crate) violation: Violation,
}

impl Readings {
    /// At the start of a text.
    pub(crate) fn new(branches: Branches) -> Self {
        Self(smallvec![Reading { inside: None, branches }])
    }

    /// No reading at all.
    pub(crate) fn none() -> Self {
        Self(SmallVec::new())
    }

    pub(crate) fn one(reading: Reading) -> Self {
        Self(smallvec![reading])
    }

    pub(crate) fn as_slice(&self) -> &[Reading] {
        &self.0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The branches of all readings.
    pub(crate) fn branches(&self) -> Branches {
        let mut all = Branches::new();
        self.0.iter().flat_map(|reading| &reading.branches).for_each(|branch| add_branch(&mut all, branch.clone()));
        all
    }

    /// Where the documents stand that some reading is in.
    pub(crate) fn trackers(&self) -> impl Iterator<Item = &Tracker> {
        self.0.iter().filter_map(|reading| reading.inside.as_ref()).map(|(_, tracker)| tracker)
    }

    /// Advances by bytes. What remains may still not be viable.
    pub(crate) fn advance(&mut self, inner: &Inner, documents: &Documents, bytes: &[u8]) -> Result<Read, RuntimeError> {
        let mut broken = None;
        for (at, &byte) in bytes.iter().enumerate() {
            let mut next = Next::new(inner, documents, byte);
            for reading in self.0.drain(..) {
                next.add(reading)?;
            }
            let (readings, violation) = next.finish()?;
            self.0 = readings;
            broken = violation.map(|violation| Broken { at, violation }).or(broken);
            if self.0.is_empty() {
                return Ok(Read { bytes: at, broken });
            }
            RuntimeError::check_limit("readings of where a document begins", self.0.len(), READINGS)?;
        }
        self.0.iter_mut().for_each(|reading| commit::end_finished(inner, &mut reading.branches));
        Ok(Read { bytes: bytes.len(), broken })
    }

    /// The readings after this token as an event.
    pub(crate) fn after_event(&self, inner: &Inner, token: TokenId) -> Option<Self> {
        let branches = event::advance(inner, &self.branches(), token);
        (!branches.is_empty()).then(|| Self::new(branches))
    }

    /// The readings after an event of this terminal.
    pub(crate) fn after_terminal(&self, inner: &Inner, terminal: TerminalId) -> Self {
        let branches = event::advance_terminal(inner, &self.branches(), terminal);
        if branches.is_empty() {
            return Self::none();
        }
        Self::new(branches)
    }

    /// Takes up other readings, all of them between documents.
    pub(crate) fn join(&mut self, others: Self) {
        for other in others.0 {
            match self.0.iter_mut().find(|reading| reading.inside.is_none()) {
                Some(known) => other.branches.into_iter().for_each(|branch| add_branch(&mut known.branches, branch)),
                None => self.0.push(other),
            }
        }
    }

    /// Drops what no text completes. Whether anything is left.
    pub(crate) fn retain_viable(&mut self, inner: &Inner) -> Result<bool, RuntimeError> {
        self.retain(|reading| {
            Ok(commit::retain_viable(inner, &mut reading.branches)? && reading.outlook(inner)? == Outlook::Open)
        })
    }

    /// Drops what the grammar does not complete. Whether anything is left.
    pub(crate) fn retain_parsed(&mut self, inner: &Inner) -> Result<bool, RuntimeError> {
        self.retain(|reading| commit::retain_viable(inner, &mut reading.branches))
    }

    /// Whether a text goes on that obeys the rules: unknown if it is for one reading and not open for any.
    pub(crate) fn outlook(&self, inner: &Inner) -> Result<Outlook, RuntimeError> {
        let mut best = Outlook::Closed;
        for reading in &self.0 {
            match reading.outlook(inner)? {
                Outlook::Open => return Ok(Outlook::Open),
                Outlook::Unknown => best = Outlook::Unknown,
                Outlook::Closed => {}
            }
        }
        Ok(best)
    }

    fn retain(
        &mut self,
        mut keep: impl FnMut(&mut Reading) -> Result<bool, RuntimeError>,
    ) -> Result<bool, RuntimeError> {
        let mut kept = SmallVec::new();
        for mut reading in self.0.drain(..) {
            if keep(&mut reading)? {
                kept.push(reading);
            }
        }
        self.0 = kept;
        Ok(!self.0.is_empty())
    }
}

impl Reading {
    /// Whether some text that obeys the rules goes on, if the grammar has one that does.
    fn outlook(&self, inner: &Inner) -> Result<Outlook, RuntimeError> {
        match &self.inside {
            Some((_, tracker)) if !tracker.is_free() => {
                outlook(tracker, &[], &mut Following::new(inner, &self.branches))
            }
            _ => Ok(Outlook::Open),
        }
    }
}

/// The readings after one more byte.
struct Next<'a> {
    inner: &'a Inner,
    documents: &'a Documents,
    byte: u8,
    /// Those within a document.
    within: SmallVec<[Reading; 1]>,
    /// Branches whose document begins with the byte.
    begun: SmallVec<[(DocumentId, Branches); 1]>,
    between: Branches,
    violation: Option<Violation>,
}

impl<'a> Next<'a> {
    fn new(inner: &'a Inner, documents: &'a Documents, byte: u8) -> Self {
        let (within, begun, between) = Default::default();
        Self { inner, documents, byte, within, begun, between, violation: None }
    }

    fn add(&mut self, reading: Reading) -> Result<(), RuntimeError> {
        let Reading { inside, branches } = reading;
        let here = inside.as_ref().map(|(document, _)| *document);
        let mut stays = Branches::new();
        for branch in branches {
            commit::step(self.inner, branch, self.byte, &mut |branch, begins| {
                let to = if begins { self.documents.of(&branch) } else { here };
                match to {
                    _ if !begins || to.is_some() && to == here => add_branch(&mut stays, branch),
                    Some(to) => match self.begun.iter_mut().find(|(document, _)| *document == to) {
                        Some((_, known)) => add_branch(known, branch),
                        None => self.begun.push((to, smallvec![branch])),
                    },
                    None => add_branch(&mut self.between, branch),
                }
            });
        }
        match inside {
            _ if stays.is_empty() => Ok(()),
            Some((document, tracker)) => self.follow(document, tracker, stays),
            None => {
                self.add_between(stays);
                Ok(())
            }
        }
    }

    fn add_between(&mut self, branches: Branches) {
        branches.into_iter().for_each(|branch| add_branch(&mut self.between, branch));
    }

    fn follow(&mut self, document: DocumentId, mut tracker: Tracker, branches: Branches) -> Result<(), RuntimeError> {
        match tracker.advance(&[self.byte]) {
            Ok(()) if tracker.is_outermost() => self.add_between(branches),
            Ok(()) => self.within.push(Reading { inside: Some((document, tracker)), branches }),
            Err(violation) if violation.is_limit() => return Err(over_limit(&violation)),
            Err(violation) => self.violation = Some(violation),
        }
        Ok(())
    }

    fn finish(mut self) -> Result<(SmallVec<[Reading; 1]>, Option<Violation>), RuntimeError> {
        for (document, branches) in std::mem::take(&mut self.begun) {
            let mut tracker = self.documents.start(document);
            match tracker.advance(&[self.byte]) {
                // A number in several lexemes, say.
                Err(violation) if violation.is_not_json() => self.add_between(branches),
                _ => self.follow(document, self.documents.start(document), branches)?,
            }
        }
        if !self.between.is_empty() {
            self.within.push(Reading { inside: None, branches: self.between });
        }
        Ok((self.within, self.violation))
    }
}

/// The number of the component in which a branch is.
pub(crate) fn component(branch: &Branch) -> Option<usize> {
    match branch.lexeme {
        Lexeme::Inside((component, _)) => Some(component.index()),
        Lexeme::Boundary => None,
    }
}
