//! NumPy's memory: checked access to mask words, and Boolean arrays.
//!
//! The only file with `unsafe`. The checks look at the array's header only; no borrow is registered and nothing is
//! allocated. That is cheaper than the borrow checker of the `numpy` crate, which guards against other users of that
//! crate but not against NumPy itself.
#![allow(unsafe_code)]

use numpy::npyffi::{
    _PyArray_GET_ITEM_DATA, _PyDataType_GET_ITEM_DATA, PyArrayObject_fields, NPY_ARRAY_ALIGNED, NPY_ARRAY_C_CONTIGUOUS,
    NPY_ARRAY_WRITEABLE, NPY_TYPES,
};
use numpy::{Element, PyArray1, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::wrong_type;

/// Runs `fill` on the words of a writable, contiguous, one-dimensional NumPy array of `int32`.
///
/// # Errors
/// `TypeError` if it is not an array of `int32`, `ValueError` if it is one of another shape, too short or read-only.
pub(crate) fn with_words<R>(
    bitmask: &Bound<'_, PyAny>,
    needed: usize,
    fill: impl FnOnce(&mut [u32]) -> R,
) -> PyResult<R> {
    let Ok(array) = bitmask.cast::<PyUntypedArray>() else {
        return Err(wrong_type("bitmask", "a NumPy array of int32", bitmask));
    };
    let len = check_words(array, needed)?;
    if len == 0 {
        return Ok(fill(&mut [])); // An empty array may have no memory at all.
    }
    // SAFETY: `array` is alive for the whole call (the caller holds a reference). The checks just made say that its
    // data are `len` aligned, writable, adjacent 32-bit numbers of native byte order. No other Rust code reaches them;
    // Python code that writes to the same array from another thread meanwhile breaks the documented contract.
    let words = unsafe { std::slice::from_raw_parts_mut(header(array).data.cast::<u32>(), len) };
    Ok(fill(words))
}

/// Rows of mask words: a writable, contiguous, two-dimensional NumPy array of `int32`, or memory that NumPy can look at
/// as one (a tensor of another library on the CPU, an object with the buffer protocol).
pub(crate) struct Matrix<'py> {
    array: Bound<'py, PyUntypedArray>,
    rows: usize,
    width: usize,
}

impl<'py> Matrix<'py> {
    /// # Errors
    /// `TypeError` if it is not memory of `int32`, `ValueError` if it has another shape or is read-only.
    pub(crate) fn of(bitmask: &Bound<'py, PyAny>) -> PyResult<Self> {
        let array = match bitmask.cast::<PyUntypedArray>() {
            Ok(array) => array.clone(),
            Err(_) => view(bitmask)?,
        };
        check_kind(&array)?;
        let &[rows, width] = array.shape() else {
            return Err(PyValueError::new_err(format!("bitmask must have two dimensions, not {}", array.ndim())));
        };
        Ok(Self { array, rows, width })
    }

    /// These rows, each whole.
    ///
    /// # Errors
    /// `ValueError` if they are too short, if one is out of range, or asked for twice.
    pub(crate) fn rows(&mut self, needed: usize, rows: &[usize]) -> PyResult<Vec<&mut [u32]>> {
        check_width(self.width, needed)?;
        let mut used = vec![false; self.rows];
        for &row in rows {
            let Some(used) = used.get_mut(row) else {
                return Err(PyValueError::new_err(format!("row {row} is beyond the {} rows of bitmask", self.rows)));
            };
            if std::mem::replace(used, true) {
                return Err(PyValueError::new_err(format!("row {row} is given twice")));
            }
        }
        if self.width == 0 {
            return Ok(rows.iter().map(|_| &mut [][..]).collect());
        }
        let data = header(&self.array).data.cast::<u32>();
        // SAFETY: the checks of `of` say that the data are `rows * width` aligned, writable, adjacent 32-bit numbers of
        // native byte order, and those above that every row is within them and none is given twice, so the slices
        // are apart. The array lives as long as `self`, which they borrow. They are written while other Python threads
        // run: one that uses the array meanwhile, or frees its memory with `resize(refcheck=False)`, breaks the
        // documented contract, as with every NumPy function that works detached.
        let row = |&row: &usize| unsafe { std::slice::from_raw_parts_mut(data.add(row * self.width), self.width) };
        Ok(rows.iter().map(row).collect())
    }
}

/// The memory of another object as an array; never a copy.
fn view<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = object.py();
    let no_copy = PyDict::new(py);
    no_copy.set_item("copy", false)?;
    let array = py.import("numpy")?.call_method("asarray", (object,), Some(&no_copy));
    let array = array.ok().and_then(|array| array.cast_into::<PyUntypedArray>().ok());
    array.ok_or_else(|| wrong_type("bitmask", "a NumPy array of int32 or share its memory as one", object))
}

/// The number of words, if it is a usable array of them.
fn check_words(array: &Bound<'_, PyUntypedArray>, needed: usize) -> PyResult<usize> {
    check_kind(array)?;
    let &[len] = array.shape() else {
        return Err(PyValueError::new_err(format!("bitmask must have one dimension, not {}", array.ndim())));
    };
    check_width(len, needed)?;
    Ok(len)
}

fn check_width(len: usize, needed: usize) -> PyResult<()> {
    if len < needed {
        let message = format!("bitmask has {len} words of 32 bits, at least {needed} are needed");
        return Err(PyValueError::new_err(message));
    }
    Ok(())
}

fn check_kind(array: &Bound<'_, PyUntypedArray>) -> PyResult<()> {
    if !is_int32(array) {
        let message = format!("bitmask must be a NumPy array of int32, not of {}", array.dtype());
        return Err(PyTypeError::new_err(message));
    }
    if !has_flags(array, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED) {
        return Err(PyValueError::new_err("bitmask must be contiguous and aligned"));
    }
    if !has_flags(array, NPY_ARRAY_WRITEABLE) {
        return Err(PyValueError::new_err("bitmask must be writable"));
    }
    Ok(())
}

/// Whether the elements are native 32-bit signed integers. The usual type object is told from its fields, which is
/// quicker than asking NumPy.
fn is_int32(array: &Bound<'_, PyUntypedArray>) -> bool {
    // SAFETY: a live array has a live element type; both fields are plain numbers.
    let (number, order) = unsafe {
        let descr = &*_PyDataType_GET_ITEM_DATA(header(array).descr);
        (descr.type_num, descr.byteorder as u8)
    };
    (number == NPY_TYPES::NPY_INT as i32 && order == b'=') || array.dtype().is_equiv_to(&i32::get_dtype(array.py()))
}

fn has_flags(array: &Bound<'_, PyUntypedArray>, flags: i32) -> bool {
    header(array).flags & flags == flags
}

fn header<'a>(array: &'a Bound<'_, PyUntypedArray>) -> &'a PyArrayObject_fields {
    // SAFETY: the pointer is that of a live NumPy array, and nothing changes its header while this thread is attached.
    unsafe { &*_PyArray_GET_ITEM_DATA(array.as_array_ptr()) }
}

/// A new Boolean array of `len` elements: the bits of `words`, and false beyond them.
///
/// # Errors
/// What NumPy raises for a length that it or the memory cannot hold.
pub(crate) fn booleans<'py>(py: Python<'py>, words: &[u32], len: usize) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let array = zeros(py, len)?;
    // SAFETY: the array was made just now, is contiguous, and nobody else knows it.
    if let Ok(booleans) = unsafe { array.as_slice_mut() } {
        for (booleans, &word) in booleans.chunks_mut(32).zip(words) {
            if word != 0 {
                booleans.iter_mut().enumerate().for_each(|(bit, allowed)| *allowed = word >> bit & 1 == 1);
            }
        }
    }
    Ok(array)
}

/// The `numpy` crate panics where an array cannot be made; large ones come through Python, which raises.
fn zeros(py: Python<'_>, len: usize) -> PyResult<Bound<'_, PyArray1<bool>>> {
    const LARGE: usize = 1 << 24;
    if len < LARGE {
        return Ok(PyArray1::zeros(py, len, false));
    }
    let array = py.import("numpy")?.call_method1("zeros", (len, "bool"))?;
    Ok(array.cast_into()?)
}
