//! The loop that all fuzz targets share: inputs by number, so that a failure is told by one number.
//!
//! A case is a pure function of its number: raw bytes, words of the target's language in random order, one word
//! repeated until something deep might overflow, or words with a few bytes damaged. A case that panics ends the run
//! with its number; so does one that takes longer than ten seconds.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::process::exit;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Runs `target` on case after case for the time given on the command line:
/// `[--seconds N] [--seed FIRST_CASE] | --case NUMBER`. Exits with 1 at the first case that fails.
pub fn fuzz(name: &str, words: &[&str], target: impl Fn(&[u8])) {
    let options = Options::from_args();
    if let Some(case) = options.case {
        println!("{name}: case {case} is \"{}\"", input(case, words).escape_ascii());
        return target(&input(case, words));
    }
    let current = watch(name, options.first);
    let start = Instant::now();
    let mut case = options.first;
    while start.elapsed() < options.time {
        current.store(case, Ordering::Relaxed);
        let input = input(case, words);
        if catch_unwind(AssertUnwindSafe(|| target(&input))).is_err() {
            println!("{name}: case {case} fails on \"{}\"", input.escape_ascii());
            exit(1);
        }
        case += 1;
    }
    println!("{name}: {} cases from {} passed", case - options.first, options.first);
}

/// Ends the program when one case takes too long; the result tells the watcher which case is running.
fn watch(name: &str, first: u64) -> Arc<AtomicU64> {
    let current = Arc::new(AtomicU64::new(first));
    let (seen, name) = (current.clone(), name.to_owned());
    thread::spawn(move || {
        let mut last = u64::MAX;
        loop {
            let case = seen.load(Ordering::Relaxed);
            if case == last {
                println!("{name}: case {case} takes longer than {LONGEST:?}");
                exit(1);
            }
            last = case;
            thread::sleep(LONGEST);
        }
    });
    current
}

const LONGEST: Duration = Duration::from_secs(10);

struct Options {
    time: Duration,
    first: u64,
    case: Option<u64>,
}

impl Options {
    /// The first case is taken from the clock unless given, so that every run sees other cases.
    fn from_args() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let mut options = Self { time: Duration::from_secs(10), first: now << 24, case: None };
        let mut args = std::env::args().skip(1);
        while let (Some(flag), value) = (args.next(), args.next()) {
            match (flag.as_str(), value.and_then(|value| value.parse().ok())) {
                ("--seconds", Some(seconds)) => options.time = Duration::from_secs(seconds),
                ("--seed", Some(first)) => options.first = first,
                ("--case", case @ Some(_)) => options.case = case,
                _ => {
                    println!("arguments: [--seconds N] [--seed FIRST_CASE] | --case NUMBER");
                    exit(2);
                }
            }
        }
        options
    }
}

fn input(case: u64, words: &[&str]) -> Vec<u8> {
    let mut random = Random(case);
    match random.below(8) {
        0 => bytes(&mut random),
        1 => deep(&mut random, words),
        2 | 3 => damaged(&mut random, words),
        _ => soup(&mut random, words),
    }
}

fn bytes(random: &mut Random) -> Vec<u8> {
    (0..random.below(64)).map(|_| random.below(256) as u8).collect()
}

fn soup(random: &mut Random, words: &[&str]) -> Vec<u8> {
    let longest = if random.below(4) == 0 { 200 } else { 20 };
    (0..random.below(longest)).flat_map(|_| random.pick(words).bytes()).collect()
}

fn deep(random: &mut Random, words: &[&str]) -> Vec<u8> {
    let most = if random.below(8) == 0 { 20_000 } else { 300 };
    let (open, times) = (random.pick(words), random.below(most));
    let mut text = soup(random, words);
    text.extend(open.repeat(times).bytes());
    text.extend(soup(random, words));
    if random.below(2) == 0 {
        text.extend(random.pick(words).repeat(times).bytes());
    }
    text
}

fn damaged(random: &mut Random, words: &[&str]) -> Vec<u8> {
    let mut text = soup(random, words);
    for _ in 0..1 + random.below(3) {
        let at = random.below(text.len() + 1);
        match random.below(3) {
            0 => text.truncate(at),
            1 => text.insert(at, random.below(256) as u8),
            _ => text.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
        }
    }
    text
}

/// SplitMix64: small, and good enough to choose inputs.
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.number() % n.max(1) as u64) as usize
    }

    /// One of these; they must not be empty.
    pub fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }
}
