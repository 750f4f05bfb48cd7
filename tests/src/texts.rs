//! All texts of small languages, and vocabularies of pieces of them.

use std::collections::BTreeSet;

use glrmask_compiler::{compile, Config};
use glrmask_grammar::Grammar;
use glrmask_vocab::{TokenId, Vocab};

use crate::engine;
use crate::rng::Rng;

/// Every byte is a token, and nothing else is.
///
/// # Errors
/// None that can happen.
pub fn single_bytes() -> Result<Vocab, String> {
    let bytes = (0..=u8::MAX).map(|byte| (TokenId(byte.into()), [byte]));
    Vocab::new(bytes).map_err(|error| error.to_string())
}

/// Every text of the grammar up to a length; `None` if more than `most` are found or begun.
///
/// # Errors
/// The grammar does not compile, or decoding fails.
pub fn texts(grammar: &Grammar, longest: usize, most: usize) -> Result<Option<Vec<String>>, String> {
    let constraint = compile(grammar, &single_bytes()?, &Config::default()).map_err(|error| error.to_string())?;
    let (mut found, mut open) = (Vec::new(), vec![(constraint.start(), Vec::new())]);
    while let Some((state, text)) = open.pop() {
        if found.len() > most || open.len() > most {
            return Ok(None);
        }
        if state.is_accepting() {
            found.push(String::from_utf8(text.clone()).map_err(|error| error.to_string())?);
        }
        if text.len() < longest {
            for id in engine::allowed(&state).map_err(|error| error.to_string())? {
                let mut next = state.clone();
                next.commit_token(TokenId(id)).map_err(|error| error.to_string())?;
                open.push((next, [text.as_slice(), &[id as u8]].concat()));
            }
        }
    }
    Ok(Some(found))
}

/// The single bytes and so many pieces of texts of up to a length.
///
/// # Errors
/// None that can happen.
pub fn pieces(texts: &[String], (count, longest): (usize, usize), rng: &mut Rng) -> Result<Vocab, String> {
    let mut tokens: BTreeSet<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
    let texts: Vec<&[u8]> = texts.iter().map(String::as_bytes).filter(|text| !text.is_empty()).collect();
    for _ in 0..if texts.is_empty() { 0 } else { count } {
        let text = rng.pick(&texts);
        let start = rng.below(text.len());
        let end = text.len().min(start + rng.between(1, longest));
        tokens.extend(text.get(start..end).map(<[u8]>::to_vec));
    }
    Vocab::new((0..).map(TokenId).zip(tokens)).map_err(|error| error.to_string())
}
