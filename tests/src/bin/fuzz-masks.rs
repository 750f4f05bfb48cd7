//! Engine against oracle for as long as one likes: `fuzz-masks --seconds N --seed S --shift-first B`.
//!
//! Runs seeds from S upwards; a difference is shrunk, printed with its seed, and ends the run with an error. Whether masks
//! are asked for behind the first terminal is drawn for each seed, unless B says so: 0 never, 1 always.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use glrmask_tests::harness::{check_with, Tally};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match options(&arguments).and_then(|options| run(&options).map_err(|e| e.to_string())) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            let _ = writeln!(io::stderr(), "{message}\nusage: fuzz-masks [--seconds N] [--seed S] [--shift-first 0|1]");
            ExitCode::from(2)
        }
    }
}

struct Options {
    time: Duration,
    seed: u64,
    shift_first: Option<bool>,
}

/// 60 seconds from seed 0, unless told otherwise.
fn options(arguments: &[String]) -> Result<Options, String> {
    let mut options = Options { time: Duration::from_secs(60), seed: 0, shift_first: None };
    for pair in arguments.chunks(2) {
        let [name, value] = pair else { return Err(format!("{} needs a value", pair.concat())) };
        let number = value.parse().map_err(|_| format!("{value} is not a number"))?;
        match name.as_str() {
            "--seconds" => options.time = Duration::from_secs(number),
            "--seed" => options.seed = number,
            "--shift-first" => options.shift_first = Some(number != 0),
            _ => return Err(format!("unknown option {name}")),
        }
    }
    Ok(options)
}

/// Whether engine and oracle agreed until the time was over.
fn run(options: &Options) -> io::Result<bool> {
    let (start, mut total, mut out) = (Instant::now(), Tally::default(), io::stdout());
    for seed in options.seed.. {
        match check_with(seed, 2, options.shift_first) {
            Ok(tally) => total += tally,
            Err(failure) => {
                writeln!(out, "{failure}")?;
                return Ok(false);
            }
        }
        if start.elapsed() >= options.time {
            writeln!(out, "seeds {} to {seed}: {total}", options.seed)?;
            break;
        }
    }
    Ok(true)
}
