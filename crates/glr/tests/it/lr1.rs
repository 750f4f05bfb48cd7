//! LALR(1) tables written plainly: canonical LR(1) by the book (Knuth 1965), states with equal cores merged; and SLR(1)
//! on the same automaton. Slow, short, and the measure for the real construction.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use glrmask_automata::{Id, NonterminalId, Symbol, TerminalId};
use glrmask_glr::{LrState, Reduction, RuleSet, Tables};

/// A lookahead; `None` is the end of the text.
pub(crate) type Lookahead = Option<TerminalId>;

/// Tables by name of state, whatever the numbering.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Plain {
    /// Per state, in breadth-first order from the start by ascending symbol: where each symbol leads.
    pub(crate) transitions: Vec<BTreeMap<Symbol, usize>>,
    pub(crate) reductions: Vec<BTreeMap<Lookahead, BTreeSet<Reduction>>>,
    pub(crate) accepting: BTreeSet<usize>,
}

/// (rule, dot, lookahead); rule `rules.len()` is the augmented one.
type Item = (usize, usize, Lookahead);

struct Grammar<'a> {
    rules: &'a RuleSet,
    augmented: Vec<Symbol>,
    first: BTreeMap<Symbol, BTreeSet<TerminalId>>,
}

impl<'a> Grammar<'a> {
    fn new(rules: &'a RuleSet) -> Self {
        let mut first: BTreeMap<Symbol, BTreeSet<TerminalId>> = BTreeMap::new();
        for t in (0..rules.terminals).map(TerminalId::from_usize) {
            first.insert(Symbol::Terminal(t), [t].into());
        }
        loop {
            let before = first.clone();
            for rule in &rules.rules {
                let more = first.get(&rule.rhs[0]).cloned().unwrap_or_default();
                first.entry(Symbol::Nonterminal(rule.lhs)).or_default().extend(more);
            }
            if first == before {
                return Self { rules, augmented: vec![Symbol::Nonterminal(rules.start)], first };
            }
        }
    }

    fn rhs(&self, rule: usize) -> &[Symbol] {
        self.rules.rules.get(rule).map_or(&self.augmented, |rule| &rule.rhs)
    }

    fn first(&self, symbol: Symbol) -> BTreeSet<Lookahead> {
        self.first.get(&symbol).into_iter().flatten().map(|&t| Some(t)).collect()
    }

    fn closure(&self, kernel: &BTreeSet<Item>) -> BTreeSet<Item> {
        let (mut closed, mut todo) = (kernel.clone(), Vec::from_iter(kernel.clone()));
        while let Some((rule, dot, lookahead)) = todo.pop() {
            let rhs = self.rhs(rule);
            let Some(&Symbol::Nonterminal(a)) = rhs.get(dot) else { continue };
            let lookaheads = rhs.get(dot + 1).map_or([lookahead].into(), |&next| self.first(next));
            for (i, _) in self.rules.rules.iter().enumerate().filter(|(_, rule)| rule.lhs == a) {
                let items = lookaheads.iter().map(|&l| (i, 0, l));
                todo.extend(items.filter(|&item| closed.insert(item)).collect::<Vec<_>>());
            }
        }
        closed
    }

    fn moves(&self, kernel: &BTreeSet<Item>) -> BTreeMap<Symbol, BTreeSet<Item>> {
        let mut moves: BTreeMap<Symbol, BTreeSet<Item>> = BTreeMap::new();
        for (rule, dot, lookahead) in self.closure(kernel) {
            if let Some(&symbol) = self.rhs(rule).get(dot) {
                moves.entry(symbol).or_default().insert((rule, dot + 1, lookahead));
            }
        }
        moves
    }

    /// FOLLOW of a nonterminal, for SLR(1).
    fn follow(&self) -> BTreeMap<NonterminalId, BTreeSet<Lookahead>> {
        let mut follow: BTreeMap<NonterminalId, BTreeSet<Lookahead>> = BTreeMap::new();
        follow.entry(self.rules.start).or_default().insert(None);
        loop {
            let before = follow.clone();
            for rule in &self.rules.rules {
                for (i, &symbol) in rule.rhs.iter().enumerate() {
                    let Symbol::Nonterminal(a) = symbol else { continue };
                    let after = rule.rhs.get(i + 1).map(|&next| self.first(next));
                    let after = after.unwrap_or_else(|| follow.get(&rule.lhs).cloned().unwrap_or_default());
                    follow.entry(a).or_default().extend(after);
                }
            }
            if follow == before {
                return follow;
            }
        }
    }
}

/// Merged canonical LR(1); `None` where that has more than `limit` states.
pub(crate) fn lalr(rules: &RuleSet, limit: usize) -> Option<Plain> {
    build(rules, limit, |_, lookahead| [lookahead].into())
}

/// SLR(1), under the same limit.
pub(crate) fn slr(rules: &RuleSet, limit: usize) -> Option<Plain> {
    let follow = Grammar::new(rules).follow();
    build(rules, limit, |lhs, _| follow.get(&lhs).cloned().unwrap_or_default())
}

fn build(
    rules: &RuleSet,
    limit: usize,
    lookaheads: impl Fn(NonterminalId, Lookahead) -> BTreeSet<Lookahead>,
) -> Option<Plain> {
    let grammar = Grammar::new(rules);
    let start: BTreeSet<Item> = [(rules.rules.len(), 0, None)].into();
    let mut known: BTreeSet<BTreeSet<Item>> = [start.clone()].into();
    let mut cores: BTreeMap<BTreeSet<(usize, usize)>, usize> = BTreeMap::new();
    let mut todo = VecDeque::from([start]);
    let mut plain = Plain::default();
    let core = |kernel: &BTreeSet<Item>| kernel.iter().map(|&(rule, dot, _)| (rule, dot)).collect::<BTreeSet<_>>();
    let number = |cores: &mut BTreeMap<_, usize>, plain: &mut Plain, kernel: &BTreeSet<Item>| {
        let next = cores.len();
        let state = *cores.entry(core(kernel)).or_insert(next);
        plain.transitions.resize_with(cores.len(), BTreeMap::new);
        plain.reductions.resize_with(cores.len(), BTreeMap::new);
        state
    };
    while let Some(kernel) = todo.pop_front() {
        let state = number(&mut cores, &mut plain, &kernel);
        for &(rule, dot, lookahead) in &kernel {
            match rules.rules.get(rule) {
                Some(rule) if dot == rule.rhs.len() => {
                    let reduction = Reduction { pop: dot as u32, lhs: rule.lhs };
                    for lookahead in lookaheads(rule.lhs, lookahead) {
                        plain.reductions[state].entry(lookahead).or_default().insert(reduction);
                    }
                }
                None if dot == 1 => drop(plain.accepting.insert(state)),
                _ => (),
            }
        }
        for (symbol, target) in grammar.moves(&kernel) {
            let to = number(&mut cores, &mut plain, &target);
            plain.transitions[state].insert(symbol, to);
            if known.insert(target.clone()) {
                todo.push_back(target);
            }
        }
        if known.len() > limit {
            return None;
        }
    }
    Some(plain.renumber())
}

/// The tables under test in the same form.
pub(crate) fn plain(tables: &Tables) -> Plain {
    let states = || (0..tables.states()).map(LrState::from_usize);
    let transitions = states().map(|s| {
        let shifts = tables.shifts(s).map(|(t, p)| (Symbol::Terminal(t), p.index()));
        shifts.chain(tables.gotos(s).map(|(a, p)| (Symbol::Nonterminal(a), p.index()))).collect()
    });
    let reductions = states().map(|s| {
        let terminals = (0..tables.terminals()).map(TerminalId::from_usize);
        let by_terminal = terminals.map(|t| (Some(t), tables.reductions(s, t)));
        let all = by_terminal.chain([(None, tables.reductions_at_end(s))]).filter(|(_, list)| !list.is_empty());
        all.map(|(lookahead, list)| (lookahead, list.iter().copied().collect())).collect()
    });
    let accepting = states().filter(|&s| tables.accepts(s)).map(Id::index).collect();
    Plain { transitions: transitions.collect(), reductions: reductions.collect(), accepting }.renumber()
}

impl Plain {
    /// Numbers the states breadth first from the start, symbols ascending.
    fn renumber(&self) -> Self {
        let (mut order, mut names) = (vec![0], BTreeMap::from([(0, 0)]));
        let mut i = 0;
        while i < order.len() {
            for &target in self.transitions[order[i]].values() {
                let next = names.len();
                names.entry(target).or_insert_with(|| {
                    order.push(target);
                    next
                });
            }
            i += 1;
        }
        let renamed = |row: &BTreeMap<Symbol, usize>| row.iter().map(|(&symbol, to)| (symbol, names[to])).collect();
        Self {
            transitions: order.iter().map(|&s| renamed(&self.transitions[s])).collect(),
            reductions: order.iter().map(|&s| self.reductions[s].clone()).collect(),
            accepting: self.accepting.iter().map(|s| names[s]).collect(),
        }
    }

    /// (state, lookahead) pairs with several actions.
    pub(crate) fn conflicts(&self) -> usize {
        let mut count = 0;
        for (row, transitions) in self.reductions.iter().zip(&self.transitions) {
            for (lookahead, reductions) in row {
                let shifts = lookahead.is_some_and(|t| transitions.contains_key(&Symbol::Terminal(t)));
                count += usize::from(reductions.len() + usize::from(shifts) > 1);
            }
        }
        count
    }
}
