//! The runtime of glrmask: constraints, per-sequence states, masks and commits. Needs no compiler.
