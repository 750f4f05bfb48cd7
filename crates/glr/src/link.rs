//! Tables put together from tables of parts, without building the automaton of the whole.
//!
//! A part is a grammar with *slots*: a slot is a terminal ẋ of its tables that occurs in one rule only, `X → ẋ`, and
//! stands for another part. In the linked grammar each part c that is entered has a symbol `E_c` with the rule
//! `E_c → start of c`, and ẋ is `E_c`. Symbols of different parts are different, which is what makes this simple:
//!
//! * *States.* Where the closure of a state holds ẋ it also holds the closure of c's start state, and no item of the parent
//!   moves over a symbol of c. So the successors over symbols of c are those of c's own start state, and the LR(0)
//!   automaton of the whole is the parts' automata side by side, with the start row of c added to every row that has ẋ.
//!   Only where two slots with the same c are open in one state a new state is needed, `{X → E_c •, Y → E_c •}`.
//! * *Lookaheads.* In c's own tables "the end of the text" stands for whatever follows c. It is replaced by the lookaheads
//!   of `X → ẋ •` in the parents, which LALR(1) unites for all of them, and ẋ as a lookahead by what c can begin with.
//!   This gives exactly the LALR(1) tables of the linked grammar (in the new states above, lookaheads that may be
//!   larger, which costs nothing but an attempt).
//!
//! Numbers: the largest part keeps its states, so that most of the work is copying. State 0 is the start of the root; the
//! start states of all other parts stay behind without a row. Terminals of the parts follow each other without gaps, so sets
//! of the whole are no wider than they must be; slots keep their numbers and have no action.

use glrmask_automata::{Id, NonterminalId, TerminalId};
use rustc_hash::FxHashMap;

use crate::error::GlrError;
use crate::lalr::partition;
use crate::limits::Limits;
use crate::parts::{Group, Parts};
use crate::tables::{LrState, Reduction, Tables};
use crate::terminal_set::{self, union_into, TerminalSet};

/// A part to be linked.
#[derive(Clone, Copy, Debug)]
pub struct LinkPart<'a> {
    /// Its tables.
    pub tables: &'a Tables,
    /// Its slots, and the part of this (smaller) number that each stands for; no part twice.
    pub slots: &'a [(TerminalId, usize)],
}

/// Where the numbers of each part begin in linked tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// First terminal of each part.
    pub terminals: Vec<u32>,
    /// First nonterminal of each part; after its own nonterminals comes the one that stands for the part.
    pub nonterminals: Vec<u32>,
    /// First state of each part.
    pub states: Vec<u32>,
    /// Number of terminals.
    pub terminal_count: usize,
    /// Number of nonterminals.
    pub nonterminal_count: usize,
}

impl Layout {
    /// The layout for parts in this order; the last one is the root.
    pub fn new(parts: &[LinkPart<'_>]) -> Self {
        let largest = (0..parts.len()).max_by_key(|&i| parts[i].tables.states()).unwrap_or(0);
        let order = || std::iter::once(largest).chain((0..parts.len()).filter(move |&i| i != largest));
        let number = |size: &dyn Fn(&Tables) -> usize| {
            let (mut starts, mut next) = (vec![0; parts.len()], 0usize);
            for i in order().filter(|&i| i < parts.len()) {
                starts[i] = u32::try_from(next).unwrap_or(u32::MAX);
                next += size(parts[i].tables);
            }
            (starts, next)
        };
        let (terminals, terminal_count) = number(&Tables::terminals);
        let (nonterminals, nonterminal_count) = number(&|tables| tables.nonterminals() + 1);
        let (states, _) = number(&Tables::states);
        Self { terminals, nonterminals, states, terminal_count, nonterminal_count }
    }
}

/// Links parts, each of which comes after those that its slots stand for; the last one is the root.
///
/// Time and memory: those of copying the tables; states next to a slot take the terminals that can stand there.
///
/// ```
/// use glrmask_automata::{NonterminalId, Symbol, TerminalId};
/// use glrmask_glr::link::{link, LinkPart};
/// use glrmask_glr::{Limits, Rule, RuleSet, Tables};
/// let rules = |start, terminals, nonterminals, rules: Vec<(u32, Vec<Symbol>)>| {
///     let rules = rules.into_iter().map(|(lhs, rhs)| Rule { lhs: NonterminalId(lhs), rhs }).collect();
///     Tables::build(&RuleSet { terminals, nonterminals, rules, start: NonterminalId(start) }, &Limits::default())
/// };
/// let (t, n) = (|id| Symbol::Terminal(TerminalId(id)), |id| Symbol::Nonterminal(NonterminalId(id)));
/// // C → a;  S → b X b, X → ẋ
/// let child = rules(0, 1, 1, vec![(0, vec![t(0)])])?;
/// let parent = rules(0, 2, 2, vec![(0, vec![t(0), n(1), t(0)]), (1, vec![t(1)])])?;
/// let slots = [(TerminalId(1), 0)];
/// let parts = [LinkPart { tables: &child, slots: &[] }, LinkPart { tables: &parent, slots: &slots }];
/// let (tables, layout) = link(&parts, &Limits::default())?;
/// let (a, b) = (TerminalId(layout.terminals[0]), TerminalId(layout.terminals[1]));
/// let inside = tables.shift(Tables::START, b).unwrap();
/// let after = tables.shift(inside, a).unwrap();
/// assert_eq!(tables.reductions(after, b).len(), 1);
/// # Ok::<(), glrmask_glr::GlrError>(())
/// ```
///
/// # Errors
/// Parts that do not fit each other; a limit.
pub fn link(parts: &[LinkPart<'_>], limits: &Limits) -> Result<(Tables, Layout), GlrError> {
    let layout = Layout::new(parts);
    check(parts, &layout, limits)?;
    let mut linker = Linker::new(parts, &layout);
    linker.find_starts(limits)?;
    linker.find_contexts();
    let tables = linker.run(limits)?;
    Ok((tables, layout))
}

fn check(parts: &[LinkPart<'_>], layout: &Layout, limits: &Limits) -> Result<(), GlrError> {
    let states: usize = parts.iter().map(|part| part.tables.states()).sum();
    GlrError::check_limit("LR states", states, limits.states)?;
    let sets: usize = parts.iter().map(|part| part.tables.parts().sets()).sum();
    GlrError::check_limit("table words", sets.saturating_mul(layout.terminal_count.div_ceil(64)), limits.set_words)?;
    for (i, part) in parts.iter().enumerate() {
        let mut children: Vec<usize> = part.slots.iter().map(|slot| slot.1).collect();
        children.sort_unstable();
        let fits = part.slots.iter().all(|&(t, child)| t.index() < part.tables.terminals() && child < i);
        if !fits || children.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(GlrError::malformed_tables("slots of linked parts", i));
        }
    }
    match parts.is_empty() {
        true => Err(GlrError::malformed_tables("no part to link", 0)),
        false => Ok(()),
    }
}

/// What follows a part.
#[derive(Clone, Debug, Default)]
struct Context {
    /// Words of terminals.
    terminals: Vec<u64>,
    /// Whether the text may end.
    end: bool,
}

/// A row: successors over symbols, and states after slots, by the part that each stands for.
#[derive(Clone, Debug, Default)]
struct Row {
    transitions: Vec<(u32, LrState)>,
    entries: Vec<(usize, LrState)>,
}

struct Linker<'a> {
    parts: &'a [LinkPart<'a>],
    layout: &'a Layout,
    /// Words of a set.
    width: usize,
    /// Per part, the part that each of its terminals stands for, if it is a slot.
    slot_of: Vec<FxHashMap<u32, usize>>,
    /// Per part, its slots as a set.
    slot_words: Vec<Vec<u64>>,
    /// Per part, the rows that its start row takes in, its own among them.
    starts: Vec<Row>,
    /// Per part, the terminals it can begin with.
    first: Vec<Vec<u64>>,
    contexts: Vec<Context>,
    out: Parts,
    /// Per part and set, its number in `out` once it is there.
    sets: Vec<Vec<Option<u32>>>,
    /// The same for lists of reductions.
    list_numbers: Vec<Vec<Option<u32>>>,
    made_sets: FxHashMap<Vec<u64>, u32>,
    lists: FxHashMap<Vec<Reduction>, u32>,
    /// States for several slots with the same part, by the states after each alone.
    joined: FxHashMap<Vec<LrState>, LrState>,
    /// Those, in the order of their numbers, still without a row.
    pending: Vec<Vec<LrState>>,
    next_state: u32,
}

impl<'a> Linker<'a> {
    fn new(parts: &'a [LinkPart<'a>], layout: &'a Layout) -> Self {
        let words = |part: &LinkPart<'_>| part.slots.iter().map(|slot| slot.0).collect::<TerminalSet>().into();
        let slot_words = parts.iter().map(words).collect();
        let slot_of = parts.iter().map(|part| part.slots.iter().map(|&(t, child)| (t.0, child)).collect()).collect();
        let out = Parts::new(layout.terminal_count as u32, layout.nonterminal_count as u32);
        let states: usize = parts.iter().map(|part| part.tables.states()).sum();
        let mut linker = Self {
            parts,
            layout,
            width: layout.terminal_count.div_ceil(64),
            slot_of,
            slot_words,
            starts: Vec::new(),
            first: Vec::new(),
            contexts: vec![Context::default(); parts.len()],
            out,
            sets: parts.iter().map(|part| vec![None; part.tables.parts().sets()]).collect(),
            list_numbers: parts.iter().map(|part| vec![None; part.tables.parts().list_starts.len()]).collect(),
            made_sets: FxHashMap::default(),
            lists: FxHashMap::default(),
            joined: FxHashMap::default(),
            pending: Vec::new(),
            next_state: states as u32,
        };
        linker.list(Vec::new());
        linker
    }

    /// What entering each part adds to a row.
    fn find_starts(&mut self, limits: &Limits) -> Result<(), GlrError> {
        let mut size = 0;
        for part in 0..self.parts.len() {
            let row = self.whole_row(part, 0);
            size += row.transitions.len() + row.entries.len();
            GlrError::check_limit("transitions at the starts of parts", size, limits.items)?;
            self.add_start(row);
        }
        Ok(())
    }

    /// Adds the row of a part: its own start row and those of the parts that it can begin with.
    fn add_start(&mut self, row: Row) {
        let mut first = vec![0; self.width];
        for &(code, _) in &row.transitions {
            if (code as usize) < self.layout.terminal_count {
                first[code as usize / 64] |= 1 << (code % 64);
            }
        }
        self.starts.push(row);
        self.first.push(first);
    }

    /// The row of a state with the start rows of everything that can be entered there.
    fn whole_row(&self, part: usize, state: usize) -> Row {
        let mut row = self.own_row(part, state);
        let direct: Vec<usize> = row.entries.iter().map(|entry| entry.0).collect();
        for child in direct {
            row.transitions.extend_from_slice(&self.starts[child].transitions);
            row.entries.extend_from_slice(&self.starts[child].entries);
        }
        // A part that can be entered in two ways adds the same row twice.
        row.transitions.sort_unstable();
        row.transitions.dedup();
        row.entries.sort_unstable();
        row.entries.dedup();
        row
    }

    /// The row of a state by the numbers of the whole.
    fn own_row(&self, part: usize, state: usize) -> Row {
        let (tables, layout) = (self.parts[part].tables, self.layout);
        let terminals = tables.parts().terminals;
        let mut row = Row::default();
        for &(code, target) in tables.parts().transitions_of(state) {
            let target = LrState(layout.states[part] + target.0);
            match self.slot_of[part].get(&code) {
                Some(&child) if code < terminals => row.entries.push((child, target)),
                _ if code < terminals => row.transitions.push((layout.terminals[part] + code, target)),
                _ => {
                    row.transitions.push((self.symbols(part) + (code - terminals), target));
                }
            }
        }
        row
    }

    /// What follows each part: from the root down, since a part that ends its parent is followed by what follows that.
    fn find_contexts(&mut self) {
        let root = self.parts.len() - 1;
        for context in &mut self.contexts {
            context.terminals = vec![0; self.width];
        }
        self.contexts[root].end = true;
        for part in (0..self.parts.len()).rev() {
            if self.slot_of[part].is_empty() {
                continue;
            }
            let parts = self.parts[part].tables.parts();
            let after_slot: Vec<(usize, usize)> = parts
                .accessing_codes()
                .into_iter()
                .enumerate()
                .filter_map(|(state, code)| Some((state, *self.slot_of[part].get(&code?)?)))
                .collect();
            for (state, child) in after_slot {
                let mut context = self.contexts[child].clone();
                for group in parts.groups_of(state) {
                    union_into(&mut context.terminals, &self.moved(part, parts.set(group.set)));
                }
                if !parts.list(parts.at_end[state]).is_empty() {
                    union_into(&mut context.terminals, &self.contexts[part].terminals);
                    context.end |= self.contexts[part].end;
                }
                self.contexts[child] = context;
            }
        }
    }

    /// A set by the numbers of the whole, a slot replaced by what can begin there.
    fn moved(&self, part: usize, set: &[u64]) -> Vec<u64> {
        let mut words = vec![0; self.width];
        let slots: Vec<u64> = set.iter().zip(&self.slot_words[part]).map(|(word, slots)| word & slots).collect();
        let own: Vec<u64> = set.iter().enumerate().map(|(i, word)| word & !slots.get(i).unwrap_or(&0)).collect();
        terminal_set::union_shifted(&mut words, &own, self.layout.terminals[part] as usize);
        for slot in terminal_set::iter(&slots) {
            if let Some(&child) = self.slot_of[part].get(&slot.0) {
                union_into(&mut words, &self.first[child]);
            }
        }
        words
    }

    fn run(mut self, limits: &Limits) -> Result<Tables, GlrError> {
        let root = self.parts.len() - 1;
        let mut order: Vec<usize> = (0..self.parts.len()).collect();
        order.sort_unstable_by_key(|&part| self.layout.states[part]);
        for part in order {
            for state in 0..self.parts[part].tables.states() {
                match (self.layout.states[part], state) {
                    (0, 0) => self.add_state(root, 0),
                    (_, 0) => self.add_nothing(),
                    _ => self.add_state(part, state),
                }
                self.check_size(limits)?;
            }
        }
        let mut done = 0;
        while let Some(states) = self.pending.get(done).cloned() {
            done += 1;
            self.add_joined(&states);
            self.check_size(limits)?;
        }
        Ok(Tables::from_linked(self.out))
    }

    fn check_size(&self, limits: &Limits) -> Result<(), GlrError> {
        GlrError::check_limit("LR states", self.next_state as usize, limits.states)?;
        GlrError::check_limit("LR transitions", self.out.transitions.len(), limits.items)?;
        GlrError::check_limit("table words", self.out.set_words.len(), limits.set_words)
    }

    /// A state that is never entered.
    fn add_nothing(&mut self) {
        let empty = self.made_set(vec![0; self.width]);
        self.out.at_end.push(0);
        self.out.actionable.push(empty);
        self.out.close_row();
    }

    fn add_state(&mut self, part: usize, state: usize) {
        let parts = self.parts[part].tables.parts();
        self.add_row(part, state);
        let accepting = parts.accepting == Some(LrState(state as u32));
        if accepting && part + 1 == self.parts.len() {
            self.out.accepting = Some(LrState(self.out.at_end.len() as u32));
        }
        let ends = !parts.list(parts.at_end[state]).is_empty() || accepting;
        let actionable = self.actionable(part, state, ends);
        self.out.actionable.push(actionable);
        let mentions_slot = |set| parts.set(set).iter().zip(&self.slot_words[part]).any(|(a, b)| a & b != 0);
        let special = ends || parts.groups_of(state).iter().any(|group| mentions_slot(group.set));
        if special {
            let candidates = self.candidates(part, state);
            self.add_candidates(candidates);
        } else {
            for group in parts.groups_of(state) {
                let (set, list) = (self.set(part, group.set), self.own_list(part, group.list));
                self.out.groups.push(Group { set, list });
            }
            self.out.at_end.push(0);
        }
        self.out.close_row();
    }

    fn add_row(&mut self, part: usize, state: usize) {
        let parts = self.parts[part].tables.parts();
        let is_slot = |code: u32| code < parts.terminals && self.slot_of[part].contains_key(&code);
        let row = parts.transitions_of(state);
        if self.slot_of[part].is_empty() || !row.iter().any(|entry| is_slot(entry.0)) {
            let (terminals, symbols) = (self.layout.terminals[part], self.symbols(part));
            let states = self.layout.states[part];
            let code =
                |code: u32| if code < parts.terminals { code + terminals } else { code - parts.terminals + symbols };
            self.out.transitions.extend(row.iter().map(|&(c, target)| (code(c), LrState(states + target.0))));
            return;
        }
        let Row { mut transitions, entries } = self.whole_row(part, state);
        for same in entries.chunk_by(|a, b| a.0 == b.0) {
            let targets: Vec<LrState> = same.iter().map(|entry| entry.1).collect();
            let target = self.after_slots(targets);
            transitions.push((self.symbol_of(same[0].0), target));
        }
        transitions.sort_unstable();
        self.out.transitions.append(&mut transitions);
    }

    /// The code of a part's first nonterminal.
    fn symbols(&self, part: usize) -> u32 {
        self.layout.terminal_count as u32 + self.layout.nonterminals[part]
    }

    /// The code of the nonterminal that stands for a part.
    fn symbol_of(&self, part: usize) -> u32 {
        self.symbols(part) + self.parts[part].tables.nonterminals() as u32
    }

    /// The state after any of these slots.
    fn after_slots(&mut self, targets: Vec<LrState>) -> LrState {
        if let [only] = targets.as_slice() {
            return *only;
        }
        if let Some(&known) = self.joined.get(&targets) {
            return known;
        }
        let state = LrState(self.next_state);
        self.next_state += 1;
        self.pending.push(targets.clone());
        self.joined.insert(targets, state);
        state
    }

    /// The set of terminals with an action.
    fn actionable(&mut self, part: usize, state: usize, ends: bool) -> u32 {
        let parts = self.parts[part].tables.parts();
        let id = parts.actionable[state];
        if !ends || self.contexts[part].terminals.iter().all(|&word| word == 0) {
            return self.set(part, id);
        }
        let mut words = self.moved(part, parts.set(id));
        union_into(&mut words, &self.contexts[part].terminals);
        self.made_set(words)
    }

    /// What a state reduces under which terminals, and at the end of the text.
    fn candidates(&self, part: usize, state: usize) -> Candidates {
        let parts = self.parts[part].tables.parts();
        let mut found = Candidates::default();
        for group in parts.groups_of(state) {
            let set = self.moved(part, parts.set(group.set));
            let list = self.moved_list(part, group.list);
            found.under.extend(list.into_iter().map(|reduction| (reduction, set.clone())));
        }
        let mut at_end = self.moved_list(part, parts.at_end[state]);
        if parts.accepting == Some(LrState(state as u32)) && part + 1 < self.parts.len() {
            let own = self.parts[part].tables.nonterminals() as u32;
            at_end.push(Reduction { pop: 1, lhs: NonterminalId(self.layout.nonterminals[part] + own) });
        }
        let context = &self.contexts[part];
        found.under.extend(at_end.iter().map(|&reduction| (reduction, context.terminals.clone())));
        if context.end {
            found.at_end = at_end;
        }
        found
    }

    /// The row of a state after several slots: it reduces what each of them does.
    fn add_joined(&mut self, states: &[LrState]) {
        let mut all = Candidates::default();
        let mut actionable = vec![0; self.width];
        for &state in states {
            let (part, state) = self.home(state);
            let one = self.candidates(part, state);
            for (_, set) in &one.under {
                union_into(&mut actionable, set);
            }
            all.under.extend(one.under);
            all.at_end.extend(one.at_end);
        }
        let actionable = self.made_set(actionable);
        self.out.actionable.push(actionable);
        self.add_candidates(all);
        self.out.close_row();
    }

    /// Part and own number of a state.
    fn home(&self, state: LrState) -> (usize, usize) {
        let begins = |&part: &usize| self.layout.states[part] <= state.0;
        let part = (0..self.parts.len()).filter(begins).max_by_key(|&part| self.layout.states[part]).unwrap_or(0);
        (part, (state.0 - self.layout.states[part]) as usize)
    }

    fn add_candidates(&mut self, candidates: Candidates) {
        let Candidates { mut under, mut at_end } = candidates;
        at_end.sort_unstable();
        at_end.dedup();
        let at_end = self.list(at_end);
        self.out.at_end.push(at_end);
        under.sort_by_key(|&(reduction, _)| reduction);
        under.dedup_by(|later, first| {
            let same = later.0 == first.0;
            if same {
                union_into(&mut first.1, &later.1);
            }
            same
        });
        for (set, list) in partition(under) {
            let group = Group { set: self.made_set(set), list: self.list(list) };
            self.out.groups.push(group);
        }
    }

    /// The number of a part's list.
    fn own_list(&mut self, part: usize, id: u32) -> u32 {
        if let Some(known) = self.list_numbers[part][id as usize] {
            return known;
        }
        let list = self.moved_list(part, id);
        let number = self.list(list);
        self.list_numbers[part][id as usize] = Some(number);
        number
    }

    fn moved_list(&self, part: usize, list: u32) -> Vec<Reduction> {
        let from = self.layout.nonterminals[part];
        let moved = |r: &Reduction| Reduction { pop: r.pop, lhs: NonterminalId(r.lhs.0 + from) };
        self.parts[part].tables.parts().list(list).iter().map(moved).collect()
    }

    /// The number of a part's set.
    fn set(&mut self, part: usize, id: u32) -> u32 {
        if let Some(known) = self.sets[part][id as usize] {
            return known;
        }
        let words = self.moved(part, self.parts[part].tables.parts().set(id));
        let number = self.push_set(&words);
        self.sets[part][id as usize] = Some(number);
        number
    }

    fn made_set(&mut self, words: Vec<u64>) -> u32 {
        if let Some(&known) = self.made_sets.get(&words) {
            return known;
        }
        let number = self.push_set(&words);
        self.made_sets.insert(words, number);
        number
    }

    fn push_set(&mut self, words: &[u64]) -> u32 {
        let number = (self.out.set_words.len().checked_div(self.width)).unwrap_or(0);
        self.out.set_words.extend_from_slice(words);
        number as u32
    }

    fn list(&mut self, reductions: Vec<Reduction>) -> u32 {
        if let Some(&known) = self.lists.get(&reductions) {
            return known;
        }
        let number = self.lists.len() as u32;
        self.out.lists.extend_from_slice(&reductions);
        self.out.list_starts.push(self.out.lists.len() as u32);
        self.lists.insert(reductions, number);
        number
    }
}

/// Reductions of a state with the terminals under which they are tried.
#[derive(Default)]
struct Candidates {
    under: Vec<(Reduction, Vec<u64>)>,
    at_end: Vec<Reduction>,
}
