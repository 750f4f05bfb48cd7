//! Makes ignored terminals explicit.
//!
//! A scope's ignored terminals I may stand before its first atom, between its atoms and after its last one, never inside
//! a terminal. So in a scope with ignores every atom `t` becomes `T → t | T I`, and an entry into the scope (the start
//! symbol, or a reference from another scope, which is an atom there) becomes `F N` with `F → ε | F I` in front.
//! A child inherits nothing. Where everything is in the root scope the ignores can stay *global*: the lexer drops them
//! and the parser never sees them, which is far cheaper.

use glrmask_automata::{Id, NonterminalId, Symbol, TerminalId};
use rustc_hash::FxHashMap;

use super::Cfg;
use crate::ir::{Grammar, Production, ScopeId, ROOT_SCOPE};

/// The grammar's productions with ignores made explicit, or left out and returned if `keep_global` and they are global.
/// Ignored terminals that are not `usable` (they match nothing) are forgotten. Linear.
pub fn ignore(grammar: &Grammar, keep_global: bool, usable: impl Fn(TerminalId) -> bool) -> (Cfg, Vec<TerminalId>) {
    let mut cfg = Cfg {
        start: grammar.start,
        nonterminals: grammar.nonterminals.len(),
        productions: grammar.productions.clone(),
    };
    let ignored: Vec<Vec<TerminalId>> =
        grammar.scopes.iter().map(|s| s.ignore.iter().copied().filter(|&t| usable(t)).collect()).collect();
    if ignored.iter().all(Vec::is_empty) {
        return (cfg, Vec::new());
    }
    if keep_global && grammar.nonterminals.iter().all(|n| n.scope == ROOT_SCOPE) {
        let mut global = ignored.into_iter().next().unwrap_or_default();
        global.sort_unstable();
        global.dedup();
        return (cfg, global);
    }
    let mut rewriter = Rewriter { grammar, ignored, memo: FxHashMap::default(), cfg: &mut cfg };
    rewriter.run();
    (cfg, Vec::new())
}

/// The nonterminals made, by what they stand for.
#[derive(PartialEq, Eq, Hash)]
enum Made {
    /// One ignored lexeme of a scope.
    Lexeme(ScopeId),
    /// Any number of ignored lexemes.
    Front(ScopeId),
    /// A nonterminal entered from outside its scope.
    Entry(NonterminalId),
    /// An atom of a scope with ignored lexemes after it.
    Atom(ScopeId, Symbol),
}

struct Rewriter<'a> {
    grammar: &'a Grammar,
    /// Usable ignored terminals by scope.
    ignored: Vec<Vec<TerminalId>>,
    memo: FxHashMap<Made, NonterminalId>,
    cfg: &'a mut Cfg,
}

impl Rewriter<'_> {
    fn run(&mut self) {
        let mut productions = std::mem::take(&mut self.cfg.productions);
        for Production { lhs, rhs } in &mut productions {
            let scope = self.grammar.nonterminals[*lhs].scope;
            rhs.iter_mut().for_each(|symbol| *symbol = self.symbol(scope, *symbol));
        }
        productions.append(&mut self.cfg.productions);
        self.cfg.productions = productions;
        if let Symbol::Nonterminal(start) = self.enter(self.grammar.start) {
            self.cfg.start = start;
        }
    }
    fn has_ignores(&self, scope: ScopeId) -> bool {
        self.ignored.get(scope.index()).is_some_and(|list| !list.is_empty())
    }
    /// What stands for a symbol in a production of `scope`.
    fn symbol(&mut self, scope: ScopeId, symbol: Symbol) -> Symbol {
        match symbol {
            Symbol::Nonterminal(n) if self.grammar.nonterminals[n].scope == scope => symbol,
            Symbol::Nonterminal(n) => {
                let entry = self.enter(n);
                self.atom(scope, entry)
            }
            Symbol::Terminal(_) => self.atom(scope, symbol),
        }
    }
    /// `N`, or `F N` where N's scope has ignores.
    fn enter(&mut self, n: NonterminalId) -> Symbol {
        let scope = self.grammar.nonterminals[n].scope;
        if !self.has_ignores(scope) {
            return Symbol::Nonterminal(n);
        }
        let front = self.front(scope);
        self.make(Made::Entry(n), |_| vec![vec![front, Symbol::Nonterminal(n)]])
    }
    /// `F → ε | F I`.
    fn front(&mut self, scope: ScopeId) -> Symbol {
        let lexeme = self.lexeme(scope);
        self.make(Made::Front(scope), |own| vec![vec![], vec![own, lexeme]])
    }
    /// `T → t | T I`.
    fn atom(&mut self, scope: ScopeId, atom: Symbol) -> Symbol {
        if !self.has_ignores(scope) {
            return atom;
        }
        let lexeme = self.lexeme(scope);
        self.make(Made::Atom(scope, atom), |own| vec![vec![atom], vec![own, lexeme]])
    }
    fn lexeme(&mut self, scope: ScopeId) -> Symbol {
        let ignored = self.ignored.get(scope.index()).cloned().unwrap_or_default();
        match ignored.as_slice() {
            [only] => Symbol::Terminal(*only),
            _ => self.make(Made::Lexeme(scope), |_| ignored.iter().map(|&t| vec![Symbol::Terminal(t)]).collect()),
        }
    }
    fn make(&mut self, what: Made, bodies: impl FnOnce(Symbol) -> Vec<Vec<Symbol>>) -> Symbol {
        if let Some(&known) = self.memo.get(&what) {
            return Symbol::Nonterminal(known);
        }
        let lhs = self.cfg.fresh();
        self.memo.insert(what, lhs);
        for rhs in bodies(Symbol::Nonterminal(lhs)) {
            self.cfg.productions.push(Production { lhs, rhs });
        }
        Symbol::Nonterminal(lhs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{any_grammar, language, reference_language};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn explicit_ignores_are_the_definition(g in any_grammar()) {
            let (cfg, global) = ignore(&g, false, |_| true);
            prop_assert!(global.is_empty());
            prop_assert_eq!(language(&cfg, 4), reference_language(&g, 4));
        }

        #[test]
        fn ignores_stay_global_in_a_single_scope(g in any_grammar()) {
            let (cfg, global) = ignore(&g, true, |_| true);
            if g.nonterminals.iter().all(|n| n.scope == ROOT_SCOPE) {
                prop_assert_eq!(cfg.productions, g.productions);
                prop_assert_eq!(global.len(), g.scopes[ROOT_SCOPE].ignore.len());
            } else {
                prop_assert!(global.is_empty());
            }
        }
    }
}
