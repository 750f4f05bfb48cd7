//! The shortest lexemes: for every way to end a lexeme, the fewest bytes that do it.
//!
//! A *way* is a terminal with the longest-match conditions pending after it. Where no conditions are pending and none can
//! arise, ways are found by breadth-first search over one automaton; otherwise over pairs of automaton state and
//! pending conditions. Ignored text before a lexeme counts as part of it: after `if`, the shortest identifier is a
//! blank and a letter. A token event is a way like any other: of no bytes, after which nothing is pending.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use glrmask_automata::lexdag::{ConditionSetId, IGNORED};
use glrmask_automata::{Dfa, StateId, TerminalId};
use glrmask_lexer::{Component, Condition, ConditionSets, Lexer, Thread};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::completion::text::Text;
use crate::error::RuntimeError;

/// (state, conditions) pairs that one search may visit.
const SEARCH_LIMIT: usize = 500_000;
/// Bytes of remembered ways inside lexemes before they are forgotten.
const MEMORY: usize = 16 << 20;

/// A way to end a lexeme.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// As the parser knows it, or [`IGNORED`].
    pub(crate) terminal: TerminalId,
    /// What is pending afterwards.
    pub(crate) after: ConditionSetId,
    /// The shortest text that does it.
    pub(crate) text: Text,
}

/// Ways, the shortest first, each (terminal, after) once.
pub(crate) type Ways = Arc<[Way]>;

/// Shortest texts by what is found so far.
type Found = FxHashMap<(TerminalId, ConditionSetId), Text>;

/// Ways found so far. Ids of condition sets are its own.
#[derive(Debug, Default)]
pub(crate) struct LexemeTable {
    sets: ConditionSets,
    /// Token events that may be used, each for what it costs.
    events: Box<[TerminalId]>,
    event_cost: u64,
    /// One byte of each class that no automaton of the lexer splits.
    representatives: Vec<u8>,
    inside: FxHashMap<(Thread, ConditionSetId), Ways>,
    inside_bytes: usize,
    fresh: FxHashMap<ConditionSetId, Ways>,
    lexemes: FxHashMap<ConditionSetId, Ways>,
}

impl LexemeTable {
    /// Ways that use these token events too, at this cost.
    pub(crate) fn with_events(events: Box<[TerminalId]>, event_cost: u64) -> Self {
        Self { events, event_cost, ..Self::default() }
    }

    /// The id of a set of conditions.
    pub(crate) fn conditions(&mut self, conditions: &[Condition]) -> ConditionSetId {
        self.sets.intern(conditions.to_vec())
    }

    /// Ways to end the lexeme in progress.
    pub(crate) fn inside(
        &mut self,
        lexer: &Lexer,
        thread: Thread,
        pending: ConditionSetId,
    ) -> Result<Ways, RuntimeError> {
        if let Some(known) = self.inside.get(&(thread, pending)) {
            return Ok(known.clone());
        }
        let ways = ways(lexer, self.search(lexer, vec![Node::root(thread, pending)])?);
        if self.inside_bytes > MEMORY {
            self.inside.clear();
            self.inside_bytes = 0;
        }
        self.inside_bytes += ways.iter().map(|way| way.text.bytes.len() + size_of::<Way>()).sum::<usize>();
        self.inside.insert((thread, pending), ways.clone());
        Ok(ways)
    }

    /// Ways to lex the next terminal of the grammar, ignored text before it included.
    pub(crate) fn lexemes(&mut self, lexer: &Lexer, pending: ConditionSetId) -> Result<Ways, RuntimeError> {
        if let Some(known) = self.lexemes.get(&pending) {
            return Ok(known.clone());
        }
        let mut found = Found::default();
        let mut done: FxHashSet<ConditionSetId> = FxHashSet::default();
        let mut work = BinaryHeap::from([Reverse((Text::default(), pending))]);
        while let Some(Reverse((before, current))) = work.pop() {
            if !done.insert(current) {
                continue;
            }
            for way in self.fresh(lexer, current)?.iter() {
                let text = before.then(&way.text);
                if way.terminal != IGNORED {
                    improve(&mut found, (way.terminal, way.after), text);
                } else if current != ConditionSetId::NONE && !done.contains(&way.after) {
                    // With nothing pending, ignored text only costs.
                    work.push(Reverse((text, way.after)));
                }
            }
        }
        let ways = sorted(found);
        self.lexemes.insert(pending, ways.clone());
        Ok(ways)
    }

    /// Ways to lex one lexeme from its start.
    fn fresh(&mut self, lexer: &Lexer, pending: ConditionSetId) -> Result<Ways, RuntimeError> {
        if let Some(known) = self.fresh.get(&pending) {
            return Ok(known.clone());
        }
        let mut found = match pending {
            ConditionSetId::NONE => {
                let starts = lexer.components().iter_enumerated().map(|(id, c)| (id, c.dfa().start()));
                self.search(lexer, starts.map(|thread| Node::root(thread, pending)).collect())?
            }
            _ => {
                let mut roots = Vec::new();
                for byte in self.representatives(lexer) {
                    let Some(left) = self.sets.step(lexer.kill_automata(), pending, byte) else { continue };
                    let started = lexer.starts(byte).iter();
                    roots.extend(started.map(|&thread| Node { byte: Some(byte), ..Node::root(thread, left) }));
                }
                self.search(lexer, roots)?
            }
        };
        let events = self.events.iter().map(|&t| ((t, ConditionSetId::NONE), Text::event(t, self.event_cost)));
        found.extend(events);
        let ways = ways(lexer, found);
        self.fresh.insert(pending, ways.clone());
        Ok(ways)
    }

    /// The shortest text for every way to end, from any of the roots. Breadth first; a node of which nothing but its
    /// own automaton matters is left to [`shortest_matches`].
    fn search(&mut self, lexer: &Lexer, roots: Vec<Node>) -> Result<Found, RuntimeError> {
        let bytes = self.representatives(lexer);
        let mut seen: FxHashSet<(Thread, ConditionSetId)> = FxHashSet::default();
        let mut nodes: Vec<Node> = roots.into_iter().filter(|n| seen.insert((n.thread, n.pending))).collect();
        let (mut found, mut next) = (Found::default(), 0);
        while let Some(&node) = nodes.get(next) {
            let component = lexer.component(node.thread.0);
            let state = node.thread.1;
            if node.pending == ConditionSetId::NONE && component.is_plain() {
                let before = text(&nodes, next);
                for (terminal, rest) in shortest_matches(component, state) {
                    let text = [before.as_slice(), &rest].concat();
                    improve(&mut found, (terminal, ConditionSetId::NONE), text.into());
                }
                next += 1;
                continue;
            }
            for terminal in component.matched(state) {
                let left = self.sets.intern(component.left(terminal, state).to_vec());
                let after = self.sets.union(node.pending, left);
                if !found.contains_key(&(terminal, after)) {
                    improve(&mut found, (terminal, after), text(&nodes, next).into());
                }
            }
            for &byte in &bytes {
                let to = component.dfa().next(state, byte);
                if to == Dfa::DEAD {
                    continue;
                }
                let Some(left) = self.sets.step(lexer.kill_automata(), node.pending, byte) else { continue };
                let thread = (node.thread.0, to);
                if seen.insert((thread, left)) {
                    nodes.push(Node { thread, pending: left, from: Some(next), byte: Some(byte) });
                }
            }
            RuntimeError::check_limit("places inside lexemes to explore", nodes.len(), SEARCH_LIMIT)?;
            next += 1;
        }
        Ok(found)
    }

    fn representatives(&mut self, lexer: &Lexer) -> Vec<u8> {
        if self.representatives.is_empty() {
            let mut seen: FxHashSet<Vec<u8>> = FxHashSet::default();
            let classes = |byte: u8| lexer.components().iter().map(move |c| c.dfa().byte_classes()[usize::from(byte)]);
            self.representatives = (0..=255).filter(|&byte| seen.insert(classes(byte).collect())).collect();
        }
        self.representatives.clone()
    }
}

/// A place of the search, with the place before it and the byte between.
#[derive(Clone, Copy, Debug)]
struct Node {
    thread: Thread,
    pending: ConditionSetId,
    from: Option<usize>,
    byte: Option<u8>,
}

impl Node {
    fn root(thread: Thread, pending: ConditionSetId) -> Self {
        Self { thread, pending, from: None, byte: None }
    }
}

/// The bytes that lead to a node.
fn text(nodes: &[Node], node: usize) -> Vec<u8> {
    let steps = std::iter::successors(nodes.get(node), |node| nodes.get(node.from?));
    let mut text: Vec<u8> = steps.filter_map(|node| node.byte).collect();
    text.reverse();
    text
}

/// Keeps the text if it is the first or the shortest for its way.
fn improve(found: &mut Found, way: (TerminalId, ConditionSetId), text: Text) {
    if found.get(&way).is_none_or(|known| known.cost > text.cost) {
        found.insert(way, text);
    }
}

/// The shortest text to a match of each terminal, from a state of a component that leaves no conditions.
pub(crate) fn shortest_matches(component: &Component, start: StateId) -> Vec<(TerminalId, Vec<u8>)> {
    let dfa = component.dfa();
    let mut before: FxHashMap<StateId, (StateId, u8)> = FxHashMap::default();
    let (mut reached, mut next) = (vec![start], 0);
    let mut found: Vec<(TerminalId, Vec<u8>)> = Vec::new();
    let mut missing: FxHashSet<TerminalId> = component.live(start).collect();
    while let Some(&state) = reached.get(next).filter(|_| !missing.is_empty()) {
        next += 1;
        for terminal in component.matched(state) {
            if missing.remove(&terminal) {
                found.push((terminal, walk_back(&before, start, state)));
            }
        }
        for (&to, byte) in dfa.row(state).iter().zip(dfa.representatives()) {
            if to != Dfa::DEAD && to != start && !before.contains_key(&to) {
                before.insert(to, (state, byte));
                reached.push(to);
            }
        }
    }
    found
}

fn walk_back(before: &FxHashMap<StateId, (StateId, u8)>, start: StateId, end: StateId) -> Vec<u8> {
    let (mut text, mut here) = (Vec::new(), end);
    while let Some(&(state, byte)) = before.get(&here).filter(|_| here != start) {
        text.push(byte);
        here = state;
    }
    text.reverse();
    text
}

/// From the lexer's terminals to what the parser sees of them.
fn ways(lexer: &Lexer, found: Found) -> Ways {
    let mut seen = Found::default();
    for ((terminal, after), text) in found {
        if lexer.is_ignored(terminal) {
            improve(&mut seen, (IGNORED, after), text.clone());
        }
        if let Some(terminal) = lexer.parser_terminal(terminal) {
            improve(&mut seen, (terminal, after), text);
        }
    }
    sorted(seen)
}

fn sorted(found: Found) -> Ways {
    let mut ways: Vec<Way> = found.into_iter().map(|((terminal, after), text)| Way { terminal, after, text }).collect();
    ways.sort_unstable_by_key(|way| (way.text.cost, way.terminal, way.after));
    ways.into()
}
