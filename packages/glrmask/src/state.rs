//! `glrmask.ConstraintState`.

use glrmask::{ConstraintState, TokenId};
use numpy::PyArray1;
use parking_lot::Mutex;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;

use crate::array;
use crate::compose::PyExactTokens;
use crate::errors;
use crate::looks;
use crate::options::count;
use crate::tokens::Tokens;

/// The state of one generated sequence.
#[pyclass(name = "ConstraintState", module = "glrmask", frozen)]
pub struct PyConstraintState {
    state: Mutex<ConstraintState>,
    /// Words and ids of a mask; they depend on the constraint only.
    words: usize,
    ids: usize,
}

impl PyConstraintState {
    pub(crate) fn new(state: ConstraintState) -> Self {
        let words = state.constraint().mask_words();
        let ids = crate::constraint::id_count(state.constraint());
        Self { state: Mutex::new(state), words, ids }
    }

    /// Runs a quick look at the state; waits detached if another thread is in it.
    fn look<R>(&self, py: Python<'_>, look: impl FnOnce(&mut ConstraintState) -> R) -> R {
        look(&mut self.state.lock_py_attached(py))
    }

    /// Runs something that may have to fill tables, detached, so that other Python threads go on meanwhile. Detaching
    /// costs more than most steps, and a busy Python thread would then keep this one waiting for its turn; so the
    /// common calls first try what is known.
    fn work<R: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut ConstraintState) -> R + Send) -> R {
        py.detach(|| self.locked(work))
    }

    /// For callers that are detached.
    pub(crate) fn locked<R>(&self, work: impl FnOnce(&mut ConstraintState) -> R) -> R {
        work(&mut self.state.lock())
    }

    /// Words of a mask.
    pub(crate) fn words(&self) -> usize {
        self.words
    }
}

#[pymethods]
impl PyConstraintState {
    #[pyo3(signature = (size = None))]
    fn mask<'py>(&self, py: Python<'py>, size: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let size = count("size", size)?.unwrap_or(self.ids);
        if size < self.ids {
            let message =
                format!("size is {size}, but the ids of the constraint go up to {}", self.ids.saturating_sub(1));
            return Err(PyValueError::new_err(message));
        }
        let mut words = vec![0; self.words];
        self.work(py, |state| state.fill_mask(&mut words)).map_err(|e| errors::from_runtime(py, &e))?;
        array::booleans(py, &words, size)
    }

    #[pyo3(signature = (bitmask))]
    fn fill_mask(&self, py: Python<'_>, bitmask: &Bound<'_, PyAny>) -> PyResult<()> {
        let ready = array::with_words(bitmask, self.words, |words| match self.state.try_lock() {
            Some(state) => state.fill_mask_if_ready(words),
            None => Ok(false),
        })?;
        if ready.map_err(|e| errors::from_runtime(py, &e))? {
            return Ok(());
        }
        // Python code may do anything to the array while this thread is detached: fill words of our own meanwhile.
        let mut words = vec![0; self.words];
        let filled = self.work(py, |state| state.fill_mask(&mut words));
        array::with_words(bitmask, self.words, |given| {
            let (mask, beyond) = given.split_at_mut(words.len());
            mask.copy_from_slice(&words);
            beyond.fill(0);
        })?;
        filled.map_err(|e| errors::from_runtime(py, &e))
    }

    #[pyo3(signature = (token_id))]
    fn commit_token(&self, py: Python<'_>, token_id: &Bound<'_, PyAny>) -> PyResult<()> {
        let Some(id) = crate::vocab::token_id("token_id", token_id)?.map(TokenId) else {
            let ended = self.look(py, |state| state.is_terminated());
            return Err(if ended { errors::ended(py) } else { errors::unknown_token(py, token_id) });
        };
        let ready = self.state.try_lock().and_then(|mut state| state.commit_token_if_ready(id));
        let committed = ready.unwrap_or_else(|| self.work(py, |state| state.commit_token(id)));
        committed.map_err(|e| errors::from_commit(py, &e))
    }

    #[pyo3(signature = (data))]
    fn commit_bytes(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let Ok(data) = data.extract::<&[u8]>() else {
            return Err(errors::wrong_type("data", "bytes", data));
        };
        self.work(py, |state| state.commit_bytes(data)).map_err(|e| errors::from_commit(py, &e))
    }

    #[pyo3(signature = (token_ids))]
    fn commit_tokens(&self, py: Python<'_>, token_ids: &Bound<'_, PyAny>) -> PyResult<()> {
        let tokens = Tokens::of("token_ids", token_ids)?;
        self.work(py, |state| tokens.commit(state)).map_err(|e| tokens.error(py, &e))
    }

    #[pyo3(signature = (token_ids))]
    fn validate_tokens(&self, py: Python<'_>, token_ids: &Bound<'_, PyAny>) -> PyResult<usize> {
        let tokens = Tokens::of("token_ids", token_ids)?;
        let valid = self.work(py, |state| state.validate_tokens(tokens.ids()));
        valid.map_err(|e| errors::from_runtime(py, &e))
    }

    fn boundary_triggers(&self, py: Python<'_>) -> PyResult<Vec<(String, PyExactTokens)>> {
        let found = self.work(py, |state| {
            let names: Vec<String> = state.constraint().boundary_triggers().iter().map(|b| b.path.join("::")).collect();
            state
                .boundary_triggers()
                .map(|tokens| names.into_iter().zip(tokens.into_iter().map(PyExactTokens::of)).collect())
        });
        found.map_err(|e| errors::from_runtime(py, &e))
    }

    fn forced_tokens(&self, py: Python<'_>) -> PyResult<Vec<u32>> {
        let forced = self.work(py, |state| state.forced_tokens()).map_err(|e| errors::from_runtime(py, &e))?;
        Ok(forced.into_iter().map(|id| id.0).collect())
    }

    fn marker_events(&self, py: Python<'_>) -> Vec<(u32, usize)> {
        let pairs = |state: &mut ConstraintState| state.marker_events().iter().map(|e| (e.id, e.offset)).collect();
        self.look(py, pairs)
    }

    fn shortest_completion<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let found = self.work(py, |state| state.shortest_completion()).map_err(|e| errors::from_runtime(py, &e))?;
        Ok(found.map(|text| PyBytes::new(py, &text)))
    }

    fn shortest_completion_len(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        self.work(py, |state| state.shortest_completion_len()).map_err(|e| errors::from_runtime(py, &e))
    }

    fn shortest_completion_tokens<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = self.work(py, |state| state.shortest_completion_tokens());
        let found = found.map_err(|e| errors::from_runtime(py, &e))?;
        found.map(|found| looks::completion(py, found)).transpose()
    }

    #[pyo3(signature = (token_id))]
    fn explain<'py>(&self, py: Python<'py>, token_id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Some(id) = crate::vocab::token_id("token_id", token_id)?.map(TokenId) else {
            return Err(errors::unknown_token(py, token_id));
        };
        let explained = self.work(py, |state| (state.constraint().clone(), state.explain(id)));
        let (constraint, explanation) = explained;
        looks::explanation(py, &constraint, &explanation.map_err(|e| errors::from_runtime(py, &e))?)
    }

    fn dump(&self, py: Python<'_>) -> String {
        self.work(py, |state| state.dump())
    }
    fn to_dot(&self, py: Python<'_>) -> String {
        self.work(py, |state| state.to_dot())
    }

    #[pyo3(signature = (count))]
    fn rollback(&self, py: Python<'_>, count: &Bound<'_, PyAny>) -> PyResult<()> {
        let count = size("count", count)?;
        self.look(py, |state| state.rollback(count)).map_err(|e| errors::from_runtime(py, &e))
    }

    #[getter]
    fn history_len(&self, py: Python<'_>) -> usize {
        self.look(py, |state| state.history_len())
    }
    #[getter]
    fn history_limit(&self, py: Python<'_>) -> usize {
        self.look(py, |state| state.history_limit())
    }
    #[setter]
    fn set_history_limit(&self, py: Python<'_>, limit: &Bound<'_, PyAny>) -> PyResult<()> {
        let limit = size("history_limit", limit)?;
        self.look(py, |state| state.set_history_limit(limit));
        Ok(())
    }

    fn is_accepting(&self, py: Python<'_>) -> bool {
        self.look(py, |state| state.is_accepting())
    }
    fn is_rejected(&self, py: Python<'_>) -> bool {
        self.look(py, |state| state.is_rejected())
    }
    fn is_terminated(&self, py: Python<'_>) -> bool {
        self.look(py, |state| state.is_terminated())
    }

    fn reset(&self, py: Python<'_>) {
        self.work(py, ConstraintState::reset);
    }

    #[pyo3(name = "clone")]
    fn copy(&self, py: Python<'_>) -> Self {
        Self { state: Mutex::new(self.look(py, |state| state.clone())), words: self.words, ids: self.ids }
    }
    fn __copy__(&self, py: Python<'_>) -> Self {
        self.copy(py)
    }
    #[pyo3(signature = (memo, /))]
    fn __deepcopy__(&self, py: Python<'_>, memo: &Bound<'_, PyAny>) -> Self {
        let _ = memo; // A state refers to no Python object.
        self.copy(py)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let status = self.look(py, |state| match (state.is_rejected(), state.is_terminated(), state.is_accepting()) {
            (true, _, _) => "rejected",
            (_, true, _) => "ended",
            (_, _, true) => "accepting",
            _ => "incomplete",
        });
        format!("<glrmask.ConstraintState: {status}>")
    }
}

/// A number of things, from 0; one that is too large to be true is taken for a very large one.
fn size(what: &str, given: &Bound<'_, PyAny>) -> PyResult<usize> {
    match given.extract::<usize>() {
        Ok(size) => Ok(size),
        Err(e) if e.is_instance_of::<PyOverflowError>(given.py()) && given.gt(0)? => Ok(usize::MAX),
        Err(e) if e.is_instance_of::<PyOverflowError>(given.py()) => {
            Err(PyValueError::new_err(format!("{what} must not be negative, but is {}", given.str()?)))
        }
        Err(_) => Err(errors::wrong_type(what, "int", given)),
    }
}
