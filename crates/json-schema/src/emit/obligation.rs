//! Members in schema order, with obligations: a left-linear automaton over the obligations met and the number of members.
//!
//! ```text
//! p(i, met ∪ m) → p(i-1, met) LATERᵢ v    for each way v of the i-th member to meet m
//! p(i, met)     → p(i-1, met)             if the i-th may be absent
//! ```
//!
//! Free members loop in the same way behind the named ones. The end needs all obligations met.

use std::collections::BTreeMap;

use glrmask_automata::{NonterminalId, Symbol};

use super::chain::Contents;
use super::counted::Counting;
use super::object::{NamedWays, Way};
use super::Emitter;
use crate::error::{Result, SchemaError};
use crate::shape::Obligations;

/// Number of members (saturated), obligations met.
type Facts = (usize, Obligations);

/// The prefixes of an object up to some member.
type Level = BTreeMap<Facts, NonterminalId>;

impl Emitter<'_, '_> {
    /// Named members in order (and whether each is required), then free members, such that all obligations are met.
    pub(super) fn obliged(
        &mut self,
        named: &[NamedWays],
        free: &[Way],
        counting: Counting,
        obligations: Obligations,
    ) -> Result<Contents> {
        let mut level = Level::new();
        let mut may_be_first = true;
        for NamedWays { ways, required, .. } in named {
            level = self.next_level(&level, ways, *required, may_be_first, counting)?;
            may_be_first &= !required;
        }
        if !free.is_empty() {
            level = self.free_level(&level, free, may_be_first, counting)?;
        }
        let done = level.into_iter().filter(|((count, met), _)| *met == obligations && *count >= counting.min);
        Ok(Contents { members: done.map(|(_, state)| vec![Symbol::Nonterminal(state)]).collect(), may_be_empty: false })
    }
    fn next_level(
        &mut self,
        from: &Level,
        ways: &[Way],
        required: bool,
        may_be_first: bool,
        counting: Counting,
    ) -> Result<Level> {
        let mut level = Level::new();
        if may_be_first {
            self.first_ways(&mut level, ways, counting)?;
        }
        for (&facts, &state) in from {
            if !required {
                let to = self.at_level(&mut level, facts)?;
                self.production(to, vec![Symbol::Nonterminal(state)])?;
            }
            for &(member, meets) in ways {
                if let Some(facts) = after(counting, facts, meets) {
                    let to = self.at_level(&mut level, facts)?;
                    self.production(to, vec![Symbol::Nonterminal(state), member.later, member.value])?;
                }
            }
        }
        Ok(level)
    }
    /// Members that stand first.
    fn first_ways(&mut self, level: &mut Level, ways: &[Way], counting: Counting) -> Result<()> {
        for &(member, meets) in ways {
            if let Some(facts) = after(counting, (0, 0), meets) {
                let to = self.at_level(level, facts)?;
                self.production(to, vec![member.first, member.value])?;
            }
        }
        Ok(())
    }
    /// Any number of free members behind a level, in states of their own.
    fn free_level(&mut self, from: &Level, ways: &[Way], may_be_first: bool, counting: Counting) -> Result<Level> {
        let mut level = self.next_level(from, &[], false, false, counting)?;
        if may_be_first {
            self.first_ways(&mut level, ways, counting)?;
        }
        let mut pending: Vec<Facts> = level.keys().copied().collect();
        while let Some(facts) = pending.pop() {
            let Some(&from) = level.get(&facts) else { continue };
            for &(member, meets) in ways {
                let Some(facts) = after(counting, facts, meets) else { continue };
                if !level.contains_key(&facts) {
                    pending.push(facts);
                }
                let to = self.at_level(&mut level, facts)?;
                self.production(to, vec![Symbol::Nonterminal(from), member.later, member.value])?;
            }
        }
        Ok(level)
    }
    fn at_level(&mut self, level: &mut Level, facts: Facts) -> Result<NonterminalId> {
        let (given, limit) = (level.len(), self.algebra.options.limits.productions);
        if given > limit {
            return Err(SchemaError::limit("obligations and counts of one object", given, limit));
        }
        Ok(*level.entry(facts).or_insert_with(|| self.builder.fresh("members")))
    }
}

/// The facts after one member more; `None` beyond the maximum.
fn after(counting: Counting, (count, met): Facts, meets: Obligations) -> Option<Facts> {
    counting.one_more(count).map(|count| (count, met | meets))
}
