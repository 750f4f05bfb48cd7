//! Arrays as left-recursive lists with the separator in front of every later item.

use glrmask_automata::{NonterminalId, Symbol};
use glrmask_grammar::Expr;

use super::Emitter;
use crate::algebra::Goal;
use crate::error::Result;
use crate::shape::ArrayShape;

/// The atoms around items.
pub(super) struct Atoms {
    pub(super) open: Symbol,
    pub(super) close: Symbol,
    pub(super) comma: Symbol,
    pub(super) empty: Vec<Symbol>,
}

impl Emitter<'_, '_> {
    pub(super) fn array(&mut self, lhs: NonterminalId, shape: &ArrayShape) -> Result<()> {
        let atoms = self.array_atoms();
        if !shape.contains.is_empty() || shape.unique.listed().is_some() {
            return self.watched_array(lhs, shape, &atoms);
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
}
