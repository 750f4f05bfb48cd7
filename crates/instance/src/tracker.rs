//! The tracker: a sequence's position in its JSON text, and what rules need of what stood before.

use std::sync::Arc;

use glrmask_automata::ByteSet;

use crate::state::State;
use crate::{Rules, Violation};

/// Follows a JSON text under [`Rules`]. Cloning is a few reference counts, and clones share what they remember, so that a
/// history may keep one per token.
///
/// ```
/// use std::sync::Arc;
/// use glrmask_instance::{ArrayRules, Place, Rules, Tracker};
/// let array = ArrayRules { unique: true, ..ArrayRules::default() };
/// let rules = Rules::new(vec![Place { array, ..Place::default() }])?;
/// let mut tracker = Tracker::new(Arc::new(rules));
/// tracker.advance(br#"[{"a": 1, "b": [null]}, "x", 1e2"#)?;
/// let again = tracker.advance(br#", 12, {"b": [null], "a": 1.0}"#).unwrap_err();
/// assert_eq!((again.offset(), again.repeated()), (28, Some(r#"{"a": 1, "b": [null]}"#)));
/// // The tracker stands where it stood before.
/// assert!(tracker.advance(b", 100]").is_err());
/// tracker.advance(b"]")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tracker {
    rules: Arc<Rules>,
    state: State,
    limit: usize,
}

impl Tracker {
    /// Bytes that a tracker may remember unless told otherwise: 64 MiB.
    pub const REMEMBERED: usize = 64 << 20;

    /// A tracker at the beginning of a text.
    pub fn new(rules: Arc<Rules>) -> Self {
        Self::with_limit(rules, Self::REMEMBERED)
    }

    /// A tracker that remembers at most about so many bytes: it reads no more once it holds more.
    pub fn with_limit(rules: Arc<Rules>, limit: usize) -> Self {
        Self { rules, state: State::default(), limit }
    }

    /// Reads bytes, which may end anywhere, within a character too. O(bytes), and for a value that ends within an item of
    /// a unique array, O(log items) or what it has in common with earlier items.
    ///
    /// # Errors
    /// A rule is broken, the text is not JSON, or the limit has been reached; the tracker stays where it was. That no
    /// rule *is* broken does not say that the text can be completed: see [`viable`](crate::viable).
    pub fn advance(&mut self, bytes: &[u8]) -> Result<(), Violation> {
        self.check_limit()?;
        let mut state = self.state.clone();
        for (offset, &byte) in bytes.iter().enumerate() {
            state.step(&self.rules, byte).map_err(|fault| Violation::new(offset, &fault))?;
        }
        self.state = state;
        Ok(())
    }

    /// Whether every completion the grammar allows can be chosen such that no rule breaks, so that nothing has to be
    /// searched. (No text that is a completion is named by that; [`viable`](crate::viable) says what has to be done.)
    pub fn is_free(&self) -> bool {
        !self.state.is_at_stake(&self.rules)
    }

    /// Bytes after which nothing is at stake any more, if the grammar allows them: for the rules one is as good as another.
    /// There may be more.
    pub fn freeing_bytes(&self) -> ByteSet {
        match self.state.is_unsettled_anywhere(&self.rules) {
            true => ByteSet::EMPTY,
            false => self.state.leads_off(),
        }
    }

    /// Whether no open array or object has a rule. Only tokens that open one and break its rule themselves, or leave it
    /// where it is not settled, can be refused now.
    pub fn is_idle(&self) -> bool {
        !self.state.is_watched()
    }

    /// Whether no array, object or string is open: the document may be over, or is a number or literal.
    pub fn is_outermost(&self) -> bool {
        self.state.is_outermost()
    }

    /// Bytes remembered for rules in force.
    pub fn remembered(&self) -> usize {
        self.state.remembered()
    }

    /// Whether the limit has been reached, so that the tracker reads no more.
    ///
    /// # Errors
    /// A violation with [`is_limit`](Violation::is_limit).
    pub fn check_limit(&self) -> Result<(), Violation> {
        if self.state.remembered() > self.limit {
            return Err(Violation::remembered(self.state.remembered(), self.limit));
        }
        Ok(())
    }

    /// The rules that it enforces.
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }
}
