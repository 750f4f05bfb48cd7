//! Composition: what can be bound to a slot, and what the boundaries of bound grammars tell.

use std::sync::Arc;

use glrmask_grammar::assembly::Define;
use glrmask_grammar::{Assembly, Binding, Events, GrammarError, Source};
use glrmask_vocab::{ExactTokens, TokenId, Vocab, VocabError};

use crate::error::Error;
use crate::grammar::Grammar;

/// A token id without a vocabulary: whichever vocabulary the grammar is compiled for has to have it, and it may stand
/// for different bytes in each. [`Vocab::tokens`] gives sets that belong to one vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token {
    /// The id.
    pub id: TokenId,
}

impl Token {
    /// The token with this id.
    pub fn new(id: TokenId) -> Self {
        Self { id }
    }
}

/// What fills a slot of a [`Grammar`].
#[derive(Clone, Debug)]
pub enum Value {
    /// A grammar, for `extern grammar`.
    Grammar(Grammar),
    /// One token event of this id.
    Token(Token),
    /// One token event with one of these ids.
    Tokens(ExactTokens),
}

impl From<Grammar> for Value {
    fn from(grammar: Grammar) -> Self {
        Self::Grammar(grammar)
    }
}
impl From<&Grammar> for Value {
    fn from(grammar: &Grammar) -> Self {
        Self::Grammar(grammar.clone())
    }
}
impl From<Token> for Value {
    fn from(token: Token) -> Self {
        Self::Token(token)
    }
}
impl From<ExactTokens> for Value {
    fn from(tokens: ExactTokens) -> Self {
        Self::Tokens(tokens)
    }
}
impl From<&ExactTokens> for Value {
    fn from(tokens: &ExactTokens) -> Self {
        Self::Tokens(tokens.clone())
    }
}

impl Value {
    pub(crate) fn binding(self) -> Binding<Source> {
        match self {
            Self::Grammar(grammar) => Binding::Component(grammar.assembly().clone()),
            Self::Token(token) => Binding::Events(one_event(token)),
            Self::Tokens(tokens) => Binding::Events(events(&tokens)),
        }
    }
}

pub(crate) fn one_event(token: Token) -> Events {
    Events { ranges: Arc::new([(token.id.0, token.id.0)]), vocab: None }
}

pub(crate) fn events(tokens: &ExactTokens) -> Events {
    let ranges = tokens.ranges().iter().map(|&(first, last)| (first.0, last.0)).collect();
    Events { ranges, vocab: Some(tokens.vocab_fingerprint()) }
}

/// Checks that token events mean something for a vocabulary.
pub(crate) fn check_events(events: &Events, vocab: &Vocab) -> Result<(), VocabError> {
    match events.vocab {
        Some(fingerprint) if fingerprint != vocab.fingerprint() => return Err(VocabError::other_vocab()),
        _ => {}
    }
    let ranges = events.ranges.iter().map(|&(first, last)| (TokenId(first), TokenId(last)));
    vocab.token_ranges(ranges).map(drop)
}

/// Checks that nothing is open, and that all token events mean something for the vocabulary.
pub(crate) fn check<D: Define>(assembly: &Assembly<D>, vocab: &Vocab) -> Result<(), Error> {
    check_all_events(assembly, vocab)?;
    if let Some(open) = assembly.requirements()?.first() {
        return Err(GrammarError::invalid(format!("nothing is bound to the slot `{}`", open.name()), open.span).into());
    }
    Ok(())
}

/// Checks that all token events mean something for the vocabulary.
pub(crate) fn check_all_events<D: Define>(assembly: &Assembly<D>, vocab: &Vocab) -> Result<(), Error> {
    for part in assembly.parts() {
        for filled in &part.slots {
            if let glrmask_grammar::assembly::Filled::Events(events) = filled {
                check_events(events, vocab)?;
            }
        }
    }
    Ok(())
}
