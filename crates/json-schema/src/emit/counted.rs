//! Members that are counted: the chain of `chain.rs`, once per number of members.
//!
//! `pᵢ,ⱼ` derives j of the members up to the i-th: `pᵢ,ⱼ → pᵢ₋₁,ⱼ` if the i-th may be absent, `pᵢ,ⱼ → pᵢ₋₁,ⱼ₋₁ LATERᵢ vᵢ`.
//! Counts are saturated at the larger of the bounds.

use glrmask_automata::{NonterminalId, Symbol};

use super::chain::{Contents, Member};
use super::Emitter;
use crate::error::{Result, SchemaError};

/// Nonterminals by number of members (from 1), saturated.
type Row = Vec<Option<NonterminalId>>;

/// How members are counted.
#[derive(Clone, Copy)]
pub(super) struct Counting {
    pub(super) min: usize,
    pub(super) max: Option<usize>,
}

impl Counting {
    /// Number of counts that are told apart.
    fn states(self) -> usize {
        self.max.unwrap_or(self.min.max(1))
    }
    /// The saturated number of members after one more; `None` beyond the maximum.
    pub(super) fn one_more(self, count: usize) -> Option<usize> {
        match self.max {
            Some(max) => Some(count + 1).filter(|&count| count <= max),
            None => Some((count + 1).min(self.min)),
        }
    }
    /// The index after one member more; `None` beyond the maximum.
    fn next(self, index: usize) -> Option<usize> {
        match self.max {
            Some(max) => (index + 1 < max).then_some(index + 1),
            None => Some((index + 1).min(self.states() - 1)),
        }
    }
}

impl Emitter<'_, '_> {
    /// Named members in order (and whether each is required), then free members, as many as may be.
    pub(super) fn counted(
        &mut self,
        named: &[(Member, bool)],
        free: &[Member],
        counting: Counting,
    ) -> Result<Contents> {
        let limit = self.algebra.options.limits.productions;
        let states = counting.states().saturating_mul(named.len() + 1);
        if states > limit {
            return Err(SchemaError::limit("counts of members", states, limit));
        }
        let mut row: Row = vec![None; counting.states()];
        let mut may_be_empty = true;
        for &(member, required) in named {
            row = self.append(&row, member, required, may_be_empty, counting)?;
            may_be_empty &= !required;
        }
        row = self.append_free(row, free, may_be_empty, counting)?;
        let enough = row.into_iter().skip(counting.min.saturating_sub(1)).flatten();
        let members = enough.map(|prefix| vec![Symbol::Nonterminal(prefix)]).collect();
        Ok(Contents { members, may_be_empty: may_be_empty && counting.min == 0 })
    }
    /// The chain with one more named member. It may stand first if nothing need stand before it.
    fn append(
        &mut self,
        row: &Row,
        member: Member,
        required: bool,
        may_be_first: bool,
        counting: Counting,
    ) -> Result<Row> {
        let mut next: Row = vec![None; row.len()];
        if may_be_first && !row.is_empty() {
            let to = self.state(&mut next, 0);
            self.production(to, vec![member.first, member.value])?;
        }
        for (i, from) in row.iter().enumerate() {
            let Some(from) = *from else { continue };
            if !required {
                let to = self.state(&mut next, i);
                self.production(to, vec![Symbol::Nonterminal(from)])?;
            }
            if let Some(j) = counting.next(i) {
                let to = self.state(&mut next, j);
                self.production(to, vec![Symbol::Nonterminal(from), member.later, member.value])?;
            }
        }
        Ok(next)
    }
    /// The chain with any number of free members.
    fn append_free(&mut self, row: Row, members: &[Member], may_be_first: bool, counting: Counting) -> Result<Row> {
        if members.is_empty() || row.is_empty() {
            return Ok(row);
        }
        let mut next: Row = vec![None; row.len()];
        for (i, from) in row.iter().enumerate() {
            if let Some(from) = *from {
                let to = self.state(&mut next, i);
                self.production(to, vec![Symbol::Nonterminal(from)])?;
            }
        }
        for member in members {
            if may_be_first {
                let to = self.state(&mut next, 0);
                self.production(to, vec![member.first, member.value])?;
            }
        }
        for i in 0..next.len() {
            let (Some(from), Some(j)) = (next[i], counting.next(i)) else { continue };
            let to = self.state(&mut next, j);
            for member in members {
                self.production(to, vec![Symbol::Nonterminal(from), member.later, member.value])?;
            }
        }
        Ok(next)
    }
    fn state(&mut self, row: &mut Row, i: usize) -> NonterminalId {
        *row[i].get_or_insert_with(|| self.builder.fresh("members"))
    }
}
