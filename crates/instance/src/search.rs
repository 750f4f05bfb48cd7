//! Whether a text that is at stake can still be completed: a bounded search over states of grammar and tracker together.
//!
//! The grammar tells which bytes may follow; the tracker tells which of them break a rule. As soon as some continuation is
//! free, the grammar's word is enough again. What is at stake branches only along earlier values, so that nearly always
//! the first byte off their paths is the end of it; where items are few and used up, all that is left is tried.
//!
//! A *node* is a place of the grammar with a state of the tracker. Different texts come to one node: behind `[1, 1`, all of
//! `.0`, `.00`, `.000` do, and another 0 leads back to it, so that the search sees an end. The graph of nodes is kept for
//! all tokens of a mask:
//!
//! ```text
//! expand(n)    for every byte that the grammar allows at n and that breaks no rule: free, then n is open; else an edge
//! open(n)      all nodes with a way to n are open; edges are followed backwards
//! search(n)    expand what can be reached from n, what is deep and what is near by turns, until n is open or nothing is left
//! closed       what can be reached from a node where nothing was left
//! ```
//!
//! Where a search has found a way out, its bytes are kept with the place of the grammar, and tried first by the next search
//! from there: behind another string they are mostly a way out as well, and then no node is needed.
//!
//! So each node is expanded once, whatever tokens lead there. Of bytes that only make a string or number another one than
//! all before, and lead to one place of the grammar, one is tried at first; a node of their own stands for the others, its
//! *rest*, and is looked at when nothing else is left. In depth, what closes a value or container comes before
//! anything else. A search that finds nothing within its bounds gives up the nodes it has expanded, and counts as no
//! completion: that can take a token from a mask that could have stayed, and never leaves one in that cannot.

use std::hash::Hash;

use glrmask_automata::ByteSet;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::frontier::{Frontier, NodeId};
use crate::run::Identity;
use crate::state::State;
use crate::{Rules, Tracker};

/// Nodes that the searches of a mask may add, without those that have the only byte after another.
const NODES: usize = 1 << 14;
/// A search may add this part of what is left of them,
const SHARE: usize = 8;
/// and so many in any case.
const FEW: usize = 32;
/// Ways out that are known of a place,
const KNOWN: usize = 4;
/// and how long they are.
const LONGEST: usize = 256;
/// Nodes that are held, whatever leads to them.
const HELD: usize = 1 << 15;

/// What the grammar says about how a text may go on: an automaton whose places are found as they are asked for.
pub trait Continuations {
    /// Why the grammar could not say.
    type Error;
    /// Where the grammar is. Places that are equal have the same continuations; the more are equal that have, the less is
    /// searched.
    type Place: Copy + Eq + Hash;

    /// After the text so far.
    fn start(&mut self) -> Self::Place;

    /// The bytes that may come at a place: those after which the text can still be completed.
    ///
    /// # Errors
    /// Whatever keeps the grammar from saying; it is handed on.
    fn next_bytes(&mut self, place: Self::Place) -> Result<ByteSet, Self::Error>;

    /// The place after a byte; `None` if it may not come.
    ///
    /// # Errors
    /// As for [`next_bytes`](Self::next_bytes).
    fn step(&mut self, place: Self::Place, byte: u8) -> Result<Option<Self::Place>, Self::Error>;
}

/// Whether a text can be completed, as far as a search can tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outlook {
    /// Some completion keeps the rules.
    Open,
    /// None does.
    Closed,
    /// The search ended by its bounds.
    Unknown,
}

/// Whether the text can be completed after `bytes` without breaking a rule, if the grammar allows `bytes`: whether the
/// [`outlook`] is open.
///
/// # Errors
/// Those of `continuations`.
///
/// ```
/// use std::{convert::Infallible, sync::Arc};
/// use glrmask_automata::{ByteSet, Dfa, Limits, Regex, StateId};
/// use glrmask_instance::{viable, ArrayRules, Continuations, Place, Rules, Tracker};
///
/// /// Arrays of "a" and "b", and where the text stands.
/// struct Grammar(Dfa, StateId);
/// impl Continuations for Grammar {
///     type Error = Infallible;
///     type Place = StateId;
///     fn start(&mut self) -> StateId {
///         self.1
///     }
///     fn next_bytes(&mut self, place: StateId) -> Result<ByteSet, Infallible> {
///         Ok(self.0.next_bytes(place))
///     }
///     fn step(&mut self, place: StateId, byte: u8) -> Result<Option<StateId>, Infallible> {
///         Ok(Some(self.0.next(place, byte)).filter(|&next| next != Dfa::DEAD))
///     }
/// }
/// let letters = Regex::parse(r#"\["[ab]"(,"[ab]")*\]"#, &Default::default())?.compile(&Limits::default())?;
/// let array = ArrayRules { unique: true, settled_until: 2, ..ArrayRules::default() };
/// let mut tracker = Tracker::new(Arc::new(Rules::new(vec![Place { array, ..Place::default() }])?));
/// tracker.advance(br#"["a""#)?;
/// let place = letters.run(letters.start(), br#"["a""#);
/// let mut grammar = Grammar(letters, place);
/// assert!(viable(&tracker, br#","b""#, &mut grammar)?);
/// assert!(!viable(&tracker, br#","a""#, &mut grammar)?);
/// assert!(!viable(&tracker, br#","b","#, &mut grammar)?); // no letter is left
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn viable<C: Continuations>(tracker: &Tracker, bytes: &[u8], continuations: &mut C) -> Result<bool, C::Error> {
    Ok(outlook(tracker, bytes, continuations)? == Outlook::Open)
}

/// Whether the text can be completed after `bytes` without breaking a rule, if the grammar allows `bytes`.
///
/// Closed as well if they break a rule themselves or are not JSON. `continuations` is asked only where something is at
/// stake then; O(bytes) otherwise.
///
/// # Errors
/// Those of `continuations`.
pub fn outlook<C: Continuations>(tracker: &Tracker, bytes: &[u8], continuations: &mut C) -> Result<Outlook, C::Error> {
    let mut state = tracker.state().clone();
    if bytes.iter().any(|&byte| state.step(tracker.rules(), byte).is_err()) {
        return Ok(Outlook::Closed);
    }
    Search::new(tracker.rules(), continuations).outlook(&state, bytes)
}

/// A place of the grammar with a state of the tracker that is at stake.
struct Node<P> {
    place: P,
    state: State,
    outlook: Outlook,
    /// Whether a search has ended by its bounds after it has expanded this.
    is_given_up: bool,
    /// Nodes one byte on, once it is expanded; the rest of it first, if it has one.
    after: Option<SmallVec<[NodeId; 4]>>,
    /// Whether it is the rest of a node.
    is_rest: bool,
    /// The node it was found from first, and the byte between; none to a rest.
    from: Option<(NodeId, Option<u8>)>,
    /// A byte after which nothing is at stake.
    exit: Option<u8>,
    /// Nodes that have it after them.
    before: SmallVec<[NodeId; 2]>,
}

/// Bytes that lead out.
type Ways = SmallVec<[Box<[u8]>; KNOWN]>;

/// The searches of a mask.
pub(crate) struct Search<'a, C: Continuations> {
    rules: &'a Rules,
    continuations: &'a mut C,
    nodes: Vec<Node<C::Place>>,
    numbers: FxHashMap<(C::Place, Identity, bool), NodeId>,
    /// Nodes that may still be added.
    left: usize,
    /// Bytes by which searches from a place have found a way out. Behind another string or number it is mostly one as well.
    ways: FxHashMap<C::Place, Ways>,
    /// The node where the last way out was found.
    found: Option<NodeId>,
}

impl<'a, C: Continuations> Search<'a, C> {
    pub(crate) fn new(rules: &'a Rules, continuations: &'a mut C) -> Self {
        let (nodes, numbers, ways, found) = Default::default();
        Self { rules, continuations, nodes, numbers, left: NODES, ways, found }
    }

    /// Whether the text can be completed from a state that is reached by `path`, which the grammar allows.
    pub(crate) fn outlook(&mut self, state: &State, path: &[u8]) -> Result<Outlook, C::Error> {
        if !state.is_at_stake(self.rules) {
            return Ok(Outlook::Open);
        }
        let mut place = self.continuations.start();
        for &byte in path {
            let Some(next) = self.continuations.step(place, byte)? else { return Ok(Outlook::Closed) };
            place = next;
        }
        let bytes = self.continuations.next_bytes(place)?;
        if self.is_led_off(state, &bytes) {
            return Ok(Outlook::Open);
        }
        if self.leaves_by_a_known_way(state, place) {
            return Ok(Outlook::Open);
        }
        let (node, _) = self.node(state.clone(), place, false);
        self.found = None;
        let outlook = self.search(node)?;
        self.keep_way(node);
        Ok(outlook)
    }

    /// Whether some bytes that the grammar allows from this place lead out of this state too.
    fn leaves_by_a_known_way(&self, state: &State, place: C::Place) -> bool {
        let leaves = |way: &[u8]| {
            let mut state = state.clone();
            way.iter().all(|&byte| state.step(self.rules, byte).is_ok()) && !state.is_at_stake(self.rules)
        };
        self.ways.get(&place).is_some_and(|ways| ways.iter().any(|way| leaves(way)))
    }

    /// Keeps the bytes between a node and the way out that was found from there.
    fn keep_way(&mut self, start: NodeId) {
        let (Some(found), Some(place)) = (self.found, self.nodes.get(start as usize).map(|node| node.place)) else {
            return;
        };
        let (mut way, mut id) = (Vec::new(), found);
        way.extend(self.nodes.get(id as usize).and_then(|node| node.exit));
        while id != start {
            let Some((before, byte)) = self.nodes.get(id as usize).and_then(|node| node.from) else { return };
            way.extend(byte);
            id = before;
            if way.len() > LONGEST {
                return;
            }
        }
        way.reverse();
        let ways = self.ways.entry(place).or_default();
        if ways.len() < KNOWN {
            ways.push(way.into());
        }
    }

    /// Expands what can be reached until it is known whether the text can be completed from there.
    fn search(&mut self, start: NodeId) -> Result<Outlook, C::Error> {
        let mut allowed = (self.left / SHARE).max(FEW);
        let (mut frontier, mut is_doubtful) = (Frontier::new(start), false);
        while self.outlook_of(start) == Outlook::Unknown {
            let Some(id) = frontier.next() else {
                self.end(&frontier, is_doubtful);
                break;
            };
            let Some(node) = self.nodes.get(id as usize) else { continue };
            is_doubtful |= node.is_given_up;
            if node.is_given_up || node.outlook == Outlook::Closed {
                continue;
            }
            let mut added = 0;
            if node.after.is_none() {
                if allowed == 0 || self.nodes.len() > HELD {
                    self.end(&frontier, true);
                    break;
                }
                added = self.expand(id)?;
                allowed = allowed.saturating_sub(added);
                self.left = self.left.saturating_sub(added);
            }
            let after = self.nodes.get(id as usize).and_then(|node| node.after.as_deref()).unwrap_or_default();
            let is_rest = |id: &NodeId| self.nodes.get(*id as usize).is_some_and(|node| node.is_rest);
            let (rest, others) = after.split_at(after.iter().take_while(|id| is_rest(id)).count());
            frontier.extend(rest, others, 1 + added);
        }
        Ok(self.outlook_of(start))
    }

    /// No way out of what has been seen is known: there is none, or what has been expanded is not taken up again.
    fn end(&mut self, frontier: &Frontier, is_doubtful: bool) {
        for id in frontier.seen() {
            let Some(node) = self.nodes.get_mut(id as usize) else { continue };
            match is_doubtful {
                true => node.is_given_up |= node.after.is_some(),
                false => node.outlook = Outlook::Closed,
            }
        }
    }

    /// Whether some of the bytes leads off every earlier value.
    fn is_led_off(&self, state: &State, bytes: &ByteSet) -> bool {
        !state.is_unsettled_anywhere(self.rules) && !bytes.intersection(&state.leads_off()).is_empty()
    }

    /// Finds what is one byte on; how many nodes that has added, if there was a choice of bytes.
    fn expand(&mut self, id: NodeId) -> Result<usize, C::Error> {
        let Some(node) = self.nodes.get_mut(id as usize) else { return Ok(0) };
        node.after = Some(SmallVec::new());
        let (state, place, is_rest) = (node.state.clone(), node.place, node.is_rest);
        let bytes = self.continuations.next_bytes(place)?;
        if self.is_led_off(&state, &bytes) {
            self.leave(id, bytes.intersection(&state.leads_off()).first());
            return Ok(0);
        }
        let rest = self.rest(&state, place, &bytes)?;
        let chosen = if is_rest { rest } else { bytes.difference(&rest) };
        let mut added = 0;
        if !is_rest && !rest.is_empty() {
            added += usize::from(self.connect((id, None), state.clone(), place));
        }
        // Within a string, the other closing bytes are content, and a search that prefers them does not end.
        let closing: &[u8] = if state.is_in_string() { b"\"" } else { b"\"]}," };
        let closing = chosen.intersection(&closing.iter().copied().collect());
        for byte in chosen.difference(&closing).iter().chain(closing.iter()) {
            let mut next = state.clone();
            if next.step(self.rules, byte).is_err() {
                continue;
            }
            if !next.is_at_stake(self.rules) {
                self.leave(id, Some(byte));
                break;
            }
            let Some(place) = self.continuations.step(place, byte)? else { continue };
            added += usize::from(self.connect((id, Some(byte)), next, place));
        }
        Ok(if bytes.len() == 1 { 0 } else { added })
    }

    /// Bytes that are tried last: each leads off every earlier value, and to the same place of the grammar as one that is
    /// not among them. What follows can hardly tell them apart, only by a value that is used up.
    fn rest(&mut self, state: &State, place: C::Place, bytes: &ByteSet) -> Result<ByteSet, C::Error> {
        let (mut places, mut rest): (SmallVec<[C::Place; 8]>, _) = (SmallVec::new(), ByteSet::EMPTY);
        for byte in bytes.intersection(&state.leads_off()).iter() {
            let Some(next) = self.continuations.step(place, byte)? else { continue };
            match places.contains(&next) {
                true => rest.insert(byte),
                false => places.push(next),
            }
        }
        Ok(rest)
    }

    /// Adds an edge; whether that has added a node too.
    /// By no byte, it is to the rest of the node.
    fn connect(&mut self, (id, byte): (NodeId, Option<u8>), state: State, place: C::Place) -> bool {
        let (next, is_new) = self.node(state, place, byte.is_none());
        if let Some(node) = self.nodes.get_mut(next as usize).filter(|_| is_new) {
            node.from = Some((id, byte));
        }
        if self.outlook_of(next) == Outlook::Open {
            self.open(id);
        }
        if let Some(node) = self.nodes.get_mut(next as usize) {
            node.before.push(id);
        }
        if let Some(after) = self.nodes.get_mut(id as usize).and_then(|node| node.after.as_mut()) {
            after.push(next);
        }
        is_new
    }

    /// The node of a state at a place, and whether it is new.
    fn node(&mut self, state: State, place: C::Place, is_rest: bool) -> (NodeId, bool) {
        let id = self.nodes.len() as NodeId;
        let known = *self.numbers.entry((place, state.identity(), is_rest)).or_insert(id);
        if known == id {
            let (after, before, from, exit) = Default::default();
            let outlook = Outlook::Unknown;
            self.nodes.push(Node { place, state, outlook, is_given_up: false, after, is_rest, from, exit, before });
        }
        (known, known == id)
    }

    /// Nothing is at stake after this byte.
    fn leave(&mut self, id: NodeId, exit: Option<u8>) {
        if let Some(node) = self.nodes.get_mut(id as usize) {
            node.exit = exit;
        }
        self.found = Some(id);
        self.open(id);
    }

    /// A text can be completed from here, and so from wherever this can be reached.
    fn open(&mut self, id: NodeId) {
        let mut rest = vec![id];
        while let Some(id) = rest.pop() {
            let Some(node) = self.nodes.get_mut(id as usize).filter(|node| node.outlook != Outlook::Open) else {
                continue;
            };
            node.outlook = Outlook::Open;
            rest.extend_from_slice(&node.before);
        }
    }

    fn outlook_of(&self, id: NodeId) -> Outlook {
        self.nodes.get(id as usize).map_or(Outlook::Closed, |node| node.outlook)
    }
}

/// Whether this is white space between the tokens of a JSON text.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
