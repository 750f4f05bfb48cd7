//! From Rust errors to the exceptions of `glrmask.errors`, with their attributes.
//!
//! The exceptions are Python classes, so that they can be read, pickled and subclassed like any other.

use glrmask::ir::{Diagnostic, DiagnosticKind, GrammarError};
use glrmask::json_schema::{Category, SchemaError};
use glrmask::runtime::Refusal;
use glrmask::{ArtifactError, CommitError, CommitTokensError, Error, ErrorKind, RuntimeError, VocabError};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

const MODULE: &str = "glrmask.errors";

/// `GlrmaskError(message)`.
pub(crate) fn error(py: Python<'_>, message: impl ToString) -> PyErr {
    raise(py, "GlrmaskError", &message.to_string(), |_| Ok(()))
}

/// `TypeError`: what was expected and what was given.
pub(crate) fn wrong_type(what: &str, expected: &str, given: &Bound<'_, PyAny>) -> PyErr {
    let given = given.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("{what} must be {expected}, not {given}"))
}

/// `SchemaError(message)`.
pub(crate) fn schema_text(py: Python<'_>, message: &str) -> PyErr {
    raise(py, "SchemaError", message, |_| Ok(()))
}

/// `GrammarSyntaxError(message)`.
pub(crate) fn grammar_text(py: Python<'_>, message: &str) -> PyErr {
    raise(py, "GrammarSyntaxError", message, |_| Ok(()))
}

/// An id that no token has.
pub(crate) fn unknown_token(py: Python<'_>, id: &Bound<'_, PyAny>) -> PyErr {
    let message = id.str().map_or_else(|_| "unknown token id".to_owned(), |id| format!("unknown token id {id}"));
    raise(py, "GlrmaskError", &message, |attributes| attributes.set_item("token_id", id))
}

/// A commit after the end.
pub(crate) fn ended(py: Python<'_>) -> PyErr {
    from_commit(py, &CommitError::Terminated)
}

/// The exception of any error of the facade.
pub(crate) fn from_error(py: Python<'_>, error: &Error) -> PyErr {
    match error.kind() {
        ErrorKind::Vocab(e) => from_vocab(py, e),
        ErrorKind::Grammar(e) => from_grammar(py, e),
        ErrorKind::Schema(e) => from_schema(py, e),
        ErrorKind::Commit(e) => from_commit(py, e),
        ErrorKind::Runtime(e) => from_runtime(py, e),
        ErrorKind::Compile(e) if e.is_cancelled() => raise(py, "CancelledError", &e.to_string(), |_| Ok(())),
        ErrorKind::Artifact(e) => from_artifact(py, e),
        ErrorKind::Compile(e) => match e.grammar() {
            Some(e) => from_grammar(py, e),
            // A limit in seconds has no numbers that mean anything.
            None if e.is_limit() && e.numbers().is_none() => raise(py, "LimitError", &e.to_string(), |_| Ok(())),
            None => with_numbers(py, e, e.numbers()),
        },
        other => self::error(py, format!("{other:?}")),
    }
}

pub(crate) fn from_vocab(py: Python<'_>, error: &VocabError) -> PyErr {
    with_numbers(py, error, error.numbers())
}

pub(crate) fn from_commit_tokens(py: Python<'_>, error: &CommitTokensError) -> PyErr {
    let exception = from_commit(py, &error.error);
    match exception.value(py).setattr("committed_tokens", error.committed) {
        Ok(()) => exception,
        Err(e) => e,
    }
}

pub(crate) fn from_runtime(py: Python<'_>, error: &RuntimeError) -> PyErr {
    if let Some((asked, kept)) = error.history() {
        return raise(py, "GlrmaskError", &error.to_string(), |attributes| {
            set_numbers(attributes, Some((asked as u64, kept as u64)))
        });
    }
    match error.refusal() {
        Some(Refusal::Cancelled) => raise(py, "CancelledError", &error.to_string(), |_| Ok(())),
        Some(Refusal::Deadline) => raise(py, "LimitError", &error.to_string(), |_| Ok(())),
        Some(Refusal::Limit { .. }) | None => with_numbers(py, error, error.numbers()),
    }
}

/// `ArtifactError`.
pub(crate) fn from_artifact(py: Python<'_>, error: &ArtifactError) -> PyErr {
    raise(py, "ArtifactError", &error.to_string(), |_| Ok(()))
}

pub(crate) fn from_commit(py: Python<'_>, error: &CommitError) -> PyErr {
    let message = error.to_string();
    match error {
        CommitError::UnknownToken(id) | CommitError::ForbiddenToken(id) => {
            raise(py, "GlrmaskError", &message, |attributes| attributes.set_item("token_id", id.0))
        }
        CommitError::ForbiddenBytes(allowed) => {
            raise(py, "GlrmaskError", &message, |attributes| attributes.set_item("allowed_bytes", *allowed))
        }
        CommitError::Terminated => raise(py, "GlrmaskError", &message, |_| Ok(())),
        CommitError::Runtime(e) => from_runtime(py, e),
    }
}

/// An error that is a limit if it has numbers.
fn with_numbers(py: Python<'_>, error: &impl ToString, numbers: Option<(usize, usize)>) -> PyErr {
    let class = if numbers.is_some() { "LimitError" } else { "GlrmaskError" };
    let numbers = numbers.map(|(given, limit)| (given as u64, limit as u64));
    raise(py, class, &error.to_string(), |attributes| set_numbers(attributes, numbers))
}

fn from_grammar(py: Python<'_>, error: &GrammarError) -> PyErr {
    let numbers = match error.kind() {
        DiagnosticKind::Limit { given, limit } => Some((given, limit)),
        _ => None,
    };
    let class = match (numbers, error.span()) {
        (Some(_), _) => "LimitError",
        (None, Some(_)) => "GrammarSyntaxError",
        // Without a place it is not about a text: an empty language, for one.
        (None, None) => "GlrmaskError",
    };
    raise(py, class, &error.to_string(), |attributes| {
        set_numbers(attributes, numbers)?;
        if let Some(span) = error.span() {
            set_place(attributes, span.line, span.column, (span.start, span.end))?;
        }
        attributes.set_item("excerpt", error.first().excerpt())?;
        let diagnostics: Vec<_> = error.diagnostics().map(|d| diagnostic(py, d)).collect::<PyResult<_>>()?;
        attributes.set_item("diagnostics", diagnostics)
    })
}

/// A `glrmask.types.Diagnostic`.
fn diagnostic<'py>(py: Python<'py>, diagnostic: &Diagnostic) -> PyResult<Bound<'py, PyAny>> {
    let kind = match diagnostic.kind() {
        DiagnosticKind::Syntax => "syntax",
        DiagnosticKind::Unsupported => "unsupported",
        DiagnosticKind::Limit { .. } => "limit",
        _ => "invalid",
    };
    let span = diagnostic.span();
    let (line, column) = (span.map(|s| s.line), span.map(|s| s.column));
    let bytes = span.map(|s| (s.start, s.end));
    py.import("glrmask.types")?.getattr("Diagnostic")?.call1((kind, diagnostic.message(), line, column, bytes))
}

fn from_schema(py: Python<'_>, error: &SchemaError) -> PyErr {
    let category = match error.category() {
        Category::Syntax => "syntax",
        Category::Invalid => "invalid",
        Category::Unsupported => "unsupported",
        Category::Reference => "reference",
        Category::Empty => "empty",
        Category::Limit => "limit",
        _ => "other",
    };
    let class = if error.category() == Category::Limit { "LimitError" } else { "SchemaError" };
    raise(py, class, &error.to_string(), |attributes| {
        set_numbers(attributes, error.numbers())?;
        if let Some(span) = error.span() {
            set_place(attributes, span.line, span.column, (span.start, span.end))?;
        }
        attributes.set_item("pointer", error.pointer())?;
        attributes.set_item("keyword", error.keyword())?;
        attributes.set_item("category", category)
    })
}

fn set_numbers(attributes: &Bound<'_, PyDict>, numbers: Option<(u64, u64)>) -> PyResult<()> {
    let Some((given, limit)) = numbers else { return Ok(()) };
    attributes.set_item("given", given)?;
    attributes.set_item("limit", limit)
}

fn set_place(attributes: &Bound<'_, PyDict>, line: usize, column: usize, span: (usize, usize)) -> PyResult<()> {
    attributes.set_item("line", line)?;
    attributes.set_item("column", column)?;
    attributes.set_item("span", span)
}

/// Builds an exception; should that fail, the failure is what is raised.
fn raise(py: Python<'_>, class: &str, message: &str, fill: impl FnOnce(&Bound<'_, PyDict>) -> PyResult<()>) -> PyErr {
    let build = || {
        let attributes = PyDict::new(py);
        fill(&attributes)?;
        let class = py.import(MODULE)?.getattr(class)?;
        class.cast::<PyType>()?.call((message,), Some(&attributes)).map(PyErr::from_value)
    };
    build().unwrap_or_else(|failure| failure)
}
