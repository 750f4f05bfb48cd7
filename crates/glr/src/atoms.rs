//! Atoms: the walk down the stack for all classes that begin alike, at once.
//!
//! First terminals that can be followed by the same things (the *need set*) form a group. An atom is a weighted state of
//! the stack-effect automaton for one group: these stack-effect states are still being read, each for these *places* (a
//! first terminal with one member of the need set); and these reductions are still popping, each for a set of first
//! terminals with everything that may follow them. So the reductions before the shift are done once per set of
//! terminals that ask for them, not once per class or per terminal. Everything is memoised and hash-consed.

use glrmask_automata::lexdag::Need;
use glrmask_automata::{typed_id, Id, IndexVec, NonterminalId, TerminalId};
use rustc_hash::FxHashMap;

use crate::effects::{grow, Actions, Effects, Machine, ReadId, TerminalSetId, Then};
use crate::error::GlrError;
use crate::tables::LrState;
use crate::terminal_set::TerminalSet;
use crate::weights::{WeightId, Weights};

typed_id!(
    /// First terminals with the same need set.
    pub struct GroupId, "g"
);
typed_id!(
    /// A weighted state of the stack-effect automaton for one group.
    pub struct AtomId, "atom"
);

impl AtomId {
    /// Nothing is left to read.
    pub const NONE: Self = Self(u32::MAX);
}

/// Atoms one cache may hold.
const ATOM_LIMIT: usize = 20_000_000;

/// First terminals that share a need set. Place `i * needs.len() + j`: terminal i with need j. Without terminals the
/// group stands for ignored text, and place j for need j.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    /// Sorted.
    pub terminals: Box<[TerminalId]>,
    /// Sorted.
    pub needs: Box<[Then]>,
}

impl Group {
    /// The place of a terminal with a need.
    pub fn place(&self, terminal: TerminalId, then: Then) -> Option<usize> {
        let member = self.needs.binary_search(&then).ok()?;
        Some(self.terminals.binary_search(&terminal).ok()? * self.needs.len() + member)
    }
    fn places(&self) -> usize {
        self.terminals.len().max(1) * self.needs.len()
    }
    fn places_of(&self, terminal: TerminalId) -> std::ops::Range<usize> {
        let first = self.terminals.binary_search(&terminal).map_or(0, |i| i * self.needs.len());
        first..first + self.needs.len()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Atom {
    group: GroupId,
    /// Reductions under way: symbols still to pop, nonterminal to go to, terminals that ask for it. Sorted.
    roots: Box<[Root]>,
    /// Stack-effect states with the places they stand for. Sorted, one entry per state.
    entries: Box<[(ReadId, WeightId)]>,
}

type Root = (u32, NonterminalId, TerminalSetId);

/// What reading a symbol gives: places accepted now, and what is left.
pub type Step = (WeightId, AtomId);

/// Atoms found so far.
#[derive(Clone, Debug, Default)]
pub struct Atoms {
    pub(crate) effects: Effects,
    pub(crate) weights: Weights,
    groups: IndexVec<GroupId, Group>,
    group_ids: FxHashMap<Group, GroupId>,
    atoms: IndexVec<AtomId, Atom>,
    ids: FxHashMap<Atom, AtomId>,
    starts: FxHashMap<(GroupId, Option<TerminalSetId>, LrState), Step>,
    reads: FxHashMap<(AtomId, LrState), Step>,
    /// Of groups.
    group_bytes: usize,
    /// Of atoms.
    bytes: usize,
}

/// Collects the outcome of a step.
#[derive(Default)]
struct Collector {
    accepted: WeightId,
    /// Places accepted one by one; joined to `accepted` at the end.
    places: Vec<usize>,
    roots: Vec<Root>,
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
    /// Forgets atoms and stack-effect states; groups and weights stay valid.
    pub fn clear(&mut self) {
        self.effects = Effects::default();
        self.atoms = IndexVec::new();
        self.ids.clear();
        self.starts.clear();
        self.reads.clear();
        self.bytes = 0;
    }

    /// The id of a group; `terminals` and `needs` are sorted and distinct.
    pub fn group(&mut self, terminals: Box<[TerminalId]>, needs: Box<[Then]>) -> GroupId {
        let group = Group { terminals, needs };
        if let Some(&known) = self.group_ids.get(&group) {
            return known;
        }
        self.group_bytes += 2 * (4 * group.terminals.len() + 12 * group.needs.len()) + 64;
        let id = self.groups.push(group.clone());
        self.group_ids.insert(group, id);
        id
    }

    /// A group.
    pub fn get_group(&self, id: GroupId) -> &Group {
        &self.groups[id]
    }

    /// The walk for a whole group, `top` being the top of the stack. Memoised.
    ///
    /// # Errors
    /// The cache is over its limit.
    pub fn start(&mut self, m: Machine<'_>, group: GroupId, top: LrState) -> Result<Step, GlrError> {
        let terminals = &self.groups[group].terminals;
        if terminals.is_empty() {
            return self.start_ignored(m, group, top);
        }
        let set: TerminalSet = terminals.iter().copied().collect();
        let set = self.effects.terminal_set(set);
        self.start_set(m, group, set, top)
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
        let step = grow(|| self.read_uncached(m, atom, symbol))?;
        self.reads.insert((atom, symbol), step);
        Ok(step)
    }

    /// The atom without what is only needed for places that are `accepted` already.
    ///
    /// # Errors
    /// The cache is over its limit.
    pub fn without(&mut self, atom: AtomId, accepted: WeightId) -> Result<AtomId, GlrError> {
        if atom == AtomId::NONE || accepted == WeightId::ZERO {
            return Ok(atom);
        }
        let Atom { group, roots, entries } = self.atoms[atom].clone();
        let places = self.groups[group].places();
        if self.weights.count(accepted) == places {
            return Ok(AtomId::NONE);
        }
        let mut left = Collector::default();
        for (pop, lhs, terminals) in roots.iter().copied() {
            if let Some(terminals) = self.unaccepted(group, terminals, accepted) {
                left.roots.push((pop, lhs, terminals));
            }
        }
        for &(state, weight) in &entries {
            let weight = self.weights.difference(weight, accepted);
            if weight != WeightId::ZERO {
                left.entries.push((state, weight));
            }
        }
        Ok(self.finish(group, left)?.1)
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
        let memos = (self.starts.len() + self.reads.len()) * 36;
        self.group_bytes + self.bytes + self.effects.memory_usage() + self.weights.memory_usage() + memos
    }

    /// Those of `terminals` that have a place which is not accepted yet.
    fn unaccepted(&mut self, group: GroupId, set: TerminalSetId, accepted: WeightId) -> Option<TerminalSetId> {
        let Self { effects, weights, groups, .. } = self;
        let open = |t: &TerminalId| groups[group].places_of(*t).any(|place| !weights.contains(accepted, place));
        let left: TerminalSet = effects.terminals(set).iter().filter(open).collect();
        (!left.is_empty()).then(|| effects.terminal_set(left))
    }

    fn start_ignored(&mut self, m: Machine<'_>, group: GroupId, top: LrState) -> Result<Step, GlrError> {
        if let Some(&known) = self.starts.get(&(group, None, top)) {
            return Ok(known);
        }
        let mut found = Collector::default();
        for (place, &then) in self.groups[group].needs.clone().iter().enumerate() {
            let state = self.effects.after(m, then, top)?;
            let weight = self.weights.of([place]);
            found.add(&mut self.weights, state, weight);
        }
        let step = self.finish(group, found)?;
        self.starts.insert((group, None, top), step);
        Ok(step)
    }

    /// The walk for some of the terminals of a group.
    fn start_set(
        &mut self,
        m: Machine<'_>,
        group: GroupId,
        terminals: TerminalSetId,
        top: LrState,
    ) -> Result<Step, GlrError> {
        if let Some(&known) = self.starts.get(&(group, Some(terminals), top)) {
            return Ok(known);
        }
        let step = grow(|| self.start_set_uncached(m, group, terminals, top))?;
        self.starts.insert((group, Some(terminals), top), step);
        Ok(step)
    }

    fn start_set_uncached(
        &mut self,
        m: Machine<'_>,
        group: GroupId,
        terminals: TerminalSetId,
        top: LrState,
    ) -> Result<Step, GlrError> {
        let mut found = Collector::default();
        let Actions { shifts, reductions } = self.effects.actions(m, terminals, top);
        let needs = if shifts.is_empty() { Vec::new() } else { self.groups[group].needs.to_vec() };
        for (terminal, pushed) in shifts {
            let first = self.groups[group].places_of(terminal).start;
            for (member, &then) in needs.iter().enumerate() {
                let place = first + member;
                if then == Then::Open(Need::Free) {
                    found.places.push(place);
                    continue;
                }
                let rest = self.effects.after(m, then, pushed)?;
                match self.effects.read(m, rest, top)? {
                    ReadId::ACCEPT => found.places.push(place),
                    state => {
                        let weight = self.weights.of([place]);
                        found.add(&mut self.weights, state, weight);
                    }
                }
            }
        }
        found.roots.extend(reductions.into_iter().map(|(r, set)| (r.pop - 1, r.lhs, set)));
        self.finish(group, found)
    }

    fn read_uncached(&mut self, m: Machine<'_>, atom: AtomId, symbol: LrState) -> Result<Step, GlrError> {
        let Atom { group, roots, entries } = self.atoms[atom].clone();
        let mut found = Collector::default();
        for &(state, weight) in &entries {
            let next = self.effects.read(m, state, symbol)?;
            found.add(&mut self.weights, next, weight);
        }
        for &(pop, lhs, terminals) in &roots {
            if pop > 0 {
                found.roots.push((pop - 1, lhs, terminals));
                continue;
            }
            let Some(pushed) = m.tables.goto(symbol, lhs) else { continue };
            // The goto symbol stands on `symbol`: read both before the unknown stack.
            let (accepted, after) = self.start_set(m, group, terminals, pushed)?;
            found.accepted = self.weights.union(found.accepted, accepted);
            let (accepted, left) = self.read(m, after, symbol)?;
            found.accepted = self.weights.union(found.accepted, accepted);
            if left != AtomId::NONE {
                found.roots.extend_from_slice(&self.atoms[left].roots);
                found.entries.extend_from_slice(&self.atoms[left].entries);
            }
        }
        self.finish(group, found)
    }

    fn finish(&mut self, group: GroupId, mut found: Collector) -> Result<Step, GlrError> {
        if !found.places.is_empty() {
            let places = self.weights.of(found.places.drain(..));
            found.accepted = self.weights.union(found.accepted, places);
        }
        found.entries.sort_unstable();
        let mut entries: Vec<(ReadId, WeightId)> = Vec::with_capacity(found.entries.len());
        for (state, weight) in found.entries {
            match entries.last_mut() {
                Some(last) if last.0 == state => last.1 = self.weights.union(last.1, weight),
                _ => entries.push((state, weight)),
            }
        }
        let roots = self.unite_roots(found.roots);
        if roots.is_empty() && entries.is_empty() {
            return Ok((found.accepted, AtomId::NONE));
        }
        let atom = Atom { group, roots: roots.into(), entries: entries.into() };
        Ok((found.accepted, self.intern(atom)?))
    }

    /// One root per reduction.
    fn unite_roots(&mut self, mut roots: Vec<Root>) -> Vec<Root> {
        roots.sort_unstable();
        roots.dedup();
        let mut united: Vec<Root> = Vec::with_capacity(roots.len());
        for (pop, lhs, terminals) in roots {
            match united.last_mut() {
                Some(last) if (last.0, last.1) == (pop, lhs) => {
                    let both = self.effects.terminals(last.2).union(self.effects.terminals(terminals));
                    last.2 = self.effects.terminal_set(both);
                }
                _ => united.push((pop, lhs, terminals)),
            }
        }
        united
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
