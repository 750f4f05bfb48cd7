//! Engine against oracle for as long as one likes: `fuzz-masks --seconds N --seed S`.
//!
//! Runs seeds from S upwards; a difference is shrunk, printed with its seed, and ends the run with an error.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use glrmask_tests::harness::{check, Tally};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match options(&arguments).and_then(|(time, seed)| run(time, seed).map_err(|e| e.to_string())) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            let _ = writeln!(io::stderr(), "{message}\nusage: fuzz-masks [--seconds N] [--seed S]");
            ExitCode::from(2)
        }
    }
}

/// How long, and from which seed (60 seconds and 0, unless told otherwise).
fn options(arguments: &[String]) -> Result<(Duration, u64), String> {
    let (mut seconds, mut seed) = (60, 0);
    for pair in arguments.chunks(2) {
        let [name, value] = pair else { return Err(format!("{} needs a value", pair.concat())) };
        let number = value.parse().map_err(|_| format!("{value} is not a number"))?;
        match name.as_str() {
            "--seconds" => seconds = number,
            "--seed" => seed = number,
            _ => return Err(format!("unknown option {name}")),
        }
    }
    Ok((Duration::from_secs(seconds), seed))
}

/// Whether engine and oracle agreed until the time was over.
fn run(time: Duration, first: u64) -> io::Result<bool> {
    let (start, mut total, mut out) = (Instant::now(), Tally::default(), io::stdout());
    for seed in first.. {
        match check(seed, 2) {
            Ok(tally) => total += tally,
            Err(failure) => {
                writeln!(out, "{failure}")?;
                return Ok(false);
            }
        }
        if start.elapsed() >= time {
            writeln!(out, "seeds {first} to {seed}: {total}")?;
            break;
        }
    }
    Ok(true)
}
