//! Collapses cycles of unit productions: nonterminals that derive each other by unit steps are the same nonterminal.

use glrmask_automata::{Id, NonterminalId, Symbol};

use super::Cfg;

/// The grammar with every strongly connected component of unit productions collapsed into one nonterminal, without
/// `A → A` and repeated productions. Linear.
pub fn unit_cycles(mut cfg: Cfg) -> Cfg {
    let representative = components(&cfg);
    let map = |n: NonterminalId| representative[n.index()];
    for production in &mut cfg.productions {
        production.lhs = map(production.lhs);
        for symbol in &mut production.rhs {
            if let Symbol::Nonterminal(n) = symbol {
                *n = map(*n);
            }
        }
    }
    cfg.start = map(cfg.start);
    cfg.dedup();
    cfg
}

/// Per nonterminal the least member of its component in the graph of unit productions.
fn components(cfg: &Cfg) -> Vec<NonterminalId> {
    let units = cfg.unit_graph();
    let mut representative: Vec<NonterminalId> = (0..cfg.nonterminals).map(NonterminalId::from_usize).collect();
    for component in strongly_connected(cfg.nonterminals, |n| units.get(n)) {
        if let Some(&least) = component.iter().min() {
            for n in component {
                representative[n] = NonterminalId::from_usize(least);
            }
        }
    }
    representative
}

/// Strongly connected components, successors before predecessors (Tarjan 1972, with an explicit stack).
pub(crate) fn strongly_connected<'a>(nodes: usize, successors: impl Fn(usize) -> &'a [u32]) -> Vec<Vec<usize>> {
    const NEW: u32 = u32::MAX;
    const DONE: u32 = u32::MAX - 1;
    let mut low = vec![NEW; nodes];
    let mut path: Vec<usize> = Vec::new();
    let mut components = Vec::new();
    let mut calls: Vec<(usize, usize, u32)> = Vec::new();
    for root in 0..nodes {
        if low[root] == NEW {
            calls.push((root, 0, path.len() as u32));
        }
        while let Some((node, edge, order)) = calls.pop() {
            if edge == 0 {
                low[node] = order;
                path.push(node);
            }
            let Some(&next) = successors(node).get(edge) else {
                if low[node] == order {
                    let component = path.split_off(order as usize);
                    component.iter().for_each(|&n| low[n] = DONE);
                    components.push(component);
                }
                let seen = low[node];
                if let Some(&(parent, ..)) = calls.last() {
                    if seen != DONE {
                        low[parent] = low[parent].min(seen);
                    }
                }
                continue;
            };
            calls.push((node, edge + 1, order));
            match low[next as usize] {
                NEW => calls.push((next as usize, 0, path.len() as u32)),
                DONE => {}
                seen => low[node] = low[node].min(seen),
            }
        }
    }
    components
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{any_cfg, cfg, language};
    use proptest::prelude::*;

    #[test]
    fn a_cycle_becomes_one_symbol() {
        let g = unit_cycles(cfg("0: 1 | a; 1: 2 | b; 2: 0 | c; 3: 3"));
        assert_eq!(g, Cfg { nonterminals: 4, ..cfg("0: a | b | c") });
    }

    #[test]
    fn a_long_chain_does_not_overflow() {
        let mut g = cfg("0: a");
        for _ in 0..200_000 {
            let (lhs, below) = (g.fresh(), g.nonterminals as u32 - 2);
            g.productions.push(crate::ir::Production { lhs, rhs: vec![Symbol::Nonterminal(NonterminalId(below))] });
        }
        assert_eq!(unit_cycles(g.clone()), g);
    }

    proptest! {
        #[test]
        fn the_language_stays_and_no_cycle_is_left(g in any_cfg()) {
            let u = unit_cycles(g.clone());
            prop_assert_eq!(language(&u, 5), language(&g, 5));
            prop_assert_eq!(unit_cycles(u.clone()), u);
        }
    }
}
