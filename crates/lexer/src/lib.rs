//! Lexing for grammar-constrained decoding: terminals to components, longest match, classes of tokens, profiles, filled on demand.
