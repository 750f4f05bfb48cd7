//! The ε-free, trimmed productions of a specification, with FIRST and adjacency; by fixpoints over whole sets, as in a
//! textbook. Only the keyword rule's reference reads them: the oracle works on productions as written.

use std::collections::BTreeSet;

use glrmask_automata::{NonterminalId, Symbol, TerminalId};
use glrmask_grammar::Production;
use rustc_hash::FxHashMap;

use crate::spec::Spec;
use crate::TooLarge;

/// The most nullable symbols in one production.
const NULLABLE_LIMIT: usize = 10;

/// Productions without ε whose every symbol derives something and is reachable.
pub(crate) struct Plain {
    pub(crate) start: NonterminalId,
    pub(crate) rules: Vec<Production>,
    first: FxHashMap<NonterminalId, BTreeSet<TerminalId>>,
}

impl Plain {
    /// ε-elimination between two trims.
    pub(crate) fn new(spec: &Spec) -> Result<Self, TooLarge> {
        let rules = trim(spec.start, spec.productions.clone());
        let nullable = grow(&rules, |rule, set| rule.rhs.iter().all(|x| is_in(x, set)));
        let mut free = BTreeSet::new();
        for rule in &rules {
            expand(rule, &nullable, &mut free)?;
        }
        let rules = trim(spec.start, free.into_iter().collect());
        let first = ends(&rules, |rhs| rhs.first());
        Ok(Self { start: spec.start, rules, first })
    }

    /// Terminals with which `symbol` can begin.
    pub(crate) fn first(&self, symbol: &Symbol) -> BTreeSet<TerminalId> {
        of(symbol, &self.first)
    }

    /// Sets of terminals that may stand in one place: at the beginning, or next to one and the same terminal.
    pub(crate) fn neighbourhoods(&self) -> Vec<BTreeSet<TerminalId>> {
        let last = ends(&self.rules, |rhs| rhs.last());
        let mut after: FxHashMap<TerminalId, BTreeSet<TerminalId>> = FxHashMap::default();
        for pair in self.rules.iter().flat_map(|rule| rule.rhs.windows(2)) {
            for t in of(&pair[0], &last) {
                after.entry(t).or_default().extend(self.first(&pair[1]));
            }
        }
        let mut all: Vec<_> = after.into_values().collect();
        all.push(self.first(&Symbol::Nonterminal(self.start)));
        all
    }
}

type Ends = FxHashMap<NonterminalId, BTreeSet<TerminalId>>;

fn of(symbol: &Symbol, ends: &Ends) -> BTreeSet<TerminalId> {
    match symbol {
        Symbol::Terminal(t) => BTreeSet::from([*t]),
        Symbol::Nonterminal(n) => ends.get(n).cloned().unwrap_or_default(),
    }
}

/// FIRST or LAST, depending on which end of a right-hand side `pick` takes.
fn ends(rules: &[Production], pick: impl Fn(&[Symbol]) -> Option<&Symbol>) -> Ends {
    let mut found = Ends::default();
    loop {
        let before: usize = found.values().map(BTreeSet::len).sum();
        for rule in rules {
            let new = pick(&rule.rhs).map(|x| of(x, &found)).unwrap_or_default();
            found.entry(rule.lhs).or_default().extend(new);
        }
        if found.values().map(BTreeSet::len).sum::<usize>() == before {
            return found;
        }
    }
}

fn trim(start: NonterminalId, mut rules: Vec<Production>) -> Vec<Production> {
    let productive =
        grow(&rules, |rule, set| rule.rhs.iter().all(|x| matches!(x, Symbol::Terminal(_)) || is_in(x, set)));
    rules.retain(|rule| rule.rhs.iter().all(|x| matches!(x, Symbol::Terminal(_)) || is_in(x, &productive)));
    let mut reachable = BTreeSet::from([start]);
    loop {
        let inside = rules.iter().filter(|rule| reachable.contains(&rule.lhs)).flat_map(|rule| &rule.rhs);
        let new: BTreeSet<_> = inside.filter_map(nonterminal).chain(reachable.iter().copied()).collect();
        if new == reachable {
            break;
        }
        reachable = new;
    }
    rules.retain(|rule| reachable.contains(&rule.lhs));
    rules
}

/// The least set of left-hand sides closed under `joins`.
fn grow(
    rules: &[Production],
    joins: impl Fn(&Production, &BTreeSet<NonterminalId>) -> bool,
) -> BTreeSet<NonterminalId> {
    let mut set = BTreeSet::new();
    loop {
        let before = set.len();
        for rule in rules {
            if joins(rule, &set) {
                set.insert(rule.lhs);
            }
        }
        if set.len() == before {
            return set;
        }
    }
}

/// `rule` with every choice of its nullable symbols left out.
fn expand(
    rule: &Production,
    nullable: &BTreeSet<NonterminalId>,
    out: &mut BTreeSet<Production>,
) -> Result<(), TooLarge> {
    let optional: Vec<usize> = (0..rule.rhs.len()).filter(|&i| is_in(&rule.rhs[i], nullable)).collect();
    if optional.len() > NULLABLE_LIMIT {
        return Err(TooLarge::new("nullable symbols in a production", NULLABLE_LIMIT));
    }
    for choice in 0..1usize << optional.len() {
        let dropped = |i: usize| optional.iter().position(|&j| j == i).is_some_and(|bit| choice >> bit & 1 == 1);
        let rhs: Vec<Symbol> = (0..rule.rhs.len()).filter(|&i| !dropped(i)).map(|i| rule.rhs[i]).collect();
        if !rhs.is_empty() && rhs != [Symbol::Nonterminal(rule.lhs)] {
            out.insert(Production { lhs: rule.lhs, rhs });
        }
    }
    Ok(())
}

fn nonterminal(symbol: &Symbol) -> Option<NonterminalId> {
    match symbol {
        Symbol::Nonterminal(n) => Some(*n),
        Symbol::Terminal(_) => None,
    }
}

fn is_in(symbol: &Symbol, set: &BTreeSet<NonterminalId>) -> bool {
    nonterminal(symbol).is_some_and(|n| set.contains(&n))
}
