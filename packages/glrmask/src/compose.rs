//! `glrmask.Token`, `glrmask.ExactTokens`, `glrmask.BoundaryTriggerDetail`; what fills slots, and what is open.

use std::hash::{DefaultHasher, Hash, Hasher};

use glrmask::{BoundaryTriggerDetail, ExactTokens, Requirement, SlotKind, Token, TokenId, Vocab};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

use crate::errors;
use crate::vocab::{declared_id, token_id};

/// A token id without a vocabulary.
#[pyclass(name = "Token", module = "glrmask", frozen, eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PyToken(Token);

impl PyToken {
    pub(crate) fn token(&self) -> Token {
        self.0
    }
}

#[pymethods]
impl PyToken {
    #[new]
    #[pyo3(signature = (id))]
    fn new(id: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(Token::new(declared_id(id)?)))
    }
    #[getter]
    fn id(&self) -> u32 {
        self.0.id.0
    }
    fn __repr__(&self) -> String {
        format!("Token({})", self.0.id.0)
    }
    fn __getnewargs__(&self) -> (u32,) {
        (self.0.id.0,)
    }
}

/// Token ids of one vocabulary.
#[pyclass(name = "ExactTokens", module = "glrmask", frozen, eq)]
#[derive(Clone, PartialEq, Eq)]
pub struct PyExactTokens(ExactTokens);

impl PyExactTokens {
    pub(crate) fn of(tokens: ExactTokens) -> Self {
        Self(tokens)
    }
    pub(crate) fn tokens(&self) -> &ExactTokens {
        &self.0
    }
}

#[pymethods]
impl PyExactTokens {
    #[getter]
    fn ids(&self, py: Python<'_>) -> Vec<u32> {
        py.detach(|| self.0.ids().map(|id| id.0).collect())
    }
    #[getter]
    fn ranges<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let range = py.import("builtins")?.getattr("range")?;
        let python = |&(first, last): &(TokenId, TokenId)| range.call1((first.0, u64::from(last.0) + 1));
        self.0.ranges().iter().map(python).collect()
    }
    fn __len__(&self) -> usize {
        usize::try_from(self.0.len()).unwrap_or(usize::MAX)
    }
    fn __contains__(&self, token_id: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self::token_id("token_id", token_id)?.is_some_and(|id| self.0.contains(TokenId(id))))
    }
    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish()
    }
    fn __repr__(&self) -> String {
        let shown: Vec<String> = self.0.ranges().iter().take(8).map(|r| shown(r.0 .0, r.1 .0)).collect();
        let more = if self.0.ranges().len() > shown.len() { ", …" } else { "" };
        format!("<glrmask.ExactTokens: {} ids: {}{more}>", self.0.len(), shown.join(", "))
    }
    #[classmethod]
    fn _restore(cls: &Bound<'_, PyType>, vocab: [u8; 16], ranges: Vec<(u32, u32)>) -> PyResult<Self> {
        let ranges = ranges.into_iter().map(|(first, last)| (TokenId(first), TokenId(last))).collect();
        let tokens = ExactTokens::from_parts(u128::from_le_bytes(vocab), ranges);
        tokens.map(Self).ok_or_else(|| errors::error(cls.py(), "these are no token ids"))
    }
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let restore = py.get_type::<Self>().getattr("_restore")?;
        let vocab = PyBytes::new(py, &self.0.vocab_fingerprint().to_le_bytes());
        let ranges: Vec<(u32, u32)> = self.0.ranges().iter().map(|&(first, last)| (first.0, last.0)).collect();
        Ok((restore, (vocab, ranges)).into_pyobject(py)?.into_any())
    }
}

fn shown(first: u32, last: u32) -> String {
    if first == last {
        first.to_string()
    } else {
        format!("{first}–{last}")
    }
}

/// How much is found out about boundaries.
#[pyclass(
    name = "BoundaryTriggerDetail",
    module = "glrmask",
    frozen,
    eq,
    hash,
    from_py_object,
    rename_all = "SCREAMING_SNAKE_CASE"
)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum PyBoundaryTriggerDetail {
    None,
    Tokens,
    Exact,
}

impl From<PyBoundaryTriggerDetail> for BoundaryTriggerDetail {
    fn from(detail: PyBoundaryTriggerDetail) -> Self {
        match detail {
            PyBoundaryTriggerDetail::None => Self::None,
            PyBoundaryTriggerDetail::Tokens => Self::Tokens,
            PyBoundaryTriggerDetail::Exact => Self::Exact,
        }
    }
}

/// `Vocab.tokens`: a `range` stays compact, anything else is gone through once.
pub(crate) fn tokens(vocab: &Vocab, ids: &Bound<'_, PyAny>) -> PyResult<PyExactTokens> {
    let py = ids.py();
    if is_range(ids)? {
        match Range::of(ids)? {
            Range::Empty => return made(py, vocab.tokens([])),
            Range::Of(first, last) => return made(py, vocab.token_ranges([(first, last)])),
            Range::Unknown(id) => return Err(errors::unknown_token(py, &id)),
            Range::Strided => {}
        }
    }
    let Ok(items) = ids.try_iter() else { return Err(errors::wrong_type("ids", "an iterable of int", ids)) };
    let known = |item: PyResult<Bound<'_, PyAny>>| {
        let item = item?;
        token_id("a token id", &item)?.map(TokenId).ok_or_else(|| errors::unknown_token(py, &item))
    };
    let ids = items.map(known).collect::<PyResult<Vec<_>>>()?;
    made(py, py.detach(|| vocab.tokens(ids)))
}

/// `Vocab.token_ranges`.
pub(crate) fn token_ranges(vocab: &Vocab, ranges: &Bound<'_, PyAny>) -> PyResult<PyExactTokens> {
    let py = ranges.py();
    let Ok(items) = ranges.try_iter() else {
        return Err(errors::wrong_type("ranges", "an iterable of range", ranges));
    };
    let one = |item: PyResult<Bound<'_, PyAny>>| {
        let item = item?;
        if !is_range(&item)? {
            return Err(errors::wrong_type("an item of ranges", "range", &item));
        }
        match Range::of(&item)? {
            Range::Of(first, last) => Ok((first, last)),
            Range::Empty => Err(errors::error(py, format!("{} is empty", item.str()?))),
            Range::Strided => Err(errors::error(py, format!("the step of {} is not 1 or -1", item.str()?))),
            Range::Unknown(id) => Err(errors::unknown_token(py, &id)),
        }
    };
    let ranges = items.map(one).collect::<PyResult<Vec<_>>>()?;
    made(py, py.detach(|| vocab.token_ranges(ranges)))
}

fn made(py: Python<'_>, tokens: Result<ExactTokens, glrmask::VocabError>) -> PyResult<PyExactTokens> {
    tokens.map(PyExactTokens).map_err(|e| errors::from_vocab(py, &e))
}

/// What a Python `range` is as a range of token ids.
enum Range<'py> {
    Empty,
    /// First and last id.
    Of(TokenId, TokenId),
    /// It goes beyond what can be an id.
    Unknown(Bound<'py, PyAny>),
    /// Its step is neither 1 nor −1.
    Strided,
}

impl<'py> Range<'py> {
    fn of(range: &Bound<'py, PyAny>) -> PyResult<Self> {
        let step = range.getattr("step")?;
        if !(step.eq(1)? || step.eq(-1)?) {
            return Ok(Self::Strided);
        }
        if !range.is_truthy()? {
            return Ok(Self::Empty);
        }
        let mut ends = [range.get_item(0)?, range.get_item(-1)?];
        if ends[0].gt(&ends[1])? {
            ends.reverse();
        }
        let [first, last] = ends;
        Ok(match (token_id("a token id", &first)?, token_id("a token id", &last)?) {
            (None, _) => Self::Unknown(first),
            (_, None) => Self::Unknown(last),
            (Some(first), Some(last)) => Self::Of(TokenId(first), TokenId(last)),
        })
    }
}

fn is_range(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    object.is_instance(&object.py().import("builtins")?.getattr("range")?)
}

/// `glrmask.types.Requirement` for each.
pub(crate) fn requirements<'py>(
    py: Python<'py>,
    found: Result<Vec<Requirement>, glrmask::Error>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let found = found.map_err(|e| errors::from_error(py, &e))?;
    let class = py.import("glrmask.types")?.getattr("Requirement")?;
    let python = |requirement: Requirement| {
        let kind = match requirement.kind {
            SlotKind::Token => "token",
            SlotKind::Grammar => "grammar",
        };
        let span = requirement.span.map(|s| (s.start, s.end, s.line, s.column));
        class.call1((kind, requirement.name(), requirement.path, span))
    };
    found.into_iter().map(python).collect()
}
