//! Direct right recursion becomes left recursion, so that the parser's stack does not grow with a list.
//!
//! With `A → x A | b` for some x's and b's, A = x* b. Left-recursive that is `A → b | X b`, `X → x | X x`.
//! Where every x is also a b (`A → x A | x | y`, a list), A = x⁺ | x* y: `A → X | X y | y`, or `A → x | A x` if there is
//! no y, which spares a conflict between the last x and the others. The x's may contain A themselves; the equation holds all the same (Arden's lemma).

use glrmask_automata::{Id, NonterminalId, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use super::trie::{Node, Trie};
use super::Cfg;
use crate::ir::Production;

/// The grammar without directly right-recursive nonterminals, as far as that makes no conflict. It must be ε-free. Linear.
pub fn right_recursion(mut cfg: Cfg) -> Cfg {
    let by_lhs = cfg.by_lhs();
    let old = std::mem::take(&mut cfg.productions);
    let beginnings = Beginnings::new(&old);
    let is_safe = |lhs, body: &[Symbol]| body.split_last().is_some_and(|(_, x)| beginnings.is_safe(lhs, x));
    for n in 0..cfg.nonterminals {
        let lhs = NonterminalId::from_usize(n);
        let bodies: Vec<&[Symbol]> = by_lhs.get(n).iter().map(|&i| old[i as usize].rhs.as_slice()).collect();
        let (recursive, base): (Vec<&[Symbol]>, Vec<&[Symbol]>) =
            bodies.iter().copied().partition(|b| is_right_recursive(lhs, b));
        if recursive.is_empty() || base.is_empty() || !recursive.iter().all(|b| is_safe(lhs, b)) {
            cfg.productions.extend(bodies.into_iter().map(|b| Production { lhs, rhs: b.to_vec() }));
        } else {
            rewrite(&mut cfg, lhs, &recursive, &base);
        }
    }
    cfg.dedup();
    cfg
}

/// Whether the body ends in its own left-hand side, after something.
fn is_right_recursive(lhs: NonterminalId, body: &[Symbol]) -> bool {
    body.len() > 1 && body.last() == Some(&Symbol::Nonterminal(lhs))
}

/// How many right-hand sides of the grammar go on after a beginning.
struct Beginnings {
    trie: Trie,
    counts: FxHashMap<Node, u32>,
}

impl Beginnings {
    fn new(productions: &[Production]) -> Self {
        let (mut trie, mut counts) = (Trie::default(), FxHashMap::default());
        for production in productions {
            let mut node = Trie::ROOT;
            for &symbol in &production.rhs {
                *counts.entry(node).or_insert(0) += 1;
                node = trie.child(node, symbol);
            }
        }
        Self { trie, counts }
    }
    /// Whether the rewriting of `lhs → x lhs` makes no conflict: x does not begin with `lhs` (`A → A + A` is
    /// left-recursive already), and no other right-hand side begins with x. With `S → if E S | if E S else S` the parser
    /// would have to decide after E which of them it is in.
    fn is_safe(&self, lhs: NonterminalId, x: &[Symbol]) -> bool {
        let node = self.trie.find(x);
        x.first() != Some(&Symbol::Nonterminal(lhs)) && node.and_then(|n| self.counts.get(&n)) == Some(&1)
    }
}

/// Adds the left-recursive productions of `lhs → x lhs | b` (`recursive` still with the `lhs` at the end).
fn rewrite(cfg: &mut Cfg, lhs: NonterminalId, recursive: &[&[Symbol]], base: &[&[Symbol]]) {
    let steps: Vec<&[Symbol]> = recursive.iter().filter_map(|body| body.split_last()).map(|(_, x)| x).collect();
    let known: FxHashSet<&[Symbol]> = base.iter().copied().collect();
    let is_list = steps.iter().all(|x| known.contains(x));
    let own: FxHashSet<&[Symbol]> = steps.iter().copied().filter(|_| is_list).collect();
    let rest: Vec<&[Symbol]> = base.iter().copied().filter(|b| !own.contains(b)).collect();
    // x⁺ needs no symbol of its own.
    let list = if rest.is_empty() { lhs } else { cfg.fresh() };
    let prefix = [Symbol::Nonterminal(list)];
    let mut add = |lhs, rhs| cfg.productions.push(Production { lhs, rhs });
    if is_list && list != lhs {
        add(lhs, prefix.to_vec());
    }
    for body in rest {
        add(lhs, body.to_vec());
        add(lhs, [&prefix, body].concat());
    }
    for x in steps {
        add(list, x.to_vec());
        add(list, [&prefix, x].concat());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{any_cfg, cfg, language};
    use crate::transform::epsilon::epsilon;
    use proptest::prelude::*;

    #[test]
    fn lists_become_left_recursive() {
        assert_eq!(right_recursion(cfg("0: a b 0 | c")), cfg("0: c | 1 c; 1: a b | 1 a b"));
        assert_eq!(right_recursion(cfg("0: a 0 | a")), cfg("0: a | 0 a"));
        assert_eq!(right_recursion(cfg("0: a 0 | a | b")), cfg("0: 1 | b | 1 b; 1: a | 1 a"));
        assert_eq!(right_recursion(cfg("0: 0 a | b")), cfg("0: 0 a | b"));
        assert_eq!(
            right_recursion(cfg("0: a b 0 | c d 0 | d 0 c")),
            cfg("0: d 0 c | 1 d 0 c; 1: a b | 1 a b | c d | 1 c d")
        );
        for unchanged in ["0: a 0", "0: 0 a 0 | b", "0: a 0 | a 0 b 0 | c", "0: a 0 | a b", "0: a 0 | 1; 1: a b"] {
            assert_eq!(right_recursion(cfg(unchanged)), cfg(unchanged));
        }
    }

    proptest! {
        #[test]
        fn the_language_stays(g in any_cfg()) {
            let (g, _) = epsilon(g).map_err(|e| TestCaseError::fail(e.to_string()))?;
            let r = right_recursion(g.clone());
            prop_assert_eq!(language(&r, 5), language(&g, 5));
        }
    }
}
