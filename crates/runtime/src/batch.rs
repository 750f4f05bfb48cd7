//! Many sequences at once, on the threads of a pool.
//!
//! One task fills a few rows, so that small batches do not pay for threads they cannot use. Everything runs on rayon's
//! current pool: `pool.install(|| fill_masks(…))` chooses another one than the global.

use glrmask_vocab::TokenId;
use rayon::prelude::*;

use crate::error::{CommitTokensError, RuntimeError};
use crate::state::ConstraintState;

/// Rows that one task fills at least: handing a task over costs about as much as one known mask.
const ROWS_PER_TASK: usize = 4;

/// [`ConstraintState::fill_mask`] for many rows. The states may belong to different constraints, and one state may fill
/// several rows.
///
/// ```
/// # use glrmask_runtime::{fill_masks, Constraint, RuntimeError};
/// # fn example(constraint: &Constraint) -> Result<(), RuntimeError> {
/// let states = vec![constraint.start(); 100];
/// let width = constraint.mask_words();
/// let mut matrix = vec![0u32; states.len() * width];
/// fill_masks(states.iter().zip(matrix.chunks_mut(width)))?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The first error of a row; every other row is filled all the same.
pub fn fill_masks<'a>(
    rows: impl IntoIterator<Item = (&'a ConstraintState, &'a mut [u32])>,
) -> Result<(), RuntimeError> {
    let rows: Vec<_> = rows.into_iter().collect();
    let fill = |(state, words): (&ConstraintState, &mut [u32])| state.fill_mask(words);
    let filled: Vec<_> = rows.into_par_iter().with_min_len(ROWS_PER_TASK).map(fill).collect();
    filled.into_iter().collect()
}

/// [`ConstraintState::commit_tokens`] for many states, each with tokens of its own. One result per state, in order: an
/// error of one state does not hold up the others.
pub fn commit_tokens_batch<'a>(
    commits: impl IntoIterator<Item = (&'a mut ConstraintState, &'a [TokenId])>,
) -> Vec<Result<(), CommitTokensError>> {
    let commits: Vec<_> = commits.into_iter().collect();
    let commit = |(state, tokens): (&mut ConstraintState, &[TokenId])| state.commit_tokens(tokens);
    commits.into_par_iter().with_min_len(ROWS_PER_TASK).map(commit).collect()
}
