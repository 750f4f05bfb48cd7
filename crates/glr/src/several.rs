//! Reductions over a graph of many stacks.
//!
//! As in Tomita's parser, a reduction goes down the graph and comes up at one state above a part of it. A part is known
//! by its address, so that it is reduced once however many stacks lead to it, and nothing is merged on the way. Only the
//! parts from which the terminal can be read are merged, once, below what has been pushed.
//!
//! The alternative, popping all stacks at once and merging what comes out, round by round, makes equal sets of stacks
//! again and again as different objects.

use std::hash::Hash;
use std::ops::ControlFlow;

use glrmask_automata::TerminalId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use weighted_gss::{NodeId, Weight, WeightedGss};

use crate::parser::Lookahead;
use crate::tables::{LrState, Reduction, Tables};

/// Up to three symbols, bottom to top.
type Top = [Option<LrState>; 3];

/// The stacks after the shift, still to be merged; those under equal symbols are neighbours.
pub(crate) fn shift_graph<W: Weight>(
    tables: &Tables,
    stacks: &WeightedGss<LrState, W>,
    t: TerminalId,
) -> Vec<WeightedGss<LrState, W>> {
    let mut groups: FxHashMap<Top, Vec<WeightedGss<LrState, W>>> = FxHashMap::default();
    let _ = explore_graph(tables, stacks, Lookahead::Terminal(t), |node, to| {
        groups.entry([Some(node.base), node.pushed, Some(to)]).or_default().push(node.below.clone());
        ControlFlow::Continue(())
    });
    let raise = |(top, sets): (Top, Vec<WeightedGss<LrState, W>>)| {
        sets.into_iter().map(move |mut set| {
            top.iter().flatten().for_each(|&state| set.push_mut(state));
            set
        })
    };
    groups.into_iter().flat_map(raise).collect()
}

/// Visits every node that reductions lead to and at which the lookahead can be read, with the state this leads to.
///
/// Each (part of the graph, top symbols) is looked at once, however many ways lead to it, and nothing is merged: a
/// reduction goes down the graph and comes up at one state above a part of it.
pub(crate) fn explore_graph<W: Weight>(
    tables: &Tables,
    stacks: &WeightedGss<LrState, W>,
    lookahead: Lookahead,
    mut visit: impl FnMut(&Node<W>, LrState) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let roots = stacks.pop_branches().map(|(&base, below)| Node { below, base, pushed: None });
    let mut nodes: Vec<Node<W>> = roots.collect();
    let mut seen = Seen::default();
    let mut next = 0;
    while let Some(node) = nodes.get(next).cloned() {
        next += 1;
        if let Some(to) = lookahead.read(tables, node.top()) {
            visit(&node, to)?;
        }
        for &reduction in lookahead.reductions(tables, node.top()) {
            node.pop(reduction, |below, base| {
                let pushed = tables.goto(base, reduction.lhs);
                if pushed.is_some() && seen.insert((base, pushed), below) {
                    nodes.push(Node { below: below.clone(), base, pushed });
                }
            });
        }
    }
    ControlFlow::Continue(())
}

/// Some stacks of the graph under common top symbols: `below`, then `base`, then what a
/// reduction has `pushed`.
#[derive(Clone)]
pub(crate) struct Node<W> {
    below: WeightedGss<LrState, W>,
    base: LrState,
    pushed: Option<LrState>,
}

impl<W: Weight> Node<W> {
    pub(crate) fn top(&self) -> LrState {
        self.pushed.unwrap_or(self.base)
    }

    /// Visits what lies below the symbols that a reduction takes off, by the symbol that it uncovers.
    fn pop(&self, reduction: Reduction, mut visit: impl FnMut(&WeightedGss<LrState, W>, LrState)) {
        let depth = reduction.pop as usize - usize::from(self.pushed.is_some());
        let Some(deeper) = depth.checked_sub(1) else { return visit(&self.below, self.base) };
        let mut level = vec![self.below.clone()];
        for _ in 0..deeper {
            let mut seen = Seen::default();
            let tails = level.iter().flat_map(|set| set.pop_branches().map(|(_, tail)| tail));
            level = tails.filter(|tail| seen.insert((), tail)).collect();
        }
        for set in &level {
            set.pop_branches().for_each(|(&base, below)| visit(&below, base));
        }
    }
}

/// Sets of stacks met before, each under some key. Sets that are looked up must be kept alive: they are known by
/// address, and those of one weight by that weight besides.
struct Seen<K, W>(FxHashMap<(K, NodeId), SmallVec<[Option<W>; 1]>>);

impl<K, W> Default for Seen<K, W> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<K: Eq + Hash, W: Weight> Seen<K, W> {
    /// Whether this is new.
    fn insert(&mut self, key: K, set: &WeightedGss<LrState, W>) -> bool {
        let weights = self.0.entry((key, set.node_id())).or_default();
        let new = !weights.iter().any(|weight| weight.as_ref() == set.uniform());
        if new {
            weights.push(set.uniform().cloned());
        }
        new
    }
}
