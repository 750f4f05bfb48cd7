//! LALR(1) lookaheads after DeRemer and Pennello, cut down to rules without ε.
//!
//! A nonterminal transition `(p, A)` stands for "an `A` has been read on top of state `p`".
//!
//! * `(p, A)` *directly reads* the terminals that `goto(p, A)` shifts (and the end of the text where it accepts).
//!   Nothing is nullable, so the paper's *reads* relation is empty.
//! * `(q, B)` *includes* `(p, A)` if a rule `A → β B` leads from `p` over `β` to `q`: what follows that `A` follows
//!   its last `B`.
//! * A completed item `A → ω•` of state `q` *looks back* to `(p, A)` if `ω` leads from `p` to `q`.
//!
//! So `Follow(p, A)` is the least solution over *includes* ([`Relation::solve`]), and a lookahead is the union of the
//! Follow sets that the item looks back to. Where `ω` leads is not found by walking it from each `p` again: a kernel
//! item ("slot") of a state knows the slot it moves to, and whole chains of slots are resolved once.

use crate::digraph::{BitMatrix, Relation};
use crate::error::GlrError;
use crate::limits::Limits;
use crate::lr0::{Lr0, END};
use crate::terminal_set::union_into;

const NONE: u32 = u32::MAX;

/// The lookahead sets of completed items.
pub(crate) struct Lookaheads {
    /// Bit `t` for terminal `t`, bit `terminals` for the end of the text.
    sets: BitMatrix,
    /// Per slot, its row in `sets`; `NONE` where the item is not completed.
    rows: Vec<u32>,
}

impl Lookaheads {
    pub(crate) fn build(lr0: &Lr0, limits: &Limits) -> Result<Self, GlrError> {
        let gotos = Gotos::new(lr0);
        let bits = lr0.items.terminals as usize + 1;
        let completed = lr0.kernels.iter().filter(|&&item| lr0.items.next[item as usize] == END).count();
        let words = (gotos.len() + completed + lr0.states()).saturating_mul(bits.div_ceil(64));
        GlrError::check_limit("lookahead words", words, limits.set_words)?;
        let relations = Relations::new(lr0, &gotos);
        let mut follow = gotos.direct_reads(lr0, bits);
        Relation::from_pairs(gotos.len(), relations.includes.iter().copied()).solve(&mut follow);
        let mut result = Self { sets: BitMatrix::new(completed, bits), rows: rows_of_completed(lr0) };
        for &(slot, goto) in &relations.lookback {
            let row = result.rows[slot as usize] as usize;
            union_into(result.sets.row_mut(row), follow.row(goto as usize));
        }
        Ok(result)
    }

    /// The lookahead words of the completed item in this slot.
    pub(crate) fn of_slot(&self, slot: usize) -> &[u64] {
        self.sets.row(self.rows[slot] as usize)
    }
}

fn rows_of_completed(lr0: &Lr0) -> Vec<u32> {
    let mut count = 0;
    let row = |&item: &u32| {
        if lr0.items.next[item as usize] != END {
            return NONE;
        }
        count += 1;
        count - 1
    };
    lr0.kernels.iter().map(row).collect()
}

/// The nonterminal transitions, numbered state by state.
struct Gotos {
    /// Per transition, its number; `NONE` for a shift.
    numbers: Vec<u32>,
    /// Per number, the target state.
    targets: Vec<u32>,
}

impl Gotos {
    fn new(lr0: &Lr0) -> Self {
        let mut targets = Vec::new();
        let number = |&(symbol, target): &(u32, u32)| {
            if symbol < lr0.items.terminals {
                return NONE;
            }
            targets.push(target);
            targets.len() as u32 - 1
        };
        let numbers = lr0.transitions.iter().map(number).collect();
        Self { numbers, targets }
    }

    fn len(&self) -> usize {
        self.targets.len()
    }

    fn direct_reads(&self, lr0: &Lr0, bits: usize) -> BitMatrix {
        let mut by_state = BitMatrix::new(lr0.states(), bits);
        for state in 0..lr0.states() {
            let row = &lr0.transitions[lr0.transition_range(state)];
            let shifts = row.iter().take_while(|&&(symbol, _)| symbol < lr0.items.terminals);
            shifts.for_each(|&(t, _)| by_state.insert(state, t as usize));
            if lr0.accepts(state) {
                by_state.insert(state, bits - 1);
            }
        }
        let mut reads = BitMatrix::new(self.len(), bits);
        for (goto, &target) in self.targets.iter().enumerate() {
            reads.row_mut(goto).copy_from_slice(by_state.row(target as usize));
        }
        reads
    }
}

impl Lr0 {
    /// Whether the state has completed the augmented rule.
    pub(crate) fn accepts(&self, state: usize) -> bool {
        // The augmented rule is the last one, kernels ascend, and its completed item is the last item.
        self.kernels[self.slots(state)].last() == Some(&(self.items.next.len() as u32 - 1))
    }
}

struct Relations {
    /// (q, B) includes (p, A), as numbers of nonterminal transitions.
    includes: Vec<(u32, u32)>,
    /// (slot of a completed item, nonterminal transition).
    lookback: Vec<(u32, u32)>,
}

impl Relations {
    fn new(lr0: &Lr0, gotos: &Gotos) -> Self {
        let chains = Chains::new(lr0, gotos);
        let mut relations = Self { includes: Vec::new(), lookback: Vec::new() };
        // Number of the transition of the current state, per nonterminal; stale entries are never asked for, because
        // a rule is only in a closure together with the transition over its left-hand side.
        let mut of_lhs = vec![NONE; lr0.items.lhs.last().map_or(0, |&augmented| augmented as usize)];
        for state in 0..lr0.states() {
            for i in lr0.transition_range(state) {
                if gotos.numbers[i] != NONE {
                    of_lhs[(lr0.transitions[i].0 - lr0.items.terminals) as usize] = gotos.numbers[i];
                }
            }
            for i in lr0.transition_range(state) {
                relations.add_rules_beginning_with(lr0, &chains, &of_lhs, i, gotos.numbers[i]);
            }
        }
        relations
    }

    /// All rules in the closure of a state whose first symbol is that of transition `i`: the slots of its target with
    /// one symbol before the dot.
    fn add_rules_beginning_with(&mut self, lr0: &Lr0, chains: &Chains, of_lhs: &[u32], i: usize, goto: u32) {
        for slot in lr0.slots(lr0.transitions[i].1 as usize) {
            let item = lr0.kernels[slot] as usize;
            let Some(&source) = of_lhs.get(lr0.items.lhs[item] as usize).filter(|_| lr0.items.dot[item] == 1) else {
                continue;
            };
            let (end, last) = match lr0.items.next[item] {
                END => (slot as u32, goto),
                _ => (chains.end[slot], chains.last[slot]),
            };
            self.lookback.push((end, source));
            if last != NONE {
                self.includes.push((last, source));
            }
        }
    }
}

/// Where kernel items end up when their rules are read to the end.
struct Chains {
    /// Per slot, the slot of the completed item.
    end: Vec<u32>,
    /// Per slot of an uncompleted item, the nonterminal transition that completes it, `NONE` if that is a shift.
    last: Vec<u32>,
}

impl Chains {
    fn new(lr0: &Lr0, gotos: &Gotos) -> Self {
        // First only one step: `end` is the next slot, `last` the transition to it.
        let mut chains = Self { end: vec![NONE; lr0.kernels.len()], last: vec![NONE; lr0.kernels.len()] };
        let mut slot_of = vec![NONE; lr0.items.next.len()];
        for state in 0..lr0.states() {
            lr0.slots(state).for_each(|slot| slot_of[lr0.kernels[slot] as usize] = slot as u32);
            for i in lr0.transition_range(state) {
                for next in lr0.slots(lr0.transitions[i].1 as usize) {
                    let item = lr0.kernels[next] as usize;
                    if lr0.items.dot[item] > 1 {
                        let slot = slot_of[item - 1] as usize;
                        chains.end[slot] = next as u32;
                        chains.last[slot] = gotos.numbers[i];
                    }
                }
            }
        }
        chains.resolve(lr0);
        chains
    }

    /// From single steps to whole chains. A slot is done once its `end` is a completed item.
    fn resolve(&mut self, lr0: &Lr0) {
        let completed = |slot: u32| lr0.items.next[lr0.kernels[slot as usize] as usize] == END;
        let mut path = Vec::new();
        for start in 0..self.end.len() as u32 {
            let mut slot = start;
            while self.end[slot as usize] != NONE && !completed(self.end[slot as usize]) {
                path.push(slot as usize);
                slot = self.end[slot as usize];
            }
            let (end, last) = (self.end[slot as usize], self.last[slot as usize]);
            path.drain(..).for_each(|earlier| (self.end[earlier], self.last[earlier]) = (end, last));
        }
    }
}
