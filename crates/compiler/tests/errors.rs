//! What cannot be compiled says why; what is merely large can be.

#![allow(clippy::unwrap_used)] // clippy knows tests, but not their helpers

use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use glrmask_automata::{Limits, ParseConfig, Regex};
use glrmask_compiler::{analyze, compile, CompileError, Config, FillLimits, Interrupt, Optimization, Policy};
use glrmask_grammar::{glrm, Expr, Grammar, GrammarBuilder, Pattern};
use glrmask_runtime::{Constraint, Cut, Refusal};
use glrmask_vocab::{mask, TokenId, Vocab};

fn vocab<B: AsRef<[u8]>>(tokens: impl IntoIterator<Item = B>) -> Vocab {
    Vocab::new((0..).map(TokenId).zip(tokens)).unwrap()
}

fn parse(source: &str) -> Grammar {
    glrm::parse(source).unwrap()
}

fn error(source: &str, config: &Config) -> CompileError {
    compile(&parse(source), &vocab(["a"]), config).map(drop).unwrap_err()
}

fn allowed(constraint: &Constraint) -> Vec<u32> {
    let mut words = vec![0; constraint.mask_words()];
    constraint.start().fill_mask(&mut words).unwrap();
    mask::iter(&words).map(|id| id.0).collect()
}

#[test]
fn an_empty_language_names_the_rule() {
    for (source, rule) in [
        (r#"start s; nt s = "a" s;"#, "`s`"),
        (r#"start s; nt s = "x" broken | "y" s; nt broken = "(" broken ")";"#, "`s`"),
        (r#"start s; nt s = "a" NEVER; t NEVER = [a] & [b];"#, "`s`"),
        (r#"start s; nt s = "a" part; nt part = []; "#, "`part`"),
    ] {
        let error = error(source, &Config::default());
        let text = error.to_string();
        assert!(text.contains("the language is empty") && text.contains(rule), "{text}");
        assert!(error.grammar().is_some() && !error.is_limit() && !error.is_unsupported());
        assert!(error.source().is_some());
    }
}

#[test]
fn a_language_that_longest_match_empties_is_an_error_too() {
    for source in [
        "start s; nt s = A A; t A = [a]+;",
        r#"start s; nt s = KW ID; t KW = "a"; t ID = "b" [a-z]*; lexer group g = KW | ANY; t ANY = [a-z]+; nt u = ANY;"#,
    ] {
        match compile(&parse(source), &vocab(["a"]), &Config::default()) {
            Err(error) => {
                assert!(error.to_string().contains("the language is empty"), "{error}");
                assert!(!error.is_limit() && error.source().is_some());
            }
            // Only a used terminal is part of the grammar.
            Ok(_) => assert!(source.contains("ANY")),
        }
    }
}

#[test]
fn a_terminal_without_words_is_only_an_alternative_less() {
    let grammar = parse(r#"start s; nt s = NEVER s | "x" | NEVER; t NEVER = [ab] & [cd];"#);
    let constraint = compile(&grammar, &vocab(["a", "x", "c"]), &Config::default()).unwrap();
    assert_eq!(allowed(&constraint), [1]);
    // Of the two members of the group, one matches nothing.
    let grammar = parse(r#"start s; nt s = "x" | NEVER; t NEVER = [ab] & [cd]; lexer group g = "x" | NEVER;"#);
    let constraint = compile(&grammar, &vocab(["x"]), &Config::default()).unwrap();
    assert_eq!(allowed(&constraint), [0]);
}

#[test]
fn a_terminal_never_matches_the_empty_string() {
    let regex = |text| Pattern::Regex(Regex::parse(text, &ParseConfig::default()).unwrap());
    let mut b = GrammarBuilder::new();
    let (start, t) = (b.nonterminal("s"), b.terminal("t", regex("a*")));
    b.define(start, Expr::from(t));
    let mut grammar = b.build(start).unwrap();
    // The builder makes it optional; a grammar that was not built that way gets no empty lexemes either.
    for optional in [true, false] {
        if !optional {
            grammar.productions.retain(|p| !p.rhs.is_empty());
            grammar.terminals[t].pattern = regex("a*");
        }
        let constraint = compile(&grammar, &vocab(["a", "b"]), &Config::default()).unwrap();
        assert_eq!(constraint.start().is_accepting(), optional);
        assert_eq!(allowed(&constraint), [0]);
    }
}

#[test]
fn ids_that_the_vocabulary_does_not_have_are_named() {
    let error = error("start s; nt s = @token(0, 20000);", &Config::default());
    assert!(!error.is_unsupported() && !error.is_limit() && error.unknown_token_id() == Some(TokenId(20000)));
    assert!(error.to_string().ends_with("names token 20000, which is not in the vocabulary"), "{error}");
    assert!(error.source().is_none());
}

#[test]
fn limits_are_errors_with_a_name() {
    let automata = |states| Config { automata: Limits { states, ..Limits::default() }, ..Config::default() };
    let wide = r#"start s; nt s = WIDE; t WIDE = [ab]* "a" [ab]{12};"#;
    let found = error(wide, &automata(1_000));
    assert!(found.is_limit() && found.to_string().contains("WIDE") && found.to_string().contains("1000"), "{found}");
    assert!(found.source().is_some());
    assert_eq!(found.numbers(), Some((1_001, 1_000)));
    compile(&parse(wide), &vocab(["a"]), &automata(20_000)).unwrap();

    let tables = glrmask_glr::Limits { states: 3, ..Default::default() };
    let found = error(r#"start s; nt s = "a" "b" "c" "d";"#, &Config { tables, ..Config::default() });
    assert!(found.is_limit() && found.to_string().contains("at most 3"), "{found}");

    // Each fits, their product does not: the limit is the lexer's.
    let pair = r#"start s; nt s = A | B; t A = ([ab]{7})+; t B = ([ab]{11})+ "d"; lexer group g = A | B;"#;
    let found = error(pair, &automata(60));
    assert!(found.is_limit() && found.to_string().contains("60"), "{found}");
    assert_eq!(found.numbers(), Some((61, 60)));
}

#[test]
fn an_explosion_of_conditions_is_a_limit_not_an_empty_language() {
    let source = r#"start s; nt s = ("a" | "b" | LONG)+; t LONG = "a" [ab]{20} "c"; lexer group g = "a" | LONG;"#;
    let error = error(source, &Config::default());
    assert!(error.is_limit() && error.to_string().contains("conditions"), "{error}");
    let mut cause: &dyn Error = &error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    assert!(cause.to_string().contains("limit of 20000"), "{cause}");
}

#[test]
fn very_many_literals_are_one_trie() {
    let mut b = GrammarBuilder::new();
    let start = b.nonterminal("s");
    let keys: Vec<Expr> = (0..20_000).map(|i| Expr::from(b.literal(format!("\"key {i}\"")))).collect();
    b.define(start, Expr::Choice(keys));
    let grammar = b.build(start).unwrap();
    let program = analyze(&grammar, &Config::default()).unwrap();
    assert_eq!(program.parts.lexer.components().len(), 1);
    let vocab = vocab(["\"", "\"key 1", "\"key 19999\"", "\"key 20000\"", "key"]);
    assert_eq!(allowed(&compile(&grammar, &vocab, &Config::default()).unwrap()), [0, 1, 2]);
}

#[test]
fn very_many_words_of_one_terminal() {
    let words: Vec<String> = (0..20_000).map(|i| format!("w{i}x")).collect();
    let regex = Regex::alternate(words.iter().map(Regex::literal));
    let mut b = GrammarBuilder::new();
    let (start, word) = (b.nonterminal("s"), b.terminal("word", Pattern::Regex(regex)));
    b.define(start, Expr::from(word).plus());
    let grammar = b.build(start).unwrap();
    let vocab = vocab(["w1", "w19999xw", "x", "w20000x", "w0xw0xw0x"]);
    assert_eq!(allowed(&compile(&grammar, &vocab, &Config::default()).unwrap()), [0, 1, 4]);
}

#[test]
fn a_rule_of_very_many_symbols_and_a_very_deep_chain() {
    let mut b = GrammarBuilder::new();
    let a = b.literal("a");
    let mut rule = b.nonterminal("bottom");
    b.define(rule, Expr::from(a));
    for i in 0..3_000 {
        let next = b.nonterminal(&format!("n{i}"));
        b.define(next, Expr::Choice(vec![Expr::from(rule), Expr::from(a)]));
        rule = next;
    }
    let start = b.nonterminal("s");
    b.define(start, Expr::Sequence(vec![Expr::from(rule); 5_000]));
    let constraint = compile(&b.build(start).unwrap(), &vocab(["a", "b"]), &Config::default()).unwrap();
    let mut state = constraint.start();
    state.commit_bytes(&b"a".repeat(4_999)).unwrap();
    assert!(!state.is_accepting());
    state.commit_bytes(b"a").unwrap();
    assert!(state.is_accepting() && state.commit_bytes(b"a").is_err());
}

#[test]
fn the_second_grammar_for_a_vocabulary_means_what_the_first_does() {
    let vocab = vocab(["\"", "\"a\"", "a", "1", "12,", "x"]);
    let source =
        r#"start s; nt s = "," ~ (V+); nt V = STRING | NUMBER; t STRING = "\"" [a-z]* "\""; t NUMBER = [0-9]+;"#;
    let first = compile(&parse(source), &vocab, &Config::default()).unwrap();
    let second = compile(&parse(source), &vocab, &Config { cache_bytes: 0, ..Config::default() }).unwrap();
    let fresh = analyze(&parse(source), &Config::default()).unwrap();
    assert_eq!((first.lexer(), second.lexer()), (&fresh.parts.lexer, &fresh.parts.lexer));
    for text in ["", "\"", "\"ab", "\"ab\"", "1", "1,", "12,\"a"] {
        let masks = [&first, &second].map(|constraint| {
            let (mut state, mut words) = (constraint.start(), vec![0; constraint.mask_words()]);
            state.commit_bytes(text.as_bytes()).unwrap();
            state.fill_mask(&mut words).unwrap();
            (words, state.is_accepting())
        });
        assert_eq!(masks[0], masks[1], "{text}");
    }
}

/// What compiling in the foreground says, waiting says for the background.
#[test]
fn reaching_a_limit_is_an_error_if_strict_and_now_or_when_waiting() {
    let grammar = parse(r#"start s; nt s = "[" (NUM | s)* "]"; t NUM = [0-9]+;"#);
    let vocab = vocab(["[", "]", "1", "[1", "1]"]);
    let limited = |strict, background| {
        let limits = FillLimits { states: Some(2), memory: None };
        let policy =
            Policy { optimization: Optimization::FastRuntime, limits, strict, background, ..Policy::default() };
        compile(&grammar, &vocab, &Config { policy, ..Config::default() })
    };
    let error = limited(true, false).map(drop).unwrap_err();
    assert!(error.is_limit() && error.fill_limit_reached() == Some(("units of work", 2)), "{error}");
    let waiting = limited(true, true).unwrap();
    let refused = waiting.wait(None).unwrap_err();
    assert_eq!(refused.refusal(), Some(Refusal::Limit { what: "units of work", limit: 2 }));
    assert_eq!((refused.to_string(), refused.numbers()), (error.to_string(), error.numbers()));
    assert_eq!(allowed(&waiting), [0, 3], "the rest is filled while decoding");
    assert_eq!(limited(false, true).unwrap().wait(None), Ok(Some(Some(Cut::States))));
}

#[test]
fn a_fill_in_the_background_that_is_cancelled_is_an_error_of_waiting() {
    let grammar = parse(r#"start s; nt s = "[" (NUM | s)* "]"; t NUM = [0-9]+;"#);
    let cancelled = Arc::new(AtomicBool::new(false));
    let asked = cancelled.clone();
    let here = std::thread::current().id();
    // Nobody wants it any more as soon as the other thread works on it.
    let check = move || {
        let elsewhere = std::thread::current().id() != here;
        asked.fetch_or(elsewhere, Ordering::Relaxed);
        elsewhere.then_some(Interrupt::Cancelled)
    };
    let policy = Policy {
        optimization: Optimization::FastRuntime,
        background: true,
        check: Some(Arc::new(check)),
        ..Policy::default()
    };
    let constraint = compile(&grammar, &vocab(["[", "]", "1"]), &Config { policy, ..Config::default() }).unwrap();
    let waited = constraint.wait(None);
    assert!(cancelled.load(Ordering::Relaxed));
    assert_eq!(waited.unwrap_err().refusal(), Some(Refusal::Cancelled));
    assert!(!constraint.is_complete());
}
