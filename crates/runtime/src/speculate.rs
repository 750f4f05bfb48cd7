//! Several tokens at once: committing them, trying them out, and those that must come.
//!
//! For speculative decoding: a draft model proposes tokens, [`validate_tokens`](ConstraintState::validate_tokens) says
//! how many of them the constraint lets through, [`commit_tokens`](ConstraintState::commit_tokens) advances by those that
//! the large model takes, [`rollback`](ConstraintState::rollback) goes back. Where the grammar leaves no choice,
//! [`forced_tokens`](ConstraintState::forced_tokens) knows the tokens without any model.

use glrmask_vocab::TokenId;

use crate::error::{CommitError, CommitTokensError, RuntimeError};
use crate::state::ConstraintState;

/// The most tokens that [`ConstraintState::forced_tokens`] gives.
pub const FORCED_TOKENS: usize = 10_000;

impl ConstraintState {
    /// Advances by tokens, one after the other; stops at the first that is not allowed.
    ///
    /// # Errors
    /// An unknown id anywhere among them: nothing has changed. A forbidden token: those before it are committed, it
    /// rejects the state. A token after the end: those before it are committed, the state is as they leave it.
    pub fn commit_tokens(&mut self, tokens: &[TokenId]) -> Result<(), CommitTokensError> {
        let fail = |committed, error| CommitTokensError { committed, error };
        if self.is_terminated() && !tokens.is_empty() {
            return Err(fail(0, CommitError::Terminated));
        }
        if let Some(&unknown) = tokens.iter().find(|&&token| !self.knows(token)) {
            return Err(fail(0, CommitError::UnknownToken(unknown)));
        }
        for (committed, &token) in tokens.iter().enumerate() {
            self.commit_token(token).map_err(|error| fail(committed, error))?;
        }
        Ok(())
    }

    /// How many of these tokens could be committed, one after the other; changes nothing. Unknown ids cannot.
    ///
    /// # Errors
    /// A limit of the tables that are filled on demand.
    pub fn validate_tokens(&self, tokens: &[TokenId]) -> Result<usize, RuntimeError> {
        let mut probe = self.probe();
        for (valid, &token) in tokens.iter().enumerate() {
            match probe.commit_token(token) {
                Ok(()) => {}
                Err(CommitError::Runtime(error)) => return Err(error),
                Err(_) => return Ok(valid),
            }
        }
        Ok(tokens.len())
    }

    /// The tokens that must come next, at most [`FORCED_TOKENS`]; changes nothing. They end where the text may end, and
    /// where there is a choice, be it one between two ids with the same bytes. Time: a mask and a commit for each.
    ///
    /// # Errors
    /// A limit of the tables that are filled on demand.
    pub fn forced_tokens(&self) -> Result<Vec<TokenId>, RuntimeError> {
        let (mut probe, mut forced) = (self.probe(), Vec::new());
        let mut words = vec![0; self.constraint().mask_words()];
        while forced.len() < FORCED_TOKENS && !probe.is_terminated() && !probe.is_accepting() {
            probe.fill_mask(&mut words)?;
            let Some(token) = only_bit(&words).map(TokenId) else { break };
            match probe.commit_token(token) {
                Ok(()) => forced.push(token),
                Err(CommitError::Runtime(error)) => return Err(error),
                Err(_) => break,
            }
        }
        Ok(forced)
    }

    /// Whether the id is in the vocabulary or an end token.
    fn knows(&self, token: TokenId) -> bool {
        self.constraint().vocab().contains(token) || self.constraint().end_tokens().contains(&token)
    }
}

/// The number of the only bit that is set.
fn only_bit(words: &[u32]) -> Option<u32> {
    let first = words.iter().position(|&word| word != 0)?;
    let (word, rest) = (words[first], &words[first + 1..]);
    let only = word.is_power_of_two() && rest.iter().all(|&word| word == 0);
    only.then(|| first as u32 * 32 + word.trailing_zeros())
}

#[cfg(test)]
mod tests {
    use super::only_bit;

    #[test]
    fn one_bit_is_told_from_none_and_from_two() {
        assert_eq!(only_bit(&[0, 0, 1 << 7]), Some(71));
        assert_eq!(only_bit(&[1, 0]), Some(0));
        assert_eq!([&[][..], &[0, 0], &[3, 0], &[1, 1]].map(only_bit), [None; 4]);
    }
}
