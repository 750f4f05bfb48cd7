//! End to end on small grammars: every mask equals trying each token on a clone.

#![allow(clippy::unwrap_used)] // clippy knows tests, but not their helpers

use glrmask_automata::{ParseConfig, Regex};
use glrmask_compiler::{compile, Config};
use glrmask_grammar::{Expr, Grammar, GrammarBuilder, Pattern};
use glrmask_runtime::{Constraint, ConstraintState};
use glrmask_vocab::{TokenId, Vocab};

fn vocab(tokens: &[&str]) -> Vocab {
    Vocab::new(tokens.iter().enumerate().map(|(i, t)| (TokenId(i as u32), t.as_bytes().to_vec()))).unwrap()
}

fn regex(pattern: &str) -> Pattern {
    Pattern::Regex(Regex::parse(pattern, &ParseConfig::default()).unwrap())
}

/// A JSON value over `[`, `]`, numbers and strings.
fn json() -> Grammar {
    let mut b = GrammarBuilder::new();
    let value = b.nonterminal("value");
    let string = b.terminal("string", regex(r#""[a-z]*""#));
    let number = b.terminal("number", regex(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?"));
    let (open, close, comma) = (b.literal("["), b.literal("]"), b.literal(", "));
    let items = Expr::Separated {
        separator: Box::new(Expr::from(comma)),
        items: vec![(Expr::from(value), glrmask_grammar::Occurs::Star)],
    };
    let list = Expr::Sequence(vec![Expr::from(open), items, Expr::from(close)]);
    b.define(value, Expr::Choice(vec![Expr::from(string), Expr::from(number), list]));
    b.build(value).unwrap()
}

fn allowed(state: &ConstraintState) -> Vec<u32> {
    let mut words = vec![0; state.constraint().mask_words()];
    state.fill_mask(&mut words).unwrap();
    (0..words.len() as u32 * 32).filter(|id| words[*id as usize / 32] >> (id % 32) & 1 == 1).collect()
}

fn check(constraint: &Constraint, state: &ConstraintState, depth: usize) {
    let mask = allowed(state);
    let tried: Vec<u32> = constraint
        .vocab()
        .iter()
        .filter(|(id, _)| state.clone().commit_token(*id).is_ok())
        .map(|(id, _)| id.0)
        .collect();
    assert_eq!(mask, tried);
    if depth > 0 {
        for id in mask {
            let mut next = state.clone();
            next.commit_token(TokenId(id)).unwrap();
            check(constraint, &next, depth - 1);
        }
    }
}

#[test]
fn masks_equal_trying_every_token() {
    let tokens = [
        "[", "]", ", ", "1", "12", "-", ".5", "\"", "a", "ab\"", "\", ", "[[", "]]", "1, ", "], [", "0", "x", ",", " ",
    ];
    let constraint = compile(&json(), &vocab(&tokens), &Config::default()).unwrap();
    check(&constraint, &constraint.start(), 3);
}

#[test]
fn keywords_are_not_glued_to_identifiers() {
    let mut b = GrammarBuilder::new();
    let start = b.nonterminal("start");
    let ret = b.literal("return");
    let id = b.terminal("id", regex("[a-z]+"));
    let (semi, space) = (b.literal(";"), b.terminal("space", regex(" +")));
    b.ignore(space);
    b.define(
        start,
        Expr::Sequence(vec![
            Expr::Choice(vec![
                Expr::Sequence(vec![Expr::from(ret), Expr::from(id)]),
                Expr::Sequence(vec![Expr::from(id), Expr::from(id)]),
            ]),
            Expr::from(semi),
        ]),
    );
    let grammar = b.build(start).unwrap();
    let tokens = ["return", "returnx", " ", "x", ";", "x;", " x;", "re", "turn"];
    let constraint = compile(&grammar, &vocab(&tokens), &Config::default()).unwrap();
    let mut state = constraint.start();
    state.commit_bytes(b"returnx").unwrap();
    assert!(!state.is_accepting());
    assert_eq!(state.clone().commit_bytes(b";"), Err(glrmask_runtime::CommitError::ForbiddenBytes(0)));
    state.commit_bytes(b" y;").unwrap();
    assert!(state.is_accepting());
    check(&constraint, &constraint.start(), 4);
}

#[test]
fn the_second_a_cannot_follow_where_nothing_completes_it() {
    let mut b = GrammarBuilder::new();
    let start = b.nonterminal("start");
    let a = b.terminal("a", regex("a+"));
    let c = b.literal("c");
    b.define(start, Expr::Choice(vec![Expr::Sequence(vec![Expr::from(a), Expr::from(a)]), Expr::from(c)]));
    let constraint = compile(&b.build(start).unwrap(), &vocab(&["a", "aa", "c"]), &Config::default()).unwrap();
    assert_eq!(allowed(&constraint.start()), [2]);

    let mut b = GrammarBuilder::new();
    let start = b.nonterminal("start");
    let a = b.terminal("a", regex("a+"));
    b.define(start, Expr::Sequence(vec![Expr::from(a), Expr::from(a)]));
    let error = compile(&b.build(start).unwrap(), &vocab(&["a"]), &Config::default()).unwrap_err();
    assert!(error.to_string().contains("empty"), "{error}");
}
