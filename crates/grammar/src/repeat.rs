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
