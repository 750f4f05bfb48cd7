//! `glrmask.PreparedGrammar`.

use std::sync::{Mutex, PoisonError};

use glrmask::{CompileOptions, PrepareOptions, PreparedGrammar, PreparedValue};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::compile::CompileArgs;
use crate::compose::{self, PyBoundaryTriggerDetail, PyExactTokens, PyToken};
use crate::constraint::PyConstraint;
use crate::errors;
use crate::grammar::PyGrammar;
use crate::optimization::PyOptimization;
use crate::vocab::PyVocab;

/// A grammar prepared for one vocabulary.
#[pyclass(name = "PreparedGrammar", module = "glrmask", frozen)]
pub struct PyPreparedGrammar {
    grammar: Mutex<PreparedGrammar>,
    vocab: Py<PyVocab>,
}

impl PyPreparedGrammar {
    pub(crate) fn prepare(grammar: &PyGrammar, vocab: &Bound<'_, PyVocab>, args: CompileArgs) -> PyResult<Self> {
        let (grammar, known) = (grammar.grammar(), vocab.get().vocab());
        let (prepared, _) = args.run(vocab.py(), |options| {
            let CompileOptions { boundary_trigger, optimization, limits, threads, cancel, config, .. } =
                options.clone();
            let options = PrepareOptions { boundary_trigger, optimization, limits, threads, cancel, config };
            grammar.prepare(known, &options)
        })?;
        Ok(Self { grammar: Mutex::new(prepared), vocab: vocab.clone().unbind() })
    }

    /// A snapshot.
    fn grammar(&self) -> PreparedGrammar {
        self.grammar.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn value(value: &Bound<'_, PyAny>) -> PyResult<PreparedValue> {
        if let Ok(grammar) = value.cast::<Self>() {
            return Ok(grammar.get().grammar().into());
        }
        if let Ok(token) = value.cast::<PyToken>() {
            return Ok(token.get().token().into());
        }
        let Ok(tokens) = value.cast::<PyExactTokens>() else {
            return Err(errors::wrong_type("value", "PreparedGrammar, Token or ExactTokens", value));
        };
        Ok(tokens.get().tokens().into())
    }
}

#[pymethods]
impl PyPreparedGrammar {
    #[pyo3(signature = (name, value))]
    fn bind(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let given = Self::value(value)?;
        // An exception is made without the lock: making it runs Python, which may let another thread come here.
        let bound = self.grammar.lock().unwrap_or_else(PoisonError::into_inner).bind(name, given);
        bound.map_err(|e| errors::from_error(value.py(), &e))
    }

    #[getter]
    fn requirements<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        compose::requirements(py, self.grammar().requirements())
    }

    #[getter]
    fn vocab(&self, py: Python<'_>) -> Py<PyVocab> {
        self.vocab.clone_ref(py)
    }

    #[allow(clippy::too_many_arguments)] // Keywords in Python.
    #[pyo3(signature = (
        *, end_tokens = None, optimization = None, boundary_trigger = None, background = false, limits = None,
        threads = None, cancel = None, strict = false
    ))]
    fn link(
        &self,
        py: Python<'_>,
        end_tokens: Option<&Bound<'_, PyAny>>,
        optimization: Option<PyOptimization>,
        boundary_trigger: Option<PyBoundaryTriggerDetail>,
        background: bool,
        limits: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
        cancel: Option<&Bound<'_, PyAny>>,
        strict: bool,
    ) -> PyResult<PyConstraint> {
        let args = CompileArgs::new(end_tokens, optimization)?.with_policy(background, strict);
        let args = args.with_work(limits, threads, cancel)?.with_boundary_trigger(boundary_trigger);
        let grammar = self.grammar();
        let link = |options: &_, observe: &mut dyn FnMut(_)| grammar.link_timed(options, observe);
        PyConstraint::made(py, self.vocab.clone_ref(py), args, link)
    }

    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let grammar = self.grammar();
        let saved = py.detach(|| grammar.save()).map_err(|e| errors::from_error(py, &e))?;
        Ok(PyBytes::new(py, &saved))
    }
    #[staticmethod]
    #[pyo3(signature = (data, vocab = None))]
    fn load(py: Python<'_>, data: PyBackedBytes, vocab: Option<&Bound<'_, PyVocab>>) -> PyResult<Self> {
        let known = vocab.map(|vocab| vocab.get().vocab());
        let loaded = py.detach(|| PreparedGrammar::load(&data, known)).map_err(|e| errors::from_error(py, &e))?;
        let vocab = match vocab {
            Some(vocab) => vocab.clone().unbind(),
            None => Py::new(py, PyVocab::of(loaded.vocab().clone()))?,
        };
        Ok(Self { grammar: Mutex::new(loaded), vocab })
    }

    #[pyo3(name = "clone")]
    fn copy(&self, py: Python<'_>) -> Self {
        Self { grammar: Mutex::new(self.grammar()), vocab: self.vocab.clone_ref(py) }
    }
    fn __copy__(&self, py: Python<'_>) -> Self {
        self.copy(py)
    }
    #[pyo3(signature = (memo, /))]
    fn __deepcopy__(&self, py: Python<'_>, memo: &Bound<'_, PyAny>) -> Self {
        let _ = memo; // Nothing it refers to can change.
        self.copy(py)
    }

    fn __repr__(&self) -> String {
        let open = self.grammar().requirements().map_or_else(|_| "many".to_owned(), |open| open.len().to_string());
        format!("<glrmask.PreparedGrammar: {open} open slots>")
    }
}
