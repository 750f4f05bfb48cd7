//! The tables of a constraint that are filled while decoding.
//!
//! Every step first tries to answer from what is there (`known_*`, shared access); what is missing is filled with
//! exclusive access and the step starts again. States hold no ids of these tables but those of condition sets, so
//! the tables can be emptied at any time between steps.

use std::sync::Arc;

use glrmask_automata::lexdag::{ClassId, ConditionSetId, Need, Open, IGNORED};
use glrmask_automata::{typed_id, Id, IndexVec, StateId, TerminalId};
use glrmask_glr::{AcceptId, Completable, Lexemes, LrState, Machine, ParserDwa, QueryId, Reading, RowId};
use glrmask_lexer::{
    difference_of_scans, profile, BitSet, ComponentId, Lexer, LexerCache, Moved, Profile, Thread, TokenSet,
};
use glrmask_vocab::RankSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::branch::Lexeme;
use crate::constraint::{Inner, Stats};
use crate::error::RuntimeError;
use crate::mask::{BySets, Mask, TokenSets};
use crate::similar::Family;
use crate::split::{parser_terminals, Splits};

typed_id!(
    /// A partition of the vocabulary with what it asks of the parser.
    pub struct ProfileId, "profile"
);

/// When a branch is viable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Viability {
    /// Whatever the stack.
    Always,
    /// When the stack accepts one of these classes.
    Query(QueryId),
    /// When a terminal that the lexeme may become can be shifted.
    Shift,
    /// Never.
    Never,
}

/// A profile: token sets by class, and the query that tells which classes a stack accepts.
#[derive(Debug)]
pub(crate) struct FilledProfile {
    pub(crate) query: QueryId,
    pub(crate) tokens: TokenSets,
    /// A profile with the same query from which this one differs by moved tokens.
    pub(crate) whole: Option<ProfileId>,
    pub(crate) masks: FxHashMap<AcceptId, Arc<Mask>>,
    /// Masks by the token sets in them, where they are made while decoding.
    by_sets: BySets,
}

impl FilledProfile {
    pub(crate) fn new(query: QueryId, tokens: TokenSets, whole: Option<ProfileId>) -> Self {
        Self { query, tokens, whole, masks: FxHashMap::default(), by_sets: BySets::default() }
    }
    fn forget_masks(&mut self) {
        self.masks.clear();
        self.by_sets.clear();
    }
}

/// Where conditions are pending.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PendingPlace {
    /// Inside a lexeme.
    Inside(Thread),
    /// Where a lexeme of these components may start.
    Boundary(BitSet),
}

/// What pending conditions change at a place: these tokens are not seen as they would be without, but as `extra` says.
#[derive(Debug)]
pub(crate) struct Pending {
    /// Rising.
    pub(crate) ids: Box<[u32]>,
    pub(crate) extra: Option<ProfileId>,
}

/// The tables.
#[derive(Debug)]
pub(crate) struct Cache {
    pub(crate) lexer: LexerCache,
    pub(crate) dwa: ParserDwa,
    completable: Completable,
    /// Conditions some class needs; the automaton of completable stacks covers them.
    needed: FxHashSet<ConditionSetId>,
    checked: FxHashSet<ClassId>,
    viabilities: FxHashMap<(Lexeme, ConditionSetId), Viability>,
    /// By component and state, for lexemes without conditions (the common case).
    plain_viabilities: Vec<Vec<Option<Viability>>>,
    plain_inside: Vec<Vec<Option<ProfileId>>>,
    boundary: FxHashMap<BitSet, ProfileId>,
    /// What conditions change where.
    pending: FxHashMap<(PendingPlace, ConditionSetId), Arc<Pending>>,
    plain_boundary: FxHashMap<LrState, ProfileId>,
    profiles: IndexVec<ProfileId, FilledProfile>,
    /// By component, once its first profile is asked for.
    pub(crate) families: Vec<Option<Family>>,
    /// Where masks are asked for behind the first terminal.
    pub(crate) splits: Splits,
    /// Of masks alone.
    mask_bytes: usize,
    /// Of token sets.
    pub(crate) set_bytes: usize,
    clears: usize,
    scan_clears: usize,
    mask_clears: usize,
}

impl Cache {
    pub(crate) fn new(lexer: &Lexer) -> Self {
        let per_state = |c: &glrmask_lexer::Component| c.dfa().len();
        Self {
            lexer: LexerCache::new(),
            dwa: ParserDwa::default(),
            completable: Completable::default(),
            needed: FxHashSet::default(),
            checked: FxHashSet::default(),
            viabilities: FxHashMap::default(),
            plain_viabilities: lexer.components().iter().map(|c| vec![None; per_state(c)]).collect(),
            plain_inside: lexer.components().iter().map(|c| vec![None; per_state(c)]).collect(),
            boundary: FxHashMap::default(),
            pending: FxHashMap::default(),
            plain_boundary: FxHashMap::default(),
            profiles: IndexVec::new(),
            families: lexer.components().iter().map(|_| None).collect(),
            splits: Splits::default(),
            mask_bytes: 0,
            set_bytes: 0,
            clears: 0,
            scan_clears: 0,
            mask_clears: 0,
        }
    }

    /// Empty tables in which the ids of condition sets that these have given out are valid.
    pub(crate) fn successor(&self, lexer: &Lexer) -> Self {
        Self { lexer: self.lexer.successor(), ..Self::new(lexer) }
    }

    /// Number of condition sets that have been given out.
    pub(crate) fn condition_sets(&self) -> usize {
        self.lexer.conditions().len()
    }

    /// Forgets scans if all takes more than `limit` bytes: they are most of it, and nothing that is known needs them. If
    /// what is left takes more than half of the limit, masks too, which take least to make again; if what is left then takes more
    /// than three quarters, everything. Ids of condition sets stay valid.
    pub(crate) fn shrink(&mut self, lexer: &Lexer, limit: usize) {
        let used = self.memory_usage();
        if used <= limit {
            return;
        }
        let kept = used - self.lexer.scan_memory().min(used);
        if kept <= limit / 2 {
            self.lexer.forget_scans();
            self.scan_clears += 1;
            return;
        }
        if kept.saturating_sub(self.mask_bytes) <= limit - limit / 4 {
            self.lexer.forget_scans();
            self.forget_masks();
            (self.scan_clears, self.mask_clears) = (self.scan_clears + 1, self.mask_clears + 1);
            return;
        }
        let mut kept = std::mem::take(&mut self.lexer);
        kept.clear();
        let (clears, scan_clears, mask_clears) = (self.clears + 1, self.scan_clears, self.mask_clears);
        *self = Self { lexer: kept, clears, scan_clears, mask_clears, ..Self::new(lexer) };
    }

    fn forget_masks(&mut self) {
        self.profiles.iter_mut().for_each(FilledProfile::forget_masks);
        self.mask_bytes = 0;
    }

    /// Whether no class has asked which stacks can be completed under pending conditions.
    pub(crate) fn is_free(&self) -> bool {
        self.needed.is_empty()
    }

    /// Takes over how often `other` was emptied.
    pub(crate) fn add_clears(&mut self, other: &Self) {
        self.clears += other.clears;
        self.scan_clears += other.scan_clears;
        self.mask_clears += other.mask_clears;
    }

    pub(crate) fn memory_usage(&self) -> usize {
        self.lexer.memory_usage()
            + self.dwa.memory_usage()
            + self.mask_bytes
            + self.set_bytes
            + self.profiles.len() * 256
    }

    pub(crate) fn stats(&self) -> Stats {
        Stats {
            scans: self.lexer.scans().len(),
            classes: self.lexer.dag().len(),
            profiles: self.profiles.len(),
            rows: self.dwa.len(),
            masks: self.profiles.iter().map(|p| p.masks.len()).sum(),
            bytes: self.memory_usage(),
            clears: self.clears,
            scan_clears: self.scan_clears,
            mask_clears: self.mask_clears,
        }
    }

    pub(crate) fn lexer_mut(&mut self) -> &mut LexerCache {
        &mut self.lexer
    }
    pub(crate) fn dwa(&self) -> &ParserDwa {
        &self.dwa
    }
    pub(crate) fn profile(&self, id: ProfileId) -> &FilledProfile {
        &self.profiles[id]
    }
    pub(crate) fn profiles(&self) -> &IndexVec<ProfileId, FilledProfile> {
        &self.profiles
    }
    /// The mask of a profile for what is accepted, if it is there.
    #[inline]
    pub(crate) fn known_mask(&self, profile: ProfileId, accept: AcceptId) -> Option<&Mask> {
        self.profiles[profile].masks.get(&accept).map(|mask| &**mask)
    }
    /// Makes `state` what `like` is, from which no token tells it apart.
    pub(crate) fn copy_place(&mut self, component: ComponentId, state: StateId, like: StateId) {
        let (viabilities, profiles) =
            (&mut self.plain_viabilities[component.index()], &mut self.plain_inside[component.index()]);
        viabilities[state.index()] = viabilities[like.index()];
        profiles[state.index()] = profiles[like.index()];
    }
    /// What is known of every place of a lexeme without conditions, by component and state.
    pub(crate) fn places<T>(&self, place: impl Fn(Option<Viability>, Option<ProfileId>) -> T) -> Vec<Vec<T>> {
        let components = self.plain_viabilities.iter().zip(&self.plain_inside);
        components.map(|(v, p)| v.iter().zip(p).map(|(&v, &p)| place(v, p)).collect()).collect()
    }
    /// Profiles at the boundary with these tops.
    pub(crate) fn boundaries(&self) -> impl Iterator<Item = (LrState, ProfileId)> + '_ {
        self.plain_boundary.iter().map(|(&top, &profile)| (top, profile))
    }

    // ------------------------------------------------------------------ viability

    #[inline]
    pub(crate) fn known_viability(&self, lexeme: Lexeme, conditions: ConditionSetId) -> Option<Viability> {
        match lexeme {
            Lexeme::Inside((component, state)) if conditions == ConditionSetId::NONE => {
                self.plain_viabilities[component.index()][state.index()]
            }
            _ => self.viabilities.get(&(lexeme, conditions)).copied(),
        }
    }

    /// When a branch at `lexeme` with `conditions` pending can be completed.
    pub(crate) fn viability(
        &mut self,
        inner: &Inner,
        lexeme: Lexeme,
        conditions: ConditionSetId,
    ) -> Result<Viability, RuntimeError> {
        if let Some(known) = self.known_viability(lexeme, conditions) {
            return Ok(known);
        }
        let lexer = &inner.lexer;
        let class = match lexeme {
            Lexeme::Inside(thread) => {
                let scan = self.lexer.inside(lexer, thread, conditions);
                self.lexer.class(lexer, scan)?
            }
            Lexeme::Boundary if self.lexer.is_ignored_safe(lexer, conditions)? => None,
            Lexeme::Boundary => Some(self.lexer.open_class(IGNORED, Need::Pending(conditions))),
        };
        let viability = match (lexeme, class) {
            (Lexeme::Boundary, None) => Viability::Always,
            (_, None) => Viability::Never,
            (_, Some(class)) => {
                self.cover(inner, [class])?;
                let free = |o: &Open| o.terminal == IGNORED && o.need == Need::Free;
                let node = self.lexer.dag().node(class);
                if node.open.iter().any(free) {
                    Viability::Always
                } else if inner.shift_first && is_free(inner, lexeme, &node.open) {
                    Viability::Shift
                } else {
                    Viability::Query(self.dwa.query(self.lexer.dag(), [class]))
                }
            }
        };
        match lexeme {
            Lexeme::Inside((component, state)) if conditions == ConditionSetId::NONE => {
                self.plain_viabilities[component.index()][state.index()] = Some(viability);
            }
            _ => {
                self.viabilities.insert((lexeme, conditions), viability);
            }
        }
        Ok(viability)
    }

    // ------------------------------------------------------------------ profiles

    #[inline]
    pub(crate) fn known_inside(&self, (component, state): Thread) -> Option<ProfileId> {
        self.plain_inside[component.index()][state.index()]
    }

    /// The profile inside a lexeme, nothing pending.
    pub(crate) fn inside(&mut self, inner: &Inner, thread: Thread) -> Result<ProfileId, RuntimeError> {
        if let Some(known) = self.known_inside(thread) {
            return Ok(known);
        }
        let id = self.inside_plain(inner, thread)?;
        self.plain_inside[thread.0.index()][thread.1.index()] = Some(id);
        Ok(id)
    }

    #[inline]
    pub(crate) fn known_pending(&self, place: &PendingPlace, conditions: ConditionSetId) -> Option<&Arc<Pending>> {
        self.pending.get(&(place.clone(), conditions))
    }

    /// What pending conditions change at a place: few tokens, since most of them end what is pending.
    pub(crate) fn pending(
        &mut self,
        inner: &Inner,
        place: PendingPlace,
        conditions: ConditionSetId,
    ) -> Result<Arc<Pending>, RuntimeError> {
        if let Some(known) = self.known_pending(&place, conditions) {
            return Ok(known.clone());
        }
        let lexer = &inner.lexer;
        let mut scan = |conditions| match &place {
            PendingPlace::Inside(thread) => self.lexer.inside(lexer, *thread, conditions),
            PendingPlace::Boundary(components) => self.lexer.at_boundary(lexer, components.clone(), conditions),
        };
        let (with, without) = (scan(conditions), scan(ConditionSetId::NONE));
        let moved = difference_of_scans(lexer, &mut self.lexer, &inner.vocab, with, without)?;
        let mut ids: Vec<u32> = moved.iter().flat_map(|m| inner.vocab.ids(m.rank)).map(|id| id.0).collect();
        ids.sort_unstable();
        let mut classes: FxHashMap<ClassId, RankSet> = FxHashMap::default();
        for Moved { rank, to, .. } in &moved {
            if let Some(class) = to {
                classes.entry(*class).or_default().push(*rank);
            }
        }
        let mut classes: Vec<_> =
            classes.into_iter().map(|(class, own)| (class, TokenSet { own, shared: None })).collect();
        classes.sort_unstable_by_key(|c| c.0);
        let extra = match classes.is_empty() {
            true => None,
            false => Some(self.fill_profile(inner, Profile { classes, visited: 0 })?),
        };
        self.set_bytes += 4 * ids.len() + 200;
        let pending = Arc::new(Pending { ids: ids.into(), extra });
        self.pending.insert((place, conditions), pending.clone());
        Ok(pending)
    }

    /// Scans found so far.
    pub(crate) fn scans(&self) -> usize {
        self.lexer.scans().len()
    }

    /// A profile that differs in `moved`, whose classes are covered, from that of `base`, in which nothing is moved.
    pub(crate) fn moved_profile(
        &mut self,
        inner: &Inner,
        base: ProfileId,
        moved: &[Moved],
    ) -> Result<ProfileId, RuntimeError> {
        let (dag, from) = (self.lexer.dag(), &self.profiles[base]);
        // Many tokens, few classes.
        let mut seen: FxHashSet<ClassId> = FxHashSet::default();
        let asked = |class| !seen.insert(class) || self.dwa.places(dag, from.query, class).is_some();
        let same_query = moved.iter().filter_map(|m| m.to).all(asked);
        let query = match same_query {
            true => from.query,
            false => self.dwa.query(dag, from.tokens.classes().chain(moved.iter().filter_map(|m| m.to))),
        };
        let tokens = from.tokens.with_moved(&self.dwa, dag, query, same_query, (moved, &inner.vocab));
        let whole = same_query.then_some(base);
        Ok(self.add_profile(FilledProfile::new(query, tokens, whole)))
    }

    pub(crate) fn add_profile(&mut self, profile: FilledProfile) -> ProfileId {
        self.set_bytes += profile.tokens.memory_usage();
        self.profiles.push(profile)
    }

    #[inline]
    pub(crate) fn known_plain_boundary(&self, top: LrState) -> Option<ProfileId> {
        self.plain_boundary.get(&top).copied()
    }

    pub(crate) fn known_boundary(&self, components: &BitSet) -> Option<ProfileId> {
        self.boundary.get(components).copied()
    }

    /// The profile between lexemes where lexemes of these components may start, nothing pending. `top`: the only top, if
    /// there is one.
    pub(crate) fn boundary(
        &mut self,
        inner: &Inner,
        components: &BitSet,
        top: Option<LrState>,
    ) -> Result<ProfileId, RuntimeError> {
        let id = match self.known_boundary(components) {
            Some(known) => known,
            None => {
                let scan = self.lexer.at_boundary(&inner.lexer, components.clone(), ConditionSetId::NONE);
                let found = profile(&inner.lexer, &mut self.lexer, &inner.vocab, scan)?;
                let id = self.fill_profile(inner, found)?;
                self.boundary.insert(components.clone(), id);
                id
            }
        };
        if let Some(top) = top {
            self.plain_boundary.insert(top, id);
        }
        Ok(id)
    }

    pub(crate) fn fill_profile(&mut self, inner: &Inner, found: Profile) -> Result<ProfileId, RuntimeError> {
        self.cover(inner, found.classes.iter().map(|c| c.0))?;
        let query = self.dwa.query(self.lexer.dag(), found.classes.iter().map(|c| c.0));
        let tokens = TokenSets::new(&self.dwa, self.lexer.dag(), query, found.classes);
        Ok(self.add_profile(FilledProfile::new(query, tokens, None)))
    }

    // ------------------------------------------------------------------ completable stacks

    /// Makes sure the automaton of completable stacks covers every condition these classes need.
    pub(crate) fn cover(
        &mut self,
        inner: &Inner,
        classes: impl IntoIterator<Item = ClassId>,
    ) -> Result<(), RuntimeError> {
        let mut work: Vec<ClassId> = classes.into_iter().collect();
        let mut missing = Vec::new();
        while let Some(class) = work.pop() {
            if !self.checked.insert(class) {
                continue;
            }
            let node = self.lexer.dag().node(class);
            work.extend(node.edges.iter().map(|e| e.1));
            missing.extend(node.open.iter().filter_map(|o| match o.need {
                Need::Pending(conditions) if !self.completable.knows(conditions) => Some(conditions),
                _ => None,
            }));
        }
        if missing.is_empty() {
            return Ok(());
        }
        self.needed.extend(missing);
        let lexemes = self.lexemes_under_needed(inner)?;
        self.completable = Completable::build(&inner.tables, &lexemes, inner.accepts_empty)?;
        // Rows hold states of the automaton that was replaced.
        self.dwa.clear_rows();
        self.forget_masks();
        Ok(())
    }

    /// What can be lexed under every needed set of conditions, and under all that can be pending later.
    fn lexemes_under_needed(&mut self, inner: &Inner) -> Result<Lexemes, RuntimeError> {
        let mut lexemes = Lexemes::default();
        let mut work: Vec<ConditionSetId> = self.needed.iter().copied().collect();
        while let Some(conditions) = work.pop() {
            if lexemes.contains_key(&conditions) {
                continue;
            }
            let mut next: Vec<(TerminalId, ConditionSetId)> = Vec::new();
            for &(terminal, after) in self.lexer.lexemes(&inner.lexer, conditions)? {
                if inner.lexer.is_ignored(terminal) {
                    next.push((IGNORED, after));
                }
                next.extend(inner.lexer.parser_terminal(terminal).map(|t| (t, after)));
            }
            next.sort_unstable();
            next.dedup();
            work.extend(next.iter().map(|n| n.1));
            lexemes.insert(conditions, next);
        }
        Ok(lexemes)
    }

    // ------------------------------------------------------------------ rows and masks

    /// The walk down the stack after its top.
    pub(crate) fn start(&mut self, inner: &Inner, query: QueryId, top: LrState) -> Result<Reading, RuntimeError> {
        let m = Machine { tables: &inner.tables, dag: self.lexer.dag(), completable: &self.completable };
        Ok(self.dwa.start(m, query, top)?)
    }

    /// The walk after one more symbol.
    pub(crate) fn read(&mut self, inner: &Inner, reading: Reading, symbol: LrState) -> Result<Reading, RuntimeError> {
        let m = Machine { tables: &inner.tables, dag: self.lexer.dag(), completable: &self.completable };
        Ok(self.dwa.read(m, reading, symbol)?)
    }

    /// What a row reads next, whatever has been accepted.
    pub(crate) fn edge(&mut self, inner: &Inner, row: RowId, symbol: LrState) -> Result<Reading, RuntimeError> {
        let m = Machine { tables: &inner.tables, dag: self.lexer.dag(), completable: &self.completable };
        Ok(self.dwa.edge(m, row, symbol)?)
    }

    /// The mask of a profile for what is accepted.
    pub(crate) fn mask(&mut self, inner: &Inner, profile: ProfileId, accept: AcceptId) -> &Mask {
        // The whole profile first: what differs from it is a few ids.
        for id in [self.profiles[profile].whole, Some(profile)].into_iter().flatten() {
            if !self.profiles[id].masks.contains_key(&accept) {
                let whole = self.profiles[id].whole;
                let whole = whole.and_then(|whole| self.profiles[whole].masks.get(&accept).cloned());
                let FilledProfile { tokens, masks, by_sets, .. } = &mut self.profiles[id];
                let before = by_sets.len();
                let mask = tokens.mask(&self.dwa, accept, &inner.vocab, (whole.as_ref(), by_sets));
                // Not those that others hold as well, unless they were just made.
                if Arc::strong_count(&mask) == 1 || by_sets.len() > before {
                    self.mask_bytes += mask.memory_usage();
                }
                masks.insert(accept, mask);
            }
        }
        &self.profiles[profile].masks[&accept]
    }
}

/// Whether nothing has to be heeded, whichever terminal a lexeme becomes that it can become by its automaton. Pending
/// conditions may leave only some of these, and shifting another one would prove nothing.
fn is_free(inner: &Inner, lexeme: Lexeme, open: &[Open]) -> bool {
    let Lexeme::Inside(thread) = lexeme else { return false };
    let is_open = |terminal: TerminalId| open.iter().any(|open| open.terminal == terminal);
    open.iter().all(|open| open.need == Need::Free) && parser_terminals(inner, thread).into_iter().all(is_open)
}
