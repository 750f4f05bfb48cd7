//! From a draft and its equivalence classes to the one [`Dfa`] of the language.
//!
//! States are numbered breadth-first by byte; byte classes with equal columns are joined; label sets are numbered by
//! first use. What is live at a state is the union of the labels over everything reachable: one pass over the
//! strongly connected components, targets first.

use crate::dfa::{Dfa, LabelSetId};
use crate::draft::{Draft, LabelSets};
use crate::interner::SliceInterner;
use crate::minimize::{number_densely, Partition};
use crate::{Id, IndexVec, StateId};

const NONE: u32 = u32::MAX;

impl Dfa {
    /// The quotient of `draft` by `block_of`, of which every state reachable from the start must be live.
    pub(crate) fn from_blocks(draft: &Draft, block_of: &[u32]) -> Self {
        let (order, number) = breadth_first(draft, block_of);
        let (class_of, class_count) = join_classes(draft, block_of, &order);
        let mut table = vec![Self::DEAD; order.len() * class_count];
        for (row, &representative) in table.chunks_exact_mut(class_count).zip(&order) {
            for &(class, target) in draft.edges(representative) {
                row[usize::from(class_of[usize::from(class)])] = StateId(number[block_of[target as usize] as usize]);
            }
        }
        let mut dfa = Self {
            classes: draft.classes.joined(&class_of, class_count),
            table,
            labels: order.iter().map(|&q| draft.labels[q as usize]).collect(),
            live: IndexVec::new(),
            future: IndexVec::new(),
            sets: IndexVec::new(),
        };
        dfa.fill_label_sets(&draft.sets);
        dfa
    }
    /// Computes `live` and `future` from `labels` (ids of `sets`), and renumbers all sets by first use.
    fn fill_label_sets(&mut self, sets: &LabelSets) {
        let mut unions = Unions::new(sets.clone());
        if self.sole_set().is_some_and(|set| sets.get(set).len() == 1) {
            self.fill_single_label();
        } else {
            self.fill_live(&mut unions);
        }
        self.renumber_sets(&unions.sets);
    }
    /// The only non-empty label set of all states, if there is exactly one.
    fn sole_set(&self) -> Option<LabelSetId> {
        let mut used = self.labels.iter().filter(|&&l| l != LabelSetId(0));
        let first = *used.next()?;
        used.all(|&l| l == first).then_some(first)
    }
    fn fill_single_label(&mut self) {
        let set = self.sole_set().unwrap_or_default();
        let has_edge = |q: StateId| self.row(q).iter().any(|&target| target != Self::DEAD);
        self.future = self.states().map(|q| if has_edge(q) { set } else { LabelSetId(0) }).collect();
        self.live = IndexVec::from_elem(set, self.len());
    }
    fn fill_live(&mut self, unions: &mut Unions) {
        let mut live = IndexVec::from_elem(LabelSetId(0), self.len());
        for component in components(self).iter() {
            let own = component.iter().map(|&q| self.labels[q]);
            let later = component.iter().flat_map(|&q| self.row(q)).filter(|&&target| target != Self::DEAD);
            let all = unions.of(own.chain(later.map(|&target| live[target])));
            component.iter().for_each(|&q| live[q] = all);
        }
        let targets = |q| self.row(q).iter().filter(|&&target| target != Self::DEAD);
        self.future = self.states().map(|q| unions.of(targets(q).map(|&target| live[target]))).collect();
        self.live = live;
    }
    fn renumber_sets(&mut self, sets: &LabelSets) {
        let mut number = vec![NONE; sets.len()];
        number[0] = 0;
        self.sets.push(Vec::new());
        for q in self.labels.ids() {
            for id in [&mut self.labels[q], &mut self.live[q], &mut self.future[q]] {
                let slot = &mut number[id.index()];
                if *slot == NONE {
                    *slot = self.sets.push(sets.get(*id).to_vec()).0;
                }
                id.0 = *slot;
            }
        }
    }
}

/// A representative of each reachable block in breadth-first order, and the place of each block in that order.
fn breadth_first(draft: &Draft, block_of: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut number = vec![NONE; draft.len()];
    let mut order = vec![0];
    number[block_of[0] as usize] = 0;
    let mut next = 0;
    while next < order.len() {
        for &(_, target) in draft.edges(order[next]) {
            let slot = &mut number[block_of[target as usize] as usize];
            if *slot == NONE {
                *slot = order.len() as u32;
                order.push(target);
            }
        }
        next += 1;
    }
    (order, number)
}

/// The byte classes joined where no state tells them apart: the new class of each class, and their number.
fn join_classes(draft: &Draft, block_of: &[u32], states: &[u32]) -> (Vec<u8>, usize) {
    let mut partition = Partition::by_key(draft.classes.len(), 1, |_| 0);
    let mut row: Vec<(u32, u8)> = Vec::new();
    for &q in states {
        if partition.len() == draft.classes.len() {
            break;
        }
        row.clear();
        row.extend(draft.edges(q).iter().map(|&(class, target)| (block_of[target as usize], class)));
        row.sort_unstable();
        for group in row.chunk_by(|a, b| a.0 == b.0) {
            group.iter().for_each(|&(_, class)| partition.mark(u32::from(class)));
            partition.split();
        }
    }
    let count = partition.len();
    let mut class_of = partition.into_block_of();
    number_densely(&mut class_of);
    (class_of.into_iter().map(|c| c as u8).collect(), count)
}

/// Unions of interned label sets, remembered.
struct Unions {
    sets: LabelSets,
    /// Lists of sets that were united before, and the result for each.
    lists: SliceInterner<LabelSetId, LabelSetId>,
    results: IndexVec<LabelSetId, LabelSetId>,
    list: Vec<LabelSetId>,
}

impl Unions {
    fn new(sets: LabelSets) -> Self {
        Self { sets, lists: SliceInterner::new(), results: IndexVec::new(), list: Vec::new() }
    }
    fn of(&mut self, parts: impl Iterator<Item = LabelSetId>) -> LabelSetId {
        self.list.clear();
        for part in parts {
            if part != LabelSetId(0) && self.list.last() != Some(&part) {
                self.list.push(part);
            }
        }
        self.list.sort_unstable();
        self.list.dedup();
        match *self.list {
            [] => LabelSetId(0),
            [only] => only,
            _ => self.of_list(),
        }
    }
    fn of_list(&mut self) -> LabelSetId {
        let id = self.lists.intern(&self.list);
        if let Some(&known) = self.results.get(id) {
            return known;
        }
        let mut union: Vec<u32> = self.list.iter().flat_map(|&set| self.sets.get(set)).copied().collect();
        union.sort_unstable();
        union.dedup();
        let result = self.sets.intern(&union);
        self.results.push(result);
        result
    }
}

/// The strongly connected components, targets first (Tarjan, "Depth-first search and linear graph algorithms", 1972,
/// with an explicit stack). Every state of a [`Dfa`] is reachable from the start.
fn components(dfa: &Dfa) -> Components {
    let mut search = Search { number: vec![0; dfa.len()], low: vec![0; dfa.len()], ..Search::default() };
    search.enter(dfa.start());
    while let Some((q, position)) = search.calls.last_mut() {
        let q = *q;
        let edge = dfa.row(q).iter().enumerate().skip(*position).find(|(_, &target)| target != Dfa::DEAD);
        match edge {
            Some((column, &target)) => {
                *position = column + 1;
                search.follow(q, target);
            }
            None => search.leave(q),
        }
    }
    search.found
}

#[derive(Default)]
struct Search {
    /// When a state was entered, from 1; 0 before.
    number: Vec<u32>,
    /// The earliest state on the path that is known to be reachable; `u32::MAX` once the component is complete.
    low: Vec<u32>,
    path: Vec<StateId>,
    /// States being visited, with the next column to look at.
    calls: Vec<(StateId, usize)>,
    count: u32,
    found: Components,
}

/// Lists of states, one after the other.
#[derive(Default)]
struct Components {
    states: Vec<StateId>,
    ends: Vec<usize>,
}

impl Components {
    fn iter(&self) -> impl Iterator<Item = &[StateId]> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(begin, &end)| &self.states[begin..end])
    }
}

impl Search {
    fn enter(&mut self, q: StateId) {
        self.count += 1;
        self.number[q.index()] = self.count;
        self.low[q.index()] = self.count;
        self.path.push(q);
        self.calls.push((q, 0));
    }
    fn follow(&mut self, q: StateId, target: StateId) {
        if self.number[target.index()] == 0 {
            self.enter(target);
        } else {
            self.low[q.index()] = self.low[q.index()].min(self.low[target.index()]);
        }
    }
    fn leave(&mut self, q: StateId) {
        self.calls.pop();
        if self.low[q.index()] == self.number[q.index()] {
            let begin = self.path.iter().rposition(|&p| p == q).unwrap_or(0);
            for p in self.path.drain(begin..) {
                self.low[p.index()] = u32::MAX;
                self.found.states.push(p);
            }
            self.found.ends.push(self.found.states.len());
        }
        if let Some(&(parent, _)) = self.calls.last() {
            self.low[parent.index()] = self.low[parent.index()].min(self.low[q.index()]);
        }
    }
}
