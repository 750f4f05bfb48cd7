//! Tables as plain vectors: what construction produces, what an artifact stores, and what is checked before
//! [`Tables`](crate::Tables) come to exist.
//!
//! There is one way into `Tables`, and it goes through [`Parts::check`]. So tables read from untrusted bytes have the
//! same invariants as tables just built: no later call can index out of bounds, and no parser can run in circles.
//! Every vector's size is that of its stored form, so reading allocates in proportion to the input.

use glrmask_automata::{Id, NonterminalId, TerminalId};
use serde::{Deserialize, Serialize};

use crate::digraph::Relation;
use crate::error::GlrError;
use crate::tables::{LrState, Reduction};
use crate::terminal_set::{self, union_into};

/// Some reductions under some lookaheads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Group {
    /// Number of the set of terminals.
    pub(crate) set: u32,
    /// Number of the list of reductions.
    pub(crate) list: u32,
}

/// The tables, row by row. `…_starts` vectors delimit the rows of the vector they are named after.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Parts {
    pub(crate) terminals: u32,
    pub(crate) nonterminals: u32,
    /// (symbol code, target), by symbol; codes are terminals, then nonterminals.
    pub(crate) transitions: Vec<(u32, LrState)>,
    pub(crate) transition_starts: Vec<u32>,
    /// The sets of one state's groups are disjoint.
    pub(crate) groups: Vec<Group>,
    pub(crate) group_starts: Vec<u32>,
    /// Per state, the list of reductions at the end of the text.
    pub(crate) at_end: Vec<u32>,
    /// Per state, the set of terminals with any action.
    pub(crate) actionable: Vec<u32>,
    /// Lists of reductions, ascending and without duplicates; list 0 is empty.
    pub(crate) lists: Vec<Reduction>,
    pub(crate) list_starts: Vec<u32>,
    /// Sets of terminals, each of as many words as all terminals need.
    pub(crate) set_words: Vec<u64>,
    /// The state that has read a whole text.
    pub(crate) accepting: Option<LrState>,
}

impl Parts {
    pub(crate) fn new(terminals: u32, nonterminals: u32) -> Self {
        Self {
            terminals,
            nonterminals,
            transitions: Vec::new(),
            transition_starts: vec![0],
            groups: Vec::new(),
            group_starts: vec![0],
            at_end: Vec::new(),
            actionable: Vec::new(),
            lists: Vec::new(),
            list_starts: vec![0],
            set_words: Vec::new(),
            accepting: None,
        }
    }

    /// Ends the row of the state being added.
    pub(crate) fn close_row(&mut self) {
        self.transition_starts.push(self.transitions.len() as u32);
        self.group_starts.push(self.groups.len() as u32);
    }

    pub(crate) fn states(&self) -> usize {
        self.at_end.len()
    }

    /// Words per set of terminals.
    pub(crate) fn width(&self) -> usize {
        (self.terminals as usize).div_ceil(64)
    }

    pub(crate) fn transitions_of(&self, state: usize) -> &[(u32, LrState)] {
        row(&self.transitions, &self.transition_starts, state)
    }

    pub(crate) fn groups_of(&self, state: usize) -> &[Group] {
        row(&self.groups, &self.group_starts, state)
    }

    pub(crate) fn list(&self, list: u32) -> &[Reduction] {
        row(&self.lists, &self.list_starts, list as usize)
    }

    pub(crate) fn set(&self, set: u32) -> &[u64] {
        &self.set_words[set as usize * self.width()..(set as usize + 1) * self.width()]
    }

    /// Bytes on the heap.
    pub(crate) fn memory(&self) -> usize {
        let starts = [&self.transition_starts, &self.group_starts, &self.list_starts, &self.at_end, &self.actionable];
        starts.iter().map(|starts| size_of_val(&starts[..])).sum::<usize>()
            + size_of_val(&self.transitions[..])
            + size_of_val(&self.groups[..])
            + size_of_val(&self.lists[..])
            + size_of_val(&self.set_words[..])
    }

    /// Checks everything that [`Tables`](crate::Tables) rely on; linear in the size of the parts.
    pub(crate) fn check(&self) -> Result<(), GlrError> {
        self.check_shape()?;
        self.check_sets()?;
        self.check_lists()?;
        self.check_transitions()?;
        (0..self.states()).try_for_each(|state| self.check_actions(state))?;
        self.check_unit_reductions()
    }

    fn check_shape(&self) -> Result<(), GlrError> {
        let symbols = self.terminals as usize + self.nonterminals as usize;
        ensure(symbols < 1 << 30, "too many symbols", 0)?;
        ensure(self.transitions.len() < 1 << 30, "too many transitions", 0)?;
        ensure(self.states() > 0, "no state", 0)?;
        ensure(self.actionable.len() == self.states(), "number of actionable sets", 0)?;
        check_starts(&self.transition_starts, self.states(), self.transitions.len())?;
        check_starts(&self.group_starts, self.states(), self.groups.len())?;
        check_starts(&self.list_starts, self.list_starts.len().saturating_sub(1), self.lists.len())?;
        ensure(self.accepting.is_none_or(|state| state.index() < self.states()), "accepting state", 0)
    }

    fn check_sets(&self) -> Result<(), GlrError> {
        let width = self.width();
        if width == 0 {
            return ensure(self.set_words.is_empty(), "words of sets of no terminals", 0);
        }
        ensure(self.set_words.len().is_multiple_of(width), "length of set words", 0)?;
        let unused = !0 << ((self.terminals - 1) % 64) << 1;
        let last_words = self.set_words.chunks_exact(width).filter_map(<[u64]>::last).enumerate();
        last_words.into_iter().try_for_each(|(i, word)| ensure(word & unused == 0, "bits beyond the terminals", i))
    }

    /// Number of sets of terminals.
    pub(crate) fn sets(&self) -> usize {
        self.set_words.len().checked_div(self.width()).unwrap_or(1)
    }

    fn check_lists(&self) -> Result<(), GlrError> {
        for list in 0..self.list_starts.len() - 1 {
            let reductions = self.list(list as u32);
            ensure(list > 0 || reductions.is_empty(), "list 0 is not empty", list)?;
            ensure(reductions.is_sorted_by(|a, b| a < b), "unsorted list", list)?;
            let valid = |r: &Reduction| r.pop > 0 && r.lhs.0 < self.nonterminals;
            ensure(reductions.iter().all(valid), "reduction", list)?;
        }
        Ok(())
    }

    fn check_transitions(&self) -> Result<(), GlrError> {
        let symbols = self.terminals + self.nonterminals;
        for state in 0..self.states() {
            let row = self.transitions_of(state);
            ensure(row.is_sorted_by(|a, b| a.0 < b.0), "unsorted transitions", state)?;
            let valid =
                |&(symbol, target): &(u32, LrState)| symbol < symbols && (1..self.states()).contains(&target.index());
            ensure(row.iter().all(valid), "transition", state)?;
        }
        let accessing = self.accessing_codes();
        let agree = self.transitions.iter().all(|&(symbol, target)| accessing[target.index()] == Some(symbol));
        ensure(agree, "state entered over different symbols", 0)
    }

    /// Per state, the code of a symbol over which it is entered.
    pub(crate) fn accessing_codes(&self) -> Vec<Option<u32>> {
        let mut codes = vec![None; self.states()];
        self.transitions.iter().for_each(|&(symbol, target)| codes[target.index()] = Some(symbol));
        codes
    }

    fn check_actions(&self, state: usize) -> Result<(), GlrError> {
        let lists = self.list_starts.len() - 1;
        let groups = self.groups_of(state);
        ensure((self.at_end[state] as usize) < lists, "list at the end", state)?;
        ensure(groups.iter().all(|g| (g.set as usize) < self.sets() && (g.list as usize) < lists), "group", state)?;
        ensure((self.actionable[state] as usize) < self.sets(), "actionable set", state)?;
        let mut seen = vec![0; self.width()];
        for group in groups {
            let set = self.set(group.set);
            ensure(!self.list(group.list).is_empty(), "group without reductions", state)?;
            ensure(seen.iter().zip(set).all(|(a, b)| a & b == 0), "overlapping groups", state)?;
            union_into(&mut seen, set);
        }
        let shifts = self.transitions_of(state).iter().filter(|&&(symbol, _)| symbol < self.terminals);
        shifts.for_each(|&(t, _)| seen[t as usize / 64] |= 1 << (t % 64));
        ensure(self.set(self.actionable[state]) == seen, "actionable set", state)
    }

    /// A reduction that pops one state replaces the accessing symbol of a state by another nonterminal. These
    /// replacements must not be cyclic, else a parser could reduce forever.
    fn check_unit_reductions(&self) -> Result<(), GlrError> {
        let mut pairs = Vec::new();
        for (state, code) in self.accessing_codes().into_iter().enumerate() {
            let Some(from) = code.and_then(|code| code.checked_sub(self.terminals)) else { continue };
            let lists = self.groups_of(state).iter().map(|group| group.list).chain([self.at_end[state]]);
            let reductions = lists.flat_map(|list| self.list(list));
            pairs.extend(reductions.filter(|r| r.pop == 1).map(|r| (from as usize, r.lhs.index())));
        }
        // Number only the nonterminals that occur: how many there are is a claim of the input.
        let mut names: Vec<usize> = pairs.iter().flat_map(|&(from, to)| [from, to]).collect();
        names.sort_unstable();
        names.dedup();
        let number = |name| names.partition_point(|&other| other < name);
        let pairs = pairs.iter().map(|&(from, to)| (number(from), number(to))).collect();
        let cycle = Relation::new(names.len(), pairs).find_cycle().and_then(|node| names.get(node));
        cycle.map_or(Ok(()), |&name| Err(GlrError::unit_cycle(NonterminalId::from_usize(name))))
    }

    /// Number of (state, lookahead) pairs with more than one action; the end of the text is a lookahead.
    pub(crate) fn conflicts(&self) -> usize {
        (0..self.states()).map(|state| self.conflicts_of(state)).sum()
    }

    fn conflicts_of(&self, state: usize) -> usize {
        let shifts = self.transitions_of(state).iter().filter(|&&(symbol, _)| symbol < self.terminals);
        let in_group = |group: &Group| match self.list(group.list).len() {
            0 => 0,
            1 => shifts.clone().filter(|&&(t, _)| terminal_set::contains(self.set(group.set), TerminalId(t))).count(),
            _ => self.set(group.set).iter().map(|word| word.count_ones() as usize).sum(),
        };
        let at_end = usize::from(self.list(self.at_end[state]).len() > 1);
        self.groups_of(state).iter().map(in_group).sum::<usize>() + at_end
    }
}

fn row<'a, T>(items: &'a [T], starts: &[u32], i: usize) -> &'a [T] {
    &items[starts[i] as usize..starts[i + 1] as usize]
}

fn check_starts(starts: &[u32], rows: usize, items: usize) -> Result<(), GlrError> {
    ensure(starts.len() == rows + 1 && starts.first() == Some(&0), "number of rows", rows)?;
    ensure(starts.is_sorted() && starts.last().map(|&end| end as usize) == Some(items), "row bounds", rows)
}

fn ensure(holds: bool, what: &'static str, row: usize) -> Result<(), GlrError> {
    holds.then_some(()).ok_or_else(|| GlrError::malformed_tables(what, row))
}
