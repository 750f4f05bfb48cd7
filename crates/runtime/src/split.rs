//! Masks behind the first terminal: the lexeme in progress is ended by shifting its terminal, and what may come after it
//! is asked of the stack that results.
//!
//! The other way, in [`crate::fill`] and [`crate::query`], asks the parser about whole classes, first terminal and all.
//! That is one walk of the stack for one mask, but every place of a lexeme then has a query of its own, with rows of
//! its own, and where many terminals compete (keywords beside identifiers, operators) there are hundreds of places that
//! see the whole vocabulary, each behind another terminal. Here
//!
//! - a token that ends the lexeme with its first byte is looked up in the boundary's profile ([`glrmask_lexer::split`]);
//! - of every other token's class, only what follows the first terminal is kept, per first terminal;
//!
//! so that all places ask one query, that of the boundary, and a place differs from others by few tokens. The price is a
//! shift for each terminal that the lexeme may become and that the parser takes here: one, mostly.
//!
//! Plain reference: the other way. Every mask is the same.

use std::collections::VecDeque;
use std::sync::Arc;

use glrmask_automata::lexdag::{ClassId, ConditionSetId, Need, IGNORED};
use glrmask_automata::{ByteSet, StateId, TerminalId};
use glrmask_glr::QueryId;
use glrmask_lexer::{
    beginning_with, difference_continued, ended_by, profile, profile_continued, ComponentId, Lexer, Moved, Similarity,
    Thread, TokenGroup, TokenSet,
};
use glrmask_vocab::RankSet;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::constraint::Inner;
use crate::error::RuntimeError;
use crate::fill::{Cache, FilledProfile, ProfileId};
use crate::mask::TokenSets;
use crate::similar::in_all;

/// Accepting states from which a lexeme goes on, of components with several terminals, from which the first terminal is
/// shifted: fewer are quicker asked about as a whole.
const FROM: usize = 24;
/// Profiles with walks of their own that the places of one component are compared with.
const REFERENCES: usize = 48;
/// Places found by comparison that others are compared with: the latest.
const RECENT: usize = 24;
/// A place that differs from another in more tokens is better off with a walk of its own.
const MOST_MOVED: usize = 8_000;

/// Whether masks of this lexer are better asked for behind the first terminal.
pub(crate) fn is_worth_it(lexer: &Lexer) -> bool {
    let several = lexer.components().iter().filter(|component| component.terminals().len() > 1);
    let going_on = several.flat_map(|component| {
        let dfa = component.dfa();
        dfa.states().filter(move |&q| dfa.is_accepting(q) && !component.dfa().future(q).is_empty())
    });
    going_on.take(FROM).count() == FROM
}

/// How the mask at a place of a lexeme is asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Split {
    /// What is asked once a terminal is shifted.
    pub(crate) parts: Box<[Part]>,
    /// Where ignored text is matched here: what follows it, on the stacks as they are.
    pub(crate) after_ignored: Option<ProfileId>,
    /// Where the lexeme may become ignored text: all that continues it, on the stacks as they are.
    pub(crate) whole: Option<ProfileId>,
}

/// What is asked once this terminal is shifted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) terminal: TerminalId,
    /// Tokens that continue the lexeme.
    pub(crate) continued: Option<ProfileId>,
    /// Tokens that end it with their first byte.
    pub(crate) ended: Option<ProfileId>,
}

/// A place that others are compared with.
#[derive(Clone, Debug)]
struct Reference {
    state: StateId,
    ended: ByteSet,
    /// The place with a walk of its own from which it differs, and in what.
    base: StateId,
    moved: Arc<[Moved]>,
}

/// The places of one component.
#[derive(Debug)]
struct Family {
    similarity: Similarity,
    references: Vec<Reference>,
    recent: VecDeque<Reference>,
    /// By block of states that no token tells apart.
    by_block: FxHashMap<(u32, u32), StateId>,
}

/// What a place sees of the tokens that continue the lexeme.
#[derive(Debug)]
pub(crate) enum Seen {
    Walked(Vec<(ClassId, TokenSet)>),
    /// Like another place but for these tokens.
    Moved(StateId, Arc<[Moved]>),
}

impl Seen {
    /// Rough memory use in bytes.
    fn memory_usage(&self) -> usize {
        match self {
            Self::Walked(classes) => classes.iter().map(|(_, set)| 8 * set.own.ranges().len() + 64).sum(),
            Self::Moved(_, moved) => size_of_val(&**moved),
        }
    }
}

/// Tokens by class.
pub(crate) type Tokens = Arc<[(ClassId, TokenSet)]>;

/// The tables of this way.
#[derive(Debug, Default)]
pub(crate) struct Splits {
    /// The boundary where any lexeme may start: its tokens by class, and its profile.
    pub(crate) boundary: Option<(Tokens, ProfileId)>,
    /// The query that nearly all ask, and its classes.
    main: Option<QueryId>,
    pub(crate) main_classes: Arc<[ClassId]>,
    /// Parts of the boundary's profile, by the bytes that tokens begin with.
    ended: FxHashMap<ByteSet, Option<ProfileId>>,
    families: FxHashMap<ComponentId, Family>,
    pub(crate) seen: FxHashMap<Thread, Seen>,
    /// Places that no token tells apart from another one.
    pub(crate) likes: FxHashMap<Thread, StateId>,
    filled: FxHashMap<Thread, Arc<Split>>,
}

impl Splits {
    #[inline]
    pub(crate) fn known(&self, thread: Thread) -> Option<&Arc<Split>> {
        self.filled.get(&thread)
    }
    pub(crate) fn known_boundary(&self) -> Option<ProfileId> {
        self.boundary.as_ref().map(|boundary| boundary.1)
    }
}

impl Cache {
    /// The profile between lexemes, where any lexeme may start: what none of the stacks accepts is not in the mask.
    pub(crate) fn split_boundary(&mut self, inner: &Inner) -> Result<ProfileId, RuntimeError> {
        if let Some(known) = self.splits.known_boundary() {
            return Ok(known);
        }
        let scan = self.lexer.anywhere(&inner.lexer, ConditionSetId::NONE);
        let classes = profile(&inner.lexer, &mut self.lexer, &inner.vocab, scan)?.classes;
        let mut all: FxHashSet<ClassId> = classes.iter().map(|c| c.0).collect();
        let mut work: Vec<ClassId> = all.iter().copied().collect();
        while let Some(class) = work.pop() {
            let rests = self.lexer.dag().node(class).edges.iter().map(|edge| edge.1);
            work.extend(rests.filter(|&rest| all.insert(rest)));
        }
        self.set_boundary(inner, classes.into(), all.into_iter().collect())
    }

    /// Takes these as the tokens of the boundary, by class, and as the classes of the main query.
    pub(crate) fn set_boundary(
        &mut self,
        inner: &Inner,
        tokens: Tokens,
        mut classes: Vec<ClassId>,
    ) -> Result<ProfileId, RuntimeError> {
        // A token that ends inside a lexeme with nothing to be heeded.
        classes.push(self.lexer.open_class(IGNORED, Need::Free));
        classes.sort_unstable();
        classes.dedup();
        self.cover(inner, classes.iter().copied())?;
        self.splits.main = Some(self.dwa.query(self.lexer.dag(), classes.iter().copied()));
        self.splits.main_classes = classes.into();
        let id = self.ask(inner, tokens.to_vec())?;
        self.splits.boundary = Some((tokens, id));
        Ok(id)
    }

    /// Looks at the vocabulary from a place.
    pub(crate) fn look_from(&mut self, inner: &Inner, thread: Thread) -> Result<(), RuntimeError> {
        self.see(inner, thread).map(drop)
    }

    /// Makes one query that asks about everything that these places ask.
    pub(crate) fn unite_queries(&mut self, inner: &Inner, threads: &[Thread]) -> Result<QueryId, RuntimeError> {
        self.split_boundary(inner)?;
        let mut all: FxHashSet<ClassId> = FxHashSet::default();
        if let Some((classes, _)) = &self.splits.boundary {
            all.extend(classes.iter().map(|c| c.0));
        }
        for &(component, state) in threads {
            let thread = (component, self.see(inner, (component, state))?);
            let classes: Vec<ClassId> = match &self.splits.seen[&thread] {
                Seen::Walked(classes) => classes.iter().map(|c| c.0).collect(),
                Seen::Moved(_, moved) => moved.iter().filter_map(|m| m.to).collect(),
            };
            let distinct: FxHashSet<ClassId> = classes.into_iter().collect();
            let terminals = parser_terminals(inner, thread);
            for class in distinct {
                match may_be_ignored(inner, thread) {
                    true => all.extend([class]),
                    false => all.extend(terminals.iter().filter_map(|&t| self.lexer.after(class, t))),
                }
            }
        }
        let tokens = self.splits.boundary.take().map_or_else(Default::default, |boundary| boundary.0);
        let boundary = self.set_boundary(inner, tokens, all.into_iter().collect())?;
        self.splits.ended.clear();
        self.splits.filled.clear();
        Ok(self.profile(boundary).query)
    }

    /// How the mask at a place is asked for.
    pub(crate) fn split(&mut self, inner: &Inner, thread: Thread) -> Result<Arc<Split>, RuntimeError> {
        if let Some(known) = self.splits.known(thread) {
            return Ok(known.clone());
        }
        self.split_boundary(inner)?;
        let like = self.see(inner, thread)?;
        let split = match like == thread.1 {
            true => Arc::new(self.split_uncached(inner, thread)?),
            false => self.split(inner, (thread.0, like))?,
        };
        self.splits.filled.insert(thread, split.clone());
        Ok(split)
    }

    fn split_uncached(&mut self, inner: &Inner, thread: Thread) -> Result<Split, RuntimeError> {
        let ended = ended_by(&inner.lexer, thread);
        let ended = if ended.is_empty() { None } else { self.ended(inner, ended)? };
        let component = inner.lexer.component(thread.0);
        let matched: Vec<TerminalId> =
            component.matched(thread.1).filter_map(|t| inner.lexer.parser_terminal(t)).collect();
        let ignored = component.matched(thread.1).any(|t| inner.lexer.is_ignored(t));
        let whole = may_be_ignored(inner, thread);
        let mut parts = Vec::new();
        for terminal in parser_terminals(inner, thread) {
            let continued = if whole { None } else { self.continued(inner, thread, Some(terminal))? };
            let ended = ended.filter(|_| matched.contains(&terminal));
            if continued.is_some() || ended.is_some() {
                parts.push(Part { terminal, continued, ended });
            }
        }
        Ok(Split {
            parts: parts.into(),
            after_ignored: ended.filter(|_| ignored),
            whole: if whole { self.continued(inner, thread, None)? } else { None },
        })
    }

    /// The part of the boundary's profile that begins with one of these bytes; none if it is empty.
    fn ended(&mut self, inner: &Inner, bytes: ByteSet) -> Result<Option<ProfileId>, RuntimeError> {
        if let Some(&known) = self.splits.ended.get(&bytes) {
            return Ok(known);
        }
        let boundary = self.splits.boundary.as_ref().map(|boundary| boundary.0.clone()).unwrap_or_default();
        let classes = beginning_with(&boundary, &inner.vocab, &bytes);
        let id = if classes.is_empty() { None } else { Some(self.ask(inner, classes)?) };
        self.splits.ended.insert(bytes, id);
        Ok(id)
    }

    /// What continues the lexeme and begins with this terminal; without one, all that continues it.
    fn continued(
        &mut self,
        inner: &Inner,
        thread: Thread,
        terminal: Option<TerminalId>,
    ) -> Result<Option<ProfileId>, RuntimeError> {
        match self.splits.seen.get(&thread) {
            Some(Seen::Walked(classes)) => {
                let classes = classes.clone();
                self.walked_part(inner, classes, terminal)
            }
            Some(&Seen::Moved(base, ref moved)) => {
                let moved = moved.clone();
                self.moved_part(inner, (thread.0, base), &moved, terminal)
            }
            None => Ok(None),
        }
    }

    fn left(&mut self, class: ClassId, terminal: Option<TerminalId>) -> Option<ClassId> {
        terminal.map_or(Some(class), |terminal| self.lexer.after(class, terminal))
    }

    fn walked_part(
        &mut self,
        inner: &Inner,
        classes: Vec<(ClassId, TokenSet)>,
        terminal: Option<TerminalId>,
    ) -> Result<Option<ProfileId>, RuntimeError> {
        let mut by_class: FxHashMap<ClassId, TokenSet> = FxHashMap::default();
        for (class, tokens) in classes {
            let Some(left) = self.left(class, terminal) else { continue };
            match by_class.entry(left) {
                std::collections::hash_map::Entry::Vacant(free) => {
                    free.insert(tokens);
                }
                std::collections::hash_map::Entry::Occupied(mut known) => {
                    let known = known.get_mut();
                    known.own = known.own.union(&tokens.own);
                    match (&known.shared, tokens.shared) {
                        (Some(_), Some(more)) => known.own = known.own.union(more.ranks()),
                        (None, more) => known.shared = more,
                        _ => {}
                    }
                }
            }
        }
        let mut classes: Vec<_> = by_class.into_iter().collect();
        classes.sort_unstable_by_key(|c| c.0);
        if classes.is_empty() {
            return Ok(None);
        }
        self.ask(inner, classes).map(Some)
    }

    fn moved_part(
        &mut self,
        inner: &Inner,
        base: Thread,
        moved: &[Moved],
        terminal: Option<TerminalId>,
    ) -> Result<Option<ProfileId>, RuntimeError> {
        let like = self.split(inner, base)?;
        let from = match terminal {
            // Asked in the other way there.
            _ if may_be_ignored(inner, base) != terminal.is_none() => self.continued(inner, base, terminal)?,
            None => like.whole,
            Some(terminal) => like.parts.iter().find(|part| part.terminal == terminal).and_then(|part| part.continued),
        };
        let mut here: Vec<Moved> = Vec::new();
        for m in moved {
            let from = m.from.and_then(|class| self.left(class, terminal));
            let to = m.to.and_then(|class| self.left(class, terminal));
            if from != to {
                here.push(Moved { rank: m.rank, from, to });
            }
        }
        let Some(from) = from else {
            let mut classes: FxHashMap<ClassId, RankSet> = FxHashMap::default();
            for m in &here {
                if let Some(class) = m.to {
                    classes.entry(class).or_default().push(m.rank);
                }
            }
            let own = |(class, own)| (class, TokenSet { own, shared: None });
            return self.walked_part(inner, classes.into_iter().map(own).collect(), None);
        };
        if here.is_empty() {
            return Ok(Some(from));
        }
        self.cover(inner, here.iter().filter_map(|m| m.to))?;
        self.moved_profile(inner, from, &here).map(Some)
    }

    /// A profile of these classes, asking the query of all if that asks about them.
    fn ask(&mut self, inner: &Inner, mut classes: Vec<(ClassId, TokenSet)>) -> Result<ProfileId, RuntimeError> {
        for (_, tokens) in &mut classes {
            // Many masks are made of the same large sets.
            if tokens.shared.is_none() {
                let group = TokenGroup::new(std::mem::take(&mut tokens.own));
                match group.is_dense() {
                    true => {
                        self.set_bytes += 8 * group.ranks().ranges().len() + 4 * inner.mask_words;
                        group.words(&inner.vocab);
                        tokens.shared = Some(Arc::new(group));
                    }
                    false => tokens.own = group.into_ranks(),
                }
            }
        }
        self.cover(inner, classes.iter().map(|c| c.0))?;
        let dag = self.lexer.dag();
        let asked = |query: QueryId| classes.iter().all(|c| self.dwa.places(dag, query, c.0).is_some());
        let main = self.splits.main.filter(|&main| asked(main));
        let query = main.unwrap_or_else(|| self.dwa.query(self.lexer.dag(), classes.iter().map(|c| c.0)));
        let tokens = TokenSets::new(&self.dwa, self.lexer.dag(), query, classes).laid_out(&inner.vocab);
        Ok(self.add_profile(FilledProfile::new(query, tokens, None)))
    }

    // ------------------------------------------------------------------ what places see

    /// Looks at the vocabulary from a place, if that has not been done. The place that no token tells apart from it.
    fn see(&mut self, inner: &Inner, thread: Thread) -> Result<StateId, RuntimeError> {
        let (component, state) = thread;
        if self.splits.seen.contains_key(&thread) {
            return Ok(state);
        }
        if let Some(&like) = self.splits.likes.get(&thread) {
            return Ok(like);
        }
        self.family_of(inner, component);
        let family = &self.splits.families[&component];
        let block =
            (inner.config.compare_from != usize::MAX).then(|| family.similarity.block(&inner.lexer, state)).flatten();
        if let Some(&like) = block.and_then(|block| family.by_block.get(&block)) {
            self.splits.likes.insert(thread, like);
            return Ok(like);
        }
        let seen = self.look(inner, thread)?;
        self.insert_seen(thread, seen);
        if let (Some(block), Some(family)) = (block, self.splits.families.get_mut(&component)) {
            family.by_block.insert(block, state);
        }
        Ok(state)
    }

    /// Takes this as what a place sees.
    pub(crate) fn insert_seen(&mut self, thread: Thread, seen: Seen) {
        self.set_bytes += seen.memory_usage();
        self.splits.seen.insert(thread, seen);
    }

    fn family_of(&mut self, inner: &Inner, component: ComponentId) {
        let Self { splits, lexer, .. } = self;
        let Splits { families, seen, .. } = splits;
        families.entry(component).or_insert_with(|| {
            // Loaded places can be compared with like others.
            let walked = seen.iter().filter(|(thread, seen)| thread.0 == component && matches!(seen, Seen::Walked(_)));
            let reference = |thread: Thread| {
                let ended = ended_by(&inner.lexer, thread);
                Reference { state: thread.1, ended, base: thread.1, moved: Arc::default() }
            };
            Family {
                similarity: Similarity::new(&inner.lexer, lexer, &inner.vocab, component),
                references: walked.map(|(&thread, _)| reference(thread)).take(REFERENCES).collect(),
                recent: VecDeque::new(),
                by_block: FxHashMap::default(),
            }
        });
    }

    fn look(&mut self, inner: &Inner, thread: Thread) -> Result<Seen, RuntimeError> {
        let (component, state) = thread;
        let ended = ended_by(&inner.lexer, thread);
        let compared_from = inner.config.compare_from;
        let family = &self.splits.families[&component];
        let alone = family.similarity.visits_continued(&inner.lexer, state, &ended);
        let wide = alone >= compared_from;
        if wide && family.references.is_empty() {
            if let Some(hub) = family.similarity.hub(&inner.lexer).filter(|&hub| hub != state) {
                if !self.splits.seen.contains_key(&(component, hub)) {
                    self.see(inner, (component, hub))?;
                }
            }
        }
        if wide {
            if let Some(seen) = self.compare(inner, thread, &ended, alone)? {
                return Ok(seen);
            }
        }
        let found = profile_continued(&inner.lexer, &mut self.lexer, &inner.vocab, thread, (&ended, wide))?;
        if let Some(family) = self.splits.families.get_mut(&component) {
            if wide && family.references.len() < REFERENCES {
                family.references.push(Reference { state, ended, base: state, moved: Arc::default() });
            }
        }
        Ok(Seen::Walked(found.classes))
    }

    /// What differs from the most similar place that is known, unless that is too much.
    fn compare(
        &mut self,
        inner: &Inner,
        (component, state): Thread,
        ended: &ByteSet,
        alone: usize,
    ) -> Result<Option<Seen>, RuntimeError> {
        let Self { splits, lexer, .. } = self;
        let Some(family) = splits.families.get_mut(&component) else { return Ok(None) };
        let apart = |reference: &&Reference| {
            family.similarity.visits_apart_continued(&inner.lexer, (state, ended), (reference.state, &reference.ended))
        };
        let known = family.recent.iter().rev().chain(family.references.iter().rev());
        let Some(reference) = known.min_by_key(apart).cloned() else { return Ok(None) };
        // The estimate is too high where places part and meet again: the limit is what counts.
        let limit = alone / 4 + 3_000;
        let pair = ((state, ended), (reference.state, &reference.ended));
        let found = difference_continued(&inner.lexer, lexer, &inner.vocab, &family.similarity, pair.0, pair.1, limit)?;
        let Some(moved) = found.filter(|moved| moved.len() <= MOST_MOVED) else { return Ok(None) };
        let moved: Arc<[Moved]> = in_all(&reference.moved, &moved).into();
        if moved.len() > MOST_MOVED {
            return Ok(None);
        }
        if family.recent.len() >= RECENT {
            family.recent.pop_front();
        }
        family.recent.push_back(Reference { state, ended: *ended, base: reference.base, moved: moved.clone() });
        Ok(Some(Seen::Moved(reference.base, moved)))
    }
}

/// The parser terminals that a lexeme at this place may become; sorted.
pub(crate) fn parser_terminals(inner: &Inner, (component, state): Thread) -> Vec<TerminalId> {
    let live = inner.lexer.component(component).live(state);
    let mut terminals: Vec<TerminalId> = live.filter_map(|t| inner.lexer.parser_terminal(t)).collect();
    terminals.sort_unstable();
    terminals.dedup();
    terminals
}

/// Whether a lexeme at this place may become ignored text: then classes have no first terminal to be told apart by.
fn may_be_ignored(inner: &Inner, (component, state): Thread) -> bool {
    inner.lexer.component(component).live(state).any(|t| inner.lexer.is_ignored(t))
}
