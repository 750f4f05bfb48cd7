//! Which stacks can be completed, from the grammar alone: no LR tables, no saturation of pushdown rules.
//!
//! A stack stands for symbols α. A text w completes it when αw is a right sentential form of the start symbol: one that
//! rightmost derivation produces. So α is cut off from the left along one path of the derivation tree (symbols that are
//! derived no further, then the nonterminal whose derivation goes on), and w is what the right siblings on that path derive.
//! The words w are read from a graph of conditions, in which every node may be the end of the text.

use std::collections::{BTreeMap, BTreeSet};

use glrmask_automata::lexdag::{ConditionSetId, IGNORED};
use glrmask_automata::{NonterminalId, Symbol, TerminalId};
use glrmask_glr::{Completable, GlrError, Lexemes, Limits, RuleSet, Tables};
use proptest::prelude::*;

use crate::sequences::{condition_graph, lexemes, rules, stack, symbols};
use crate::stacks::{self, Stacks};

type Conditions = BTreeSet<ConditionSetId>;

/// Decides for one grammar and one graph of conditions.
pub(crate) struct Completing {
    rules: RuleSet,
    lexemes: Lexemes,
    accepts_empty: bool,
    /// Where a word of a nonterminal can lead to.
    derived: BTreeMap<(NonterminalId, ConditionSetId), Conditions>,
    known: BTreeMap<(ConditionSetId, Vec<Symbol>), bool>,
}

impl Completing {
    pub(crate) fn new(rules: &RuleSet, lexemes: &Lexemes, accepts_empty: bool) -> Self {
        let (rules, lexemes) = (rules.clone(), lexemes.clone());
        let mut this = Self { rules, lexemes, accepts_empty, derived: BTreeMap::new(), known: BTreeMap::new() };
        loop {
            let mut next = this.derived.clone();
            for rule in &this.rules.rules {
                for &from in this.lexemes.keys() {
                    let to = this.read(&rule.rhs, Conditions::from([from]));
                    next.entry((rule.lhs, from)).or_default().extend(to);
                }
            }
            if next == this.derived {
                return this;
            }
            this.derived = next;
        }
    }

    /// Whether some text completes a stack of these symbols under `conditions`.
    pub(crate) fn accepts(&mut self, conditions: ConditionSetId, symbols: &[Symbol]) -> bool {
        let key = (conditions, symbols.to_vec());
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let found = symbols.is_empty() && self.accepts_empty || self.search(conditions, symbols);
        self.known.insert(key, found);
        found
    }

    /// Fixed point over (nonterminal, position from which it derives the rest of the stack): where w can lead to.
    fn search(&self, conditions: ConditionSetId, symbols: &[Symbol]) -> bool {
        let mut known: BTreeMap<(NonterminalId, usize), Conditions> = BTreeMap::new();
        loop {
            let mut next = known.clone();
            for rule in &self.rules.rules {
                for at in 0..symbols.len() {
                    let to = self.cut(&rule.rhs, symbols, at, conditions, &known);
                    next.entry((rule.lhs, at)).or_default().extend(to);
                }
            }
            if next == known {
                break;
            }
            known = next;
        }
        // The start symbol, under a rule of its own.
        !self.cut(&[Symbol::Nonterminal(self.rules.start)], symbols, 0, conditions, &known).is_empty()
    }

    /// Derives the stack from position `at` on from the right-hand side `rhs`.
    fn cut(
        &self,
        rhs: &[Symbol],
        symbols: &[Symbol],
        at: usize,
        conditions: ConditionSetId,
        known: &BTreeMap<(NonterminalId, usize), Conditions>,
    ) -> Conditions {
        if at == symbols.len() {
            return self.read(rhs, Conditions::from([conditions]));
        }
        let Some((&first, rest)) = rhs.split_first() else { return Conditions::new() };
        let mut found = Conditions::new();
        if first == symbols[at] {
            found.extend(self.cut(rest, symbols, at + 1, conditions, known));
        }
        if let Symbol::Nonterminal(a) = first {
            found.extend(self.read(rest, known.get(&(a, at)).cloned().unwrap_or_default()));
        }
        found
    }

    /// Where words of these symbols lead to.
    fn read(&self, symbols: &[Symbol], from: Conditions) -> Conditions {
        symbols.iter().fold(from, |from, &symbol| match symbol {
            Symbol::Terminal(t) => self.lex(t, from),
            Symbol::Nonterminal(a) => {
                from.iter().filter_map(|&c| self.derived.get(&(a, c))).flatten().copied().collect()
            }
        })
    }

    /// Ignored text, then the terminal.
    fn lex(&self, t: TerminalId, mut from: Conditions) -> Conditions {
        let next = |from: &Conditions, t: TerminalId| -> Conditions {
            let all = from.iter().filter_map(|c| self.lexemes.get(c)).flatten();
            all.filter(|l| l.0 == t).map(|l| l.1).collect()
        };
        for _ in 0..self.lexemes.len() {
            let ignored = next(&from, IGNORED);
            from.extend(ignored);
        }
        next(&from, t)
    }
}

/// Whether a text of at most `length` lexemes completes the stacks, by trying all.
fn bounded(tables: &Tables, lexemes: &Lexemes, stacks: &Stacks, c: ConditionSetId, length: usize) -> bool {
    if stacks.is_empty() || stacks::accepts(tables, stacks) {
        return !stacks.is_empty();
    }
    length > 0
        && lexemes[&c].iter().any(|&(t, after)| {
            let next = if t == IGNORED { stacks.clone() } else { stacks::shift(tables, stacks, t) };
            bounded(tables, lexemes, &next, after, length - 1)
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn completable_stacks_are_the_prefixes_of_sentential_forms(
        rules in rules(),
        lexemes in lexemes(),
        accepts_empty: bool,
        walks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..6), 1..8),
    ) {
        let tables = Tables::build(&rules, &Limits::default()).expect("valid rules");
        let lexemes = condition_graph(&lexemes, rules.terminals);
        let completable = Completable::build(&tables, &lexemes, accepts_empty).expect("a small automaton");
        let mut completing = Completing::new(&rules, &lexemes, accepts_empty);
        for walk in &walks {
            let stack = stack(&tables, walk);
            let symbols = symbols(&tables, &stack);
            prop_assert_eq!(symbols.len() + 1, stack.len());
            for &c in lexemes.keys() {
                let wanted = completing.accepts(c, &symbols);
                prop_assert!(completable.knows(c));
                prop_assert_eq!(completable.accepts(c, &stack), wanted, "{:?} under {}", &symbols, c);
                let explicit = Stacks::from([(stack.clone(), BTreeSet::new())]);
                prop_assert!(wanted || !bounded(&tables, &lexemes, &explicit, c, 3));
            }
        }
    }
}

#[test]
fn a_condition_without_lexemes_leaves_the_end_of_the_text() -> Result<(), GlrError> {
    // S → a b: under a condition that nothing satisfies only complete texts are completable.
    let rules = crate::grammars::grammar("S = a b");
    let tables = Tables::build(&rules, &Limits::default())?;
    let [none, some, unknown] = [0, 1, 2].map(ConditionSetId);
    let [a, b] = [0, 1].map(TerminalId);
    let lexemes = Lexemes::from_iter([(none, vec![]), (some, vec![(b, none)])]);
    let after_a = vec![Tables::START, tables.shift(Tables::START, a).expect("a shift")];
    let after_b = [&after_a[..], &[tables.shift(after_a[1], b).expect("a shift")]].concat();
    for accepts_empty in [false, true] {
        let completable = Completable::build(&tables, &lexemes, accepts_empty)?;
        assert_eq!(completable.accepts(none, &[Tables::START]), accepts_empty);
        assert_eq!(completable.accepts(some, &[Tables::START]), accepts_empty);
        assert!(!completable.accepts(none, &after_a) && completable.accepts(some, &after_a));
        assert!(completable.accepts(none, &after_b) && completable.accepts(some, &after_b));
        assert!(!completable.knows(unknown) && !completable.accepts(unknown, &after_b));
    }
    Ok(())
}

#[test]
fn a_reduction_pops_with_one_edge_per_symbol_however_many_states_there_are() -> Result<(), GlrError> {
    let length = 200;
    let rules = crate::grammars::grammar(&format!("S = {} b", "a ".repeat(length)));
    let tables = Tables::build(&rules, &Limits::default())?;
    assert!(tables.states() > length);
    let c = ConditionSetId(0);
    let lexemes = Lexemes::from_iter([(c, vec![(TerminalId(0), c), (TerminalId(1), c)])]);
    let completable = Completable::build(&tables, &lexemes, false)?;
    assert!(completable.transitions() < 8 * length, "{}", completable.transitions());
    let mut stack = vec![Tables::START];
    for t in std::iter::repeat_n(TerminalId(0), length).chain([TerminalId(1)]) {
        assert!(completable.accepts(c, &stack));
        stack.push(tables.shift(stack[stack.len() - 1], t).expect("a shift"));
    }
    assert!(completable.accepts(c, &stack) && !completable.accepts(c, &stack[1..]));
    Ok(())
}

#[test]
fn completion_can_take_a_very_long_text() -> Result<(), GlrError> {
    // The stack is a hundred brackets deep: only brackets and then nothing else can close it.
    let rules = crate::grammars::grammar("S = open S close | x");
    let tables = Tables::build(&rules, &Limits::default())?;
    let [open, close] = [0, 1].map(TerminalId);
    let c = ConditionSetId(0);
    let mut stack = vec![Tables::START];
    for _ in 0..100 {
        stack.push(tables.shift(stack[stack.len() - 1], open).expect("a shift"));
    }
    let with = |t| Completable::build(&tables, &Lexemes::from_iter([(c, vec![(t, c)])]), false);
    let inner = tables.goto(stack[100], NonterminalId(0)).expect("a goto");
    let read = [&stack[..], &[inner]].concat();
    assert!(with(close)?.accepts(c, &read) && !with(close)?.accepts(c, &stack) && !with(open)?.accepts(c, &read));
    Ok(())
}
