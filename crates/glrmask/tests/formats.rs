//! Grammars in every text format, as data: what they accept and reject, which errors they have and where. The name of a
//! case, or the comment above it, says which feature of the format's documentation it shows.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use glrmask::{CompileOptions, Error, ErrorKind, Grammar, LarkOptions, LarkProfile, RegexFlavor, TokenId, Vocab};
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
    /// Ids by the names of token atoms.
    #[serde(default)]
    token_names: BTreeMap<String, Vec<u32>>,
    /// In texts, `«300»` is the token with this id.
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

/// The single bytes, and some ids without bytes from 300 on.
fn bytes() -> Vocab {
    let bytes = (0..=255u8).map(|byte| (TokenId(byte.into()), vec![byte]));
    Vocab::new(bytes.chain((300..310).map(|id| (TokenId(id), Vec::new())))).unwrap()
}

fn accepts(constraint: &glrmask::Constraint, text: &str) -> bool {
    let mut state = constraint.start();
    let mut commit = |piece: &str| {
        let (id, bytes) = piece.split_once('»').map_or((None, piece), |(id, bytes)| (Some(id), bytes));
        let event = id.is_none_or(|id| state.commit_token(TokenId(id.parse().unwrap())).is_ok());
        event && state.commit_bytes(bytes.as_bytes()).is_ok()
    };
    text.split('«').all(&mut commit) && state.is_accepting()
}

type TokenNames = BTreeMap<String, Vec<TokenId>>;

fn run(file: &str, read: impl Fn(&str) -> Result<Grammar, Error>) {
    run_with(file, |source, _| read(source));
}

fn run_with(file: &str, read: impl Fn(&str, TokenNames) -> Result<Grammar, Error>) {
    let file: File = toml::from_str(file).unwrap();
    let vocab = bytes();
    for case in &file.case {
        let ids = |ids: &Vec<u32>| ids.iter().copied().map(TokenId).collect();
        let names = case.token_names.iter().map(|(name, of)| (name.clone(), ids(of))).collect();
        match (read(&case.source, names), &case.error) {
            (Ok(_), Some(error)) => panic!("{}: no error, expected {error}", case.name),
            (Ok(grammar), None) => check_texts(case, &grammar, &vocab),
            (Err(error), Some(message)) => check_error(case, &error, message),
            (Err(error), None) => panic!("{}: {error}", case.name),
        }
    }
}

fn check_texts(case: &Case, grammar: &Grammar, vocab: &Vocab) {
    // As it was read, and as it is printed, unless it has rules that cannot be.
    let has_rules = !grammar.ir().documents.is_empty();
    let printed = (!has_rules).then(|| Grammar::from_glrm(&grammar.to_glrm().unwrap()).unwrap());
    for grammar in [grammar.clone()].into_iter().chain(printed) {
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
    run_with(include_str!("formats/lark.toml"), |source, token_names| {
        Grammar::from_lark_with(source, &LarkOptions { token_names, ..LarkOptions::default() })
    });
}

#[test]
fn gbnf() {
    run_with(include_str!("formats/gbnf.toml"), |source, names| Grammar::from_gbnf_with(source, &names));
}

#[test]
fn lark_for_llms() {
    run_with(include_str!("formats/llm.toml"), |source, token_names| {
        let options = LarkOptions { profile: LarkProfile::Llm, token_names, ..LarkOptions::default() };
        Grammar::from_lark_with(source, &options)
    });
}

#[test]
fn token_atoms_have_the_ids_they_are_given() {
    let names = [("<|tool|>", vec![5]), ("|eom|", vec![7, 9]), ("INDENT", vec![3])];
    let token_names = names.map(|(name, ids)| (name.to_owned(), ids.into_iter().map(TokenId).collect())).into();
    let options = LarkOptions { profile: LarkProfile::Llm, token_names, ..LarkOptions::default() };
    let source = "start: <|tool|> INDENT /x+/ <|eom|> <[1,10-12]>\n%declare INDENT DEDENT";
    let printed = Grammar::from_lark_with(source, &options).unwrap().to_glrm().unwrap();
    for event in ["@token(5)", "@token(3)", "@token(7, 9)", "@token(1, 10-12)"] {
        assert!(printed.contains(event), "{printed}");
    }
    let source = "root ::= <|tool|> \"x\" <[8]>";
    let printed = Grammar::from_gbnf_with(source, &options.token_names).unwrap().to_glrm().unwrap();
    assert!(printed.contains("@token(5) \"x\" @token(8)"), "{printed}");
}

#[test]
fn regular_expressions_match_the_whole_text() {
    let vocab = bytes();
    for (pattern, flavor, good, bad) in [
        (r"a|b+|", RegexFlavor::Rust, ["", "bb"], "ab"),
        (r"^\d{2}(?i:x)$", RegexFlavor::Rust, ["12x", "٣٤X"], "1x"),
        (r"^(?!--)[a-z-]+$", RegexFlavor::Ecma, ["a-b", "-a"], "--a"),
        (r"a(?=.c)[^]*|\u{1F600}", RegexFlavor::Ecma, ["abcd", "😀"], "abd"),
        (r"[^a]\w", RegexFlavor::Ecma, ["é_", "\n0"], "aé"),
    ] {
        let grammar = Grammar::from_regex(pattern, flavor).unwrap();
        let constraint = grammar.compile(&vocab, &CompileOptions::default()).unwrap();
        good.iter().for_each(|text| assert!(accepts(&constraint, text), "{pattern} matches {text:?}"));
        assert!(!accepts(&constraint, bad), "{pattern} does not match {bad:?}");
    }
    for (pattern, flavor, message) in [
        ("(a", RegexFlavor::Rust, "unclosed group"),
        ("a\\b", RegexFlavor::Rust, "not supported"),
        ("(a", RegexFlavor::Ecma, "missing"),
        ("(a)\\1", RegexFlavor::Ecma, "backreference"),
    ] {
        let error = Grammar::from_regex(pattern, flavor).expect_err(pattern);
        let ErrorKind::Grammar(error) = error.kind() else { panic!("{error}") };
        assert!(error.to_string().contains(message) && error.span().is_some(), "{error}");
    }
}

#[test]
fn choices_are_the_whole_text() {
    let grammar = Grammar::from_choices(["yes", "yesterday", "no\n", "été"]).unwrap();
    let constraint = grammar.compile(&bytes(), &CompileOptions::default()).unwrap();
    for text in ["yes", "yesterday", "no\n", "été"] {
        assert!(accepts(&constraint, text), "{text}");
    }
    for text in ["", "ye", "yest", "no", "yesyes"] {
        assert!(!accepts(&constraint, text), "{text}");
    }
    assert!(Grammar::from_choices(Vec::<String>::new()).is_err());
    let empty = Grammar::from_choices(["", "a"]).unwrap().compile(&bytes(), &CompileOptions::default()).unwrap();
    assert!(empty.start().is_accepting() && accepts(&empty, "a"));
}

#[test]
fn structural_tags() {
    run(include_str!("formats/structural_tag.toml"), Grammar::from_structural_tag);
}

#[test]
fn structural_tags_with_tokens() {
    let names = [("<think>", vec![5]), ("</think>", vec![6])];
    let names = names.map(|(name, ids)| (name.to_owned(), ids.into_iter().map(TokenId).collect())).into();
    let tag = r#"{"type": "sequence", "elements": [
        {"type": "tag", "begin": {"type": "token", "token": "<think>"}, "content": {"type": "any_text"},
         "end": {"type": "token", "token": "</think>"}},
        {"type": "token", "token": 9}]}"#;
    let grammar = Grammar::from_structural_tag_with(tag, &names, &Default::default()).unwrap();
    let printed = grammar.to_glrm().unwrap();
    for part in
        ["nt start = token $optional1 token_2 token_3;", "token = @token(5);", "token_2 = @token(6);", "@token(9)"]
    {
        assert!(printed.contains(part), "{printed}");
    }
}

#[test]
fn builtin_grammars() {
    run(include_str!("formats/builtin.toml"), Grammar::builtin);
    assert!(Grammar::builtin("cobol").is_err_and(|e| e.to_string().contains("javascript")));
}

#[test]
fn keywords_are_not_read_as_two_names() {
    let rules = "t WORD = [a-z]+; t ID = WORD - (\"if\" | \"else\"); ignore \" \"; nt start = statement+;
        nt statement = \"if\" ID statement \"else\" statement | ID ID? \";\";";
    let grouped = format!("lexer group words = WORD | ID | \"if\" | \"else\"; {rules}");
    for (source, split) in [(rules, true), (grouped.as_str(), false)] {
        let grammar = Grammar::from_glrm(source).unwrap();
        let constraint = grammar.compile(&bytes(), &CompileOptions::default()).unwrap();
        assert!(accepts(&constraint, "if a x; else y z;") && accepts(&constraint, "if a els e; else elsey;"));
        assert_eq!(accepts(&constraint, "else;"), split, "{source}");
        assert_eq!(accepts(&constraint, "if a else; else y;"), split, "{source}");
    }
}
