//! How much of the tables is filled before decoding, and what may stop that.
//!
//! One engine, different fill policies: `glrmask-runtime` fills its tables on demand or, by the same code, all at once.
//! Here it is decided how far to go.

use std::fmt;
use std::sync::Arc;

use glrmask_runtime::{Budget, Constraint, Cut, Refusal};
use serde::{Deserialize, Serialize};

use crate::error::CompileError;

/// Build time against time per token. The language is the same in every mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Optimization {
    /// Everything is filled if that is predicted to be quick; otherwise as [`Balanced`](Self::Balanced), and where prepared
    /// grammars are linked, nothing but what was filled when they were prepared.
    #[default]
    Auto,
    /// Some milliseconds of filling, the rest while decoding.
    Balanced,
    /// Everything is filled while decoding.
    FastBuild,
    /// Everything is filled before decoding, whatever it takes.
    FastRuntime,
}

/// How much may be filled before decoding. `None`: as much as the mode wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FillLimits {
    /// Units of work: profiles, states and transitions of the Parser DWA, masks.
    pub states: Option<usize>,
    /// Bytes of tables while they are filled.
    pub memory: Option<usize>,
}

/// Why work is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// Nobody wants the result any more.
    Cancelled,
    /// The time is up.
    Deadline,
}

/// Asked again and again while compiling.
pub type Check = Arc<dyn Fn() -> Option<Interrupt> + Send + Sync>;

/// How to fill.
#[derive(Clone, Default)]
pub struct Policy {
    /// How far.
    pub optimization: Optimization,
    /// At most this much.
    pub limits: FillLimits,
    /// Whether reaching one of the limits is an error; otherwise the rest is filled while decoding.
    pub strict: bool,
    /// Whether to return at once and fill on another thread. What would be an error then is one of
    /// [`Constraint::wait`].
    pub background: bool,
    /// Threads to compile on; 0 counts as one.
    pub threads: usize,
    /// Clocks and cancel flags belong to the caller.
    pub check: Option<Check>,
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { optimization, limits, strict, background, threads, check } = self;
        let check = check.as_ref().map(|_| "..");
        write!(f, "Policy {{ {optimization:?}, {limits:?}, strict: {strict}, background: {background}, ")?;
        write!(f, "threads: {threads}, check: {check:?} }}")
    }
}

/// Units of work up to which [`Optimization::Auto`] fills everything.
const AUTO_WORK: usize = 16_000;
/// Units of work and bytes that [`Optimization::Balanced`] spends.
const BALANCED_WORK: usize = 2_000;
const BALANCED_BYTES: usize = 64 << 20;
/// Bytes that [`Optimization::Auto`] and [`Optimization::FastRuntime`] may take unless told otherwise.
const BYTES: usize = 192 << 20;
/// Less work than this is done sooner than threads are started.
const WORTH_THREADS: usize = 200;

/// What preparing components has found out about filling their tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// Nothing that speaks against it.
    Small,
    /// It takes long.
    Large,
}

impl Policy {
    /// Whether to go on.
    ///
    /// # Errors
    /// Cancelled, or the time is up.
    pub(crate) fn check(&self) -> Result<(), CompileError> {
        self.interrupt().map_or(Ok(()), |why| Err(CompileError::interrupted(why)))
    }

    fn interrupt(&self) -> Option<Interrupt> {
        self.check.as_ref().and_then(|check| check())
    }

    /// Fills as far as the policy says; `prepared` says what is known of what was linked, if that was prepared before.
    ///
    /// # Errors
    /// Cancelled; a limit, if the policy is strict.
    pub(crate) fn fill(&self, constraint: &Constraint, prepared: Option<Size>) -> Result<(), CompileError> {
        self.fill_as(constraint, self.wanted(constraint, prepared))
    }

    /// Fills a component alone, to be linked later: all of it, or nothing. Whether that is quick, as far as it is asked.
    ///
    /// # Errors
    /// As for [`fill`](Self::fill).
    pub(crate) fn fill_part(&self, constraint: &Constraint) -> Result<bool, CompileError> {
        let wanted = match self.optimization {
            Optimization::FastBuild => return Ok(true),
            Optimization::FastRuntime => Some((usize::MAX, BYTES)),
            Optimization::Auto | Optimization::Balanced => is_quick(constraint).then_some((3 * AUTO_WORK, BYTES)),
        };
        Self { background: false, ..self.clone() }.fill_as(constraint, wanted)?;
        Ok(wanted.is_some())
    }

    fn fill_as(&self, constraint: &Constraint, wanted: Option<(usize, usize)>) -> Result<(), CompileError> {
        let Some((states, memory)) = wanted else { return Ok(()) };
        let own = |limit: Option<usize>, wanted: usize| limit.map_or(wanted, |limit| limit.min(wanted));
        let (states, memory) = (own(self.limits.states, states), own(self.limits.memory, memory));
        let threads = if self.is_for_threads(constraint, states) { self.threads } else { 1 };
        if self.background {
            let check = self.check.clone();
            let stop = move || check.as_ref().is_some_and(|check| check().is_some());
            let policy = self.clone();
            let refuse = move |cut| policy.refuse(cut, (states, memory));
            return Ok(constraint.fill_in_background((states, memory, threads), Arc::new(stop), refuse)?);
        }
        let stop = || self.interrupt().is_some();
        let cut = constraint.fill(&Budget { states, memory, threads, stop: &stop })?;
        cut.and_then(|cut| self.refuse(cut, (states, memory))).map_or(Ok(()), |why| Err(CompileError::refused(why)))
    }

    /// Decoding goes on where a fill was cut off, but only with the tables of one thread.
    fn is_for_threads(&self, constraint: &Constraint, states: usize) -> bool {
        let expect_cut = || states < usize::MAX && constraint.predicted_work(states) > states;
        self.threads > 1 && constraint.predicted_work(WORTH_THREADS) >= WORTH_THREADS && !expect_cut()
    }

    /// Whether a fill that was cut off is an error. Reaching what only the mode wanted is none.
    fn refuse(&self, cut: Cut, (states, memory): (usize, usize)) -> Option<Refusal> {
        let limit = |what, limit: Option<usize>, reached| {
            limit.filter(|&limit| self.strict && limit <= reached).map(|limit| Refusal::Limit { what, limit })
        };
        match cut {
            Cut::States => limit("units of work", self.limits.states, states),
            Cut::Memory => limit("bytes of tables", self.limits.memory, memory),
            Cut::Stopped => match self.interrupt() {
                Some(Interrupt::Cancelled) => Some(Refusal::Cancelled),
                Some(Interrupt::Deadline) | None => self.strict.then_some(Refusal::Deadline),
            },
        }
    }

    fn wanted(&self, constraint: &Constraint, prepared: Option<Size>) -> Option<(usize, usize)> {
        match self.optimization {
            Optimization::FastBuild => None,
            Optimization::Balanced => Some((BALANCED_WORK, BALANCED_BYTES)),
            Optimization::FastRuntime => Some((usize::MAX, BYTES)),
            // Preparing has found out that it takes long, so that linking need not.
            Optimization::Auto if prepared == Some(Size::Large) => None,
            Optimization::Auto if is_quick(constraint) => Some((3 * AUTO_WORK, BYTES)),
            Optimization::Auto => prepared.is_none().then_some((BALANCED_WORK, BALANCED_BYTES)),
        }
    }
}

fn is_quick(constraint: &Constraint) -> bool {
    constraint.predicted_work(AUTO_WORK) <= AUTO_WORK
}
