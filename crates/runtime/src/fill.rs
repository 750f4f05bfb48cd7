//! The tables of a constraint that are filled while decoding.
//!
//! Every step first tries to answer from what is there (`known_*`, shared access); what is missing is filled with
//! exclusive access and the step starts again. States hold no ids of these tables but those of condition sets, so
//! the tables can be emptied at any time between steps.

use glrmask_automata::lexdag::{ClassId, ConditionSetId, Need, Open, IGNORED};
use glrmask_automata::{typed_id, Id, IndexVec, TerminalId};
use glrmask_glr::{AcceptId, Completable, Lexemes, LrState, Machine, ParserDwa, QueryId, RowId};
use glrmask_lexer::{profile, profile_inside, BitSet, Lexer, LexerCache, Profile};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::branch::Lexeme;
use crate::constraint::{Inner, Stats};
use crate::error::RuntimeError;
use crate::mask::{Mask, TokenSets};

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
    /// Never.
    Never,
}

/// A profile: token sets by class, and the query that tells which classes a stack accepts.
#[derive(Debug)]
pub(crate) struct FilledProfile {
    pub(crate) query: QueryId,
    pub(crate) tokens: TokenSets,
    pub(crate) masks: FxHashMap<AcceptId, Mask>,
}

/// The tables.
#[derive(Debug)]
pub(crate) struct Cache {
    lexer: LexerCache,
    dwa: ParserDwa,
    completable: Completable,
    /// Conditions some class needs; the automaton of completable stacks covers them.
    needed: FxHashSet<ConditionSetId>,
    checked: FxHashSet<ClassId>,
    viabilities: FxHashMap<(Lexeme, ConditionSetId), Viability>,
    /// By component and state, for lexemes without conditions (the common case).
    plain_viabilities: Vec<Vec<Option<Viability>>>,
    inside: FxHashMap<(Lexeme, ConditionSetId), ProfileId>,
    plain_inside: Vec<Vec<Option<ProfileId>>>,
    boundary: FxHashMap<(BitSet, ConditionSetId), ProfileId>,
    plain_boundary: FxHashMap<LrState, ProfileId>,
    profiles: IndexVec<ProfileId, FilledProfile>,
    mask_bytes: usize,
    clears: usize,
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
            inside: FxHashMap::default(),
            plain_inside: lexer.components().iter().map(|c| vec![None; per_state(c)]).collect(),
            boundary: FxHashMap::default(),
            plain_boundary: FxHashMap::default(),
            profiles: IndexVec::new(),
            mask_bytes: 0,
            clears: 0,
        }
    }

    /// Empties everything if it takes more than `limit` bytes. Ids of condition sets stay valid.
    pub(crate) fn shrink(&mut self, lexer: &Lexer, limit: usize) {
        if self.memory_usage() <= limit {
            return;
        }
        let mut kept = std::mem::take(&mut self.lexer);
        kept.clear();
        *self = Self { lexer: kept, clears: self.clears + 1, ..Self::new(lexer) };
    }

    pub(crate) fn memory_usage(&self) -> usize {
        self.lexer.memory_usage() + self.dwa.memory_usage() + self.mask_bytes + self.profiles.len() * 256
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
    /// The mask of a profile for what a row accepts, if it is there.
    #[inline]
    pub(crate) fn known_mask(&self, profile: ProfileId, row: RowId) -> Option<&Mask> {
        self.profiles[profile].masks.get(&self.dwa.accept(row))
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
                if self.lexer.dag().node(class).open.iter().any(free) {
                    Viability::Always
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
    pub(crate) fn known_inside(&self, lexeme: Lexeme, conditions: ConditionSetId) -> Option<ProfileId> {
        match lexeme {
            Lexeme::Inside((component, state)) if conditions == ConditionSetId::NONE => {
                self.plain_inside[component.index()][state.index()]
            }
            _ => self.inside.get(&(lexeme, conditions)).copied(),
        }
    }

    /// The profile inside a lexeme.
    pub(crate) fn inside(
        &mut self,
        inner: &Inner,
        lexeme: Lexeme,
        conditions: ConditionSetId,
    ) -> Result<ProfileId, RuntimeError> {
        if let Some(known) = self.known_inside(lexeme, conditions) {
            return Ok(known);
        }
        let Lexeme::Inside(thread) = lexeme else { return Err(RuntimeError::invalid("not inside a lexeme")) };
        if conditions == ConditionSetId::NONE {
            let found = profile_inside(&inner.lexer, &mut self.lexer, &inner.vocab, thread)?;
            let id = self.fill_profile(inner, found)?;
            self.plain_inside[thread.0.index()][thread.1.index()] = Some(id);
            return Ok(id);
        }
        let scan = self.lexer.inside(&inner.lexer, thread, conditions);
        let found = profile(&inner.lexer, &mut self.lexer, &inner.vocab, scan)?;
        let id = self.fill_profile(inner, found)?;
        self.inside.insert((lexeme, conditions), id);
        Ok(id)
    }

    #[inline]
    pub(crate) fn known_plain_boundary(&self, top: LrState) -> Option<ProfileId> {
        self.plain_boundary.get(&top).copied()
    }

    pub(crate) fn known_boundary(&self, components: &BitSet, conditions: ConditionSetId) -> Option<ProfileId> {
        self.boundary.get(&(components.clone(), conditions)).copied()
    }

    /// The profile between lexemes where lexemes of these components may start. `top`: the only top, if there is one.
    pub(crate) fn boundary(
        &mut self,
        inner: &Inner,
        components: &BitSet,
        top: Option<LrState>,
        conditions: ConditionSetId,
    ) -> Result<ProfileId, RuntimeError> {
        let id = match self.known_boundary(components, conditions) {
            Some(known) => known,
            None => {
                let scan = self.lexer.at_boundary(&inner.lexer, components.clone(), conditions);
                let found = profile(&inner.lexer, &mut self.lexer, &inner.vocab, scan)?;
                let id = self.fill_profile(inner, found)?;
                self.boundary.insert((components.clone(), conditions), id);
                id
            }
        };
        if let (Some(top), ConditionSetId::NONE) = (top, conditions) {
            self.plain_boundary.insert(top, id);
        }
        Ok(id)
    }

    fn fill_profile(&mut self, inner: &Inner, found: Profile) -> Result<ProfileId, RuntimeError> {
        self.cover(inner, found.classes.iter().map(|c| c.0))?;
        let query = self.dwa.query(self.lexer.dag(), found.classes.iter().map(|c| c.0));
        let tokens = TokenSets::new(&self.dwa, self.lexer.dag(), query, found.classes);
        self.mask_bytes += tokens.memory_usage();
        Ok(self.profiles.push(FilledProfile { query, tokens, masks: FxHashMap::default() }))
    }

    // ------------------------------------------------------------------ completable stacks

    /// Makes sure the automaton of completable stacks covers every condition these classes need.
    fn cover(&mut self, inner: &Inner, classes: impl IntoIterator<Item = ClassId>) -> Result<(), RuntimeError> {
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
        self.profiles.iter_mut().for_each(|p| p.masks.clear());
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

    /// The row after reading the top of the stack.
    pub(crate) fn start_row(&mut self, inner: &Inner, query: QueryId, top: LrState) -> Result<RowId, RuntimeError> {
        let m = Machine { tables: &inner.tables, dag: self.lexer.dag(), completable: &self.completable };
        Ok(self.dwa.start(m, query, top)?)
    }

    /// The row after reading one more symbol.
    pub(crate) fn read_row(&mut self, inner: &Inner, row: RowId, symbol: LrState) -> Result<RowId, RuntimeError> {
        let m = Machine { tables: &inner.tables, dag: self.lexer.dag(), completable: &self.completable };
        Ok(self.dwa.read(m, row, symbol)?)
    }

    /// The mask of a profile for what a row accepts.
    pub(crate) fn mask(&mut self, inner: &Inner, profile: ProfileId, row: RowId) -> &Mask {
        let FilledProfile { tokens, masks, .. } = &mut self.profiles[profile];
        masks.entry(self.dwa.accept(row)).or_insert_with(|| {
            let mask = tokens.mask(&self.dwa, row, &inner.vocab);
            self.mask_bytes += mask.memory_usage();
            mask
        })
    }
}
