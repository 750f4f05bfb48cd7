//! Ignored text that a grammar spells out, as the lexer is to know it ([`Lexer::with_padding`]).
//!
//! Where ignored terminals are left to the lexer there is none. Otherwise every atom of a scope with ignored terminals is
//! followed by any number of those (`glrmask_grammar`, `transform/ignore.rs`), wherever it stands. So they are padding of the
//! terminals that occur in that scope and in no other.

use glrmask_automata::{IndexVec, Symbol, TerminalId};
use glrmask_grammar::{Grammar, Normalized, ScopeId};
use glrmask_lexer::{BitSet, Lexer};

/// Where a terminal occurs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Nowhere,
    In(ScopeId),
    InSeveral,
}

impl Place {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nowhere, place) | (place, Self::Nowhere) => place,
            (one, other) if one == other => one,
            _ => Self::InSeveral,
        }
    }
}

/// Tells the lexer of a grammar. Time: the grammar.
pub(crate) fn with_padding(lexer: Lexer, grammar: &Grammar, normalized: &Normalized) -> Lexer {
    if !normalized.global_ignore.is_empty() || grammar.scopes.iter().all(|scope| scope.ignore.is_empty()) {
        return lexer;
    }
    let known = |t: TerminalId| normalized.merged.get(t).copied().unwrap_or(t);
    let padding = |scope: ScopeId| -> BitSet {
        let ignored = grammar.scopes.get(scope).into_iter().flat_map(|scope| &scope.ignore);
        ignored.map(|&t| known(t).0 as usize).collect()
    };
    let (places, by_scope) = (places(grammar, known), grammar.scopes.ids().map(padding).collect::<IndexVec<_, _>>());
    lexer.with_padding(|t| match places.get(t) {
        Some(&Place::In(scope)) => by_scope.get(scope).cloned().unwrap_or_default(),
        _ => BitSet::default(),
    })
}

/// Where the terminals that the parser knows occur, under whichever name.
fn places(grammar: &Grammar, known: impl Fn(TerminalId) -> TerminalId) -> IndexVec<TerminalId, Place> {
    let mut places = IndexVec::from_elem(Place::Nowhere, grammar.terminals.len());
    let mut occurs = |t: TerminalId, scope: ScopeId| {
        let t = known(t);
        if let Some(place) = places.get(t).copied() {
            places[t] = Place::and(place, Place::In(scope));
        }
    };
    for production in &grammar.productions {
        let Some(lhs) = grammar.nonterminals.get(production.lhs) else { continue };
        for symbol in &production.rhs {
            if let Symbol::Terminal(t) = *symbol {
                occurs(t, lhs.scope);
            }
        }
    }
    for (id, scope) in grammar.scopes.iter_enumerated() {
        scope.ignore.iter().for_each(|&t| occurs(t, id));
    }
    places
}
