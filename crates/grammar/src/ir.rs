//! The intermediate representation every front-end produces and every transformation rewrites.
//!
//! A grammar is a list of terminals (regular languages over bytes), nonterminals and productions. Repetition,
//! options and groups are already productions here; [`GrammarBuilder`](crate::GrammarBuilder) makes them, left-recursive, so that front-ends
//! need not. Scopes carry the ignored terminals and the keyword switch (an inline grammar is a scope of its own).

use std::sync::Arc;

use glrmask_automata::{typed_id, IndexVec, NonterminalId, Regex, Symbol, TerminalId};
use glrmask_instance::Rules;
use serde::{Deserialize, Serialize};

typed_id!(
    /// A scope: a grammar's own names, ignored terminals and lexing rules.
    pub struct ScopeId, "scope"
);

/// The root scope of every grammar.
pub const ROOT_SCOPE: ScopeId = ScopeId(0);

/// Where something stands in a source text. Half-open byte interval; line and column (in Unicode scalars) from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// Line of the first byte, from 1.
    pub line: usize,
    /// Column of the first byte in Unicode scalars, from 1.
    pub column: usize,
}

impl Span {
    /// The beginning of a text, where something is said to be missing that has no other place.
    pub const BEGIN: Self = Self { start: 0, end: 0, line: 1, column: 1 };
}

/// What a terminal matches.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Pattern {
    /// Exactly these bytes (never empty).
    Literal(Vec<u8>),
    /// These bytes, ASCII and Unicode simple case folded (valid UTF-8, never empty).
    LiteralIgnoreCase(String),
    /// A regular language. Its empty string, if it has one, is not part of the terminal (front-ends make it optional).
    Regex(Regex),
    /// One token event out of these ids (sorted, distinct); never bytes.
    ExactTokens(Vec<u32>),
}

/// A terminal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Terminal {
    /// A name for diagnostics, dumps and lexer groups.
    pub name: String,
    /// What it matches.
    pub pattern: Pattern,
    /// The scope it belongs to.
    pub scope: ScopeId,
    /// Where it was declared or first used.
    pub span: Option<Span>,
}

/// A nonterminal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Nonterminal {
    /// A name for diagnostics and dumps (unique within its scope, or made up and starting with `$`).
    pub name: String,
    /// The scope it belongs to.
    pub scope: ScopeId,
    /// Where it was declared.
    pub span: Option<Span>,
}

/// A production `lhs → rhs`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Production {
    /// Left-hand side.
    pub lhs: NonterminalId,
    /// Right-hand side; empty means ε.
    pub rhs: Vec<Symbol>,
}

/// A scope.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Scope {
    /// Name of the scope, empty for the root.
    pub name: String,
    /// The scope it stands in; `None` for the root.
    pub parent: Option<ScopeId>,
    /// Ignored terminals: `I*` before the first atom, between atoms and after the last one of this scope.
    pub ignore: Vec<TerminalId>,
    /// Whether the keyword rule applies (`keywords off;` switches it off).
    pub keywords: bool,
    /// Lexer groups: the members of a group compete for the longest match.
    pub groups: Vec<Vec<TerminalId>>,
}

impl Default for Scope {
    fn default() -> Self {
        Self { name: String::new(), parent: None, ignore: Vec::new(), keywords: true, groups: Vec::new() }
    }
}

/// What a slot takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SlotKind {
    /// A grammar: the symbol is a nonterminal without productions.
    Grammar,
    /// Token events: the symbol is a terminal of no ids ([`Pattern::ExactTokens`]).
    Token,
}

/// An open slot, `extern grammar NAME;` or `extern token NAME;`: a symbol that derives nothing until it is bound.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Slot {
    /// Its name within its scope.
    pub name: String,
    /// What it takes.
    pub kind: SlotKind,
    /// The scope that declares it.
    pub scope: ScopeId,
    /// The symbol that stands for it in productions.
    pub symbol: Symbol,
    /// Where it is declared.
    pub span: Option<Span>,
}

/// `@mark(id)`: a nonterminal whose only production is `n → ε`, and whose place in a text is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Mark {
    /// The nonterminal that stands for it in productions.
    pub nonterminal: NonterminalId,
    /// The number that is reported.
    pub id: u32,
}

/// Rules beside a grammar whose texts are JSON documents.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Instance {
    /// The rules.
    pub rules: Arc<Rules>,
    /// Whether they may be left out where the grammar is printed; otherwise that is an error.
    pub is_optional: bool,
}

/// A part of a grammar whose texts are JSON documents with rules beside it. What it derives may stand anywhere in the text,
/// as often as the grammar says; each time it is a document of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Document {
    /// The symbol that derives a document.
    pub start: NonterminalId,
    /// The scopes of its terminals. Nothing else stands in them.
    pub scopes: Vec<ScopeId>,
    /// What is asked of it.
    pub asked: Instance,
}

/// A grammar: terminals, nonterminals, productions, scopes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Grammar {
    /// Terminals.
    pub terminals: IndexVec<TerminalId, Terminal>,
    /// Nonterminals.
    pub nonterminals: IndexVec<NonterminalId, Nonterminal>,
    /// Productions, in no particular order.
    pub productions: Vec<Production>,
    /// Scopes; the root scope is the first.
    pub scopes: IndexVec<ScopeId, Scope>,
    /// The start symbol.
    pub start: NonterminalId,
    /// Slots that nothing is bound to yet.
    pub slots: Vec<Slot>,
    /// Markers.
    pub marks: Vec<Mark>,
    /// What is asked of the texts beside the grammar, if anything: texts are JSON documents then. Only for a grammar that is
    /// the whole text; where that becomes a part of another, it is one of its [`documents`](Self::documents).
    pub instance: Option<Instance>,
    /// Parts that are JSON documents with rules of their own.
    pub documents: Vec<Document>,
}

impl Grammar {
    /// The documents of the grammar where it is a part of another: it may be one itself.
    pub fn documents_as_part(&self) -> Vec<Document> {
        let whole = self.instance.as_ref().map(|asked| Document {
            start: self.start,
            scopes: self.scopes.ids().collect(),
            asked: asked.clone(),
        });
        self.documents.iter().cloned().chain(whole).collect()
    }
}
