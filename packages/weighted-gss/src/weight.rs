//! Weights: any Python objects, with the rules to join and compare them.

use std::fmt;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBool;
use weighted_gss::Join;

use crate::symbol::shown;

/// A Python object as a weight.
pub(crate) struct Weight(pub(crate) Py<PyAny>);

impl Clone for Weight {
    fn clone(&self) -> Self {
        Python::attach(|py| Weight(self.0.clone_ref(py)))
    }
}

impl fmt::Debug for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Python::attach(|py| f.write_str(&shown(self.0.bind(py))))
    }
}

/// How to join and compare: by callables, or by the weights' own `join` and `==`.
#[derive(Default)]
pub(crate) struct Rules {
    join: Option<Py<PyAny>>,
    equal: Option<Py<PyAny>>,
}

impl Rules {
    /// `None` stands for the weights' own methods.
    pub(crate) fn new(join: Option<Py<PyAny>>, equal: Option<Py<PyAny>>) -> Self {
        Rules { join, equal }
    }

    /// These rules, with what is missing taken from `other`.
    pub(crate) fn or(&self, py: Python<'_>, other: &Self) -> Self {
        let either = |own: &Option<Py<PyAny>>, other: &Option<Py<PyAny>>| {
            own.as_ref().or(other.as_ref()).map(|callable| callable.clone_ref(py))
        };
        Rules { join: either(&self.join, &other.join), equal: either(&self.equal, &other.equal) }
    }

    /// Whether no callable is given.
    pub(crate) fn is_default(&self) -> bool {
        self.join.is_none() && self.equal.is_none()
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.join.is_some() && self.equal.is_some()
    }
}

impl Join<Weight> for Rules {
    type Error = PyErr;

    fn join(&self, left: &Weight, right: &Weight) -> PyResult<Weight> {
        if left.0.is(&right.0) {
            return Ok(left.clone());
        }
        Python::attach(|py| {
            let joined = match &self.join {
                Some(join) => join.bind(py).call1((&left.0, &right.0))?,
                None => left.0.bind(py).call_method1(intern!(py, "join"), (&right.0,))?,
            };
            Ok(Weight(joined.unbind()))
        })
    }

    fn equal(&self, left: &Weight, right: &Weight) -> PyResult<bool> {
        if left.0.is(&right.0) {
            return Ok(true);
        }
        Python::attach(|py| {
            let (left, right) = (left.0.bind(py), right.0.bind(py));
            match &self.equal {
                Some(equal) => equal.bind(py).call1((left, right))?.is_truthy(),
                None => same_value(left, right),
            }
        })
    }
}

/// `left == right`; where that gives an array, whether the shapes agree and all elements do.
fn same_value(left: &Bound<'_, PyAny>, right: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = left.py();
    let equal = left.rich_compare(right, pyo3::pyclass::CompareOp::Eq)?;
    if equal.is_instance_of::<PyBool>() {
        return equal.is_truthy();
    }
    let Some(all) = equal.getattr_opt(intern!(py, "all"))? else { return equal.is_truthy() };
    let shape = intern!(py, "shape");
    match (left.getattr_opt(shape)?, right.getattr_opt(shape)?) {
        (Some(a), Some(b)) if !a.eq(&b)? => Ok(false),
        _ => all.call0()?.is_truthy(),
    }
}
