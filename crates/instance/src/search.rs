//! Whether a text that is at stake can still be completed: a bounded search over continuations.
//!
//! The grammar tells which bytes may follow; the tracker tells which of them break a rule. As soon as some continuation is
//! free, the grammar's word is enough again. What is at stake branches only along earlier values, so that nearly always
//! the first byte off their paths is the end of it, and a likely one is tried before all are asked for; where items are few
//! and used up, all that is left is tried.
//!
//! Depth first, what closes a value or container before anything else, which finds short completions; if that takes
//! long (a path may follow one value for ever: `0`, `0e`, `0e0`), breadth first, and at last depth first for longer. White
//! space is taken once where anything else may follow, since more of it changes nothing. A search that finds nothing within
//! its bounds counts as no completion: that can take a token from a mask that could have stayed, and never leaves one in
//! that cannot.

use std::collections::VecDeque;

use glrmask_automata::ByteSet;

use crate::state::State;
use crate::{Rules, Tracker};

/// Questions to the grammar of a search, without those that have one answer,
const QUESTIONS: usize = 2048;
/// and of the first one.
const FIRST: usize = 48;

/// Texts that each of them may have found and not continued.
const OPEN: usize = 1 << 14;
/// Bytes of a text that is continued.
const LONGEST: usize = 1 << 13;

/// What leads off an earlier value in most grammars, the likeliest first: digits and letters, the end of `\u`, structure.
const LIKELY: [&str; 14] = ["0", "1", "a", "2", "3", "5", "8", " ", "0000", "000", "00", "\"", ",", "]"];
/// How many of them are tried at a place, and in a search.
const TRIED: usize = 3;
const TRIED_IN_ALL: usize = 6;

/// What the grammar says about how a text may go on.
pub trait Continuations {
    /// Why the grammar could not say.
    type Error;

    /// The bytes that may come after the text so far and `after`, according to the grammar: those after which it can
    /// still be completed. Successive calls often have `after` with a byte added.
    ///
    /// # Errors
    /// Whatever keeps the grammar from saying; it is handed on.
    fn next_bytes(&mut self, after: &[u8]) -> Result<ByteSet, Self::Error>;

    /// Whether `after` may come after the text so far, where all of it but the last byte may. Most questions are of this
    /// kind, and a grammar may have a cheaper answer than all bytes.
    ///
    /// # Errors
    /// As for [`next_bytes`](Self::next_bytes).
    fn allows(&mut self, after: &[u8]) -> Result<bool, Self::Error> {
        let Some((last, before)) = after.split_last() else { return Ok(true) };
        Ok(self.next_bytes(before)?.contains(*last))
    }
}

/// Whether the text can be completed after `bytes` without breaking a rule, if the grammar allows `bytes`.
///
/// False as well if they break a rule themselves or are not JSON. `continuations` is asked only where
/// something is at stake then; O(bytes) otherwise.
///
/// # Errors
/// Those of `continuations`.
///
/// ```
/// use std::{convert::Infallible, sync::Arc};
/// use glrmask_automata::{ByteSet, Dfa, Limits, Regex};
/// use glrmask_instance::{viable, ArrayRules, Continuations, Place, Rules, Tracker};
///
/// /// Arrays of "a" and "b", and what has been read.
/// struct Grammar(Dfa, Vec<u8>);
/// impl Continuations for Grammar {
///     type Error = Infallible;
///     fn next_bytes(&mut self, after: &[u8]) -> Result<ByteSet, Infallible> {
///         Ok(self.0.next_bytes(self.0.run(self.0.start(), &[&self.1, after].concat())))
///     }
/// }
/// let letters = Regex::parse(r#"\["[ab]"(,"[ab]")*\]"#, &Default::default())?.compile(&Limits::default())?;
/// let array = ArrayRules { unique: true, settled_until: 2, ..ArrayRules::default() };
/// let mut tracker = Tracker::new(Arc::new(Rules::new(vec![Place { array, ..Place::default() }])?));
/// tracker.advance(br#"["a""#)?;
/// let mut grammar = Grammar(letters, br#"["a""#.to_vec());
/// assert!(viable(&tracker, br#","b""#, &mut grammar)?);
/// assert!(!viable(&tracker, br#","a""#, &mut grammar)?);
/// assert!(!viable(&tracker, br#","b","#, &mut grammar)?); // no letter is left
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn viable<C: Continuations>(tracker: &Tracker, bytes: &[u8], continuations: &mut C) -> Result<bool, C::Error> {
    let mut state = tracker.state().clone();
    if bytes.iter().any(|&byte| state.step(tracker.rules(), byte).is_err()) {
        return Ok(false);
    }
    completes(tracker.rules(), &state, bytes, continuations)
}

/// Whether the text can be completed from a state that is reached by `path`.
pub(crate) fn completes<C: Continuations>(
    rules: &Rules,
    state: &State,
    path: &[u8],
    continuations: &mut C,
) -> Result<bool, C::Error> {
    if !state.is_at_stake(rules) {
        return Ok(true);
    }
    let mut search = Search { rules, continuations, open: VecDeque::new(), likely: TRIED_IN_ALL };
    for (order, questions) in [(Order::Deepest, FIRST), (Order::Shortest, QUESTIONS), (Order::Deepest, QUESTIONS)] {
        search.open = VecDeque::from([(state.clone(), path.to_vec())]);
        if let Some(answer) = search.run(order, questions)? {
            return Ok(answer);
        }
    }
    Ok(false)
}

/// Which text is tried next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Deepest,
    Shortest,
}

struct Search<'a, C> {
    rules: &'a Rules,
    continuations: &'a mut C,
    /// Texts at stake that have not been continued yet.
    open: VecDeque<(State, Vec<u8>)>,
    /// How many likely continuations may be tried still.
    likely: usize,
}

impl<C: Continuations> Search<'_, C> {
    /// The answer, unless the bound is reached before.
    fn run(&mut self, order: Order, questions: usize) -> Result<Option<bool>, C::Error> {
        let mut asked = 0;
        while asked < questions && self.open.len() <= OPEN {
            let next = if order == Order::Deepest { self.open.pop_back() } else { self.open.pop_front() };
            let Some((state, path)) = next else { return Ok(Some(false)) };
            if self.is_likely_freed(&state, &path)? {
                return Ok(Some(true));
            }
            let mut bytes = self.continuations.next_bytes(&path)?;
            if path.len() > LONGEST {
                return Ok(None);
            }
            asked += usize::from(bytes.len() != 1);
            if state.is_between() && path.last().is_some_and(|&last| is_space(last)) {
                bytes = without_space(bytes);
            }
            if self.expand(&state, &path, &bytes) {
                return Ok(Some(true));
            }
        }
        Ok(None)
    }

    /// Whether something likely may come that sets a text free.
    fn is_likely_freed(&mut self, state: &State, path: &[u8]) -> Result<bool, C::Error> {
        let tried = self.likely.min(TRIED);
        let rules = self.rules;
        let freeing = LIKELY.iter().filter(|bytes| {
            let mut next = state.clone();
            bytes.bytes().all(|byte| next.step(rules, byte).is_ok()) && !next.is_at_stake(rules)
        });
        for bytes in freeing.take(tried) {
            self.likely -= 1;
            if self.allows_all(path, bytes.as_bytes())? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn allows_all(&mut self, path: &[u8], bytes: &[u8]) -> Result<bool, C::Error> {
        let mut path = path.to_vec();
        for &byte in bytes {
            path.push(byte);
            if !self.continuations.allows(&path)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Continues a text by each of the bytes; tells whether one of them sets it free.
    fn expand(&mut self, state: &State, path: &[u8], bytes: &ByteSet) -> bool {
        // Within a string, the other closing bytes are content, and a search that prefers them does not end.
        let closing: &[u8] = if state.is_in_string() { b"\"" } else { b"\"]}," };
        let closing: ByteSet = closing.iter().copied().collect();
        let others = bytes.difference(&closing);
        for byte in others.iter().chain(bytes.intersection(&closing).iter()) {
            let mut next = state.clone();
            if next.step(self.rules, byte).is_err() {
                continue;
            }
            if !next.is_at_stake(self.rules) {
                return true;
            }
            self.open.push_back((next, [path, &[byte]].concat()));
        }
        false
    }
}

/// The bytes without white space, if there are others.
fn without_space(bytes: ByteSet) -> ByteSet {
    let others: ByteSet = bytes.iter().filter(|&byte| !is_space(byte)).collect();
    if others.is_empty() {
        bytes
    } else {
        others
    }
}

/// Whether this is white space between the tokens of a JSON text.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
