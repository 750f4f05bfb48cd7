//! `glrmask.Constraint` and `glrmask.DynamicConstraint`.
//!
//! The second is the first with everything filled while decoding; it has a type of its own, since a program that
//! compiles in the background wants to tell them apart.

use glrmask::Constraint;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::grammar::{CompileArgs, PyGrammar};
use crate::optimization::PyOptimization;
use crate::state::PyConstraintState;
use crate::vocab::PyVocab;

/// A grammar compiled for a vocabulary.
#[pyclass(name = "Constraint", module = "glrmask", frozen, subclass)]
pub struct PyConstraint {
    constraint: Constraint,
    vocab: Py<PyVocab>,
}

/// A constraint that fills everything while decoding.
#[pyclass(name = "DynamicConstraint", module = "glrmask", frozen, extends = PyConstraint)]
pub struct PyDynamicConstraint;

impl PyConstraint {
    /// Compiles, detached from the interpreter.
    pub(crate) fn compile(
        py: Python<'_>,
        grammar: &PyGrammar,
        vocab: &Bound<'_, PyVocab>,
        args: CompileArgs,
    ) -> PyResult<Self> {
        let constraint = grammar.compile_for(py, vocab.get().vocab(), args)?;
        Ok(Self { constraint, vocab: vocab.clone().unbind() })
    }

    fn dynamic(
        py: Python<'_>,
        grammar: &PyGrammar,
        vocab: &Bound<'_, PyVocab>,
        end_token_ids: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyDynamicConstraint>> {
        let args = CompileArgs::new(end_token_ids, Some(PyOptimization::FastBuild))?;
        let base = Self::compile(py, grammar, vocab, args)?;
        Py::new(py, PyClassInitializer::from(base).add_subclass(PyDynamicConstraint))
    }
}

#[pymethods]
impl PyConstraint {
    #[staticmethod]
    #[pyo3(signature = (schema, vocab, *, end_token_ids = None, optimization = None, **options))]
    fn from_json_schema(
        py: Python<'_>,
        schema: &Bound<'_, PyAny>,
        vocab: &Bound<'_, PyVocab>,
        end_token_ids: Option<&Bound<'_, PyAny>>,
        optimization: Option<PyOptimization>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let args = CompileArgs::new(end_token_ids, optimization)?;
        Self::compile(py, &PyGrammar::from_json_schema(py, schema, options)?, vocab, args)
    }

    #[staticmethod]
    #[pyo3(signature = (source, vocab, *, end_token_ids = None, optimization = None))]
    fn from_glrm(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        vocab: &Bound<'_, PyVocab>,
        end_token_ids: Option<&Bound<'_, PyAny>>,
        optimization: Option<PyOptimization>,
    ) -> PyResult<Self> {
        let args = CompileArgs::new(end_token_ids, optimization)?;
        Self::compile(py, &PyGrammar::from_glrm(py, source)?, vocab, args)
    }

    #[staticmethod]
    #[pyo3(signature = (source, vocab, *, end_token_ids = None, optimization = None))]
    fn from_ebnf(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        vocab: &Bound<'_, PyVocab>,
        end_token_ids: Option<&Bound<'_, PyAny>>,
        optimization: Option<PyOptimization>,
    ) -> PyResult<Self> {
        let args = CompileArgs::new(end_token_ids, optimization)?;
        Self::compile(py, &PyGrammar::from_ebnf(py, source)?, vocab, args)
    }

    #[staticmethod]
    #[pyo3(signature = (
        source, vocab, *, profile = "recognition", token_names = None, end_token_ids = None, optimization = None
    ))]
    fn from_lark(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        vocab: &Bound<'_, PyVocab>,
        profile: &str,
        token_names: Option<&Bound<'_, PyAny>>,
        end_token_ids: Option<&Bound<'_, PyAny>>,
        optimization: Option<PyOptimization>,
    ) -> PyResult<Self> {
        let args = CompileArgs::new(end_token_ids, optimization)?;
        Self::compile(py, &PyGrammar::from_lark(source, profile, token_names)?, vocab, args)
    }

    fn start(&self, py: Python<'_>) -> PyConstraintState {
        PyConstraintState::new(py.detach(|| self.constraint.start()))
    }
    fn mask_len(&self) -> usize {
        self.constraint.mask_words()
    }
    #[getter]
    fn vocab(&self, py: Python<'_>) -> Py<PyVocab> {
        self.vocab.clone_ref(py)
    }
    #[getter]
    fn end_token_ids(&self) -> Vec<u32> {
        self.constraint.end_tokens().iter().map(|id| id.0).collect()
    }
    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let stats = py.detach(|| self.constraint.stats());
        let glrmask::Stats { scans, classes, profiles, rows, masks, bytes, clears } = stats;
        let fields = (scans, classes, profiles, rows, masks, bytes, clears);
        py.import("glrmask.types")?.getattr("Stats")?.call1(fields)
    }
}

#[pymethods]
impl PyDynamicConstraint {
    #[staticmethod]
    #[pyo3(signature = (schema, vocab, *, end_token_ids = None, **options))]
    fn from_json_schema(
        py: Python<'_>,
        schema: &Bound<'_, PyAny>,
        vocab: &Bound<'_, PyVocab>,
        end_token_ids: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<Self>> {
        PyConstraint::dynamic(py, &PyGrammar::from_json_schema(py, schema, options)?, vocab, end_token_ids)
    }

    #[staticmethod]
    #[pyo3(signature = (source, vocab, *, end_token_ids = None))]
    fn from_glrm(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        vocab: &Bound<'_, PyVocab>,
        end_token_ids: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<Self>> {
        PyConstraint::dynamic(py, &PyGrammar::from_glrm(py, source)?, vocab, end_token_ids)
    }

    #[staticmethod]
    #[pyo3(signature = (source, vocab, *, end_token_ids = None))]
    fn from_ebnf(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        vocab: &Bound<'_, PyVocab>,
        end_token_ids: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<Self>> {
        PyConstraint::dynamic(py, &PyGrammar::from_ebnf(py, source)?, vocab, end_token_ids)
    }

    #[staticmethod]
    #[pyo3(signature = (source, vocab, *, profile = "recognition", token_names = None, end_token_ids = None))]
    fn from_lark(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        vocab: &Bound<'_, PyVocab>,
        profile: &str,
        token_names: Option<&Bound<'_, PyAny>>,
        end_token_ids: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<Self>> {
        PyConstraint::dynamic(py, &PyGrammar::from_lark(source, profile, token_names)?, vocab, end_token_ids)
    }
}

/// One more than the largest id of vocabulary and end tokens: the length of a Boolean mask.
pub(crate) fn id_count(constraint: &Constraint) -> usize {
    let largest = constraint.vocab().max_id().into_iter().chain(constraint.end_tokens().iter().copied()).max();
    largest.map_or(0, |id| id.0 as usize + 1)
}
