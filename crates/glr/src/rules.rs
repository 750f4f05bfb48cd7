//! The grammar as this crate sees it: numbered terminals, numbered nonterminals, rules that are never empty.
//!
//! Names, scopes, source spans and empty right-hand sides are the grammar's business and are gone by now. Two
//! promises make everything downstream simple, and [`RuleSet::validate`] checks both:
//!
//! * *no empty rule*: every reduction pops at least one state, so nothing is ever nullable;
//! * *no unit cycle* (`A → B`, `B → A`): between two shifts, the reductions that keep the stack as deep as it was
//!   form a chain without repetition. Parsing therefore ends, with no counter to watch over it.

use glrmask_automata::{Id, NonterminalId, Symbol};
use serde::{Deserialize, Serialize};

use crate::digraph::Relation;
use crate::error::GlrError;

/// A production `lhs → rhs`, `rhs` not empty.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Rule {
    /// The nonterminal being defined.
    pub lhs: NonterminalId,
    /// Its right-hand side; at least one symbol.
    pub rhs: Vec<Symbol>,
}

/// An ε-free context-free grammar. Unreachable and unproductive symbols are allowed, but cost precision (of
/// [`Adjacency`](crate::Adjacency)) and table space: trim before.
///
/// ```
/// use glrmask_automata::{NonterminalId, Symbol, TerminalId};
/// use glrmask_glr::{Rule, RuleSet};
/// // L → L a | a
/// let (list, a) = (NonterminalId(0), Symbol::Terminal(TerminalId(0)));
/// let rules = RuleSet {
///     terminals: 1,
///     nonterminals: 1,
///     rules: vec![
///         Rule { lhs: list, rhs: vec![Symbol::Nonterminal(list), a] },
///         Rule { lhs: list, rhs: vec![a] },
///     ],
///     start: list,
/// };
/// assert!(rules.validate().is_ok());
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RuleSet {
    /// Number of terminals; their ids are `0..terminals`. Not each needs to occur in a rule.
    pub terminals: usize,
    /// Number of nonterminals; their ids are `0..nonterminals`.
    pub nonterminals: usize,
    /// The productions. Repeated ones do no harm.
    pub rules: Vec<Rule>,
    /// What a whole text derives from.
    pub start: NonterminalId,
}

impl RuleSet {
    /// Checks that every id is in range, no rule is empty and no nonterminal derives itself by unit rules. Linear in
    /// the size of the rules.
    ///
    /// # Errors
    /// Names the first offending rule or nonterminal.
    pub fn validate(&self) -> Result<(), GlrError> {
        if self.start.index() >= self.nonterminals {
            return Err(GlrError::unknown_start(self.start, self.nonterminals));
        }
        for (i, rule) in self.rules.iter().enumerate() {
            self.check_rule(i, rule)?;
        }
        match self.unit_relation().find_cycle() {
            Some(node) => Err(GlrError::unit_cycle(NonterminalId::from_usize(node))),
            None => Ok(()),
        }
    }

    /// Total number of right-hand-side symbols.
    pub(crate) fn size(&self) -> usize {
        self.rules.iter().map(|rule| rule.rhs.len()).sum()
    }

    fn check_rule(&self, i: usize, rule: &Rule) -> Result<(), GlrError> {
        if rule.rhs.is_empty() {
            return Err(GlrError::empty_rule(i));
        }
        self.check_nonterminal(i, rule.lhs)?;
        rule.rhs.iter().try_for_each(|&symbol| match symbol {
            Symbol::Terminal(t) if t.index() >= self.terminals => Err(GlrError::unknown_terminal(i, t, self.terminals)),
            Symbol::Terminal(_) => Ok(()),
            Symbol::Nonterminal(a) => self.check_nonterminal(i, a),
        })
    }

    fn check_nonterminal(&self, i: usize, a: NonterminalId) -> Result<(), GlrError> {
        if a.index() >= self.nonterminals {
            return Err(GlrError::unknown_nonterminal(i, a, self.nonterminals));
        }
        Ok(())
    }

    /// `A → B` for every rule whose right-hand side is the nonterminal `B` alone.
    fn unit_relation(&self) -> Relation {
        let pairs = self.rules.iter().filter_map(|rule| match rule.rhs.as_slice() {
            [Symbol::Nonterminal(b)] => Some((rule.lhs.index(), b.index())),
            _ => None,
        });
        Relation::new(self.nonterminals, pairs.collect())
    }
}
