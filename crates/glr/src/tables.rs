//! LALR(1) tables with all conflicts kept: which actions a state has under a lookahead, as a GLR parser asks for them.
//!
//! Shifts and gotos are `SparseRows`, one probe each. Reductions are stored by *group*: the terminals under which a
//! state reduces in the same way are one bit set, and states share equal sets. Most states have at most one group
//! (they either shift or reduce by one rule), so `reductions` is a bit test. An object with n optional members, whose
//! i-th state reduces under each of the n − i later keys, costs n²/64 words instead of n² entries.

use std::sync::{Arc, OnceLock};

use glrmask_automata::{typed_id, Id, NonterminalId, Symbol, TerminalId};
use serde::{Deserialize, Serialize};

use crate::digraph::Relation;
use crate::error::GlrError;
use crate::lalr;
use crate::limits::Limits;
use crate::parts::{Group, Parts};
use crate::rules::RuleSet;
use crate::sparse::SparseRows;
use crate::terminal_set;

typed_id!(
    /// A state of the LR automaton, and so an element of a parse stack.
    pub struct LrState, "p"
);

/// What a reduction does to a stack: take `pop` states off, then push `goto(top, lhs)`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Reduction {
    /// Length of the rule; at least 1.
    pub pop: u32,
    /// Left-hand side of the rule.
    pub lhs: NonterminalId,
}

/// The LALR(1) tables of a grammar. Immutable; a clone shares everything.
///
/// Ids that the tables do not know (states, terminals, nonterminals out of range) have no actions.
///
/// ```
/// use glrmask_automata::{NonterminalId, Symbol, TerminalId};
/// use glrmask_glr::{Limits, LrState, Rule, RuleSet, Tables};
/// // L → L a | a
/// let (list, a) = (NonterminalId(0), TerminalId(0));
/// let rules = RuleSet {
///     terminals: 1,
///     nonterminals: 1,
///     rules: vec![
///         Rule { lhs: list, rhs: vec![Symbol::Nonterminal(list), Symbol::Terminal(a)] },
///         Rule { lhs: list, rhs: vec![Symbol::Terminal(a)] },
///     ],
///     start: list,
/// };
/// let tables = Tables::build(&rules, &Limits::default())?;
/// let after_a = tables.shift(Tables::START, a).unwrap();
/// assert_eq!(tables.reductions(after_a, a).len(), 1);
/// assert_eq!(tables.reductions(after_a, a)[0].lhs, list);
/// let after_list = tables.goto(Tables::START, list).unwrap();
/// assert!(tables.accepts(after_list) && tables.conflicts() == 0);
/// # Ok::<(), glrmask_glr::GlrError>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct Tables {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// Invariant: [`Parts::check`] has succeeded.
    parts: Parts,
    shifts: SparseRows,
    gotos: SparseRows,
    /// Words per set in `parts.set_words`.
    width: usize,
    /// Per set, its members in ascending order, made when first asked for: an object with n optional members has n sets
    /// of up to n members.
    members: Box<[OnceLock<Box<[TerminalId]>>]>,
    predecessors: Vec<LrState>,
    predecessor_starts: Vec<u32>,
    accessing: Vec<Option<Symbol>>,
    /// Counted when first asked for.
    conflicts: OnceLock<usize>,
}

impl Tables {
    /// The state at the bottom of every stack.
    pub const START: LrState = LrState(0);

    /// Builds the tables of a grammar: near linear in the number of items and transitions of its LR(0) automaton.
    ///
    /// # Errors
    /// Invalid rules (see [`RuleSet::validate`]), or a limit is reached.
    pub fn build(rules: &RuleSet, limits: &Limits) -> Result<Self, GlrError> {
        Self::from_parts(lalr::build(rules, limits)?)
    }

    /// The state after shifting `t` in state `s`. Constant time.
    #[inline]
    pub fn shift(&self, s: LrState, t: TerminalId) -> Option<LrState> {
        self.inner.shifts.get(s.index(), t.0).map(LrState)
    }

    /// The state after reducing to `a` on top of state `s`. Constant time.
    #[inline]
    pub fn goto(&self, s: LrState, a: NonterminalId) -> Option<LrState> {
        self.inner.gotos.get(s.index(), a.0).map(LrState)
    }

    /// The reductions of state `s` under lookahead `t`, ascending, each effect once. Constant time for states without
    /// reduce-reduce conflicts, linear in the number of differing sets of reductions otherwise.
    #[inline]
    pub fn reductions(&self, s: LrState, t: TerminalId) -> &[Reduction] {
        let inner = &*self.inner;
        let (word, bit) = (t.index() / 64, t.index() % 64);
        if word >= inner.width {
            return &[];
        }
        let selects = |group: &&Group| {
            let position = group.set as usize * inner.width + word;
            inner.parts.set_words.get(position).is_some_and(|w| w >> bit & 1 == 1)
        };
        inner.groups(s).iter().find(selects).map_or(&[], |group| inner.parts.list(group.list))
    }

    /// The reductions of state `s` at the end of the text.
    #[inline]
    pub fn reductions_at_end(&self, s: LrState) -> &[Reduction] {
        self.inner.parts.at_end.get(s.index()).map_or(&[], |&list| self.inner.parts.list(list))
    }

    /// Whether `s` is the state that has read a whole text: at its end, the stack `START s` accepts.
    #[inline]
    pub fn accepts(&self, s: LrState) -> bool {
        self.inner.parts.accepting == Some(s)
    }

    /// The terminals under which state `s` has any action, ascending. An action alone does not mean that the terminal
    /// can be shifted: after LALR(1) reductions it may turn out to be impossible.
    pub fn actionable(&self, s: LrState) -> &[TerminalId] {
        let Some(&set) = self.inner.parts.actionable.get(s.index()) else { return &[] };
        let members = || terminal_set::iter(self.inner.parts.set(set)).collect();
        self.inner.members.get(set as usize).map_or(&[], |known| known.get_or_init(members))
    }

    /// The same as [`actionable`](Self::actionable) in bits: terminal `i` is bit `i % 64` of word `i / 64`. As many
    /// words as all terminals need (none for an unknown state).
    pub fn actionable_words(&self, s: LrState) -> &[u64] {
        self.inner.parts.actionable.get(s.index()).map_or(&[], |&set| self.inner.parts.set(set))
    }

    /// The states from which a transition leads to `s`, ascending: what can lie directly below `s` on a stack.
    pub fn predecessors(&self, s: LrState) -> &[LrState] {
        match self.inner.predecessor_starts.get(s.index()..s.index().saturating_add(2)) {
            Some(&[start, end]) => &self.inner.predecessors[start as usize..end as usize],
            _ => &[],
        }
    }

    /// The transitions out of `s` over terminals, ascending.
    pub fn shifts(&self, s: LrState) -> impl Iterator<Item = (TerminalId, LrState)> + '_ {
        let terminals = self.inner.parts.terminals;
        self.transitions(s).iter().take_while(move |&&(code, _)| code < terminals).map(|&(t, p)| (TerminalId(t), p))
    }

    /// The transitions out of `s` over nonterminals, ascending.
    pub fn gotos(&self, s: LrState) -> impl Iterator<Item = (NonterminalId, LrState)> + '_ {
        let numbered =
            |&(code, p): &(u32, LrState)| Some((NonterminalId(code.checked_sub(self.inner.parts.terminals)?), p));
        self.transitions(s).iter().filter_map(numbered)
    }

    /// The symbol over which `s` is entered; `None` for the start state.
    pub fn accessing_symbol(&self, s: LrState) -> Option<Symbol> {
        self.inner.accessing.get(s.index()).copied().flatten()
    }

    /// Number of states; they are `0..states()`.
    pub fn states(&self) -> usize {
        self.inner.parts.states()
    }

    /// Number of terminals.
    pub fn terminals(&self) -> usize {
        self.inner.parts.terminals as usize
    }

    /// Number of nonterminals.
    pub fn nonterminals(&self) -> usize {
        self.inner.parts.nonterminals as usize
    }

    /// Number of (state, lookahead) pairs with more than one action, the end of the text being a lookahead. Zero means
    /// that parsing is deterministic.
    pub fn conflicts(&self) -> usize {
        *self.inner.conflicts.get_or_init(|| self.inner.parts.conflicts())
    }

    /// Bytes on the heap, shared by all clones.
    pub fn memory_usage(&self) -> usize {
        let inner = &*self.inner;
        inner.shifts.memory()
            + inner.gotos.memory()
            + inner.parts.memory()
            + inner.members.iter().map(|known| known.get().map_or(16, |set| 16 + size_of_val(&set[..]))).sum::<usize>()
            + size_of_val(&inner.predecessors[..])
            + size_of_val(&inner.predecessor_starts[..])
            + size_of_val(&inner.accessing[..])
    }

    /// Checks the invariants again (they hold by construction, also for tables read from untrusted bytes).
    ///
    /// # Errors
    /// Names the first violated one.
    pub fn validate(&self) -> Result<(), GlrError> {
        self.inner.parts.check()
    }

    pub(crate) fn from_parts(parts: Parts) -> Result<Self, GlrError> {
        parts.check()?;
        Ok(Self { inner: Arc::new(Inner::new(parts)) })
    }

    /// Tables put together from tables: the parts are right by construction.
    pub(crate) fn from_linked(parts: Parts) -> Self {
        debug_assert_eq!(parts.check(), Ok(()));
        Self { inner: Arc::new(Inner::new(parts)) }
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.inner.parts
    }

    /// The groups of a state: sets of lookaheads and what they reduce.
    pub(crate) fn reduction_groups(&self, s: LrState) -> impl Iterator<Item = (&[u64], &[Reduction])> + '_ {
        let parts = &self.inner.parts;
        self.inner.groups(s).iter().map(|group| (parts.set(group.set), parts.list(group.list)))
    }

    fn transitions(&self, s: LrState) -> &[(u32, LrState)] {
        if s.index() < self.states() {
            self.inner.parts.transitions_of(s.index())
        } else {
            &[]
        }
    }
}

impl Inner {
    /// Builds the indices of checked parts.
    fn new(parts: Parts) -> Self {
        let states = parts.states();
        let count = parts.transitions.len();
        let (mut shifts, mut gotos) =
            (SparseRows::with_capacity(states, count), SparseRows::with_capacity(states, count));
        for state in 0..states {
            let row = parts.transitions_of(state);
            let (terminals, nonterminals) = row.split_at(row.partition_point(|&(code, _)| code < parts.terminals));
            shifts.push_row(terminals.iter().map(|&(t, p)| (t, p.0)));
            gotos.push_row(nonterminals.iter().map(|&(code, p)| (code - parts.terminals, p.0)));
        }
        let members = (0..parts.sets()).map(|_| OnceLock::new()).collect();
        let incoming = (0..states).flat_map(|p| parts.transitions_of(p).iter().map(move |&(_, q)| (q.0, p as u32)));
        let (predecessors, predecessor_starts) = distinct_rows(&Relation::from_pairs(states, incoming));
        let symbol = |code: u32| match code.checked_sub(parts.terminals) {
            None => Symbol::Terminal(TerminalId(code)),
            Some(a) => Symbol::Nonterminal(NonterminalId(a)),
        };
        let accessing = parts.accessing_codes().into_iter().map(|code| code.map(symbol)).collect();
        let width = parts.width();
        Self {
            parts,
            shifts,
            gotos,
            width,
            members,
            predecessors,
            predecessor_starts,
            accessing,
            conflicts: OnceLock::new(),
        }
    }

    #[inline]
    fn groups(&self, s: LrState) -> &[Group] {
        match self.parts.group_starts.get(s.index()..s.index().saturating_add(2)) {
            Some(&[start, end]) => &self.parts.groups[start as usize..end as usize],
            _ => &[],
        }
    }
}

/// The rows of a relation with ascending targets, without repetition.
fn distinct_rows(relation: &Relation) -> (Vec<LrState>, Vec<u32>) {
    let (mut items, mut starts) = (Vec::new(), vec![0]);
    for x in 0..relation.nodes() {
        let begin = items.len();
        for &y in relation.row(x) {
            if items.get(begin..).and_then(<[LrState]>::last) != Some(&LrState(y)) {
                items.push(LrState(y));
            }
        }
        starts.push(items.len() as u32);
    }
    (items, starts)
}

impl PartialEq for Tables {
    fn eq(&self, other: &Self) -> bool {
        self.inner.parts == other.inner.parts
    }
}

impl Eq for Tables {}

impl TryFrom<Parts> for Tables {
    type Error = GlrError;

    fn try_from(parts: Parts) -> Result<Self, GlrError> {
        Self::from_parts(parts)
    }
}

impl From<Tables> for Parts {
    fn from(tables: Tables) -> Self {
        Arc::try_unwrap(tables.inner).map_or_else(|shared| shared.parts.clone(), |inner| inner.parts)
    }
}
