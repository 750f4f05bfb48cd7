//! Kill sets: the keyword rule, lexer groups, scopes; case by case, and against the rule on enumerated words.

#![allow(clippy::unwrap_used)] // clippy knows tests, but not their helpers

use std::collections::{BTreeMap, BTreeSet};

use glrmask_automata::{Id, ParseConfig, Regex, Symbol, TerminalId};
use glrmask_compiler::{analyze, Config, Program};
use glrmask_glr::LrState;
use glrmask_grammar::{glrm, Grammar, GrammarBuilder, Pattern};
use proptest::prelude::*;

/// Who kills whom, by name; terminals that only kill themselves are left out. Literals go by their text.
fn kills(source: &str) -> BTreeMap<String, BTreeSet<String>> {
    let grammar = glrm::parse(source).unwrap();
    let program = analyze(&grammar, &Config::default()).unwrap();
    let name = |t: TerminalId| match &grammar.terminals[t].pattern {
        Pattern::Literal(bytes) => String::from_utf8(bytes.clone()).unwrap(),
        _ => grammar.terminals[t].name.clone(),
    };
    let sets = program.kills.iter_enumerated().filter(|(_, set)| !set.is_empty());
    sets.map(|(t, set)| (name(t), set.iter().map(|&k| name(k)).collect())).collect()
}

fn sets<const N: usize>(pairs: [(&str, &[&str]); N]) -> BTreeMap<String, BTreeSet<String>> {
    pairs.iter().map(|(t, k)| (t.to_string(), k.iter().map(|k| k.to_string()).collect())).collect()
}

#[test]
fn a_keyword_is_killed_by_the_identifier_it_begins() {
    let found = kills(r#"start s; nt s = "if" ID | ID; t ID = [a-z]+;"#);
    assert_eq!(found, sets([("if", &["ID"])]));
}

#[test]
fn every_word_must_be_an_identifier() {
    let grammar = |word: &str| kills(&format!(r#"start s; nt s = {word} ID | ID; t ID = [a-z_$é]+; t W = {word};"#));
    for killed in [r#""if""#, r#""if" | "else""#, r#""_x$""#, r#""é""#, "[ab]", "[ab]{2,3}"] {
        assert_eq!(grammar(&format!("({killed})")).values().next(), Some(&["ID".to_string()].into()), "{killed}");
    }
    for free in [r#""If""#, r#""if+""#, r#""i f""#, r#""if1""#] {
        assert_eq!(grammar(free), sets([]), "{free}");
    }
    let words = |words: &str| kills(&format!("start s; nt s = W ID | ID; t ID = [a-z]+; t W = {words};"));
    assert_eq!(words(r#""if" | "else""#), sets([("W", &["ID"])]));
    assert_eq!(words(r#""if"i"#), sets([]));
    assert_eq!(words(r#""if" | "Else""#), sets([]));
    assert_eq!(words("[a-c]+"), sets([]), "not a finite set of words");
}

#[test]
fn any_case_needs_identifiers_of_any_case() {
    assert_eq!(kills(r#"start s; nt s = "if"i ID | ID; t ID = [a-zA-Z]+;"#).len(), 1);
    assert_eq!(kills(r#"start s; nt s = "if"i ID | ID; t ID = [a-z]+;"#).len(), 0);
}

#[test]
fn the_longer_one_consists_of_identifier_characters() {
    assert_eq!(kills(r#"start s; nt s = "if" ID | ID; t ID = [a-z\-]+;"#), sets([]));
    assert_eq!(kills(r#"start s; nt s = "if" ID | ID; t ID = [a-z] ([a-z] | " ")*;"#), sets([]));
    // The longer one may be finite, too.
    assert_eq!(kills(r#"start s; nt s = "if" ID | ID; t ID = "if" | "iffy";"#), sets([("if", &["ID"])]));
}

#[test]
fn some_parser_state_must_accept_both() {
    assert_eq!(kills(r#"start s; nt s = "user_" ID; t ID = [a-z_]+;"#), sets([]));
    assert_eq!(kills(r#"start s; nt s = "user_" ID | ID "x"; t ID = [a-z_]+;"#), sets([("user_", &["ID"])]));
}

#[test]
fn keywords_off_and_ebnf_know_no_keywords() {
    assert_eq!(kills(r#"start s; keywords off; nt s = "if" ID | ID; t ID = [a-z]+;"#), sets([]));
    let grammar = glrmask_grammar::ebnf::parse(r#"s ::= "if" [a-z] | [a-z] "b""#).unwrap();
    assert!(analyze(&grammar, &Config::default()).unwrap().kills.iter().all(Vec::is_empty));
}

#[test]
fn ignored_terminals_neither_kill_nor_are_killed() {
    let source = |ignore| {
        format!(r#"start s; ignore {ignore}; nt s = ("if" | KW | ID)* ";"; t ID = [a-z]+; t KW = "do" | "od";"#)
    };
    assert_eq!(kills(&source("/[ ]+/")), sets([("if", &["ID"]), ("KW", &["ID"])]));
    assert_eq!(kills(&source("ID")), sets([]));
    assert_eq!(kills(&source("KW")), sets([("if", &["ID"])]));
}

#[test]
fn kill_sets_stay_within_a_scope() {
    let inner = r#"grammar inner { start i; nt i = "in" | INNER; t INNER = [a-z]+; }"#;
    let found = kills(&format!(r#"start s; nt s = "if" | ID | inner; t ID = [a-z]+; {inner}"#));
    assert_eq!(found, sets([("if", &["ID"]), ("in", &["INNER"])]));
    let found = kills(&format!(r#"start s; keywords off; nt s = "if" | ID | inner; t ID = [a-z]+; {inner}"#));
    assert_eq!(found, sets([("in", &["INNER"])]));
}

#[test]
fn in_a_group_all_compete_but_for_those_that_are_never_longer() {
    let found = kills(
        r#"start s; nt s = (">" | ">>" | ">>=" | "=" | EQ)*; t EQ = "="+; lexer group g = ">" | ">>" | ">>=" | "=" | EQ;"#,
    );
    assert_eq!(found, sets([(">", &[">>", ">>="]), (">>", &[">>="]), ("=", &["EQ"])]));
    let without = kills(r#"start s; nt s = (">" | ">>" | ">>=")*;"#);
    assert_eq!(without, sets([]), "operators do not compete unless grouped");
}

#[test]
fn groups_and_keywords_add_up() {
    let found =
        kills(r#"start s; nt s = "if" | ID | NUM; t ID = [a-z]+; t NUM = [a-z0-9]+ "!"; lexer group g = "if" | NUM;"#);
    assert_eq!(found, sets([("if", &["ID", "NUM"])]));
}

// ------------------------------------------------------------------ the rule on enumerated words

const LETTERS: &[u8] = b"ab_-";
const PATTERNS: &[&str] = &["a", "ab", "a|b", "a|ab", "a|-", "[ab]+", "[ab_]+", "a[ab-]*", "_", "(ab)+", "ab?|b", "aa"];
/// Words up to this length tell all of these patterns apart.
const LONGEST: usize = 6;

fn words() -> Vec<Vec<u8>> {
    let mut words: Vec<Vec<u8>> = vec![vec![]];
    let mut from = 0;
    for _ in 0..LONGEST {
        let to = words.len();
        for i in from..to {
            words.extend(LETTERS.iter().map(|&b| [&words[i][..], &[b]].concat()).collect::<Vec<_>>());
        }
        from = to;
    }
    words
}

/// A grammar whose start symbol has these bodies.
fn grammar(patterns: &[&str], bodies: &[Vec<usize>], ignored: Option<usize>) -> Grammar {
    let mut b = GrammarBuilder::new();
    let regex = |p: &str| Pattern::Regex(Regex::parse(p, &ParseConfig::default()).unwrap());
    let terminals: Vec<TerminalId> =
        patterns.iter().enumerate().map(|(i, p)| b.terminal(&format!("t{i}"), regex(p))).collect();
    let start = b.nonterminal("s");
    for body in bodies {
        b.production(start, body.iter().map(|&t| Symbol::Terminal(terminals[t % terminals.len()])).collect());
    }
    if let Some(t) = ignored {
        b.ignore(terminals[t % terminals.len()]);
    }
    b.build(start).unwrap()
}

fn share_a_state(program: &Program, t: TerminalId, u: TerminalId) -> bool {
    let tables = &program.parts.tables;
    let [t, u] = [t, u].map(|t| program.normalized.merged[t]);
    let states = (0..tables.states()).map(LrState::from_usize);
    states.map(|s| tables.actionable(s)).any(|actions| actions.contains(&t) && actions.contains(&u))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn the_keyword_rule_as_it_is_written(
        patterns in prop::collection::vec(prop::sample::select(PATTERNS), 2..5),
        bodies in prop::collection::vec(prop::collection::vec(0usize..8, 1..4), 1..5),
        ignored in prop::option::weighted(0.2, 0usize..8),
    ) {
        let grammar = grammar(&patterns, &bodies, ignored);
        // The same pattern twice is the same terminal.
        let Ok(program) = analyze(&grammar, &Config::default()) else { return Ok(()) };
        let all = words();
        let language = |t: TerminalId| -> BTreeSet<&Vec<u8>> {
            let Pattern::Regex(regex) = &grammar.terminals[t].pattern else { return BTreeSet::new() };
            let dfa = regex.compile(&Default::default()).unwrap();
            all.iter().filter(|word| !word.is_empty() && dfa.accepts(word)).collect()
        };
        let languages: Vec<BTreeSet<&Vec<u8>>> = grammar.terminals.ids().map(language).collect();
        let of = |t: TerminalId| &languages[t.index()];
        let ignored = |t: TerminalId| grammar.scopes.iter().any(|scope| scope.ignore.contains(&t));
        let finite = |t: TerminalId| of(t).iter().all(|word| word.len() < LONGEST);
        let identifiers = |t: TerminalId| of(t).iter().all(|word| !word.contains(&b'-'));
        let outgrows = |t: TerminalId, k: TerminalId| of(t).iter().any(|w| of(k).iter().any(|v| v.len() > w.len() && v.starts_with(w)));
        for t in grammar.terminals.ids() {
            let kills = |&k: &TerminalId| {
                k != t && finite(t) && of(t).is_subset(of(k)) && identifiers(k) && outgrows(t, k)
                    && !ignored(t) && !ignored(k) && share_a_state(&program, t, k)
            };
            let wanted: Vec<TerminalId> = grammar.terminals.ids().filter(kills).collect();
            prop_assert_eq!(&program.kills[t], &wanted, "{}", t);
        }
    }
}
