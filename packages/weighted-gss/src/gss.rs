//! The class `WeightedGSS`. Its documentation is in the stub, `weighted_gss/_weighted_gss.pyi`.

use std::ops::ControlFlow;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PySet, PyType};

use crate::symbol::{guarded, Symbol};
use crate::tuple;
use crate::weight::{Rules, Weight};

type Core = weighted_gss::WeightedGss<Symbol, Weight>;
type Callable = Option<Py<PyAny>>;

/// Stacks shown by `repr`.
const SHOWN: usize = 8;

/// A persistent set of stacks of hashable values, each with one weight.
#[pyclass(name = "WeightedGSS", module = "weighted_gss", frozen, generic)]
pub(crate) struct WeightedGss {
    core: Core,
    rules: Arc<Rules>,
}

/// The values of a stack, bottom to top.
fn symbols(stack: &Bound<'_, PyAny>) -> PyResult<Vec<Symbol>> {
    let mut symbols = Vec::with_capacity(stack.len().unwrap_or(0));
    for value in stack.try_iter()? {
        symbols.push(Symbol::new(value?)?);
    }
    Ok(symbols)
}

/// One stack, its values taken without a list in between.
fn one_stack(stack: &Bound<'_, PyAny>, weight: Weight) -> PyResult<Core> {
    let mut failed = None;
    let values = stack.try_iter()?.map_while(|value| match value.and_then(Symbol::new) {
        Ok(symbol) => Some(symbol),
        Err(error) => {
            failed = Some(error);
            None
        }
    });
    let core = Core::from_stack(values, weight);
    match failed {
        Some(error) => Err(error),
        None => Ok(core),
    }
}

fn rules(join: Callable, equal: Callable) -> Arc<Rules> {
    Arc::new(Rules::new(join, equal))
}

impl WeightedGss {
    fn with(&self, core: Core) -> Self {
        WeightedGss { core, rules: Arc::clone(&self.rules) }
    }

    /// The rules for two values together: the first one's where it has any.
    fn common_rules(&self, py: Python<'_>, other: &Arc<Rules>) -> Arc<Rules> {
        if self.rules.is_complete() || other.is_default() || Arc::ptr_eq(&self.rules, other) {
            return Arc::clone(&self.rules);
        }
        Arc::new(self.rules.or(py, other))
    }

    fn mapped(
        &self,
        py: Python<'_>,
        map: impl FnMut(&Weight) -> PyResult<Option<Weight>>,
        join: Callable,
        equal: Callable,
    ) -> PyResult<Self> {
        let given = Rules::new(join, equal);
        let rules = if given.is_default() { Arc::clone(&self.rules) } else { Arc::new(given.or(py, &self.rules)) };
        let core = guarded(|| self.core.try_filter_map_weights(map, &*rules))?;
        Ok(WeightedGss { core, rules })
    }
}

#[pymethods]
impl WeightedGss {
    #[new]
    #[pyo3(signature = (*, join = None, equal = None))]
    fn new(join: Callable, equal: Callable) -> Self {
        WeightedGss { core: Core::new(), rules: rules(join, equal) }
    }

    #[classmethod]
    #[pyo3(signature = (stack, weight, *, join = None, equal = None))]
    fn from_stack(
        _class: &Bound<'_, PyType>,
        stack: &Bound<'_, PyAny>,
        weight: Py<PyAny>,
        join: Callable,
        equal: Callable,
    ) -> PyResult<Self> {
        Ok(WeightedGss { core: one_stack(stack, Weight(weight))?, rules: rules(join, equal) })
    }

    #[classmethod]
    #[pyo3(signature = (stacks, *, join = None, equal = None))]
    fn from_stacks(
        _class: &Bound<'_, PyType>,
        stacks: &Bound<'_, PyAny>,
        join: Callable,
        equal: Callable,
    ) -> PyResult<Self> {
        let rules = rules(join, equal);
        let mut sets = Vec::with_capacity(stacks.len().unwrap_or(0));
        for item in stacks.try_iter()? {
            let (stack, weight): (Bound<'_, PyAny>, Py<PyAny>) = item?.extract()?;
            sets.push(one_stack(&stack, Weight(weight))?);
        }
        let core = guarded(|| Core::try_merge_all(sets, &*rules))?;
        Ok(WeightedGss { core, rules })
    }

    #[classmethod]
    #[pyo3(signature = (stacks, weight, *, join = None, equal = None))]
    fn from_unweighted(
        _class: &Bound<'_, PyType>,
        stacks: &Bound<'_, PyAny>,
        weight: Py<PyAny>,
        join: Callable,
        equal: Callable,
    ) -> PyResult<Self> {
        let mut listed = Vec::with_capacity(stacks.len().unwrap_or(0));
        for stack in stacks.try_iter()? {
            listed.push(symbols(&stack?)?);
        }
        let set = guarded(|| Ok(weighted_gss::Gss::from_stacks(listed)))?;
        Ok(WeightedGss { core: Core::from_unweighted(set, Weight(weight)), rules: rules(join, equal) })
    }

    #[classmethod]
    #[pyo3(signature = (sets, *, join = None, equal = None))]
    fn merge_all(
        _class: &Bound<'_, PyType>,
        sets: &Bound<'_, PyAny>,
        join: Callable,
        equal: Callable,
    ) -> PyResult<Self> {
        let mut common = WeightedGss { core: Core::new(), rules: rules(join, equal) };
        let mut cores = Vec::with_capacity(sets.len().unwrap_or(0));
        for set in sets.try_iter()? {
            let set = set?.cast_into::<WeightedGss>()?;
            common.rules = common.common_rules(set.py(), &set.get().rules);
            cores.push(set.get().core.clone());
        }
        common.core = guarded(|| Core::try_merge_all(cores, &*common.rules))?;
        Ok(common)
    }

    fn with_stack(&self, stack: &Bound<'_, PyAny>, weight: Py<PyAny>) -> PyResult<Self> {
        let one = one_stack(stack, Weight(weight))?;
        Ok(self.with(guarded(|| self.core.try_merge(&one, &*self.rules))?))
    }

    fn merge(&self, py: Python<'_>, other: &Bound<'_, Self>) -> PyResult<Self> {
        let other = other.get();
        let rules = self.common_rules(py, &other.rules);
        let core = guarded(|| self.core.try_merge(&other.core, &*rules))?;
        Ok(WeightedGss { core, rules })
    }

    fn push(&self, value: Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(self.with(self.core.push(Symbol::new(value)?)))
    }

    fn pop(&self) -> PyResult<Self> {
        self.popn(1)
    }

    fn popn(&self, count: usize) -> PyResult<Self> {
        Ok(self.with(guarded(|| self.core.try_popn(count, &*self.rules))?))
    }

    fn top(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.core.top().map(|symbol| symbol.object(py))
    }

    fn tops<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PySet>> {
        PySet::new(py, self.core.tops().map(|symbol| symbol.object(py)))
    }

    fn has_empty_stack(&self) -> bool {
        self.core.has_empty_stack()
    }

    fn retain_top(&self, value: Bound<'_, PyAny>) -> PyResult<Self> {
        let symbol = Symbol::new(value)?;
        Ok(self.with(guarded(|| Ok(self.core.retain_top(&symbol)))?))
    }

    fn retain_empty(&self) -> Self {
        self.with(self.core.retain_empty())
    }

    fn pop_top(&self, value: Bound<'_, PyAny>) -> PyResult<Self> {
        let symbol = Symbol::new(value)?;
        Ok(self.with(guarded(|| Ok(self.core.pop_top(&symbol)))?))
    }

    fn pop_branches<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let branches = self.core.pop_branches().map(|(symbol, tail)| (symbol.object(py), self.with(tail)));
        PyList::new(py, branches)
    }

    fn joined_weight(&self) -> PyResult<Option<Py<PyAny>>> {
        Ok(self.core.try_joined_weight(&*self.rules)?.map(|weight| weight.0))
    }

    fn empty_weight(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.core.empty_weight().map(|weight| weight.0.clone_ref(py))
    }

    #[pyo3(signature = (function, *, join = None, equal = None))]
    fn map_weights(&self, function: &Bound<'_, PyAny>, join: Callable, equal: Callable) -> PyResult<Self> {
        let map = |weight: &Weight| Ok(Some(Weight(function.call1((&weight.0,))?.unbind())));
        self.mapped(function.py(), map, join, equal)
    }

    #[pyo3(signature = (function, *, join = None, equal = None))]
    fn filter_map_weights(&self, function: &Bound<'_, PyAny>, join: Callable, equal: Callable) -> PyResult<Self> {
        let map = |weight: &Weight| {
            let mapped = function.call1((&weight.0,))?;
            Ok((!mapped.is_none()).then(|| Weight(mapped.unbind())))
        };
        self.mapped(function.py(), map, join, equal)
    }

    #[pyo3(signature = (max_stacks = 4096))]
    fn to_stacks<'py>(&self, py: Python<'py>, max_stacks: usize) -> PyResult<Bound<'py, PyList>> {
        let mut listed = Vec::new();
        let mut failed = None;
        let visited = self.core.visit_stacks(max_stacks, |path, weight| match tuple::listed(py, path, weight) {
            Ok(item) => {
                listed.push(item);
                ControlFlow::Continue(())
            }
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        });
        visited.map_err(|error| PyValueError::new_err(error.to_string()))?;
        match failed {
            Some(error) => Err(error),
            None => PyList::new(py, listed),
        }
    }

    fn is_empty(&self) -> bool {
        self.core.is_empty()
    }

    fn max_depth(&self) -> usize {
        self.core.max_depth()
    }

    fn to_dot(&self) -> String {
        self.core.to_dot()
    }

    fn __bool__(&self) -> bool {
        !self.core.is_empty()
    }

    fn __eq__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = other.py();
        let Ok(other) = other.cast::<Self>() else {
            return Ok(py.NotImplemented().into_bound(py));
        };
        let rules = self.common_rules(py, &other.get().rules);
        let equal = guarded(|| self.core.try_eq(&other.get().core, &*rules))?;
        Ok(pyo3::types::PyBool::new(py, equal).to_owned().into_any())
    }

    fn __repr__(&self) -> String {
        let mut shown = Vec::new();
        let all = self.core.visit_stacks(SHOWN, |path, weight| {
            let values: Vec<String> = path.iter().rev().map(|symbol| format!("{symbol:?}")).collect();
            shown.push(format!("([{}], {weight:?})", values.join(", ")));
            ControlFlow::Continue(())
        });
        if all.is_err() {
            shown.push("...".to_owned());
        }
        format!("WeightedGSS.from_stacks([{}])", shown.join(", "))
    }
}
