//! Schemas with instances from a corpus, through the engine:
//!
//!     schema-corpus suite FOLDER [--draft draft7] [--optional] [--group NAME]
//!     schema-corpus maskbench FILE.jsonl [--ids LIST.txt] [--group NAME]
//! (both: [--order any] [--search PIECES] [--slow MILLISECONDS] [--ranks FILE] [--part I/N])
//!
//! `suite` runs the required tests of all five drafts (format is an annotation, remote documents go into the registry),
//! or the optional ones with formats asserted; `maskbench` runs every schema with the default options. `--order any`
//! compiles for every order of keys; `--search` bounds the search for an order that is accepted; `--ranks` takes the
//! vocabulary of a file as tiktoken has them, in place of the single bytes; `--part 2/3` takes every third schema from the
//! second on. Prints every test that
//! is not right, every schema that does not compile or takes longer than `--slow` (a second unless given), then the
//! counts. Ends with status 1 if an invalid instance was accepted.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use glrmask_json_schema::{Options, PropertyOrder};
use glrmask_tests::corpus::{maskbench, ranks, registry, suite, Entry, Judge, Outcome, Report, Verdict};
use glrmask_tests::texts::single_bytes;

const DRAFTS: [&str; 5] = ["draft4", "draft6", "draft7", "draft2019-09", "draft2020-12"];
/// Pieces of text tried per instance, unless told otherwise.
const SEARCH: usize = 20_000;
const USAGE: &str = "usage: schema-corpus suite FOLDER [--draft NAME] [--optional] [--group NAME]
       schema-corpus maskbench FILE.jsonl [--ids LIST] [--group NAME]
       (both: [--order any] [--search PIECES] [--slow MILLISECONDS] [--ranks FILE] [--part I/N])";

fn main() -> ExitCode {
    match arguments().and_then(|arguments| run(&arguments)) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(message) => {
            let _ = writeln!(io::stderr(), "{message}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// The command line: two words, then options.
struct Arguments {
    corpus: String,
    path: String,
    options: BTreeMap<String, String>,
}

fn arguments() -> Result<Arguments, String> {
    let mut words = std::env::args().skip(1);
    let (corpus, path) = words.next().zip(words.next()).ok_or("two arguments are needed")?;
    let mut options = BTreeMap::new();
    while let Some(name) = words.next() {
        let value = match name.as_str() {
            "--optional" => String::new(),
            "--draft" | "--ids" | "--group" | "--order" | "--search" | "--slow" | "--ranks" | "--part" => {
                words.next().ok_or_else(|| format!("{name} needs a value"))?
            }
            _ => return Err(format!("unknown option {name}")),
        };
        options.insert(name, value);
    }
    Ok(Arguments { corpus, path, options })
}

/// The number of invalid instances accepted.
fn run(arguments: &Arguments) -> Result<usize, String> {
    let path = Path::new(&arguments.path);
    let optional = arguments.options.contains_key("--optional");
    let property_order = match arguments.options.get("--order").map(String::as_str) {
        None | Some("schema") => PropertyOrder::Schema,
        Some("any") => PropertyOrder::Any,
        Some(other) => return Err(format!("unknown order {other}")),
    };
    let budget = arguments.options.get("--search").map_or(Ok(SEARCH), |n| n.parse());
    let budget = budget.map_err(|error| format!("--search: {error}"))?;
    let vocab = match arguments.options.get("--ranks") {
        Some(path) => ranks(Path::new(path))?,
        None => single_bytes()?,
    };
    match arguments.corpus.as_str() {
        "suite" => {
            let options =
                Options { registry: registry(path)?, format_assertion: optional, property_order, ..Options::default() };
            let judge = Judge::new(vocab, options, budget);
            let mut accepted = 0;
            for draft in DRAFTS.iter().filter(|draft| arguments.options.get("--draft").is_none_or(|d| d == *draft)) {
                accepted += judge_all(&judge, &suite(path, draft, optional)?, draft, arguments)?;
            }
            Ok(accepted)
        }
        "maskbench" => {
            let ids = arguments.options.get("--ids").map(std::fs::read_to_string).transpose();
            let ids = ids.map_err(|error| error.to_string())?;
            let ids: Option<Vec<String>> = ids.map(|text| text.split_whitespace().map(str::to_owned).collect());
            let judge = Judge::new(vocab, Options { property_order, ..Options::default() }, budget);
            judge_all(&judge, &maskbench(path, ids.as_deref())?, "maskbench", arguments)
        }
        other => Err(format!("unknown corpus {other}")),
    }
}

fn judge_all(judge: &Judge, entries: &[Entry], title: &str, arguments: &Arguments) -> Result<usize, String> {
    let slow = arguments.options.get("--slow").map_or(Ok(1000), |n| n.parse());
    let slow = Duration::from_millis(slow.map_err(|error| format!("--slow: {error}"))?);
    let mut report = Report::default();
    let mut out = io::stdout().lock();
    let wanted = |entry: &&Entry| arguments.options.get("--group").is_none_or(|group| *group == entry.group);
    let (part, parts) = part(arguments)?;
    for entry in entries.iter().filter(wanted).skip(part).step_by(parts) {
        let outcome = judge.judge(entry);
        complain(entry, &outcome, (title, slow), &mut out).map_err(|error| error.to_string())?;
        report.add(entry, &outcome);
    }
    writeln!(out, "\n{title}\n{report}").map_err(|error| error.to_string())?;
    Ok(report.accepted_invalid())
}

/// The first schema (from 0) and the step from one to the next.
fn part(arguments: &Arguments) -> Result<(usize, usize), String> {
    let Some(text) = arguments.options.get("--part") else { return Ok((0, 1)) };
    let numbers = text.split_once('/').and_then(|(i, n)| Some((i.parse::<usize>().ok()?, n.parse().ok()?)));
    let numbers = numbers.filter(|&(i, n)| 0 < i && i <= n).map(|(i, n)| (i - 1, n));
    numbers.ok_or_else(|| format!("--part: {text} is not like 2/3"))
}

/// Prints what is not right.
fn complain(entry: &Entry, outcome: &Outcome, (title, slow): (&str, Duration), out: &mut impl Write) -> io::Result<()> {
    let place = format!("{title}/{} | {}", entry.group, entry.name);
    if let Some(error) = &outcome.error {
        writeln!(out, "not compiled | {place} | {} tests | {error}", entry.tests.len())?;
    }
    if outcome.time >= slow {
        let peak = outcome.peak.unwrap_or_default() >> 20;
        writeln!(out, "slow | {place} | {:?} | {:?} to grammar | {peak} MiB", outcome.time, outcome.grammar_time)?;
    }
    for (test, verdict) in entry.tests.iter().zip(&outcome.verdicts) {
        let label = match verdict {
            Verdict::Right | Verdict::NotCompiled => continue,
            Verdict::OtherOrder => "other order",
            Verdict::Refused => "REFUSED",
            Verdict::Accepted => "ACCEPTED",
        };
        let text: String = test.instance.text().chars().take(300).collect();
        writeln!(out, "{label} | {place} | {} | {text}", test.name)?;
    }
    out.flush()
}
