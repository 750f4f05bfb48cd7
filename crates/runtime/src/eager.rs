//! The eager fill policy: the tables of `fill`, run to the end before decoding starts.
//!
//! The same functions that fill on demand are called for everything that decoding can ask without pending conditions: for
//! every place of a lexeme its viability and profile; for every top of the stack under which the lexeme can be in
//! progress, the rows of the Parser DWA over all paths of the LR automaton below that top; for every row at the end of
//! a path, the mask. Nothing new is computed here; what a [`Budget`] cuts off is filled on demand later.
//!
//! Stages in this order, so that a cut leaves the cheap leftovers: profiles (walks over the vocabulary), then for one query
//! after the other its rows and the masks for them.
//!
//! What was taken over of parts (`adopted.rs`) is left out here, and joined to the result.
//!
//! Several threads share the places of lexemes between them. Each has tables of its own, with numbers of its own; the
//! frozen tables are put side by side at the end (`Frozen::join`), which shifts numbers and nothing else. So threads
//! share nothing while they work, and the price is that what two of them need is made twice.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;

use glrmask_automata::lexdag::ConditionSetId;
use glrmask_automata::{Id, IndexVec, LabelSetId, StateId};
use glrmask_glr::{AcceptId, LrState, QueryId, Reading, RowId, Tables};
use glrmask_lexer::{Component, ComponentId};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::branch::Lexeme;
use crate::constraint::Inner;
use crate::contexts::Contexts;
use crate::error::RuntimeError;
use crate::fill::{Cache, PendingPlace, ProfileId, Viability};
use crate::frozen::Frozen;
use crate::reach::{anywhere, pending_places};
use crate::stored_split::StoredSplits;

/// More threads than this are never started.
const MAX_THREADS: usize = 64;
/// Fewest places of one lexeme that a thread takes at once, as far as there are so many.
const SHARE: usize = 32;
/// Bytes of stack of a thread, as the main thread mostly has.
const STACK: usize = 8 << 20;

/// How far to fill before decoding.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// Units of work: profiles, rows and transitions of the Parser DWA, masks.
    pub states: usize,
    /// Bytes of tables.
    pub memory: usize,
    /// Threads that may work on it; 0 counts as one. One does where first terminals are shifted.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// What a fill leaves.
pub(crate) struct Filled {
    pub(crate) frozen: Option<Frozen>,
    /// What ended it before its time, if anything did.
    pub(crate) cut: Option<Cut>,
    /// The tables themselves, or those of one of the threads, to go on from if there is anything left to fill.
    pub(crate) cache: Option<Cache>,
}

/// Fills everything, as far as the budget goes.
pub(crate) fn fill(inner: &Inner, budget: &Budget<'_>) -> Result<Filled, RuntimeError> {
    let Some(adopted) = inner.adopted.get() else { return fill_own(inner, budget) };
    let Some(taken) = adopted.tables() else {
        // Complete since an earlier fill.
        let frozen = inner.frozen().as_ref().map(|known| Frozen::clone(known));
        return Ok(Filled { frozen, cut: None, cache: None });
    };
    let Filled { frozen, cut, cache } = fill_own(inner, budget)?;
    let frozen = frozen.map(|own| Frozen::join(vec![Frozen::clone(&taken), own]));
    Ok(Filled { frozen, cut: cut.or(adopted.cut), cache })
}

fn fill_own(inner: &Inner, budget: &Budget<'_>) -> Result<Filled, RuntimeError> {
    if inner.shift_first {
        return fill_splits(inner, budget);
    }
    let threads = budget.threads.min(MAX_THREADS);
    if threads < 2 {
        let mut cache = inner.cache.read().successor(&inner.lexer);
        let cut = fill_cache(inner, &mut cache, budget)?;
        return Ok(Filled { frozen: Some(Frozen::new(&cache)), cut, cache: cut.map(|_| cache) });
    }
    warm(inner, budget);
    let work = Work::new(inner, budget, threads);
    let fill_part = |worker: usize| -> Result<Filled, RuntimeError> {
        let mut cache = inner.cache.read().successor(&inner.lexer);
        let cut = Filler::new(inner, &mut cache, &work, worker).fill()?;
        let frozen = Some(Frozen::new(&cache));
        let wanted = worker == 0 && cut.is_some();
        Ok(Filled { frozen, cut, cache: wanted.then_some(cache) })
    };
    let parts: Vec<_> = std::thread::scope(|scope| {
        let start = |worker| {
            let part = move || fill_part(worker);
            // If no thread can be started, those that run do the work.
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, part).ok()
        };
        let others: Vec<_> = (1..threads).filter_map(start).collect();
        let own = fill_part(0);
        let panicked = || Err(RuntimeError::invalid("a thread that fills tables has panicked"));
        let others = others.into_iter().map(|thread| thread.join().unwrap_or_else(|_| panicked()));
        std::iter::once(own).chain(others).collect()
    });
    let mut parts: Vec<Filled> = parts.into_iter().collect::<Result<_, _>>()?;
    // Whoever was cut first tells the others to stop.
    let cut = parts.iter().filter_map(|part| part.cut).min_by_key(|&cut| cut == Cut::Stopped);
    let cache = parts.first_mut().and_then(|part| part.cache.take());
    let frozen = Frozen::join(parts.into_iter().filter_map(|part| part.frozen).collect());
    Ok(Filled { frozen: Some(frozen), cut, cache })
}

/// Fills everything into these tables, on this thread. `None` if nothing is left to do.
pub(crate) fn fill_cache(inner: &Inner, cache: &mut Cache, budget: &Budget<'_>) -> Result<Option<Cut>, RuntimeError> {
    let work = Work::new(inner, budget, 1);
    Filler::new(inner, cache, &work, 0).fill()
}

/// Fills the tables of a lexer whose terminals are shifted first. They stay where decoding fills the rest: masks, of
/// which there are too many to make them all.
fn fill_splits(inner: &Inner, budget: &Budget<'_>) -> Result<Filled, RuntimeError> {
    let mut cache = with_known_places(inner);
    let work = Work::new(inner, budget, 1);
    let cut = Filler::new(inner, &mut cache, &work, 0).fill_splits()?;
    Ok(Filled { frozen: None, cut, cache: Some(cache) })
}

/// Tables in which what places see is known as far as decoding, an artifact or an earlier fill has it.
fn with_known_places(inner: &Inner) -> Cache {
    let current = inner.cache.read();
    let (stored, conditions) = (StoredSplits::new(&current), current.lexer.conditions().clone());
    let empty = current.successor(&inner.lexer);
    drop(current);
    stored.and_then(|stored| stored.among(&conditions).restore(inner).ok()).unwrap_or(empty)
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
        let start = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
        // If no thread can be started, those that run do the work.
        let others: Vec<_> = (1..budget.threads.min(MAX_THREADS)).filter_map(start).collect();
        work();
        // What a thread did not get done is done when it is needed.
        others.into_iter().for_each(|thread| drop(thread.join()));
    });
}

/// How many units of work a fill would take, about: pairs of a place of a lexeme and a top of the stack. Cheap.
pub(crate) fn predicted_work(inner: &Inner, enough: usize) -> usize {
    let contexts = Contexts::new(inner);
    let mut work = 0;
    let is_adopted = |id, state| inner.adopted.get().is_some_and(|adopted| adopted.has_place(id, state));
    for (id, component) in inner.lexer.components().iter_enumerated() {
        for state in component.dfa().states().filter(|&state| !is_adopted(id, state)) {
            work += 1 + contexts.count(inner, component, state);
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

/// Pairs of a place and pending conditions that are filled ahead.
const PENDING: usize = 256;

/// Pairs of a terminal and a top of the stack that are gone through in the time of one unit of work.
const TOPS_PER_UNIT: usize = 2_048;

/// What the threads of one fill share.
struct Work<'a> {
    budget: &'a Budget<'a>,
    contexts: Contexts,
    /// Per component, the states in which a lexeme can be in progress.
    places: IndexVec<ComponentId, Vec<StateId>>,
    /// Shares of the work, the larger ones first where several threads take them.
    shares: Vec<Share>,
    next: AtomicUsize,
    done: AtomicUsize,
    /// Bytes of the tables of each thread.
    memory: Box<[AtomicUsize]>,
    /// Whether some thread has been cut, or has failed.
    over: AtomicBool,
}

/// Some places of lexemes.
enum Share {
    Boundary,
    /// Places of a component, by number.
    Inside(ComponentId, Range<usize>),
}

impl<'a> Work<'a> {
    fn new(inner: &Inner, budget: &'a Budget<'a>, threads: usize) -> Self {
        let mut places: IndexVec<ComponentId, Vec<StateId>> = IndexVec::new();
        for (id, component) in inner.lexer.components().iter_enumerated() {
            let mut own = entered(component);
            if let Some(adopted) = inner.adopted.get() {
                own.retain(|&state| !adopted.has_place(id, state) || component.dfa().future(state).is_empty());
            }
            places.push(own);
        }
        let all: usize = places.iter().map(Vec::len).sum();
        // Neighbours are alike, so shares are not too small; enough of them that no thread waits for long.
        let size = if threads < 2 { usize::MAX } else { (all / (8 * threads)).max(SHARE) };
        let mut ranges: Vec<(ComponentId, Range<usize>)> = Vec::new();
        for (id, places) in places.iter_enumerated() {
            let count = places.len();
            let cuts = (0..count).step_by(size.min(count).max(1));
            ranges.extend(cuts.map(|from| (id, from..from.saturating_add(size).min(count))));
        }
        if threads > 1 {
            ranges.sort_by_key(|(_, range)| std::cmp::Reverse(range.len()));
        }
        let inside = ranges.into_iter().map(|(id, range)| Share::Inside(id, range));
        let shares = inside.chain([Share::Boundary]).collect();
        Self {
            budget,
            contexts: Contexts::new(inner),
            places,
            shares,
            next: AtomicUsize::new(0),
            done: AtomicUsize::new(0),
            memory: (0..threads).map(|_| AtomicUsize::new(0)).collect(),
            over: AtomicBool::new(false),
        }
    }
}

struct Filler<'a> {
    inner: &'a Inner,
    cache: &'a mut Cache,
    work: &'a Work<'a>,
    /// Number of this thread.
    worker: usize,
    /// Units of work spent since others were told.
    spent: usize,
    /// The last answer about tops: neighbours ask the same.
    last_tops: Option<KnownTops>,
    /// A state for each block of states that no token tells apart.
    seen: FxHashMap<(ComponentId, (u32, u32)), StateId>,
}

/// Of lexemes of a component that can become any of a set of terminals: the tops.
type KnownTops = ((ComponentId, LabelSetId), Arc<[LrState]>);

/// A query, the tops it can meet, and the profiles that ask it.
#[derive(Default)]
struct Task {
    tops: FxHashSet<LrState>,
    profiles: Vec<ProfileId>,
    /// What is accepted at the ends of walks.
    ends: FxHashSet<AcceptId>,
}

impl<'a> Filler<'a> {
    fn new(inner: &'a Inner, cache: &'a mut Cache, work: &'a Work<'a>, worker: usize) -> Self {
        Self { inner, cache, work, worker, spent: 0, last_tops: None, seen: FxHashMap::default() }
    }

    fn fill(mut self) -> Result<Option<Cut>, RuntimeError> {
        let ended = self.run();
        self.cut(ended)
    }

    fn fill_splits(mut self) -> Result<Option<Cut>, RuntimeError> {
        let ended = self.run_splits();
        self.cut(ended)
    }

    fn cut(&self, ended: Result<(), Ended>) -> Result<Option<Cut>, RuntimeError> {
        if ended.is_err() {
            self.work.over.store(true, Ordering::Relaxed);
        }
        match ended {
            Ok(()) => Ok(None),
            Err(Ended::Cut(cut)) => Ok(Some(cut)),
            Err(Ended::Failed(error)) if error.is_limit() => Ok(Some(Cut::States)),
            Err(Ended::Failed(error)) => Err(error),
        }
    }

    fn run(&mut self) -> Result<(), Ended> {
        let mut tasks: IndexVec<QueryId, Task> = IndexVec::new();
        self.profiles(&mut tasks)?;
        for (query, task) in (0..).map(QueryId).zip(tasks.iter_mut()) {
            self.rows(query, task)?;
            self.masks(task)?;
        }
        Ok(())
    }

    /// Places first, so that one query asks for all of them; then its rows.
    fn run_splits(&mut self) -> Result<(), Ended> {
        let (inner, work) = (self.inner, self.work);
        let mut threads = Vec::new();
        self.cache.viability(inner, Lexeme::Boundary, ConditionSetId::NONE)?;
        self.cache.split_boundary(inner)?;
        for (id, component) in inner.lexer.components().iter_enumerated() {
            for &state in &work.places[id] {
                if component.dfa().future(state).is_empty() {
                    continue;
                }
                self.spend(1)?;
                let before = self.cache.scans();
                self.cache.viability(inner, Lexeme::Inside((id, state)), ConditionSetId::NONE)?;
                self.cache.look_from(inner, (id, state))?;
                self.spend((self.cache.scans() - before) / SCANS_PER_UNIT)?;
                threads.push((id, state));
            }
        }
        let query = self.cache.unite_queries(inner, &threads)?;
        for thread in threads {
            self.cache.split(inner, thread)?;
        }
        self.pending()?;
        self.cache.lexer_mut().forget_scans();
        let mut tops = FxHashSet::from_iter([Tables::START]);
        let all = || (0..inner.tables.states()).map(LrState::from_usize);
        for state in all() {
            tops.extend(inner.tables.actionable(state).iter().filter_map(|&t| inner.tables.shift(state, t)));
        }
        self.edges(query, &tops)
    }

    fn spend(&mut self, work: usize) -> Result<(), Ended> {
        self.spent += work;
        let shared = self.work;
        let budget = shared.budget;
        let done = shared.done.load(Ordering::Relaxed) + self.spent;
        if done > budget.states {
            return Err(Ended::Cut(Cut::States));
        }
        if self.spent < 64 {
            return Ok(());
        }
        shared.done.fetch_add(std::mem::take(&mut self.spent), Ordering::Relaxed);
        shared.memory[self.worker].store(self.cache.memory_usage(), Ordering::Relaxed);
        let memory: usize = shared.memory.iter().map(|bytes| bytes.load(Ordering::Relaxed)).sum();
        if memory > budget.memory {
            return Err(Ended::Cut(Cut::Memory));
        }
        match shared.over.load(Ordering::Relaxed) || (budget.stop)() {
            true => Err(Ended::Cut(Cut::Stopped)),
            false => Ok(()),
        }
    }

    // ------------------------------------------------------------------ profiles

    fn profiles(&mut self, tasks: &mut IndexVec<QueryId, Task>) -> Result<(), Ended> {
        let (inner, work) = (self.inner, self.work);
        while let Some(share) = work.shares.get(work.next.fetch_add(1, Ordering::Relaxed)) {
            match share {
                Share::Boundary => self.boundary(tasks)?,
                Share::Inside(id, places) => {
                    let component = inner.lexer.component(*id);
                    for &state in work.places[*id].get(places.clone()).unwrap_or_default() {
                        if !component.dfa().future(state).is_empty() {
                            self.place(tasks, *id, component, state)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Between lexemes: at the start, and after lexemes that nothing longer can match.
    fn boundary(&mut self, tasks: &mut IndexVec<QueryId, Task>) -> Result<(), Ended> {
        let (inner, Work { contexts, places, .. }) = (self.inner, self.work);
        let mut tops: FxHashSet<LrState> = FxHashSet::from_iter([Tables::START]);
        for (id, component) in inner.lexer.components().iter_enumerated() {
            let ends = places[id].iter().filter(|&&state| component.dfa().future(state).is_empty());
            ends.for_each(|&state| contexts.after(inner, id, component, state, &mut tops));
        }
        contexts.after_events(inner, &mut tops);
        if let Some(adopted) = inner.adopted.get() {
            tops.retain(|&top| !adopted.has_top(top));
        }
        let viability = self.cache.viability(inner, Lexeme::Boundary, ConditionSetId::NONE)?;
        if let Viability::Query(query) = viability {
            task(tasks, query).tops.extend(&tops);
        }
        for top in tops {
            self.spend(1)?;
            let profile = self.cache.boundary(inner, inner.start_components(top), Some(top))?;
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
        let profile = self.cache.inside(self.inner, (id, state))?;
        self.spend((self.cache.scans() - before) / SCANS_PER_UNIT)?;
        let tops = self.tops(id, component, state)?;
        if let Viability::Query(query) = viability {
            task(tasks, query).tops.extend(&*tops);
        }
        let task = task(tasks, self.cache.profile(profile).query);
        task.tops.extend(&*tops);
        task.profiles.push(profile);
        Ok(())
    }

    /// [`Contexts::tops`], which depends on what the lexeme can become alone.
    fn tops(&mut self, id: ComponentId, component: &Component, state: StateId) -> Result<Arc<[LrState]>, Ended> {
        let key = (id, component.dfa().live_id(state));
        if let Some((_, tops)) = self.last_tops.as_ref().filter(|last| last.0 == key) {
            return Ok(tops.clone());
        }
        self.spend(self.work.contexts.count(self.inner, component, state) / TOPS_PER_UNIT)?;
        let tops: Arc<[LrState]> = self.work.contexts.tops(self.inner, id, component, state).into();
        self.last_tops = Some((key, tops.clone()));
        Ok(tops)
    }

    /// Where conditions can be pending, as far as that is soon.
    fn pending(&mut self) -> Result<(), Ended> {
        let inner = self.inner;
        if inner.lexer.is_plain() {
            return Ok(());
        }
        for (lexeme, conditions) in pending_places(&inner.lexer, self.cache.lexer_mut().conditions_mut(), PENDING) {
            self.spend(1)?;
            let before = self.cache.scans();
            self.cache.viability(inner, lexeme, conditions)?;
            let place = match lexeme {
                Lexeme::Inside(thread) => PendingPlace::Inside(thread),
                Lexeme::Boundary => PendingPlace::Boundary(anywhere(&inner.lexer)),
            };
            self.cache.pending(inner, place, conditions)?;
            self.spend((self.cache.scans() - before) / SCANS_PER_UNIT)?;
        }
        Ok(())
    }

    // ------------------------------------------------------------------ rows and masks

    /// Explores the Parser DWA for one query, over every path of the LR automaton below the tops.
    fn rows(&mut self, query: QueryId, task: &mut Task) -> Result<(), Ended> {
        let mut seen: FxHashSet<(Reading, LrState)> = FxHashSet::default();
        let mut work: Vec<(Reading, LrState)> = Vec::new();
        for &top in &task.tops {
            self.spend(1)?;
            work.push((self.cache.start(self.inner, query, top)?, top));
        }
        while let Some((reading, symbol)) = work.pop() {
            if reading.is_done() || symbol == Tables::START {
                task.ends.insert(reading.accepted);
            }
            if reading.is_done() || !seen.insert((reading, symbol)) {
                continue;
            }
            for &below in self.inner.tables.predecessors(symbol) {
                self.spend(1)?;
                work.push((self.cache.read(self.inner, reading, below)?, below));
            }
        }
        Ok(())
    }

    /// Explores the rows alone, whatever has been accepted on the way to them.
    fn edges(&mut self, query: QueryId, tops: &FxHashSet<LrState>) -> Result<(), Ended> {
        let mut seen: FxHashSet<(RowId, LrState)> = FxHashSet::default();
        let mut work: Vec<(RowId, LrState)> = Vec::new();
        for &top in tops {
            self.spend(1)?;
            work.push((self.cache.start(self.inner, query, top)?.row, top));
        }
        while let Some((row, symbol)) = work.pop() {
            if row == RowId::DONE || !seen.insert((row, symbol)) {
                continue;
            }
            for &below in self.inner.tables.predecessors(symbol) {
                self.spend(1)?;
                work.push((self.cache.edge(self.inner, row, below)?.row, below));
            }
        }
        Ok(())
    }

    fn masks(&mut self, task: &Task) -> Result<(), Ended> {
        for &profile in &task.profiles {
            for &accept in &task.ends {
                self.spend(1)?;
                self.cache.mask(self.inner, profile, accept);
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
