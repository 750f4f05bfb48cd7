//! Reading all stacks one by one, with a bound: a graph may hold exponentially many.

use std::fmt;
use std::ops::ControlFlow;

use crate::cursor::{Cursor, Edges};
use crate::error::Error;
use crate::gss::Gss;
use crate::weighted::WeightedGss;

/// Calls `visit` with the symbols (top first) and the weight of each stack, as long as it says `Continue`.
fn walk<'a, S, W>(root: Option<Cursor<'a, S, W>>, mut visit: impl FnMut(&[&'a S], &'a W) -> ControlFlow<()>) {
    let mut path: Vec<&'a S> = Vec::new();
    let mut branches: Vec<(usize, Edges<'a, S, W>)> = Vec::new();
    let mut next = root;
    loop {
        if let Some(place) = next {
            let end = descend(place, &mut path);
            if let Some(weight) = end.end_weight() {
                if visit(&path, weight).is_break() {
                    return;
                }
            }
            branches.push((path.len(), end.edges()));
        }
        let Some((depth, edges)) = branches.last_mut() else { return };
        path.truncate(*depth);
        next = edges.next().map(|(symbol, tail)| {
            path.push(symbol);
            tail
        });
        if next.is_none() {
            branches.pop();
        }
    }
}

/// Appends the symbols of the leading run; the place below it.
fn descend<'a, S, W>(mut place: Cursor<'a, S, W>, path: &mut Vec<&'a S>) -> Cursor<'a, S, W> {
    while let Some((symbols, below)) = place.as_run() {
        path.extend(symbols.iter().rev());
        place = below;
    }
    place
}

/// [`walk`], stopped by an error when there are more than `limit` stacks.
fn walk_bounded<'a, S, W>(
    root: Option<Cursor<'a, S, W>>,
    limit: usize,
    mut visit: impl FnMut(&[&'a S], &'a W) -> ControlFlow<()>,
) -> Result<(), Error> {
    let mut seen = 0;
    let mut outcome = Ok(());
    walk(root, |path, weight| {
        if seen == limit {
            outcome = Err(Error::too_many_stacks(limit));
            return ControlFlow::Break(());
        }
        seen += 1;
        visit(path, weight)
    });
    outcome
}

fn bottom_first<S: Clone>(path: &[&S]) -> Vec<S> {
    path.iter().rev().map(|&symbol| symbol.clone()).collect()
}

impl<S, W> WeightedGss<S, W> {
    /// Calls `visit` with the symbols (top first) and the weight of each stack until it breaks. Shorter stacks come
    /// before those that continue them downwards. Linear in the symbols visited.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use weighted_gss::WeightedGss;
    ///
    /// let gss = WeightedGss::from_stacks([(vec![1, 2], false), (vec![2], true)]);
    /// let mut seen = Vec::new();
    /// gss.visit_stacks(10, |top_first, weight| {
    ///     seen.push((top_first.len(), *weight));
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(seen, [(1, true), (2, false)]);
    /// # Ok::<(), weighted_gss::Error>(())
    /// ```
    ///
    /// # Errors
    /// When there are more than `limit` stacks; the first `limit` have been visited then.
    pub fn visit_stacks<'a>(
        &'a self,
        limit: usize,
        visit: impl FnMut(&[&'a S], &'a W) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        walk_bounded(Cursor::root(&self.set), limit, visit)
    }

    /// All stacks, bottom to top, with their weights.
    ///
    /// # Errors
    /// When there are more than `limit` stacks.
    pub fn to_stacks(&self, limit: usize) -> Result<Vec<(Vec<S>, W)>, Error>
    where
        S: Clone,
        W: Clone,
    {
        let mut stacks = Vec::new();
        self.visit_stacks(limit, |path, weight| {
            stacks.push((bottom_first(path), weight.clone()));
            ControlFlow::Continue(())
        })?;
        Ok(stacks)
    }
}

impl<S> Gss<S> {
    /// Calls `visit` with the symbols of each stack, top first, until it breaks.
    ///
    /// # Errors
    /// When there are more than `limit` stacks; the first `limit` have been visited then.
    pub fn visit_stacks<'a>(
        &'a self,
        limit: usize,
        mut visit: impl FnMut(&[&'a S]) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        walk_bounded(self.root(), limit, |path, ()| visit(path))
    }

    /// All stacks, bottom to top.
    ///
    /// # Errors
    /// When there are more than `limit` stacks.
    pub fn to_stacks(&self, limit: usize) -> Result<Vec<Vec<S>>, Error>
    where
        S: Clone,
    {
        let mut stacks = Vec::new();
        self.visit_stacks(limit, |path| {
            stacks.push(bottom_first(path));
            ControlFlow::Continue(())
        })?;
        Ok(stacks)
    }
}

/// Stacks shown by `Debug`; the others are counted as "more".
const SHOWN: usize = 16;

impl<S: fmt::Debug, W: fmt::Debug> fmt::Debug for WeightedGss<S, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        let shown = self.visit_stacks(SHOWN, |path, weight| {
            map.entry(&path.iter().rev().collect::<Vec<_>>(), weight);
            ControlFlow::Continue(())
        });
        match shown {
            Ok(()) => map.finish(),
            Err(_) => map.finish_non_exhaustive(),
        }
    }
}

impl<S: fmt::Debug> fmt::Debug for Gss<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut set = f.debug_set();
        let shown = self.visit_stacks(SHOWN, |path| {
            set.entry(&path.iter().rev().collect::<Vec<_>>());
            ControlFlow::Continue(())
        });
        match shown {
            Ok(()) => set.finish(),
            Err(_) => set.finish_non_exhaustive(),
        }
    }
}
