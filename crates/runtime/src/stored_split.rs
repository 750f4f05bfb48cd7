//! The stored form of what places see, for lexers whose terminals are shifted first.
//!
//! What costs a walk over the vocabulary is stored: the tokens of the boundary and of every place, by class, or what differs
//! from another place; and the classes themselves. Profiles, queries and rows are made from it as they are needed. Whatever
//! is read is checked: every number is in range afterwards.

use std::sync::Arc;

use glrmask_automata::lexdag::ClassId;
use glrmask_automata::{Id, StateId};
use glrmask_lexer::{ComponentId, ConditionSets, LexerCache, Moved, StoredClasses, Thread, TokenSet};
use glrmask_vocab::{Rank, RankSet};
use serde::{Deserialize, Serialize};

use crate::constraint::Inner;
use crate::fill::Cache;
use crate::split::Seen;

/// Tokens by class.
type Tokens = Vec<(ClassId, RankSet)>;
/// Tokens with their classes at another place and here, 0 for none.
type MovedTokens = Vec<(u32, u32, u32)>;

/// What places see, as plain data.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredSplits {
    classes: StoredClasses,
    boundary: Tokens,
    main: Vec<ClassId>,
    /// By component and state, rising.
    walked: Vec<(u32, u32, Tokens)>,
    /// Component, state, the walked state it is compared with, and what differs.
    moved: Vec<(u32, u32, u32, MovedTokens)>,
    /// Component, state, the state that no token tells apart.
    likes: Vec<(u32, u32, u32)>,
}

impl StoredSplits {
    /// What is known so far; `None` if that is nothing.
    pub(crate) fn new(cache: &Cache) -> Option<Self> {
        let splits = &cache.splits;
        let (boundary, _) = splits.boundary.as_ref()?;
        let tokens = |sets: &[(ClassId, TokenSet)]| sets.iter().map(|(class, set)| (*class, set.ranks())).collect();
        let (mut walked, mut moved): (Vec<(u32, u32, Tokens)>, Vec<_>) = (Vec::new(), Vec::new());
        let class = |class: Option<ClassId>| class.map_or(0, |class| class.0 + 1);
        for (&(component, state), seen) in &splits.seen {
            match seen {
                Seen::Walked(sets) => walked.push((component.0, state.0, tokens(sets))),
                Seen::Moved(base, list) => {
                    let list: Vec<_> = list.iter().map(|m| (m.rank.0, class(m.from), class(m.to))).collect();
                    moved.push((component.0, state.0, base.0, list));
                }
            }
        }
        let mut likes: Vec<_> = splits.likes.iter().map(|(thread, like)| (thread.0 .0, thread.1 .0, like.0)).collect();
        // Everything in order: the same bytes for the same tables.
        walked.sort_unstable_by_key(|w| (w.0, w.1));
        moved.sort_unstable();
        likes.sort_unstable();
        let classes = cache.lexer.stored_classes();
        Some(Self { classes, boundary: tokens(boundary), main: splits.main_classes.to_vec(), walked, moved, likes })
    }

    /// The same, where condition sets have these numbers.
    pub(crate) fn among(self, known: &ConditionSets) -> Self {
        Self { classes: self.classes.among(known), ..self }
    }

    /// Tables in which all this is known.
    pub(crate) fn restore(self, inner: &Inner) -> Result<Cache, &'static str> {
        const BAD: &str = "places of another lexer or vocabulary";
        let lexer = LexerCache::with_classes(&inner.lexer, inner.tables.terminals(), self.classes).map_err(|_| BAD)?;
        let (classes, ranks) = (lexer.dag().len(), inner.vocab.rank_count());
        let mut cache = Cache::new(&inner.lexer);
        cache.lexer = lexer;
        let thread = |component: u32, state: u32| -> Result<Thread, &'static str> {
            let known = inner.lexer.components().get(ComponentId(component)).ok_or(BAD)?;
            let state = StateId(state);
            (state.index() < known.dfa().len()).then_some((ComponentId(component), state)).ok_or(BAD)
        };
        let tokens = |list: Tokens| -> Result<Vec<(ClassId, TokenSet)>, &'static str> {
            let fits = |(class, set): &(ClassId, RankSet)| {
                class.index() < classes && set.ranges().last().is_none_or(|range| range.1.index() <= ranks)
            };
            let own = |(class, own)| (class, TokenSet { own, shared: None });
            list.iter().all(fits).then(|| list.into_iter().map(own).collect()).ok_or(BAD)
        };
        if self.main.iter().any(|class| class.index() >= classes) {
            return Err(BAD);
        }
        for (component, state, list) in self.walked {
            cache.insert_seen(thread(component, state)?, Seen::Walked(tokens(list)?));
        }
        let class = |class: u32| class.checked_sub(1).map(ClassId);
        for (component, state, base, list) in self.moved {
            let walked = matches!(cache.splits.seen.get(&thread(component, base)?), Some(Seen::Walked(_)));
            // A place that stands there twice could be compared with itself, without an end.
            let twice = cache.splits.seen.contains_key(&thread(component, state)?);
            let fits =
                |&(rank, from, to): &(u32, u32, u32)| (rank as usize) < ranks && from.max(to) as usize <= classes;
            if !walked || twice || !list.iter().all(fits) || !list.is_sorted_by(|a, b| a.0 < b.0) {
                return Err(BAD);
            }
            let moved = |(rank, from, to)| Moved { rank: Rank(rank), from: class(from), to: class(to) };
            let moved: Arc<[Moved]> = list.into_iter().map(moved).collect();
            cache.insert_seen(thread(component, state)?, Seen::Moved(StateId(base), moved));
        }
        for (component, state, like) in self.likes {
            if !cache.splits.seen.contains_key(&thread(component, like)?) {
                return Err(BAD);
            }
            cache.splits.likes.insert(thread(component, state)?, StateId(like));
        }
        let boundary = tokens(self.boundary)?;
        cache.set_boundary(inner, boundary.into(), self.main).map_err(|_| BAD)?;
        Ok(cache)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::contexts::tests::constraint;
    use crate::{Budget, Config};

    #[test]
    fn a_place_compared_with_itself_is_refused() {
        let constraint = constraint(Config { shift_first: Some(true), ..Config::default() });
        assert_eq!(constraint.fill(&Budget::default()).unwrap(), None);
        let stored = || StoredSplits::new(&constraint.inner().cache.read()).unwrap();
        assert!(stored().restore(constraint.inner()).is_ok());
        let (component, state, _) = stored().walked[0];
        let moved = vec![(component, state, state, Vec::new())];
        assert!(StoredSplits { moved, ..stored() }.restore(constraint.inner()).is_err());
    }
}
