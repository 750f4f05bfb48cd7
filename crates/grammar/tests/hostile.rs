//! Texts that mean harm, and random ones: every front-end answers with a grammar or an error, soon and without a crash.
#![allow(clippy::unwrap_used)]

use glrmask_grammar::{gbnf, language, lark, structural_tag, DiagnosticKind};
use proptest::prelude::*;

fn llm() -> lark::Options<'static> {
    lark::Options { profile: lark::Profile::Llm, ..lark::Options::default() }
}

fn lark_fails(text: &str) {
    for options in [lark::Options::default(), llm()] {
        let error = lark::parse(text, &options).map(|_| ()).unwrap_err();
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn hostile_lark() {
    let many = |part: &str, n: usize| part.repeat(n);
    let rule = |body: String| format!("start: {body}\n");
    lark_fails(&rule(many("(", 100_000)));
    lark_fails(&rule(many("[", 100_000) + "\"a\"" + &many("]", 100_000)));
    lark_fails(&rule(many("~", 100_000) + "A"));
    lark_fails(&rule(many("t{", 100_000)));
    lark_fails(&many("%json {", 50_000));
    lark_fails(&many("\u{0}§", 500_000));
    lark_fails(&many("start: \"a\"\n", 50_000));
    let doubling: String = (0..64).map(|i| format!("A{i}: A{} A{}\n", i + 1, i + 1)).collect();
    lark_fails(&format!("start: A0\n{doubling}A64: \"x\" \"y\"?\n"));
    lark_fails(&format!("start: A0\nA0: \"a\"? A{}\n", "0".repeat(1_000_000)));
    lark_fails(&rule(format!("/{}/", many("(", 100_000))));
    lark_fails("start: A\nA: \"a\" ~ 1000001\n");
    lark_fails(&"x".repeat((16 << 20) + 1));
    let nested = many("%lark { start: ", 1000) + "\"a\"" + &many(" }", 1000);
    assert!(lark::parse(&rule(nested), &llm()).is_err());
}

#[test]
fn long_lark_texts_are_read() {
    let rules: String = (0..20_000).map(|i| format!("r{i}: \"k{i}\" r{} |\n", i + 1)).collect();
    let words: String = (0..20_000).map(|i| format!("\"w{i}\" | ")).collect();
    for text in
        [format!("start: r0\n{rules}r20000: \"x\"\n"), format!("start: W {words} \"end\"\nW: {words} \"end\"\n")]
    {
        assert!(lark::parse(&text, &lark::Options::default()).is_ok());
    }
}

#[test]
fn hostile_gbnf() {
    let names = Default::default();
    let deep = |n: usize| format!("root ::= {}\"a\"{}", "(".repeat(n), ")".repeat(n));
    assert!(gbnf::parse(&deep(200), &names).is_ok());
    let error = gbnf::parse(&deep(100_000), &names).unwrap_err();
    assert_eq!(error.kind(), DiagnosticKind::Limit { limit: 200, given: 201 });
    for text in ["root ::= ".to_owned() + &"[".repeat(100_000), "\"".repeat(100_001), "::=".repeat(100_000)] {
        assert!(gbnf::parse(&text, &names).is_err());
    }
    assert!(gbnf::parse(&format!("root ::= \"a\"{}", "*".repeat(100_000)), &names).is_err());
}

#[test]
fn hostile_structural_tags() {
    let options = structural_tag::Options::default();
    let open = r#"{"type": "optional", "content": "#;
    let deep = open.repeat(100_000) + "1" + &"}".repeat(100_000);
    assert!(structural_tag::parse(&deep, &options).is_err());
    let excludes: Vec<String> = (0..200).map(|i| format!("\"{}\"", "ab".repeat(i + 1))).collect();
    let text = format!(r#"{{"type": "any_text", "excludes": [{}]}}"#, excludes.join(","));
    assert!(structural_tag::parse(&text, &options).is_ok());
    let huge = r#"{"type": "repeat", "min": 0, "max": 4294967295, "content": {"type": "const_string", "value": "x"}}"#;
    assert!(matches!(structural_tag::parse(huge, &options).unwrap_err().kind(), DiagnosticKind::Limit { .. }));
}

#[test]
fn many_choices_are_one_terminal() {
    let grammar = language::choices((0..100_000).map(|i| format!("choice number {i}"))).unwrap();
    assert_eq!(grammar.terminals.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_text_panics(text in "\\PC{0,80}") {
        let _ = lark::parse(&text, &llm());
        let _ = lark::parse(&text, &lark::Options::default());
        let _ = gbnf::parse(&text, &Default::default());
        let _ = structural_tag::parse(&text, &structural_tag::Options::default());
    }

    #[test]
    fn no_sequence_of_lark_tokens_panics(parts in proptest::collection::vec(
        prop::sample::select(vec![
            "start", "start: ", "a", "A", "A: ", "_b", ":", "|", "\n|", "\n", "(", ")", "[", "]", "{", "}", ",", "?", "*",
            "+", "~", "~ 2", "~ 1..3", "{2,}", "!", "->", "..", "\"a\"", "\"\"", "\"b\"i", "/a/", "/a.*?b/", "/(?=x)/i",
            "%import", "%ignore", "%declare", "common", ".INT", "%json {}", "%regex {}", "%lark {start: a}", "<t>", "<[1-2]>",
            "@g", "[lazy]", "[suffix=\"x\"]", "&", "// c\n", "#", "\\\n", ".2", "%llguidance {}", "t{a}", "t{x}: x",
        ]),
        0..40,
    )) {
        let text = parts.join(" ");
        let _ = lark::parse(&text, &llm());
        let _ = lark::parse(&text, &lark::Options::default());
    }

    #[test]
    fn no_sequence_of_gbnf_tokens_panics(parts in proptest::collection::vec(
        prop::sample::select(vec![
            "root", "root ::=", "a", "::=", "|", "(", ")", "[a-z]", "[^\\n]", "[", "\"a\"", "\"\\x4", ".", "*", "+", "?", "{2}",
            "{1,}", "{0,3}", "{", "\n", "\r\n", "#", "<[5]>", "<t>", "!", "-",
        ]),
        0..40,
    )) {
        let _ = gbnf::parse(&parts.join(" "), &Default::default());
    }
}
