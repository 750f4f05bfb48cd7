//! The native part of the Python package `glrmask`: one file per class, nothing that is not a thin edge.
//!
//! Classes are frozen; what changes (a state) is behind a mutex, so any thread may use any object and "already
//! borrowed" cannot happen. Whatever may take long runs detached from the interpreter. Exceptions are defined in Python
//! (`glrmask.errors`), documentation of members is in the stub (`__init__.pyi`).
#![allow(missing_docs)] // What is public here is public to Python, and documented there.

mod array;
mod batch;
mod compile;
mod compose;
mod constraint;
mod errors;
mod grammar;
mod looks;
mod optimization;
mod options;
mod prepared;
mod state;
mod tokens;
mod vocab;

use pyo3::prelude::*;

/// Compiling makes and drops many small tables, on several threads. Only memory of this module is affected.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[pymodule]
mod _glrmask {
    #[pymodule_export]
    use crate::batch::{commit_tokens_batch, fill_masks};
    #[pymodule_export]
    use crate::compose::{PyBoundaryTriggerDetail, PyExactTokens, PyToken};
    #[pymodule_export]
    use crate::constraint::{PyConstraint, PyDynamicConstraint};
    #[pymodule_export]
    use crate::grammar::PyGrammar;
    #[pymodule_export]
    use crate::optimization::PyOptimization;
    #[pymodule_export]
    use crate::prepared::PyPreparedGrammar;
    #[pymodule_export]
    use crate::state::PyConstraintState;
    #[pymodule_export]
    use crate::vocab::PyVocab;
}
