//! One grammar inside another: its scopes, symbols and productions copied, ids moved up.

use glrmask_automata::{NonterminalId, Symbol, TerminalId};

use crate::builder::GrammarBuilder;
use crate::ir::{Document, Grammar, Mark, Nonterminal, Production, Scope, ScopeId, Slot, Terminal};

/// How far ids move.
#[derive(Clone, Copy)]
pub(crate) struct Shift {
    pub(crate) terminals: u32,
    pub(crate) nonterminals: u32,
    pub(crate) scopes: u32,
}

impl Shift {
    pub(crate) fn nonterminal(self, n: NonterminalId) -> NonterminalId {
        NonterminalId(n.0 + self.nonterminals)
    }
    pub(crate) fn terminal(self, t: TerminalId) -> TerminalId {
        TerminalId(t.0 + self.terminals)
    }
    pub(crate) fn symbol(self, symbol: Symbol) -> Symbol {
        match symbol {
            Symbol::Terminal(t) => Symbol::Terminal(self.terminal(t)),
            Symbol::Nonterminal(n) => Symbol::Nonterminal(self.nonterminal(n)),
        }
    }
    pub(crate) fn scope(self, scope: ScopeId) -> ScopeId {
        ScopeId(scope.0 + self.scopes)
    }
    pub(crate) fn in_terminal(self, terminal: &Terminal) -> Terminal {
        Terminal { scope: self.scope(terminal.scope), ..terminal.clone() }
    }
    pub(crate) fn in_nonterminal(self, nonterminal: &Nonterminal) -> Nonterminal {
        Nonterminal { scope: self.scope(nonterminal.scope), ..nonterminal.clone() }
    }
    pub(crate) fn in_production(self, production: &Production) -> Production {
        let rhs = production.rhs.iter().map(|symbol| self.symbol(*symbol)).collect();
        Production { lhs: self.nonterminal(production.lhs), rhs }
    }
    pub(crate) fn in_slot(self, slot: &Slot) -> Slot {
        Slot { scope: self.scope(slot.scope), symbol: self.symbol(slot.symbol), ..slot.clone() }
    }
    pub(crate) fn in_mark(self, mark: Mark) -> Mark {
        Mark { nonterminal: self.nonterminal(mark.nonterminal), ..mark }
    }
    pub(crate) fn in_document(self, document: &Document) -> Document {
        let scopes = document.scopes.iter().map(|scope| self.scope(*scope)).collect();
        Document { start: self.nonterminal(document.start), scopes, asked: document.asked.clone() }
    }
    /// The documents of a grammar that becomes a part.
    pub(crate) fn documents(self, grammar: &Grammar) -> impl Iterator<Item = Document> + '_ {
        grammar.documents_as_part().into_iter().map(move |document| self.in_document(&document))
    }
    pub(crate) fn in_scope(self, scope: &Scope) -> Scope {
        let list = |terminals: &[TerminalId]| terminals.iter().map(|t| self.terminal(*t)).collect();
        Scope {
            parent: scope.parent.map(|parent| self.scope(parent)),
            ignore: list(&scope.ignore),
            groups: scope.groups.iter().map(|group| list(group)).collect(),
            ..scope.clone()
        }
    }
}

impl GrammarBuilder {
    /// Copies a grammar in, as one atom with scopes of its own; the name is given to its root scope. Returns its start
    /// symbol. Linear in its size.
    ///
    /// ```
    /// use glrmask_grammar::{glrm, Expr, GrammarBuilder};
    /// let inner = glrm::parse("start s; nt s = \"x\"+; ignore \" \";")?;
    /// let mut builder = GrammarBuilder::new();
    /// let start = builder.nonterminal("start");
    /// let (quote, inner) = (builder.literal("'"), builder.embed("inner", &inner));
    /// builder.define(start, Expr::Sequence(vec![quote.into(), inner.into(), quote.into()]));
    /// assert_eq!(builder.build(start)?.scopes.len(), 2);
    /// # Ok::<(), glrmask_grammar::GrammarError>(())
    /// ```
    ///
    /// A grammar with rules beside it ([`Grammar::instance`]) becomes one of the [`documents`](Grammar::documents).
    pub fn embed(&mut self, name: &str, grammar: &Grammar) -> NonterminalId {
        let (shift, parent) = (self.shift(), Some(self.scope()));
        for (i, scope) in grammar.scopes.iter().enumerate() {
            let scope = shift.in_scope(scope);
            self.push_scope(if i == 0 { Scope { name: name.to_owned(), parent, ..scope } } else { scope });
        }
        grammar.terminals.iter().for_each(|t| self.push_terminal(shift.in_terminal(t)));
        grammar.nonterminals.iter().for_each(|n| self.push_nonterminal(shift.in_nonterminal(n)));
        grammar.productions.iter().map(|p| shift.in_production(p)).for_each(|p| self.production(p.lhs, p.rhs));
        grammar.slots.iter().for_each(|slot| self.push_slot(shift.in_slot(slot)));
        grammar.marks.iter().for_each(|mark| self.push_mark(shift.in_mark(*mark)));
        shift.documents(grammar).for_each(|document| self.push_document(document));
        shift.nonterminal(grammar.start)
    }
}
