//! Repetition as productions: left-recursive, logarithmic in the counts, and without conflicts of its own.
//!
//! * `x+` is `P → x | P x`, and `x*` is `P` or ε: both share `P`.
//! * `xⁿ` is a product of powers of two, largest first, `D₂ₖ → Dₖ Dₖ`: LR(0), because the parser always knows how many
//!   of the current block it has read.
//! * "between 1 and k times" is `Mₖ → M₍ₕ₋₁₎ | Dₕ | Dₕ M₍ₖ₋ₕ₎` with h the largest power of two up to k. Every count has
//!   one derivation, and one token of look-ahead (another `x` or not) decides it, as in a binary counter.
//! * `x{n,m}` is `xⁿ⁻¹ M₍ₘ₋ₙ₊₁₎`.
//!
//! So `x{1000,2000}` makes about twenty short productions. The alternative, a chain of 2 000 states, is what this avoids.

use glrmask_automata::{NonterminalId, Symbol};

use crate::builder::{Bodies, GrammarBuilder};
use crate::expr::Occurs;

/// Up to this many copies are written out.
const FLAT: u32 = 4;

/// What a nonterminal of the repetition memo stands for, packed into its count: powers, at most, plus.
#[derive(Clone, Copy)]
enum Count {
    /// Exactly this power of two, above [`FLAT`].
    Power(u32),
    /// From 1 to this many times, above 1.
    UpTo(u32),
    /// One or more.
    Plus,
}

impl GrammarBuilder {
    /// The alternatives of `inner{min,max}`.
    pub(crate) fn repeat(&mut self, inner: Bodies, min: u32, max: Option<u32>) -> Bodies {
        match max {
            Some(max) if max < min => {
                self.invalid(format!("repetition {{{min},{max}}}: the upper bound is below the lower one"));
                Bodies::new()
            }
            Some(0) => vec![Vec::new()],
            _ if inner.is_empty() && min == 0 => vec![Vec::new()],
            _ if inner.is_empty() => Bodies::new(),
            Some(1) if min == 1 => inner,
            Some(1) => with_epsilon(inner),
            _ => {
                let x = self.single(inner);
                self.repeat_symbol(x, min, max)
            }
        }
    }
    fn repeat_symbol(&mut self, x: Symbol, min: u32, max: Option<u32>) -> Bodies {
        let mut body = self.exactly(x, min.saturating_sub(1));
        match max {
            Some(max) if max == min => body.push(x),
            Some(max) => body.append(&mut self.up_to(x, max - min.saturating_sub(1))),
            None => body.push(self.counted(x, Count::Plus)),
        }
        match min {
            0 => vec![Vec::new(), body],
            _ => vec![body],
        }
    }
    /// `xⁿ`.
    fn exactly(&mut self, x: Symbol, n: u32) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        let mut rest = n;
        while rest > FLAT {
            let power = largest_power(rest);
            symbols.append(&mut self.power(x, power));
            rest -= power;
        }
        symbols.extend(std::iter::repeat_n(x, rest as usize));
        symbols
    }
    /// `xⁿ` for a power of two.
    fn power(&mut self, x: Symbol, n: u32) -> Vec<Symbol> {
        match n <= FLAT {
            true => vec![x; n as usize],
            false => vec![self.counted(x, Count::Power(n))],
        }
    }
    /// `x` from 1 to `n` times, n ≥ 1.
    fn up_to(&mut self, x: Symbol, n: u32) -> Vec<Symbol> {
        match n {
            1 => vec![x],
            _ => vec![self.counted(x, Count::UpTo(n))],
        }
    }
    /// The shared nonterminal for a count. The recursion is as deep as the count has bits.
    fn counted(&mut self, x: Symbol, count: Count) -> Symbol {
        let (hint, code) = match count {
            Count::Power(n) => ("power", u64::from(n)),
            Count::UpTo(n) => ("upto", 1 << 32 | u64::from(n)),
            Count::Plus => ("repeat", 2 << 32),
        };
        let key = (self.scope(), x, code);
        if let Some(&known) = self.by_repeat.get(&key) {
            return Symbol::Nonterminal(known);
        }
        let n = self.fresh(hint);
        self.by_repeat.insert(key, n);
        for body in self.counted_bodies(x, count, n) {
            self.production(n, body);
        }
        Symbol::Nonterminal(n)
    }
    fn counted_bodies(&mut self, x: Symbol, count: Count, own: NonterminalId) -> Bodies {
        match count {
            Count::Plus => vec![vec![x], vec![Symbol::Nonterminal(own), x]],
            Count::Power(n) => {
                let half = self.power(x, n / 2);
                vec![[half.clone(), half].concat()]
            }
            Count::UpTo(n) if n <= FLAT => (1..=n).map(|k| vec![x; k as usize]).collect(),
            Count::UpTo(n) => {
                let power = largest_power(n);
                let block = self.power(x, power);
                let mut bodies = vec![self.up_to(x, power - 1), block.clone()];
                if n > power {
                    bodies.push([block, self.up_to(x, n - power)].concat());
                }
                bodies
            }
        }
    }

    /// The alternatives of a separated sequence: a left-recursive chain, `Pᵢ` = "at least one of the first i items".
    ///
    /// `Pᵢ → Pᵢ₋₁` if item i may be absent, `Pᵢ₋₁ sep xᵢ`, `xᵢ` if all earlier ones may be absent, and `Pᵢ sep xᵢ` if
    /// it may repeat.
    pub(crate) fn separated(&mut self, separator: &[Symbol], items: Vec<(Bodies, Occurs)>) -> Bodies {
        let mut before: Option<Vec<Symbol>> = None;
        let mut may_be_empty = true;
        for (item, occurs) in items {
            if item.is_empty() && occurs.may_be_absent() {
                continue;
            }
            let item = self.choice(item);
            let after = |prefix: &[Symbol]| [prefix, separator, &item].concat();
            let mut bodies = Bodies::new();
            if may_be_empty {
                bodies.push(item.clone());
            }
            bodies.extend(before.as_deref().map(after));
            if occurs.may_be_absent() {
                bodies.extend(before.clone());
            }
            before = Some(match occurs.may_repeat() {
                true => self.repeated_item(bodies, separator, &item),
                false => self.choice(bodies),
            });
            may_be_empty &= occurs.may_be_absent();
        }
        match before {
            None => vec![Vec::new()],
            Some(body) if may_be_empty => vec![Vec::new(), body],
            Some(body) => vec![body],
        }
    }
    /// `P → bodies | P sep item`.
    fn repeated_item(&mut self, bodies: Bodies, separator: &[Symbol], item: &[Symbol]) -> Vec<Symbol> {
        let n = self.fresh("items");
        for body in bodies {
            self.production(n, body);
        }
        self.production(n, [&[Symbol::Nonterminal(n)], separator, item].concat());
        vec![Symbol::Nonterminal(n)]
    }
}

/// `bodies | ε`.
fn with_epsilon(mut bodies: Bodies) -> Bodies {
    if !bodies.iter().any(Vec::is_empty) {
        bodies.insert(0, Vec::new());
    }
    bodies
}

/// The largest power of two up to `n` (n ≥ 1).
fn largest_power(n: u32) -> u32 {
    1 << n.max(1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Expr;
    use crate::ir::Grammar;
    use crate::testing::{language, Word};
    use crate::transform::Cfg;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn grammar(make: impl FnOnce(&mut GrammarBuilder) -> Expr) -> Grammar {
        let mut builder = GrammarBuilder::new();
        let start = builder.nonterminal("start");
        let expr = make(&mut builder);
        builder.define(start, expr);
        builder.build(start).expect("a valid grammar")
    }
    fn cfg(grammar: &Grammar) -> Cfg {
        let productions = grammar.productions.clone();
        Cfg { start: grammar.start, nonterminals: grammar.nonterminals.len(), productions }
    }
    /// Number of derivations of aⁿ per n ≤ `max`, by iterating to the fixpoint (the grammars here are not cyclic).
    fn derivations(cfg: &Cfg, max: usize) -> Vec<u64> {
        let mut counts = vec![vec![0u64; max + 1]; cfg.nonterminals];
        for _ in 0..=max + 20 {
            let mut next = vec![vec![0u64; max + 1]; cfg.nonterminals];
            for p in &cfg.productions {
                let mut sum: Vec<u64> = (0..=max).map(|n| u64::from(n == 0)).collect();
                for symbol in &p.rhs {
                    let one = |n: usize| match symbol {
                        Symbol::Terminal(_) => u64::from(n == 1),
                        Symbol::Nonterminal(m) => counts[m.0 as usize][n],
                    };
                    sum = (0..=max).map(|n| (0..=n).map(|i| sum[i].saturating_mul(one(n - i))).sum()).collect();
                }
                next[p.lhs.0 as usize].iter_mut().zip(&sum).for_each(|(a, b)| *a += b);
            }
            counts = next;
        }
        counts.swap_remove(cfg.start.0 as usize)
    }

    proptest! {
        #[test]
        fn every_count_has_exactly_one_derivation(min in 0u32..18, extra in proptest::option::of(0u32..18)) {
            let max = extra.map(|e| min + e);
            let g = grammar(|b| Expr::from(b.literal("a")).repeat(min, max));
            let counts = derivations(&cfg(&g), 36);
            for (n, count) in counts.into_iter().enumerate() {
                let allowed = n >= min as usize && max.is_none_or(|m| n <= m as usize);
                prop_assert_eq!(count, u64::from(allowed), "{} times", n);
            }
        }

        #[test]
        fn separators_stand_between_present_items(occurs in proptest::collection::vec(0usize..4, 0..4)) {
            let occurs: Vec<Occurs> =
                occurs.iter().map(|&i| [Occurs::One, Occurs::Optional, Occurs::Star, Occurs::Plus][i]).collect();
            let g = grammar(|b| {
                let separator = Box::new(b.literal(",").into());
                let items = occurs.iter().enumerate().map(|(i, &o)| (b.literal(format!("{i}")).into(), o)).collect();
                Expr::Separated { separator, items }
            });
            // Terminal 0 is the separator, terminal i + 1 item i.
            let mut lists: BTreeSet<Word> = BTreeSet::from([Word::new()]);
            for (i, o) in occurs.iter().enumerate() {
                let least = usize::from(!o.may_be_absent());
                let most = if o.may_repeat() { 5 } else { 1 };
                let longer = |w: &Word| (least..=most).map(|n| [w.clone(), vec![i as u8 + 1; n]].concat()).collect::<Vec<_>>();
                lists = lists.iter().flat_map(longer).collect();
            }
            let spaced = lists.iter().map(|w| w.iter().flat_map(|&x| [0, x]).skip(1).collect::<Word>());
            let wanted: BTreeSet<Word> = spaced.filter(|w| w.len() <= 7).collect();
            prop_assert_eq!(language(&cfg(&g), 7), wanted);
        }
    }

    #[test]
    fn large_counts_make_few_short_productions() {
        let g = grammar(|b| Expr::from(b.literal("a")).repeat(1000, Some(u32::MAX)));
        assert!(g.productions.len() < 200, "{}", g.productions.len());
        assert!(g.productions.iter().all(|p| p.rhs.len() <= 16));
    }

    #[test]
    fn repetition_of_nothing() {
        let of = |expr: Expr, min, max| language(&cfg(&grammar(|_| expr.repeat(min, max))), 3).len();
        assert_eq!(of(Expr::Empty, 0, None), 1);
        assert_eq!(of(Expr::Empty, 2, None), 0);
        assert_eq!(of(Expr::Epsilon, 2, Some(9)), 1);
        assert_eq!(of(Expr::Epsilon, 0, None), 1);
    }
}
