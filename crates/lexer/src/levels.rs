//! How long two states of an automaton look alike.
//!
//! A token has at most so many bytes; below a node of the vocabulary trie there are fewer still. Two states that cannot be
//! told apart by strings of that length are the same to the subtree, although they differ in the long run: a string with
//! 40 characters left and one with 41. The level of two states is found by Moore's refinement, round by round, keeping for
//! every state the rounds in which its block changed. Time: (states × byte classes) for each time a block changes, which
//! for counted repetition is a few times in all.

use glrmask_automata::{Dfa, Id, StateId};
use rustc_hash::FxHashMap;

/// The refinement history of an automaton. The dead state is the last one.
#[derive(Debug, Default)]
pub struct Levels {
    /// Per state, (round, block from that round on), rounds rising; the first is round 0. One state after the other.
    history: Vec<(u32, u32)>,
    /// Where the history of each state ends.
    ends: Vec<u32>,
}

impl Levels {
    /// Refines until nothing changes, or for `rounds` rounds: longer strings than that are never asked about.
    pub fn new(dfa: &Dfa, rounds: u32) -> Self {
        let mut partition = Partition::new(dfa);
        let mut history: Vec<Vec<(u32, u32)>> = partition.blocks.iter().map(|&block| vec![(0, block)]).collect();
        let before = predecessors(dfa);
        let mut work: Vec<u32> = dfa.states().map(|q| q.0).collect();
        for round in 1..=rounds {
            let split = partition.refine(dfa, &work);
            if split.is_empty() {
                break;
            }
            work.clear();
            for &(state, block) in &split {
                history[state as usize].push((round, block));
                work.extend(&before[state as usize]);
            }
            work.sort_unstable();
            work.dedup();
        }
        let ends = history.iter().scan(0, |end, list| {
            *end += list.len() as u32;
            Some(*end)
        });
        Self { ends: ends.collect(), history: history.concat() }
    }

    /// Equal for states that no string of up to `round` bytes tells apart.
    #[inline]
    pub fn block(&self, state: StateId, round: u32) -> Option<u32> {
        self.of(state).iter().rev().find(|&&(from, _)| from <= round).map(|&(_, block)| block)
    }

    /// The length of the shortest string that tells the states apart; `u32::MAX` if there is none within the rounds.
    pub fn level(&self, a: StateId, b: StateId) -> u32 {
        let (a, b) = (self.of(a), self.of(b));
        if a.is_empty() || b.is_empty() {
            return 0;
        }
        // A block that has been split keeps no name of another one: states are in one block until the first change of
        // either that the other does not share, and never again.
        let shared = a.iter().zip(b).take_while(|(x, y)| x == y).count();
        let next = |history: &[(u32, u32)]| history.get(shared).map_or(u32::MAX, |change| change.0);
        next(a).min(next(b))
    }

    #[inline]
    fn of(&self, state: StateId) -> &[(u32, u32)] {
        let last = self.ends.len().saturating_sub(1);
        let index = if state == Dfa::DEAD { last } else { state.index() };
        let Some(&end) = self.ends.get(index) else { return &[] };
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.history[start as usize..end as usize]
    }
}

fn index(dfa: &Dfa, state: StateId) -> usize {
    if state == Dfa::DEAD {
        dfa.len()
    } else {
        state.index()
    }
}

/// Per state (the dead one last), the states that lead to it.
fn predecessors(dfa: &Dfa) -> Vec<Vec<u32>> {
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); dfa.len() + 1];
    for state in dfa.states() {
        for &next in dfa.row(state) {
            let list = &mut before[index(dfa, next)];
            if list.last() != Some(&state.0) {
                list.push(state.0);
            }
        }
    }
    before
}

/// States by what strings of some length tell of them.
struct Partition {
    /// The block of each state; the dead one last.
    blocks: Vec<u32>,
    /// Per block, its states, and some that have left it.
    members: Vec<Vec<u32>>,
    looked_at: Vec<bool>,
}

type Signature = Vec<u32>;

impl Partition {
    /// By the empty string: in progress, a match, or dead.
    fn new(dfa: &Dfa) -> Self {
        let mut blocks: Vec<u32> = dfa.states().map(|q| u32::from(dfa.is_accepting(q))).collect();
        blocks.push(2);
        let mut members = vec![Vec::new(); 3];
        (0..).zip(&blocks).for_each(|(state, &block)| members[block as usize].push(state));
        Self { looked_at: vec![false; blocks.len()], blocks, members }
    }

    /// By strings longer by one byte: moves the states of `work` that differ from the rest of their block, and returns
    /// them with their new blocks. States that lead to nothing that has changed need not be looked at; their part of a
    /// block keeps its name.
    fn refine(&mut self, dfa: &Dfa, work: &[u32]) -> Vec<(u32, u32)> {
        work.iter().for_each(|&state| self.looked_at[state as usize] = true);
        let mut names: FxHashMap<(u32, Signature), u32> = FxHashMap::default();
        let mut named: FxHashMap<u32, bool> = FxHashMap::default();
        let mut split = Vec::new();
        let mut fresh = self.members.len() as u32;
        for &state in work {
            let block = self.blocks[state as usize];
            named.entry(block).or_insert_with(|| match self.rest(block) {
                Some(member) => {
                    names.insert((block, self.signature(dfa, member)), block);
                    true
                }
                None => false,
            });
            let name = *names.entry((block, self.signature(dfa, state))).or_insert_with(|| {
                if named.insert(block, true) == Some(false) {
                    return block;
                }
                fresh += 1;
                fresh - 1
            });
            if name != block {
                split.push((state, name));
            }
        }
        work.iter().for_each(|&state| self.looked_at[state as usize] = false);
        self.members.resize(fresh as usize, Vec::new());
        for &(state, block) in &split {
            self.blocks[state as usize] = block;
            self.members[block as usize].push(state);
        }
        split
    }

    /// A state of the block that is not being looked at.
    fn rest(&self, block: u32) -> Option<u32> {
        let stays = |&&state: &&u32| self.blocks[state as usize] == block && !self.looked_at[state as usize];
        // The dead state leads nowhere else and has a block of its own.
        self.members[block as usize].iter().find(stays).copied().filter(|&s| (s as usize) < self.blocks.len() - 1)
    }

    fn signature(&self, dfa: &Dfa, state: u32) -> Signature {
        dfa.row(StateId(state)).iter().map(|&next| self.blocks[index(dfa, next)]).collect()
    }
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
            let levels = Levels::new(&dfa, 100);
            let states: Vec<StateId> = dfa.states().chain([Dfa::DEAD]).collect();
            for &a in &states {
                for &b in &states {
                    assert_eq!(levels.level(a, b), plain(&dfa, a, b), "{pattern} {a} {b}");
                }
            }
        }
    }
}
