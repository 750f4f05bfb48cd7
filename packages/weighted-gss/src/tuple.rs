//! Tuples of stacks and weights, made in one call each.
//!
//! Through the stable ABI, filling a tuple item by item costs two calls into the interpreter per item; `PyTuple_Pack`
//! does it all in one. It takes its items as C arguments, so each length has its own call; longer stacks are filled item
//! by item. Listing 1024 stacks of four takes a sixth less time this way, which is the reason for the one unsafe block
//! of this package.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::symbol::Symbol;
use crate::weight::Weight;

/// A new tuple of these objects (anything with `as_ptr`).
macro_rules! pack {
    ($py:ident, $($item:expr),+) => {{
        let items = [$($item.as_ptr()),+];
        // SAFETY: every pointer comes from a reference to a living object that outlives the call, and as many objects
        // follow as the first argument says. The result is a new tuple, owned here, or null with an exception set.
        unsafe {
            let tuple = ffi::PyTuple_Pack(items.len() as ffi::Py_ssize_t, $($item.as_ptr()),+);
            Bound::from_owned_ptr_or_err($py, tuple).map(|tuple| tuple.cast_into_unchecked::<PyTuple>())
        }
    }};
}

/// A stack, given top first, as `(values bottom to top, weight)`.
pub(crate) fn listed<'py>(py: Python<'py>, path: &[&Symbol], weight: &Weight) -> PyResult<Bound<'py, PyTuple>> {
    let values = values(py, path)?;
    pack!(py, values, weight.0)
}

/// A stack, given top first, as its values bottom to top.
fn values<'py>(py: Python<'py>, path: &[&Symbol]) -> PyResult<Bound<'py, PyTuple>> {
    match path {
        [a] => pack!(py, a),
        [b, a] => pack!(py, a, b),
        [c, b, a] => pack!(py, a, b, c),
        [d, c, b, a] => pack!(py, a, b, c, d),
        [e, d, c, b, a] => pack!(py, a, b, c, d, e),
        [f, e, d, c, b, a] => pack!(py, a, b, c, d, e, f),
        [g, f, e, d, c, b, a] => pack!(py, a, b, c, d, e, f, g),
        [h, g, f, e, d, c, b, a] => pack!(py, a, b, c, d, e, f, g, h),
        _ => PyTuple::new(py, path.iter().rev().map(|symbol| symbol.object(py))),
    }
}
