//! Folds nonterminals that are another name of one symbol: with the only production `N → X`, N is X everywhere.

use glrmask_automata::{Id, NonterminalId, Symbol};

use super::Cfg;

/// The grammar with every nonterminal whose only production is `N → X` replaced by X, the start symbol too if X is a
/// nonterminal. There must be no unit cycles. Linear.
pub fn inline(mut cfg: Cfg) -> Cfg {
    let names = resolve(&cfg);
    if let Some(Symbol::Nonterminal(n)) = names[cfg.start.index()] {
        cfg.start = n;
    }
    let start = cfg.start;
    let gone = |n: NonterminalId| n != start && names[n.index()].is_some();
    cfg.productions.retain(|p| !gone(p.lhs));
    for symbol in cfg.productions.iter_mut().flat_map(|p| &mut p.rhs) {
        match *symbol {
            Symbol::Nonterminal(n) if gone(n) => *symbol = names[n.index()].unwrap_or(*symbol),
            _ => {}
        }
    }
    cfg.dedup();
    cfg
}

/// Per nonterminal the symbol it is another name of, chains followed to the end.
fn resolve(cfg: &Cfg) -> Vec<Option<Symbol>> {
    let by_lhs = cfg.by_lhs();
    let only = |n: usize| match by_lhs.get(n) {
        [i] => match cfg.productions[*i as usize].rhs.as_slice() {
            [symbol] if *symbol != Symbol::Nonterminal(NonterminalId::from_usize(n)) => Some(*symbol),
            _ => None,
        },
        _ => None,
    };
    let mut names: Vec<Option<Symbol>> = (0..cfg.nonterminals).map(only).collect();
    for n in 0..cfg.nonterminals {
        let mut chain = Vec::new();
        let mut current = n;
        while let Some(Symbol::Nonterminal(next)) = names[current] {
            if names[next.index()].is_none() {
                break;
            }
            chain.push(current);
            current = next.index();
        }
        let end = names[current];
        chain.into_iter().for_each(|link| names[link] = end);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{any_cfg, cfg, language};
    use crate::transform::unit_cycles::unit_cycles;
    use proptest::prelude::*;

    #[test]
    fn names_are_folded() {
        let g = inline(cfg("0: 1; 1: 2 3 | a; 2: 3; 3: b"));
        assert_eq!(g.productions, cfg("1: b b | a").productions);
        assert_eq!(g.start, NonterminalId(1));
        let kept = cfg("0: a");
        assert_eq!(inline(kept.clone()), kept);
    }

    proptest! {
        #[test]
        fn the_language_stays(g in any_cfg()) {
            let g = unit_cycles(g);
            prop_assert_eq!(language(&inline(g.clone()), 5), language(&g, 5));
        }
    }
}
