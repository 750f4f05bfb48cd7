//! Recursion over a shared graph without the call stack: post-order with a memo table.
//!
//! Every operation that rebuilds a graph (union, merge, mapping of weights) is a [`Recursion`]: a task either has a
//! result at once or needs the results of smaller tasks. [`evaluate`] runs it with an explicit stack, so that a graph
//! of a million levels is no danger, and answers equal tasks once, so that shared parts cost once.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// A recursive computation over tasks.
pub(crate) trait Recursion {
    /// What is to be computed.
    type Task;
    /// Equal keys promise equal results.
    type Key: Eq + Hash;
    /// What a task remembers while smaller tasks run.
    type Frame;
    /// A result.
    type Output: Clone;
    /// Why the whole computation may stop.
    type Error;

    /// The key of a task.
    fn key(&self, task: &Self::Task) -> Self::Key;
    /// Results known so far.
    fn memo(&mut self) -> &mut FxHashMap<Self::Key, Self::Output>;
    /// Answers a task or splits it.
    fn expand(&mut self, task: Self::Task) -> Result<StepOf<Self>, Self::Error>;
    /// Puts the results of the smaller tasks together, in the order of the tasks.
    fn combine(&mut self, frame: Self::Frame, results: Vec<Self::Output>) -> Result<Self::Output, Self::Error>;
}

/// The outcome of looking at one task.
pub(crate) enum Step<Output, Frame, Task> {
    /// The result.
    Done(Output),
    /// The tasks to run first.
    Descend(Frame, Vec<Task>),
}

/// The [`Step`] of a recursion.
pub(crate) type StepOf<R> = Step<<R as Recursion>::Output, <R as Recursion>::Frame, <R as Recursion>::Task>;

/// Runs `recursion` on `root`, which cannot come up again below itself and is not looked up.
pub(crate) fn evaluate<R: Recursion>(recursion: &mut R, root: R::Task) -> Result<R::Output, R::Error> {
    let mut active: Vec<Activation<R>> = Vec::new();
    let mut begun = expand(recursion, None, root)?;
    loop {
        let mut value = match begun {
            Begun::Value(value) => value,
            Begun::Active(activation, first) => {
                active.push(activation);
                begun = begin(recursion, first)?;
                continue;
            }
        };
        let task = loop {
            let Some(mut top) = active.pop() else { return Ok(value) };
            top.results.push(value);
            match top.pending.next() {
                Some(next) => {
                    active.push(top);
                    break next;
                }
                None => value = finish(recursion, top)?,
            }
        };
        begun = begin(recursion, task)?;
    }
}

/// A task waiting for smaller ones.
struct Activation<R: Recursion> {
    /// Where the result is remembered; the root's is not.
    key: Option<R::Key>,
    frame: R::Frame,
    pending: std::vec::IntoIter<R::Task>,
    results: Vec<R::Output>,
}

enum Begun<R: Recursion> {
    Value(R::Output),
    Active(Activation<R>, R::Task),
}

fn begin<R: Recursion>(recursion: &mut R, task: R::Task) -> Result<Begun<R>, R::Error> {
    let key = recursion.key(&task);
    match recursion.memo().get(&key) {
        Some(known) => Ok(Begun::Value(known.clone())),
        None => expand(recursion, Some(key), task),
    }
}

fn expand<R: Recursion>(recursion: &mut R, key: Option<R::Key>, task: R::Task) -> Result<Begun<R>, R::Error> {
    match recursion.expand(task)? {
        Step::Done(value) => {
            remember(recursion, key, &value);
            Ok(Begun::Value(value))
        }
        Step::Descend(frame, tasks) => {
            let mut activation =
                Activation { key, frame, results: Vec::with_capacity(tasks.len()), pending: tasks.into_iter() };
            match activation.pending.next() {
                Some(first) => Ok(Begun::Active(activation, first)),
                None => finish(recursion, activation).map(Begun::Value),
            }
        }
    }
}

fn finish<R: Recursion>(recursion: &mut R, done: Activation<R>) -> Result<R::Output, R::Error> {
    let value = recursion.combine(done.frame, done.results)?;
    remember(recursion, done.key, &value);
    Ok(value)
}

fn remember<R: Recursion>(recursion: &mut R, key: Option<R::Key>, value: &R::Output) {
    if let Some(key) = key {
        recursion.memo().insert(key, value.clone());
    }
}
