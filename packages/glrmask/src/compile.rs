//! What `Grammar.compile`, `Grammar.prepare` and `PreparedGrammar.link` are told, and how they end early.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use glrmask::{Cancel, CompileOptions, Limits, Optimization};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::compose::PyBoundaryTriggerDetail;
use crate::errors;
use crate::optimization::PyOptimization;
use crate::options::count;
use crate::vocab::token_ids;

/// How often Python is asked whether to go on: taking its lock costs far more than the question.
const ASK_EVERY: Duration = Duration::from_millis(20);

/// What `compile`, `link` and `prepare` are told beside the vocabulary.
#[derive(Default)]
pub(crate) struct CompileArgs {
    /// All but `cancel`.
    options: CompileOptions,
    cancel: Option<Py<PyAny>>,
}

/// What `cancel.is_set()`, or an interrupt, raised while work was under way.
pub(crate) type Raised = Arc<Mutex<Option<PyErr>>>;

impl CompileArgs {
    pub(crate) fn new(end_tokens: Option<&Bound<'_, PyAny>>, optimization: Option<PyOptimization>) -> PyResult<Self> {
        let end_tokens = end_tokens.map_or_else(|| Ok(Vec::new()), |ids| token_ids("end tokens", ids))?;
        let optimization = optimization.map_or_else(Optimization::default, Into::into);
        Ok(Self { options: CompileOptions { end_tokens, optimization, ..Default::default() }, cancel: None })
    }

    pub(crate) fn with_policy(mut self, background: bool, strict: bool) -> Self {
        (self.options.background, self.options.strict) = (background, strict);
        self
    }

    pub(crate) fn with_boundary_trigger(mut self, detail: Option<PyBoundaryTriggerDetail>) -> Self {
        self.options.boundary_trigger = detail.map(Into::into);
        self
    }

    /// `limits`: anything with attributes `states`, `memory`, `seconds`; `cancel`: anything with `is_set()`.
    pub(crate) fn with_work(
        mut self,
        limits: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
        cancel: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        self.options.threads = count("threads", threads)?;
        if let Some(limits) = limits {
            if !limits.hasattr("states")? || !limits.hasattr("memory")? || !limits.hasattr("seconds")? {
                return Err(errors::wrong_type("limits", "a Limits", limits));
            }
            let seconds: Option<f64> = limits.getattr("seconds")?.extract()?;
            let time = seconds.map(Duration::try_from_secs_f64).transpose();
            let time = time.map_err(|e| PyValueError::new_err(format!("limits.seconds: {e}")))?;
            let states = count("limits.states", Some(&limits.getattr("states")?))?;
            let memory = count("limits.memory", Some(&limits.getattr("memory")?))?;
            self.options.limits = Limits { states, memory, time };
        }
        if let Some(cancel) = cancel {
            if !cancel.hasattr("is_set")? {
                return Err(errors::wrong_type("cancel", "an object with is_set(), such as a threading.Event", cancel));
            }
            self.cancel = Some(cancel.clone().unbind());
        }
        Ok(self)
    }

    /// Works detached from the interpreter. Interrupts of the main thread (Ctrl-C) and `cancel` end it, and also what
    /// goes on in the background: what is raised then is kept.
    pub(crate) fn run<T: Send>(
        self,
        py: Python<'_>,
        work: impl FnOnce(&CompileOptions) -> Result<T, glrmask::Error> + Send,
    ) -> PyResult<(T, Raised)> {
        let raised = Raised::default();
        let options = CompileOptions { cancel: Some(asking(self.cancel, raised.clone())), ..self.options };
        let done = py.detach(|| work(&options));
        if let Some(error) = what(py, &raised) {
            return Err(error);
        }
        Ok((done.map_err(|e| errors::from_error(py, &e))?, raised))
    }
}

/// What was raised, if anything was.
pub(crate) fn what(py: Python<'_>, raised: &Raised) -> Option<PyErr> {
    raised.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|error| error.clone_ref(py))
}

/// A request to end that asks Python now and then; what Python raises is kept and ends the work as well.
fn asking(event: Option<Py<PyAny>>, raised: Raised) -> Cancel {
    // When Python was last asked, and whether it said to end. The first question is asked at once: the event may be set.
    let state: Mutex<(Option<Instant>, bool)> = Mutex::default();
    Cancel::when(move || {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.1 || state.0.is_some_and(|asked| asked.elapsed() < ASK_EVERY) {
            return state.1;
        }
        // Without an interpreter (it ends while a fill runs in the background) nobody wants the result.
        let answer = Python::try_attach(|py| {
            py.check_signals()?;
            event.as_ref().map_or(Ok(false), |event| event.call_method0(py, "is_set")?.is_truthy(py))
        });
        let answer = answer.unwrap_or(Ok(true));
        *state = (Some(Instant::now()), *answer.as_ref().unwrap_or(&true));
        if let Err(error) = answer {
            *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
        state.1
    })
}
