//! How long two states of an automaton look alike.
//!
//! A token has at most so many bytes; below a node of the vocabulary trie there are fewer still. Two states that cannot be
//! told apart by strings of that length are the same to the subtree, although they differ in the long run: a string with
//! 40 characters left and one with 41. The level of two states is found by Moore's refinement, round by round, keeping for
//! every state the rounds in which its block changed. Time: (states × byte classes) for each time a block changes, which
//! for counted repetition is a few times in all.

use glrmask_automata::{Dfa, Id, StateId};
use rustc_hash::FxHashMap;

/// Rounds after which states count as alike for good (no vocabulary has longer tokens in numbers that matter).
const ROUNDS: u32 = 512;

/// The refinement history of an automaton. The dead state is the last one.
#[derive(Debug, Default)]
pub struct Levels {
    /// Per state, (round, block from that round on), rounds rising; the first is round 0.
    history: Vec<Vec<(u32, u32)>>,
}

impl Levels {
    /// Refines until nothing changes (or [`ROUNDS`] have passed).
    pub fn new(dfa: &Dfa) -> Self {
        let dead = dfa.len();
        let index = |state: StateId| if state == Dfa::DEAD { dead } else { state.index() };
        let mut blocks: Vec<u32> = dfa.states().map(|q| u32::from(dfa.is_accepting(q))).collect();
        blocks.push(2);
        let mut history: Vec<Vec<(u32, u32)>> = blocks.iter().map(|&block| vec![(0, block)]).collect();
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); dead + 1];
        for state in dfa.states() {
            for &next in dfa.row(state) {
                let list = &mut before[index(next)];
                if list.last() != Some(&state.0) {
                    list.push(state.0);
                }
            }
        }
        let mut fresh = 3;
        let mut work: Vec<u32> = dfa.states().map(|q| q.0).collect();
        for round in 1..ROUNDS {
            let split = refine(dfa, &blocks, &work, &index, &mut fresh);
            if split.is_empty() {
                break;
            }
            work.clear();
            for &(state, block) in &split {
                blocks[state as usize] = block;
                history[state as usize].push((round, block));
                work.extend(&before[state as usize]);
            }
            work.sort_unstable();
            work.dedup();
        }
        Self { history }
    }

    /// The length of the shortest string that tells the states apart; `u32::MAX` if there is none.
    pub fn level(&self, a: StateId, b: StateId) -> u32 {
        let last = self.history.len().saturating_sub(1);
        let at = |state: StateId| self.history.get(if state == Dfa::DEAD { last } else { state.index() });
        let (Some(a), Some(b)) = (at(a), at(b)) else { return 0 };
        // Both histories in step, from round to round in which either block changes.
        let (mut i, mut j) = (0, 0);
        let mut round = 0;
        loop {
            if a[i].1 != b[j].1 {
                return round;
            }
            let next = |history: &[(u32, u32)], at: usize| history.get(at + 1).map_or(u32::MAX, |h| h.0);
            let (next_a, next_b) = (next(a, i), next(b, j));
            round = next_a.min(next_b);
            if round == u32::MAX {
                return u32::MAX;
            }
            i += usize::from(next_a == round);
            j += usize::from(next_b == round);
        }
    }
}

/// The states of `work` whose block has to change, with their new blocks. One part of every block keeps its name: the part
/// of the states that were not looked at, since nothing they lead to has changed.
fn refine(
    dfa: &Dfa,
    blocks: &[u32],
    work: &[u32],
    index: &impl Fn(StateId) -> usize,
    fresh: &mut u32,
) -> Vec<(u32, u32)> {
    let signature = |state: u32| {
        let row = dfa.row(StateId(state)).iter().map(|&next| blocks[index(next)]);
        (blocks[state as usize], row.collect::<Vec<u32>>())
    };
    // What a block's name stands for: the signature of a member that is not in `work`, if there is one.
    let mut names: FxHashMap<(u32, Vec<u32>), u32> = FxHashMap::default();
    let mut kept: FxHashMap<u32, ()> = FxHashMap::default();
    let mut looked_at = vec![false; blocks.len()];
    work.iter().for_each(|&state| looked_at[state as usize] = true);
    let mut wanted: FxHashMap<u32, ()> = work.iter().map(|&state| (blocks[state as usize], ())).collect();
    for state in dfa.states().filter(|q| !looked_at[q.index()]) {
        if wanted.is_empty() {
            break;
        }
        if wanted.remove(&blocks[state.index()]).is_some() {
            names.insert(signature(state.0), blocks[state.index()]);
            kept.insert(blocks[state.index()], ());
        }
    }
    let mut split = Vec::new();
    for &state in work {
        let old = blocks[state as usize];
        let name = *names.entry(signature(state)).or_insert_with(|| match kept.insert(old, ()) {
            None => old,
            Some(()) => {
                *fresh += 1;
                *fresh - 1
            }
        });
        if name != old {
            split.push((state, name));
        }
    }
    split
}

#[cfg(test)]
mod tests {
    use super::*;
    use glrmask_automata::{Limits, ParseConfig, Regex};

    /// Breadth-first search over pairs.
    fn plain(dfa: &Dfa, a: StateId, b: StateId) -> u32 {
        let kind = |q: StateId| if q == Dfa::DEAD { 2 } else { u32::from(dfa.is_accepting(q)) };
        let mut seen = vec![(a, b)];
        let mut ends = vec![(a, b)];
        for length in 0.. {
            if ends.iter().any(|&(a, b)| kind(a) != kind(b)) {
                return length;
            }
            let mut next = Vec::new();
            for &(a, b) in &ends {
                for byte in 0..=255 {
                    let pair = (dfa.next(a, byte), dfa.next(b, byte));
                    if !seen.contains(&pair) {
                        seen.push(pair);
                        next.push(pair);
                    }
                }
            }
            if next.is_empty() {
                return u32::MAX;
            }
            ends = next;
        }
        u32::MAX
    }

    #[test]
    fn levels_equal_the_shortest_distinguishing_string() {
        for pattern in [r#""[a-c]{0,9}""#, "(ab|ac)*d?", "[a-z]{3,6}|if|else", r#""([^"\\]|\\.){2,5}""#] {
            let dfa = Regex::parse(pattern, &ParseConfig::default()).unwrap().compile(&Limits::default()).unwrap();
            let levels = Levels::new(&dfa);
            let states: Vec<StateId> = dfa.states().chain([Dfa::DEAD]).collect();
            for &a in &states {
                for &b in &states {
                    assert_eq!(levels.level(a, b), plain(&dfa, a, b), "{pattern} {a} {b}");
                }
            }
        }
    }
}
