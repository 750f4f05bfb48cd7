//! JSON Schema to context-free grammar.
