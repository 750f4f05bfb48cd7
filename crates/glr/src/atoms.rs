//! Atoms: the walk down the stack for all classes that begin with the same terminal, at once.
//!
//! An atom is a weighted state of the stack-effect automaton. For one first terminal t and a list of things that may
//! come after it (the *need set*), it says: these stack-effect states are still being read, each for these members of
//! the need set; and these reductions under lookahead t are still popping, for all of them at once. Packing classes by
//! first terminal is what makes the Parser DWA cheap: the reductions before the shift are done once per terminal, not
//! once per class. Everything is memoised and hash-consed.

use glrmask_automata::lexdag::IGNORED;
use glrmask_automata::{typed_id, Id, IndexVec, NonterminalId, TerminalId};
use rustc_hash::FxHashMap;

use crate::effects::{Effects, Machine, ReadId, Then};
use crate::error::GlrError;
use crate::tables::LrState;
use crate::weights::{WeightId, Weights};

typed_id!(
    /// An interned, sorted list of things that may come after a first terminal.
    pub struct NeedSetId, "needs"
);
typed_id!(
    /// A weighted state of the stack-effect automaton for one first terminal.
    pub struct AtomId, "atom"
);

impl AtomId {
    /// Nothing is left to read.
    pub const NONE: Self = Self(u32::MAX);
}

/// Atoms one cache may hold.
const ATOM_LIMIT: usize = 20_000_000;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Atom {
    terminal: TerminalId,
    needs: NeedSetId,
    /// Reductions under way: symbols still to pop, nonterminal to go to. Sorted.
    roots: Box<[(u32, NonterminalId)]>,
    /// Stack-effect states with the members of the need set they stand for. Sorted, one entry per state.
    entries: Box<[(ReadId, WeightId)]>,
}

/// What reading a symbol gives: members of the need set accepted now, and what is left.
pub type Step = (WeightId, AtomId);

/// Atoms found so far.
#[derive(Clone, Debug, Default)]
pub struct Atoms {
    pub(crate) effects: Effects,
    pub(crate) weights: Weights,
    need_sets: IndexVec<NeedSetId, Box<[Then]>>,
    need_ids: FxHashMap<Box<[Then]>, NeedSetId>,
    atoms: IndexVec<AtomId, Atom>,
    ids: FxHashMap<Atom, AtomId>,
    starts: FxHashMap<(TerminalId, NeedSetId, LrState), Step>,
    reads: FxHashMap<(AtomId, LrState), Step>,
    bytes: usize,
}

/// Collects the outcome of a step.
#[derive(Default)]
struct Collector {
    accepted: WeightId,
    roots: Vec<(u32, NonterminalId)>,
    entries: Vec<(ReadId, WeightId)>,
}

impl Collector {
    fn add(&mut self, weights: &mut Weights, state: ReadId, weight: WeightId) {
        match state {
            ReadId::ACCEPT => self.accepted = weights.union(self.accepted, weight),
            ReadId::FAIL => {}
            _ => self.entries.push((state, weight)),
        }
    }
}

impl Atoms {
    /// Forgets atoms and stack-effect states; need sets and weights stay valid.
    pub fn clear(&mut self) {
        self.effects = Effects::default();
        self.atoms = IndexVec::new();
        self.ids.clear();
        self.starts.clear();
        self.reads.clear();
    }

    /// The id of a need set, sorted and without repetition.
    pub fn need_set(&mut self, mut needs: Vec<Then>) -> NeedSetId {
        needs.sort_unstable();
        needs.dedup();
        let needs = needs.into_boxed_slice();
        if let Some(&known) = self.need_ids.get(&needs) {
            return known;
        }
        self.bytes += 2 * std::mem::size_of_val(&*needs) + 48;
        let id = self.need_sets.push(needs.clone());
        self.need_ids.insert(needs, id);
        id
    }

    /// The members of a need set.
    pub fn needs(&self, id: NeedSetId) -> &[Then] {
        &self.need_sets[id]
    }

    /// The walk for `terminal` and what may follow it, `top` being the top of the stack. Memoised.
    ///
    /// # Errors
    /// The cache is over its limit.
    pub fn start(
        &mut self,
        m: Machine<'_>,
        terminal: TerminalId,
        needs: NeedSetId,
        top: LrState,
    ) -> Result<Step, GlrError> {
        if let Some(&known) = self.starts.get(&(terminal, needs, top)) {
            return Ok(known);
        }
        let step = stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.start_uncached(m, terminal, needs, top))?;
        self.starts.insert((terminal, needs, top), step);
        Ok(step)
    }

    /// After reading one more symbol. Memoised.
    ///
    /// # Errors
    /// The cache is over its limit.
    pub fn read(&mut self, m: Machine<'_>, atom: AtomId, symbol: LrState) -> Result<Step, GlrError> {
        if atom == AtomId::NONE {
            return Ok((WeightId::ZERO, AtomId::NONE));
        }
        if let Some(&known) = self.reads.get(&(atom, symbol)) {
            return Ok(known);
        }
        let step = stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || self.read_uncached(m, atom, symbol))?;
        self.reads.insert((atom, symbol), step);
        Ok(step)
    }

    /// The atom without what is only needed for members that are `accepted` already.
    ///
    /// # Errors
    /// The cache is over its limit.
    pub fn without(&mut self, atom: AtomId, accepted: WeightId) -> Result<AtomId, GlrError> {
        if atom == AtomId::NONE || accepted == WeightId::ZERO {
            return Ok(atom);
        }
        let Atom { terminal, needs, roots, entries } = self.atoms[atom].clone();
        let all = self.weights.of(0..self.need_sets[needs].len());
        if self.weights.difference(all, accepted) == WeightId::ZERO {
            return Ok(AtomId::NONE);
        }
        let mut left = Collector { roots: roots.into_vec(), ..Collector::default() };
        for &(state, weight) in &entries {
            let weight = self.weights.difference(weight, accepted);
            if weight != WeightId::ZERO {
                left.entries.push((state, weight));
            }
        }
        Ok(self.finish(terminal, needs, left)?.1)
    }

    /// Number of atoms.
    pub fn len(&self) -> usize {
        self.atoms.len()
    }
    /// Whether there is no atom.
    pub fn is_empty(&self) -> bool {
        self.atoms.is_empty()
    }
    /// Rough memory use in bytes.
    pub fn memory_usage(&self) -> usize {
        self.bytes
            + self.effects.memory_usage()
            + self.weights.memory_usage()
            + (self.starts.len() + self.reads.len()) * 36
    }

    fn start_uncached(
        &mut self,
        m: Machine<'_>,
        terminal: TerminalId,
        needs: NeedSetId,
        top: LrState,
    ) -> Result<Step, GlrError> {
        let mut found = Collector::default();
        let members = self.need_sets[needs].clone();
        if terminal == IGNORED {
            for (index, &then) in members.iter().enumerate() {
                let state = self.effects.after(m, then, top)?;
                let weight = self.weights.of([index]);
                found.add(&mut self.weights, state, weight);
            }
            return self.finish(terminal, needs, found);
        }
        if let Some(pushed) = m.tables.shift(top, terminal) {
            for (index, &then) in members.iter().enumerate() {
                let rest = self.effects.after(m, then, pushed)?;
                let state = self.effects.read(m, rest, top)?;
                let weight = self.weights.of([index]);
                found.add(&mut self.weights, state, weight);
            }
        }
        found.roots.extend(m.tables.reductions(top, terminal).iter().map(|r| (r.pop - 1, r.lhs)));
        self.finish(terminal, needs, found)
    }

    fn read_uncached(&mut self, m: Machine<'_>, atom: AtomId, symbol: LrState) -> Result<Step, GlrError> {
        let Atom { terminal, needs, roots, entries } = self.atoms[atom].clone();
        let mut found = Collector::default();
        for &(state, weight) in &entries {
            let next = self.effects.read(m, state, symbol)?;
            found.add(&mut self.weights, next, weight);
        }
        for &(pop, lhs) in &roots {
            if pop > 0 {
                found.roots.push((pop - 1, lhs));
                continue;
            }
            let Some(pushed) = m.tables.goto(symbol, lhs) else { continue };
            // The goto symbol stands on `symbol`: read both before the unknown stack.
            let (accepted, after) = self.start(m, terminal, needs, pushed)?;
            found.accepted = self.weights.union(found.accepted, accepted);
            let (accepted, left) = self.read(m, after, symbol)?;
            found.accepted = self.weights.union(found.accepted, accepted);
            if left != AtomId::NONE {
                found.roots.extend_from_slice(&self.atoms[left].roots);
                found.entries.extend_from_slice(&self.atoms[left].entries);
            }
        }
        self.finish(terminal, needs, found)
    }

    fn finish(&mut self, terminal: TerminalId, needs: NeedSetId, mut found: Collector) -> Result<Step, GlrError> {
        found.roots.sort_unstable();
        found.roots.dedup();
        found.entries.sort_unstable();
        let mut entries: Vec<(ReadId, WeightId)> = Vec::with_capacity(found.entries.len());
        for (state, weight) in found.entries {
            match entries.last_mut() {
                Some(last) if last.0 == state => last.1 = self.weights.union(last.1, weight),
                _ => entries.push((state, weight)),
            }
        }
        if found.roots.is_empty() && entries.is_empty() {
            return Ok((found.accepted, AtomId::NONE));
        }
        let atom = Atom { terminal, needs, roots: found.roots.into(), entries: entries.into() };
        Ok((found.accepted, self.intern(atom)?))
    }

    fn intern(&mut self, atom: Atom) -> Result<AtomId, GlrError> {
        if let Some(&known) = self.ids.get(&atom) {
            return Ok(known);
        }
        GlrError::check_limit("atoms of the Parser DWA", self.atoms.len(), ATOM_LIMIT)?;
        self.bytes += 2 * (std::mem::size_of_val(&*atom.roots) + std::mem::size_of_val(&*atom.entries)) + 112;
        let id = AtomId::from_usize(self.atoms.len());
        self.atoms.push(atom.clone());
        self.ids.insert(atom, id);
        Ok(id)
    }
}
