//! Canonical LR(1): which terminals does some state act on together?
//!
//! Knuth's construction, items with their look-ahead, no merging: a state acts on t exactly if, after what it stands
//! for, t can come next. Every coarser table (LALR, SLR) acts on at least as much.

use std::collections::{BTreeMap, BTreeSet};

use glrmask_automata::{Symbol, TerminalId};

use crate::plain::Plain;
use crate::TooLarge;

/// The most states.
const STATE_LIMIT: usize = 400;

/// (rule, dot, look-ahead; `None` = end of text). Rule `rules.len()` is the start rule.
type Item = (usize, usize, Option<TerminalId>);

/// For every state, the terminals it acts on.
pub(crate) fn actions(plain: &Plain) -> Result<Vec<BTreeSet<TerminalId>>, TooLarge> {
    let start = [Symbol::Nonterminal(plain.start)];
    let kernel = BTreeSet::from([(plain.rules.len(), 0, None)]);
    let (mut states, mut seen) = (vec![kernel.clone()], BTreeSet::from([kernel]));
    let mut found = Vec::new();
    while found.len() < states.len() {
        let items = closure(plain, &start, &states[found.len()]);
        let mut acts = BTreeSet::new();
        let mut successors: BTreeMap<Symbol, BTreeSet<Item>> = BTreeMap::new();
        for &(rule, dot, look) in &items {
            match body(plain, &start, rule).get(dot) {
                Some(&symbol) => _ = successors.entry(symbol).or_default().insert((rule, dot + 1, look)),
                None => acts.extend(look),
            }
        }
        for (symbol, kernel) in successors {
            acts.extend(if let Symbol::Terminal(t) = symbol { Some(t) } else { None });
            if seen.insert(kernel.clone()) {
                states.push(kernel);
            }
        }
        if states.len() > STATE_LIMIT {
            return Err(TooLarge::new("canonical LR(1) states", STATE_LIMIT));
        }
        found.push(acts);
    }
    Ok(found)
}

fn body<'a>(plain: &'a Plain, start: &'a [Symbol], rule: usize) -> &'a [Symbol] {
    plain.rules.get(rule).map_or(start, |rule| &rule.rhs)
}

fn closure(plain: &Plain, start: &[Symbol], kernel: &BTreeSet<Item>) -> BTreeSet<Item> {
    let (mut items, mut work) = (kernel.clone(), kernel.iter().copied().collect::<Vec<_>>());
    while let Some((rule, dot, look)) = work.pop() {
        let rhs = body(plain, start, rule);
        let Some(Symbol::Nonterminal(callee)) = rhs.get(dot) else { continue };
        let looks: BTreeSet<Option<TerminalId>> = match rhs.get(dot + 1) {
            Some(next) => plain.first(next).into_iter().map(Some).collect(),
            None => BTreeSet::from([look]),
        };
        for called in (0..plain.rules.len()).filter(|&r| plain.rules[r].lhs == *callee) {
            for &look in &looks {
                if items.insert((called, 0, look)) {
                    work.push((called, 0, look));
                }
            }
        }
    }
    items
}
