//! Tables of a part that was filled on its own, taken over by the constraint that it was linked into.
//!
//! Linking puts lexers and parser tables side by side ([`glrmask_lexer::link`], [`glrmask_glr::link`]), so a part has in the
//! whole the components and states that it has alone, under other numbers. Frozen tables hold numbers of those and of
//! themselves, and finished masks, which name tokens; they know no terminals and no classes. So what they say of a place of a
//! lexeme can be copied, if it is still true there. It is, where from this place
//!
//! - no token leaves the part: its class would go on with terminals of what stands around;
//! - no longest-match condition goes beyond the part's last terminal, and everything after it can be lexed;
//! - the stacks are the same from the top down to where the part was entered, below which nothing is read.
//!
//! Which tokens can leave is found by scanning those few that hold the last byte of the part and then the first of what
//! follows. All other places are filled as ever. Plain reference: nothing taken over; every mask is the same.

use std::cmp::Reverse;
use std::hash::Hash;
use std::ops::Range;
use std::sync::Arc;

use arc_swap::ArcSwapOption;
use glrmask_automata::lexdag::{ClassId, ConditionSetId, IGNORED};
use glrmask_automata::{ByteSet, Dfa, Id, StateId, TerminalId};
use glrmask_glr::{LrState, Reading, RowId, Tables, TerminalSet};
use glrmask_lexer::{BitSet, Component, ComponentId, Lexer, LexerCache, ScanId, Thread};
use glrmask_vocab::{Rank, Vocab};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::branch::Lexeme;
use crate::constraint::Inner;
use crate::eager::Cut;
use crate::error::{ArtifactError, RuntimeError};
use crate::fill::Viability;
use crate::frozen::{Frozen, Joined, Place};
use crate::stored::StoredFrozen;

/// What a constraint has filled before decoding, to be taken over by others that its grammar is part of.
#[derive(Clone, Debug)]
pub struct FilledPart {
    frozen: Arc<Frozen>,
    cut: Option<Cut>,
}

/// [`FilledPart`] as plain data.
#[derive(Serialize, Deserialize)]
pub struct StoredPart {
    frozen: StoredFrozen,
    cut: Option<Cut>,
}

/// Where a filled part is in a constraint, whose numbers these are.
#[derive(Clone, Debug)]
pub struct LinkedPart {
    /// What it has filled alone.
    pub filled: FilledPart,
    /// Its terminals.
    pub terminals: Range<usize>,
    /// Its components of the lexer.
    pub components: Range<usize>,
    /// Its states of the parser; the first of them stands for its start and is not used, but in the root.
    pub states: Range<usize>,
    /// The states in which it is entered, which are those of others; rising.
    pub entries: Vec<LrState>,
    /// What it can begin with.
    pub first: BitSet,
    /// What it can end with, as the parser knows it.
    pub last: BitSet,
    /// What can follow it, as the parser knows it.
    pub follow: BitSet,
}

impl FilledPart {
    /// What ended the fill before its time, if anything did.
    pub fn cut(&self) -> Option<Cut> {
        self.cut
    }

    pub(crate) fn new(inner: &Inner, frozen: &Arc<Frozen>, cut: Option<Cut>) -> Option<Self> {
        let plain = frozen.is_free && inner.token_terminals.is_empty() && inner.markers.is_none();
        let safe = frozen.viability_at_boundary == Some(Viability::Always);
        (plain && safe && !inner.shift_first).then(|| Self { frozen: frozen.clone(), cut })
    }

    /// As plain data. Time and size: those of the tables.
    pub fn stored(&self) -> StoredPart {
        StoredPart { frozen: StoredFrozen::new(&self.frozen, self.cut.is_none()), cut: self.cut }
    }
}

impl StoredPart {
    /// The tables, of a part with this lexer and these parser tables.
    ///
    /// # Errors
    /// Tables of something else.
    pub fn restore(self, lexer: &Lexer, tables: &Tables, vocab: &Vocab) -> Result<FilledPart, ArtifactError> {
        let (frozen, _) = self.frozen.restore(lexer, tables, vocab).map_err(ArtifactError::invalid)?;
        Ok(FilledPart { frozen: Arc::new(Frozen { is_free: true, ..frozen }), cut: self.cut })
    }
}

/// Tokens scanned to find out which places can be taken over, in all parts together: those left over are filled as ever.
const MAX_SCANS: usize = 10_000_000;

/// What a constraint has taken over.
#[derive(Debug)]
pub(crate) struct Adopted {
    /// The tables, as long as a fill may have to join them to what it makes: until one ends with everything done, whose
    /// result has them.
    tables: ArcSwapOption<Frozen>,
    /// Why that is not all that there is to fill in the places below.
    pub(crate) cut: Option<Cut>,
    /// Per component, states in which a lexeme can be in progress that need not be filled.
    places: FxHashMap<ComponentId, BitSet>,
    /// Tops of the stack between lexemes that need not be filled.
    tops: BitSet,
}

impl Adopted {
    /// What can be taken over of these parts. `None` if nothing can, or `stop` says so.
    pub(crate) fn new(
        inner: &Inner,
        parts: &[LinkedPart],
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Self>, RuntimeError> {
        let boundary = inner.cache.write().viability(inner, Lexeme::Boundary, ConditionSetId::NONE)?;
        if inner.shift_first || boundary != Viability::Always {
            return Ok(None);
        }
        let (mut places, mut tops, mut cut) = (FxHashMap::default(), BitSet::new(inner.tables.states()), None);
        let mut parts: Vec<_> = parts.iter().filter(|part| part.can_be_taken_over(inner)).collect();
        // The largest first: the others are added to it.
        parts.sort_by_key(|part| Reverse(part.filled.frozen.edges.len() + part.filled.frozen.masks.len()));
        let mut joined: Option<Joined> = None;
        let mut scans = Scans { stop, leaving: FxHashMap::default(), lexer: LexerCache::new(), left: MAX_SCANS };
        let plain = entered_plainly(&inner.tables, &parts);
        for (part, is_plain) in parts.into_iter().zip(plain) {
            let mut adoption = Adoption::new(inner, part, is_plain, &mut scans);
            for id in part.components.clone().map(ComponentId::from_usize) {
                places.insert(id, adoption.places(id)?);
            }
            let own = adoption.tops()?;
            if stop() {
                return Ok(None);
            }
            let (moved, first) = (part.moved(&places, &own), part.components.start);
            match &mut joined {
                Some(joined) => joined.add(moved, first),
                None => joined = Some(Joined::with_places(moved, first, no_places(inner))),
            }
            tops.union_with(&own);
            cut = cut.or(part.filled.cut);
        }
        let frozen = joined.map(Joined::finish).unwrap_or_default();
        let tables = ArcSwapOption::from_pointee(frozen);
        Ok((!places.is_empty()).then_some(Self { tables, cut, places, tops }))
    }

    /// The tables; `None` if what the constraint has frozen is complete and has them.
    pub(crate) fn tables(&self) -> Option<Arc<Frozen>> {
        self.tables.load_full()
    }
    /// A fill has ended with everything done.
    pub(crate) fn forget_tables(&self) {
        self.tables.store(None);
    }
    /// How many places need not be filled.
    pub(crate) fn count(&self) -> usize {
        self.places.values().map(|states| states.iter().count()).sum()
    }
    pub(crate) fn has_place(&self, component: ComponentId, state: StateId) -> bool {
        self.places.get(&component).is_some_and(|places| places.contains(state.index()))
    }
    pub(crate) fn has_top(&self, top: LrState) -> bool {
        self.tops.contains(top.index())
    }
}

impl LinkedPart {
    /// Whether anything of the part is in the whole as it is alone.
    fn can_be_taken_over(&self, inner: &Inner) -> bool {
        let follows_itself = self.follow.iter().any(|t| self.terminals.contains(&t));
        self.is_within(inner) && !follows_itself && self.ends_conditions(&inner.lexer)
    }

    /// Whether the numbers are some of the whole, and the tables as large as they say.
    fn is_within(&self, inner: &Inner) -> bool {
        let (components, states) = (inner.lexer.components(), inner.tables.states());
        let sizes = components.iter().skip(self.components.start).take(self.components.len()).map(|c| c.dfa().len());
        let has_states = self.states.end <= states && self.entries.iter().all(|entry| entry.index() < states);
        has_states && sizes.eq(self.filled.frozen.inside.iter().map(Vec::len))
    }

    /// Whether no condition outlives the last lexeme of the part: such a lexeme leaves none, and no terminal of the part of
    /// which a longer match counts can go on with its first byte.
    fn ends_conditions(&self, lexer: &Lexer) -> bool {
        let mut first = ByteSet::EMPTY;
        for known in KnownAs::all(lexer, &self.last) {
            let (component, dfa) = (known.component, known.component.dfa());
            let leaves = |q: StateId| known.matched(q).any(|t| !component.left(t, q).is_empty());
            if !component.is_plain() && dfa.states().any(leaves) {
                return false;
            }
            first = first.union(&known.first_bytes());
        }
        let components = lexer.components().iter().skip(self.components.start).take(self.components.len());
        let promised: BitSet = components.flat_map(Component::condition_terminals).map(Id::index).collect();
        let mut own = promised.iter().filter_map(|t| lexer.kill_automata().get(&TerminalId::from_usize(t)));
        // A condition has read something, which may have led back to the start.
        let is_pending = |dfa: &Dfa, q: StateId| q != dfa.start() || leads_back(dfa);
        let goes_on = |dfa: &Dfa, q: StateId| is_pending(dfa, q) && !dfa.next_bytes(q).intersection(&first).is_empty();
        own.all(|dfa| !dfa.states().any(|q| goes_on(dfa, q)))
    }

    /// Its states but the start.
    fn own_states(&self) -> Range<usize> {
        self.states.start.saturating_add(1)..self.states.end
    }

    /// Whether a state is its own, or one in which it is entered.
    fn has(&self, state: usize) -> bool {
        self.own_states().contains(&state) || self.entries.binary_search(&LrState::from_usize(state)).is_ok()
    }

    fn state(&self, own: LrState) -> LrState {
        LrState::from_usize(self.states.start.saturating_add(own.index()))
    }

    /// The states of the whole that a state stands for: where the part is entered, if it is its start.
    fn places_of(&self, own: LrState) -> impl Iterator<Item = LrState> + '_ {
        let (start, moved) = (own == Tables::START, self.state(own));
        let entries = self.entries.iter().copied().filter(move |_| start);
        entries.chain((!start).then_some(moved))
    }

    /// The tables by the numbers of the whole, as far as they are still true, with the places of the part alone.
    fn moved(&self, kept: &FxHashMap<ComponentId, BitSet>, tops: &BitSet) -> Frozen {
        let own = &self.filled.frozen;
        let kept_places = |(id, places): (usize, &Vec<Place>)| {
            let kept = kept.get(&ComponentId::from_usize(id));
            let is_kept = |state| kept.is_some_and(|kept| kept.contains(state));
            let places = places.iter().enumerate();
            places.map(|(state, &place)| if is_kept(state) { place } else { Place::default() }).collect()
        };
        let inside = self.components.clone().zip(&own.inside).map(kept_places).collect();
        let boundary =
            own.boundary.iter().flat_map(|(&top, &profile)| self.places_of(top).map(move |to| (to, profile)));
        // Below its entry nothing of the part is read.
        let is_read = |symbol, to: &Reading| symbol != Tables::START || to.row == RowId::DONE;
        Frozen {
            inside,
            viability_at_boundary: None,
            boundary: boundary.filter(|(top, _)| tops.contains(top.index())).collect(),
            queries: own.queries.clone(),
            starts: self.moved_keys(&own.starts, |_, _| true),
            edges: self.moved_keys(&own.edges, is_read),
            unions: own.unions.clone(),
            rows: own.rows,
            accepts: own.accepts,
            masks: own.masks.clone(),
            is_free: true,
            bytes: 0,
        }
    }
}

impl LinkedPart {
    /// What is known by something and a state, as far as it is `kept`.
    fn moved_keys<K: Copy + Eq + Hash, V: Copy>(
        &self,
        known: &FxHashMap<(K, LrState), V>,
        kept: impl Fn(LrState, &V) -> bool,
    ) -> FxHashMap<(K, LrState), V> {
        let mut moved = FxHashMap::default();
        let at_start = |(key, _): &(&(K, LrState), &V)| key.1 == Tables::START;
        if self.states.start == 0 {
            // The states of the largest part keep their numbers, and a copy of all is quick.
            moved.clone_from(known);
            moved.retain(|key, value| key.1 != Tables::START && kept(key.1, value));
        } else {
            let others = known.iter().filter(|entry| !at_start(entry) && kept(entry.0 .1, entry.1));
            moved.reserve(known.len());
            moved.extend(others.map(|(&(key, state), &value)| ((key, self.state(state)), value)));
        }
        for (&(key, state), &value) in known.iter().filter(at_start).filter(|entry| kept(entry.0 .1, entry.1)) {
            moved.extend(self.places_of(state).map(|to| ((key, to), value)));
        }
        moved
    }
}

/// No place of any component.
fn no_places(inner: &Inner) -> Vec<Vec<Place>> {
    inner.lexer.components().iter().map(|component| vec![Place::default(); component.dfa().len()]).collect()
}

/// What the parts of a whole have in common.
struct Scans<'s> {
    stop: &'s dyn Fn() -> bool,
    /// Tokens that hold a last byte of a part and then a first one of what follows: parts have mostly the same.
    leaving: FxHashMap<(ByteSet, ByteSet), Arc<[Rank]>>,
    lexer: LexerCache,
    /// Tokens that may still be scanned.
    left: usize,
}

impl Scans<'_> {
    fn leaving(&mut self, vocab: &Vocab, last: ByteSet, next: ByteSet) -> Arc<[Rank]> {
        let leaves = |pair: &[u8]| matches!(pair, &[a, b] if last.contains(a) && next.contains(b));
        let is_leaving = |rank: &Rank| vocab.rank_bytes(*rank).windows(2).any(leaves);
        let ranks = || (0..vocab.rank_count()).map(Rank::from_usize);
        self.leaving.entry((last, next)).or_insert_with(|| ranks().filter(is_leaving).collect()).clone()
    }
}

/// Finds out which places of a part see what they see in the part alone.
struct Adoption<'a, 's> {
    inner: &'a Inner,
    part: &'a LinkedPart,
    scans: &'a mut Scans<'s>,
    /// Tokens that may leave the part, and their first bytes.
    leaving: Arc<[Rank]>,
    leaving_first: ByteSet,
    /// What can follow the part begins with these.
    next: ByteSet,
    /// Whether what the part begins with can begin a lexeme only where the part is entered, and does nothing but that there.
    is_entered_plainly: bool,
    /// Of classes: whether they speak of terminals of others.
    is_known_outside: FxHashMap<ClassId, bool>,
}

impl<'a, 's> Adoption<'a, 's> {
    fn new(inner: &'a Inner, part: &'a LinkedPart, is_entered_plainly: bool, scans: &'a mut Scans<'s>) -> Self {
        let union = |all: ByteSet, bytes| all.union(&bytes);
        let last = KnownAs::all(&inner.lexer, &part.last).iter().map(KnownAs::last_bytes).fold(ByteSet::EMPTY, union);
        let next =
            KnownAs::all(&inner.lexer, &part.follow).iter().map(KnownAs::first_bytes).fold(ByteSet::EMPTY, union);
        let leaving = scans.leaving(&inner.vocab, last, next);
        let first_bytes = leaving.iter().filter_map(|&rank| inner.vocab.rank_bytes(rank).first().copied());
        let leaving_first = first_bytes.collect();
        let is_known_outside = FxHashMap::default();
        Self { inner, part, scans, leaving, leaving_first, next, is_entered_plainly, is_known_outside }
    }

    /// The states of a component in which a lexeme of the part sees what it sees in the part alone.
    fn places(&mut self, id: ComponentId) -> Result<BitSet, RuntimeError> {
        let component = self.inner.lexer.component(id);
        let mut kept = BitSet::new(component.dfa().len());
        for state in component.dfa().states() {
            if self.is_within(component, state) && !self.leaves_from((id, state))? {
                kept.insert(state.index());
            }
        }
        Ok(kept)
    }

    /// Whether the stacks under which a lexeme is in this state are those of the part alone, and it does not end the part.
    fn is_within(&self, component: &Component, state: StateId) -> bool {
        let known = |t: TerminalId| self.inner.lexer.parser_terminal(t);
        let is = |set: &BitSet, t: TerminalId| known(t).is_some_and(|t| set.contains(t.index()));
        (self.is_entered_plainly || !component.live(state).any(|t| is(&self.part.first, t)))
            && (self.next.is_empty() || !component.matched(state).any(|t| is(&self.part.last, t)))
    }

    fn leaves_from(&mut self, (id, state): Thread) -> Result<bool, RuntimeError> {
        let component = self.inner.lexer.component(id);
        let goes_on = |byte| component.dfa().next(state, byte) != Dfa::DEAD;
        if !self.leaving_first.iter().any(goes_on) && !component.dfa().is_accepting(state) {
            return Ok(false);
        }
        if !self.may_scan() {
            return Ok(true);
        }
        let scan = self.scans.lexer.inside(&self.inner.lexer, (id, state), ConditionSetId::NONE);
        Ok(!self.outside(scan)?.is_empty())
    }

    /// Whether the tokens that may leave can be scanned once more: neither too many have been, nor is it time to stop.
    fn may_scan(&mut self) -> bool {
        let left = self.scans.left.checked_sub(self.leaving.len().max(1));
        let left = left.filter(|_| !(self.scans.stop)());
        self.scans.left = left.unwrap_or_default();
        left.is_some()
    }

    /// The classes of tokens that lead out of the part.
    fn outside(&mut self, start: ScanId) -> Result<Vec<ClassId>, RuntimeError> {
        let inner = self.inner;
        let mut found = Vec::new();
        for at in 0..self.leaving.len() {
            let mut scan = Some(start);
            for &byte in self.leaving.get(at).map_or(&[][..], |&rank| inner.vocab.rank_bytes(rank)) {
                let Some(current) = scan else { break };
                scan = self.scans.lexer.step(&inner.lexer, current, byte)?;
            }
            let class = scan.map_or(Ok(None), |scan| self.scans.lexer.class(&inner.lexer, scan))?;
            found.extend(class.filter(|&class| self.is_outside(class)));
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Whether one of these classes leads out where only these terminals have an action.
    fn lead_out(&mut self, classes: &[ClassId], actions: &[u64]) -> bool {
        let acts = |t: TerminalId| actions.get(t.index() / 64).is_some_and(|word| word >> (t.index() % 64) & 1 == 1);
        let own = |t: TerminalId| self.part.terminals.contains(&t.index());
        classes.iter().any(|&class| {
            let node = self.scans.lexer.dag().node(class);
            let is_outside = |rest: &ClassId| self.is_known_outside.get(rest) != Some(&false);
            node.open.iter().any(|open| !own(open.terminal) && (open.terminal == IGNORED || acts(open.terminal)))
                || node.edges.iter().any(|(t, rest)| acts(*t) && (!own(*t) || is_outside(rest)))
        })
    }

    /// Whether a class speaks of terminals of others. As deep as a token has lexemes.
    fn is_outside(&mut self, class: ClassId) -> bool {
        let mut work = vec![class];
        while let Some(&current) = work.last() {
            if self.is_known_outside.contains_key(&current) {
                work.pop();
                continue;
            }
            let node = self.scans.lexer.dag().node(current);
            let own = |t: TerminalId| self.part.terminals.contains(&t.index());
            let direct = !node.open.iter().all(|open| own(open.terminal)) || !node.edges.iter().all(|edge| own(edge.0));
            let missing: Vec<ClassId> =
                node.edges.iter().map(|edge| edge.1).filter(|rest| !self.is_known_outside.contains_key(rest)).collect();
            if direct || missing.is_empty() {
                let below = node.edges.iter().any(|edge| self.is_known_outside.get(&edge.1) == Some(&true));
                self.is_known_outside.insert(current, direct || below);
            } else {
                work.extend(missing);
            }
        }
        self.is_known_outside.get(&class) == Some(&true)
    }

    /// Tops between lexemes where all that may come is of the part.
    fn tops(&mut self) -> Result<BitSet, RuntimeError> {
        let (inner, part) = (self.inner, self.part);
        let mut kept = BitSet::new(inner.tables.states());
        let mut known: FxHashMap<BitSet, Vec<ClassId>> = FxHashMap::default();
        let mut others = TerminalSet::full(inner.tables.terminals());
        part.terminals.clone().for_each(|t| {
            others.remove(TerminalId::from_usize(t));
        });
        let is_entered_plainly = self.is_entered_plainly;
        let entries = part.entries.iter().copied().filter(|_| is_entered_plainly);
        let own = part.own_states().map(LrState::from_usize);
        for top in own.chain(entries) {
            let actions = inner.tables.actionable_words(top);
            let meets_others = actions.iter().zip(others.words()).any(|(a, b)| a & b != 0);
            if meets_others || actions.iter().all(|&word| word == 0) {
                continue;
            }
            let components = inner.start_components(top);
            if !known.contains_key(components) {
                if !self.may_scan() {
                    break;
                }
                let scan = self.scans.lexer.at_boundary(&inner.lexer, components.clone(), ConditionSetId::NONE);
                let classes = self.outside(scan)?;
                known.insert(components.clone(), classes);
            }
            if known.get(components).is_some_and(|classes| !self.lead_out(classes, actions)) {
                kept.insert(top.index());
            }
        }
        Ok(kept)
    }
}

/// For each part, whether what it begins with has actions only in its own states and where it is entered, where it is
/// shifted. Time: the actions of all states on terminals that parts begin with.
fn entered_plainly(tables: &Tables, parts: &[&LinkedPart]) -> Vec<bool> {
    let mut beginning: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    let mut first = BitSet::default();
    let mut is_plain = vec![true; parts.len()];
    for (i, part) in parts.iter().enumerate() {
        first.union_with(&part.first);
        part.first.iter().for_each(|t| beginning.entry(t).or_default().push(i));
        let shifts = |state: &LrState| {
            part.first.iter().all(|t| tables.reductions(*state, TerminalId::from_usize(t)).is_empty())
        };
        is_plain[i] = part.entries.iter().all(shifts);
    }
    let first: TerminalSet = first.iter().map(TerminalId::from_usize).collect();
    for state in 0..tables.states() {
        let words = tables.actionable_words(LrState::from_usize(state)).iter().zip(first.words());
        for (word, (actions, first)) in words.enumerate() {
            let mut met = actions & first;
            while met != 0 {
                let t = word * 64 + met.trailing_zeros() as usize;
                met &= met - 1;
                for &i in beginning.get(&t).into_iter().flatten().filter(|&&i| !parts[i].has(state)) {
                    is_plain[i] = false;
                }
            }
        }
    }
    is_plain
}

/// Whether some text leads from the start to the start: in `ab(cab)*`, as much is left behind `abc` as at the start.
fn leads_back(dfa: &Dfa) -> bool {
    dfa.states().any(|state| dfa.row(state).contains(&dfa.start()))
}

/// The terminals of a component that the parser knows as one of some.
struct KnownAs<'a> {
    component: &'a Component,
    /// By label.
    known: BitSet,
}

impl<'a> KnownAs<'a> {
    /// The components with such terminals.
    fn all(lexer: &'a Lexer, known: &BitSet) -> Vec<Self> {
        let is_known = |t: TerminalId| lexer.parser_terminal(t).is_some_and(|t| known.contains(t.index()));
        let of = |component: &'a Component| {
            let labels = component.terminals().iter().enumerate().filter(|&(_, &t)| is_known(t));
            let known: BitSet = labels.map(|(label, _)| label).collect();
            (!known.is_empty()).then_some(Self { component, known })
        };
        lexer
            .components_of(known)
            .iter()
            .map(|id| lexer.component(ComponentId::from_usize(id)))
            .filter_map(of)
            .collect()
    }

    fn has(&self, labels: &[u32]) -> bool {
        labels.iter().any(|&label| self.known.contains(label as usize))
    }

    /// Those that match a text ending in this state.
    fn matched(&self, state: StateId) -> impl Iterator<Item = TerminalId> + '_ {
        let labels = self.component.dfa().labels(state).iter().filter(|&&label| self.known.contains(label as usize));
        labels.filter_map(|&label| self.component.terminals().get(label as usize).copied())
    }

    /// The bytes they can begin with.
    fn first_bytes(&self) -> ByteSet {
        let dfa = self.component.dfa();
        let ways = dfa.transitions(dfa.start()).filter(|&(_, to)| self.has(dfa.live(to)));
        ways.fold(ByteSet::EMPTY, |all, (bytes, _)| all.union(&bytes))
    }

    /// The bytes they can end with.
    fn last_bytes(&self) -> ByteSet {
        let dfa = self.component.dfa();
        let is_end: BitSet = dfa.states().filter(|&q| self.has(dfa.labels(q))).map(|q| q.index()).collect();
        let mut bytes = ByteSet::EMPTY;
        for state in dfa.states() {
            for (to, class) in dfa.row(state).iter().zip(dfa.class_sets()) {
                if *to != Dfa::DEAD && is_end.contains(to.index()) {
                    bytes = bytes.union(class);
                }
            }
        }
        bytes
    }
}
