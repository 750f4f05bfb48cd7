//! The DAG of classes: what the parser can ever learn from a token, hash-consed.
//!
//! Seen from a lexer state, a token stands for a set of terminal sequences, the last terminal of each possibly still
//! open. Two tokens with the same set are the same to every parser; such a set is a *class*, and a class is a node
//! here: which terminals may be open when the token ends, and which terminal may come first, followed by which class.
//! Paths are never enumerated: a token of 64 dashes has exponentially many lexings and a DAG of 64 nodes.
//!
//! The lexer builds the DAG, the parser reads it, and neither knows the other; what must still hold after an open
//! terminal is an opaque [`Need`]. See `docs/scan.md`.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::{typed_id, Id, IndexVec, TerminalId};

typed_id!(
    /// A class of tokens: a node of a [`ClassDag`].
    pub struct ClassId, "c"
);
typed_id!(
    /// A set of pending longest-match conditions, opaque to the parser.
    pub struct ConditionSetId, "C"
);

impl ConditionSetId {
    /// The empty set of conditions.
    pub const NONE: Self = Self(0);
}

/// Stands in for every ignored terminal: the parser does not see them.
pub const IGNORED: TerminalId = TerminalId(u32::MAX);

/// What must hold once the open terminal has been lexed to its end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Need {
    /// Nothing: whatever the grammar puts next can be lexed.
    Free,
    /// The rest of the text must be completable while these conditions are pending.
    Pending(ConditionSetId),
}

/// A terminal that may be open at the end of the token.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Open {
    /// The terminal, or [`IGNORED`].
    pub terminal: TerminalId,
    /// What must hold after it.
    pub need: Need,
}

/// One class.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct ClassNode {
    /// Terminals that may be open at the end, sorted; [`Need::Free`] hides every other need of the same terminal.
    pub open: Box<[Open]>,
    /// First terminals with the class of what follows, sorted by terminal, each terminal once.
    pub edges: Box<[(TerminalId, ClassId)]>,
}

/// Hash-consed classes. Equal languages of terminal sequences share a node as far as the structure shows it.
#[derive(Clone, Debug, Default)]
pub struct ClassDag {
    nodes: IndexVec<ClassId, ClassNode>,
    ids: FxHashMap<ClassNode, ClassId>,
    unions: FxHashMap<(ClassId, ClassId), ClassId>,
    bytes: usize,
}

impl ClassDag {
    /// A DAG without classes.
    pub fn new() -> Self {
        Self::default()
    }

    /// The DAG with these nodes, in this order.
    ///
    /// # Errors
    /// A node that is not sorted, stands there twice, or has an edge to a younger one.
    pub fn from_nodes(nodes: Vec<ClassNode>) -> Result<Self, String> {
        let mut dag = Self::new();
        for (index, node) in nodes.into_iter().enumerate() {
            if dag.intern_node(node).index() != index {
                return Err("a class stands there twice".to_owned());
            }
        }
        dag.check_invariants()?;
        Ok(dag)
    }

    /// The class with these open terminals and edges; `None` if there are none (no parser accepts such a token).
    /// Edges to the same terminal are united. Amortised linear in the input, plus the unions.
    pub fn intern(&mut self, mut open: Vec<Open>, edges: Vec<(TerminalId, ClassId)>) -> Option<ClassId> {
        normalize_open(&mut open);
        let edges = self.unite_edges(edges);
        if open.is_empty() && edges.is_empty() {
            return None;
        }
        Some(self.intern_node(ClassNode { open: open.into(), edges: edges.into() }))
    }

    /// The class of a token that ends while `terminal` is open.
    pub fn open(&mut self, terminal: TerminalId, need: Need) -> ClassId {
        self.intern_node(ClassNode { open: Box::new([Open { terminal, need }]), edges: Box::default() })
    }

    /// The class of the sequences in either. Memoised.
    pub fn union(&mut self, a: ClassId, b: ClassId) -> ClassId {
        if a == b {
            return a;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let open: Vec<Open> = self.nodes[a].open.iter().chain(&*self.nodes[b].open).copied().collect();
        let edges = self.nodes[a].edges.iter().chain(&*self.nodes[b].edges).copied().collect();
        // As deep as the token has lexemes: on a stack that is large enough for any token.
        let result = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.intern(open, edges)).unwrap_or(a);
        self.unions.insert(key, result);
        result
    }

    /// The class with only those open terminals and first edges that `keep` admits; `None` if nothing is left.
    pub fn restrict(&mut self, class: ClassId, keep: impl Fn(TerminalId) -> bool) -> Option<ClassId> {
        let node = &self.nodes[class];
        let admitted = |terminal: TerminalId| terminal == IGNORED || keep(terminal);
        if node.open.iter().all(|o| admitted(o.terminal)) && node.edges.iter().all(|e| keep(e.0)) {
            return Some(class);
        }
        let open: Vec<Open> = node.open.iter().filter(|o| admitted(o.terminal)).copied().collect();
        let edges: Vec<_> = node.edges.iter().filter(|e| keep(e.0)).copied().collect();
        self.intern(open, edges)
    }

    /// What is left of the class once its first terminal has turned out to be `terminal`: the class of what follows, and
    /// where the terminal may be open at the end, its needs as those of ignored text. So a stack accepts `class` by a
    /// sequence that begins with `terminal` exactly if what the stack is after shifting `terminal` accepts this class.
    /// `None` if no sequence begins with it.
    pub fn after(&mut self, class: ClassId, terminal: TerminalId) -> Option<ClassId> {
        let node = &self.nodes[class];
        let open: Vec<Open> = node.open.iter().filter(|o| o.terminal == terminal).copied().collect();
        let rest = node.edges.iter().find(|edge| edge.0 == terminal).map(|edge| edge.1);
        let open = open.into_iter().map(|o| Open { terminal: IGNORED, ..o }).collect();
        match (self.intern(open, Vec::new()), rest) {
            (Some(open), Some(rest)) => Some(self.union(open, rest)),
            (open, rest) => open.or(rest),
        }
    }

    /// All classes, in order.
    pub fn nodes(&self) -> impl Iterator<Item = &ClassNode> {
        self.nodes.iter()
    }
    /// The node of a class.
    pub fn node(&self, class: ClassId) -> &ClassNode {
        &self.nodes[class]
    }
    /// Number of classes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    /// Whether there is no class.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
    /// Rough memory use in bytes.
    pub fn memory_usage(&self) -> usize {
        self.bytes + self.unions.len() * 24
    }

    fn unite_edges(&mut self, mut edges: Vec<(TerminalId, ClassId)>) -> Vec<(TerminalId, ClassId)> {
        edges.sort_unstable();
        edges.dedup();
        let mut united: Vec<(TerminalId, ClassId)> = Vec::with_capacity(edges.len());
        for (terminal, class) in edges {
            match united.last().copied() {
                Some((last, before)) if last == terminal => {
                    let both = self.union(before, class);
                    united.pop();
                    united.push((terminal, both));
                }
                _ => united.push((terminal, class)),
            }
        }
        united
    }

    fn intern_node(&mut self, node: ClassNode) -> ClassId {
        if let Some(&known) = self.ids.get(&node) {
            return known;
        }
        self.bytes += 2 * (std::mem::size_of_val(&*node.open) + std::mem::size_of_val(&*node.edges) + 64);
        let id = self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    /// Checks that edges lead to older classes (the DAG has no cycle) and that nodes are sorted and distinct.
    pub fn check_invariants(&self) -> Result<(), String> {
        for (id, node) in self.nodes.iter_enumerated() {
            if node.edges.iter().any(|&(_, to)| to >= id) {
                return Err(format!("{id} has an edge to a younger class"));
            }
            if node.edges.windows(2).any(|w| w[0].0 >= w[1].0) || node.open.windows(2).any(|w| w[0] >= w[1]) {
                return Err(format!("{id} is not sorted"));
            }
            if self.ids.get(node).map(|i| i.index()) != Some(id.index()) {
                return Err(format!("{id} is not hash-consed"));
            }
        }
        Ok(())
    }
}

fn normalize_open(open: &mut Vec<Open>) {
    open.sort_unstable();
    open.dedup();
    // `Free` sorts before `Pending`, so the first need of a terminal tells whether the others matter.
    let mut free = None;
    open.retain(|o| {
        if o.need == Need::Free {
            free = Some(o.terminal);
        }
        o.need == Need::Free || free != Some(o.terminal)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: TerminalId = TerminalId(0);
    const B: TerminalId = TerminalId(1);

    fn open(terminal: TerminalId) -> Open {
        Open { terminal, need: Need::Free }
    }

    #[test]
    fn equal_classes_share_a_node_and_nothing_is_no_class() {
        let mut dag = ClassDag::new();
        let a = dag.intern(vec![open(A)], vec![]);
        assert_eq!(a, dag.intern(vec![open(A), open(A)], vec![]));
        assert_eq!(None, dag.intern(vec![], vec![]));
    }

    #[test]
    fn free_hides_pending_needs_of_the_same_terminal_only() {
        let mut dag = ClassDag::new();
        let pending = |terminal| Open { terminal, need: Need::Pending(ConditionSetId(3)) };
        let c = dag.intern(vec![pending(A), open(A), pending(B)], vec![]).unwrap();
        assert_eq!(&*dag.node(c).open, &[open(A), pending(B)]);
    }

    #[test]
    fn a_run_of_dashes_is_linear_though_its_lexings_are_exponential() {
        let mut dag = ClassDag::new();
        let (mut one, mut two) = (None, None);
        for _ in 0..64 {
            let edges = one.map(|c| (A, c)).into_iter().chain(two.map(|c| (B, c))).collect();
            let next = dag.intern(vec![open(A), open(B)], edges);
            (two, one) = (one, next);
        }
        assert_eq!(dag.len(), 64);
        dag.check_invariants().unwrap();
    }

    #[test]
    fn union_is_commutative_idempotent_and_merges_below() {
        let mut dag = ClassDag::new();
        let a = dag.intern(vec![open(A)], vec![]).unwrap();
        let b = dag.intern(vec![open(B)], vec![]).unwrap();
        let x = dag.intern(vec![], vec![(A, a)]).unwrap();
        let y = dag.intern(vec![], vec![(A, b)]).unwrap();
        let both = dag.union(x, y);
        assert_eq!(both, dag.union(y, x));
        assert_eq!(both, dag.union(both, x));
        let again = ClassDag::from_nodes(dag.nodes().cloned().collect()).unwrap();
        assert_eq!((again.len(), again.node(both)), (dag.len(), dag.node(both)));
        let mut turned: Vec<ClassNode> = dag.nodes().cloned().collect();
        turned.reverse();
        assert!(ClassDag::from_nodes(turned).is_err());
        let below = dag.union(a, b);
        assert_eq!(&*dag.node(both).edges, &[(A, below)]);
        dag.check_invariants().unwrap();
    }

    #[test]
    fn after_a_terminal_comes_what_follows_it_or_its_need() {
        let mut dag = ClassDag::new();
        let rest = dag.intern(vec![open(B)], vec![]).unwrap();
        let c = dag.intern(vec![open(A), open(B)], vec![(A, rest)]).unwrap();
        let both = dag.after(c, A).unwrap();
        assert_eq!(&*dag.node(both).open, &[open(B), open(IGNORED)]);
        let only_open = dag.after(c, B).unwrap();
        assert_eq!(&*dag.node(only_open).open, &[open(IGNORED)]);
        assert_eq!(None, dag.after(rest, A));
    }

    #[test]
    fn restrict_keeps_ignored_text() {
        let mut dag = ClassDag::new();
        let c = dag.intern(vec![open(A), open(IGNORED)], vec![]).unwrap();
        let r = dag.restrict(c, |t| t == B).unwrap();
        assert_eq!(&*dag.node(r).open, &[open(IGNORED)]);
    }
}
