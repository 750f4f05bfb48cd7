//! The eager fill policy: the tables of `fill`, run to the end before decoding starts.
//!
//! The same functions that fill on demand are called for everything that decoding can ask without pending conditions: for
//! every place of a lexeme its viability and profile; for every top of the stack under which the lexeme can be in
//! progress, the rows of the Parser DWA over all paths of the LR automaton below that top; for every row at the end of
//! a path, the mask. Nothing new is computed here; what a [`Budget`] cuts off is filled on demand later.
//!
//! Stages in this order, so that a cut leaves the cheap leftovers: profiles (walks over the vocabulary), then rows, then
//! masks.

use std::sync::atomic::{AtomicUsize, Ordering};

use glrmask_automata::lexdag::ConditionSetId;
use glrmask_automata::{Id, IndexVec, StateId, TerminalId};
use glrmask_glr::{LrState, QueryId, RowId, Tables};
use glrmask_lexer::{BitSet, Component, ComponentId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::branch::Lexeme;
use crate::constraint::Inner;
use crate::error::RuntimeError;
use crate::fill::{Cache, ProfileId, Viability};

/// More threads than this are never started.
const MAX_THREADS: usize = 64;

/// How far to fill before decoding.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// Units of work: profiles, rows and transitions of the Parser DWA, masks.
    pub states: usize,
    /// Bytes of tables.
    pub memory: usize,
    /// Threads that may work on it; 0 counts as one.
    pub threads: usize,
    /// Asked now and then; the fill ends when it says true. Clocks and cancel flags belong to the caller.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl Default for Budget<'_> {
    fn default() -> Self {
        Self { states: usize::MAX, memory: usize::MAX, threads: 1, stop: &|| false }
    }
}

/// What ended a fill before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// [`Budget::states`].
    States,
    /// [`Budget::memory`].
    Memory,
    /// [`Budget::stop`].
    Stopped,
}

/// How a fill ended: an error of the tables, or the budget.
pub(crate) enum Ended {
    Cut(Cut),
    Failed(RuntimeError),
}

impl<E: Into<RuntimeError>> From<E> for Ended {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// Fills everything. `None` if nothing is left to do.
pub(crate) fn fill(inner: &Inner, cache: &mut Cache, budget: &Budget<'_>) -> Result<Option<Cut>, RuntimeError> {
    if budget.threads > 1 {
        warm(inner, budget);
    }
    let mut filler =
        Filler { inner, cache, budget, contexts: Contexts::new(inner), done: 0, seen: FxHashMap::default() };
    match filler.run() {
        Ok(()) => Ok(None),
        Err(Ended::Cut(cut)) => Ok(Some(cut)),
        Err(Ended::Failed(error)) if error.is_limit() => Ok(Some(Cut::States)),
        Err(Ended::Failed(error)) => Err(error),
    }
}

/// Makes the long walks over the vocabulary on several threads; the fill finds them on the vocabulary.
fn warm(inner: &Inner, budget: &Budget<'_>) {
    let next = AtomicUsize::new(0);
    let work = || loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index >= inner.lexer.components().len() || (budget.stop)() {
            return;
        }
        glrmask_lexer::warm(&inner.lexer, &inner.vocab, ComponentId::from_usize(index));
    };
    std::thread::scope(|scope| {
        for _ in 1..budget.threads.min(MAX_THREADS) {
            // If no thread can be started, those that run do the work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
}

/// How many units of work a fill would take, about: pairs of a place of a lexeme and a top of the stack. Cheap.
pub(crate) fn predicted_work(inner: &Inner, enough: usize) -> usize {
    let contexts = Contexts::new(inner);
    let mut work = 0;
    for (id, component) in inner.lexer.components().iter_enumerated() {
        for state in component.dfa().states() {
            work += 1 + contexts.count(inner, id, component, state);
            if work > enough {
                return work;
            }
        }
    }
    work
}

/// Trie nodes that are visited in the time of one unit of work, most of them being cut in one go.
const NODES_PER_UNIT: usize = 4_000;

/// Fresh scans that are made in the time of one unit of work. Few, as a rule; thousands where many lexemes overlap.
const SCANS_PER_UNIT: usize = 64;

/// Pairs of a terminal and a top of the stack that are gone through in the time of one unit of work.
const TOPS_PER_UNIT: usize = 2_048;

struct Filler<'a> {
    inner: &'a Inner,
    cache: &'a mut Cache,
    budget: &'a Budget<'a>,
    contexts: Contexts,
    done: usize,
    /// A state for each block of states that no token tells apart.
    seen: FxHashMap<(ComponentId, u32), StateId>,
}

/// A query, the tops it can meet, and the profiles that ask it.
#[derive(Default)]
struct Task {
    tops: FxHashSet<LrState>,
    profiles: Vec<ProfileId>,
    ends: FxHashSet<RowId>,
}

impl Filler<'_> {
    fn run(&mut self) -> Result<(), Ended> {
        let mut tasks: IndexVec<QueryId, Task> = IndexVec::new();
        self.profiles(&mut tasks)?;
        for (query, task) in (0..).map(QueryId).zip(tasks.iter_mut()) {
            self.rows(query, task)?;
        }
        for task in tasks.iter() {
            self.masks(task)?;
        }
        Ok(())
    }

    fn spend(&mut self, work: usize) -> Result<(), Ended> {
        let before = self.done / 64;
        self.done += work;
        if self.done > self.budget.states {
            return Err(Ended::Cut(Cut::States));
        }
        if self.done / 64 == before {
            return Ok(());
        }
        if self.cache.memory_usage() > self.budget.memory {
            return Err(Ended::Cut(Cut::Memory));
        }
        match (self.budget.stop)() {
            true => Err(Ended::Cut(Cut::Stopped)),
            false => Ok(()),
        }
    }

    // ------------------------------------------------------------------ profiles

    fn profiles(&mut self, tasks: &mut IndexVec<QueryId, Task>) -> Result<(), Ended> {
        let inner = self.inner;
        let mut at_boundary: FxHashSet<LrState> = FxHashSet::from_iter([Tables::START]);
        let viability = self.cache.viability(inner, Lexeme::Boundary, ConditionSetId::NONE)?;
        for (id, component) in inner.lexer.components().iter_enumerated() {
            for state in entered(component) {
                if component.dfa().future(state).is_empty() {
                    self.contexts.after(inner, id, component, state, &mut at_boundary);
                } else {
                    self.place(tasks, id, component, state)?;
                }
            }
        }
        self.contexts.after_events(inner, &mut at_boundary);
        if let Viability::Query(query) = viability {
            task(tasks, query).tops.extend(&at_boundary);
        }
        for top in at_boundary {
            self.spend(1)?;
            let profile = self.cache.boundary(inner, inner.start_components(top), Some(top), ConditionSetId::NONE)?;
            let query = self.cache.profile(profile).query;
            let task = task(tasks, query);
            task.tops.insert(top);
            task.profiles.push(profile);
        }
        Ok(())
    }

    /// A lexeme in progress that may go on.
    fn place(
        &mut self,
        tasks: &mut IndexVec<QueryId, Task>,
        id: ComponentId,
        component: &Component,
        state: StateId,
    ) -> Result<(), Ended> {
        self.spend(1)?;
        let block = self.cache.block(self.inner, (id, state));
        if let Some(&like) = block.and_then(|block| self.seen.get(&(id, block))) {
            self.cache.copy_place(id, state, like);
            return Ok(());
        }
        self.seen.extend(block.map(|block| ((id, block), state)));
        let lexeme = Lexeme::Inside((id, state));
        let viability = self.cache.viability(self.inner, lexeme, ConditionSetId::NONE)?;
        if viability == Viability::Never {
            return Ok(());
        }
        let nodes = self.cache.visits(self.inner, (id, state));
        self.spend(nodes / NODES_PER_UNIT)?;
        let before = self.cache.scans();
        let profile = self.cache.inside(self.inner, lexeme, ConditionSetId::NONE)?;
        self.spend((self.cache.scans() - before) / SCANS_PER_UNIT)?;
        self.spend(self.contexts.count(self.inner, id, component, state) / TOPS_PER_UNIT)?;
        let tops = self.contexts.tops(self.inner, id, component, state);
        if let Viability::Query(query) = viability {
            task(tasks, query).tops.extend(&tops);
        }
        let task = task(tasks, self.cache.profile(profile).query);
        task.tops.extend(&tops);
        task.profiles.push(profile);
        Ok(())
    }

    // ------------------------------------------------------------------ rows and masks

    /// Explores the Parser DWA for one query, over every path of the LR automaton below the tops.
    fn rows(&mut self, query: QueryId, task: &mut Task) -> Result<(), Ended> {
        let mut seen: FxHashSet<(RowId, LrState)> = FxHashSet::default();
        let mut work: Vec<(RowId, LrState)> = Vec::new();
        for &top in &task.tops {
            self.spend(1)?;
            let row = self.cache.start_row(self.inner, query, top)?;
            work.push((row, top));
        }
        while let Some((row, symbol)) = work.pop() {
            if self.cache.dwa().is_final(row) {
                task.ends.insert(row);
                continue;
            }
            if symbol == Tables::START {
                task.ends.insert(row);
            }
            if !seen.insert((row, symbol)) {
                continue;
            }
            for &below in self.inner.tables.predecessors(symbol) {
                self.spend(1)?;
                work.push((self.cache.read_row(self.inner, row, below)?, below));
            }
        }
        Ok(())
    }

    fn masks(&mut self, task: &Task) -> Result<(), Ended> {
        for &profile in &task.profiles {
            for &row in &task.ends {
                self.spend(1)?;
                self.cache.mask(self.inner, profile, row);
            }
        }
        Ok(())
    }
}

fn task(tasks: &mut IndexVec<QueryId, Task>, query: QueryId) -> &mut Task {
    while tasks.len() <= query.index() {
        tasks.push(Task::default());
    }
    &mut tasks[query]
}

/// The states in which a lexeme can be in progress: those that some byte leads to.
fn entered(component: &Component) -> Vec<StateId> {
    let dfa = component.dfa();
    let mut entered = vec![false; dfa.len()];
    for state in dfa.states() {
        for &next in dfa.row(state) {
            if let Some(slot) = entered.get_mut(next.index()) {
                *slot = true;
            }
        }
    }
    dfa.states().filter(|q| entered[q.index()]).collect()
}

/// Which tops of the stack go with which lexemes.
struct Contexts {
    /// Per terminal, the LR states with an action on it.
    by_terminal: FxHashMap<TerminalId, Vec<LrState>>,
}

impl Contexts {
    fn new(inner: &Inner) -> Self {
        let mut by_terminal: FxHashMap<TerminalId, Vec<LrState>> = FxHashMap::default();
        for state in (0..inner.tables.states()).map(LrState::from_usize) {
            for &terminal in inner.tables.actionable(state) {
                by_terminal.entry(terminal).or_default().push(state);
            }
        }
        Self { by_terminal }
    }

    fn acting(&self, inner: &Inner, terminal: TerminalId) -> &[LrState] {
        let known = inner.lexer.parser_terminal(terminal).and_then(|t| self.by_terminal.get(&t));
        known.map_or(&[], |states| states)
    }

    /// The tops under which a lexeme of this component can stand in this state and still become something.
    fn tops(&self, inner: &Inner, id: ComponentId, component: &Component, state: StateId) -> Vec<LrState> {
        // Near the root of many literals most states are met thousands of times.
        let mut tops = BitSet::new(inner.tables.states());
        for terminal in component.live(state) {
            self.acting(inner, terminal).iter().for_each(|top| tops.insert(top.index()));
            if inner.lexer.is_ignored(terminal) {
                let all = (0..inner.tables.states()).map(LrState::from_usize);
                let starting = all.filter(|&top| inner.start_components(top).contains(id.index()));
                starting.for_each(|top| tops.insert(top.index()));
            }
        }
        tops.iter().map(LrState::from_usize).collect()
    }

    /// The tops after a token event; any top where it is ignored.
    fn after_events(&self, inner: &Inner, tops: &mut FxHashSet<LrState>) {
        for terminal in inner.events.terminals() {
            if inner.lexer.is_ignored(terminal) {
                tops.extend((0..inner.tables.states()).map(LrState::from_usize));
            }
            let Some(shifted) = inner.lexer.parser_terminal(terminal) else { continue };
            tops.extend(self.acting(inner, terminal).iter().filter_map(|&s| inner.tables.shift(s, shifted)));
        }
    }

    fn count(&self, inner: &Inner, _: ComponentId, component: &Component, state: StateId) -> usize {
        let tops = |terminal| match inner.lexer.is_ignored(terminal) {
            true => inner.tables.states(),
            false => self.acting(inner, terminal).len(),
        };
        component.live(state).map(tops).sum()
    }

    /// The tops after a finished lexeme: where its terminals lead, or as before where it is ignored.
    fn after(
        &self,
        inner: &Inner,
        id: ComponentId,
        component: &Component,
        state: StateId,
        tops: &mut FxHashSet<LrState>,
    ) {
        for terminal in component.matched(state) {
            if inner.lexer.is_ignored(terminal) {
                tops.extend(self.tops(inner, id, component, state));
            }
            let Some(shifted) = inner.lexer.parser_terminal(terminal) else { continue };
            tops.extend(self.acting(inner, terminal).iter().filter_map(|&s| inner.tables.shift(s, shifted)));
        }
    }
}
