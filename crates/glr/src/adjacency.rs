//! Which terminal may stand directly after which, which may begin a text and which may end one.
//!
//! The lexer prunes with it: a token whose bytes read as `t u` is hopeless when `u` never follows `t`, whatever the
//! parser's stack looks like. It is a property of neighbours only: ignored text is not a symbol of the rules, so it
//! stands between neighbours unseen.
//!
//! In a rule `A → … X Y …`, everything that can end an `X` is followed by everything that can begin a `Y`. So let
//! `begin(Y)` be the terminals that a derivation from `Y` can begin with, give `X` the set `begin(Y)` as what comes
//! after it, and hand that down from each nonterminal to the last symbols of its rules. Both steps are one
//! `Relation::solve`, linear in the size of the rules (times the words of a set).

use glrmask_automata::{Id, NonterminalId, Symbol, TerminalId};
use serde::{Deserialize, Serialize};

use crate::digraph::{BitMatrix, Relation};
use crate::error::GlrError;
use crate::limits::Limits;
use crate::rules::{Rule, RuleSet};
use crate::terminal_set::{union_into, TerminalSet};

/// The neighbour relation between terminals of a [`RuleSet`].
///
/// ```
/// use glrmask_automata::{NonterminalId, Symbol, TerminalId};
/// use glrmask_glr::{Adjacency, Limits, Rule, RuleSet};
/// // P → ( P ) | x
/// let [open, close, x] = [0, 1, 2].map(TerminalId);
/// let p = NonterminalId(0);
/// let nested = vec![Symbol::Terminal(open), Symbol::Nonterminal(p), Symbol::Terminal(close)];
/// let rules = RuleSet {
///     terminals: 3,
///     nonterminals: 1,
///     rules: vec![Rule { lhs: p, rhs: nested }, Rule { lhs: p, rhs: vec![Symbol::Terminal(x)] }],
///     start: p,
/// };
/// let adjacency = Adjacency::new(&rules, &Limits::default())?;
/// assert_eq!(adjacency.follow(open).iter().collect::<Vec<_>>(), [open, x]);
/// assert_eq!(adjacency.follow(x).iter().collect::<Vec<_>>(), [close]);
/// assert!(adjacency.first().contains(open) && adjacency.last().contains(close));
/// # Ok::<(), glrmask_glr::GlrError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Adjacency {
    follow: Vec<TerminalSet>,
    first: TerminalSet,
    last: TerminalSet,
}

/// What terminals beyond the known ones are followed by.
static NONE: TerminalSet = TerminalSet::new();

impl Adjacency {
    /// Computes the relation.
    ///
    /// # Errors
    /// Invalid rules (see [`RuleSet::validate`]), or more than [`Limits::set_words`] words per matrix.
    pub fn new(rules: &RuleSet, limits: &Limits) -> Result<Self, GlrError> {
        rules.validate()?;
        let words = (rules.nonterminals + rules.terminals).saturating_mul(rules.terminals.div_ceil(64));
        GlrError::check_limit("adjacency words", words, limits.set_words)?;
        let begins = ends_of(rules, |rule| rule.rhs.first());
        let ends = ends_of(rules, |rule| rule.rhs.last());
        Ok(Self {
            follow: follow(rules, &begins),
            first: TerminalSet::from_words(begins.row(rules.start.index())),
            last: TerminalSet::from_words(ends.row(rules.start.index())),
        })
    }

    /// The terminals that may stand directly after `t` in some sentence, ignored text left out; empty for a terminal
    /// that the rules do not know.
    pub fn follow(&self, t: TerminalId) -> &TerminalSet {
        self.follow.get(t.index()).unwrap_or(&NONE)
    }

    /// The terminals that may begin a text.
    pub fn first(&self) -> &TerminalSet {
        &self.first
    }

    /// The terminals that may end a text.
    pub fn last(&self) -> &TerminalSet {
        &self.last
    }

    /// Number of terminals.
    pub fn terminals(&self) -> usize {
        self.follow.len()
    }
}

/// Per nonterminal, the terminals at one end of its derivations; `end` picks that end of a rule.
fn ends_of(rules: &RuleSet, end: impl Fn(&Rule) -> Option<&Symbol>) -> BitMatrix {
    let mut sets = BitMatrix::new(rules.nonterminals, rules.terminals);
    let mut pairs = Vec::new();
    for rule in &rules.rules {
        match end(rule) {
            Some(Symbol::Terminal(t)) => sets.insert(rule.lhs.index(), t.index()),
            Some(Symbol::Nonterminal(a)) => pairs.push((rule.lhs.index(), a.index())),
            None => (),
        }
    }
    Relation::new(rules.nonterminals, pairs).solve(&mut sets);
    sets
}

/// Per terminal, what follows it. Nodes of the relation: nonterminals, then terminals.
fn follow(rules: &RuleSet, begins: &BitMatrix) -> Vec<TerminalSet> {
    let node = |symbol: Symbol| match symbol {
        Symbol::Nonterminal(NonterminalId(a)) => a as usize,
        Symbol::Terminal(t) => rules.nonterminals + t.index(),
    };
    let mut after = BitMatrix::new(rules.nonterminals + rules.terminals, rules.terminals);
    let mut pairs = Vec::new();
    for rule in &rules.rules {
        for (&x, &y) in rule.rhs.iter().zip(rule.rhs.iter().skip(1)) {
            match y {
                Symbol::Terminal(t) => after.insert(node(x), t.index()),
                Symbol::Nonterminal(b) => {
                    union_into(after.row_mut(node(x)), begins.row(b.index()));
                }
            }
        }
        pairs.extend(rule.rhs.last().map(|&z| (node(z), rule.lhs.index())));
    }
    Relation::new(rules.nonterminals + rules.terminals, pairs).solve(&mut after);
    (0..rules.terminals).map(|t| TerminalSet::from_words(after.row(rules.nonterminals + t))).collect()
}
