//! Context-free reachability: is there a path through a graph whose terminals spell a word of the grammar?
//!
//! Earley's algorithm with graph nodes in the place of positions, and no look-ahead: exact for every grammar (cycles,
//! hidden left recursion, ambiguity, ε). An item may at any point absorb a terminal that its scope ignores; that is
//! the rule "I* before the first atom, between atoms and after the last one", read literally.

use std::hash::Hash;
use std::rc::Rc;

use glrmask_automata::{NonterminalId, Symbol, TerminalId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::spec::Spec;
use crate::TooLarge;

/// Outgoing edges of a node.
pub(crate) type Edges<N> = Vec<(TerminalId, N)>;

/// The most items of one search.
const ITEM_LIMIT: usize = 300_000;

/// Does the start symbol of `spec` lead from `root` to a node that is a `goal`? `edges` lists a node's outgoing edges.
pub(crate) fn reaches<N: Copy + Eq + Hash>(
    spec: &Spec,
    root: N,
    edges: impl FnMut(N) -> Result<Edges<N>, TooLarge>,
    goal: impl Fn(N) -> bool,
) -> Result<bool, TooLarge> {
    let mut search = Search {
        spec,
        edges,
        known: FxHashMap::default(),
        seen: FxHashSet::default(),
        work: Vec::new(),
        predicted: FxHashSet::default(),
        waiting: FxHashMap::default(),
        ends: FxHashMap::default(),
    };
    search.predict(spec.start, root);
    while let Some(item) = search.work.pop() {
        if search.is_complete(item) && search.lhs(item) == spec.start && item.origin == root && goal(item.node) {
            return Ok(true);
        }
        search.process(item)?;
    }
    Ok(false)
}

/// `production` with `dot` symbols read on the way from `origin` to `node`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Item<N> {
    production: usize,
    dot: usize,
    origin: N,
    node: N,
}

struct Search<'a, N, F> {
    spec: &'a Spec,
    edges: F,
    known: FxHashMap<N, Rc<Edges<N>>>,
    seen: FxHashSet<Item<N>>,
    work: Vec<Item<N>>,
    predicted: FxHashSet<(NonterminalId, N)>,
    waiting: FxHashMap<(NonterminalId, N), Vec<Item<N>>>,
    ends: FxHashMap<(NonterminalId, N), Vec<N>>,
}

impl<N: Copy + Eq + Hash, F: FnMut(N) -> Result<Edges<N>, TooLarge>> Search<'_, N, F> {
    fn lhs(&self, item: Item<N>) -> NonterminalId {
        self.spec.productions[item.production].lhs
    }

    fn next_symbol(&self, item: Item<N>) -> Option<Symbol> {
        self.spec.productions[item.production].rhs.get(item.dot).copied()
    }

    fn is_complete(&self, item: Item<N>) -> bool {
        self.next_symbol(item).is_none()
    }

    fn push(&mut self, item: Item<N>) {
        if self.seen.insert(item) {
            self.work.push(item);
        }
    }

    fn predict(&mut self, lhs: NonterminalId, node: N) {
        if self.predicted.insert((lhs, node)) {
            for production in (0..self.spec.productions.len()).filter(|&p| self.spec.productions[p].lhs == lhs) {
                self.push(Item { production, dot: 0, origin: node, node });
            }
        }
    }

    fn outgoing(&mut self, node: N) -> Result<Rc<Edges<N>>, TooLarge> {
        if let Some(known) = self.known.get(&node) {
            return Ok(known.clone());
        }
        let found = Rc::new((self.edges)(node)?);
        self.known.insert(node, found.clone());
        Ok(found)
    }

    fn process(&mut self, item: Item<N>) -> Result<(), TooLarge> {
        if self.seen.len() > ITEM_LIMIT {
            return Err(TooLarge::new("items of one search", ITEM_LIMIT));
        }
        self.absorb_ignored(item)?;
        match self.next_symbol(item) {
            None => self.complete(item),
            Some(Symbol::Terminal(t)) => self.scan(item, t)?,
            Some(Symbol::Nonterminal(n)) => self.enter(item, n),
        }
        Ok(())
    }

    fn absorb_ignored(&mut self, item: Item<N>) -> Result<(), TooLarge> {
        let ignored = &self.spec.scopes[self.spec.nonterminals[self.lhs(item)]].ignore;
        if !ignored.is_empty() {
            for &(t, node) in self.outgoing(item.node)?.iter() {
                if ignored.contains(&t) {
                    self.push(Item { node, ..item });
                }
            }
        }
        Ok(())
    }

    fn scan(&mut self, item: Item<N>, terminal: TerminalId) -> Result<(), TooLarge> {
        for &(t, node) in self.outgoing(item.node)?.iter() {
            if t == terminal {
                self.push(Item { dot: item.dot + 1, node, ..item });
            }
        }
        Ok(())
    }

    fn enter(&mut self, item: Item<N>, callee: NonterminalId) {
        let key = (callee, item.node);
        self.waiting.entry(key).or_default().push(item);
        self.predict(callee, item.node);
        for node in self.ends.get(&key).cloned().unwrap_or_default() {
            self.push(Item { dot: item.dot + 1, node, ..item });
        }
    }

    fn complete(&mut self, item: Item<N>) {
        let key = (self.lhs(item), item.origin);
        let ends = self.ends.entry(key).or_default();
        if ends.contains(&item.node) {
            return;
        }
        ends.push(item.node);
        for caller in self.waiting.get(&key).cloned().unwrap_or_default() {
            self.push(Item { dot: caller.dot + 1, node: item.node, ..caller });
        }
    }
}
