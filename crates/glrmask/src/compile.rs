//! How to compile: modes, limits, clocks and cancelling. The crates below know no clocks; they come in here.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use glrmask_compiler::{
    compile_assembly, compile_observed, BoundaryTriggerDetail, Config, FillLimits, Interrupt, Optimization, Policy,
    Prepared, Stage,
};
use glrmask_grammar::Assembly;
use glrmask_runtime::Constraint;
use glrmask_vocab::{TokenId, Vocab};

use crate::error::Error;

/// Most threads that compile one grammar unless [`CompileOptions::threads`] says otherwise.
pub const DEFAULT_THREADS: usize = 4;

/// How to compile a grammar.
#[derive(Clone, Debug, Default)]
pub struct CompileOptions {
    /// Tokens that end the sequence: allowed exactly when the text is complete. They need not be in the vocabulary, but
    /// ids beyond 2²⁴ − 1 and the largest id of the vocabulary are refused: a mask has a bit for every id.
    pub end_tokens: Vec<TokenId>,
    /// Build time against time per token.
    pub optimization: Optimization,
    /// How much may be filled before decoding; the rest is filled while decoding.
    pub limits: Limits,
    /// Whether reaching one of the limits is an error; in the background, one of [`Constraint::wait`].
    pub strict: bool,
    /// Whether to return as [`Optimization::FastBuild`] does, and to go on as `optimization` says on another thread.
    /// See [`Constraint::wait`] and [`Constraint::is_complete`].
    pub background: bool,
    /// Threads to compile on. `None`: as many as the machine offers this process, up to [`DEFAULT_THREADS`]; one in the
    /// background. Small grammars are compiled on one in any case, and masks and commits are not concerned. With more
    /// than one, it is chance which thread fills which table; what is allowed never depends on it, the bytes of
    /// [`Constraint::save`] do.
    pub threads: Option<usize>,
    /// Ends the compilation from another thread.
    pub cancel: Option<Cancel>,
    /// Metadata about the boundaries of bound grammars; `None`: what was asked for when preparing, or none.
    pub boundary_trigger: Option<BoundaryTriggerDetail>,
    /// Transformations and limits, for experts. Its `policy` and `end_tokens` are those above.
    pub config: Config,
}

/// Limits on what is filled before decoding. `None`: as much as the mode wants.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Units of work: profiles, states and transitions of the Parser DWA, masks.
    pub states: Option<usize>,
    /// Bytes of tables while they are filled.
    pub memory: Option<usize>,
    /// From the start of the compilation. What cannot be left to decoding (automata, parser tables) ends with an error
    /// when the time is up.
    pub time: Option<Duration>,
}

/// A request to end a compilation. Clones share it.
#[derive(Clone)]
pub struct Cancel(Arc<dyn Fn() -> bool + Send + Sync>, Arc<AtomicBool>);

impl Cancel {
    /// Not cancelled yet.
    pub fn new() -> Self {
        Self::when(|| false)
    }
    /// Cancelled once `condition` holds, too. It is asked often.
    pub fn when(condition: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(condition), Arc::default())
    }
    /// Ends the compilations that were given this.
    pub fn cancel(&self) {
        self.1.store(true, Ordering::Relaxed);
    }
    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.1.load(Ordering::Relaxed) || (self.0)()
    }
}

impl Default for Cancel {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancel").field("cancelled", &self.1).finish_non_exhaustive()
    }
}

/// How long a stage took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageTime {
    /// The stage.
    pub stage: Stage,
    /// Wall-clock time.
    pub time: Duration,
}

pub(crate) fn run(
    grammar: &glrmask_grammar::Grammar,
    vocab: &Vocab,
    options: &CompileOptions,
    observe: &mut dyn FnMut(StageTime),
) -> Result<Constraint, Error> {
    Ok(compile_observed(grammar, vocab, &config(options), &mut timed(observe))?)
}

pub(crate) fn run_assembly(
    assembly: &Assembly<Prepared>,
    vocab: &Vocab,
    options: &CompileOptions,
    observe: &mut dyn FnMut(StageTime),
) -> Result<Constraint, Error> {
    Ok(compile_assembly(assembly, vocab, &config(options), &mut timed(observe))?)
}

/// Tells how long it took from the end of one stage to that of the next.
fn timed(observe: &mut dyn FnMut(StageTime)) -> impl FnMut(Stage) + '_ {
    let mut last = Instant::now();
    move |stage| {
        let now = Instant::now();
        observe(StageTime { stage, time: now - last });
        last = now;
    }
}

fn default_threads(background: bool) -> usize {
    // Asking takes longer than many a small grammar.
    static OFFERED: OnceLock<usize> = OnceLock::new();
    let ask = || std::thread::available_parallelism().map_or(1, |threads| threads.get().min(DEFAULT_THREADS));
    if background {
        1
    } else {
        *OFFERED.get_or_init(ask)
    }
}

/// What the compiler is told; clocks start now.
pub(crate) fn config(options: &CompileOptions) -> Config {
    let start = Instant::now();
    let CompileOptions {
        end_tokens,
        optimization,
        limits,
        strict,
        background,
        threads,
        cancel,
        boundary_trigger,
        config,
    } = options.clone();
    let deadline = limits.time.and_then(|time| start.checked_add(time));
    let check = move || match &cancel {
        Some(cancel) if cancel.is_cancelled() => Some(Interrupt::Cancelled),
        _ => deadline.filter(|&end| Instant::now() >= end).map(|_| Interrupt::Deadline),
    };
    let policy = Policy {
        optimization,
        limits: FillLimits { states: limits.states, memory: limits.memory },
        strict,
        background,
        threads: threads.unwrap_or_else(|| default_threads(background)).max(1),
        check: Some(Arc::new(check)),
    };
    Config { end_tokens, policy, boundary_trigger: boundary_trigger.unwrap_or(config.boundary_trigger), ..config }
}
