//! The calculus of stack effects as it is written down in equations: u⁻z⁺, composition with cancellation, the effects
//! E_t of a terminal, and the read prefixes Ê_r of a terminal sequence, by explicit composition.
//!
//! Strings of states are written top first: u⁻z⁺ turns the stack uα into zα.

use std::collections::BTreeSet;

use glrmask_automata::{Id, TerminalId};
use glrmask_glr::{LrState, Tables};
use proptest::prelude::*;

/// u⁻z⁺.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Effect {
    pub(crate) read: Vec<LrState>,
    pub(crate) write: Vec<LrState>,
}

impl Effect {
    fn new(read: impl Into<Vec<LrState>>, write: impl Into<Vec<LrState>>) -> Self {
        Self { read: read.into(), write: write.into() }
    }

    /// u⁻x⁺ ⊙ y⁻z⁺: where x and y agree they cancel; `None` is ⊥.
    pub(crate) fn then(&self, next: &Self) -> Option<Self> {
        if let Some(rest) = self.write.strip_prefix(&next.read[..]) {
            return Some(Self::new(self.read.clone(), [&next.write, rest].concat()));
        }
        let rest = next.read.strip_prefix(&self.write[..])?;
        Some(Self::new([&self.read, rest].concat(), next.write.clone()))
    }

    /// What becomes of a stack.
    fn apply(&self, stack: &[LrState]) -> Option<Vec<LrState>> {
        Some([&self.write, stack.strip_prefix(&self.read[..])?].concat())
    }
}

/// A language of effects.
pub(crate) type Effects = BTreeSet<Effect>;

/// E ⊙ F, without effects that read more than `depth` symbols.
pub(crate) fn compose(left: &Effects, right: &Effects, depth: usize) -> Effects {
    let pairs = left.iter().flat_map(|e| right.iter().filter_map(|f| e.then(f)));
    pairs.filter(|e| e.read.len() <= depth).collect()
}

/// More effects than this are not worth enumerating.
const MANY: usize = 4_000;

/// E_t up to reads of `depth` symbols: any number of reductions, then the shift. `None` if there are too many.
pub(crate) fn of_terminal(tables: &Tables, t: TerminalId, depth: usize) -> Option<Effects> {
    let states = || (0..tables.states()).map(LrState::from_usize);
    let shift = |s| Some(Effect::new([s], [tables.shift(s, t)?, s]));
    let shifts: Effects = states().filter_map(shift).collect();
    let mut reductions = Effects::new();
    for s in states() {
        for reduction in tables.reductions(s, t) {
            for read in paths(tables, s, reduction.pop as usize + 1).into_iter().filter(|p| p.len() <= depth) {
                let below = *read.last()?;
                let write = tables.goto(below, reduction.lhs).map(|to| vec![to, below]);
                reductions.extend(write.map(|write| Effect::new(read, write)));
            }
        }
    }
    let mut reduced = Effects::from([Effect::default()]);
    let mut todo = reduced.clone();
    while let Some(effect) = todo.pop_first() {
        for next in compose(&Effects::from([effect]), &reductions, depth) {
            if reduced.insert(next.clone()) {
                todo.insert(next);
            }
        }
        if reduced.len() > MANY || reductions.len() > MANY {
            return None;
        }
    }
    Some(compose(&reduced, &shifts, depth))
}

/// The symbols that can lie on top of a stack with `top` at its very top.
fn paths(tables: &Tables, top: LrState, length: usize) -> Vec<Vec<LrState>> {
    let mut paths = vec![vec![top]];
    for _ in 1..length {
        let below = |path: &Vec<LrState>| path.last().map_or(&[][..], |&s| tables.predecessors(s)).to_vec();
        let longer = paths.iter().flat_map(|p| below(p).into_iter().map(|s| [&p[..], &[s]].concat()));
        paths = longer.take(MANY).collect();
    }
    paths
}

/// E_r for a terminal sequence, up to net reads of `depth` symbols.
pub(crate) fn of_sequence(tables: &Tables, sequence: &[TerminalId], depth: usize) -> Option<Effects> {
    let mut all = Effects::from([Effect::default()]);
    for (written, &t) in sequence.iter().enumerate() {
        // Each terminal before may have left one more symbol than it read.
        all = compose(&all, &of_terminal(tables, t, depth + written)?, depth);
    }
    Some(all)
}

/// Ê_r: what must be found on the stack.
pub(crate) fn read_prefixes(effects: &Effects) -> BTreeSet<Vec<LrState>> {
    effects.iter().map(|e| e.read.clone()).collect()
}

fn word() -> impl Strategy<Value = Vec<LrState>> {
    prop::collection::vec((0u32..2).prop_map(LrState), 0..4)
}

fn effect() -> impl Strategy<Value = Effect> {
    (word(), word()).prop_map(|(read, write)| Effect { read, write })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn composition_is_associative(e in effect(), f in effect(), g in effect()) {
        let left = e.then(&f).and_then(|ef| ef.then(&g));
        let right = f.then(&g).and_then(|fg| e.then(&fg));
        prop_assert_eq!(left, right);
    }

    #[test]
    fn composition_is_one_after_the_other(e in effect(), f in effect(), stack in prop::collection::vec((0u32..2).prop_map(LrState), 0..9)) {
        let both = e.then(&f).and_then(|ef| ef.apply(&stack));
        prop_assert_eq!(both, e.apply(&stack).and_then(|stack| f.apply(&stack)));
        prop_assert_eq!(Effect::default().then(&e), Some(e.clone()));
        prop_assert_eq!(e.then(&Effect::default()), Some(e));
    }
}

#[test]
fn a_token_of_two_terminals_reads_one_symbol() {
    // b⁻b⁺p⁺ for x, then p⁻b⁻c⁺ for ]: all that is left is b⁻c⁺.
    let [b, c, p] = [0, 1, 2].map(LrState);
    let (x, close) = (Effect::new([b], [p, b]), Effect::new([p, b], [c]));
    assert_eq!(x.then(&close), Some(Effect::new([b], [c])));
    assert_eq!(x.then(&Effect::new([c], [])), None);
}
