//! GLR parsing for grammar-constrained decoding: LALR(1) tables with conflicts kept, stack effects, the Parser DWA.
