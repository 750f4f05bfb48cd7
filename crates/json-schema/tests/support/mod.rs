//! A recogniser to check grammars with: Earley's algorithm over byte positions, each terminal a minimal automaton.
//! Plain and slow on purpose; it shares nothing with the engine. Rules beside the grammar are checked on the whole text.

mod rules;

use std::collections::{BTreeSet, HashMap};

use glrmask_automata::{AutomataError, Dfa, Id, Limits, Regex, StateId, Symbol, TerminalId};
use glrmask_grammar::{Grammar, Pattern};

pub(crate) struct Recognizer {
    grammar: Grammar,
    automata: Vec<Dfa>,
    by_lhs: Vec<Vec<usize>>,
}

/// (production, dot, origin)
type Item = (usize, usize, usize);

impl Recognizer {
    pub(crate) fn new(grammar: &Grammar) -> Result<Self, AutomataError> {
        let limits = Limits { states: 1 << 24, nfa_states: 1 << 24 };
        let compile = |pattern: &Pattern| match pattern {
            Pattern::Literal(bytes) => Regex::literal(bytes).compile(&limits),
            Pattern::Regex(regex) => regex.compile(&limits),
            other => panic!("unexpected pattern {other:?}"),
        };
        let automata = grammar.terminals.iter().map(|terminal| compile(&terminal.pattern)).collect::<Result<_, _>>()?;
        let mut by_lhs = vec![Vec::new(); grammar.nonterminals.len()];
        for (i, production) in grammar.productions.iter().enumerate() {
            by_lhs[production.lhs.index()].push(i);
        }
        Ok(Self { grammar: grammar.clone(), automata, by_lhs })
    }
    pub(crate) fn accepts(&self, text: &str) -> bool {
        self.derives(text) && self.grammar.instance.as_ref().is_none_or(|asked| rules::obeys(&asked.rules, text))
    }
    fn derives(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let mut sets: Vec<BTreeSet<Item>> = vec![BTreeSet::new(); bytes.len() + 1];
        let mut scans: HashMap<(TerminalId, usize), Vec<usize>> = HashMap::new();
        sets[0].extend(self.by_lhs[self.grammar.start.index()].iter().map(|&p| (p, 0, 0)));
        for at in 0..=bytes.len() {
            let mut queue: Vec<Item> = sets[at].iter().copied().collect();
            while let Some((p, dot, origin)) = queue.pop() {
                let production = &self.grammar.productions[p];
                let mut found: Vec<Item> = Vec::new();
                match production.rhs.get(dot) {
                    Some(Symbol::Terminal(t)) => {
                        let ends = scans.entry((*t, at)).or_insert_with(|| self.scan(*t, bytes, at));
                        for &end in ends.iter() {
                            sets[end].insert((p, dot + 1, origin));
                        }
                    }
                    Some(Symbol::Nonterminal(n)) => {
                        found.extend(self.by_lhs[n.index()].iter().map(|&q| (q, 0, at)));
                        let done = |q: usize, d: usize, o: usize| {
                            o == at
                                && self.grammar.productions[q].lhs == *n
                                && d == self.grammar.productions[q].rhs.len()
                        };
                        if sets[at].iter().any(|&(q, d, o)| done(q, d, o)) {
                            found.push((p, dot + 1, origin));
                        }
                    }
                    None => {
                        let lhs = Symbol::Nonterminal(production.lhs);
                        let waits = |&&(q, d, _): &&Item| self.grammar.productions[q].rhs.get(d) == Some(&lhs);
                        found.extend(sets[origin].iter().filter(waits).map(|&(q, d, o)| (q, d + 1, o)));
                    }
                }
                for item in found {
                    if sets[at].insert(item) {
                        queue.push(item);
                    }
                }
            }
        }
        let whole = |&(p, dot, origin): &Item| {
            let production = &self.grammar.productions[p];
            origin == 0 && production.lhs == self.grammar.start && dot == production.rhs.len()
        };
        sets[bytes.len()].iter().any(whole)
    }
    fn scan(&self, terminal: TerminalId, bytes: &[u8], at: usize) -> Vec<usize> {
        let dfa = &self.automata[terminal.index()];
        let mut state = dfa.start();
        let mut ends = Vec::new();
        for (i, &byte) in bytes.iter().enumerate().skip(at) {
            state = dfa.next(state, byte);
            if state == Dfa::DEAD {
                break;
            }
            if dfa.is_accepting(state) {
                ends.push(i + 1);
            }
        }
        let _: StateId = state;
        ends
    }
}
