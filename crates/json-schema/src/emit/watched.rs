//! Arrays whose items are watched: `contains` counts them, `uniqueItems` remembers them.
//!
//! A left-linear automaton over facts: how many items so far (saturated), how many of them match each `contains`
//! (saturated), which values have been seen. Each item is one of several choices: a value not seen yet, or a goal that
//! says for each `contains` whether the item counts. Where a count has no upper bound, an item may count or not as it
//! likes, which needs no negation; where it has one, items that do not count must not match.

use glrmask_automata::{NonterminalId, Symbol};
use rustc_hash::FxHashMap;

use super::array::Atoms;
use super::Emitter;
use crate::algebra::Goal;
use crate::error::{Result, SchemaError};
use crate::shape::{ArrayShape, ContainsShape, UniqueShape};

/// What is known of the items so far.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Facts {
    items: u32,
    /// Matching items of each `contains`.
    matches: Vec<u32>,
    /// A bit per value.
    seen: u64,
}

/// The automaton in the making.
struct Watch<'a> {
    shape: &'a ArrayShape,
    /// Numbers of items from here on are alike.
    saturated: u32,
    states: FxHashMap<Facts, NonterminalId>,
    queue: Vec<Facts>,
}

impl Emitter<'_, '_> {
    pub(super) fn watched_array(&mut self, lhs: NonterminalId, shape: &ArrayShape, atoms: &Atoms) -> Result<()> {
        let from = shape.contains.iter().map(|rule| rule.from).max().unwrap_or(0);
        let saturated = shape.max_items.unwrap_or(shape.min_items).max(shape.prefix.len() as u32).max(from);
        let start = Facts { items: 0, matches: vec![0; shape.contains.len()], seen: 0 };
        let mut watch = Watch { shape, saturated, states: FxHashMap::default(), queue: Vec::new() };
        if watch.accepts(&start) {
            self.production(lhs, atoms.empty.clone())?;
        }
        self.watch_from(&mut watch, &start, &[atoms.open])?;
        while let Some(facts) = watch.queue.pop() {
            let here = Symbol::Nonterminal(self.watched(&mut watch, &facts)?);
            if watch.accepts(&facts) {
                self.production(lhs, vec![here, atoms.close])?;
            }
            self.watch_from(&mut watch, &facts, &[here, atoms.comma])?;
        }
        Ok(())
    }
    /// One item more, after `before`.
    fn watch_from(&mut self, watch: &mut Watch<'_>, facts: &Facts, before: &[Symbol]) -> Result<()> {
        if watch.shape.max_items.is_some_and(|max| facts.items >= max) {
            return Ok(());
        }
        let choices = match watch.shape.unique.listed() {
            Some(unique) => self.unseen(watch, unique, facts),
            None => self.splits(watch, facts),
        };
        for (goal, next) in choices {
            let Some(item) = self.symbol(&goal)? else { continue };
            let next = self.watched(watch, &next)?;
            self.production(next, before.iter().copied().chain([item]).collect())?;
        }
        Ok(())
    }
    fn watched(&mut self, watch: &mut Watch<'_>, facts: &Facts) -> Result<NonterminalId> {
        if let Some(&known) = watch.states.get(facts) {
            return Ok(known);
        }
        let (states, limit) = (watch.states.len() + 1, self.algebra.options.limits.watched);
        if states > limit {
            return Err(SchemaError::limit("counts of items that are told apart", states, limit));
        }
        let state = self.builder.fresh("items");
        watch.states.insert(facts.clone(), state);
        watch.queue.push(facts.clone());
        Ok(state)
    }
    /// The values that may come next.
    fn unseen(&mut self, watch: &Watch<'_>, unique: &UniqueShape, facts: &Facts) -> Vec<(Goal, Facts)> {
        let position = (facts.items as usize).min(unique.positions.len().saturating_sub(1));
        let values = unique.positions.get(position).into_iter().flatten();
        let mut choices = Vec::new();
        for &i in values.filter(|&&i| facts.seen >> i & 1 == 0) {
            let counts = |rule: usize| {
                watch.may_count(facts, rule) && unique.counted.get(rule).is_some_and(|values| values.contains(&i))
            };
            if let Some(next) = watch.after(facts, counts) {
                let goal = self.constant(&unique.values[i]);
                choices.push((goal, Facts { seen: facts.seen | 1 << i, ..next }));
            }
        }
        choices
    }
    /// The ways in which the next item may count.
    fn splits(&mut self, watch: &Watch<'_>, facts: &Facts) -> Vec<(Goal, Facts)> {
        let shape = watch.shape;
        let item = shape.prefix.get(facts.items as usize).unwrap_or(&shape.items);
        let mut choices = Vec::new();
        for subset in 0..1usize << shape.contains.len() {
            let counts = |rule: usize| subset >> rule & 1 == 1;
            let in_vain = |(i, rule): (usize, &ContainsShape)| {
                counts(i) && rule.max.is_none() && facts.matches.get(i).is_some_and(|&n| n >= rule.min)
            };
            let too_early = |i: usize| counts(i) && !watch.may_count(facts, i);
            if shape.contains.iter().enumerate().any(in_vain) || (0..shape.contains.len()).any(too_early) {
                continue;
            }
            let Some(next) = watch.after(facts, counts) else { continue };
            let rules = shape.contains.iter().enumerate();
            let said = rules.filter_map(|(i, rule)| match (counts(i), rule.max) {
                (true, _) => Some(&rule.goal),
                (false, Some(_)) if watch.may_count(facts, i) => Some(&rule.negated),
                (false, Some(_)) => None,
                (false, None) => None,
            });
            let goal = self.algebra.goal(item.iter().chain(said.flatten()).copied());
            choices.push((goal, next));
        }
        choices
    }
}

impl Watch<'_> {
    /// Whether the next item stands far enough behind to count for a rule.
    fn may_count(&self, facts: &Facts, rule: usize) -> bool {
        self.shape.contains.get(rule).is_some_and(|rule| facts.items >= rule.from)
    }
    /// Whether the array may end.
    fn accepts(&self, facts: &Facts) -> bool {
        let enough = |(rule, &n): (&ContainsShape, &u32)| n >= rule.min;
        facts.items >= self.shape.min_items && self.shape.contains.iter().zip(&facts.matches).all(enough)
    }
    /// The facts after one item more, which counts for some rules. `None` if it is one too many.
    fn after(&self, facts: &Facts, counts: impl Fn(usize) -> bool) -> Option<Facts> {
        let mut next = facts.clone();
        next.items = (facts.items + 1).min(self.saturated);
        let rules = self.shape.contains.iter().zip(&mut next.matches).enumerate();
        for (_, (rule, n)) in rules.filter(|(i, _)| counts(*i)) {
            *n = match rule.max {
                Some(max) if *n >= max => return None,
                Some(_) => *n + 1,
                None => (*n + 1).min(rule.min),
            };
        }
        Some(next)
    }
}
