//! ε-elimination: every production in all variants with nullable symbols left out, and a flag for the empty string.

use glrmask_automata::{Id, Symbol};

use super::Cfg;
use crate::diagnostic::GrammarError;
use crate::ir::Production;

/// The most nullable symbols in one right-hand side (2¹² variants); `split` keeps them at three.
pub const MAX_NULLABLE: usize = 12;

/// A grammar without ε-productions (and without `A → A` and repeated productions) for the language less the empty
/// string, and whether the empty string was in it. Symbols that derived ε only are left without productions: trim.
///
/// # Errors
/// A right-hand side with more than [`MAX_NULLABLE`] nullable symbols.
pub fn epsilon(mut cfg: Cfg) -> Result<(Cfg, bool), GrammarError> {
    let nullable = cfg.nullable();
    let mut productions = Vec::with_capacity(cfg.productions.len());
    for production in std::mem::take(&mut cfg.productions) {
        variants(production, &nullable, &mut productions)?;
    }
    cfg.productions = productions;
    cfg.dedup();
    let accepts_empty = nullable.get(cfg.start.index()) == Some(&true);
    Ok((cfg, accepts_empty))
}

/// Appends the nonempty variants of a production.
fn variants(production: Production, nullable: &[bool], out: &mut Vec<Production>) -> Result<(), GrammarError> {
    let optional = |s: &Symbol| matches!(s, Symbol::Nonterminal(n) if nullable[n.index()]);
    let count = production.rhs.iter().filter(|s| optional(s)).count();
    if count > MAX_NULLABLE {
        return Err(GrammarError::limit("nullable symbols in one production", MAX_NULLABLE, count, None));
    }
    for dropped in (1u32..1 << count).rev() {
        let mut bit = 0;
        let keep = |s: &&Symbol| {
            !optional(s) || {
                bit += 1;
                dropped >> (bit - 1) & 1 == 0
            }
        };
        let rhs: Vec<Symbol> = production.rhs.iter().filter(keep).copied().collect();
        if !rhs.is_empty() {
            out.push(Production { lhs: production.lhs, rhs });
        }
    }
    if !production.rhs.is_empty() {
        out.push(production);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{any_cfg, cfg, language};
    use proptest::prelude::*;

    #[test]
    fn too_many_variants_are_an_error() {
        let long = format!("0: {}; 1: a |", "1 ".repeat(13));
        assert!(epsilon(cfg(&long)).is_err_and(|e| e.to_string().contains("limit 12, given 13")));
    }

    #[test]
    fn hidden_left_recursion_becomes_plain() {
        // 1 may vanish, so 0 begins with itself, hidden behind it.
        let (g, accepts_empty) = epsilon(cfg("0: 1 0 a | b; 1: | c")).expect("few nullable symbols");
        assert!(!accepts_empty);
        let mut wanted = cfg("0: 1 0 a | 0 a | b; 1: c").productions;
        let mut found = g.productions;
        wanted.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, wanted);
    }

    proptest! {
        #[test]
        fn only_the_empty_string_goes(g in any_cfg()) {
            let mut wanted = language(&g, 5);
            let (e, accepts_empty) = epsilon(g).map_err(|e| TestCaseError::fail(e.to_string()))?;
            prop_assert_eq!(wanted.remove(&Vec::new()), accepts_empty);
            prop_assert_eq!(language(&e, 5), wanted);
            prop_assert!(e.productions.iter().all(|p| !p.rhs.is_empty() && !p.is_loop()));
        }
    }
}
