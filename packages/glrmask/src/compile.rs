//! What `Grammar.compile` is told, and how it ends early.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use glrmask::{BoundaryTriggerDetail, Cancel, CompileOptions, Constraint, Limits, Optimization, StageTime, TokenId};
use pyo3::prelude::*;

use crate::compose::PyBoundaryTriggerDetail;
use crate::errors;
use crate::optimization::PyOptimization;
use crate::vocab::token_ids;

/// How often Python is asked whether to go on: taking its lock costs far more than the question.
const ASK_EVERY: Duration = Duration::from_millis(20);

/// What `compile` is told beside the vocabulary.
#[derive(Default)]
pub(crate) struct CompileArgs {
    end_tokens: Vec<TokenId>,
    optimization: Optimization,
    background: bool,
    limits: Limits,
    threads: Option<usize>,
    cancel: Option<Py<PyAny>>,
    strict: bool,
    boundary_trigger: Option<BoundaryTriggerDetail>,
}

impl CompileArgs {
    pub(crate) fn new(end_tokens: Option<&Bound<'_, PyAny>>, optimization: Option<PyOptimization>) -> PyResult<Self> {
        let end_tokens = end_tokens.map_or_else(|| Ok(Vec::new()), |ids| token_ids("end tokens", ids))?;
        let optimization = optimization.map_or_else(Optimization::default, Into::into);
        Ok(Self { end_tokens, optimization, ..Self::default() })
    }

    pub(crate) fn with_work(mut self, background: bool, threads: Option<usize>, strict: bool) -> Self {
        (self.background, self.threads, self.strict) = (background, threads, strict);
        self
    }

    pub(crate) fn with_boundary_trigger(mut self, detail: Option<PyBoundaryTriggerDetail>) -> Self {
        self.boundary_trigger = detail.map(Into::into);
        self
    }

    /// `limits`: anything with attributes `states`, `memory`, `seconds`; `cancel`: anything with `is_set()`.
    pub(crate) fn with_limits(
        mut self,
        limits: Option<&Bound<'_, PyAny>>,
        cancel: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        if let Some(limits) = limits {
            let seconds: Option<f64> = limits.getattr("seconds")?.extract()?;
            let time = seconds.map(Duration::try_from_secs_f64).transpose();
            let time = time.map_err(|e| pyo3::exceptions::PyValueError::new_err(format!("limits.seconds: {e}")))?;
            let (states, memory) = (limits.getattr("states")?.extract()?, limits.getattr("memory")?.extract()?);
            self.limits = Limits { states, memory, time };
        }
        if let Some(cancel) = cancel {
            if !cancel.hasattr("is_set")? {
                return Err(errors::wrong_type("cancel", "an object with is_set(), such as a threading.Event", cancel));
            }
            self.cancel = Some(cancel.clone().unbind());
        }
        Ok(self)
    }

    /// Compiles, detached from the interpreter. Interrupts of the main thread (Ctrl-C) and `cancel` end it.
    pub(crate) fn run(
        self,
        py: Python<'_>,
        compile: impl FnOnce(&CompileOptions, &mut dyn FnMut(StageTime)) -> Result<Constraint, glrmask::Error> + Send,
    ) -> PyResult<(Constraint, Vec<StageTime>)> {
        let Self { end_tokens, optimization, background, limits, threads, cancel, strict, boundary_trigger } = self;
        let raised: Arc<Mutex<Option<PyErr>>> = Arc::default();
        let cancel = asking(cancel, raised.clone());
        let cancel = Some(cancel);
        let options = CompileOptions {
            end_tokens,
            optimization,
            limits,
            strict,
            background,
            threads,
            cancel,
            boundary_trigger,
            ..CompileOptions::default()
        };
        let mut stages = Vec::new();
        let compiled = py.detach(|| compile(&options, &mut |stage| stages.push(stage)));
        if let Some(raised) = raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(raised);
        }
        Ok((compiled.map_err(|e| errors::from_error(py, &e))?, stages))
    }
}

/// A request to end that asks Python now and then; what Python raises is kept and ends the work as well.
fn asking(event: Option<Py<PyAny>>, raised: Arc<Mutex<Option<PyErr>>>) -> Cancel {
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
