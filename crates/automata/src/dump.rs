//! Automata as text and as Graphviz graphs; enumeration of words.

use std::collections::VecDeque;
use std::fmt;

use crate::dfa::Dfa;
use crate::{Id, StateId};

/// One line per state: `s0 {labels}: [a-z] → s1`.
impl fmt::Display for Dfa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for q in self.states() {
            write!(f, "{q}")?;
            if self.is_accepting(q) {
                write!(f, " {:?}", self.labels(q))?;
            }
            for (i, (set, target)) in self.transitions(q).enumerate() {
                write!(f, "{} {set} → {target}", if i == 0 { ":" } else { "," })?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Dfa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dfa of {} states, {} byte classes\n{self}", self.len(), self.class_count())
    }
}

impl Dfa {
    /// The automaton as a Graphviz graph.
    pub fn to_dot(&self) -> String {
        let mut dot = String::from("digraph dfa {\n  rankdir=LR;\n  node [shape=circle];\n");
        for q in self.states() {
            if self.is_accepting(q) {
                dot += &format!("  {q} [shape=doublecircle, xlabel=\"{:?}\"];\n", self.labels(q));
            }
            for (set, target) in self.transitions(q) {
                dot += &format!("  {q} -> {target} [label=\"{}\"];\n", quote(&set.to_string()));
            }
        }
        dot + "}\n"
    }
    /// The smallest of the shortest words from `state` on; `None` if nothing is accepted. O(table).
    pub fn shortest_match(&self, state: StateId) -> Option<Vec<u8>> {
        let mut before = vec![None; self.len()];
        let mut queue = VecDeque::from([state]);
        while let Some(q) = queue.pop_front() {
            if self.is_accepting(q) {
                return Some(self.walk_back(state, q, &before));
            }
            for (set, target) in self.transitions(q) {
                if target != state && before[target.index()].is_none() {
                    before[target.index()] = set.first().map(|byte| (q, byte));
                    queue.push_back(target);
                }
            }
        }
        None
    }
    fn walk_back(&self, start: StateId, end: StateId, before: &[Option<(StateId, u8)>]) -> Vec<u8> {
        let mut word = Vec::new();
        let mut here = end;
        while let Some((q, byte)) = before.get(here.index()).copied().flatten().filter(|_| here != start) {
            word.push(byte);
            here = q;
        }
        word.reverse();
        word
    }
    /// Whether the language is finite, that is, whether there is no cycle. O(table).
    pub fn is_finite(&self) -> bool {
        let mut indegree = vec![0usize; self.len()];
        let targets = |q: StateId| self.row(q).iter().filter(|&&target| target != Self::DEAD);
        self.states().for_each(|q| targets(q).for_each(|target| indegree[target.index()] += 1));
        let mut ready: Vec<StateId> = self.states().filter(|q| indegree[q.index()] == 0).collect();
        let mut removed = 0;
        while let Some(q) = ready.pop() {
            removed += 1;
            for &target in targets(q) {
                indegree[target.index()] -= 1;
                if indegree[target.index()] == 0 {
                    ready.push(target);
                }
            }
        }
        removed == self.len()
    }
    /// All words in lexicographic order, if the language is finite and has at most `limit` of them. O(output).
    pub fn words(&self, limit: usize) -> Option<Vec<Vec<u8>>> {
        if !self.is_finite() {
            return None;
        }
        let mut words = Vec::new();
        let mut word = Vec::new();
        let mut stack = vec![(self.start(), 0u16)];
        while let Some((q, next)) = stack.last_mut() {
            if *next == 0 && self.is_accepting(*q) {
                if words.len() == limit {
                    return None;
                }
                words.push(word.clone());
            }
            let edge = (*next..256).find_map(|byte| Some((byte as u8, self.edge(*q, byte as u8)?)));
            match edge {
                Some((byte, target)) => {
                    *next = u16::from(byte) + 1;
                    word.push(byte);
                    stack.push((target, 0));
                }
                None => {
                    word.pop();
                    stack.pop();
                }
            }
        }
        Some(words)
    }
    fn edge(&self, q: StateId, byte: u8) -> Option<StateId> {
        Some(self.next(q, byte)).filter(|&target| target != Self::DEAD)
    }
}

/// Backslashes and quotes escaped for a Graphviz string.
pub(crate) fn quote(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
