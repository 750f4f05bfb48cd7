//! Asking the Parser DWA about the stacks of a branch: viability and masks.
//!
//! Each function first runs on shared access with what is known; on the first thing that is missing it starts again
//! with exclusive access and fills. One stack without conditions is the fast path; sets of stacks are walked as a graph,
//! each (node, row) once.

use std::sync::Arc;

use glrmask_automata::lexdag::ConditionSetId;
use glrmask_glr::{parser, AcceptId, LrState, QueryId, Reading};
use glrmask_lexer::{BitSet, Thread};
use glrmask_vocab::{mask, TokenId, Vocab};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::branch::{Alternatives, Branch, Branches, Lexeme, Stacks};
use crate::constraint::Inner;
use crate::error::RuntimeError;
use crate::event;
use crate::fill::{Cache, Pending, PendingPlace, ProfileId, Viability};
use crate::frozen::Frozen;
use crate::mask::Mask;
use crate::reach::anywhere;
use crate::split::{Part, Split};
use crate::state::condition_sets;

/// Something is not in the tables yet.
#[derive(Debug)]
struct Missing;

/// Access to the tables: frozen, shared and only what is known, or exclusive and filling.
trait Access {
    type Error;
    fn viability(&mut self, lexeme: Lexeme, conditions: ConditionSetId) -> Result<Viability, Self::Error>;
    /// The profile at a place, nothing pending.
    fn profile(&mut self, lexeme: Lexeme, stacks: &Stacks) -> Result<ProfileId, Self::Error>;
    /// What conditions change at a place.
    fn pending(&mut self, place: PendingPlace, conditions: ConditionSetId) -> Result<Arc<Pending>, Self::Error>;
    /// How the mask at a place of a lexeme is asked for behind the first terminal.
    fn split(&mut self, thread: Thread) -> Result<Arc<Split>, Self::Error>;
    /// The profile between lexemes, where any may start.
    fn split_boundary(&mut self) -> Result<ProfileId, Self::Error>;
    fn query(&self, profile: ProfileId) -> QueryId;
    fn start(&mut self, query: QueryId, top: LrState) -> Result<Reading, Self::Error>;
    fn read(&mut self, reading: Reading, symbol: LrState) -> Result<Reading, Self::Error>;
    fn mask(&mut self, profile: ProfileId, accept: AcceptId) -> Result<&Mask, Self::Error>;
}

/// What was filled before decoding: no lock, and only without pending conditions.
struct Ready<'a>(&'a Frozen);

impl Access for Ready<'_> {
    type Error = Missing;
    #[inline]
    fn viability(&mut self, lexeme: Lexeme, conditions: ConditionSetId) -> Result<Viability, Missing> {
        self.0.viability(lexeme, conditions).ok_or(Missing)
    }
    #[inline]
    fn profile(&mut self, lexeme: Lexeme, stacks: &Stacks) -> Result<ProfileId, Missing> {
        self.0.profile(lexeme, || only_top(stacks)).ok_or(Missing)
    }
    fn pending(&mut self, _: PendingPlace, _: ConditionSetId) -> Result<Arc<Pending>, Missing> {
        Err(Missing)
    }
    fn split(&mut self, _: Thread) -> Result<Arc<Split>, Missing> {
        Err(Missing)
    }
    fn split_boundary(&mut self) -> Result<ProfileId, Missing> {
        Err(Missing)
    }
    #[inline]
    fn query(&self, profile: ProfileId) -> QueryId {
        self.0.query(profile)
    }
    #[inline]
    fn start(&mut self, query: QueryId, top: LrState) -> Result<Reading, Missing> {
        self.0.start(query, top).ok_or(Missing)
    }
    #[inline]
    fn read(&mut self, reading: Reading, symbol: LrState) -> Result<Reading, Missing> {
        self.0.read(reading, symbol).ok_or(Missing)
    }
    #[inline]
    fn mask(&mut self, profile: ProfileId, accept: AcceptId) -> Result<&Mask, Missing> {
        self.0.mask(profile, accept).ok_or(Missing)
    }
}

struct Known<'a> {
    inner: &'a Inner,
    cache: &'a Cache,
}

impl Access for Known<'_> {
    type Error = Missing;
    #[inline]
    fn viability(&mut self, lexeme: Lexeme, conditions: ConditionSetId) -> Result<Viability, Missing> {
        self.cache.known_viability(lexeme, conditions).ok_or(Missing)
    }
    #[inline]
    fn profile(&mut self, lexeme: Lexeme, stacks: &Stacks) -> Result<ProfileId, Missing> {
        let known = match lexeme {
            Lexeme::Inside(thread) => self.cache.known_inside(thread),
            Lexeme::Boundary => match only_top(stacks) {
                Some(top) => self.cache.known_plain_boundary(top),
                None => self.cache.known_boundary(&start_components(self.inner, stacks)),
            },
        };
        known.ok_or(Missing)
    }
    fn pending(&mut self, place: PendingPlace, conditions: ConditionSetId) -> Result<Arc<Pending>, Missing> {
        self.cache.known_pending(&place, conditions).cloned().ok_or(Missing)
    }
    #[inline]
    fn split(&mut self, thread: Thread) -> Result<Arc<Split>, Missing> {
        self.cache.splits.known(thread).cloned().ok_or(Missing)
    }
    #[inline]
    fn split_boundary(&mut self) -> Result<ProfileId, Missing> {
        self.cache.splits.known_boundary().ok_or(Missing)
    }
    #[inline]
    fn query(&self, profile: ProfileId) -> QueryId {
        self.cache.profile(profile).query
    }
    #[inline]
    fn start(&mut self, query: QueryId, top: LrState) -> Result<Reading, Missing> {
        self.cache.dwa().known_start(query, top).ok_or(Missing)
    }
    #[inline]
    fn read(&mut self, reading: Reading, symbol: LrState) -> Result<Reading, Missing> {
        self.cache.dwa().known_read(reading, symbol).ok_or(Missing)
    }
    #[inline]
    fn mask(&mut self, profile: ProfileId, accept: AcceptId) -> Result<&Mask, Missing> {
        self.cache.known_mask(profile, accept).ok_or(Missing)
    }
}

struct Filling<'a> {
    inner: &'a Inner,
    cache: &'a mut Cache,
}

impl Access for Filling<'_> {
    type Error = RuntimeError;
    fn viability(&mut self, lexeme: Lexeme, conditions: ConditionSetId) -> Result<Viability, RuntimeError> {
        self.cache.viability(self.inner, lexeme, conditions)
    }
    fn profile(&mut self, lexeme: Lexeme, stacks: &Stacks) -> Result<ProfileId, RuntimeError> {
        match lexeme {
            Lexeme::Inside(thread) => self.cache.inside(self.inner, thread),
            Lexeme::Boundary => {
                let components = start_components(self.inner, stacks);
                self.cache.boundary(self.inner, &components, only_top(stacks))
            }
        }
    }
    fn pending(&mut self, place: PendingPlace, conditions: ConditionSetId) -> Result<Arc<Pending>, RuntimeError> {
        self.cache.pending(self.inner, place, conditions)
    }
    fn split(&mut self, thread: Thread) -> Result<Arc<Split>, RuntimeError> {
        self.cache.split(self.inner, thread)
    }
    fn split_boundary(&mut self) -> Result<ProfileId, RuntimeError> {
        self.cache.split_boundary(self.inner)
    }
    fn query(&self, profile: ProfileId) -> QueryId {
        self.cache.profile(profile).query
    }
    fn start(&mut self, query: QueryId, top: LrState) -> Result<Reading, RuntimeError> {
        self.cache.start(self.inner, query, top)
    }
    fn read(&mut self, reading: Reading, symbol: LrState) -> Result<Reading, RuntimeError> {
        self.cache.read(self.inner, reading, symbol)
    }
    fn mask(&mut self, profile: ProfileId, accept: AcceptId) -> Result<&Mask, RuntimeError> {
        Ok(self.cache.mask(self.inner, profile, accept))
    }
}

/// Whether some text completes the branch.
pub(crate) fn is_viable(inner: &Inner, branch: &Branch) -> Result<bool, RuntimeError> {
    if let Some(viable) = frozen_viable(inner, branch) {
        return Ok(viable);
    }
    {
        let cache = inner.cache.read();
        if let Ok(viable) = viable_with(&mut Known { inner, cache: &cache }, inner, branch) {
            return Ok(viable);
        }
    }
    let mut cache = inner.cache.write();
    let cache = &mut *cache;
    cache.shrink(&inner.lexer, inner.config.cache_bytes);
    viable_with(&mut Filling { inner, cache }, inner, branch)
}

/// [`is_viable`], if that is known already and nobody is filling the tables.
pub(crate) fn known_viable(inner: &Inner, branch: &Branch) -> Option<bool> {
    if let Some(viable) = frozen_viable(inner, branch) {
        return Some(viable);
    }
    let cache = inner.cache.try_read()?;
    viable_with(&mut Known { inner, cache: &cache }, inner, branch).ok()
}

fn frozen_viable(inner: &Inner, branch: &Branch) -> Option<bool> {
    inner.frozen().as_ref().and_then(|frozen| viable_with(&mut Ready(frozen), inner, branch).ok())
}

fn viable_with<A: Access>(access: &mut A, inner: &Inner, branch: &Branch) -> Result<bool, A::Error> {
    for conditions in condition_sets(&branch.stacks) {
        match access.viability(branch.lexeme, conditions)? {
            Viability::Always => return Ok(true),
            Viability::Never => {}
            Viability::Shift => {
                let Lexeme::Inside((component, state)) = branch.lexeme else { continue };
                let Some(stacks) = stacks_under(&branch.stacks, conditions) else { continue };
                let live = inner.lexer.component(component).live(state);
                let mut terminals = live.filter_map(|t| inner.lexer.parser_terminal(t));
                if terminals.any(|t| parser::can_shift(&inner.tables, &stacks, t)) {
                    return Ok(true);
                }
            }
            Viability::Query(query) => {
                let Some(stacks) = stacks_under(&branch.stacks, conditions) else { continue };
                let mut found = false;
                run(access, query, &stacks, &mut |accepted| {
                    found |= accepted != AcceptId::NOTHING;
                    found
                })?;
                if found {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// Writes the mask of all branches over `words`.
pub(crate) fn fill_mask(inner: &Inner, branches: &Branches, words: &mut [u32]) -> Result<(), RuntimeError> {
    fill_text_mask(inner, branches, words)?;
    match inner.events.is_empty() {
        true => Ok(()),
        false => event::add_to_mask(inner, branches, words, |branch| is_viable(inner, branch)),
    }
}

fn fill_text_mask(inner: &Inner, branches: &Branches, words: &mut [u32]) -> Result<(), RuntimeError> {
    if frozen_mask(inner, branches, words) {
        return Ok(());
    }
    {
        let cache = inner.cache.read();
        if mask_with(&mut Known { inner, cache: &cache }, inner, branches, words).is_ok() {
            return Ok(());
        }
    }
    let mut cache = inner.cache.write();
    let cache = &mut *cache;
    cache.shrink(&inner.lexer, inner.config.cache_bytes);
    mask_with(&mut Filling { inner, cache }, inner, branches, words)
}

/// [`fill_mask`], if all of it is known already and nobody is filling the tables; otherwise false, and `words` is junk.
pub(crate) fn known_mask(inner: &Inner, branches: &Branches, words: &mut [u32]) -> bool {
    let viable = |branch: &Branch| known_viable(inner, branch).ok_or(Missing);
    known_text_mask(inner, branches, words)
        && (inner.events.is_empty() || event::add_to_mask(inner, branches, words, viable).is_ok())
}

fn known_text_mask(inner: &Inner, branches: &Branches, words: &mut [u32]) -> bool {
    if frozen_mask(inner, branches, words) {
        return true;
    }
    let Some(cache) = inner.cache.try_read() else { return false };
    mask_with(&mut Known { inner, cache: &cache }, inner, branches, words).is_ok()
}

fn frozen_mask(inner: &Inner, branches: &Branches, words: &mut [u32]) -> bool {
    let frozen = inner.frozen();
    let Some(frozen) = frozen.as_ref() else { return false };
    mask_with(&mut Ready(frozen), inner, branches, words).is_ok()
}

fn mask_with<A: Access>(access: &mut A, inner: &Inner, branches: &Branches, words: &mut [u32]) -> Result<(), A::Error> {
    let mut out = Out { vocab: &inner.vocab, words, written: false };
    for branch in branches {
        for conditions in condition_sets(&branch.stacks) {
            let Some(stacks) = stacks_under(&branch.stacks, conditions) else { continue };
            match conditions {
                ConditionSetId::NONE => out.add_place(access, inner, branch.lexeme, &stacks)?,
                pending => out.add_pending(access, inner, branch.lexeme, &stacks, pending)?,
            }
        }
    }
    if !out.written {
        words.fill(0);
    }
    Ok(())
}

/// Where a mask is written.
struct Out<'a> {
    vocab: &'a Vocab,
    words: &'a mut [u32],
    /// Whether anything has been written; until then the words are junk.
    written: bool,
}

impl Out<'_> {
    /// Adds what is allowed at a place where nothing is pending.
    fn add_place<A: Access>(
        &mut self,
        access: &mut A,
        inner: &Inner,
        lexeme: Lexeme,
        stacks: &Stacks,
    ) -> Result<(), A::Error> {
        let profile = match lexeme {
            Lexeme::Inside(thread) if inner.shift_first => return self.add_split(access, inner, thread, stacks),
            Lexeme::Boundary if inner.shift_first => access.split_boundary()?,
            lexeme => access.profile(lexeme, stacks)?,
        };
        self.add(access, &[profile], stacks)
    }

    /// Adds what is allowed while conditions are pending: most tokens are as without them.
    fn add_pending<A: Access>(
        &mut self,
        access: &mut A,
        inner: &Inner,
        lexeme: Lexeme,
        stacks: &Stacks,
        conditions: ConditionSetId,
    ) -> Result<(), A::Error> {
        let place = match lexeme {
            Lexeme::Inside(thread) => PendingPlace::Inside(thread),
            Lexeme::Boundary if inner.shift_first => PendingPlace::Boundary(anywhere(&inner.lexer)),
            Lexeme::Boundary => PendingPlace::Boundary(start_components(inner, stacks)),
        };
        let pending = access.pending(place, conditions)?;
        // What other branches allow stays.
        let kept: SmallVec<[u32; 16]> = match self.written {
            true => pending.ids.iter().copied().filter(|&id| mask::get(self.words, TokenId(id))).collect(),
            false => SmallVec::new(),
        };
        self.add_place(access, inner, lexeme, stacks)?;
        if self.written {
            pending.ids.iter().for_each(|&id| self.words[id as usize / 32] &= !(1 << (id % 32)));
            kept.iter().for_each(|&id| self.words[id as usize / 32] |= 1 << (id % 32));
        }
        match pending.extra {
            Some(extra) => self.add(access, &[extra], stacks),
            None => Ok(()),
        }
    }

    /// Adds what these profiles, which ask the same, allow on the stacks.
    fn add<A: Access>(&mut self, access: &mut A, profiles: &[ProfileId], stacks: &Stacks) -> Result<(), A::Error> {
        let Some(&first) = profiles.first() else { return Ok(()) };
        let query = access.query(first);
        let mut accepted: SmallVec<[AcceptId; 4]> = SmallVec::new();
        run(access, query, stacks, &mut |accept| {
            accepted.push(accept);
            false
        })?;
        for accept in accepted {
            for &profile in profiles {
                let mask = access.mask(profile, accept)?;
                match self.written {
                    true => mask.add(self.vocab, self.words),
                    false => mask.write(self.vocab, self.words),
                }
                self.written = true;
            }
        }
        Ok(())
    }

    /// Adds what is allowed inside a lexeme, asked behind the first terminal: see [`crate::split`].
    fn add_split<A: Access>(
        &mut self,
        access: &mut A,
        inner: &Inner,
        thread: Thread,
        stacks: &Stacks,
    ) -> Result<(), A::Error> {
        let split = access.split(thread)?;
        for &Part { terminal, continued, ended } in &*split.parts {
            let shifted = parser::shift_terminal(&inner.tables, stacks, terminal);
            if shifted.is_empty() {
                continue;
            }
            match (continued, ended) {
                (Some(continued), Some(ended)) if access.query(continued) == access.query(ended) => {
                    self.add(access, &[continued, ended], &shifted)?;
                }
                _ => {
                    for profile in [continued, ended].into_iter().flatten() {
                        self.add(access, &[profile], &shifted)?;
                    }
                }
            }
        }
        for profile in [split.after_ignored, split.whole].into_iter().flatten() {
            self.add(access, &[profile], stacks)?;
        }
        Ok(())
    }
}

/// The stacks that have this set of conditions among their alternatives.
fn stacks_under(stacks: &Stacks, conditions: ConditionSetId) -> Option<std::borrow::Cow<'_, Stacks>> {
    if stacks.uniform().is_some() {
        return Some(std::borrow::Cow::Borrowed(stacks));
    }
    let kept = stacks.filter_map_weights(|w| {
        w.iter().any(|set| set == conditions).then(|| Alternatives::new([conditions])).flatten()
    });
    (!kept.is_empty()).then_some(std::borrow::Cow::Owned(kept))
}

/// Runs the Parser DWA over all stacks, from the top; calls `end` with what each path accepts, which may stop the run by
/// returning true. A path ends where nothing is left to read, or with the stack.
fn run<A: Access>(
    access: &mut A,
    query: QueryId,
    stacks: &Stacks,
    end: &mut impl FnMut(AcceptId) -> bool,
) -> Result<(), A::Error> {
    if let Some(stack) = stacks.linear() {
        let mut symbols = stack.iter();
        let Some(&top) = symbols.next() else { return Ok(()) };
        let mut reading = access.start(query, top)?;
        for &symbol in symbols {
            if reading.is_done() {
                break;
            }
            reading = access.read(reading, symbol)?;
        }
        end(reading.accepted);
        return Ok(());
    }
    let mut seen = FxHashSet::default();
    let mut work: Vec<(Stacks, Reading)> = Vec::new();
    for (&top, below) in stacks.pop_branches() {
        let reading = access.start(query, top)?;
        work.push((below, reading));
    }
    let mut ended: FxHashSet<AcceptId> = FxHashSet::default();
    // Held until the end: node identities are addresses.
    let mut held: Vec<Stacks> = Vec::new();
    while let Some((below, reading)) = work.pop() {
        if reading.is_done() || below.has_empty_stack() {
            if ended.insert(reading.accepted) && end(reading.accepted) {
                return Ok(());
            }
            if reading.is_done() {
                continue;
            }
        }
        if !seen.insert((below.node_id(), reading)) {
            continue;
        }
        for (&symbol, rest) in below.pop_branches() {
            let next = access.read(reading, symbol)?;
            work.push((rest, next));
        }
        held.push(below);
    }
    Ok(())
}

fn only_top(stacks: &Stacks) -> Option<LrState> {
    stacks.top().copied()
}

/// The components in which a lexeme may start, for any of the tops.
fn start_components(inner: &Inner, stacks: &Stacks) -> BitSet {
    let mut components = BitSet::new(inner.lexer.components().len());
    stacks.tops().for_each(|&top| components.union_with(inner.start_components(top)));
    components
}
