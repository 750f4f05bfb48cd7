//! From rules to LALR(1) tables with every conflict kept: automaton, lookaheads, then actions per state.
//!
//! A GLR parser follows all actions, so conflicts are no errors here, and reductions that do the same to a stack (pop
//! as many states, go to the same nonterminal) are one reduction, whichever rules they come from.

use glrmask_automata::NonterminalId;
use rustc_hash::FxHashMap;

use crate::error::GlrError;
use crate::limits::Limits;
use crate::lookahead::Lookaheads;
use crate::lr0::{Lr0, END};
use crate::parts::{Group, Parts};
use crate::rules::RuleSet;
use crate::tables::{LrState, Reduction};
use crate::terminal_set::union_into;

/// Builds the tables of a grammar, unchecked as yet.
pub(crate) fn build(rules: &RuleSet, limits: &Limits) -> Result<Parts, GlrError> {
    rules.validate()?;
    GlrError::check_limit("grammar symbols", rules.size().max(rules.terminals + rules.nonterminals), limits.items)?;
    let lr0 = Lr0::build(rules, limits)?;
    let lookaheads = Lookaheads::build(&lr0, limits)?;
    let mut emitter = Emitter::new(rules);
    for state in 0..lr0.states() {
        emitter.add_state(&lr0, &lookaheads, state);
    }
    GlrError::check_limit("table words", emitter.parts.set_words.len(), limits.set_words)?;
    Ok(emitter.parts)
}

/// A reduction with its lookahead words.
pub(crate) type Candidate = (Reduction, Vec<u64>);

struct Emitter {
    parts: Parts,
    sets: FxHashMap<Box<[u64]>, u32>,
    lists: FxHashMap<Box<[Reduction]>, u32>,
    /// Words of a set of terminals, without the end of the text.
    width: usize,
}

impl Emitter {
    fn new(rules: &RuleSet) -> Self {
        let parts = Parts::new(rules.terminals as u32, rules.nonterminals as u32);
        let mut emitter = Self {
            parts,
            sets: FxHashMap::default(),
            lists: FxHashMap::default(),
            width: rules.terminals.div_ceil(64),
        };
        emitter.list(&[]);
        emitter
    }

    fn add_state(&mut self, lr0: &Lr0, lookaheads: &Lookaheads, state: usize) {
        let candidates = candidates(lr0, lookaheads, state);
        let end = lr0.items.terminals as usize;
        let at_end = candidates.iter().filter(|(_, set)| set[end / 64] >> (end % 64) & 1 == 1);
        let at_end: Vec<Reduction> = at_end.map(|&(reduction, _)| reduction).collect();
        let at_end = self.list(&at_end);
        self.parts.at_end.push(at_end);

        let mut actionable = vec![0; self.width];
        for &(symbol, target) in &lr0.transitions[lr0.transition_range(state)] {
            if symbol < lr0.items.terminals {
                actionable[symbol as usize / 64] |= 1 << (symbol % 64);
            }
            self.parts.transitions.push((symbol, LrState(target)));
        }
        let mut candidates = candidates;
        candidates.iter_mut().for_each(|(_, set)| self.forget_end(set));
        for (set, list) in partition(candidates) {
            union_into(&mut actionable, &set);
            let group = Group { set: self.set(set), list: self.list(&list) };
            self.parts.groups.push(group);
        }
        let actionable = self.set(actionable);
        self.parts.actionable.push(actionable);
        if lr0.accepts(state) {
            self.parts.accepting = Some(LrState(state as u32));
        }
        self.parts.close_row();
    }

    /// Clears the bit of the end of the text, with the word that only it may need.
    fn forget_end(&self, words: &mut Vec<u64>) {
        let end = self.parts.terminals as usize;
        words[end / 64] &= !(1 << (end % 64));
        words.truncate(self.width);
    }

    /// The number of a set of terminals.
    fn set(&mut self, words: Vec<u64>) -> u32 {
        let next = self.sets.len() as u32;
        if let Some(&id) = self.sets.get(words.as_slice()) {
            return id;
        }
        self.parts.set_words.extend_from_slice(&words);
        self.sets.insert(words.into(), next);
        next
    }

    /// The number of a list of reductions.
    fn list(&mut self, reductions: &[Reduction]) -> u32 {
        let next = self.lists.len() as u32;
        if let Some(&id) = self.lists.get(reductions) {
            return id;
        }
        self.parts.lists.extend_from_slice(reductions);
        self.parts.list_starts.push(self.parts.lists.len() as u32);
        self.lists.insert(reductions.into(), next);
        next
    }
}

/// Disjoint, nonempty sets of terminals, each with all reductions that any of its members selects. The candidates are
/// ascending, each reduction once.
pub(crate) fn partition(candidates: Vec<Candidate>) -> Vec<(Vec<u64>, Vec<Reduction>)> {
    let mut cells: Vec<(Vec<u64>, Vec<Reduction>)> = Vec::new();
    for (reduction, mut rest) in candidates {
        for i in 0..cells.len() {
            let common: Vec<u64> = cells[i].0.iter().zip(&rest).map(|(a, b)| a & b).collect();
            if common.iter().all(|&word| word == 0) {
                continue;
            }
            rest.iter_mut().zip(&common).for_each(|(a, b)| *a &= !b);
            let list: Vec<Reduction> = cells[i].1.iter().copied().chain([reduction]).collect();
            if common == cells[i].0 {
                cells[i].1 = list;
            } else {
                cells[i].0.iter_mut().zip(&common).for_each(|(a, b)| *a &= !b);
                cells.push((common, list));
            }
        }
        if rest.iter().any(|&word| word != 0) {
            cells.push((rest, vec![reduction]));
        }
    }
    cells
}

/// The reductions of a state, ascending, those that do the same joined.
fn candidates(lr0: &Lr0, lookaheads: &Lookaheads, state: usize) -> Vec<Candidate> {
    let items = &lr0.items;
    let mut found: Vec<Candidate> = Vec::new();
    for slot in lr0.slots(state) {
        let item = lr0.kernels[slot] as usize;
        let augmented = item + 1 == items.next.len();
        if items.next[item] == END && !augmented {
            let reduction = Reduction { pop: items.dot[item], lhs: NonterminalId(items.lhs[item]) };
            found.push((reduction, lookaheads.of_slot(slot).to_vec()));
        }
    }
    found.sort_by_key(|&(reduction, _)| reduction);
    found.dedup_by(|later, first| {
        let same = later.0 == first.0;
        if same {
            union_into(&mut first.1, &later.1);
        }
        same
    });
    found
}
