//! Token events and markers in constraints: parts that do not fit, long commits, what is ready.

#![allow(clippy::unwrap_used)] // clippy knows tests, but not their helpers

use glrmask_automata::TerminalId;
use glrmask_compiler::{analyze, compile, Config};
use glrmask_grammar::glrm;
use glrmask_runtime::{Constraint, MarkerEvent, Parts};
use glrmask_vocab::{TokenId, Vocab};

fn vocab() -> Vocab {
    Vocab::new(["[", "]", "a", "[[", ""].into_iter().zip(0..).map(|(t, id)| (TokenId(id), t))).unwrap()
}

fn constraint(text: &str) -> Constraint {
    compile(&glrm::parse(text).unwrap(), &vocab(), &Config::default()).unwrap()
}

fn parts(text: &str) -> Parts {
    analyze(&glrm::parse(text).unwrap(), &Config::default()).unwrap().parts
}

fn refused(parts: Parts) -> String {
    Constraint::new(parts, vocab(), glrmask_runtime::Config::default()).unwrap_err().to_string()
}

const BOTH: &str = r#"start s; nt s = @mark(3) "[" @token(4, 0-1) s? "]" @mark(1);"#;

#[test]
fn ids_that_do_not_fit_are_an_error() {
    let changed = |change: &dyn Fn(&mut Parts)| {
        let mut parts = parts(BOTH);
        change(&mut parts);
        refused(parts)
    };
    let ids = |ids: &[u32]| ids.iter().copied().map(TokenId).collect();
    assert!(changed(&|p| p.token_terminals[0].ids = ids(&[1, 9])).contains("not in the vocabulary"));
    assert!(changed(&|p| p.token_terminals[0].ids = ids(&[900])).contains("beyond the vocabulary"));
    assert!(changed(&|p| p.token_terminals.clear()).contains("a token event without ids"));
    assert!(changed(&|p| p.token_terminals[0].terminal = TerminalId(0)).contains("no token event"));
    assert!(changed(&|p| p.markers.as_mut().unwrap().markers[0].0 = TerminalId(0)).contains("a terminal of the lexer"));
    assert!(changed(&|p| p.markers.as_mut().unwrap().markers[1].0 = TerminalId(77)).contains("unknown to the parser"));
    assert!(Constraint::new(parts(BOTH), vocab(), glrmask_runtime::Config::default()).is_ok());
}

#[test]
fn artifacts_hold_ids_and_markers() {
    let constraint = constraint(BOTH);
    let loaded = Constraint::load(&constraint.save(false).unwrap(), None).unwrap();
    assert_eq!(loaded.token_terminals(), constraint.token_terminals());
    let ranges: Vec<_> = loaded.token_terminals()[0].ids.ranges().collect();
    assert_eq!(ranges, [(TokenId(0), TokenId(1)), (TokenId(4), TokenId(4))]);
    assert_eq!(loaded.marker_ids(), [1, 3]);
    assert_eq!(loaded.start().marker_events(), [MarkerEvent { offset: 0, id: 3 }]);
    assert_eq!(loaded.save(false).unwrap(), constraint.save(false).unwrap());
}

#[test]
fn a_long_commit_counts_as_several() {
    let constraint = constraint(r#"start s; nt s = @mark(1) "[" s* "]" @mark(2);"#);
    let text = [vec![b'['; 600], vec![b']'; 100]].concat();
    let mut at_once = constraint.start();
    at_once.commit_bytes(&text).unwrap();
    let mut pieces = constraint.start();
    let mut expected = Vec::new();
    for piece in text.chunks(glrmask_runtime::marker::MARKER_BYTES) {
        pieces.commit_bytes(piece).unwrap();
        expected.extend_from_slice(pieces.marker_events());
    }
    assert_eq!(at_once.marker_events(), expected);
    // A list begins at every bracket that opens but the first, and may begin at the end.
    let opened = (1..600).chain([700]).map(|offset| MarkerEvent { offset, id: 1 });
    let closed = (601..=700).map(|offset| MarkerEvent { offset, id: 2 });
    let mut all: Vec<MarkerEvent> = opened.chain(closed).collect();
    all.sort_unstable();
    assert_eq!(expected, all);
}

#[test]
fn a_marker_before_which_anything_may_still_come_is_told_again_and_again() {
    let constraint = constraint(r#"start s; nt s = ("a" @mark(1))* @token(4) @mark(2);"#);
    let mut state = constraint.start();
    for offset in 1..=50 {
        state.commit_token(TokenId(2)).unwrap();
        assert_eq!(state.marker_events(), [MarkerEvent { offset, id: 1 }]);
    }
    state.commit_token(TokenId(4)).unwrap();
    assert_eq!(state.marker_events(), [MarkerEvent { offset: 50, id: 2 }]);
}

#[test]
fn a_state_that_follows_markers_is_not_ready_and_one_that_has_none_left_is() {
    let constraint = constraint(r#"start s; nt s = @mark(1) "[" "a" "a";"#);
    let mut state = constraint.start();
    assert_eq!(state.commit_token_if_ready(TokenId(0)), None);
    assert_eq!(state.marker_events().len(), 1);
    state.commit_token(TokenId(0)).unwrap();
    state.commit_token(TokenId(2)).unwrap();
    let mut first = state.clone();
    first.commit_token(TokenId(2)).unwrap();
    assert_eq!(state.commit_token_if_ready(TokenId(2)), Some(Ok(())));
    assert!(state.is_accepting() && state.marker_events().is_empty());
}

/// Linear in the length of a rule, optional parts and all.
#[test]
fn a_rule_may_have_hundreds_of_markers() {
    let rule = "@mark(1) \"a\"? ".repeat(500);
    let grammar = glrm::parse(&format!("start s; nt s = {rule};")).unwrap();
    let program = analyze(&grammar, &Config::default()).unwrap();
    assert!(program.parts.markers.unwrap().tables.states() < 3_000);
    let constraint = constraint(&format!("start s; nt s = {rule};"));
    let mut state = constraint.start();
    for offset in 0..20 {
        assert_eq!(state.marker_events(), [MarkerEvent { offset, id: 1 }]);
        state.commit_bytes(b"a").unwrap();
    }
    // All of it: a marker stands before the last one, and none after.
    let mut state = constraint.start();
    for _ in 0..49 {
        state.commit_bytes(&[b'a'; 10]).unwrap();
        assert_eq!(state.marker_events().len(), 10);
    }
    state.commit_bytes(&[b'a'; 10]).unwrap();
    assert_eq!(state.marker_events().len(), 9);
    assert!(state.is_accepting() && state.commit_bytes(b"a").is_err());
}

/// Each marker of each level leads to another stack: they stand in rules of their own. Those of one rule come together again
/// with the next lexeme.
#[test]
fn very_many_places_of_markers_are_an_error() {
    let levels: String = (0..20).map(|n| format!("\"(\" @mark({n}) s \")\" | ")).collect();
    let mut state = constraint(&format!("start s; nt s = {levels} \"x\";")).start();
    state.commit_bytes(&[b'('; 100]).unwrap();
    assert_eq!(state.marker_events().len(), 2_000);
    state.commit_bytes(&[b'('; 100]).unwrap();
    assert!(state.commit_bytes(&[b'('; 512]).unwrap_err().to_string().contains("places of markers"));
}
