//! The compiler of glrmask: grammar to lexer components and parser tables to a runnable constraint.
