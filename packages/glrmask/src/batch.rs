//! `glrmask.fill_masks` and `glrmask.commit_tokens_batch`: many states in one call, on threads of our own.
//!
//! The pool is made when first needed, and made again in a process that was forked since: threads do not survive that.
//! A task holds the lock of one state at a time and nobody waits for the pool while holding one, so nothing can wait in
//! a circle.

use std::sync::Arc;

use glrmask::RuntimeError;
use parking_lot::Mutex;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use rustc_hash::FxHashMap;

use crate::array::Matrix;
use crate::errors;
use crate::state::PyConstraintState;
use crate::tokens::{Outcome, Tokens};

/// The pool, with the id of the process that made it.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Handing a task to a thread costs about as much as filling one known row.
const ROWS_PER_TASK: usize = 4;

#[pyfunction]
#[pyo3(signature = (states, bitmask, rows = None))]
pub(crate) fn fill_masks(
    py: Python<'_>,
    states: &Bound<'_, PyAny>,
    bitmask: &Bound<'_, PyAny>,
    rows: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let states = state_list(states)?;
    let rows = rows.map_or_else(|| Ok((0..states.len()).collect()), row_numbers)?;
    if rows.len() != states.len() {
        return Err(PyValueError::new_err(format!("{} states, but {} rows", states.len(), rows.len())));
    }
    let needed = states.iter().map(|state| state.get().words()).max().unwrap_or(0);
    let mut matrix = Matrix::of(bitmask)?;
    let slices = matrix.rows(needed, &rows)?;
    let jobs: Vec<_> = states.iter().map(Bound::get).zip(slices).collect();
    let filled = on_pool(py, || {
        let fill = |(state, words): (&PyConstraintState, &mut [u32])| state.locked(|state| state.fill_mask(words));
        let jobs = jobs.into_par_iter().with_min_len(ROWS_PER_TASK);
        jobs.map(fill).collect::<Vec<Result<(), RuntimeError>>>()
    })?;
    filled.into_iter().try_for_each(|filled| filled.map_err(|e| errors::from_runtime(py, &e)))
}

#[pyfunction]
#[pyo3(signature = (states, token_ids))]
pub(crate) fn commit_tokens_batch<'py>(
    py: Python<'py>,
    states: &Bound<'py, PyAny>,
    token_ids: &Bound<'py, PyAny>,
) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
    let states = state_list(states)?;
    let tokens = Tokens::several("token_ids", token_ids)?;
    if tokens.len() != states.len() {
        return Err(PyValueError::new_err(format!("{} states, but tokens for {}", states.len(), tokens.len())));
    }
    let groups = by_state(&states);
    let (committers, tokens_ref): (Vec<&PyConstraintState>, &[Tokens]) =
        (states.iter().map(Bound::get).collect(), &tokens);
    let outcomes: Vec<(usize, Outcome)> = on_pool(py, || {
        let commit = |&place: &usize| {
            let (state, tokens) = (committers[place], &tokens_ref[place]);
            (place, state.locked(|state| tokens.commit(state)))
        };
        let groups = groups.par_iter().with_min_len(ROWS_PER_TASK);
        groups.flat_map_iter(|places| places.iter().map(commit)).collect()
    })?;
    let mut errors = vec![None; states.len()];
    for (place, outcome) in outcomes {
        let error = outcome.err().map(|e| tokens[place].error(py, &e).into_value(py).into_bound(py).into_any());
        errors[place] = error;
    }
    Ok(errors)
}

/// Places in the list by state, so that commits to one state keep their order.
fn by_state(states: &[Bound<'_, PyConstraintState>]) -> Vec<Vec<usize>> {
    let mut known: FxHashMap<*const PyConstraintState, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (place, state) in states.iter().enumerate() {
        let group = *known.entry(std::ptr::from_ref(state.get())).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(place);
    }
    groups
}

/// Runs work on the pool, detached.
fn on_pool<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    py.detach(|| Ok(pool()?.install(work)))
}

fn pool() -> PyResult<Arc<ThreadPool>> {
    let (mut kept, process) = (POOL.lock(), std::process::id());
    if let Some((maker, pool)) = &*kept {
        if *maker == process {
            return Ok(pool.clone());
        }
    }
    let named = ThreadPoolBuilder::new().thread_name(|number| format!("glrmask-{number}"));
    let made = named.build().map_err(|e| PyRuntimeError::new_err(format!("no threads: {e}")))?;
    let pool = Arc::new(made);
    // Dropping a pool of the parent process would wait for threads that are not there.
    if let Some(inherited) = kept.replace((process, pool.clone())) {
        std::mem::forget(inherited);
    }
    Ok(pool)
}

fn state_list<'py>(states: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyConstraintState>>> {
    let Ok(items) = states.try_iter() else {
        return Err(errors::wrong_type("states", "an iterable of ConstraintState", states));
    };
    let state = |item: Bound<'py, PyAny>| {
        item.cast_into().map_err(|e| errors::wrong_type("a state", "ConstraintState", &e.into_inner()))
    };
    items.map(|item| state(item?)).collect()
}

fn row_numbers(rows: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    let Ok(items) = rows.try_iter() else { return Err(errors::wrong_type("rows", "an iterable of int", rows)) };
    let number = |row: Bound<'_, PyAny>| match row.extract::<i64>() {
        Ok(number) => usize::try_from(number)
            .map_err(|_| PyValueError::new_err(format!("rows are counted from 0, there is no row {number}"))),
        Err(_) => Err(errors::wrong_type("a row", "int", &row)),
    };
    items.map(|row| number(row?)).collect()
}
