//! Bypasses unit productions: `A → B` is replaced by `A → β` for every `B → β`, where that does not blow up.
//!
//! It saves the parser a reduction per level (an operand of a fifteen-level expression grammar takes fifteen). Done
//! everywhere it could square the size (the chain of an object with n optional members), so B must have few
//! alternatives, or occur nowhere else.

use glrmask_automata::{Id, NonterminalId};

use super::unit_cycles::strongly_connected;
use super::Cfg;
use crate::ir::Production;

/// Bypasses every `A → B` where B has, after its own bypasses, at most `limit` alternatives or occurs only here.
/// The grammar must have no unit cycles. Adds at most `limit` productions per unit production.
pub fn unit_bypass(mut cfg: Cfg, limit: usize) -> Cfg {
    let (by_lhs, occurrences, units) = (cfg.by_lhs(), cfg.occurrences(), cfg.unit_graph());
    // Per nonterminal the productions whose right-hand sides are its alternatives.
    let mut alternatives: Vec<Vec<u32>> = vec![Vec::new(); cfg.nonterminals];
    for n in strongly_connected(cfg.nonterminals, |n| units.get(n)).into_iter().flatten() {
        let mut own = Vec::new();
        for &i in by_lhs.get(n) {
            match cfg.productions[i as usize].unit().map(|b| (b, &mut alternatives[b.index()])) {
                // Nobody else needs B: its alternatives move, so that a long chain stays linear.
                Some((b, list)) if occurrences.get(b.index()).len() == 1 && b != cfg.start => merge(&mut own, list),
                Some((_, list)) if list.len() <= limit => own.extend_from_slice(list),
                _ => own.push(i),
            }
        }
        alternatives[n] = own;
    }
    let old = std::mem::take(&mut cfg.productions);
    cfg.productions.reserve(alternatives.iter().map(Vec::len).sum());
    for (n, own) in alternatives.into_iter().enumerate() {
        let lhs = NonterminalId::from_usize(n);
        cfg.productions.extend(own.iter().map(|&i| Production { lhs, rhs: old[i as usize].rhs.clone() }));
    }
    cfg.dedup();
    cfg
}

/// Moves the shorter list to the end of the longer one.
fn merge(into: &mut Vec<u32>, from: &mut Vec<u32>) {
    if into.len() < from.len() {
        std::mem::swap(into, from);
    }
    into.append(from);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{any_cfg, cfg, language};
    use crate::transform::unit_cycles::unit_cycles;
    use proptest::prelude::*;

    #[test]
    fn chains_are_bypassed_up_to_the_limit() {
        let bypassed = unit_bypass(cfg("0: 1 | 0 a; 1: 2 | 1 b 2; 2: c | d 0"), 9);
        assert_eq!(bypassed, cfg("0: c | d 0 | 1 b 2 | 0 a; 1: c | d 0 | 1 b 2; 2: c | d 0"));
        let kept = cfg("0: 1 | 1 a; 1: a | b | c");
        assert_eq!(unit_bypass(kept.clone(), 2), kept);
    }

    #[test]
    fn a_long_chain_stays_linear() {
        let rules: Vec<String> = (0..20_000).map(|i| format!("{i}: a {i} | {}", i + 1)).collect();
        let bypassed = unit_bypass(cfg(&format!("{}; 20000: b", rules.join(";"))), 4);
        assert!(bypassed.productions.len() < 130_000);
        let once: Vec<String> = (0..20_000).map(|i| format!("{i}: a | b b | {}", i + 1)).collect();
        let bypassed = unit_bypass(cfg(&format!("{}; 20000: b", once.join(";"))), 4);
        assert_eq!(bypassed.productions.len(), 3);
    }

    proptest! {
        #[test]
        fn the_language_stays(g in any_cfg(), limit in 0usize..6) {
            let g = unit_cycles(g);
            prop_assert_eq!(language(&unit_bypass(g.clone(), limit), 5), language(&g, 5));
        }
    }
}
