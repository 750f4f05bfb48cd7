//! What a constraint is, written down plainly: terminals, productions, scopes, and for every terminal its kill set.
//!
//! The oracles read nothing else. Kill sets stand here as data, so that the rule that makes them (keywords, lexer
//! groups) is tested apart from what they mean.

use std::collections::BTreeSet;
use std::fmt;

use glrmask_automata::{Id, IndexVec, NonterminalId, Symbol, TerminalId};
use glrmask_grammar::{Production, ScopeId, ROOT_SCOPE};

use crate::regex::Rx;

/// What a terminal matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecPattern {
    /// A run of bytes out of this language; its empty string does not count.
    Text(Rx),
    /// One token event out of these ids, never bytes.
    Tokens(Vec<u32>),
}

/// A terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecTerminal {
    /// A name, unique in its scope.
    pub name: String,
    /// What it matches.
    pub pattern: SpecPattern,
    /// Its scope.
    pub scope: ScopeId,
}

/// A scope: who is ignored in it, and where its kill sets come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpecScope {
    /// Ignored terminals.
    pub ignore: Vec<TerminalId>,
    /// Is the keyword rule on?
    pub keywords: bool,
    /// Lexer groups: all members of a group compete.
    pub groups: Vec<Vec<TerminalId>>,
}

/// A grammar with its kill sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Terminals.
    pub terminals: IndexVec<TerminalId, SpecTerminal>,
    /// The scope of every nonterminal.
    pub nonterminals: IndexVec<NonterminalId, ScopeId>,
    /// Productions.
    pub productions: Vec<Production>,
    /// Scopes; the first is the root.
    pub scopes: IndexVec<ScopeId, SpecScope>,
    /// The start symbol.
    pub start: NonterminalId,
    /// Markers: nonterminals that derive nothing, and the number that is reported for each.
    pub marks: Vec<(NonterminalId, u32)>,
    /// K: `kills[t]` holds t and every terminal that t must not be the beginning of.
    pub kills: IndexVec<TerminalId, BTreeSet<TerminalId>>,
}

impl Spec {
    /// A grammar of one scope without ignored terminals; nonterminal 0 is the start; K(t) = {t}.
    pub fn new(terminals: Vec<(String, Rx)>, nonterminals: usize, productions: Vec<Production>) -> Self {
        let make = |(name, rx)| SpecTerminal { name, pattern: SpecPattern::Text(rx), scope: ROOT_SCOPE };
        let terminals: Vec<SpecTerminal> = terminals.into_iter().map(make).collect();
        let mut spec = Self {
            terminals: terminals.into(),
            nonterminals: vec![ROOT_SCOPE; nonterminals].into(),
            productions,
            scopes: vec![SpecScope::default()].into(),
            start: NonterminalId(0),
            marks: Vec::new(),
            kills: IndexVec::new(),
        };
        spec.kills_from_groups();
        spec
    }

    /// Sets K(t) to t and the other members of its groups (no keyword rule).
    pub fn kills_from_groups(&mut self) {
        self.kills = self.terminals.ids().map(|t| BTreeSet::from([t])).collect::<Vec<_>>().into();
        for group in self.scopes.iter().flat_map(|scope| &scope.groups) {
            for &t in group {
                self.kills[t].extend(group);
            }
        }
    }

    /// Is `t` ignored in the root scope or any other?
    pub fn is_ignored(&self, t: TerminalId) -> bool {
        self.scopes.iter().any(|scope| scope.ignore.contains(&t))
    }

    /// The language of `t` over bytes, `None` for an exact-token terminal.
    pub fn text(&self, t: TerminalId) -> Option<&Rx> {
        match &self.terminals[t].pattern {
            SpecPattern::Text(rx) => Some(rx),
            SpecPattern::Tokens(_) => None,
        }
    }

    /// Every byte that some terminal can read.
    pub fn alphabet(&self) -> Vec<u8> {
        let texts = self.terminals.ids().filter_map(|t| self.text(t));
        let bytes: BTreeSet<u8> = texts.flat_map(Rx::sets).flatten().copied().collect();
        bytes.into_iter().collect()
    }

    fn name(&self, symbol: Symbol) -> String {
        match symbol {
            Symbol::Terminal(t) => self.terminals[t].name.clone(),
            Symbol::Nonterminal(n) => format!("N{}", n.index()),
        }
    }

    fn fmt_terminal(&self, f: &mut fmt::Formatter<'_>, t: TerminalId) -> fmt::Result {
        let terminal = &self.terminals[t];
        match &terminal.pattern {
            SpecPattern::Text(rx) => write!(f, "{} = /{rx}/", terminal.name)?,
            SpecPattern::Tokens(ids) => write!(f, "{} = @token{ids:?}", terminal.name)?,
        }
        if self.is_ignored(t) {
            f.write_str(" ignored")?;
        }
        let others: Vec<String> =
            self.kills[t].iter().filter(|&&k| k != t).map(|&k| self.name(Symbol::Terminal(k))).collect();
        if !others.is_empty() {
            write!(f, " killed by {}", others.join(" "))?;
        }
        if terminal.scope != ROOT_SCOPE {
            write!(f, " in {}", terminal.scope)?;
        }
        writeln!(f, ";")
    }
}

/// One line per terminal and production; the start is named first.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "start {};", self.name(Symbol::Nonterminal(self.start)))?;
        for t in self.terminals.ids() {
            self.fmt_terminal(f, t)?;
        }
        for &(n, id) in &self.marks {
            writeln!(f, "{} is @mark({id});", self.name(Symbol::Nonterminal(n)))?;
        }
        for rule in &self.productions {
            let rhs: Vec<String> = rule.rhs.iter().map(|&x| self.name(x)).collect();
            let rhs = if rhs.is_empty() { "ε".to_owned() } else { rhs.join(" ") };
            let scope = self.nonterminals[rule.lhs];
            let scope = if scope == ROOT_SCOPE { String::new() } else { format!(" in {scope}") };
            writeln!(f, "{} → {rhs}{scope};", self.name(Symbol::Nonterminal(rule.lhs)))?;
        }
        Ok(())
    }
}
