//! EBNF: cases as data, mistakes, hostile texts.

use proptest::prelude::*;

use super::parse;
use crate::glrm;
use crate::testing::recognizes;

/// Grammar, accepted texts, rejected texts.
type Case = (&'static str, &'static [&'static str], &'static [&'static str]);

const CASES: &[Case] = &[
    ("start ::= \"hello\" \" \" 'world'", &["hello world"], &["hello", "helloworld"]),
    ("a ::= b+ c?  # the first rule is the root\nb ::= 'x' | 'y'\nc ::= \"\\n\"", &["x", "xyx\n"], &["", "\n"]),
    ("x ::= 'x'\nroot ::= x x", &["xx"], &["x"]),
    ("root ::= start\nstart ::= 's'", &["s"], &["x"]),
    ("start ::= [a-z]* \"end\"", &["friend", "end", "endend"], &["frien"]),
    ("start ::= #x41 [#x42-#x44#xe9] #this is a comment\n 'z'", &["ABz", "Aéz"], &["AB", "AEz"]),
    ("start ::= (any - ('a' | [b-d]))*\nany ::= [^\\n]", &["", "xyz"], &["a", "xc", "\n"]),
    (
        "json-value ::= json-list | 'v' /* names may have dashes */ json-list ::= '[' json-value* ']'",
        &["v", "[v[v]]"],
        &["["],
    ),
    ("start ::= | 'a' () \"\" 'b'", &["", "ab"], &["a"]),
    ("start ::= Char- 'x'\nChar ::= [a-z]", &["a"], &["x"]),
];

#[test]
fn cases() {
    for (text, accepted, rejected) in CASES {
        let grammar = parse(text).unwrap_or_else(|e| panic!("{text}\n{e}"));
        assert!(!grammar.scopes.as_slice()[0].keywords);
        let printed = glrm::print(&grammar);
        let again = glrm::parse(&printed).unwrap_or_else(|e| panic!("{printed}\n{e}"));
        for grammar in [grammar, again] {
            for good in *accepted {
                assert!(recognizes(&grammar, good.as_bytes()), "{text} must accept {good:?}");
            }
            for bad in *rejected {
                assert!(!recognizes(&grammar, bad.as_bytes()), "{text} must reject {bad:?}");
            }
        }
    }
}

/// Text, line and column, part of the message.
const MISTAKES: &[(&str, (usize, usize), &str)] = &[
    ("", (1, 1), "there is no rule"),
    ("start = 'a'", (1, 7), "unexpected character `=`"),
    ("start ::= 'a' undefined", (1, 15), "`undefined` is not defined"),
    ("a ::= 'a'\na ::= 'b'", (2, 1), "`a` is defined twice"),
    ("a ::= 'a", (1, 7), "string without a closing quote"),
    ("a ::= ('a'", (1, 11), "expected `)`, the text ends"),
    ("a ::= 'a') b ::= 'b'", (1, 10), "expected the end of the rule, found `)`"),
    ("a ::= 'a' ::= 'b'", (1, 11), "without a rule name"),
    ("a ::= b - 'x'\nb ::= 'long'", (2, 7), "sets of single characters only"),
    ("a ::= b - 'x'\nb ::= b - 'y'", (2, 7), "nested too deeply or recursive"),
    ("a ::= #xD800", (1, 7), "U+D800 is not a Unicode scalar"),
];

#[test]
fn mistakes_are_precise() {
    for (text, (line, column), message) in MISTAKES {
        let error = parse(text).expect_err(text);
        let span = error.span().unwrap_or_default();
        assert!(error.to_string().contains(message), "{text}\n{error}");
        assert_eq!((span.line, span.column), (*line, *column), "{text}\n{error}");
    }
}

#[test]
fn hostile_texts_are_errors() {
    let doubling: String = (0..100).map(|i| format!("a{i} ::= a{} | a{} - 'q'\n", i + 1, i + 1)).collect();
    for text in [
        "a ::= ".to_owned() + &"(".repeat(100_000),
        "a ::= 'a'".to_owned() + &"*".repeat(100_000),
        "a ::= 'a'".to_owned() + &" - 'a'".repeat(100_000),
        "\u{0}$%".repeat(300_000),
        "::=".repeat(300_000),
        "'".repeat(1_000_001),
        format!("s ::= a0 - a1 {doubling}"),
    ] {
        assert!(parse(&text).is_err(), "{}", text.chars().take(50).collect::<String>());
    }
}

proptest! {
    #[test]
    fn no_sequence_of_tokens_panics(parts in proptest::collection::vec(
        prop::sample::select(vec![
            "start", "x", "::=", "|", "?", "*", "+", "(", ")", "-", "'a'", "\"a\"", "[a-z]", "#x41", "# c\n", "[", "'", "\n", "é", ";",
        ]),
        0..40,
    )) {
        let _ = parse(&parts.join(" "));
    }
}
