//! GLR parsing on an explicit set of stacks: the meaning of the parser, without sharing.

use std::collections::{BTreeMap, BTreeSet};

use glrmask_automata::TerminalId;
use glrmask_glr::{LrState, Reduction, Tables};

/// A stack, bottom first.
pub(crate) type Stack = Vec<LrState>;

/// Stacks with weights: sets of labels, joined by union.
pub(crate) type Stacks = BTreeMap<Stack, BTreeSet<u8>>;

/// All stacks that reductions under a lookahead (`None` for the end of the text) lead to, the given one among them.
pub(crate) fn reduced(tables: &Tables, stack: &Stack, lookahead: Option<TerminalId>) -> BTreeSet<Stack> {
    let (mut seen, mut todo) = (BTreeSet::from([stack.clone()]), vec![stack.clone()]);
    while let Some(stack) = todo.pop() {
        for next in reductions(tables, &stack, lookahead).iter().filter_map(|&r| reduce(tables, &stack, r)) {
            if seen.insert(next.clone()) {
                todo.push(next);
            }
        }
    }
    seen
}

fn reductions<'a>(tables: &'a Tables, stack: &Stack, lookahead: Option<TerminalId>) -> &'a [Reduction] {
    match (stack.last(), lookahead) {
        (Some(&top), Some(t)) => tables.reductions(top, t),
        (Some(&top), None) => tables.reductions_at_end(top),
        (None, _) => &[],
    }
}

fn reduce(tables: &Tables, stack: &Stack, reduction: Reduction) -> Option<Stack> {
    let mut rest = stack[..stack.len().checked_sub(reduction.pop as usize)?].to_vec();
    rest.push(tables.goto(*rest.last()?, reduction.lhs)?);
    Some(rest)
}

/// What `shift_terminal` means.
pub(crate) fn shift(tables: &Tables, stacks: &Stacks, t: TerminalId) -> Stacks {
    let mut result = Stacks::new();
    for (stack, weight) in stacks {
        for mut stack in reduced(tables, stack, Some(t)) {
            if let Some(to) = stack.last().and_then(|&top| tables.shift(top, t)) {
                stack.push(to);
                result.entry(stack).or_default().extend(weight);
            }
        }
    }
    result
}

/// What `accepts_end` means.
pub(crate) fn accepts(tables: &Tables, stacks: &Stacks) -> bool {
    let accepting = |stack: &Stack| stack.last().is_some_and(|&top| tables.accepts(top));
    stacks.keys().any(|stack| reduced(tables, stack, None).iter().any(accepting))
}
