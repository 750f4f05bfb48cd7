//! Splits right-hand sides with many nullable symbols, so that ε-elimination stays linear.
//!
//! A right-hand side with k nullable symbols has 2ᵏ variants. Beyond [`MAX_FLAT`] it becomes a left-nested chain,
//! `A → x₁ … xₙ` with `P₁ → x₁ … xᵢ` (up to the first nullable symbol), `P₂ → P₁ xᵢ₊₁ … xⱼ` (up to the next one), …, each
//! with at most two nullable symbols. Left-nested, because then the parser reduces as it goes and the stack stays flat;
//! equal prefixes are shared, so that they cause no conflict.

use glrmask_automata::{Id, NonterminalId, Symbol};
use rustc_hash::FxHashMap;

use super::Cfg;
use crate::ir::Production;

/// Up to this many nullable symbols a right-hand side is left alone (8 variants).
pub const MAX_FLAT: usize = 3;

/// The grammar with at most [`MAX_FLAT`] nullable symbols in any right-hand side. Linear.
pub fn split(mut cfg: Cfg) -> Cfg {
    let nullable = cfg.nullable();
    let is_nullable = |s: &Symbol| matches!(s, Symbol::Nonterminal(n) if nullable.get(n.index()) == Some(&true));
    let mut prefixes = Prefixes::default();
    let mut productions = std::mem::take(&mut cfg.productions);
    for production in &mut productions {
        if production.rhs.iter().filter(|s| is_nullable(s)).count() <= MAX_FLAT {
            continue;
        }
        let mut chunks = production.rhs.split_inclusive(is_nullable);
        let mut body = chunks.next().unwrap_or_default().to_vec();
        for chunk in chunks {
            body = [&[prefixes.symbol(&mut cfg, body)], chunk].concat();
        }
        production.rhs = body;
    }
    productions.append(&mut cfg.productions);
    cfg.productions = productions;
    cfg
}

/// The nonterminals made for prefixes, shared by content.
#[derive(Default)]
struct Prefixes(FxHashMap<Vec<Symbol>, NonterminalId>);

impl Prefixes {
    fn symbol(&mut self, cfg: &mut Cfg, body: Vec<Symbol>) -> Symbol {
        if let [single] = body.as_slice() {
            return *single;
        }
        let lhs = *self.0.entry(body).or_insert_with_key(|body| {
            let lhs = cfg.fresh();
            cfg.productions.push(Production { lhs, rhs: body.clone() });
            lhs
        });
        Symbol::Nonterminal(lhs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{any_cfg, cfg, language};
    use proptest::prelude::*;

    #[test]
    fn equal_prefixes_are_shared() {
        let g = split(cfg("0: 1 1 1 1 a | 1 1 1 1 b; 1: c |"));
        // P2 -> 1 1, P3 -> P2 1, 0 -> P3 1 a | P3 1 b would be the chunks; here the tail is a chunk of its own.
        let longest = g.productions.iter().map(|p| p.rhs.len()).max();
        assert_eq!((g.productions.len(), g.nonterminals, longest), (7, 5, Some(2)));
    }

    #[test]
    fn a_long_nullable_body_stays_linear() {
        let long = format!("0: {}; 1: a |", "1 ".repeat(2000));
        let g = super::super::epsilon::epsilon(split(cfg(&long))).map(|(g, _)| g.productions.len());
        assert!(g.is_ok_and(|n| n < 6100));
    }

    proptest! {
        #[test]
        fn the_language_stays_and_variants_are_few(g in any_cfg()) {
            let s = split(g.clone());
            prop_assert_eq!(language(&s, 4), language(&g, 4));
            let nullable = s.nullable();
            for p in &s.productions {
                prop_assert!(p.nonterminals().filter(|n| nullable[n.index()]).count() <= MAX_FLAT);
            }
        }
    }
}
