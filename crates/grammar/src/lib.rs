//! Context-free grammars over regular terminals: intermediate representation, transformations, and the GLRM and EBNF front-ends.

pub mod builder;
pub mod diagnostic;
pub mod ebnf;
pub mod expr;
pub mod glrm;
pub mod ir;
pub mod pattern;
mod repeat;
#[cfg(test)]
mod testing;
mod text;
pub mod transform;

pub use builder::GrammarBuilder;
pub use diagnostic::{Diagnostic, DiagnosticKind, GrammarError};
pub use expr::{Expr, Occurs};
pub use ir::{Grammar, Nonterminal, Pattern, Production, Scope, ScopeId, Span, Terminal, ROOT_SCOPE};
pub use transform::{normalize, NormalizeConfig, Normalized};
