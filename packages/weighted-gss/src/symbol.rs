//! Stack values: Python objects with their hash, computed once when they come in.
//!
//! Values are compared by identity, then by hash, and only then by `==`. The core cannot pass on an exception that
//! `==` raises, so it is parked in a thread-local place and raised at the end of the operation ([`guarded`]); the
//! result of that operation, computed as if the values were different, is thrown away.

use std::cell::RefCell;
use std::fmt;
use std::hash::{Hash, Hasher};

use pyo3::ffi;
use pyo3::prelude::*;

/// A hashable Python object.
pub(crate) struct Symbol {
    hash: isize,
    object: Py<PyAny>,
}

impl Symbol {
    /// Fails when the object is not hashable.
    pub(crate) fn new(object: Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Symbol { hash: object.hash()?, object: object.unbind() })
    }

    /// The object, borrowed for a call into the interpreter.
    pub(crate) fn as_ptr(&self) -> *mut ffi::PyObject {
        self.object.as_ptr()
    }

    /// The object.
    pub(crate) fn object(&self, py: Python<'_>) -> Py<PyAny> {
        self.object.clone_ref(py)
    }
}

impl Clone for Symbol {
    fn clone(&self) -> Self {
        Python::attach(|py| Symbol { hash: self.hash, object: self.object.clone_ref(py) })
    }
}

impl Hash for Symbol {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_isize(self.hash);
    }
}

impl PartialEq for Symbol {
    fn eq(&self, other: &Self) -> bool {
        if self.object.is(&other.object) {
            return true;
        }
        self.hash == other.hash && Python::attach(|py| self.object.bind(py).eq(&other.object).unwrap_or_else(park))
    }
}

impl Eq for Symbol {}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Python::attach(|py| f.write_str(&shown(self.object.bind(py))))
    }
}

/// `repr`, or a stand-in where that fails.
pub(crate) fn shown(object: &Bound<'_, PyAny>) -> String {
    object.repr().map_or_else(|_| "<no repr>".to_owned(), |text| text.to_string_lossy().into_owned())
}

thread_local! {
    /// The first exception raised by `==` in the operation that runs on this thread.
    static PARKED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

fn park(error: PyErr) -> bool {
    PARKED.with_borrow_mut(|parked| {
        parked.get_or_insert(error);
    });
    false
}

/// Runs an operation that compares values, and raises what `==` raised. Operations may nest: `==` and joins are free to
/// use this module.
pub(crate) fn guarded<T>(operation: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let outer = PARKED.take();
    let result = operation();
    match PARKED.replace(outer) {
        Some(error) => Err(error),
        None => result,
    }
}
