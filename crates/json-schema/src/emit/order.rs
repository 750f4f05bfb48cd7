//! Members in any order: a left-linear automaton over facts.
//!
//! A state is the set of tracked keys that have been seen, the number of members, saturated, and the obligations met.
//! Every named key is tracked, since none may stand twice; that takes 2ⁿ states for n keys, and no grammar can do with
//! fewer (permutations have no small grammar), so n is limited. Where an object has more keys, the run time remembers them
//! (`crowded.rs`). Where it cannot, only the required ones are tracked, and the compiler warns: optional ones may then be
//! repeated, like free keys, which no value depends on. Where one does (members are counted, or some of them must meet an
//! obligation), the object is refused.
//!
//! ```text
//! s ∪ {k} → s Mₖ    if k ∉ s        Mₖ → LATERₖ vₖ
//! {k}     → FIRSTₖ vₖ
//! s       → s F                     F → LATER v, for free keys and keys that are not tracked
//! ```

use glrmask_automata::{NonterminalId, Symbol};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::chain::Contents;
use super::counted::Counting;
use super::object::{NamedWays, Way};
use super::Emitter;
use crate::error::{Result, SchemaError};
use crate::shape::Obligations;

/// A grammar holds the sets of so many objects of the largest kind, before only required keys are tracked.
const OBJECTS: usize = 8;
/// So many in any case.
const MORE_OBJECTS: usize = 32;

/// Tracked keys seen, number of members, obligations met.
type Facts = (u64, usize, Obligations);

/// Which of the named members an automaton over facts tells apart: each has a bit of its own.
pub(super) struct Tracked {
    bits: Vec<Option<u32>>,
    /// Those that must have been seen at the end.
    required: u64,
}

/// The automaton in the making.
#[derive(Default)]
struct Order {
    states: FxHashMap<Facts, NonterminalId>,
    queue: Vec<Facts>,
}

impl Emitter<'_, '_> {
    /// Any order of named members (and whether each is required) and free members, as many as may be.
    pub(super) fn any_order(
        &mut self,
        tracked: &Tracked,
        (named, free): (&[NamedWays], &[Way]),
        counting: Counting,
        obligations: Obligations,
    ) -> Result<Contents> {
        let mut order = Order::default();
        let ways =
            |(named, &bit): (&NamedWays, &Option<u32>)| named.ways.iter().map(|&way| (way, bit)).collect::<Vec<_>>();
        let entries = named.iter().zip(&tracked.bits).flat_map(ways);
        let entries: Vec<(Way, Option<u32>)> = entries.chain(free.iter().map(|&way| (way, None))).collect();
        // One step for all members that make no difference: each takes an LR state per set.
        let mut later: IndexMap<(Obligations, Option<u32>), NonterminalId> = IndexMap::new();
        for &((member, meets), bit) in &entries {
            let step = *later.entry((meets, bit)).or_insert_with(|| self.builder.fresh("member"));
            self.production(step, vec![member.later, member.value])?;
            if let Some(facts) = counting.after((0, 0, 0), meets, bit) {
                let to = self.facts(&mut order, facts);
                self.production(to, vec![member.first, member.value])?;
            }
        }
        let mut contents = Contents { members: Vec::new(), may_be_empty: false };
        contents.may_be_empty = !named.iter().any(|named| named.required) && counting.min == 0 && obligations == 0;
        while let Some(facts) = order.queue.pop() {
            let from = self.facts(&mut order, facts);
            if facts.0 & tracked.required == tracked.required && facts.1 >= counting.min && facts.2 == obligations {
                contents.members.push(vec![Symbol::Nonterminal(from)]);
            }
            for (&(meets, bit), &step) in &later {
                if let Some(next) = counting.after(facts, meets, bit) {
                    let to = self.facts(&mut order, next);
                    self.production(to, vec![Symbol::Nonterminal(from), Symbol::Nonterminal(step)])?;
                }
            }
        }
        Ok(contents)
    }
    /// Decides which keys are tracked: all, or the required ones if the others may be repeated.
    pub(super) fn tracked(
        &mut self,
        object: NonterminalId,
        members: &[NamedWays],
        may_repeat: bool,
    ) -> Result<Tracked> {
        let limit = self.algebra.options.limits.facts;
        if self.reserve_sets(members.len(), (limit, OBJECTS)).is_ok() {
            return Ok(Tracked::of(members, |_| true));
        }
        let required = members.iter().filter(|named| named.required).count();
        let all = !may_repeat || required == members.len();
        if may_repeat {
            self.reserve_more(object, required)?;
        } else {
            self.reserve_sets(members.len(), (limit, MORE_OBJECTS)).map_err(|error| self.too_many(object, error))?;
        }
        if !all {
            let reason = "optional keys may be repeated, they are too many to remember in any order";
            let pointer = self.origins.get(&object).cloned().unwrap_or_else(|| "".into());
            self.algebra.warn(&pointer, "properties", reason);
        }
        Ok(Tracked::of(members, |named| all || named.required))
    }
    /// Whether so many keys of an object may be told apart, all of them.
    pub(super) fn may_track_all(&self, keys: usize) -> bool {
        let limit = self.algebra.options.limits.facts;
        self.with_sets(keys, (limit, OBJECTS)).is_ok()
    }
    /// Counts the sets of those keys of an object that the grammar has to remember.
    pub(super) fn reserve_more(&mut self, object: NonterminalId, keys: usize) -> Result<()> {
        let limit = self.algebra.options.limits.facts.saturating_mul(16);
        self.reserve_sets(keys, (limit, MORE_OBJECTS)).map_err(|error| self.too_many(object, error))
    }
    fn too_many(&self, object: NonterminalId, error: SchemaError) -> SchemaError {
        error.at(self.origins.get(&object).map_or("", |pointer| pointer), "properties")
    }
    /// Counts the sets of so many keys of one object, unless they are too many, or those of all objects are.
    fn reserve_sets(&mut self, keys: usize, bounds: (usize, usize)) -> Result<()> {
        self.key_sets = self.with_sets(keys, bounds)?;
        Ok(())
    }
    /// The sets of all objects with those of so many keys more.
    fn with_sets(&self, keys: usize, (limit, objects): (usize, usize)) -> Result<usize> {
        let sets = sets(keys);
        if sets > limit {
            let error = SchemaError::limit("sets of keys of one object in any order", sets, limit);
            return Err(error.helped_by_documents());
        }
        let total = self.key_sets.saturating_add(sets);
        let limit = self.algebra.options.limits.facts.saturating_mul(objects);
        if total > limit {
            let error = SchemaError::limit("sets of keys of all objects in any order", total, limit);
            return Err(error.helped_by_documents());
        }
        Ok(total)
    }
    fn facts(&mut self, order: &mut Order, facts: Facts) -> NonterminalId {
        *order.states.entry(facts).or_insert_with(|| {
            order.queue.push(facts);
            self.builder.fresh("members")
        })
    }
}

impl Tracked {
    /// Some of these members.
    pub(super) fn of(members: &[NamedWays], tracks: impl Fn(&NamedWays) -> bool) -> Self {
        let mut numbers = 0..;
        let bits: Vec<Option<u32>> =
            members.iter().map(|named| tracks(named).then(|| numbers.next()).flatten()).collect();
        let required = members.iter().zip(&bits).filter(|(named, _)| named.required);
        let required = required.filter_map(|(_, bit)| *bit).fold(0, |set, bit| set | 1 << bit);
        Self { bits, required }
    }
}

/// Number of sets of so many keys, saturating.
fn sets(keys: usize) -> usize {
    u32::try_from(keys).ok().filter(|&n| n < usize::BITS).map_or(usize::MAX, |n| 1 << n)
}

impl Counting {
    /// The facts after one member more; `None` if it may not stand here.
    fn after(self, (seen, count, met): Facts, meets: Obligations, bit: Option<u32>) -> Option<Facts> {
        let bit = bit.map_or(0, |bit| 1 << bit);
        let count = self.one_more(count)?;
        (seen & bit == 0).then_some((seen | bit, count, met | meets))
    }
}
