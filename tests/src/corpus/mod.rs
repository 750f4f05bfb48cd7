//! Corpora of JSON Schemas with instances, run through the whole engine: schema to grammar to constraint to bytes.
//!
//! With the 256 single bytes for a vocabulary a verdict is about the language and not about tokens; with a real one, times
//! and memory are what a user sees. Instances are written
//! the way `json.dumps` writes them. A fixed key order is not what JSON Schema is about, so an instance counts as
//! accepted if the constraint accepts it with its keys in *some* order; whether it is the given one is told apart.

mod instance;
mod maskbench;
mod memory;
mod ranks;
mod report;
mod suite;

use std::time::{Duration, Instant};

use glrmask_compiler::Config;
use glrmask_grammar::Grammar;
use glrmask_json_schema::{Category, Options};
use glrmask_runtime::Constraint;
use glrmask_vocab::Vocab;

use instance::Mentions;

pub use instance::Instance;
pub use maskbench::maskbench;
pub use ranks::ranks;
pub use report::Report;
pub use suite::{registry, suite};

/// A schema with its instances.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What the counts are kept by: a keyword file, a data set.
    pub group: String,
    /// What tells it from the others.
    pub name: String,
    /// JSON text of the schema.
    pub schema: String,
    /// Instances and whether they are valid.
    pub tests: Vec<Test>,
}

/// An instance and its label.
#[derive(Clone, Debug)]
pub struct Test {
    /// What it is about, if the corpus says so.
    pub name: String,
    /// The label.
    pub valid: bool,
    /// The value.
    pub instance: Instance,
}

/// What became of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Valid and accepted as written, or invalid and refused in every order tried.
    Right,
    /// Valid, and accepted with its keys in another order only.
    OtherOrder,
    /// Valid and refused in every order tried.
    Refused,
    /// Invalid and accepted in some order.
    Accepted,
    /// The schema does not compile. (If that is because nothing satisfies it, an invalid instance counts as refused.)
    NotCompiled,
}

/// What became of an entry.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// One per test.
    pub verdicts: Vec<Verdict>,
    /// Why the schema does not compile.
    pub error: Option<String>,
    /// The error without its particulars, to count by.
    pub reason: Option<String>,
    /// From schema text to constraint.
    pub time: Duration,
    /// From schema text to grammar.
    pub grammar_time: Duration,
    /// Bytes that the process had resident at most until then, if the system tells.
    pub peak: Option<u64>,
}

/// Compiles entries and judges their tests.
pub struct Judge {
    vocab: Vocab,
    options: Options,
    budget: usize,
}

impl Judge {
    /// With these options for every schema; at most `budget` pieces of text of an instance are tried in the search for
    /// an order of its keys.
    pub fn new(vocab: Vocab, options: Options, budget: usize) -> Self {
        Self { vocab, options, budget }
    }
    /// Compiles the schema and feeds it the instances.
    pub fn judge(&self, entry: &Entry) -> Outcome {
        memory::forget_peak();
        let start = Instant::now();
        let grammar = self.grammar(&entry.schema);
        let grammar_time = start.elapsed();
        let compiled = grammar.and_then(|grammar| self.compile(&grammar));
        let time = start.elapsed();
        let peak = memory::peak();
        match compiled {
            Ok(constraint) => {
                let mentions = Mentions::new(&entry.schema);
                let verdict = |test: &Test| verdict(&constraint, test, &mentions, self.budget);
                Outcome {
                    verdicts: entry.tests.iter().map(verdict).collect(),
                    error: None,
                    reason: None,
                    time,
                    grammar_time,
                    peak,
                }
            }
            Err(refusal) => {
                let verdict = |test: &Test| match (refusal.empty, test.valid) {
                    (true, false) => Verdict::Right,
                    _ => Verdict::NotCompiled,
                };
                let verdicts = entry.tests.iter().map(verdict).collect();
                Outcome { verdicts, error: Some(refusal.error), reason: Some(refusal.reason), time, grammar_time, peak }
            }
        }
    }
    fn grammar(&self, schema: &str) -> Result<Grammar, Refusal> {
        let compiled = glrmask_json_schema::compile(schema, &self.options).map_err(|error| {
            let message = error.message().split([':', '"', '(']).next().unwrap_or("").trim().to_owned();
            let keyword = error.keyword().unwrap_or("-");
            let reason = format!("{:?} {keyword}: {message}", error.category());
            Refusal { error: error.to_string(), reason, empty: error.category() == Category::Empty }
        })?;
        Ok(compiled.grammar)
    }
    fn compile(&self, grammar: &Grammar) -> Result<Constraint, Refusal> {
        glrmask_compiler::compile(grammar, &self.vocab, &Config::default()).map_err(|error| {
            let error = error.to_string();
            let reason = format!("grammar: {}", error.split(':').next().unwrap_or(""));
            Refusal { error, reason, empty: false }
        })
    }
}

/// Why a schema does not compile.
struct Refusal {
    error: String,
    reason: String,
    /// Because nothing satisfies it, which is the right answer where every instance is invalid.
    empty: bool,
}

fn verdict(constraint: &Constraint, test: &Test, mentions: &Mentions, budget: usize) -> Verdict {
    let as_written = instance::accepts_as_written(constraint, &test.instance);
    let accepted = as_written || instance::accepts_in_some_order(constraint, &test.instance, mentions, budget);
    match (test.valid, accepted) {
        (true, true) if as_written => Verdict::Right,
        (true, true) => Verdict::OtherOrder,
        (true, false) => Verdict::Refused,
        (false, true) => Verdict::Accepted,
        (false, false) => Verdict::Right,
    }
}
