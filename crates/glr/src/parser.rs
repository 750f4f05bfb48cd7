//! The GLR parser: all stacks that a terminal leads to, over a weighted graph-structured stack.
//!
//! The state of a parse is a set of stacks of LR states. Reading a terminal `t` means: on each stack do any number of
//! the reductions that the tables have under lookahead `t`, then shift it. A reduction alone accepts nothing; stacks
//! on which no shift follows are dropped.
//!
//! Three ways through, each a fallback of the one before:
//!
//! 1. *Walk*. While every stack has the same top symbols and the tables one action, a reduction only moves a cursor
//!    down: a stack is then "`popped` symbols removed, at most one pushed instead". Nothing is built before the shift,
//!    which changes the stack in place. This is nearly every step of nearly every grammar.
//! 2. *Explore*. One stack, several actions: the same (popped, pushed) pairs, as a work list with a set of those seen.
//! 3. *Explore the graph*. Several stacks: the same again, with parts of the graph in place of numbers of popped symbols
//!    (see `several.rs`).
//!
//! All three end. A reduction pops at least one state ([`RuleSet`](crate::RuleSet) has no empty rules), so the stack
//! gets shorter, or keeps its depth by a rule of length one; the latter replace the symbol on top along a relation
//! that has been checked to be acyclic, for tables read from bytes as well.
//!
//! Tomita (1985), *Efficient Parsing for Natural Language*; Scott and Johnstone (2006), *Right Nulled GLR Parsers*, for
//! what empty rules would take.

use std::ops::ControlFlow;

use glrmask_automata::TerminalId;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use weighted_gss::{Weight, WeightedGss};

use crate::several::{explore_graph, shift_graph, Node};
use crate::tables::{LrState, Reduction, Tables};

/// The stack of a parse that has read nothing, with this weight. Constant time.
pub fn start<W: Clone>(weight: W) -> WeightedGss<LrState, W> {
    WeightedGss::from_stack([Tables::START], weight)
}

/// All stacks after reading the terminal `t`; none if it cannot be read. Weights go along with their stacks; where
/// stacks become equal, their weights are joined.
///
/// Linear in the number of reductions for a single stack. For many, each part of the graph is reduced once, and the graph
/// that comes out is the smallest one for its stacks unless it is small anyway.
///
/// ```
/// use glrmask_automata::{NonterminalId, Symbol, TerminalId};
/// use glrmask_glr::{parser, Limits, Rule, RuleSet, Tables};
/// // S → S S | a: every way to group the a's is followed at once
/// let (s, a) = (NonterminalId(0), TerminalId(0));
/// let pair = vec![Symbol::Nonterminal(s), Symbol::Nonterminal(s)];
/// let rules = RuleSet {
///     terminals: 1,
///     nonterminals: 1,
///     rules: vec![Rule { lhs: s, rhs: pair }, Rule { lhs: s, rhs: vec![Symbol::Terminal(a)] }],
///     start: s,
/// };
/// let tables = Tables::build(&rules, &Limits::default())?;
/// let mut stacks = parser::start(());
/// assert!(!parser::accepts_end(&tables, &stacks));
/// for _ in 0..3 {
///     stacks = parser::shift_terminal(&tables, &stacks, a);
/// }
/// assert!(parser::accepts_end(&tables, &stacks));
/// // a on top of S S or, if these are reduced first, of S
/// assert_eq!(stacks.to_stacks(10).map(|stacks| stacks.len()), Ok(2));
/// # Ok::<(), glrmask_glr::GlrError>(())
/// ```
#[must_use]
pub fn shift_terminal<W: Weight>(
    tables: &Tables,
    stacks: &WeightedGss<LrState, W>,
    t: TerminalId,
) -> WeightedGss<LrState, W> {
    let mut result = stacks.clone();
    shift_terminal_mut(tables, &mut result, t);
    result
}

/// [`shift_terminal`] in place; says whether any stack is left. With one stack, one action at a time and no other
/// handle on the stack it allocates nothing but the stack's own growth.
pub fn shift_terminal_mut<W: Weight>(tables: &Tables, stacks: &mut WeightedGss<LrState, W>, t: TerminalId) -> bool {
    match walk(tables, stacks.linear_prefix(), Lookahead::Terminal(t)) {
        Walk::Done(place, to) => {
            place.apply(stacks);
            stacks.push_mut(to);
        }
        Walk::Dead => *stacks = WeightedGss::new(),
        Walk::Several => *stacks = shift_several(tables, stacks, t),
    }
    !stacks.is_empty()
}

/// Whether [`shift_terminal`] leaves any stack. Builds nothing for a single stack.
pub fn can_shift<W: Weight>(tables: &Tables, stacks: &WeightedGss<LrState, W>, t: TerminalId) -> bool {
    reaches(tables, stacks, Lookahead::Terminal(t))
}

/// Whether the terminal can be shifted from a state for which `at` holds, after any reductions.
pub fn can_shift_at<W: Weight>(
    tables: &Tables,
    stacks: &WeightedGss<LrState, W>,
    t: TerminalId,
    at: impl Fn(LrState) -> bool,
) -> bool {
    let visit = |node: &Node<W>, _| if at(node.top()) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    explore_graph(tables, stacks, Lookahead::Terminal(t), visit).is_break()
}

/// Whether what has been read is a whole text: some stack accepts at its end. Builds nothing for a single stack.
pub fn accepts_end<W: Weight>(tables: &Tables, stacks: &WeightedGss<LrState, W>) -> bool {
    reaches(tables, stacks, Lookahead::End)
}

/// What is read next.
#[derive(Clone, Copy)]
pub(crate) enum Lookahead {
    Terminal(TerminalId),
    End,
}

impl Lookahead {
    #[inline]
    pub(crate) fn reductions(self, tables: &Tables, top: LrState) -> &[Reduction] {
        match self {
            Self::Terminal(t) => tables.reductions(top, t),
            Self::End => tables.reductions_at_end(top),
        }
    }

    /// The state that reading it leads to; at the end of the text, the accepting state itself.
    #[inline]
    pub(crate) fn read(self, tables: &Tables, top: LrState) -> Option<LrState> {
        match self {
            Self::Terminal(t) => tables.shift(top, t),
            Self::End => tables.accepts(top).then_some(top),
        }
    }
}

/// A stack relative to another one: without its topmost `popped` symbols, then `pushed`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    popped: usize,
    pushed: Option<LrState>,
}

impl Place {
    const TOP: Self = Self { popped: 0, pushed: None };

    /// Number of symbols that a reduction takes off what is left of the other stack.
    #[inline]
    fn depth_of(self, reduction: Reduction) -> usize {
        reduction.pop as usize - usize::from(self.pushed.is_some())
    }

    #[inline]
    fn apply<W: Weight>(self, stacks: &mut WeightedGss<LrState, W>) {
        if self.popped > 0 {
            stacks.popn_mut(self.popped);
        }
        if let Some(state) = self.pushed {
            stacks.push_mut(state);
        }
    }
}

enum Walk {
    /// Read at this place, leading to this state.
    Done(Place, LrState),
    /// No stack can read it.
    Dead,
    /// Several actions, or stacks that differ within reach.
    Several,
}

/// Follows the only action, as long as there is one, down the symbols that all stacks have on top.
#[inline]
fn walk<'a>(tables: &Tables, mut below: impl Iterator<Item = &'a LrState>, lookahead: Lookahead) -> Walk {
    let Some(&(mut base)) = below.next() else { return Walk::Several };
    let mut place = Place::TOP;
    loop {
        let top = place.pushed.unwrap_or(base);
        let reduction = match (lookahead.reductions(tables, top), lookahead.read(tables, top)) {
            ([], Some(to)) => return Walk::Done(place, to),
            ([], None) => return Walk::Dead,
            (&[reduction], None) => reduction,
            _ => return Walk::Several,
        };
        let depth = place.depth_of(reduction);
        if let Some(skip) = depth.checked_sub(1) {
            match below.nth(skip) {
                Some(&state) => base = state,
                None => return Walk::Several,
            }
        }
        match tables.goto(base, reduction.lhs) {
            Some(state) => place = Place { popped: place.popped + depth, pushed: Some(state) },
            None => return Walk::Dead,
        }
    }
}

fn reaches<W: Weight>(tables: &Tables, stacks: &WeightedGss<LrState, W>, lookahead: Lookahead) -> bool {
    match walk(tables, stacks.linear_prefix(), lookahead) {
        Walk::Done(..) => true,
        Walk::Dead => false,
        Walk::Several => match stacks.linear() {
            Some(stack) => explore(tables, stack.iter(), lookahead, |_, _| ControlFlow::Break(())).is_break(),
            None => explore_graph(tables, stacks, lookahead, |_, _| ControlFlow::Break(())).is_break(),
        },
    }
}

fn shift_several<W: Weight>(
    tables: &Tables,
    stacks: &WeightedGss<LrState, W>,
    t: TerminalId,
) -> WeightedGss<LrState, W> {
    let mut results = Vec::new();
    let lookahead = Lookahead::Terminal(t);
    if let Some(stack) = stacks.linear() {
        let _ = explore(tables, stack.iter(), lookahead, |place, to| {
            let mut result = stacks.clone();
            place.apply(&mut result);
            result.push_mut(to);
            results.push(result);
            ControlFlow::Continue(())
        });
    } else {
        results = shift_graph(tables, stacks, t);
    }
    match results.len() < FEW && stacks.count_forks(FEW) < FEW {
        true => WeightedGss::merge_all(results),
        false => WeightedGss::merge_minimal(results),
    }
}

/// Fewer stacks or forks than this are merged as they are. With more of them, equal parts of the graph must be one
/// object, or it grows exponentially: see [`WeightedGss::merge_minimal`].
const FEW: usize = 16;

/// Visits every place on one stack at which the lookahead can be read, with the state this leads to.
fn explore<'a>(
    tables: &Tables,
    mut stack: impl Iterator<Item = &'a LrState>,
    lookahead: Lookahead,
    mut visit: impl FnMut(Place, LrState) -> ControlFlow<()>,
) -> ControlFlow<()> {
    // The part of the stack that has been looked at, top first.
    let mut known: SmallVec<[LrState; 32]> = SmallVec::new();
    let mut state_at = |depth: usize| {
        known.extend(stack.by_ref().take((depth + 1).saturating_sub(known.len())).copied());
        known.get(depth).copied()
    };
    let mut seen = FxHashSet::from_iter([Place::TOP]);
    let mut todo: SmallVec<[Place; 16]> = SmallVec::from_slice(&[Place::TOP]);
    while let Some(place) = todo.pop() {
        let Some(top) = place.pushed.or_else(|| state_at(place.popped)) else { continue };
        if let Some(to) = lookahead.read(tables, top) {
            visit(place, to)?;
        }
        for &reduction in lookahead.reductions(tables, top) {
            let popped = place.popped + place.depth_of(reduction);
            let pushed = state_at(popped).and_then(|base| tables.goto(base, reduction.lhs));
            let next = Place { popped, pushed };
            if pushed.is_some() && seen.insert(next) {
                todo.push(next);
            }
        }
    }
    ControlFlow::Continue(())
}
