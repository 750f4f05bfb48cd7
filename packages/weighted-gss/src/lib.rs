//! Python bindings of `weighted-gss`: the module `weighted_gss._weighted_gss`.
//!
//! Stacks hold any hashable values, weights are any objects. Comparing and joining runs Python code, which may raise:
//! joins go through the fallible interface of the core, values through `symbol`, and the exception always reaches
//! the caller with the operands intact.

mod gss;
mod symbol;
mod tuple;
mod weight;

/// The compiled part of `weighted_gss`.
#[pyo3::pymodule]
mod _weighted_gss {
    #[pymodule_export]
    use crate::gss::WeightedGss;
}
