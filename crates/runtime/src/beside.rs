//! Where a text stands by the rules beside the grammar, be they for all of it or for documents in it.
//!
//! For whoever looks ahead: completions and explanations.

use glrmask_automata::{ByteSet, TerminalId};
use glrmask_instance::{Tracker, Violation};

use crate::accept;
use crate::branch::Branches;
use crate::completion::Text;
use crate::constraint::Inner;
use crate::error::RuntimeError;
use crate::readings::{Broken, Readings};

/// Where a text stands by the rules.
#[derive(Clone, Debug)]
pub(crate) enum Beside {
    /// The whole text is a document.
    Whole(Tracker),
    /// Parts of it are.
    Parts(Readings),
}

/// Whether bytes can be read.
pub(crate) enum Ahead {
    /// Where they lead.
    Goes(Box<Beside>),
    /// What they break, if it is a rule.
    Breaks(Option<Broken>),
}

impl Beside {
    /// Where bytes lead that the grammar allows.
    pub(crate) fn advance(&self, inner: &Inner, bytes: &[u8]) -> Result<Ahead, RuntimeError> {
        match self {
            Self::Whole(tracker) => {
                let mut tracker = tracker.clone();
                Ok(match tracker.advance(bytes) {
                    Ok(()) => Ahead::Goes(Box::new(Self::Whole(tracker))),
                    Err(violation) => Ahead::Breaks(Some(Broken { at: violation.offset(), violation })),
                })
            }
            Self::Parts(readings) => {
                let Some(documents) = &inner.documents else { return Ok(Ahead::Goes(Box::new(self.clone()))) };
                let mut readings = readings.clone();
                let read = readings.advance(inner, documents, bytes)?;
                Ok(match read.bytes == bytes.len() && readings.retain_parsed(inner)? {
                    true => Ahead::Goes(Box::new(Self::Parts(readings))),
                    false => Ahead::Breaks(read.broken),
                })
            }
        }
    }

    /// Where a token event of this terminal leads; `None` where it cannot come.
    pub(crate) fn after_event(&self, inner: &Inner, terminal: TerminalId) -> Result<Option<Self>, RuntimeError> {
        let Self::Parts(readings) = self else { return Ok(None) };
        let mut readings = readings.after_terminal(inner, terminal);
        Ok(readings.retain_parsed(inner)?.then_some(Self::Parts(readings)))
    }

    /// Whether a text of the grammar that ends like this obeys the rules.
    pub(crate) fn obeys(&self, inner: &Inner, text: &Text) -> Result<bool, RuntimeError> {
        let mut here = self.clone();
        for (bytes, event) in text.parts() {
            let Ahead::Goes(next) = here.advance(inner, bytes)? else { return Ok(false) };
            here = match event {
                None => *next,
                Some(terminal) => match next.after_event(inner, terminal)? {
                    Some(after) => after,
                    None => return Ok(false),
                },
            };
        }
        Ok(match here {
            Self::Whole(_) => true,
            Self::Parts(readings) => accept::is_accepting(inner, &readings.branches()),
        })
    }

    /// The branches that go on, where the rules have a say in that.
    pub(crate) fn branches(&self) -> Option<Branches> {
        match self {
            Self::Whole(_) => None,
            Self::Parts(readings) => Some(readings.branches()),
        }
    }

    /// Readings of the text; one if the whole text is a document.
    pub(crate) fn readings(&self) -> usize {
        match self {
            Self::Whole(_) => 1,
            Self::Parts(readings) => readings.as_slice().len().max(1),
        }
    }

    /// Whether nothing is at stake.
    pub(crate) fn is_free(&self) -> bool {
        self.all(Tracker::is_free)
    }

    /// Whether nothing that is open has a rule.
    pub(crate) fn is_idle(&self) -> bool {
        self.all(Tracker::is_idle)
    }

    /// Bytes of which one is as good as another for the rules.
    pub(crate) fn freeing_bytes(&self) -> ByteSet {
        match self {
            Self::Whole(tracker) => tracker.freeing_bytes(),
            Self::Parts(readings) => match readings.as_slice() {
                [only] => only.inside.as_ref().map_or(ByteSet::EMPTY, |(_, tracker)| tracker.freeing_bytes()),
                _ => ByteSet::EMPTY,
            },
        }
    }

    fn all(&self, holds: impl Fn(&Tracker) -> bool) -> bool {
        match self {
            Self::Whole(tracker) => holds(tracker),
            Self::Parts(readings) => readings.trackers().all(holds),
        }
    }
}

impl Broken {
    /// The key that is missing, if that is it.
    pub(crate) fn missing(&self) -> Option<&str> {
        Violation::missing(&self.violation)
    }
}
