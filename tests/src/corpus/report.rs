//! Counts of verdicts by group, reasons of refusal, compile times and memory.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::{Entry, Outcome, Verdict};

const VERDICTS: [Verdict; 5] =
    [Verdict::Right, Verdict::OtherOrder, Verdict::Refused, Verdict::Accepted, Verdict::NotCompiled];

/// What happened in a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    groups: BTreeMap<String, Counts>,
    total: Counts,
    reasons: BTreeMap<String, usize>,
    times: Vec<Duration>,
    /// Bytes resident at most.
    peaks: Vec<u64>,
}

#[derive(Clone, Debug, Default)]
struct Counts {
    schemas: usize,
    compiled: usize,
    verdicts: BTreeMap<Verdict, usize>,
}

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        self.schemas += 1;
        self.compiled += usize::from(outcome.error.is_none());
        for &verdict in &outcome.verdicts {
            *self.verdicts.entry(verdict).or_default() += 1;
        }
    }
    fn row(&self, f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
        let count = |verdict: &Verdict| self.verdicts.get(verdict).copied().unwrap_or(0);
        let tests: usize = self.verdicts.values().sum();
        write!(f, "{name:34}{:8}{:10}{tests:8}", self.schemas, self.compiled)?;
        for verdict in &VERDICTS {
            write!(f, "{:9}", count(verdict))?;
        }
        writeln!(f)
    }
}

impl Report {
    /// Counts an entry.
    pub fn add(&mut self, entry: &Entry, outcome: &Outcome) {
        self.groups.entry(entry.group.clone()).or_default().add(outcome);
        self.total.add(outcome);
        if let Some(reason) = &outcome.reason {
            *self.reasons.entry(reason.clone()).or_default() += 1;
        }
        self.times.push(outcome.time);
        self.peaks.extend(outcome.peak);
    }
    /// Number of invalid instances that were accepted.
    pub fn accepted_invalid(&self) -> usize {
        self.total.verdicts.get(&Verdict::Accepted).copied().unwrap_or(0)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:34}{:>8}{:>10}{:>8}", "", "schemas", "compiled", "tests")?;
        writeln!(f, "{:>9}{:>9}{:>9}{:>9}{:>9}", "right", "order", "refused", "ACCEPTED", "not comp")?;
        for (name, counts) in &self.groups {
            counts.row(f, name)?;
        }
        self.total.row(f, "total")?;
        let [p50, p90, p99, max] = percentiles(&self.times);
        writeln!(f, "compile time: p50 {p50:?}, p90 {p90:?}, p99 {p99:?}, max {max:?}")?;
        let [p50, p90, p99, max] = percentiles(&self.peaks).map(|bytes| bytes >> 20);
        writeln!(f, "peak of the process, MiB: p50 {p50}, p90 {p90}, p99 {p99}, max {max}")?;
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (reason, count) in reasons {
            writeln!(f, "{count:6} {reason}")?;
        }
        Ok(())
    }
}

/// The median, what 90 and 99 per cent are within, the largest.
fn percentiles<T: Ord + Copy + Default>(values: &[T]) -> [T; 4] {
    let mut values = values.to_vec();
    values.sort_unstable();
    [50, 90, 99, 100].map(|p| values.get(values.len() * p / 100).or(values.last()).copied().unwrap_or_default())
}
