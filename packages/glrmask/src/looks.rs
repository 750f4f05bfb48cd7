//! Explanations, dumps and graphs as Python values.

use glrmask::explain::{Explanation, Outcome, Reading, Verdict};
use glrmask::{Constraint, TokenCompletion, View};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

const VIEWS: &[(&str, View)] = &[
    ("lexer", View::Lexer),
    ("classes", View::Classes),
    ("tables", View::Tables),
    ("rows", View::Rows),
    ("rules", View::Rules),
];

/// The part of a constraint with this name.
pub(crate) fn view(name: &str) -> PyResult<View> {
    let found = VIEWS.iter().find(|(known, _)| *known == name);
    found.map(|(_, view)| *view).ok_or_else(|| {
        let names: Vec<_> = VIEWS.iter().map(|(name, _)| format!("'{name}'")).collect();
        PyValueError::new_err(format!("view must be {}, not '{name}'", names.join(" or ")))
    })
}

/// A `glrmask.types.TokenCompletion`.
pub(crate) fn completion<'py>(py: Python<'py>, found: TokenCompletion) -> PyResult<Bound<'py, PyAny>> {
    let tokens: Vec<u32> = found.tokens.into_iter().map(|id| id.0).collect();
    py.import("glrmask.types")?.getattr("TokenCompletion")?.call1((tokens, found.is_minimal))
}

/// A `glrmask.types.Explanation`.
pub(crate) fn explanation<'py>(
    py: Python<'py>,
    constraint: &Constraint,
    found: &Explanation,
) -> PyResult<Bound<'py, PyAny>> {
    let types = py.import("glrmask.types")?;
    let verdict = match found.verdict {
        Verdict::Unknown => "unknown",
        Verdict::Over => "over",
        Verdict::End => "end",
        Verdict::NoBytes => "no bytes",
        Verdict::Text => "text",
    };
    let class = types.getattr("Reading")?;
    let readings: Vec<_> =
        found.readings.iter().map(|reading| self::reading(constraint, reading, &class)).collect::<PyResult<_>>()?;
    let bytes = PyBytes::new(py, &found.bytes);
    let (rule, text) = (found.rule_text(), found.to_string());
    let fields = (found.token.0, bytes, found.allowed, verdict, readings, found.is_cut, rule, text);
    types.getattr("Explanation")?.call1(fields)
}

fn reading<'py>(constraint: &Constraint, reading: &Reading, class: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let name = |&terminal: &_| constraint.describe(terminal);
    let names = |terminals: &[_]| terminals.iter().map(name).collect::<Vec<String>>();
    let lexemes: Vec<_> = reading.lexemes.iter().map(|l| (name(&l.terminal), l.start, l.end)).collect();
    let (outcome, at, terminals, expected) = match &reading.outcome {
        Outcome::Allowed { open } => ("allowed", None, names(open), Vec::new()),
        Outcome::NoLexeme { at, inside } => ("no lexeme", Some(*at), names(inside), Vec::new()),
        Outcome::Refused { at, terminals, expected, .. } => ("refused", Some(*at), names(terminals), names(expected)),
        Outcome::LongerMatch { at, terminal } => ("longer match", Some(*at), names(&[*terminal]), Vec::new()),
        Outcome::NothingCompletes { open, .. } => ("nothing completes", None, names(open), Vec::new()),
    };
    class.call1((outcome, at, terminals, expected, lexemes))
}
