//! How to close a text: the fewest bytes that complete what has been committed.
//!
//! Dijkstra's algorithm over *positions*, which are stacks under their two topmost symbols with what is pending. From a
//! position, an exit of its top (`costs`) leads to the stacks below it; the search ends at a stack that accepts. The
//! first steps end the lexeme in progress (`lexemes`). Parts of the graph of stacks are known by address, so that each
//! is looked at once. See `docs/completion.md`.

mod costs;
mod lexemes;
mod ruled;
mod text;
mod tokens;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glrmask_automata::lexdag::{ConditionSetId, IGNORED};
use glrmask_glr::{parser, LrState, Tables};
use rustc_hash::FxHashSet;
use weighted_gss::{NodeId as StacksId, WeightedGss};

use crate::branch::{Alternatives, Branch, Lexeme, Stacks};
use crate::completion::costs::{Costs, Machine, NodeId};
use crate::completion::lexemes::{LexemeTable, Way};
pub(crate) use crate::completion::text::Text;
use crate::completion::tokens::usable_event;
use crate::constraint::Inner;
use crate::error::RuntimeError;
use crate::state::{condition_sets, ConstraintState};

pub(crate) use lexemes::shortest_matches;
pub use tokens::{TokenCompletion, COMPLETION_STEPS, SEARCHED_TOKENS};

/// The longest completion that is spelled out, in bytes.
pub const COMPLETION_BYTES: u64 = 1 << 24;

/// What completions are computed from, shared by all states of a constraint.
#[derive(Debug, Default)]
pub(crate) struct CompletionTable {
    /// With bytes alone.
    bytes: Facts,
    /// With token events too, once they are asked for.
    tokens: Option<Facts>,
}

/// What a text costs to complete.
#[derive(Debug, Default)]
struct Facts {
    lexemes: LexemeTable,
    costs: Costs,
}

/// What a completion may consist of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum With {
    /// Bytes; the cost is their number.
    Bytes,
    /// Bytes and token events, of which each costs as much as the longest token: so a token takes off that much at most.
    Events,
}

impl CompletionTable {
    fn facts(&mut self, inner: &Inner, with: With) -> &mut Facts {
        if with == With::Bytes || inner.events.is_empty() {
            return &mut self.bytes;
        }
        self.tokens.get_or_insert_with(|| {
            let usable = inner.events.terminals().filter(|&t| usable_event(inner, t).is_some()).collect();
            let lexemes = LexemeTable::with_events(usable, inner.vocab.max_token_len().max(1) as u64);
            Facts { lexemes, costs: Costs::default() }
        })
    }
}

impl ConstraintState {
    /// The fewest bytes that complete the text; of several texts of that length, always the same. Empty if the text is
    /// complete already (or an end token was committed), `None` if the state is rejected, or if no bytes complete the
    /// text without a token event. Changes nothing.
    ///
    /// Where rules beside the grammar hold and many items have to differ, few bytes, not always the fewest: beyond a
    /// search of some 20 000 places, items are chosen one by one.
    ///
    /// Time: the depth of the stack, and the length of the result. The first calls also compute shared tables, about as
    /// large as the parser's.
    ///
    /// # Errors
    /// More than [`COMPLETION_BYTES`] are needed; a limit of the tables, or of the search where rules beside the grammar
    /// hold.
    pub fn shortest_completion(&self) -> Result<Option<Vec<u8>>, RuntimeError> {
        let found = self.completion(With::Bytes)?;
        Ok(self.by_the_rules(found, With::Bytes)?.map(|found| found.text.bytes))
    }

    /// How many bytes [`shortest_completion`](Self::shortest_completion) has, which may be more than it spells out. Where
    /// rules beside the grammar hold, it is spelled out.
    ///
    /// # Errors
    /// A limit of the tables; where such rules hold, as for [`shortest_completion`](Self::shortest_completion).
    pub fn shortest_completion_len(&self) -> Result<Option<u64>, RuntimeError> {
        match self.beside() {
            None => self.complete(With::Bytes, |_, found| Ok(found.cost)),
            Some(_) => Ok(self.shortest_completion()?.map(|text| text.len() as u64)),
        }
    }

    fn completion(&self, with: With) -> Result<Option<Text>, RuntimeError> {
        self.complete(with, |facts, found| {
            let limit = COMPLETION_BYTES as usize;
            RuntimeError::check_limit("bytes of a completion", found.cost.try_into().unwrap_or(usize::MAX), limit)?;
            Ok(found.spell(facts))
        })
    }

    fn complete<R>(
        &self,
        with: With,
        result: impl FnOnce(&Facts, &Search<'_>) -> Result<R, RuntimeError>,
    ) -> Result<Option<R>, RuntimeError> {
        let inner = self.constraint().inner();
        let mut table = inner.completions.lock();
        let facts = table.facts(inner, with);
        let mut search = Search::new(inner);
        // After an end token there are no branches, and nothing is left to do.
        let found = self.is_terminated() && self.is_accepting() || search.run(facts, self.branches())?;
        found.then(|| result(facts, &search)).transpose()
    }
}

/// The stacks; what is pending is kept apart.
type Plain = WeightedGss<LrState, ()>;

/// Stacks under common top symbols: those of `below`, then `base`, then what was pushed on it.
#[derive(Clone)]
struct Position {
    below: Plain,
    base: LrState,
    pushed: Option<LrState>,
    pending: ConditionSetId,
    came: Came,
}

/// How a position was reached.
#[derive(Clone, Copy)]
enum Came {
    /// By ending the lexeme in progress: the number of the text.
    Start(usize),
    /// From a position by an exit of a node.
    Exit(usize, NodeId, usize),
}

enum Step {
    /// End the lexeme in progress like this.
    Lexeme(usize),
    /// Look at a position.
    At(Position),
    /// Leave a position by an exit of its node.
    Leave(usize, NodeId, usize),
    /// The position accepts once a node has been put on top.
    Accept(usize, NodeId, usize),
}

/// A lexeme in progress with its stacks, and one way to end it.
struct Start {
    stacks: Plain,
    way: Way,
}

/// Identity of a position.
type Key = (StacksId, LrState, Option<LrState>, ConditionSetId);

struct Search<'a> {
    inner: &'a Inner,
    starts: Vec<Start>,
    /// Held until the end: stacks are known by address.
    positions: Vec<Position>,
    seen: FxHashSet<Key>,
    /// Steps by cost, then by age.
    queue: BinaryHeap<Reverse<(u64, usize)>>,
    steps: Vec<Option<Step>>,
    /// The position that accepts, and what has to be put on top of it for that.
    end: Option<(usize, Option<(NodeId, usize)>)>,
    cost: u64,
}

impl<'a> Search<'a> {
    fn new(inner: &'a Inner) -> Self {
        Self {
            inner,
            starts: Vec::new(),
            positions: Vec::new(),
            seen: FxHashSet::default(),
            queue: BinaryHeap::new(),
            steps: Vec::new(),
            end: None,
            cost: 0,
        }
    }

    /// Whether a completion was found.
    fn run(&mut self, table: &mut Facts, branches: &[Branch]) -> Result<bool, RuntimeError> {
        for branch in branches {
            self.start(table, branch)?;
        }
        while let Some(Reverse((cost, number))) = self.queue.pop() {
            let Some(step) = self.steps[number].take() else { continue };
            match step {
                Step::Lexeme(start) => self.end_lexeme(start, cost),
                Step::At(position) => {
                    if self.visit(table, position, cost)? {
                        self.cost = cost;
                        return Ok(true);
                    }
                }
                Step::Leave(position, node, exit) => self.leave(table, position, (node, exit), cost),
                Step::Accept(position, node, on) => {
                    self.end = Some((position, Some((node, on))));
                    self.cost = cost;
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn push(&mut self, cost: u64, step: Step) {
        self.queue.push(Reverse((cost, self.steps.len())));
        self.steps.push(Some(step));
    }

    fn start(&mut self, table: &mut Facts, branch: &Branch) -> Result<(), RuntimeError> {
        for conditions in condition_sets(&branch.stacks) {
            let Some(stacks) = stacks_under(&branch.stacks, conditions) else { continue };
            let pending = own_conditions(self.inner, table, conditions);
            let ways = match branch.lexeme {
                Lexeme::Inside(thread) => table.lexemes.inside(&self.inner.lexer, thread, pending)?,
                Lexeme::Boundary => [Way { terminal: IGNORED, after: pending, text: Text::default() }].into(),
            };
            for way in ways.iter() {
                self.push(way.text.cost, Step::Lexeme(self.starts.len()));
                self.starts.push(Start { stacks: stacks.clone(), way: way.clone() });
            }
        }
        Ok(())
    }

    fn end_lexeme(&mut self, start: usize, cost: u64) {
        let Start { stacks, way } = &self.starts[start];
        let stacks = match way.terminal {
            IGNORED => stacks.clone(),
            terminal => parser::shift_terminal(&self.inner.tables, stacks, terminal),
        };
        let (pending, came) = (way.after, Came::Start(start));
        for (&base, below) in stacks.pop_branches() {
            self.push(cost, Step::At(Position { below, base, pushed: None, pending, came }));
        }
    }

    /// Whether the position accepts; else its exits are to be followed.
    fn visit(&mut self, table: &mut Facts, at: Position, cost: u64) -> Result<bool, RuntimeError> {
        let inner = self.inner;
        if !self.seen.insert((at.below.node_id(), at.base, at.pushed, at.pending)) {
            return Ok(false);
        }
        let (top, number) = (at.pushed.unwrap_or(at.base), self.positions.len());
        self.positions.push(at.clone());
        if inner.tables.accepts(top) || inner.accepts_empty && top == Tables::START {
            self.end = Some((number, None));
            return Ok(true);
        }
        let m = Machine { tables: &inner.tables, lexer: &inner.lexer };
        let node = table.costs.node(m, &mut table.lexemes, top, at.pending)?;
        for (exit, known) in table.costs.exits(node).iter().enumerate() {
            self.push(cost.saturating_add(known.cost), Step::Leave(number, node, exit));
        }
        if top == Tables::START {
            let accepting = table.costs.ons(node).enumerate().filter(|(_, (state, _))| inner.tables.accepts(*state));
            for (on, (_, known)) in accepting {
                self.push(cost.saturating_add(known.cost), Step::Accept(number, node, on));
            }
        }
        Ok(false)
    }

    /// Takes the symbols of a reduction off and goes on above each symbol that it uncovers.
    fn leave(&mut self, table: &Facts, position: usize, (node, exit): (NodeId, usize), cost: u64) {
        let at = &self.positions[position];
        let known = table.costs.exits(node)[exit];
        let depth = known.pop as usize + usize::from(at.pushed.is_none());
        let came = Came::Exit(position, node, exit);
        let mut next = Vec::new();
        let mut uncover = |below: Plain, base: LrState| {
            if let Some(state) = self.inner.tables.goto(base, known.lhs) {
                next.push(Position { below, base, pushed: Some(state), pending: known.after, came });
            }
        };
        match depth.checked_sub(1) {
            None => uncover(at.below.clone(), at.base),
            Some(deeper) => {
                for set in popped(&at.below, deeper) {
                    set.pop_branches().for_each(|(&base, below)| uncover(below, base));
                }
            }
        }
        next.into_iter().for_each(|position| self.push(cost, Step::At(position)));
    }

    /// The text along the way that was found.
    fn spell(&self, table: &Facts) -> Text {
        let Some((mut position, on)) = self.end else { return Text::default() };
        let mut exits = Vec::new();
        let start = loop {
            match self.positions[position].came {
                Came::Start(start) => break start,
                Came::Exit(before, node, exit) => {
                    exits.push((node, exit));
                    position = before;
                }
            }
        };
        let mut text = self.starts[start].way.text.clone();
        exits.into_iter().rev().for_each(|(node, exit)| table.costs.spell_exit(node, exit, &mut text));
        if let Some((node, on)) = on {
            table.costs.spell_on(node, on, &mut text);
        }
        text
    }
}

/// What is left after taking symbols off, as sets of which each is another part of the graph.
fn popped(stacks: &Plain, count: usize) -> Vec<Plain> {
    let mut level = vec![stacks.clone()];
    for _ in 0..count {
        let mut seen = FxHashSet::default();
        let tails = level.iter().flat_map(|set| set.pop_branches().map(|(_, tail)| tail));
        level = tails.filter(|tail| seen.insert(tail.node_id())).collect();
    }
    level
}

/// The stacks that have this set of conditions among their alternatives.
fn stacks_under(stacks: &Stacks, conditions: ConditionSetId) -> Option<Plain> {
    let kept =
        stacks.filter_map_weights(|weight: &Alternatives| weight.iter().any(|set| set == conditions).then_some(()));
    (!kept.is_empty()).then_some(kept)
}

/// The set of conditions by the table's own id.
fn own_conditions(inner: &Inner, table: &mut Facts, conditions: ConditionSetId) -> ConditionSetId {
    if conditions == ConditionSetId::NONE {
        return conditions;
    }
    let known = inner.cache.write().lexer_mut().conditions().get(conditions).to_vec();
    table.lexemes.conditions(&known)
}
