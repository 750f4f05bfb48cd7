//! An assembly as one grammar: every part's scopes, symbols and productions side by side, slots replaced.
//!
//! The plain meaning of composition, and the reference for everything faster. A slot's nonterminal derives the start
//! symbol of what is bound to it; since that stands in another scope, entering it works as for an inline grammar.

use glrmask_automata::Symbol;

use crate::assembly::{Assembly, Define, Events, Filled, Part};
use crate::diagnostic::GrammarError;
use crate::embed::Shift;
use crate::ir::{Grammar, Pattern, Production, Scope, Slot, Terminal, ROOT_SCOPE};

/// The most token ids that are written out in one grammar.
const MAX_EVENT_IDS: usize = 1 << 26;

impl<D: Define> Assembly<D> {
    /// One grammar with the same language. Open slots stay open. Linear in the sizes of the distinct parts.
    ///
    /// # Errors
    /// Token events with very many ids.
    pub fn flatten(&self) -> Result<Grammar, GrammarError> {
        let parts = self.parts();
        let mut flat = Flat { grammar: root(self.definition().grammar()), event_ids: 0 };
        let mut shifts = vec![Shift { terminals: 0, nonterminals: 0, scopes: 0 }; parts.len()];
        // The root comes first, since its scope is the root scope, and a scope comes after the one it stands in.
        for (part, shift) in parts.iter().zip(&mut shifts).rev() {
            *shift = flat.shift();
            flat.copy(part.definition.grammar(), *shift);
        }
        if let Some((_, children)) = parts.split_last() {
            for (part, shift) in children.iter().zip(&shifts) {
                flat.grammar.documents.extend(shift.documents(part.definition.grammar()));
            }
        }
        for (part, &shift) in parts.iter().zip(&shifts) {
            flat.fill(part, shift, &parts, &shifts)?;
        }
        Ok(flat.grammar)
    }
}

/// Nothing but the start symbol of the root.
fn root(grammar: &Grammar) -> Grammar {
    Grammar {
        terminals: Default::default(),
        nonterminals: Default::default(),
        productions: Vec::new(),
        scopes: Default::default(),
        start: grammar.start,
        slots: Vec::new(),
        marks: Vec::new(),
        instance: grammar.instance.clone(),
        documents: grammar.documents.clone(),
    }
}

struct Flat {
    grammar: Grammar,
    /// Ids of token events written out so far.
    event_ids: usize,
}

impl Flat {
    fn shift(&self) -> Shift {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let Grammar { terminals, nonterminals, scopes, .. } = &self.grammar;
        Shift {
            terminals: count(terminals.len()),
            nonterminals: count(nonterminals.len()),
            scopes: count(scopes.len()),
        }
    }

    /// Everything but the slots.
    fn copy(&mut self, from: &Grammar, shift: Shift) {
        let to = &mut self.grammar;
        for scope in from.scopes.iter() {
            to.scopes.push(shift.in_scope(scope));
        }
        for terminal in from.terminals.iter() {
            to.terminals.push(shift.in_terminal(terminal));
        }
        for nonterminal in from.nonterminals.iter() {
            to.nonterminals.push(shift.in_nonterminal(nonterminal));
        }
        to.productions.extend(from.productions.iter().map(|p| shift.in_production(p)));
        to.marks.extend(from.marks.iter().map(|mark| shift.in_mark(*mark)));
    }

    fn fill<D: Define>(
        &mut self,
        part: &Part<'_, D>,
        shift: Shift,
        parts: &[Part<'_, D>],
        shifts: &[Shift],
    ) -> Result<(), GrammarError> {
        for (slot, filled) in part.definition.grammar().slots.iter().zip(&part.slots) {
            let slot = shift.in_slot(slot);
            match filled {
                Filled::Open => self.grammar.slots.push(slot),
                Filled::Events(events) => self.events(&slot, events)?,
                Filled::Part(child) => {
                    let (Some(part), Some(&shift)) = (parts.get(*child), shifts.get(*child)) else { continue };
                    self.component(&slot, part.definition.grammar(), shift);
                }
            }
        }
        Ok(())
    }

    /// The slot derives the child's start symbol. The child's root scope stands where it is bound first.
    fn component(&mut self, slot: &Slot, child: &Grammar, shift: Shift) {
        let scope = &mut self.grammar.scopes[shift.scope(ROOT_SCOPE)];
        if scope.parent.is_none() {
            *scope = Scope { name: slot.name.clone(), parent: Some(slot.scope), ..std::mem::take(scope) };
        }
        if let Symbol::Nonterminal(lhs) = slot.symbol {
            let rhs = vec![Symbol::Nonterminal(shift.nonterminal(child.start))];
            self.grammar.productions.push(Production { lhs, rhs });
        }
    }

    fn events(&mut self, slot: &Slot, events: &Events) -> Result<(), GrammarError> {
        let ids = events.ranges.iter().map(|&(first, last)| (last - first) as usize + 1);
        self.event_ids = ids.fold(self.event_ids, usize::saturating_add);
        if self.event_ids > MAX_EVENT_IDS {
            return Err(GrammarError::limit("token ids of bound events", MAX_EVENT_IDS, self.event_ids, None));
        }
        let ids = events.ranges.iter().flat_map(|&(first, last)| first..=last).collect();
        let pattern = Pattern::ExactTokens(ids);
        match slot.symbol {
            Symbol::Terminal(t) => self.grammar.terminals[t].pattern = pattern,
            Symbol::Nonterminal(lhs) => {
                let terminal = Terminal { name: slot.name.clone(), pattern, scope: slot.scope, span: slot.span };
                let rhs = vec![Symbol::Terminal(self.grammar.terminals.push(terminal))];
                self.grammar.productions.push(Production { lhs, rhs });
            }
        }
        Ok(())
    }
}
