//! `glrmask.Optimization`.

use glrmask::Optimization;
use pyo3::prelude::*;

/// Build time against time per token.
#[pyclass(
    name = "Optimization",
    module = "glrmask",
    frozen,
    eq,
    hash,
    from_py_object,
    rename_all = "SCREAMING_SNAKE_CASE"
)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum PyOptimization {
    Auto,
    Balanced,
    FastBuild,
    FastRuntime,
}

impl From<PyOptimization> for Optimization {
    fn from(optimization: PyOptimization) -> Self {
        match optimization {
            PyOptimization::Auto => Self::Auto,
            PyOptimization::Balanced => Self::Balanced,
            PyOptimization::FastBuild => Self::FastBuild,
            PyOptimization::FastRuntime => Self::FastRuntime,
        }
    }
}
