//! Context-free grammars over regular terminals: intermediate representation, transformations, and the text front-ends.
//!
//! A [`Grammar`] is what every front-end produces: terminals (regular languages over bytes), nonterminals, productions
//! and scopes. [`GrammarBuilder`] makes one, turning expressions with repetition, options and separators into
//! left-recursive productions. [`glrm`] reads and prints the project's own text format; [`ebnf`], [`gbnf`], [`lark`] and
//! [`structural_tag`] read those of others; [`language`] makes grammars of regular languages. [`normalize()`] rewrites a grammar, without changing its language, into the form that parser construction
//! wants: ε-free, without unit cycles, trimmed.
//!
//! ```
//! use glrmask_grammar::{glrm, normalize, NormalizeConfig};
//!
//! let grammar = glrm::parse(r#"
//!     start value;
//!     ignore WS;
//!     nt value = "[" "," ~ (value*) "]" | NUMBER;
//!     t NUMBER = "-"? [0-9]+;
//!     t WS = [ \t\n]+;
//! "#)?;
//! let normalized = normalize(&grammar, &NormalizeConfig::default())?;
//! assert_eq!(normalized.global_ignore.len(), 1);
//! assert_eq!(normalized.productions.len(), 7);
//! # Ok::<(), glrmask_grammar::GrammarError>(())
//! ```
//!
//! Reading order: `ir`, `expr`, `builder`, `repeat`; `assembly`, `flatten` (composition); `transform` (its driver is `transform::normalize`); `text` (what
//! the front-ends share), `glrm`, `ebnf`, `gbnf`, `regex`, `lark`, `structural_tag`.

pub mod assembly;
pub mod builder;
pub mod builtin;
pub mod diagnostic;
pub mod ebnf;
mod embed;
pub mod expr;
mod flatten;
pub mod gbnf;
pub mod glrm;
pub mod ir;
pub mod language;
pub mod lark;
mod linear;
pub mod pattern;
mod regex;
mod repeat;
pub mod structural_tag;
#[cfg(test)]
mod testing;
mod text;
pub mod transform;
mod validate;

pub use assembly::{Assembly, Binding, Events, Requirement, Source};
pub use builder::GrammarBuilder;
pub use diagnostic::{Diagnostic, DiagnosticKind, GrammarError};
pub use expr::{Expr, Occurs};
pub use ir::{
    Document, Grammar, Instance, Mark, Nonterminal, Pattern, Production, Scope, ScopeId, Slot, SlotKind, Span,
    Terminal, ROOT_SCOPE,
};
pub use transform::{normalize, normalize_marked, Marked, NormalizeConfig, Normalized};
