//! Weighted automata over any symbol: every edge and every end carries a weight of a semiring, and a word's value is
//! the sum over its paths of the product along each.
//!
//! [`Nwa`] is free to build and combine (union, concatenation); [`Dwa`] is deterministic and trimmed, and is what runs.
//! With sets of tokens as weights, one automaton holds a whole family of languages, one per token: "which tokens
//! accept this word?" is a single run. Algorithms are Mohri's ("Weighted automata algorithms", 2009).
//!
//! ```
//! use glrmask_automata::weighted::{Nwa, Semiring, TokenSet};
//! let mut nwa: Nwa<char, TokenSet> = Nwa::new();
//! let (start, end) = (nwa.add_state(), nwa.add_state());
//! nwa.add_start(start, TokenSet::one());
//! nwa.add_edge(start, 'x', end, TokenSet::from_iter([1, 2]));
//! nwa.add_edge(start, 'x', start, TokenSet::from_iter([2, 3]));
//! nwa.set_final(end, TokenSet::one());
//! let dwa = nwa.determinize(100)?;
//! assert_eq!(dwa.weight(&['x', 'x']), TokenSet::from_iter([2]));
//! // Everything that accepts some prefix: {} + {1, 2} + {2}.
//! assert_eq!(dwa.run(&['x', 'x'], &TokenSet::one()), TokenSet::from_iter([1, 2]));
//! # Ok::<(), glrmask_automata::AutomataError>(())
//! ```

mod boolean;
mod determinize;
mod dump;
mod dwa;
mod nwa;
mod semiring;
mod token_set;
mod tropical;

pub use boolean::Boolean;
pub use dwa::Dwa;
pub use nwa::{Nwa, WeightedEdge};
pub use semiring::{Divisible, Semiring};
pub use token_set::TokenSet;
pub use tropical::Tropical;
