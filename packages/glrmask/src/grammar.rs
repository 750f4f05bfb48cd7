//! `glrmask.Grammar`.

use std::sync::{Mutex, PoisonError};

use glrmask::{Grammar, JsonSchemaOptions, Value};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::compile::CompileArgs;
use crate::compose::{self, PyBoundaryTriggerDetail, PyExactTokens, PyToken};
use crate::constraint::PyConstraint;
use crate::errors;
use crate::optimization::PyOptimization;
use crate::options;
use crate::prepared::PyPreparedGrammar;
use crate::vocab::PyVocab;

/// Which texts are wanted, independent of any vocabulary.
#[pyclass(name = "Grammar", module = "glrmask", frozen)]
pub struct PyGrammar(Mutex<Grammar>);

impl PyGrammar {
    fn new(grammar: Grammar) -> Self {
        Self(Mutex::new(grammar))
    }

    /// A snapshot.
    pub(crate) fn grammar(&self) -> Grammar {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn value(value: &Bound<'_, PyAny>) -> PyResult<Value> {
        if let Ok(grammar) = value.cast::<Self>() {
            return Ok(grammar.get().grammar().into());
        }
        if let Ok(token) = value.cast::<PyToken>() {
            return Ok(token.get().token().into());
        }
        let Ok(tokens) = value.cast::<PyExactTokens>() else {
            return Err(errors::wrong_type("value", "Grammar, Token or ExactTokens", value));
        };
        Ok(tokens.get().tokens().into())
    }

    fn from_text(
        source: &Bound<'_, PyAny>,
        parse: impl FnOnce(&str) -> Result<Grammar, glrmask::Error> + Send,
    ) -> PyResult<Self> {
        let py = source.py();
        let Ok(text) = source.cast::<PyString>() else {
            return Err(errors::wrong_type("source", "str", source));
        };
        let text = text.to_cow().map_err(|e| errors::grammar_text(py, &format!("the text is not Unicode: {e}")))?;
        py.detach(|| parse(&text)).map(Self::new).map_err(|e| errors::from_error(py, &e))
    }
}

#[pymethods]
impl PyGrammar {
    #[staticmethod]
    #[pyo3(signature = (schema, **options))]
    pub(crate) fn from_json_schema(
        py: Python<'_>,
        schema: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = options::json_schema(options)?;
        let text = schema_text(schema)?;
        py.detach(|| Grammar::from_json_schema_with(&text, &options))
            .map(Self::new)
            .map_err(|e| errors::from_error(py, &e))
    }

    #[staticmethod]
    #[pyo3(signature = (source))]
    pub(crate) fn from_glrm(_py: Python<'_>, source: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::from_text(source, Grammar::from_glrm)
    }

    #[staticmethod]
    #[pyo3(signature = (source))]
    pub(crate) fn from_ebnf(_py: Python<'_>, source: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::from_text(source, Grammar::from_ebnf)
    }

    #[staticmethod]
    #[pyo3(signature = (source, *, profile = "recognition", token_names = None))]
    pub(crate) fn from_lark(
        source: &Bound<'_, PyAny>,
        profile: &str,
        token_names: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let options = options::lark(profile, token_names)?;
        Self::from_text(source, |text| Grammar::from_lark_with(text, &options))
    }

    #[staticmethod]
    #[pyo3(signature = (source, *, token_names = None))]
    fn from_gbnf(source: &Bound<'_, PyAny>, token_names: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let names = options::token_names(token_names)?;
        Self::from_text(source, |text| Grammar::from_gbnf_with(text, &names))
    }

    #[staticmethod]
    #[pyo3(signature = (pattern, *, flavor = "rust"))]
    fn from_regex(pattern: &Bound<'_, PyAny>, flavor: &str) -> PyResult<Self> {
        let flavor = options::regex_flavor(flavor)?;
        Self::from_text(pattern, |text| Grammar::from_regex(text, flavor))
    }

    #[staticmethod]
    #[pyo3(signature = (choices))]
    fn from_choices(choices: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = choices.py();
        let wrong = || errors::wrong_type("choices", "an iterable of str or bytes", choices);
        // A text is an iterable of characters, and surely meant as one choice.
        let is_text = choices.is_instance_of::<PyString>() || choices.is_instance_of::<PyBytes>();
        let items = if is_text { return Err(wrong()) } else { choices.try_iter().map_err(|_| wrong())? };
        let texts: Vec<Vec<u8>> = items.map(|item| choice(&item?)).collect::<PyResult<_>>()?;
        py.detach(|| Grammar::from_choices(texts)).map(Self::new).map_err(|e| errors::from_error(py, &e))
    }

    #[staticmethod]
    #[pyo3(signature = (spec, *, token_names = None))]
    fn from_structural_tag(spec: &Bound<'_, PyAny>, token_names: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let (py, names) = (spec.py(), options::token_names(token_names)?);
        let text = schema_text(spec)?;
        let grammar = py.detach(|| Grammar::from_structural_tag_with(&text, &names, &JsonSchemaOptions::default()));
        grammar.map(Self::new).map_err(|e| errors::from_error(py, &e))
    }

    #[staticmethod]
    #[pyo3(signature = (name))]
    fn builtin(name: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::from_text(name, Grammar::builtin)
    }

    #[staticmethod]
    #[pyo3(signature = (tokens))]
    fn exact(tokens: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Ok(tokens) = tokens.cast::<PyExactTokens>() else {
            return Err(errors::wrong_type("tokens", "ExactTokens", tokens));
        };
        Grammar::exact(tokens.get().tokens()).map(Self::new).map_err(|e| errors::from_error(tokens.py(), &e))
    }

    #[pyo3(signature = (name, value))]
    fn bind(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let given = Self::value(value)?;
        // An exception is made without the lock: making it runs Python, which may let another thread come here.
        let bound = self.0.lock().unwrap_or_else(PoisonError::into_inner).bind(name, given);
        bound.map_err(|e| errors::from_error(value.py(), &e))
    }

    #[getter]
    fn requirements<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        compose::requirements(py, self.grammar().requirements())
    }

    #[pyo3(signature = (
        vocab, *, boundary_trigger = None, optimization = None, limits = None, threads = None, cancel = None
    ))]
    fn prepare(
        &self,
        vocab: &Bound<'_, PyVocab>,
        boundary_trigger: Option<PyBoundaryTriggerDetail>,
        optimization: Option<PyOptimization>,
        limits: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
        cancel: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyPreparedGrammar> {
        let args = CompileArgs::new(None, optimization)?.with_work(limits, threads, cancel)?;
        PyPreparedGrammar::prepare(self, vocab, args.with_boundary_trigger(boundary_trigger))
    }

    #[allow(clippy::too_many_arguments)] // Keywords in Python.
    #[pyo3(signature = (
        vocab, *, end_tokens = None, optimization = None, boundary_trigger = None, background = false, limits = None,
        threads = None, cancel = None, strict = false
    ))]
    fn compile(
        &self,
        py: Python<'_>,
        vocab: &Bound<'_, PyVocab>,
        end_tokens: Option<&Bound<'_, PyAny>>,
        optimization: Option<PyOptimization>,
        boundary_trigger: Option<PyBoundaryTriggerDetail>,
        background: bool,
        limits: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
        cancel: Option<&Bound<'_, PyAny>>,
        strict: bool,
    ) -> PyResult<PyConstraint> {
        let args = CompileArgs::new(end_tokens, optimization)?.with_policy(background, strict);
        let args = args.with_work(limits, threads, cancel)?.with_boundary_trigger(boundary_trigger);
        PyConstraint::compile(py, self, vocab, args)
    }

    fn to_glrm(&self, py: Python<'_>) -> PyResult<String> {
        let grammar = self.grammar();
        py.detach(|| grammar.to_glrm()).map_err(|e| errors::from_error(py, &e))
    }

    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let class = py.import("glrmask.types")?.getattr("SchemaWarning")?;
        let grammar = self.grammar();
        let warnings = grammar.warnings().iter();
        warnings.map(|w| class.call1((&w.pointer, &w.keyword, &w.message, &w.slot))).collect()
    }

    #[pyo3(name = "clone")]
    fn copy(&self) -> Self {
        Self::new(self.grammar())
    }
    fn __copy__(&self) -> Self {
        self.copy()
    }
    #[pyo3(signature = (memo, /))]
    fn __deepcopy__(&self, memo: &Bound<'_, PyAny>) -> Self {
        let _ = memo; // A grammar refers to no Python object.
        self.copy()
    }

    fn __repr__(&self) -> String {
        let grammar = self.grammar();
        let ir = grammar.ir();
        format!("<glrmask.Grammar: {} productions, {} terminals>", ir.productions.len(), ir.terminals.len())
    }
}

/// JSON text of a schema given as text, as UTF-8, or as a value.
pub(crate) fn schema_text(schema: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = schema.py();
    if let Ok(bytes) = schema.cast::<PyBytes>() {
        let text = std::str::from_utf8(bytes.as_bytes());
        return text.map(str::to_owned).map_err(|e| errors::schema_text(py, &format!("the schema is not UTF-8: {e}")));
    }
    let text = match schema.cast::<PyString>() {
        Ok(text) => text.clone(),
        Err(_) => dump(schema)?,
    };
    let text = text.to_cow().map_err(|e| errors::schema_text(py, &format!("the schema is not Unicode: {e}")))?;
    Ok(text.into_owned())
}

/// The bytes of a choice: `str` as UTF-8, `bytes` verbatim.
fn choice(item: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(bytes) = item.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    let Ok(text) = item.cast::<PyString>() else { return Err(errors::wrong_type("a choice", "str or bytes", item)) };
    let text = text.to_cow().map_err(|e| errors::error(item.py(), format!("a choice is not Unicode: {e}")))?;
    Ok(text.as_bytes().to_vec())
}

/// JSON text of a Python value or type.
fn dump<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    let text = value.py().import("glrmask.schemas")?.call_method1("schema_text", (value,))?;
    Ok(text.cast_into::<PyString>()?)
}
