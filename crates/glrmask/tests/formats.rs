//! Grammars in every text format, as data: what they accept and reject, which errors they have and where.
#![allow(clippy::unwrap_used)]

use glrmask::{CompileOptions, Error, ErrorKind, Grammar, TokenId, Vocab};
use serde::Deserialize;

/// The cases of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

/// A grammar, and either texts or its first error.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    source: String,
    #[serde(default)]
    accept: Vec<String>,
    #[serde(default)]
    reject: Vec<String>,
    /// Part of the message.
    error: Option<String>,
    /// Line of the first error.
    line: Option<usize>,
    /// Number of errors.
    errors: Option<usize>,
    /// Whether it compiles (one that reads does not if it stands for no text, or has open slots).
    #[serde(default = "yes")]
    compiles: bool,
}

fn yes() -> bool {
    true
}

fn bytes() -> Vocab {
    Vocab::new((0..=255u8).map(|byte| (TokenId(byte.into()), [byte]))).unwrap()
}

fn accepts(constraint: &glrmask::Constraint, text: &str) -> bool {
    let mut state = constraint.start();
    state.commit_bytes(text.as_bytes()).is_ok() && state.is_accepting()
}

fn run(file: &str, read: impl Fn(&str) -> Result<Grammar, Error>) {
    let file: File = toml::from_str(file).unwrap();
    let vocab = bytes();
    for case in &file.case {
        match (read(&case.source), &case.error) {
            (Ok(_), Some(error)) => panic!("{}: no error, expected {error}", case.name),
            (Ok(grammar), None) => check_texts(case, &grammar, &vocab),
            (Err(error), Some(message)) => check_error(case, &error, message),
            (Err(error), None) => panic!("{}: {error}", case.name),
        }
    }
}

fn check_texts(case: &Case, grammar: &Grammar, vocab: &Vocab) {
    // As it was read, and as it is printed.
    for grammar in [grammar.clone(), Grammar::from_glrm(&grammar.to_glrm()).unwrap()] {
        let constraint = grammar.compile(vocab, &CompileOptions::default());
        if !case.compiles {
            assert!(constraint.is_err(), "{}", case.name);
            continue;
        }
        let constraint = constraint.unwrap_or_else(|e| panic!("{}: {e}", case.name));
        assert!(!case.accept.is_empty() && !case.reject.is_empty(), "{}", case.name);
        case.accept.iter().for_each(|text| assert!(accepts(&constraint, text), "{} accepts {text:?}", case.name));
        case.reject.iter().for_each(|text| assert!(!accepts(&constraint, text), "{} rejects {text:?}", case.name));
    }
}

fn check_error(case: &Case, error: &Error, message: &str) {
    let ErrorKind::Grammar(error) = error.kind() else { panic!("{}: {error}", case.name) };
    assert!(error.first().message().contains(message), "{}: {error}", case.name);
    assert_eq!(error.span().map(|span| span.line), case.line, "{}: {error}", case.name);
    if let Some(errors) = case.errors {
        assert_eq!(error.diagnostics().count(), errors, "{}: {error}", case.name);
    }
}

#[test]
fn lark() {
    run(include_str!("formats/lark.toml"), Grammar::from_lark);
}

#[test]
fn gbnf() {
    run(include_str!("formats/gbnf.toml"), Grammar::from_gbnf);
}
