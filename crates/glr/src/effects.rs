//! Stack effects, in lazy form: what a terminal sequence still has to read from the parser stack.
//!
//! To an LR parser a terminal is a series of reads and writes at the top of the stack (the article's p⁻ and p⁺).
//! A write that meets a read cancels or kills the path, so what is left of a terminal sequence is the prefix of the
//! stack it must find. Here that language is a deterministic automaton over stack symbols, read from the top, whose
//! states are made on demand and hash-consed: a [`ReadId`] is a set of items "pop k more symbols, then go to A and take
//! the terminal, then the rest". A symbol that the sequence itself has pushed is read right away ([`Effects::read`] over
//! the pushed symbol: the cancellation); a symbol of the unknown stack becomes an item.
//!
//! Nothing here is weighted; [`crate::atoms`] packs many classes into one walk. See `docs/stack-effects.md`.

use glrmask_automata::lexdag::{ClassDag, ClassId, ConditionSetId, Need, IGNORED};
use glrmask_automata::{typed_id, IndexVec, NonterminalId, TerminalId};
use rustc_hash::FxHashMap;

use crate::completable::{Completable, StackState};
use crate::error::GlrError;
use crate::tables::{LrState, Tables};

typed_id!(
    /// What must still be read from the stack: a state of the stack-effect automaton.
    pub struct ReadId, "r"
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
    /// Pop `pop` more symbols, go to `lhs` from the symbol below, take `terminal`, then the rest.
    Reduce { pop: u32, lhs: NonterminalId, terminal: TerminalId, then: Then },
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
/// Stack space to keep in reserve, and how much to add at a time, for the recursion over unit chains and classes.
const RED_ZONE: usize = 128 * 1024;
const STACK_CHUNK: usize = 4 * 1024 * 1024;

/// The stack-effect automaton, filled on demand.
#[derive(Clone, Debug)]
pub struct Effects {
    states: IndexVec<ReadId, Box<[Item]>>,
    ids: FxHashMap<Box<[Item]>, ReadId>,
    reads: FxHashMap<(ReadId, LrState), ReadId>,
    terminals: FxHashMap<(TerminalId, Then, LrState), ReadId>,
    classes: FxHashMap<(ClassId, LrState), ReadId>,
    bytes: usize,
}

impl Default for Effects {
    fn default() -> Self {
        let mut effects = Self {
            states: IndexVec::new(),
            ids: FxHashMap::default(),
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

    /// What `terminal`, and then the rest, still has to read when `top` is the top of the stack.
    ///
    /// # Errors
    /// The cache is over its limit.
    pub fn start_terminal(
        &mut self,
        m: Machine<'_>,
        terminal: TerminalId,
        then: Then,
        top: LrState,
    ) -> Result<ReadId, GlrError> {
        if terminal == IGNORED {
            return self.after(m, then, top);
        }
        if let Some(&known) = self.terminals.get(&(terminal, then, top)) {
            return Ok(known);
        }
        let result = grow(|| self.start_terminal_uncached(m, terminal, then, top))?;
        self.terminals.insert((terminal, then, top), result);
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
        let states = m.completable.start(conditions, top);
        self.completable_states(states)
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
        let node = m.dag.node(class);
        let mut parts = Vec::new();
        for open in &*node.open {
            parts.push(self.start_terminal(m, open.terminal, Then::Open(open.need), top)?);
            if parts.last() == Some(&ReadId::ACCEPT) {
                return Ok(ReadId::ACCEPT);
            }
        }
        for &(terminal, rest) in &*node.edges {
            parts.push(self.start_terminal(m, terminal, Then::Class(rest), top)?);
        }
        self.union(parts)
    }

    fn start_terminal_uncached(
        &mut self,
        m: Machine<'_>,
        terminal: TerminalId,
        then: Then,
        top: LrState,
    ) -> Result<ReadId, GlrError> {
        let mut parts = Vec::new();
        if let Some(pushed) = m.tables.shift(top, terminal) {
            // The shifted symbol stands on `top`: the rest reads both before it reads the unknown stack.
            let rest = self.after(m, then, pushed)?;
            parts.push(self.read(m, rest, top)?);
        }
        let reductions = m.tables.reductions(top, terminal);
        if !reductions.is_empty() {
            let item = |r: &crate::tables::Reduction| Item::Reduce { pop: r.pop - 1, lhs: r.lhs, terminal, then };
            parts.push(self.intern(reductions.iter().map(item).collect())?);
        }
        self.union(parts)
    }

    fn read_item(&mut self, m: Machine<'_>, item: Item, symbol: LrState) -> Result<ReadId, GlrError> {
        match item {
            Item::Completable(state) => {
                let states = m.completable.read(state, symbol);
                self.completable_states(states)
            }
            Item::Reduce { pop: 0, lhs, terminal, then } => match m.tables.goto(symbol, lhs) {
                Some(pushed) => {
                    let rest = self.start_terminal(m, terminal, then, pushed)?;
                    self.read(m, rest, symbol)
                }
                None => Ok(ReadId::FAIL),
            },
            Item::Reduce { pop, lhs, terminal, then } => {
                self.intern(vec![Item::Reduce { pop: pop - 1, lhs, terminal, then }])
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

/// Runs `f` on a stack that is large enough: unit chains and tokens can be thousands of steps deep.
fn grow<R>(f: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RED_ZONE, STACK_CHUNK, f)
}
