//! Which tops of the stack go with which lexemes: what a fill has to ask of the parser for a place of a lexeme.
//!
//! An object of two thousand optional properties has twenty thousand states, in many of which a thousand keys may follow:
//! pairs of a state and a terminal go into the tens of millions. But states share their sets of terminals. So states are
//! kept by set, and a lexeme that can still become any of many terminals is compared with each set once, word by word.
//! Where all sets differ, as with required properties, a terminal is in few of them, and these are noted.

use glrmask_automata::{Id, StateId, TerminalId};
use glrmask_glr::{LrState, Tables};
use glrmask_lexer::{BitSet, Component, ComponentId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::constraint::Inner;

/// The states of the parser by the terminals they have an action on.
pub(crate) struct Contexts {
    /// States with the same set, which is not empty, rising.
    groups: Vec<Vec<LrState>>,
    /// Per terminal, how many states have an action on it.
    counts: Vec<usize>,
    /// Per terminal, the groups with it, if they are few.
    few: Vec<Option<Vec<u32>>>,
}

/// Groups of one terminal that are noted; where there are more, all groups are looked at.
const FEW: usize = 32;

impl Contexts {
    /// Time: the words of the sets of all states, and the members of those that differ.
    pub(crate) fn new(inner: &Inner) -> Self {
        let tables = &inner.tables;
        let mut groups: Vec<Vec<LrState>> = Vec::new();
        let mut by_set: FxHashMap<&[u64], usize> = FxHashMap::default();
        for state in states(tables) {
            let set = tables.actionable_words(state);
            if set.iter().all(|&word| word == 0) {
                continue;
            }
            let group = *by_set.entry(set).or_insert(groups.len());
            if group == groups.len() {
                groups.push(Vec::new());
            }
            groups[group].push(state);
        }
        let mut counts = vec![0; tables.terminals()];
        let mut few = vec![Some(Vec::new()); tables.terminals()];
        for (number, group) in groups.iter().enumerate() {
            for t in group.first().into_iter().flat_map(|&state| tables.actionable(state)) {
                counts[t.index()] += group.len();
                match &mut few[t.index()] {
                    Some(known) if known.len() < FEW => known.push(number as u32),
                    known => *known = None,
                }
            }
        }
        Self { groups, counts, few }
    }

    /// The groups with a terminal, if they are few.
    fn few(&self, terminal: TerminalId) -> Option<&[u32]> {
        self.few.get(terminal.index())?.as_deref()
    }

    /// The states with an action on one of these terminals, group by group.
    fn acting<'a>(&'a self, tables: &'a Tables, terminals: &'a [u64]) -> impl Iterator<Item = LrState> + 'a {
        let meets = move |group: &&Vec<LrState>| {
            let set = group.first().map_or(&[][..], |&state| tables.actionable_words(state));
            set.iter().zip(terminals).any(|(a, b)| a & b != 0)
        };
        self.groups.iter().filter(meets).flatten().copied()
    }

    /// The tops under which a lexeme of this component can stand in this state and still become something.
    pub(crate) fn tops(&self, inner: &Inner, id: ComponentId, component: &Component, state: StateId) -> Vec<LrState> {
        let mut tops = BitSet::new(inner.tables.states());
        let mut many = vec![0; inner.tables.terminals().div_ceil(64)];
        for terminal in component.live(state) {
            if let Some(known) = inner.lexer.parser_terminal(terminal) {
                match self.few(known) {
                    Some(groups) => self.states_of(groups).for_each(|top| tops.insert(top.index())),
                    None => insert(&mut many, known),
                }
            }
            if inner.lexer.is_ignored(terminal) {
                let starting = states(&inner.tables).filter(|&top| inner.start_components(top).contains(id.index()));
                starting.for_each(|top| tops.insert(top.index()));
            }
        }
        if many.iter().any(|&word| word != 0) {
            self.acting(&inner.tables, &many).for_each(|top| tops.insert(top.index()));
        }
        tops.iter().map(LrState::from_usize).collect()
    }

    /// Pairs of a terminal that a lexeme can become and a top under which it can stand.
    pub(crate) fn count(&self, inner: &Inner, component: &Component, state: StateId) -> usize {
        let tops = |terminal| match (inner.lexer.is_ignored(terminal), inner.lexer.parser_terminal(terminal)) {
            (true, _) => inner.tables.states(),
            (false, known) => known.and_then(|t| self.counts.get(t.index())).copied().unwrap_or(0),
        };
        component.live(state).map(tops).sum()
    }

    /// The tops after a token event; any top where it is ignored.
    pub(crate) fn after_events(&self, inner: &Inner, tops: &mut FxHashSet<LrState>) {
        for terminal in inner.events.terminals() {
            if inner.lexer.is_ignored(terminal) {
                tops.extend(states(&inner.tables));
            }
            self.shifted(inner, terminal, tops);
        }
    }

    /// The tops after a finished lexeme: where its terminals lead, or as before where it is ignored.
    pub(crate) fn after(
        &self,
        inner: &Inner,
        id: ComponentId,
        component: &Component,
        state: StateId,
        tops: &mut FxHashSet<LrState>,
    ) {
        for terminal in component.matched(state) {
            if inner.lexer.is_ignored(terminal) {
                tops.extend(self.tops(inner, id, component, state));
            }
            self.shifted(inner, terminal, tops);
        }
    }

    fn shifted(&self, inner: &Inner, terminal: TerminalId, tops: &mut FxHashSet<LrState>) {
        let Some(known) = inner.lexer.parser_terminal(terminal) else { return };
        let shift = |state| inner.tables.shift(state, known);
        match self.few(known) {
            Some(groups) => tops.extend(self.states_of(groups).filter_map(shift)),
            None => {
                let mut one = vec![0; inner.tables.terminals().div_ceil(64)];
                insert(&mut one, known);
                tops.extend(self.acting(&inner.tables, &one).filter_map(shift));
            }
        }
    }

    fn states_of<'a>(&'a self, groups: &'a [u32]) -> impl Iterator<Item = LrState> + 'a {
        groups.iter().filter_map(|&group| self.groups.get(group as usize)).flatten().copied()
    }
}

fn states(tables: &Tables) -> impl Iterator<Item = LrState> {
    (0..tables.states()).map(LrState::from_usize)
}

fn insert(set: &mut [u64], t: TerminalId) {
    if let Some(word) = set.get_mut(t.index() / 64) {
        *word |= 1 << (t.index() % 64);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use glrmask_automata::{Limits, NonterminalId, ParseConfig, Regex, Symbol};
    use glrmask_glr::{Adjacency, Rule, RuleSet};
    use glrmask_lexer::{Language, Lexer, TerminalDef};
    use glrmask_vocab::{TokenId, Vocab};

    use super::*;
    use crate::{Config, Constraint, Parts};

    /// `S → A | S ; A`, `A → if id | id | ( S )`, blanks ignored, `if` no longer than `id`.
    pub(crate) fn constraint(config: Config) -> Constraint {
        let (t, n) = (|i| Symbol::Terminal(TerminalId(i)), |i| Symbol::Nonterminal(NonterminalId(i)));
        let bodies = [
            (0, vec![n(1)]),
            (0, vec![n(0), t(2), n(1)]),
            (1, vec![t(0), t(1)]),
            (1, vec![t(1)]),
            (1, vec![t(3), n(0), t(4)]),
        ];
        let rules = bodies.into_iter().map(|(lhs, rhs)| Rule { lhs: NonterminalId(lhs), rhs }).collect();
        let rules = RuleSet { terminals: 6, nonterminals: 2, rules, start: NonterminalId(0) };
        let limits = glrmask_glr::Limits::default();
        let adjacency = Adjacency::new(&rules, &limits).unwrap();
        let def = |(i, pattern): (u32, &str)| {
            let regex = Regex::parse(pattern, &ParseConfig::default()).unwrap();
            TerminalDef {
                language: Language::Automaton(Arc::new(regex.compile(&Limits::default()).unwrap())),
                ignored: i == 5,
                parser_terminal: (i < 5).then_some(TerminalId(i)),
                kills: if i == 0 { vec![TerminalId(1)] } else { Vec::new() },
                followers: adjacency.follow(TerminalId(i)).iter().map(|u| u.index()).collect(),
            }
        };
        let defs: Vec<_> = (0..).zip(["if", "[a-z]+", ";", r"\(", r"\)", " +"]).map(def).collect();
        let parts = Parts {
            lexer: Lexer::new(&defs, &Limits::default()).unwrap(),
            tables: Tables::build(&rules, &limits).unwrap(),
            accepts_empty: false,
            token_terminals: Vec::new(),
            markers: None,
            rules: None,
            documents: Vec::new(),
        };
        Constraint::new(parts, Vocab::new([(TokenId(0), "a")]).unwrap(), config).unwrap()
    }

    #[test]
    fn sets_of_states_are_what_asking_every_state_gives() {
        let constraint = constraint(Config::default());
        let inner = constraint.inner();
        check(inner, &Contexts::new(inner));
        let none_noted = |contexts: Contexts| Contexts { few: Vec::new(), ..contexts };
        check(inner, &none_noted(Contexts::new(inner)));
    }

    fn check(inner: &Inner, contexts: &Contexts) {
        let tables = &inner.tables;
        let acts = |state, t| inner.lexer.parser_terminal(t).is_some_and(|t| tables.actionable(state).contains(&t));
        for (id, component) in inner.lexer.components().iter_enumerated() {
            for state in component.dfa().states() {
                let live: Vec<TerminalId> = component.live(state).collect();
                let starts = |top| inner.start_components(top).contains(id.index());
                let fits =
                    |&top: &LrState| live.iter().any(|&t| acts(top, t) || inner.lexer.is_ignored(t) && starts(top));
                let tops: Vec<LrState> = states(tables).filter(fits).collect();
                assert_eq!(contexts.tops(inner, id, component, state), tops);
                let of = |t: &TerminalId| match inner.lexer.is_ignored(*t) {
                    true => tables.states(),
                    false => states(tables).filter(|&top| acts(top, *t)).count(),
                };
                assert_eq!(contexts.count(inner, component, state), live.iter().map(of).sum::<usize>());
                let mut after = FxHashSet::default();
                contexts.after(inner, id, component, state, &mut after);
                let wanted = component.matched(state).flat_map(|t| {
                    let known = inner.lexer.parser_terminal(t);
                    let shifted = states(tables).filter_map(move |top| tables.shift(top, known?));
                    let ignored = if inner.lexer.is_ignored(t) { tops.clone() } else { Vec::new() };
                    shifted.chain(ignored).collect::<Vec<_>>()
                });
                assert_eq!(after, wanted.collect::<FxHashSet<_>>());
            }
        }
    }
}
