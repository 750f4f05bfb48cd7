//! A persistent weighted graph-structured stack: a finite set of stacks, each with one weight.
//!
//! A generalised LR parser follows several stacks at once. A graph-structured stack stores them with shared tops and
//! bottoms; a *weighted* one also attaches a value to every stack, and joins the values when stacks become equal.
//! Storing the value inside the graph means that an update runs once for all stacks, whatever their values, and that
//! graphs which differ in one place share everything else.
//!
//! ```
//! use weighted_gss::WeightedGss;
//!
//! // Two stacks that differ in the middle, with weights (here: `bool`, joined by "or").
//! let a = WeightedGss::from_stack([0, 1, 5], false);
//! let b = WeightedGss::from_stack([0, 2, 5], true);
//! let both = a.merge(&b);
//! assert_eq!(both.top(), Some(&5));
//!
//! // One reduction for both: pop two symbols, push another. The stacks are now equal.
//! let reduced = both.popn(2).push(7);
//! assert_eq!(reduced.to_stacks(10)?, [(vec![0, 7], true)]);
//! # Ok::<(), weighted_gss::Error>(())
//! ```
//!
//! # How it is stored
//! States are on edges, weights on nodes. Long straight runs are segments of contiguous memory; a weight that all
//! stacks below a node have in common stands once, as near to the root as possible, above an *unweighted* graph. The
//! usual case, one stack with one weight, is a weight beside a segment: pushing onto it is an append.
//!
//! Nothing recurses on the call stack: graphs millions of symbols deep can be merged, compared and dropped.

mod chain;
mod cursor;
mod dot;
mod equality;
mod error;
mod evaluate;
mod fork;
mod gss;
mod invariants;
mod linear;
mod map;
mod memory;
mod merge;
mod minimize;
mod ops;
mod unique;
mod visit;
mod weight;
mod weighted;
mod weighted_fork;

pub use cursor::Symbols;
pub use error::Error;
pub use gss::Gss;
pub use linear::{Linear, LinearSymbols};
pub use weight::{ByWeight, Join, Weight};
pub use weighted::{NodeId, PopBranches, WeightedGss};
