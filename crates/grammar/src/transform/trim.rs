//! Removes productions that no derivation of a string uses: unproductive first, then unreachable (in that order, or
//! something reachable only through the unproductive stays).

use glrmask_automata::{Id, NonterminalId};

use super::Cfg;

/// The grammar without useless productions, or `None` if its language is empty. Linear.
pub fn trim(mut cfg: Cfg) -> Option<Cfg> {
    let productive = cfg.productive();
    if !*productive.get(cfg.start.index())? {
        return None;
    }
    cfg.productions.retain(|p| productive[p.lhs.index()] && p.nonterminals().all(|n| productive[n.index()]));
    let reachable = reachable(&cfg);
    cfg.productions.retain(|p| reachable[p.lhs.index()]);
    Some(cfg)
}

/// Which nonterminals occur in something derived from the start symbol.
pub fn reachable(cfg: &Cfg) -> Vec<bool> {
    let by_lhs = cfg.by_lhs();
    let mut seen = vec![false; cfg.nonterminals];
    let mut work: Vec<NonterminalId> = vec![cfg.start];
    while let Some(n) = work.pop() {
        if !std::mem::replace(&mut seen[n.index()], true) {
            let productions = by_lhs.get(n.index()).iter().map(|&i| &cfg.productions[i as usize]);
            work.extend(productions.flat_map(|p| p.nonterminals()).filter(|n| !seen[n.index()]));
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{any_cfg, cfg, language};
    use proptest::prelude::*;

    #[test]
    fn useless_productions_go() {
        let trimmed = trim(cfg("0: a 1 | 2 b | c; 1: b; 2: 2 a; 3: a")).map(|g| g.productions.len());
        assert_eq!(trimmed, Some(3)); // 0: a 1 | c, 1: b
        assert_eq!(trim(cfg("0: a 1; 1: 1 b")), None);
        assert_eq!(trim(cfg("0: 0")), None);
    }

    proptest! {
        #[test]
        fn the_language_stays(g in any_cfg()) {
            let wanted = language(&g, 5);
            match trim(g) {
                None => prop_assert!(wanted.is_empty()),
                Some(t) => {
                    prop_assert_eq!(&language(&t, 5), &wanted);
                    prop_assert_eq!(trim(t.clone()), Some(t));
                }
            }
        }
    }
}
