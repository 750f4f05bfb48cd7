//! Context-free grammars over regular terminals: intermediate representation, transformations, and the GLRM and EBNF front-ends.

pub mod ir;

pub use ir::{Grammar, Nonterminal, Pattern, Production, Scope, ScopeId, Span, Terminal, ROOT_SCOPE};
