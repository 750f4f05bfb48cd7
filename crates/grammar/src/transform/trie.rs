//! A trie of symbol strings: equal strings have equal nodes, so that strings are compared exactly and in constant time.

use glrmask_automata::Symbol;
use rustc_hash::FxHashMap;

/// A string of symbols.
pub(crate) type Node = u32;

/// Nodes are numbered as they are made.
#[derive(Default)]
pub(crate) struct Trie(FxHashMap<(Node, Symbol), Node>);

impl Trie {
    /// The empty string.
    pub(crate) const ROOT: Node = 0;

    /// The string longer by one symbol.
    pub(crate) fn child(&mut self, node: Node, symbol: Symbol) -> Node {
        let next = self.0.len() as Node + 1;
        *self.0.entry((node, symbol)).or_insert(next)
    }
    /// The node of a string, if it has been made.
    pub(crate) fn find(&self, symbols: &[Symbol]) -> Option<Node> {
        symbols.iter().try_fold(Self::ROOT, |node, &symbol| self.0.get(&(node, symbol)).copied())
    }
}
