//! Ignored text that a grammar spells out, as the lexer is to know it ([`Lexer::with_padding`]).
//!
//! Where ignored terminals are left to the lexer there is none. Otherwise every atom of a scope with ignored terminals is
//! followed by any number of those (`glrmask_grammar`, `transform/ignore.rs`), wherever it stands. So they are padding of the
//! terminals that occur in that scope and in no other, if they occur as nothing else.

use glrmask_automata::{Id, IndexVec, Symbol, TerminalId};
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
    let atoms: BitSet = atoms(grammar).map(|(t, _)| known(t).index()).collect();
    let padding = |scope: ScopeId| -> BitSet {
        let ignored = grammar.scopes.get(scope).into_iter().flat_map(|scope| &scope.ignore);
        ignored.map(|&t| known(t).index()).filter(|&t| !atoms.contains(t)).collect()
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
    atoms(grammar).for_each(|(t, scope)| occurs(t, scope));
    for (id, scope) in grammar.scopes.iter_enumerated() {
        scope.ignore.iter().for_each(|&t| occurs(t, id));
    }
    places
}

/// Terminals in productions, with the scopes of these.
fn atoms(grammar: &Grammar) -> impl Iterator<Item = (TerminalId, ScopeId)> + '_ {
    grammar.productions.iter().flat_map(|production| {
        let scope = grammar.nonterminals.get(production.lhs).map(|lhs| lhs.scope);
        let terminal = |symbol: &Symbol| match *symbol {
            Symbol::Terminal(t) => Some(t),
            Symbol::Nonterminal(_) => None,
        };
        scope.into_iter().flat_map(move |scope| production.rhs.iter().filter_map(terminal).map(move |t| (t, scope)))
    })
}
