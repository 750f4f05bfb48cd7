//! A context-free grammar over opaque terminals: what transformations rewrite.

use glrmask_automata::{Id, NonterminalId, Symbol};
use rustc_hash::FxHashSet;

use super::buckets::Buckets;
use crate::ir::Production;

/// Productions over dense ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cfg {
    /// The start symbol, below `nonterminals`.
    pub start: NonterminalId,
    /// Number of nonterminals; every id in `productions` is below it.
    pub nonterminals: usize,
    /// Productions in any order.
    pub productions: Vec<Production>,
}

impl Cfg {
    /// A new nonterminal.
    pub fn fresh(&mut self) -> NonterminalId {
        let id = NonterminalId::from_usize(self.nonterminals);
        self.nonterminals += 1;
        id
    }
    /// Drops repeated productions and `A → A`, keeping the order. Linear.
    pub fn dedup(&mut self) {
        let mut seen = FxHashSet::with_capacity_and_hasher(self.productions.len(), Default::default());
        let mut keep: Vec<bool> = Vec::with_capacity(self.productions.len());
        keep.extend(self.productions.iter().map(|p| !p.is_loop() && seen.insert(p)));
        let mut keep = keep.into_iter();
        self.productions.retain(|_| keep.next().unwrap_or(false));
    }
    /// Indices of productions by left-hand side.
    pub(crate) fn by_lhs(&self) -> Buckets {
        Buckets::new(self.nonterminals, self.productions.iter().enumerate().map(|(i, p)| (p.lhs.index(), i)))
    }
    /// Indices of productions by nonterminals on the right-hand side, one entry per occurrence.
    pub(crate) fn occurrences(&self) -> Buckets {
        let pairs = self.productions.iter().enumerate();
        Buckets::new(self.nonterminals, pairs.flat_map(|(i, p)| p.nonterminals().map(move |n| (n.index(), i))))
    }
    /// Which nonterminals derive the empty string. Linear (worklist).
    pub fn nullable(&self) -> Vec<bool> {
        self.least_fixpoint(|p| p.rhs.iter().all(|s| matches!(s, Symbol::Nonterminal(_))))
    }
    /// Which nonterminals derive some string. Linear (worklist).
    pub fn productive(&self) -> Vec<bool> {
        self.least_fixpoint(|_| true)
    }
    /// Nonterminals with an eligible production all of whose nonterminals are in the set.
    fn least_fixpoint(&self, eligible: impl Fn(&Production) -> bool) -> Vec<bool> {
        let occurrences = self.occurrences();
        let mut missing: Vec<u32> = Vec::with_capacity(self.productions.len());
        missing.extend(self.productions.iter().map(|p| match eligible(p) {
            true => p.nonterminals().count() as u32,
            false => u32::MAX,
        }));
        let mut member = vec![false; self.nonterminals];
        let mut work: Vec<NonterminalId> = Vec::new();
        let ready = self.productions.iter().zip(&missing).filter(|(_, &m)| m == 0);
        work.extend(ready.map(|(p, _)| p.lhs));
        while let Some(n) = work.pop() {
            if std::mem::replace(&mut member[n.index()], true) {
                continue;
            }
            for &i in occurrences.get(n.index()) {
                let left = &mut missing[i as usize];
                // An ineligible production starts so high that it never gets to zero.
                *left -= 1;
                if *left == 0 {
                    work.push(self.productions[i as usize].lhs);
                }
            }
        }
        member
    }
}

impl Production {
    /// Nonterminals of the right-hand side, one per occurrence.
    pub fn nonterminals(&self) -> impl Iterator<Item = NonterminalId> + Clone + '_ {
        self.rhs.iter().filter_map(|s| match s {
            Symbol::Nonterminal(n) => Some(*n),
            Symbol::Terminal(_) => None,
        })
    }
    /// The nonterminal B of a unit production `A → B`.
    pub fn unit(&self) -> Option<NonterminalId> {
        match self.rhs.as_slice() {
            [Symbol::Nonterminal(n)] => Some(*n),
            _ => None,
        }
    }
    /// Whether this is `A → A`.
    pub fn is_loop(&self) -> bool {
        self.unit() == Some(self.lhs)
    }
}

impl Cfg {
    /// The graph of unit productions: per nonterminal A the nonterminals B of its `A → B`.
    pub(crate) fn unit_graph(&self) -> Buckets {
        let units = self.productions.iter().filter_map(|p| p.unit().map(|b| (p.lhs.index(), b.index())));
        Buckets::new(self.nonterminals, units)
    }
}
