//! Which tokens can enter a bound component: metadata about boundaries, never of influence on masks.
//!
//! A token enters a component if some byte of it begins the component's first lexeme. Whatever stands before belongs to the
//! lexeme in progress when the token begins, or to ones that begin within the token; the last of them is one that may
//! stand directly before the component. So a walk over the vocabulary's trie follows two sets of lexemes: those that
//! can end before the component (at first in *any* of their states, as nothing is known of the text before), and, from
//! every place where one of these has ended, those that the component can begin with. A token counts if one of the
//! latter is in progress at its end, or has matched before. That is a superset: the parser is not asked, and longest match
//! neither.

use std::sync::Arc;

use glrmask_automata::{Dfa, Id, NonterminalId, StateId, TerminalId};
use glrmask_glr::link::Layout;
use glrmask_grammar::assembly::{Define, Filled, Part, MAX_REQUIREMENTS};
use glrmask_grammar::GrammarError;
use glrmask_lexer::{BitSet, ComponentId, Lexer};
use glrmask_runtime::{BoundaryEntry, BoundaryTrigger, TokenTerminal};
use glrmask_vocab::{ExactTokens, NodeId, RankSet, TokenId, Vocab};
use rustc_hash::FxHashMap;

use crate::error::CompileError;
use crate::link::Linked;
use crate::prepared::Prepared;
use crate::Config;

/// Above this many states that a lexeme before a boundary may be in, every byte counts as one that can end it.
const MAX_STATES: usize = 20_000;

/// How much is found out about the boundaries of bound grammars. Never of influence on masks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BoundaryTriggerDetail {
    /// Nothing.
    #[default]
    None,
    /// Per boundary, a set of tokens outside of which none enters what is bound, whatever was generated before.
    Tokens,
    /// The same for each state of a sequence, where supported.
    Exact,
}

/// What is known of the linked whole.
pub(crate) struct Whole<'a> {
    pub(crate) linked: &'a [Linked<'a>],
    /// Number among `linked`, by part.
    pub(crate) numbers: &'a FxHashMap<usize, usize>,
    pub(crate) layout: &'a Layout,
    pub(crate) lexer: &'a Lexer,
    pub(crate) events: &'a [TokenTerminal],
    /// What each component can begin with.
    pub(crate) first: &'a [BitSet],
    pub(crate) vocab: &'a Vocab,
}

/// What a boundary is known by.
#[derive(Clone)]
struct Found {
    tokens: ExactTokens,
    entry: Option<Arc<BoundaryEntry>>,
}

/// The boundaries of an assembly, by path. Without a `whole` every token counts.
///
/// # Errors
/// More than ten thousand boundaries; an interrupt, which is asked for once per slot of a component.
pub(crate) fn boundaries(
    config: &Config,
    parts: &[Part<'_, Prepared>],
    vocab: &Vocab,
    whole: Option<&Whole<'_>>,
) -> Result<Vec<BoundaryTrigger>, CompileError> {
    let mut found = Vec::new();
    let detail = config.boundary_trigger;
    if detail == BoundaryTriggerDetail::None {
        return Ok(found);
    }
    let mut known: FxHashMap<(usize, usize), Found> = FxHashMap::default();
    let before = whole.map(Whole::before).unwrap_or_default();
    let Some(root) = parts.len().checked_sub(1) else { return Ok(found) };
    let mut work: Vec<(usize, Vec<String>)> = vec![(root, Vec::new())];
    while let Some((number, path)) = work.pop() {
        let Some(part) = parts.get(number) else { continue };
        let grammar = part.definition.grammar();
        for (i, (slot, filled)) in grammar.slots.iter().zip(&part.slots).enumerate() {
            if found.len() == MAX_REQUIREMENTS {
                let error = GrammarError::limit("boundaries listed", MAX_REQUIREMENTS, MAX_REQUIREMENTS + 1, None);
                return Err(error.into());
            }
            let path: Vec<String> = path.iter().cloned().chain(grammar.slot_path(slot)).collect();
            let Found { tokens, mut entry } = match known.get(&(number, i)) {
                Some(known) => known.clone(),
                None => {
                    config.policy.check()?;
                    let made = one(vocab, whole, &before, number, filled)?;
                    known.entry((number, i)).or_insert(made).clone()
                }
            };
            entry = entry.filter(|_| detail == BoundaryTriggerDetail::Exact);
            found.push(BoundaryTrigger { path: path.clone(), tokens, entry: entry.map(|entry| (*entry).clone()) });
            if let Filled::Part(child) = filled {
                work.push((*child, path));
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn one(
    vocab: &Vocab,
    whole: Option<&Whole<'_>>,
    before: &FxHashMap<(usize, TerminalId), BitSet>,
    part: usize,
    filled: &Filled<'_>,
) -> Result<Found, CompileError> {
    let of = |ids: Vec<TokenId>| vocab.tokens(ids).map_err(CompileError::from);
    let (child, whole) = match (filled, whole) {
        (Filled::Events(events), _) => {
            let ids = events.ranges.iter().flat_map(|&(first, last)| first..=last).map(TokenId).collect();
            return Ok(Found { tokens: of(ids)?, entry: None });
        }
        (Filled::Part(_), None) => {
            return Ok(Found { tokens: of(vocab.iter().map(|(id, _)| id).collect())?, entry: None });
        }
        (Filled::Part(child), Some(whole)) => (whole.numbers.get(child), whole),
        (Filled::Open, _) => return Ok(Found { tokens: of(Vec::new())?, entry: None }),
    };
    let place = whole.numbers.get(&part).copied().zip(child.copied());
    let entry = place.and_then(|(parent, child)| {
        let slots = &whole.linked.get(parent)?.slots;
        let position = slots.iter().position(|entry| entry.1 == child)?;
        Some((parent, child, position, slots.get(position)?.0))
    });
    // Not entered at all.
    let Some((parent, child, position, terminal)) = entry else {
        return Ok(Found { tokens: of(Vec::new())?, entry: None });
    };
    let empty = BitSet::default();
    let walk = Walk::new(whole, &whole.first[child], before.get(&(parent, terminal)).unwrap_or(&empty));
    let mut ids: Vec<TokenId> = walk.run().iter().flat_map(|rank| whole.vocab.ids(rank).iter().copied()).collect();
    for event in whole.events {
        let known = whole.lexer.parser_terminal(event.terminal);
        if known.is_some_and(|t| whole.first[child].contains(t.index())) {
            ids.extend(event.ids.iter());
        }
    }
    ids.sort_unstable();
    ids.dedup();
    let symbol = NonterminalId(whole.layout.nonterminals[parent] + whole.linked[parent].entry_symbol(position));
    let first = whole.first[child].iter().map(TerminalId::from_usize).collect();
    Ok(Found { tokens: of(ids)?, entry: Some(Arc::new(BoundaryEntry { symbol, first })) })
}

impl Whole<'_> {
    /// Per component and slot, the terminals of the whole that can stand directly before what is bound there.
    fn before(&self) -> FxHashMap<(usize, TerminalId), BitSet> {
        let last = self.last();
        let mut before = FxHashMap::default();
        let mut before_part = vec![BitSet::default(); self.linked.len()];
        for (i, part) in self.linked.iter().enumerate().rev() {
            let program = &part.program;
            for &(slot, child) in &part.slots {
                let mut set = BitSet::default();
                for t in (0..program.lexer.terminal_count()).map(TerminalId::from_usize) {
                    if !program.lexer.followers(t).contains(slot.index()) {
                        continue;
                    }
                    match part.child(t) {
                        Some(other) => set.union_with(&last[other]),
                        None => set.insert(self.layout.terminals[i] as usize + t.index()),
                    }
                }
                if program.first.contains(slot.index()) {
                    set.union_with(&before_part[i]);
                }
                before_part[child].union_with(&set);
                before.insert((i, slot), set);
            }
        }
        before
    }

    /// Per component, the terminals of the whole that it can end with.
    fn last(&self) -> Vec<BitSet> {
        let mut last: Vec<BitSet> = Vec::with_capacity(self.linked.len());
        for (i, part) in self.linked.iter().enumerate() {
            let program = &part.program;
            let mut set = BitSet::default();
            for t in (0..program.lexer.terminal_count()).map(TerminalId::from_usize) {
                match part.child(t) {
                    Some(child) if program.last.contains(t.index()) => set.union_with(&last[child]),
                    Some(_) => {}
                    None => {
                        let known = program.lexer.parser_terminal(t);
                        if known.is_some_and(|known| program.last.contains(known.index())) {
                            set.insert(self.layout.terminals[i] as usize + t.index());
                        }
                    }
                }
            }
            last.push(set);
        }
        last
    }
}

/// Lexemes in progress, sorted.
type Threads = Vec<(ComponentId, StateId)>;

/// What is known at a node of the trie.
#[derive(Clone, Default)]
struct Place {
    /// Lexemes that may end before the component.
    before: Threads,
    /// Lexemes of the component.
    inside: Threads,
}

/// A walk over the vocabulary.
struct Walk<'a> {
    whole: &'a Whole<'a>,
    /// Lexer terminals that the component can begin with.
    first: BitSet,
    /// Lexer terminals that can stand before it.
    before: &'a BitSet,
    /// Where these begin.
    first_starts: Threads,
    before_starts: Threads,
    /// Whether it is given up to tell where a lexeme before the component can end.
    anywhere: bool,
    found: RankSet,
}

impl<'a> Walk<'a> {
    /// `first` as the parser knows them, `before` as the lexer does.
    fn new(whole: &'a Whole<'a>, first: &BitSet, before: &'a BitSet) -> Self {
        let lexer = whole.lexer;
        let known =
            |t: &usize| lexer.parser_terminal(TerminalId::from_usize(*t)).is_some_and(|t| first.contains(t.index()));
        let first: BitSet = (0..lexer.terminal_count()).filter(known).collect();
        let starts = |set: &BitSet| {
            let mut starts: Threads = set
                .iter()
                .filter_map(|t| lexer.component_of(TerminalId::from_usize(t)))
                .map(|id| (id, lexer.component(id).dfa().start()))
                .collect();
            starts.sort_unstable();
            starts.dedup();
            starts
        };
        let (first_starts, before_starts) = (starts(&first), starts(before));
        let states: usize = before_starts.iter().map(|(id, _)| lexer.component(*id).dfa().len()).sum();
        let anywhere = states > MAX_STATES;
        Self { whole, first, before, first_starts, before_starts, anywhere, found: RankSet::new() }
    }

    fn run(mut self) -> RankSet {
        let root = Place { before: self.any_state(), inside: self.first_starts.clone() };
        let trie = self.whole.vocab.trie();
        let mut work: Vec<(NodeId, Place)> = trie.children(NodeId::ROOT).map(|node| (node, root.clone())).collect();
        work.reverse();
        while let Some((node, place)) = work.pop() {
            let Some(place) = self.enter(node, &place) else { continue };
            let mut below: Vec<_> = trie.children(node).map(|child| (child, place.clone())).collect();
            below.reverse();
            work.append(&mut below);
        }
        self.found
    }

    /// Every state of a lexeme that can end before the component.
    fn any_state(&self) -> Threads {
        if self.anywhere {
            return Threads::new();
        }
        let dfas = self.before_starts.iter().map(|&(id, _)| (id, self.whole.lexer.component(id).dfa()));
        dfas.flat_map(|(id, dfa)| dfa.states().map(move |state| (id, state))).collect()
    }

    /// Reads the byte of a node. `None` if nothing more is to be found below.
    fn enter(&mut self, node: NodeId, place: &Place) -> Option<Place> {
        let trie = self.whole.vocab.trie();
        let byte = trie.byte(node);
        let mut before = self.step(&place.before, byte);
        let mut inside = self.step(&place.inside, byte);
        if inside.iter().any(|&thread| self.matches(thread, &self.first)) {
            let (first, end) = trie.subtree_ranks(node);
            self.found.push_range(first, end);
            return None;
        }
        inside
            .retain(|&(id, state)| self.whole.lexer.component(id).live(state).any(|t| self.first.contains(t.index())));
        if let Some(rank) = trie.token(node).filter(|_| !inside.is_empty()) {
            self.found.push(rank);
        }
        // A lexeme before the component may have begun anywhere in the token.
        before.extend_from_slice(&self.before_starts);
        if self.anywhere || before.iter().any(|&thread| self.matches(thread, self.before)) {
            inside.extend_from_slice(&self.first_starts);
        }
        for threads in [&mut before, &mut inside] {
            threads.sort_unstable();
            threads.dedup();
        }
        Some(Place { before, inside })
    }

    fn step(&self, threads: &Threads, byte: u8) -> Threads {
        let next = threads.iter().map(|&(id, state)| (id, self.whole.lexer.component(id).dfa().next(state, byte)));
        let mut next: Threads = next.filter(|&(_, state)| state != Dfa::DEAD).collect();
        next.sort_unstable();
        next.dedup();
        next
    }

    fn matches(&self, (id, state): (ComponentId, StateId), set: &BitSet) -> bool {
        self.whole.lexer.component(id).matched(state).any(|t| set.contains(t.index()))
    }
}
