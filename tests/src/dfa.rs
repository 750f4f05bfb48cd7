//! Minimal automaton of one terminal: derivatives explored breadth-first, then Moore's partition refinement.
//!
//! States from which nothing can be matched do not exist: a missing successor means that the terminal is dead.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::FxHashMap;

use crate::regex::Rx;
use crate::TooLarge;

/// A state of a [`Dfa`]; the start is 0.
pub type State = u16;

/// A minimal deterministic automaton over bytes.
#[derive(Clone, Debug)]
pub struct Dfa {
    next: Vec<[State; 256]>,
    accepting: Vec<bool>,
    future: Vec<bool>,
}

const DEAD: State = State::MAX;

impl Dfa {
    /// The most states before an automaton counts as too large.
    pub const STATE_LIMIT: usize = 4000;

    /// The automaton of `rx`. Time: states × distinct bytes × size of the derivatives.
    pub fn new(rx: &Rx) -> Result<Self, TooLarge> {
        let (table, nullable) = derivatives(rx)?;
        Ok(Self::from_table(&table, &nullable).minimize())
    }

    /// The automaton of no terminal at all (it matches nothing).
    pub fn nothing() -> Self {
        Self { next: vec![[DEAD; 256]], accepting: vec![false], future: vec![false] }
    }

    /// Where `byte` leads, if anything can still be matched there.
    pub fn next(&self, state: State, byte: u8) -> Option<State> {
        let next = self.next[usize::from(state)][usize::from(byte)];
        (next != DEAD).then_some(next)
    }

    /// Is what led here matched?
    pub fn is_accepting(&self, state: State) -> bool {
        self.accepting[usize::from(state)]
    }

    /// Can a match follow after at least one more byte?
    pub fn has_future(&self, state: State) -> bool {
        self.future[usize::from(state)]
    }

    /// Does it match `text` as a whole? (The empty string is never a lexeme.)
    pub fn matches(&self, text: &[u8]) -> bool {
        let end = text.iter().try_fold(0, |state, &b| self.next(state, b));
        !text.is_empty() && end.is_some_and(|state| self.is_accepting(state))
    }

    /// Is at least one non-empty string matched?
    pub fn is_inhabited(&self) -> bool {
        self.has_future(0)
    }

    /// All words, if they are finitely many and at most `limit`.
    pub fn words(&self, limit: usize) -> Option<Vec<Vec<u8>>> {
        let (mut found, mut work) = (Vec::new(), VecDeque::from([(0, Vec::new())]));
        while let Some((state, word)) = work.pop_front() {
            if self.is_accepting(state) && !word.is_empty() {
                found.push(word.clone());
            }
            // A word longer than the automaton has states goes through a cycle.
            if found.len() > limit || word.len() > self.next.len() || work.len() > 100 * limit {
                return None;
            }
            for byte in 0..=255 {
                if let Some(next) = self.next(state, byte) {
                    let mut longer = word.clone();
                    longer.push(byte);
                    work.push_back((next, longer));
                }
            }
        }
        Some(found)
    }

    /// Bytes that occur in some word (every state is reachable and live).
    pub fn bytes(&self) -> Vec<u8> {
        (0..=255).filter(|&b| self.next.iter().any(|row| row[usize::from(b)] != DEAD)).collect()
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.next.len()
    }

    /// Never: there is always a start.
    pub fn is_empty(&self) -> bool {
        self.next.is_empty()
    }

    /// Drops states without a match and computes what is ahead of the others.
    fn from_table(table: &[[State; 256]], accepting: &[bool]) -> Self {
        let mut future = vec![false; table.len()];
        loop {
            let ahead = |&d: &State| d != DEAD && (accepting[usize::from(d)] || future[usize::from(d)]);
            let next: Vec<bool> = table.iter().map(|row| row.iter().any(ahead)).collect();
            if next == future {
                break;
            }
            future = next;
        }
        let live = |q: usize| q == 0 || accepting[q] || future[q];
        let kept: Vec<usize> = (0..table.len()).filter(|&q| live(q)).collect();
        let mut number = vec![DEAD; table.len()];
        for (new, &old) in kept.iter().enumerate() {
            number[old] = new as State;
        }
        // The start is kept even if it is dead; nothing may lead back to it then.
        let target = |d: State| match usize::from(d) {
            q if d != DEAD && (accepting[q] || future[q]) => number[q],
            _ => DEAD,
        };
        Self {
            next: kept.iter().map(|&q| table[q].map(target)).collect(),
            accepting: kept.iter().map(|&q| accepting[q]).collect(),
            future: kept.iter().map(|&q| future[q]).collect(),
        }
    }

    /// Moore: split by (accepting, classes of the successors) until nothing splits; classes numbered by first member.
    fn minimize(&self) -> Self {
        let mut class: Vec<State> = self.accepting.iter().map(|&a| State::from(!a)).collect();
        let mut count = 0;
        loop {
            let mut ids: FxHashMap<(State, Vec<State>), State> = FxHashMap::default();
            let target = |d: State| if d == DEAD { DEAD } else { class[usize::from(d)] };
            let refined: Vec<State> = (0..self.next.len())
                .map(|q| {
                    let row = self.next[q].iter().map(|&d| target(d)).collect();
                    let fresh = ids.len() as State;
                    *ids.entry((class[q], row)).or_insert(fresh)
                })
                .collect();
            let split = ids.len();
            class = refined;
            if split == count {
                return self.quotient(&class, count);
            }
            count = split;
        }
    }

    fn quotient(&self, class: &[State], count: usize) -> Self {
        let mut member = BTreeMap::new();
        for (q, &c) in class.iter().enumerate() {
            member.entry(c).or_insert(q);
        }
        let mut quotient = Self { next: Vec::with_capacity(count), accepting: Vec::new(), future: Vec::new() };
        for &q in member.values() {
            quotient.next.push(self.next[q].map(|d| if d == DEAD { DEAD } else { class[usize::from(d)] }));
            quotient.accepting.push(self.accepting[q]);
            quotient.future.push(self.future[q]);
        }
        quotient
    }
}

/// All derivatives of `rx`: successor table and nullability, start first. (Dead states that were reachable stay.)
fn derivatives(rx: &Rx) -> Result<(Vec<[State; 256]>, Vec<bool>), TooLarge> {
    let (class_of, representatives) = byte_classes(&rx.sets());
    let mut ids = FxHashMap::from_iter([(rx.clone(), 0)]);
    let (mut order, mut table) = (vec![rx.clone()], Vec::new());
    while table.len() < order.len() {
        let current = order[table.len()].clone();
        let by_class: Vec<State> = representatives
            .iter()
            .map(|&byte| {
                let next = current.derivative(byte);
                *ids.entry(next).or_insert_with_key(|next| {
                    order.push(next.clone());
                    (order.len() - 1) as State
                })
            })
            .collect();
        if order.len() > Dfa::STATE_LIMIT {
            return Err(TooLarge::new("states of one terminal", Dfa::STATE_LIMIT));
        }
        let mut row = [DEAD; 256];
        for (cell, &class) in row.iter_mut().zip(&class_of) {
            *cell = by_class[class];
        }
        table.push(row);
    }
    let nullable = order.iter().map(Rx::nullable).collect();
    Ok((table, nullable))
}

/// Bytes that no set tells apart share a class; one representative per class.
pub(crate) fn byte_classes(sets: &[&[u8]]) -> (Vec<usize>, Vec<u8>) {
    let mut signature = vec![Vec::new(); 256];
    for (i, set) in sets.iter().enumerate() {
        for &b in *set {
            signature[usize::from(b)].push(i);
        }
    }
    let (mut ids, mut representatives) = (FxHashMap::default(), Vec::new());
    let class_of = (0..=255u8)
        .map(|b| {
            *ids.entry(signature[usize::from(b)].clone()).or_insert_with(|| {
                representatives.push(b);
                representatives.len() - 1
            })
        })
        .collect();
    (class_of, representatives)
}

#[cfg(test)]
mod tests {
    use super::Dfa;
    use crate::regex_syntax::parse;

    fn dfa(pattern: &str) -> Dfa {
        Dfa::new(&parse(pattern).unwrap()).unwrap()
    }

    #[test]
    fn automata_are_minimal_and_trimmed() {
        assert_eq!(dfa("(a|b)(a|b)*").len(), 2);
        assert_eq!(dfa("ab|cb").len(), 3);
        let a = dfa("a");
        assert!(a.next(0, b'b').is_none() && a.has_future(0) && !a.has_future(1) && a.is_accepting(1));
        assert!(!Dfa::nothing().is_inhabited());
    }

    #[test]
    fn words_of_a_finite_language() {
        let mut words = dfa("ab?|c").words(10).unwrap();
        words.sort();
        assert_eq!(words, [b"a".to_vec(), b"ab".to_vec(), b"c".to_vec()]);
        assert!(dfa("a+").words(10).is_none());
        assert!(dfa("[a-z]").words(10).is_none());
    }

    #[test]
    fn boolean_operations_come_from_derivatives() {
        let (name, word) = (parse("[a-z]+").unwrap(), parse("if|do").unwrap());
        let other = Dfa::new(&name.except(&word)).unwrap();
        assert!(other.matches(b"i") && other.matches(b"iff") && !other.matches(b"if") && !other.matches(b""));
        assert_eq!(Dfa::new(&name.both(&word)).unwrap().words(9).unwrap().len(), 2);
    }
}
