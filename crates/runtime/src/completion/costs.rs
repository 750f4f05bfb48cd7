//! What it costs to get rid of the top of a stack: the fewest bytes, for every way.
//!
//! A *node* is a top of stack `s` with what is pending, `C`. Two kinds of facts are known about it, each with its cost:
//!
//! ```text
//! on(q, D)      some bytes put q on top of s, with D pending
//! exit(k, A, D) some bytes lead to a reduction to A that takes k more symbols from below s, with D pending
//! ```
//!
//! They follow from each other:
//!
//! ```text
//! s shifts t to q, and t can be lexed under C, leaving D, by ℓ bytes       on(q, D) costs ℓ
//! s reduces by a rule of length k + 1 to A                                  exit(k, A, C) costs 0
//! on(q, D) of s, exit(k + 1, A, E) of (q, D)                                exit(k, A, E) costs the sum
//! on(q, D) of s, exit(0, A, E) of (q, D), s goes by A to p                  on(p, E) costs the sum
//! ```
//!
//! Costs are never negative and a sum is at least its parts, so that Dijkstra's algorithm finds the least ones, each fact
//! being settled once (Knuth 1977, *A generalization of Dijkstra's algorithm*). Nodes are taken up when a fact puts
//! them on top of another; facts that are settled before cannot be improved by them. There are about as many exits as
//! kernel items, and as many `on` as transitions of the LR automaton.
//!
//! Lookaheads play no part: a reduction that the next terminal does not allow leads to a stack on which it cannot be
//! shifted, so it never becomes part of a derivation.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glrmask_automata::lexdag::ConditionSetId;
use glrmask_automata::{typed_id, IndexVec, NonterminalId};
use glrmask_glr::{LrState, Reduction, Tables};
use glrmask_lexer::Lexer;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::completion::lexemes::{LexemeTable, Ways};
use crate::completion::text::Text;
use crate::error::RuntimeError;

typed_id!(
    /// A top of stack with what is pending.
    pub(crate) struct NodeId, "n"
);

/// Facts that may be settled for one constraint.
const FACT_LIMIT: usize = 10_000_000;

/// Some bytes put a node on top of this one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct On {
    /// What is on top now.
    pub(crate) node: NodeId,
    pub(crate) cost: u64,
    how: Origin,
}

/// Some bytes lead to a reduction that takes symbols from below.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exit {
    /// Symbols it takes from below.
    pub(crate) pop: u32,
    pub(crate) lhs: NonterminalId,
    /// What is pending then.
    pub(crate) after: ConditionSetId,
    pub(crate) cost: u64,
    how: Origin,
}

/// Where a fact comes from.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// `on`: the number of the way that is shifted.
    Shift(usize),
    /// `exit`: a reduction of the state itself.
    Reduce,
    /// Both: an `on` of the node and an exit of what that put on top, by number.
    Through(usize, usize),
}

#[derive(Debug)]
struct Node {
    top: LrState,
    ways: Ways,
    ons: Vec<On>,
    exits: Vec<Exit>,
    known: FxHashSet<Fact>,
    /// Nodes that have this one on top: which, and the number of the `on`.
    below: Vec<(NodeId, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Fact {
    On(LrState, ConditionSetId),
    Exit(u32, NonterminalId, ConditionSetId),
}

/// A fact of a node that has been derived, to be settled if it is the cheapest.
type Candidate = (Reverse<(u64, usize)>, NodeId, Fact);

/// The facts found so far.
#[derive(Debug, Default)]
pub(crate) struct Costs {
    nodes: IndexVec<NodeId, Node>,
    ids: FxHashMap<(LrState, ConditionSetId), NodeId>,
    queue: BinaryHeap<Candidate>,
    /// How the candidate with this number came about.
    origins: Vec<Origin>,
    settled: usize,
}

/// What costs are computed from.
#[derive(Clone, Copy)]
pub(crate) struct Machine<'a> {
    pub(crate) tables: &'a Tables,
    pub(crate) lexer: &'a Lexer,
}

impl Costs {
    /// The node of a top of stack, with all its facts and those of the nodes they rest on.
    pub(crate) fn node(
        &mut self,
        m: Machine<'_>,
        lexemes: &mut LexemeTable,
        top: LrState,
        pending: ConditionSetId,
    ) -> Result<NodeId, RuntimeError> {
        let id = self.take_up(m, lexemes, top, pending)?;
        while let Some((Reverse((cost, number)), node, fact)) = self.queue.pop() {
            let how = self.origins[number];
            if !self.nodes[node].known.insert(fact) {
                continue;
            }
            self.settled += 1;
            RuntimeError::check_limit("facts about completions", self.settled, FACT_LIMIT)?;
            match fact {
                Fact::On(state, after) => self.settle_on(m, lexemes, node, (state, after), cost, how)?,
                Fact::Exit(pop, lhs, after) => self.settle_exit(m, node, Exit { pop, lhs, after, cost, how }),
            }
        }
        self.origins.clear();
        Ok(id)
    }

    /// Settled exits of a node.
    pub(crate) fn exits(&self, node: NodeId) -> &[Exit] {
        &self.nodes[node].exits
    }

    /// What can be put on top of a node: the state, and the settled fact.
    pub(crate) fn ons(&self, node: NodeId) -> impl Iterator<Item = (LrState, On)> + '_ {
        self.nodes[node].ons.iter().map(|&on| (self.nodes[on.node].top, on))
    }

    /// The bytes of an exit.
    pub(crate) fn spell_exit(&self, node: NodeId, exit: usize, out: &mut Text) {
        self.spell(vec![(node, Part::Exit(exit))], out);
    }

    /// The bytes that put a node on top of another.
    pub(crate) fn spell_on(&self, node: NodeId, on: usize, out: &mut Text) {
        self.spell(vec![(node, Part::On(on))], out);
    }

    /// With an explicit stack: derivations are as deep as texts are long.
    fn spell(&self, mut work: Vec<(NodeId, Part)>, out: &mut Text) {
        while let Some((id, part)) = work.pop() {
            let node = &self.nodes[id];
            let how = match part {
                Part::On(on) => node.ons[on].how,
                Part::Exit(exit) => node.exits[exit].how,
            };
            match how {
                Origin::Shift(way) => out.push(&node.ways[way].text),
                Origin::Reduce => {}
                Origin::Through(on, exit) => {
                    work.push((node.ons[on].node, Part::Exit(exit)));
                    work.push((id, Part::On(on)));
                }
            }
        }
    }

    /// The node, with the facts that follow from nothing else.
    fn take_up(
        &mut self,
        m: Machine<'_>,
        lexemes: &mut LexemeTable,
        top: LrState,
        pending: ConditionSetId,
    ) -> Result<NodeId, RuntimeError> {
        if let Some(&known) = self.ids.get(&(top, pending)) {
            return Ok(known);
        }
        let ways = lexemes.lexemes(m.lexer, pending)?;
        let known = FxHashSet::default();
        let node = Node { top, ways: ways.clone(), ons: vec![], exits: vec![], known, below: vec![] };
        let id = self.nodes.push(node);
        self.ids.insert((top, pending), id);
        for reduction in reductions(m.tables, top) {
            self.derive(id, Fact::Exit(reduction.pop - 1, reduction.lhs, pending), 0, Origin::Reduce);
        }
        for (number, way) in ways.iter().enumerate() {
            if let Some(state) = m.tables.shift(top, way.terminal) {
                self.derive(id, Fact::On(state, way.after), way.text.cost, Origin::Shift(number));
            }
        }
        Ok(id)
    }

    fn derive(&mut self, node: NodeId, fact: Fact, cost: u64, how: Origin) {
        if !self.nodes[node].known.contains(&fact) {
            self.queue.push((Reverse((cost, self.origins.len())), node, fact));
            self.origins.push(how);
        }
    }

    fn settle_on(
        &mut self,
        m: Machine<'_>,
        lexemes: &mut LexemeTable,
        node: NodeId,
        (state, after): (LrState, ConditionSetId),
        cost: u64,
        how: Origin,
    ) -> Result<(), RuntimeError> {
        let top = self.take_up(m, lexemes, state, after)?;
        let number = self.nodes[node].ons.len();
        self.nodes[node].ons.push(On { node: top, cost, how });
        self.nodes[top].below.push((node, number));
        for exit in 0..self.nodes[top].exits.len() {
            self.combine(m, node, number, exit);
        }
        Ok(())
    }

    fn settle_exit(&mut self, m: Machine<'_>, node: NodeId, exit: Exit) {
        let number = self.nodes[node].exits.len();
        self.nodes[node].exits.push(exit);
        for below in 0..self.nodes[node].below.len() {
            let (below, on) = self.nodes[node].below[below];
            self.combine(m, below, on, number);
        }
    }

    /// What follows from an `on` of a node and an exit of what that put on top.
    fn combine(&mut self, m: Machine<'_>, node: NodeId, on: usize, exit: usize) {
        let On { node: top, cost, .. } = self.nodes[node].ons[on];
        let Exit { pop, lhs, after, cost: more, .. } = self.nodes[top].exits[exit];
        let fact = match pop.checked_sub(1) {
            Some(pop) => Some(Fact::Exit(pop, lhs, after)),
            None => m.tables.goto(self.nodes[node].top, lhs).map(|state| Fact::On(state, after)),
        };
        if let Some(fact) = fact {
            self.derive(node, fact, cost.saturating_add(more), Origin::Through(on, exit));
        }
    }
}

/// A fact of a node, by number.
#[derive(Clone, Copy)]
enum Part {
    On(usize),
    Exit(usize),
}

/// The reductions of a state under any lookahead, each once.
fn reductions(tables: &Tables, state: LrState) -> Vec<Reduction> {
    let under = tables.actionable(state).iter().flat_map(|&t| tables.reductions(state, t));
    let mut all: Vec<Reduction> = under.chain(tables.reductions_at_end(state)).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}
