//! `glrmask.Vocab`.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use glrmask::vocab::{Config, Content};
use glrmask::{TokenId, Vocab};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::compose::{self, PyExactTokens};
use crate::errors;

/// The model's token ids and their exact bytes.
#[pyclass(name = "Vocab", module = "glrmask", frozen)]
pub struct PyVocab(Vocab);

/// An argument that may be anything, and one that may be left out.
type Any<'a, 'py> = &'a Bound<'py, PyAny>;
type Given<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// What every way to make a vocabulary is told beside the tokens.
struct Extras<'a, 'py> {
    special_tokens: Given<'a, 'py>,
    end_token_ids: Given<'a, 'py>,
    max_id: Given<'a, 'py>,
}

impl PyVocab {
    pub(crate) fn vocab(&self) -> &Vocab {
        &self.0
    }
    pub(crate) fn of(vocab: Vocab) -> Self {
        Self(vocab)
    }

    /// Builds it, detached from the interpreter.
    fn build(py: Python<'_>, mut content: Content, extras: Extras<'_, '_>) -> PyResult<Self> {
        if let Some(names) = extras.special_tokens {
            content.special_tokens = named_ids(names)?;
        }
        if let Some(ids) = extras.end_token_ids {
            content.end_tokens = token_ids("end_token_ids", ids)?;
        }
        let default = Config::default();
        let config = Config { max_id: extras.max_id.map_or(Ok(default.max_id), max_id)?, ..default };
        py.detach(|| content.into_vocab(&config)).map(Self).map_err(|e| errors::from_vocab(py, &e))
    }

    /// Builds it from what a loader of `glrmask.loaders` found: (tokens by id, special tokens, end token ids).
    fn load(loader: &str, source: &Bound<'_, PyAny>, extras: Extras<'_, '_>) -> PyResult<Self> {
        let py = source.py();
        let Extras { special_tokens, end_token_ids, max_id } = extras;
        let found = py.import("glrmask.loaders")?.getattr(loader)?.call1((source, special_tokens))?;
        let (tokens, special, end): (Bound<'_, PyDict>, Bound<'_, PyAny>, Bound<'_, PyAny>) = found.extract()?;
        let extras = Extras { special_tokens: Some(&special), end_token_ids: end_token_ids.or(Some(&end)), max_id };
        Self::build(py, by_id(&tokens)?, extras)
    }
}

#[pymethods]
impl PyVocab {
    #[staticmethod]
    #[pyo3(signature = (token_to_id, *, special_tokens = None, end_token_ids = None, max_id = None))]
    fn from_dict(
        token_to_id: Any<'_, '_>,
        special_tokens: Given<'_, '_>,
        end_token_ids: Given<'_, '_>,
        max_id: Given<'_, '_>,
    ) -> PyResult<Self> {
        let Ok(entries) = token_to_id.cast::<PyDict>() else {
            return Err(errors::wrong_type("token_to_id", "a dict", token_to_id));
        };
        let mut content = Content::default();
        for (token, id) in entries {
            push(&mut content, &id, &token)?;
        }
        Self::build(token_to_id.py(), content, Extras { special_tokens, end_token_ids, max_id })
    }

    #[staticmethod]
    #[pyo3(signature = (id_to_bytes, *, special_tokens = None, end_token_ids = None, max_id = None))]
    fn from_id_to_bytes(
        id_to_bytes: Any<'_, '_>,
        special_tokens: Given<'_, '_>,
        end_token_ids: Given<'_, '_>,
        max_id: Given<'_, '_>,
    ) -> PyResult<Self> {
        let Ok(entries) = id_to_bytes.cast::<PyDict>() else {
            return Err(errors::wrong_type("id_to_bytes", "a dict", id_to_bytes));
        };
        Self::build(id_to_bytes.py(), by_id(entries)?, Extras { special_tokens, end_token_ids, max_id })
    }

    #[staticmethod]
    #[pyo3(signature = (encoding, *, special_tokens = None, end_token_ids = None, max_id = None))]
    fn from_tiktoken(
        encoding: Any<'_, '_>,
        special_tokens: Given<'_, '_>,
        end_token_ids: Given<'_, '_>,
        max_id: Given<'_, '_>,
    ) -> PyResult<Self> {
        Self::load("tiktoken", encoding, Extras { special_tokens, end_token_ids, max_id })
    }

    #[staticmethod]
    #[pyo3(signature = (path, *, special_tokens = None, end_token_ids = None, max_id = None))]
    fn from_tekken(
        path: Any<'_, '_>,
        special_tokens: Given<'_, '_>,
        end_token_ids: Given<'_, '_>,
        max_id: Given<'_, '_>,
    ) -> PyResult<Self> {
        Self::load("tekken", path, Extras { special_tokens, end_token_ids, max_id })
    }

    #[staticmethod]
    #[pyo3(signature = (tokenizer, *, special_tokens = None, end_token_ids = None, max_id = None))]
    fn from_huggingface(
        tokenizer: Any<'_, '_>,
        special_tokens: Given<'_, '_>,
        end_token_ids: Given<'_, '_>,
        max_id: Given<'_, '_>,
    ) -> PyResult<Self> {
        Self::load("huggingface", tokenizer, Extras { special_tokens, end_token_ids, max_id })
    }

    #[staticmethod]
    #[pyo3(signature = (source, *, special_tokens = None, end_token_ids = None, max_id = None))]
    fn from_tokenizer_json(
        source: Any<'_, '_>,
        special_tokens: Given<'_, '_>,
        end_token_ids: Given<'_, '_>,
        max_id: Given<'_, '_>,
    ) -> PyResult<Self> {
        Self::load("tokenizer_json", source, Extras { special_tokens, end_token_ids, max_id })
    }

    #[staticmethod]
    #[pyo3(signature = (model, *, special_tokens = None, end_token_ids = None, max_id = None))]
    fn from_sentencepiece(
        model: Any<'_, '_>,
        special_tokens: Given<'_, '_>,
        end_token_ids: Given<'_, '_>,
        max_id: Given<'_, '_>,
    ) -> PyResult<Self> {
        Self::load("sentencepiece", model, Extras { special_tokens, end_token_ids, max_id })
    }

    #[staticmethod]
    #[pyo3(signature = (path, *, special_tokens = None, end_token_ids = None, max_id = None))]
    fn from_gguf(
        path: Any<'_, '_>,
        special_tokens: Given<'_, '_>,
        end_token_ids: Given<'_, '_>,
        max_id: Given<'_, '_>,
    ) -> PyResult<Self> {
        Self::load("gguf", path, Extras { special_tokens, end_token_ids, max_id })
    }

    #[staticmethod]
    #[pyo3(signature = (llm, *, special_tokens = None, end_token_ids = None, max_id = None))]
    fn from_llama_cpp(
        llm: Any<'_, '_>,
        special_tokens: Given<'_, '_>,
        end_token_ids: Given<'_, '_>,
        max_id: Given<'_, '_>,
    ) -> PyResult<Self> {
        Self::load("llama_cpp", llm, Extras { special_tokens, end_token_ids, max_id })
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
    fn __contains__(&self, token_id: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self::token_id("token_id", token_id)?.is_some_and(|id| self.0.contains(TokenId(id))))
    }
    #[getter]
    fn max_id(&self) -> Option<u32> {
        self.0.max_id().map(|id| id.0)
    }
    #[pyo3(signature = (token_id))]
    fn token_bytes<'py>(&self, py: Python<'py>, token_id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let id = self::token_id("token_id", token_id)?;
        let bytes = id.and_then(|id| self.0.bytes(TokenId(id)));
        bytes.map(|bytes| PyBytes::new(py, bytes)).ok_or_else(|| errors::unknown_token(py, token_id))
    }
    #[pyo3(signature = (ids))]
    fn tokens(&self, ids: &Bound<'_, PyAny>) -> PyResult<PyExactTokens> {
        compose::tokens(&self.0, ids)
    }
    #[pyo3(signature = (ranges))]
    fn token_ranges(&self, ranges: &Bound<'_, PyAny>) -> PyResult<PyExactTokens> {
        compose::token_ranges(&self.0, ranges)
    }
    #[getter]
    fn special_tokens(&self) -> BTreeMap<&str, u32> {
        self.0.special_tokens().iter().map(|(name, id)| (name.as_str(), id.0)).collect()
    }
    #[getter]
    fn end_token_ids(&self) -> Vec<u32> {
        self.0.end_tokens().iter().map(|id| id.0).collect()
    }

    #[getter]
    fn llama_cpp_end_token_ids(&self) -> Vec<u32> {
        self.end_token_ids()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> Option<bool> {
        let other = other.cast::<Self>().ok()?;
        Some(self.0.fingerprint() == other.get().0.fingerprint())
    }
    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.fingerprint().hash(&mut hasher);
        hasher.finish()
    }
    fn __repr__(&self) -> String {
        match self.0.max_id() {
            Some(max) => format!("<glrmask.Vocab: {} tokens, ids up to {}>", self.0.len(), max.0),
            None => "<glrmask.Vocab: no tokens>".to_owned(),
        }
    }
}

/// A token id, or nothing if the number can be none.
///
/// # Errors
/// `TypeError` if it is not an integer.
pub(crate) fn token_id(what: &str, id: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
    match id.extract::<u32>() {
        Ok(id) => Ok(Some(id)),
        Err(e) if e.is_instance_of::<PyOverflowError>(id.py()) => Ok(None),
        Err(_) => Err(errors::wrong_type(what, "int", id)),
    }
}

/// Token ids from any iterable.
pub(crate) fn token_ids(what: &str, ids: &Bound<'_, PyAny>) -> PyResult<Vec<TokenId>> {
    let Ok(items) = ids.try_iter() else { return Err(errors::wrong_type(what, "an iterable of int", ids)) };
    items.map(|id| declared_id(&id?)).collect()
}

fn max_id(max_id: &Bound<'_, PyAny>) -> PyResult<u32> {
    let refused = |given| PyValueError::new_err(format!("max_id must be from 0 to 4294967295, not {given}"));
    token_id("max_id", max_id)?.ok_or_else(|| refused(max_id))
}

fn named_ids(names: &Bound<'_, PyAny>) -> PyResult<BTreeMap<String, TokenId>> {
    let Ok(entries) = names.cast::<PyDict>() else {
        return Err(errors::wrong_type("special_tokens", "a dict from str to int", names));
    };
    entries.iter().map(|(key, id)| Ok((token_name(&key)?, declared_id(&id)?))).collect()
}

pub(crate) fn token_name(name: &Bound<'_, PyAny>) -> PyResult<String> {
    let Ok(text) = name.cast::<PyString>() else { return Err(errors::wrong_type("a token name", "str", name)) };
    let text = text.to_cow().map_err(|e| errors::error(name.py(), format!("a token name is not Unicode: {e}")))?;
    Ok(text.into_owned())
}

pub(crate) fn declared_id(id: &Bound<'_, PyAny>) -> PyResult<TokenId> {
    let Some(number) = token_id("a token id", id)? else {
        return Err(errors::error(id.py(), format!("token id {} is not from 0 to 4294967295", id.str()?)));
    };
    Ok(TokenId(number))
}

fn by_id(entries: &Bound<'_, PyDict>) -> PyResult<Content> {
    let mut content = Content::default();
    for (id, token) in entries {
        let Ok(token) = token.cast::<PyBytes>() else { return Err(errors::wrong_type("a token", "bytes", &token)) };
        push(&mut content, &id, token)?;
    }
    Ok(content)
}

/// Adds a token: `bytes` verbatim, `str` as UTF-8.
fn push(content: &mut Content, id: &Bound<'_, PyAny>, token: &Bound<'_, PyAny>) -> PyResult<()> {
    content.ids.push(declared_id(id)?);
    if let Ok(bytes) = token.cast::<PyBytes>() {
        content.data.extend_from_slice(bytes.as_bytes());
    } else if let Ok(text) = token.cast::<PyString>() {
        let text = text.to_cow().map_err(|e| errors::error(id.py(), format!("a token is not Unicode: {e}")))?;
        content.data.extend_from_slice(text.as_bytes());
    } else {
        return Err(errors::wrong_type("a token", "str or bytes", token));
    }
    let end = u32::try_from(content.data.len());
    content.ends.push(end.map_err(|_| errors::error(id.py(), "the token strings have more than 4294967295 bytes"))?);
    Ok(())
}
