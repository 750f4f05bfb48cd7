//! Stack effects, in lazy form: what a terminal sequence still has to read from the parser stack.
//!
//! To an LR parser a terminal is a series of reads and writes at the top of the stack (the article's p⁻ and p⁺).
//! A write that meets a read cancels or kills the path, so what is left of a terminal sequence is the prefix of the
//! stack it must find. Here that language is a deterministic automaton over stack symbols, read from the top, whose
//! states are made on demand and hash-consed: a [`ReadId`] is a set of items "pop k more symbols, then go to A and take
//! one of these terminals, then the rest". A symbol that the sequence itself has pushed is read right away
//! ([`Effects::read`] over the pushed symbol: the cancellation); a symbol of the unknown stack becomes an item.
//!
//! Terminals go in sets: in an object with a thousand keys the same reductions lie before every key, and are done once
//! for all of them. Nothing here is weighted; [`crate::atoms`] packs many classes into one walk. See
//! `docs/stack-effects.md`.

use std::sync::Arc;

use glrmask_automata::lexdag::{ClassDag, ClassId, ConditionSetId, Need, IGNORED};
use glrmask_automata::{typed_id, IndexVec, NonterminalId, TerminalId};
use rustc_hash::FxHashMap;

use crate::completable::{Completable, StackState};
use crate::error::GlrError;
use crate::tables::{LrState, Reduction, Tables};
use crate::terminal_set::TerminalSet;

typed_id!(
    /// What must still be read from the stack: a state of the stack-effect automaton.
    pub struct ReadId, "r"
);
typed_id!(
    /// An interned, non-empty set of terminals.
    pub struct TerminalSetId, "T"
);

impl ReadId {
    /// Nothing more: accepted.
    pub const ACCEPT: Self = Self(0);
    /// No stack is accepted.
    pub const FAIL: Self = Self(1);
}

/// What comes after a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Then {
    /// The token ends while the terminal is open.
    Open(Need),
    /// The token goes on with terminal sequences of this class.
    Class(ClassId),
}

/// One way to go on reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Item {
    /// Pop `pop` more symbols, go to `lhs` from the symbol below, take one of `terminals`, then the rest.
    Reduce { pop: u32, lhs: NonterminalId, terminals: TerminalSetId, then: Then },
    /// The automaton of completable stacks stands here.
    Completable(StackState),
}

/// The immutable things every effect is computed from.
#[derive(Clone, Copy)]
pub struct Machine<'a> {
    /// The LR tables.
    pub tables: &'a Tables,
    /// The classes.
    pub dag: &'a ClassDag,
    /// Which stacks can be completed under pending conditions.
    pub completable: &'a Completable,
}

/// States of the stack-effect automaton one cache may hold.
const STATE_LIMIT: usize = 50_000_000;

/// A class by what follows its first terminals: the terminals of each group share the rest.
type ClassGroups = Arc<[(TerminalSetId, Then)]>;

/// The stack-effect automaton, filled on demand.
#[derive(Clone, Debug)]
pub struct Effects {
    states: IndexVec<ReadId, Box<[Item]>>,
    ids: FxHashMap<Box<[Item]>, ReadId>,
    sets: IndexVec<TerminalSetId, TerminalSet>,
    set_ids: FxHashMap<TerminalSet, TerminalSetId>,
    groups: FxHashMap<ClassId, ClassGroups>,
    reads: FxHashMap<(ReadId, LrState), ReadId>,
    terminals: FxHashMap<(TerminalSetId, Then, LrState), ReadId>,
    classes: FxHashMap<(ClassId, LrState), ReadId>,
    bytes: usize,
}

impl Default for Effects {
    fn default() -> Self {
        let mut effects = Self {
            states: IndexVec::new(),
            ids: FxHashMap::default(),
            sets: IndexVec::new(),
            set_ids: FxHashMap::default(),
            groups: FxHashMap::default(),
            reads: FxHashMap::default(),
            terminals: FxHashMap::default(),
            classes: FxHashMap::default(),
            bytes: 0,
        };
        // Two reserved ids; neither is ever looked up by its items.
        effects.states.push(Box::default());
        effects.states.push(Box::default());
        effects
    }
}

impl Effects {
    /// What a token of `class` still has to read when `top` is the top of the stack.
    ///
    /// # Errors
    /// The cache is over its limit.
    pub fn start_class(&mut self, m: Machine<'_>, class: ClassId, top: LrState) -> Result<ReadId, GlrError> {
        if let Some(&known) = self.classes.get(&(class, top)) {
            return Ok(known);
        }
        let result = grow(|| self.start_class_uncached(m, class, top))?;
        self.classes.insert((class, top), result);
        Ok(result)
    }

    /// What one of `terminals`, and then the rest, still has to read when `top` is the top of the stack.
    ///
    /// # Errors
    /// The cache is over its limit.
    pub fn start_terminals(
        &mut self,
        m: Machine<'_>,
        terminals: TerminalSetId,
        then: Then,
        top: LrState,
    ) -> Result<ReadId, GlrError> {
        if let Some(&known) = self.terminals.get(&(terminals, then, top)) {
            return Ok(known);
        }
        let result = grow(|| self.start_terminals_uncached(m, terminals, then, top))?;
        self.terminals.insert((terminals, then, top), result);
        Ok(result)
    }

    /// After reading one more symbol.
    ///
    /// # Errors
    /// The cache is over its limit.
    pub fn read(&mut self, m: Machine<'_>, state: ReadId, symbol: LrState) -> Result<ReadId, GlrError> {
        if state == ReadId::ACCEPT || state == ReadId::FAIL {
            return Ok(state);
        }
        if let Some(&known) = self.reads.get(&(state, symbol)) {
            return Ok(known);
        }
        let result = grow(|| {
            let items = self.states[state].clone();
            let parts = items.iter().map(|&item| self.read_item(m, item, symbol)).collect::<Result<Vec<_>, _>>()?;
            self.union(parts)
        })?;
        self.reads.insert((state, symbol), result);
        Ok(result)
    }

    /// What must be read after a terminal whose shift put `top` on the stack.
    ///
    /// # Errors
    /// The cache is over its limit.
    pub fn after(&mut self, m: Machine<'_>, then: Then, top: LrState) -> Result<ReadId, GlrError> {
        match then {
            Then::Class(class) => self.start_class(m, class, top),
            Then::Open(Need::Free) => Ok(ReadId::ACCEPT),
            Then::Open(Need::Pending(conditions)) => self.completable_from(m, conditions, top),
        }
    }

    /// What must be read for the text to be completable under `conditions` when `top` is the top of the stack.
    ///
    /// # Errors
    /// The cache is over its limit.
    pub fn completable_from(
        &mut self,
        m: Machine<'_>,
        conditions: ConditionSetId,
        top: LrState,
    ) -> Result<ReadId, GlrError> {
        self.completable_states(m.completable.start(conditions, top))
    }

    /// The id of a set of terminals.
    pub fn terminal_set(&mut self, set: TerminalSet) -> TerminalSetId {
        if let Some(&known) = self.set_ids.get(&set) {
            return known;
        }
        self.bytes += 16 * set.words().len() + 64;
        let id = self.sets.push(set.clone());
        self.set_ids.insert(set, id);
        id
    }

    /// An interned set of terminals.
    pub fn terminals(&self, id: TerminalSetId) -> &TerminalSet {
        &self.sets[id]
    }

    /// Splits `terminals` by what `top` does under them: those it shifts with the state pushed, and the reductions, each
    /// with the terminals that ask for it.
    pub(crate) fn actions(&mut self, m: Machine<'_>, terminals: TerminalSetId, top: LrState) -> Actions {
        let set = self.sets[terminals].clone();
        let shifts = m.tables.shifts(top).filter(|&(t, _)| set.contains(t)).collect();
        let mut reductions: Vec<(Reduction, TerminalSet)> = Vec::new();
        for (words, list) in m.tables.reduction_groups(top) {
            let mut under = TerminalSet::from_words(words);
            under.intersect_with(&set);
            if under.is_empty() {
                continue;
            }
            for &reduction in list {
                match reductions.iter_mut().find(|r| r.0 == reduction) {
                    Some((_, known)) => {
                        known.union_with(&under);
                    }
                    None => reductions.push((reduction, under.clone())),
                }
            }
        }
        let reductions = reductions.into_iter().map(|(r, set)| (r, self.terminal_set(set))).collect();
        Actions { shifts, reductions }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.states.len()
    }
    /// Never: two states are always there.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }
    /// Rough memory use in bytes.
    pub fn memory_usage(&self) -> usize {
        self.bytes + (self.reads.len() + self.terminals.len() + self.classes.len()) * 32
    }

    fn start_class_uncached(&mut self, m: Machine<'_>, class: ClassId, top: LrState) -> Result<ReadId, GlrError> {
        let mut parts = Vec::new();
        let ignored = m.dag.node(class).open.iter().filter(|o| o.terminal == IGNORED).map(|o| o.need);
        for need in ignored {
            parts.push(self.after(m, Then::Open(need), top)?);
        }
        for &(terminals, then) in self.class_groups(m.dag, class).iter() {
            if parts.last() == Some(&ReadId::ACCEPT) {
                return Ok(ReadId::ACCEPT);
            }
            parts.push(self.start_terminals(m, terminals, then, top)?);
        }
        self.union(parts)
    }

    fn class_groups(&mut self, dag: &ClassDag, class: ClassId) -> ClassGroups {
        if let Some(known) = self.groups.get(&class) {
            return known.clone();
        }
        let groups: ClassGroups =
            group_firsts(dag, class).into_iter().map(|(then, set)| (self.terminal_set(set), then)).collect();
        self.groups.insert(class, groups.clone());
        groups
    }

    fn start_terminals_uncached(
        &mut self,
        m: Machine<'_>,
        terminals: TerminalSetId,
        then: Then,
        top: LrState,
    ) -> Result<ReadId, GlrError> {
        let Actions { shifts, reductions } = self.actions(m, terminals, top);
        if !shifts.is_empty() && then == Then::Open(Need::Free) {
            return Ok(ReadId::ACCEPT);
        }
        let mut parts = Vec::new();
        for (_, pushed) in shifts {
            // The shifted symbol stands on `top`: the rest reads both before it reads the unknown stack.
            let rest = self.after(m, then, pushed)?;
            parts.push(self.read(m, rest, top)?);
        }
        let item = |(r, terminals): (Reduction, _)| Item::Reduce { pop: r.pop - 1, lhs: r.lhs, terminals, then };
        parts.push(self.intern(reductions.into_iter().map(item).collect())?);
        self.union(parts)
    }

    fn read_item(&mut self, m: Machine<'_>, item: Item, symbol: LrState) -> Result<ReadId, GlrError> {
        match item {
            Item::Completable(state) => self.completable_states(m.completable.read(state, symbol)),
            Item::Reduce { pop: 0, lhs, terminals, then } => match m.tables.goto(symbol, lhs) {
                Some(pushed) => {
                    let rest = self.start_terminals(m, terminals, then, pushed)?;
                    self.read(m, rest, symbol)
                }
                None => Ok(ReadId::FAIL),
            },
            Item::Reduce { pop, lhs, terminals, then } => {
                self.intern(vec![Item::Reduce { pop: pop - 1, lhs, terminals, then }])
            }
        }
    }

    fn completable_states(&mut self, states: &[StackState]) -> Result<ReadId, GlrError> {
        if states.contains(&StackState::FINAL) {
            return Ok(ReadId::ACCEPT);
        }
        self.intern(states.iter().map(|&state| Item::Completable(state)).collect())
    }

    fn union(&mut self, parts: Vec<ReadId>) -> Result<ReadId, GlrError> {
        if parts.contains(&ReadId::ACCEPT) {
            return Ok(ReadId::ACCEPT);
        }
        match parts.as_slice() {
            [] => Ok(ReadId::FAIL),
            [one] => Ok(*one),
            many => {
                let items = many.iter().flat_map(|&part| self.states[part].iter().copied()).collect();
                self.intern(items)
            }
        }
    }

    fn intern(&mut self, mut items: Vec<Item>) -> Result<ReadId, GlrError> {
        if items.is_empty() {
            return Ok(ReadId::FAIL);
        }
        items.sort_unstable();
        items.dedup();
        let items = items.into_boxed_slice();
        if let Some(&known) = self.ids.get(&items) {
            return Ok(known);
        }
        GlrError::check_limit("states of the stack-effect automaton", self.states.len(), STATE_LIMIT)?;
        self.bytes += 2 * std::mem::size_of_val(&*items) + 48;
        let id = self.states.push(items.clone());
        self.ids.insert(items, id);
        Ok(id)
    }
}

/// What a state does under a set of terminals.
pub(crate) struct Actions {
    pub(crate) shifts: Vec<(TerminalId, LrState)>,
    pub(crate) reductions: Vec<(Reduction, TerminalSetId)>,
}

/// The first terminals of a class, grouped by what comes after them; ignored text apart.
pub(crate) fn group_firsts(dag: &ClassDag, class: ClassId) -> Vec<(Then, TerminalSet)> {
    let node = dag.node(class);
    let open = node.open.iter().filter(|o| o.terminal != IGNORED).map(|o| (Then::Open(o.need), o.terminal));
    let mut firsts: Vec<(Then, TerminalId)> = open.chain(node.edges.iter().map(|e| (Then::Class(e.1), e.0))).collect();
    firsts.sort_unstable();
    firsts.chunk_by(|a, b| a.0 == b.0).map(|run| (run[0].0, run.iter().map(|f| f.1).collect())).collect()
}

/// Runs `f` on a stack that is large enough: unit chains and tokens can be thousands of steps deep.
pub(crate) fn grow<R>(f: impl FnOnce() -> R) -> R {
    const RED_ZONE: usize = 128 * 1024;
    const CHUNK: usize = 4 * 1024 * 1024;
    stacker::maybe_grow(RED_ZONE, CHUNK, f)
}
