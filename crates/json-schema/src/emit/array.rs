//! Arrays as left-recursive lists with the separator in front of every later item.

use glrmask_automata::{NonterminalId, Symbol};
use glrmask_grammar::Expr;
use rustc_hash::FxHashMap;

use super::Emitter;
use crate::algebra::Goal;
use crate::error::Result;
use crate::shape::{ArrayShape, ContainsShape};

/// The atoms around items.
struct Atoms {
    open: Symbol,
    close: Symbol,
    comma: Symbol,
    empty: Vec<Symbol>,
}

impl Emitter<'_, '_> {
    pub(super) fn array(&mut self, lhs: NonterminalId, shape: &ArrayShape) -> Result<()> {
        let atoms = self.array_atoms();
        if let Some(contains) = &shape.contains {
            return self.counted_array(lhs, shape, contains, &atoms);
        }
        let max = shape.max_items.unwrap_or(u32::MAX);
        if shape.min_items == 0 {
            self.production(lhs, atoms.empty.clone())?;
        }
        // What stands before the separator of the next item.
        let mut before = vec![atoms.open];
        for (i, goal) in (0u32..).zip(&shape.prefix).take(max as usize) {
            let Some(item) = self.item(lhs, goal, i < shape.min_items)? else { return Ok(()) };
            before.push(item);
            if i + 1 >= shape.min_items {
                let mut rhs = before.clone();
                rhs.push(atoms.close);
                self.production(lhs, rhs)?;
            }
            let items = self.builder.fresh("items");
            self.production(items, std::mem::take(&mut before))?;
            before = vec![Symbol::Nonterminal(items), atoms.comma];
        }
        let placed = shape.prefix.len() as u32;
        if max <= placed {
            return Ok(());
        }
        let Some(item) = self.item(lhs, &shape.items, placed < shape.min_items)? else { return Ok(()) };
        let least = shape.min_items.saturating_sub(placed + 1);
        let most = shape.max_items.map(|max| max - placed - 1);
        before.push(item);
        self.rest(lhs, before, [atoms.comma, item], atoms.close, (least, most))
    }
    /// `before more{least,most} close`
    fn rest(
        &mut self,
        lhs: NonterminalId,
        before: Vec<Symbol>,
        more: [Symbol; 2],
        close: Symbol,
        (least, most): (u32, Option<u32>),
    ) -> Result<()> {
        let sequence = |symbols: &[Symbol]| Expr::Sequence(symbols.iter().copied().map(Expr::from).collect());
        if least == 0 && most.is_none() {
            let list = self.builder.fresh("items");
            self.production(list, before)?;
            self.production(list, vec![Symbol::Nonterminal(list), more[0], more[1]])?;
            return self.production(lhs, vec![Symbol::Nonterminal(list), close]);
        }
        let repeated = sequence(&more).repeat(least, most);
        self.builder.define(lhs, Expr::Sequence(vec![sequence(&before), repeated, close.into()]));
        Ok(())
    }
    fn item(&mut self, lhs: NonterminalId, goal: &Goal, needed: bool) -> Result<Option<Symbol>> {
        let symbol = self.symbol(goal)?;
        if symbol.is_none() && needed {
            self.blame(lhs, goal);
        }
        Ok(symbol)
    }
    fn array_atoms(&mut self) -> Atoms {
        let (open, close) = (self.text.array_open(), self.text.array_close());
        let (open, close) = (self.terminal("ARRAY_OPEN", open), self.terminal("ARRAY_CLOSE", close));
        let empty = match self.text.array_empty() {
            Some(empty) => vec![self.terminal("ARRAY_EMPTY", empty)],
            None => vec![open, close],
        };
        let comma = self.text.comma.clone();
        Atoms { open, close, comma: self.terminal("COMMA", comma), empty }
    }

    /// With `contains`: one nonterminal per (items so far, matching items so far), both saturated.
    ///
    /// Without an upper bound on matches an item may count as matching or not, which needs no negation; with one, items
    /// that do not count must not match.
    fn counted_array(
        &mut self,
        lhs: NonterminalId,
        shape: &ArrayShape,
        contains: &ContainsShape,
        atoms: &Atoms,
    ) -> Result<()> {
        let saturated = shape.max_items.unwrap_or(shape.min_items).max(shape.prefix.len() as u32);
        let enough = contains.max.unwrap_or(contains.min);
        if shape.min_items == 0 && contains.min == 0 {
            self.production(lhs, atoms.empty.clone())?;
        }
        let mut states: FxHashMap<(u32, u32), NonterminalId> = FxHashMap::default();
        let mut queue = vec![(0, 0)];
        while let Some((items, matches)) = queue.pop() {
            let here = states.get(&(items, matches)).copied();
            if let Some(here) = here.filter(|_| items >= shape.min_items && matches >= contains.min) {
                self.production(lhs, vec![Symbol::Nonterminal(here), atoms.close])?;
            }
            if shape.max_items.is_some_and(|max| items >= max) {
                continue;
            }
            let goal = shape.prefix.get(items as usize).unwrap_or(&shape.items).clone();
            let matching = self.algebra.goal(goal.iter().chain(&contains.goal).copied());
            let other = match contains.max {
                Some(_) => self.algebra.goal(goal.iter().chain(&contains.negated).copied()),
                None => goal,
            };
            let counted = match contains.max {
                Some(max) => (matches < max).then_some(matches + 1),
                None => Some((matches + 1).min(enough)),
            };
            for (goal, matches) in [(Some(matching), counted), (Some(other), Some(matches))] {
                let (Some(goal), Some(matches)) = (goal, matches) else { continue };
                let Some(item) = self.symbol(&goal)? else { continue };
                let key = ((items + 1).min(saturated), matches);
                let next = *states.entry(key).or_insert_with(|| {
                    queue.push(key);
                    self.builder.fresh("items")
                });
                let mut rhs = match here {
                    Some(here) => vec![Symbol::Nonterminal(here), atoms.comma],
                    None => vec![atoms.open],
                };
                rhs.push(item);
                self.production(next, rhs)?;
            }
        }
        Ok(())
    }
}
