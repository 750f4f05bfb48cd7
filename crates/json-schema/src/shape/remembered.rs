//! Unique items that are remembered at run time: from which item on, and up to which, values do not run out.
//!
//! The run time refuses a token after which the item in progress must repeat an earlier one. That suffices if another
//! value is left wherever one more item may begin: the item at position i needs more than i values (from 0; the first
//! item needs no choice). Where items have finitely many values, these end somewhere; then `minItems` must not ask for
//! more, and the run time looks from there on whether the array can still end.
//!
//! A prefix may have positions with fewer values (`prefixItems: [{enum: [1, 2]}, {enum: [1, 2]}, …]`). If few lists are
//! possible for all of it, the run time tries them out until it is past the last such position. `contains` must not
//! restrict later items: an item that counts must be one that can still be had, which holds where one item suffices
//! (if an earlier one matches, it counts already) and no values run out.

use super::array::ArrayShape;
use crate::algebra::{Algebra, PLENTY};
use crate::error::Result;
use crate::json::Node;

/// Most lists of values that the run time tries out.
const MAX_LISTS: usize = 64;

impl ArrayShape {
    /// From which item on, and up to which, values do not run out. `None` if there may be too few.
    pub(super) fn settled(&mut self, algebra: &mut Algebra<'_>) -> Result<Option<(u32, u32)>> {
        let plain = |rule: &super::ContainsShape| rule.min <= 1 && rule.max.is_none() && rule.from == 0;
        if !self.contains.iter().all(plain) {
            return Ok(None);
        }
        let (most, placed) = (self.max_items.unwrap_or(u32::MAX), self.prefix.len() as u32);
        let least = if self.contains.is_empty() { 0 } else { PLENTY };
        let mut settled_from = 0;
        for (i, goal) in (0..most).zip(&self.prefix) {
            if (i > 0 || least > 0) && algebra.at_least(goal)? < least.max(u64::from(i) + 1) {
                settled_from = i + 1;
            }
        }
        let mut settled_until = u32::MAX;
        if most > placed {
            let values = algebra.at_least(&self.items)?;
            // With one value more than positions, so that the array is settled somewhere.
            if values < least.max(self.min_items.max(placed + 2).into()) {
                return Ok(None);
            }
            if values < PLENTY {
                settled_until = u32::try_from(values).unwrap_or(u32::MAX);
            }
        }
        if settled_from > 0 && (least > 0 || !self.may_try_out(algebra, settled_from)?) {
            return Ok(None);
        }
        Ok(Some((settled_from, settled_until)))
    }
    /// Whether the lists of values up to a position are few, and one of them has no value twice.
    fn may_try_out(&mut self, algebra: &mut Algebra<'_>, settled_from: u32) -> Result<bool> {
        let mut lists: Vec<Vec<Node>> = vec![Vec::new()];
        let mut all = 1;
        for goal in self.prefix.iter().take(settled_from as usize) {
            let Some(values) = algebra.enumerate(goal, MAX_LISTS)? else { return Ok(false) };
            all *= values.len();
            if all > MAX_LISTS {
                return Ok(false);
            }
            let unused = |list: &Vec<Node>| {
                let unused = values.iter().filter(|value| !list.contains(value));
                unused.map(|value| [list.as_slice(), std::slice::from_ref(value)].concat()).collect::<Vec<_>>()
            };
            lists = lists.iter().flat_map(unused).collect();
        }
        if lists.is_empty() && settled_from <= self.min_items {
            // All of these positions are needed: there is no such array.
            self.max_items = Some(0);
            return Ok(true);
        }
        Ok(!lists.is_empty())
    }
}
