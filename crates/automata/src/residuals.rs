//! Fingerprints of what can be read from each state of an automaton.
//!
//! Strings with five characters left are alike whatever their limit was, in every grammar that counts characters. States
//! from which no cycle can be reached are hashed bottom up: whether they accept, and the runs of bytes with the
//! fingerprint of what they lead to. The states on cycles, or between them, are mostly few: these are hashed with
//! everything that can be read from them ([`Dfa::fingerprint_from`]), or, where that is much, by the automaton and
//! their number. What leads to them is hashed bottom up again.

use crate::dfa::Dfa;
use crate::fingerprint::FingerprintKey;
use crate::ids::{Id, StateId};

/// Automata with more states on cycles know these by number.
const CORE: usize = 64;
/// States on cycles from which more states can be reached are known by number.
const REACHED: usize = 400;

impl Dfa {
    /// Per state, a fingerprint of the language read from there on, labels left out: states of any automata with equal
    /// fingerprints lead to a match by the same strings. States of one language have equal ones if it is finite; others
    /// may not (where cycles are large, or lie before and behind). Those of one key belong together. O(runs of bytes of one
    /// class · states).
    pub fn residuals(&self, key: FingerprintKey) -> Vec<u128> {
        let order = Order::new(self);
        let mut found = vec![0; self.len()];
        let runs = self.classes.runs();
        for &state in &order.without_cycle {
            found[state.index()] = self.above(state, &runs, &found, key);
        }
        let whole = self.fingerprint(key);
        let by_content = order.core.len() <= CORE;
        for &state in &order.core {
            let content = by_content.then(|| self.fingerprint_from(state, REACHED, key)).flatten();
            let by_number = || {
                let mut hash = key.start(2);
                hash.wide(whole);
                hash.word(u64::from(state.0));
                hash.finish()
            };
            found[state.index()] = content.unwrap_or_else(by_number);
        }
        for &state in order.before_core.iter().rev() {
            found[state.index()] = self.above(state, &runs, &found, key);
        }
        found
    }

    /// The fingerprint of a state by those of the states it leads to.
    fn above(&self, state: StateId, runs: &[(u8, u8)], found: &[u128], key: FingerprintKey) -> u128 {
        let row = self.row(state);
        let mut hash = key.start(3);
        hash.word(u64::from(self.is_accepting(state)));
        let mut last = 0;
        for &(byte, class) in runs {
            let target = row.get(usize::from(class)).copied().unwrap_or(Self::DEAD);
            let behind = found.get(target.index()).copied().unwrap_or(0);
            if behind != last {
                hash.word(u64::from(byte));
                hash.wide(behind);
                last = behind;
            }
        }
        hash.finish()
    }
}

/// The states of an automaton, apart by how they relate to its cycles.
struct Order {
    /// From which no cycle can be reached; each after those it leads to.
    without_cycle: Vec<StateId>,
    /// On cycles, or from one cycle to another.
    core: Vec<StateId>,
    /// Which lead to cycles and are not reached from one; each before those it leads to.
    before_core: Vec<StateId>,
}

impl Order {
    fn new(dfa: &Dfa) -> Self {
        let next: Vec<Vec<StateId>> = dfa.states().map(|state| targets(dfa, state)).collect();
        let mut before: Vec<Vec<StateId>> = vec![Vec::new(); dfa.len()];
        for state in dfa.states() {
            next[state.index()].iter().for_each(|target| before[target.index()].push(state));
        }
        let mut gone = vec![false; dfa.len()];
        let without_cycle = peel(&next, &before, &mut gone);
        let before_core = peel(&before, &next, &mut gone);
        let core = dfa.states().filter(|state| !gone[state.index()]).collect();
        Self { without_cycle, core, before_core }
    }
}

/// The states that `state` leads to, each once.
fn targets(dfa: &Dfa, state: StateId) -> Vec<StateId> {
    let mut targets: Vec<StateId> = dfa.row(state).iter().copied().filter(|&next| next != Dfa::DEAD).collect();
    targets.sort_unstable();
    targets.dedup();
    targets
}

/// Takes away, again and again, what has nothing left in `ahead`; in the order in which it goes.
fn peel(ahead: &[Vec<StateId>], behind: &[Vec<StateId>], gone: &mut [bool]) -> Vec<StateId> {
    let left = |list: &Vec<StateId>| list.iter().filter(|state| !gone[state.index()]).count();
    let mut left: Vec<usize> = ahead.iter().map(left).collect();
    let free = |index: &usize| left[*index] == 0 && !gone[*index];
    let mut order: Vec<StateId> = (0..ahead.len()).filter(free).map(StateId::from_usize).collect();
    let mut at = 0;
    while let Some(&state) = order.get(at) {
        at += 1;
        gone[state.index()] = true;
        for &earlier in &behind[state.index()] {
            let left = &mut left[earlier.index()];
            *left = left.saturating_sub(1);
            if *left == 0 && !gone[earlier.index()] {
                order.push(earlier);
            }
        }
    }
    order
}
