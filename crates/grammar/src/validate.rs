//! What a grammar promises: checked before it is transformed, and after it is built.

use glrmask_automata::{Id, Symbol};

use crate::diagnostic::GrammarError;
use crate::ir::{Grammar, Pattern, Scope, ScopeId, SlotKind, Span};

impl Grammar {
    /// Checks that every id is in range and that patterns are in the form their documentation says. Linear.
    ///
    /// Grammars of the builder and the front-ends are valid; this is for those put together by hand.
    ///
    /// # Errors
    /// The first promise that is broken.
    pub fn validate(&self) -> Result<(), GrammarError> {
        self.check_nonterminals()?;
        self.check_terminals()?;
        self.check_scopes()?;
        for production in &self.productions {
            if self.nonterminals.get(production.lhs).is_none() {
                return Err(undeclared(production.lhs));
            }
            production.rhs.iter().try_for_each(|symbol| self.check_symbol(*symbol))?;
        }
        let lists = self.scopes.iter().flat_map(|s| s.groups.iter().chain([&s.ignore]));
        lists.flatten().try_for_each(|&t| self.check_symbol(Symbol::Terminal(t)))?;
        self.check_documents()?;
        self.check_slots()
    }

    /// Checks that texts of GLRM can say all of it: that nothing is asked beside the grammar, or only what may be left out.
    ///
    /// # Errors
    /// [`instance`](Self::instance) rules, its own or those of [`documents`](Self::documents).
    pub fn check_printable(&self) -> Result<(), GrammarError> {
        let mut asked = self.instance.iter().chain(self.documents.iter().map(|document| &document.asked));
        match asked.all(|asked| asked.is_optional) {
            true => Ok(()),
            false => Err(GrammarError::unsupported(
                "`uniqueItems` (or `minProperties` beside free keys) over unboundedly many values, and many keys in any \
                 order, are enforced beside the grammar, and cannot be written in it: read the schema with `unsupported` \
                 set to weaken",
                None,
            )),
        }
    }

    fn check_documents(&self) -> Result<(), GrammarError> {
        let known = |scope: &ScopeId| scope.index() < self.scopes.len();
        for document in &self.documents {
            self.check_symbol(Symbol::Nonterminal(document.start))?;
            if !document.scopes.iter().all(known) {
                return Err(GrammarError::invalid("a document stands in a scope that there is not", None));
            }
        }
        Ok(())
    }

    fn check_scopes(&self) -> Result<(), GrammarError> {
        let outside = |(id, scope): (_, &Scope)| scope.parent.is_some_and(|parent| parent >= id);
        match self.scopes.iter_enumerated().any(outside) {
            true => Err(GrammarError::invalid("a scope stands in one that comes later", None)),
            false => Ok(()),
        }
    }

    fn check_slots(&self) -> Result<(), GrammarError> {
        for slot in &self.slots {
            self.check_symbol(slot.symbol)?;
            if slot.scope.index() >= self.scopes.len() {
                return Err(foreign_scope(&slot.name, slot.span));
            }
            let fits = matches!(
                (slot.kind, slot.symbol),
                (SlotKind::Grammar, Symbol::Nonterminal(_)) | (SlotKind::Token, Symbol::Terminal(_))
            );
            if !fits {
                return Err(GrammarError::invalid(
                    format!("slot `{}` has a symbol of the other kind", slot.name),
                    slot.span,
                ));
            }
        }
        self.marks.iter().try_for_each(|mark| self.check_symbol(Symbol::Nonterminal(mark.nonterminal)))
    }

    fn check_nonterminals(&self) -> Result<(), GrammarError> {
        if self.nonterminals.get(self.start).is_none() {
            return Err(GrammarError::invalid(format!("start symbol {} is not declared", self.start), None));
        }
        let foreign = self.nonterminals.iter().find(|n| n.scope.index() >= self.scopes.len());
        foreign.map_or(Ok(()), |n| Err(foreign_scope(&n.name, n.span)))
    }
    fn check_terminals(&self) -> Result<(), GrammarError> {
        for terminal in self.terminals.iter() {
            if terminal.scope.index() >= self.scopes.len() {
                return Err(foreign_scope(&terminal.name, terminal.span));
            }
            let well_formed = match &terminal.pattern {
                Pattern::Literal(bytes) => !bytes.is_empty(),
                Pattern::LiteralIgnoreCase(text) => !text.is_empty(),
                Pattern::Regex(_) => true,
                Pattern::ExactTokens(ids) => ids.windows(2).all(|w| w.first() < w.last()),
            };
            if !well_formed {
                let message = format!("terminal `{}` is empty, or its token ids are not sorted", terminal.name);
                return Err(GrammarError::invalid(message, terminal.span));
            }
        }
        Ok(())
    }
    fn check_symbol(&self, symbol: Symbol) -> Result<(), GrammarError> {
        match symbol {
            Symbol::Terminal(t) if self.terminals.get(t).is_none() => Err(undeclared(t)),
            Symbol::Nonterminal(n) if self.nonterminals.get(n).is_none() => Err(undeclared(n)),
            _ => Ok(()),
        }
    }
}

fn undeclared(id: impl std::fmt::Display) -> GrammarError {
    GrammarError::invalid(format!("symbol {id} is not declared"), None)
}

fn foreign_scope(name: &str, span: Option<Span>) -> GrammarError {
    GrammarError::invalid(format!("`{name}` belongs to a scope that does not exist"), span)
}

#[cfg(test)]
mod tests {
    use crate::ir::{Pattern, Production, ScopeId};
    use crate::{normalize, Grammar};
    use glrmask_automata::{NonterminalId, Symbol, TerminalId};

    #[test]
    fn broken_promises_are_errors() {
        let good = crate::glrm::parse("start s; nt s = \"a\" s | @token(3, 1);").expect("a valid grammar");
        assert_eq!(good.validate(), Ok(()));
        let lhs = good.start;
        let breaks: [&dyn Fn(&mut Grammar); 7] = [
            &|g| g.start = NonterminalId(9),
            &|g| g.productions.push(Production { lhs: NonterminalId(9), rhs: Vec::new() }),
            &|g| g.productions.push(Production { lhs, rhs: vec![Symbol::Terminal(TerminalId(9))] }),
            &|g| g.terminals[TerminalId(0)].pattern = Pattern::Literal(Vec::new()),
            &|g| g.terminals[TerminalId(1)].pattern = Pattern::ExactTokens(vec![3, 1]),
            &|g| g.nonterminals[NonterminalId(0)].scope = ScopeId(1),
            &|g| g.scopes[ScopeId(0)].ignore.push(TerminalId(9)),
        ];
        for (i, harm) in breaks.iter().enumerate() {
            let mut bad = good.clone();
            harm(&mut bad);
            assert!(normalize(&bad, &Default::default()).is_err(), "{i}");
        }
    }
}
