//! Hostile tokens and terminals: long runs take linear time and no deep recursion, explosions end in errors.

use glrmask_automata::lexdag::{ClassId, ConditionSetId};
use glrmask_automata::{Limits, TerminalId};
use glrmask_lexer::{profile, Language, Lexer, LexerCache, LexerError, TerminalDef};

use crate::random::{lexer, regex, terminal, vocab};

fn literals(texts: &[&str]) -> Vec<TerminalDef> {
    let count = texts.len();
    texts.iter().enumerate().map(|(i, t)| terminal(i, Language::Literal(t.as_bytes().to_vec()), count)).collect()
}

/// Runs with a small stack: what recursed per byte would overflow it.
fn on_a_small_stack(f: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(f).expect("a thread");
    thread.join().expect("no overflow and no panic");
}

/// The profile of a vocabulary of one token; scans and classes that it takes.
fn profile_of(lexer: &Lexer, token: Vec<u8>) -> Result<(Vec<ClassId>, usize, usize), LexerError> {
    let mut cache = LexerCache::new();
    let start = cache.anywhere(lexer, ConditionSetId::NONE);
    let found = profile(lexer, &mut cache, &vocab([token]), start)?;
    let classes = found.classes.iter().map(|c| c.0).collect();
    Ok((classes, cache.scans().len(), cache.dag().len()))
}

#[test]
fn a_run_with_exponentially_many_lexings_is_linear() {
    for length in [10_000usize, 100_000] {
        on_a_small_stack(move || {
            let lexer = lexer(&literals(&["-", "--"]));
            let (classes, scans, nodes) = profile_of(&lexer, vec![b'-'; length]).unwrap();
            assert_eq!(classes.len(), 1);
            assert!(scans <= length + 10 && nodes <= length + 10, "{scans} scans, {nodes} classes");
        });
    }
}

#[test]
fn a_run_of_three_overlapping_terminals_is_linear() {
    on_a_small_stack(|| {
        let lexer = lexer(&literals(&["a", "aa", "aaa"]));
        let (classes, scans, nodes) = profile_of(&lexer, vec![b'a'; 20_000]).unwrap();
        assert_eq!(classes.len(), 1);
        assert!(scans < 40_100 && nodes < 40_100, "{scans} scans, {nodes} classes");
    });
}

#[test]
fn a_long_run_inside_one_lexeme_is_a_handful_of_scans() {
    on_a_small_stack(|| {
        let lexer = lexer(&[terminal(0, regex("\"[^\"]*\""), 1)]);
        let token = [&b"\""[..], &vec![b'x'; 100_000]].concat();
        let (classes, scans, _) = profile_of(&lexer, token).unwrap();
        assert!(classes.len() == 1 && scans < 10, "{scans} scans");
    });
}

#[test]
fn a_long_run_between_ignored_text_is_linear() {
    on_a_small_stack(|| {
        let space = TerminalDef { ignored: true, parser_terminal: None, ..terminal(1, regex(" +"), 0) };
        let lexer = lexer(&[terminal(0, regex("x"), 1), space]);
        let (classes, scans, nodes) = profile_of(&lexer, b"x ".repeat(20_000)).unwrap();
        assert_eq!(classes.len(), 1);
        assert!(scans < 120_000 && nodes < 120_000, "{scans} scans, {nodes} classes");
    });
}

#[test]
fn too_many_sets_of_conditions_are_an_error() {
    // Every a leaves a condition that lives for twenty more letters: two to the twentieth sets.
    let mut defs = literals(&["a", "b"]);
    defs.push(terminal(2, regex("a[ab]{20}c"), 3));
    defs[0].kills = vec![TerminalId(2)];
    let error = profile_of(&lexer(&defs), b"a".to_vec()).unwrap_err();
    assert!(error.is_limit(), "{error}");
    assert!(error.to_string().contains("conditions") && error.to_string().contains("limit of 20000"), "{error}");
}

#[test]
fn too_large_a_component_is_an_error() {
    let mut defs: Vec<TerminalDef> =
        ["[ab]*a[ab]{7}", "[ab]*b[ab]{6}c"].iter().enumerate().map(|(i, p)| terminal(i, regex(p), 2)).collect();
    defs[0].kills = vec![TerminalId(1)];
    let limits = Limits { states: 300, ..Limits::default() };
    let error = Lexer::new(&defs, &limits).unwrap_err();
    assert!(error.is_limit(), "{error}");
    assert!(error.to_string().contains("300"), "{error}");
}
