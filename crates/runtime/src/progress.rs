//! How far the fill before decoding has come, for those who wait for it.

use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::eager::Cut;
use crate::error::RuntimeError;

/// Where a fill stands.
#[derive(Clone, Debug, Default)]
pub(crate) enum Progress {
    /// None was asked for.
    #[default]
    Idle,
    /// Under way.
    Filling,
    /// Ended; what cut it off, if anything.
    Done(Result<Option<Cut>, RuntimeError>),
}

/// A [`Progress`] that can be waited for.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    progress: Mutex<Progress>,
    changed: Condvar,
}

impl Watched {
    pub(crate) fn set(&self, progress: Progress) {
        *self.progress.lock() = progress;
        self.changed.notify_all();
    }

    /// Waits while a fill is under way, for at most `timeout`.
    pub(crate) fn wait(&self, timeout: Option<Duration>) -> Progress {
        let mut progress = self.progress.lock();
        let end = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        while matches!(*progress, Progress::Filling) {
            match (timeout, end) {
                (Some(_), Some(end)) => {
                    if self.changed.wait_until(&mut progress, end).timed_out() {
                        break;
                    }
                }
                // No limit, or one beyond what clocks can tell.
                _ => self.changed.wait(&mut progress),
            }
        }
        progress.clone()
    }
}

/// Marks a fill as failed if it is dropped, which happens when the fill panics.
pub(crate) struct Unfinished<'a>(pub(crate) &'a Watched);

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        self.0.set(Progress::Done(Err(RuntimeError::invalid("the fill panicked"))));
    }
}
