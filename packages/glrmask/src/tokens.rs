//! Lists of token ids as Python gives them.

use glrmask::{CommitError, CommitTokensError, ConstraintState, TokenId};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::errors;
use crate::vocab::token_id;

/// Token ids, and the first number among them that can be none.
pub(crate) struct Tokens {
    ids: Vec<TokenId>,
    /// Stands after all of `ids`; what came after it is left out.
    impossible: Option<Py<PyAny>>,
}

/// What became of committing tokens.
pub(crate) type Outcome = Result<(), CommitTokensError>;

impl Tokens {
    /// From any iterable of numbers.
    ///
    /// # Errors
    /// `TypeError` if it is none.
    pub(crate) fn of(what: &str, ids: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Ok(items) = ids.try_iter() else { return Err(errors::wrong_type(what, "an iterable of int", ids)) };
        let mut tokens = Self { ids: Vec::new(), impossible: None };
        for item in items {
            let item = item?;
            match token_id("a token id", &item)? {
                Some(id) if tokens.impossible.is_none() => tokens.ids.push(TokenId(id)),
                None if tokens.impossible.is_none() => tokens.impossible = Some(item.unbind()),
                _ => {}
            }
        }
        Ok(tokens)
    }

    /// From an iterable of numbers and of iterables of numbers.
    ///
    /// # Errors
    /// `TypeError` if it is none.
    pub(crate) fn several(what: &str, all: &Bound<'_, PyAny>) -> PyResult<Vec<Self>> {
        let expected = "an iterable of int or of iterables of int";
        let Ok(items) = all.try_iter() else { return Err(errors::wrong_type(what, expected, all)) };
        let one = |item: Bound<'_, PyAny>| match token_id("a token id", &item) {
            Ok(Some(id)) => Ok(Self { ids: vec![TokenId(id)], impossible: None }),
            Ok(None) => Ok(Self { ids: Vec::new(), impossible: Some(item.unbind()) }),
            Err(e) if e.is_instance_of::<PyTypeError>(item.py()) => Self::of("token ids of a state", &item),
            Err(e) => Err(e),
        };
        items.map(|item| one(item?)).collect()
    }

    /// Those before the first number that is none.
    pub(crate) fn ids(&self) -> &[TokenId] {
        &self.ids
    }

    /// Commits them all; a number that cannot be an id is an unknown one.
    pub(crate) fn commit(&self, state: &mut ConstraintState) -> Outcome {
        let fail = |error| Err(CommitTokensError { committed: 0, error });
        match self.impossible {
            Some(_) if state.is_terminated() => fail(CommitError::Terminated),
            Some(_) => fail(CommitError::UnknownToken(TokenId(u32::MAX))),
            None => state.commit_tokens(&self.ids),
        }
    }

    /// The exception for what `commit` said.
    pub(crate) fn error(&self, py: Python<'_>, error: &CommitTokensError) -> PyErr {
        match (&self.impossible, &error.error) {
            (Some(id), CommitError::UnknownToken(_)) => errors::unknown_token(py, id.bind(py)),
            _ => errors::from_commit_tokens(py, error),
        }
    }
}
