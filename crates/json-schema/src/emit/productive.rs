//! Whether the finished grammar derives anything, and if not, which part of the schema is to blame.
//!
//! An object of many keys in any order has productions that go without its required members, which the run time sees to.
//! So it *needs* their values: where one of them derives nothing, neither does the object, and its productions go.

use std::rc::Rc;

use glrmask_automata::{Id, NonterminalId, Symbol};
use glrmask_grammar::Grammar;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::{Result, SchemaError};

/// What nonterminals need beside their productions.
pub(super) type Needs = FxHashMap<NonterminalId, Vec<NonterminalId>>;

/// Takes off the productions of what needs something that derives no text; fails if the start symbol derives none.
pub(super) fn check(grammar: &mut Grammar, needs: &Needs, origins: &FxHashMap<NonterminalId, Rc<str>>) -> Result<()> {
    let productive = productive(grammar, needs);
    grammar.productions.retain(|production| {
        productive.get(production.lhs.index()) == Some(&true) || !needs.contains_key(&production.lhs)
    });
    if productive.get(grammar.start.index()) == Some(&true) {
        return Ok(());
    }
    let pointer = culprit(grammar, needs, &productive, origins);
    Err(SchemaError::empty("no value is allowed here").at(&pointer, ""))
}

/// Nonterminals that derive a string. Linear: every production waits for its unproductive symbols.
fn productive(grammar: &Grammar, needs: &Needs) -> Vec<bool> {
    let mut productive = vec![false; grammar.nonterminals.len()];
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); grammar.nonterminals.len()];
    let mut missing: Vec<usize> = Vec::with_capacity(grammar.productions.len());
    let mut ready = Vec::new();
    for (i, production) in grammar.productions.iter().enumerate() {
        let beside = needs.get(&production.lhs).into_iter().flatten().copied();
        let needed = production.rhs.iter().filter_map(nonterminal).chain(beside);
        missing.push(needed.clone().count());
        needed.for_each(|n| waiting[n.index()].push(i));
        if missing[i] == 0 {
            ready.push(production.lhs);
        }
    }
    while let Some(lhs) = ready.pop() {
        if std::mem::replace(&mut productive[lhs.index()], true) {
            continue;
        }
        for &i in &waiting[lhs.index()] {
            missing[i] -= 1;
            if missing[i] == 0 {
                ready.push(grammar.productions[i].lhs);
            }
        }
    }
    productive
}

/// The last known place on the way from the start through unproductive symbols.
fn culprit(
    grammar: &Grammar,
    needs: &Needs,
    productive: &[bool],
    origins: &FxHashMap<NonterminalId, Rc<str>>,
) -> Rc<str> {
    let mut first: FxHashMap<NonterminalId, NonterminalId> = FxHashMap::default();
    for (&lhs, needed) in needs {
        first.extend(needed.iter().find(|n| !productive[n.index()]).map(|&blocked| (lhs, blocked)));
    }
    for production in &grammar.productions {
        if let Some(blocked) = production.rhs.iter().filter_map(nonterminal).find(|n| !productive[n.index()]) {
            first.entry(production.lhs).or_insert(blocked);
        }
    }
    let mut place: Rc<str> = "".into();
    let mut at = grammar.start;
    let mut seen = FxHashSet::default();
    while seen.insert(at) {
        place = origins.get(&at).cloned().unwrap_or(place);
        match first.get(&at) {
            Some(&next) => at = next,
            None => break,
        }
    }
    place
}

fn nonterminal(symbol: &Symbol) -> Option<NonterminalId> {
    match symbol {
        Symbol::Nonterminal(n) => Some(*n),
        Symbol::Terminal(_) => None,
    }
}
