//! Profiles of similar places of a lexeme, kept as their differences.
//!
//! A place of a lexeme costs a walk over the vocabulary, and the places of one component mostly see it alike. So a place is
//! compared with those that are known: one from which no token tells it apart shares the profile, one that differs in a
//! few tokens is kept as that difference, and only what is unlike all others is walked. Which known place is tried is an
//! estimate; what bounds the cost is a limit on trie nodes. See `docs/fill.md`.
//!
//! Plain reference: every place with a walk of its own, which `Config::compare_from` at its largest gives. Where first
//! terminals are shifted, places are compared in [`crate::split`].

use std::collections::VecDeque;
use std::sync::Arc;

use glrmask_automata::{Id, StateId};
use glrmask_lexer::{difference, has_lexeme_walk, profile_inside, ComponentId, Moved, Similarity, Thread};
use rustc_hash::FxHashMap;

use crate::constraint::Inner;
use crate::error::RuntimeError;
use crate::fill::{Cache, ProfileId};

/// How many times fewer nodes than a walk of its own a comparison may visit.
const WORTH: usize = 6;
/// A comparison of so few nodes is as good as any.
const ALIKE: usize = 250;
/// Profiles with walks of their own, of one component, that others are compared with.
const REFERENCES: usize = 48;
/// Profiles found by comparison that others are compared with: the latest.
const RECENT: usize = 24;
/// A profile that differs from another in more tokens is better off with a walk of its own.
const MOST_MOVED: usize = 4_000;

/// The profiles of one component that others are compared with.
#[derive(Debug)]
pub(crate) struct Family {
    similarity: Similarity,
    /// With walks of their own.
    references: Vec<Reference>,
    /// Known by comparison; no more than [`RECENT`].
    recent: VecDeque<Reference>,
    /// By block of states that no token tells apart.
    by_block: FxHashMap<(u32, u32), ProfileId>,
}

/// A profile that others are compared with.
#[derive(Clone, Debug)]
struct Reference {
    state: StateId,
    profile: ProfileId,
    /// The profile with a walk of its own from which it differs, and in what.
    base: ProfileId,
    moved: Arc<[Moved]>,
}

impl Cache {
    /// Which states of a component no token tells apart from this one, if that is known: equal numbers are alike.
    pub(crate) fn block(&mut self, inner: &Inner, (component, state): Thread) -> Option<(u32, u32)> {
        (inner.config.compare_from != usize::MAX)
            .then(|| self.family(inner, component).similarity.block(&inner.lexer, state))?
    }

    /// About how many trie nodes can be seen from a place of a lexeme.
    pub(crate) fn visits(&mut self, inner: &Inner, (component, state): Thread) -> usize {
        self.family(inner, component).similarity.visits(&inner.lexer, state)
    }

    fn family(&mut self, inner: &Inner, component: ComponentId) -> &mut Family {
        let Self { families, lexer, .. } = self;
        families[component.index()].get_or_insert_with(|| Family {
            similarity: Similarity::new(&inner.lexer, lexer, &inner.vocab, component),
            references: Vec::new(),
            recent: VecDeque::new(),
            by_block: FxHashMap::default(),
        })
    }

    /// The profile inside a lexeme without conditions: that of a state that no token tells apart, what differs from
    /// that of a similar state, or from a walk of its own.
    pub(crate) fn inside_plain(&mut self, inner: &Inner, thread: Thread) -> Result<ProfileId, RuntimeError> {
        let block = self.block(inner, thread);
        if let Some(&known) = block.and_then(|block| self.family(inner, thread.0).by_block.get(&block)) {
            return Ok(known);
        }
        let id = match self.similar(inner, thread)? {
            Some(id) => id,
            None => self.walked(inner, thread)?,
        };
        if let Some(block) = block {
            self.family(inner, thread.0).by_block.insert(block, id);
        }
        Ok(id)
    }

    fn walked(&mut self, inner: &Inner, thread: Thread) -> Result<ProfileId, RuntimeError> {
        let wide = self.family(inner, thread.0).similarity.visits(&inner.lexer, thread.1) >= inner.config.compare_from;
        let found = profile_inside(&inner.lexer, &mut self.lexer, &inner.vocab, thread, wide)?;
        let id = self.fill_profile(inner, found)?;
        let references = &mut self.family(inner, thread.0).references;
        if wide && references.len() < REFERENCES {
            references.push(Reference { state: thread.1, profile: id, base: id, moved: Arc::default() });
        }
        Ok(id)
    }

    fn similar(&mut self, inner: &Inner, thread: Thread) -> Result<Option<ProfileId>, RuntimeError> {
        let (component, state) = thread;
        let family = self.family(inner, component);
        let alone = family.similarity.visits(&inner.lexer, state);
        if alone < inner.config.compare_from {
            return Ok(None);
        }
        if family.references.is_empty() {
            let hub = family.similarity.hub(&inner.lexer).filter(|&hub| hub != state);
            let Some(hub) = hub else { return Ok(None) };
            self.inside(inner, (component, hub))?;
        }
        let Self { families, lexer, .. } = self;
        let Some(family) = &families[component.index()] else { return Ok(None) };
        // The latest first: neighbours in the automaton are mostly alike.
        let mut best: Option<(usize, &Reference)> = None;
        for reference in family.recent.iter().rev().chain(family.references.iter().rev()) {
            let enough = best.map_or(usize::MAX, |known| known.0);
            let visits = family.similarity.visits_apart(&inner.lexer, (state, reference.state), enough);
            if best.is_none_or(|known| visits < known.0) {
                best = Some((visits, reference));
            }
            if visits < ALIKE {
                break;
            }
        }
        // The estimate looks at one byte, and is too high where states part and meet again: the limit is what counts.
        let best = best.filter(|best| best.0 < alone || inner.config.compare_from == 0);
        let Some((visits, reference)) = best else { return Ok(None) };
        // A walk of its own is quicker per node, and found again by other grammars.
        if 2 * visits >= alone && inner.config.compare_from > 0 && has_lexeme_walk(&inner.lexer, thread) {
            return Ok(None);
        }
        let reference = reference.clone();
        let pair = (state, reference.state);
        let limit = (alone / WORTH).min(8 * visits) + 3_000;
        match difference(&inner.lexer, lexer, &inner.vocab, &family.similarity, pair, limit)? {
            Some(moved) if moved.is_empty() => Ok(Some(reference.profile)),
            Some(moved) => self.fill_moved(inner, thread, reference.base, in_all(&reference.moved, &moved)),
            None => Ok(None),
        }
    }

    /// A profile that differs in `moved` from that of `base`, which has a walk of its own. None if that is too much.
    fn fill_moved(
        &mut self,
        inner: &Inner,
        thread: Thread,
        base: ProfileId,
        moved: Vec<Moved>,
    ) -> Result<Option<ProfileId>, RuntimeError> {
        if moved.is_empty() {
            return Ok(Some(base));
        }
        if moved.len() > MOST_MOVED {
            return Ok(None);
        }
        self.cover(inner, moved.iter().filter_map(|m| m.to))?;
        let profile = self.moved_profile(inner, base, &moved)?;
        let recent = &mut self.family(inner, thread.0).recent;
        if recent.len() >= RECENT {
            recent.pop_front();
        }
        recent.push_back(Reference { state: thread.1, profile, base, moved: moved.into() });
        Ok(Some(profile))
    }
}

/// What has moved in all: first `before`, then `after`. Both by rising rank.
pub(crate) fn in_all(before: &[Moved], after: &[Moved]) -> Vec<Moved> {
    let mut all = Vec::with_capacity(before.len() + after.len());
    let mut first = before.iter().peekable();
    for &Moved { rank, from, to } in after {
        while let Some(earlier) = first.next_if(|earlier| earlier.rank < rank) {
            all.push(*earlier);
        }
        let from = first.next_if(|earlier| earlier.rank == rank).map_or(from, |earlier| earlier.from);
        if from != to {
            all.push(Moved { rank, from, to });
        }
    }
    all.extend(first);
    all
}
