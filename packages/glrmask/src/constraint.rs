//! `glrmask.Constraint` and `glrmask.DynamicConstraint`.
//!
//! The second is the first with everything filled while decoding; it has a type of its own, since a program that
//! compiles in the background wants to tell them apart.

use std::time::{Duration, Instant};

use glrmask::{CompileOptions, Constraint, StageTime};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};

use crate::compile::{what, CompileArgs, Raised};
use crate::compose::PyExactTokens;
use crate::errors;
use crate::grammar::PyGrammar;
use crate::looks;
use crate::optimization::PyOptimization;
use crate::state::PyConstraintState;
use crate::vocab::PyVocab;

/// A grammar compiled for a vocabulary.
#[pyclass(name = "Constraint", module = "glrmask", frozen, subclass)]
pub struct PyConstraint {
    constraint: Constraint,
    vocab: Py<PyVocab>,
    /// How long compiling took, stage by stage; empty if it was loaded.
    stages: Vec<StageTime>,
    /// What Python raised when a completion in the background asked it whether to go on.
    raised: Raised,
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
        let (grammar, known) = (grammar.grammar(), vocab.get().vocab());
        let compile = |options: &_, observe: &mut dyn FnMut(_)| grammar.compile_timed(known, options, observe);
        Self::made(py, vocab.clone().unbind(), args, compile)
    }

    /// What `make` makes, detached from the interpreter.
    pub(crate) fn made(
        py: Python<'_>,
        vocab: Py<PyVocab>,
        args: CompileArgs,
        make: impl FnOnce(&CompileOptions, &mut dyn FnMut(StageTime)) -> Result<Constraint, glrmask::Error> + Send,
    ) -> PyResult<Self> {
        let mut stages = Vec::new();
        let (constraint, raised) = args.run(py, |options| make(options, &mut |stage| stages.push(stage)))?;
        Ok(Self { constraint, vocab, stages, raised })
    }

    fn loaded(py: Python<'_>, data: &[u8], vocab: Option<&Bound<'_, PyVocab>>) -> PyResult<Self> {
        let known = vocab.map(|vocab| vocab.get().vocab());
        let constraint = py.detach(|| Constraint::load(data, known)).map_err(|e| errors::from_artifact(py, &e))?;
        let vocab = match vocab {
            Some(vocab) => vocab.clone().unbind(),
            None => Py::new(py, PyVocab::of(constraint.vocab().clone()))?,
        };
        Ok(Self { constraint, vocab, stages: Vec::new(), raised: Raised::default() })
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
    fn marker_ids(&self) -> Vec<u32> {
        self.constraint.marker_ids().to_vec()
    }
    #[getter]
    fn vocab(&self, py: Python<'_>) -> Py<PyVocab> {
        self.vocab.clone_ref(py)
    }
    fn boundary_triggers(&self) -> Vec<(String, PyExactTokens)> {
        let named = |boundary: &glrmask::BoundaryTrigger| {
            (boundary.path.join("::"), PyExactTokens::of(boundary.tokens.clone()))
        };
        self.constraint.boundary_triggers().iter().map(named).collect()
    }
    #[getter]
    fn end_token_ids(&self) -> Vec<u32> {
        self.constraint.end_tokens().iter().map(|id| id.0).collect()
    }
    #[pyo3(signature = (view))]
    fn dump(&self, py: Python<'_>, view: &str) -> PyResult<String> {
        let view = looks::view(view)?;
        Ok(py.detach(|| self.constraint.dump(view)))
    }
    #[pyo3(signature = (view))]
    fn to_dot(&self, py: Python<'_>, view: &str) -> PyResult<String> {
        let view = looks::view(view)?;
        Ok(py.detach(|| self.constraint.to_dot(view)))
    }
    #[getter]
    fn is_complete(&self, py: Python<'_>) -> bool {
        py.detach(|| self.constraint.is_complete())
    }
    #[pyo3(signature = (timeout = None))]
    fn wait(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<bool> {
        let timeout = timeout.map(Duration::try_from_secs_f64).transpose();
        let end = timeout.map_err(|e| PyValueError::new_err(format!("timeout: {e}")))?.map(|t| Instant::now() + t);
        loop {
            // In slices, so that Ctrl-C is heard.
            let left = end.map_or(SLICE, |end| end.saturating_duration_since(Instant::now()).min(SLICE));
            let ended = py.detach(|| self.constraint.wait(Some(left)));
            let ended = ended.map_err(|e| what(py, &self.raised).unwrap_or_else(|| errors::from_runtime(py, &e)))?;
            if ended.is_some() || !py.detach(|| self.constraint.is_filling()) {
                return Ok(true);
            }
            py.check_signals()?;
            if end.is_some_and(|end| Instant::now() >= end) {
                return Ok(false);
            }
        }
    }
    #[pyo3(signature = (*, external_vocab = false))]
    fn save<'py>(&self, py: Python<'py>, external_vocab: bool) -> PyResult<Bound<'py, PyBytes>> {
        let saved = py.detach(|| self.constraint.save(external_vocab)).map_err(|e| errors::from_artifact(py, &e))?;
        Ok(PyBytes::new(py, &saved))
    }
    #[staticmethod]
    #[pyo3(signature = (data, vocab = None))]
    fn load(py: Python<'_>, data: PyBackedBytes, vocab: Option<&Bound<'_, PyVocab>>) -> PyResult<Self> {
        Self::loaded(py, &data, vocab)
    }
    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let types = py.import("glrmask.types")?;
        let stats = py.detach(|| self.constraint.stats());
        let glrmask::Stats { scans, classes, profiles, rows, masks, bytes, clears, scan_clears, mask_clears } = stats;
        let filled = self.constraint.frozen_stats().map(|filled| {
            let glrmask::runtime::FrozenStats { profiles, rows, transitions, masks, bytes } = filled;
            types.getattr("FilledStats")?.call1((profiles, rows, transitions, masks, bytes))
        });
        let stages = PyDict::new(py);
        for StageTime { stage, time } in &self.stages {
            // Each component goes through the first ones.
            let name = format!("{stage:?}").to_lowercase();
            let before: f64 = stages.get_item(&name)?.map_or(Ok(0.0), |known| known.extract())?;
            stages.set_item(name, before + time.as_secs_f64())?;
        }
        let clears = (clears, scan_clears, mask_clears);
        let filled = filled.transpose()?;
        let fields = (scans, classes, profiles, rows, masks, bytes, clears.0, clears.1, clears.2, filled, stages);
        types.getattr("Stats")?.call1(fields)
    }
}

/// Python looks for signals this often.
const SLICE: Duration = Duration::from_millis(50);

#[pymethods]
impl PyDynamicConstraint {
    #[staticmethod]
    #[pyo3(signature = (data, vocab = None))]
    fn load(py: Python<'_>, data: PyBackedBytes, vocab: Option<&Bound<'_, PyVocab>>) -> PyResult<Py<Self>> {
        let base = PyConstraint::loaded(py, &data, vocab)?;
        Py::new(py, PyClassInitializer::from(base).add_subclass(Self))
    }
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
