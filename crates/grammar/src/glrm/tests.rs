//! GLRM: cases as data, round trips of random grammars, hostile texts.

use std::collections::BTreeSet;

use glrmask_automata::{Symbol, TerminalId};
use proptest::prelude::*;

use super::{parse, print};
use crate::ir::{Grammar, Pattern, SlotKind};
use crate::testing::{any_grammar, recognizes, reference_language, Word};

/// Grammar, accepted texts, rejected texts.
type Case = (&'static str, &'static [&'static str], &'static [&'static str]);

const CASES: &[Case] = &[
    ("start s; nt s = \"a\" \"b\"? | \"c\"+;", &["a", "ab", "c", "ccc"], &["", "b", "ac"]),
    ("nt start ::= (\"a\" | \"b\"){2} \"c\"{1,} \"d\"{0,2};", &["abc", "bbccdd"], &["ac", "abd", "abcddd"]),
    ("start s; nt s = eps | \"x\" s;", &["", "xxx"], &["y"]),
    (
        "start s; nt s = \",\" ~ (A? \"b\" [0-9]*) \"!\"; t A = \"a\";",
        &["b!", "a,b!", "b,1,2!", "a,b,3!"],
        &["!", "a!", "b,!"],
    ),
    ("start s; nt s = \",\" ~ (\"a\"{2} (\"b\"?));", &["aa,b", "aa,"], &["aa", "a,a,b"]),
    ("start s; nt s = \"Select\"i /[a-z]+/ ; ignore /\\s+/;", &["SELECT abc", " select x ", "selectx"], &["sel ect x"]),
    ("start s; nt s = ID; t ID = [a-z]+ - (\"if\" | \"else\");", &["i", "iff", "els"], &["if", "else", "X"]),
    ("start s; nt s = X; t X = /[a-c]+/ & /[b-d]+/;", &["b", "cb"], &["a", "d", "ab"]),
    ("start s; nt s = X; internal t D = [0-9]; t X = D{3} D?;", &["123", "1234"], &["12", "12345"]),
    ("start s; nt s = . \"\\u{e9}\" \"\\xc3\\xa9\" [^a-z] \"\\u00e9\";", &["xééÄé", "éééZé"], &["xééaé"]),
    ("start s; nt s = OPT \"a\"; t OPT = \" \"*;", &["a", "  a"], &[" ", "aa"]),
    ("start s; nt s = /a\\/b/ \"//\" /* \"x\" */ // \"y\"\n /É/i;", &["a/b//é", "a/b//É"], &["a/b//x"]),
    // The inner grammar sees none of the outer ignores, the outer one none of the inner.
    (
        "start s; ignore \" \"; nt s = \"<\" g \">\"; grammar g { start x; ignore \"_\"; nt x = \"a\" \"b\"; }",
        &["<ab>", " < _a__b_ > ", "<_ab>"],
        &["<a b>", "_<ab>", "< _ab _>"],
    ),
    ("start g; ignore \" \"; grammar g { start T; t T = \"a\"+; }", &["aa", " a "], &["a a a"]),
    ("start s; nt s = \"<\" [a-z] - [aeiou] & D \">\"; internal t D = [a-f];", &["<b>", "<f>"], &["<a>", "<g>"]),
    (
        "start s; nt s = X \"!\"; t X = \",\" ~ (\"a\"? \"b\"* \"c\"+ (\"d\"?));",
        &["a,b,b,c,c,d!", "c,!", "b,c,d!", "a,c,c,!"],
        &["c!", "a,b,d!", "a,a,c,!", "!"],
    ),
    (
        "start s; nt s = \"a\"+; ignore [ ]+ | COMMENT | \"/*\" TEXT* \"*/\"; t COMMENT = \"#\" [^\\n]*; internal t TEXT = [a-z];",
        &["aa", " a #x", "/*x*/a /**/ a"],
        &["/* a", "a #x\na"],
    ),
    ("start s; nt s = \"ab\" [c-e\\xff]; keywords off; lexer group g = \"ab\" | /a/; ", &["abc"], &["ab"]),
];

#[test]
fn cases() {
    for (text, accepted, rejected) in CASES {
        let grammar = parse(text).unwrap_or_else(|e| panic!("{text}\n{e}"));
        let again = parse(&print(&grammar)).unwrap_or_else(|e| panic!("{}\n{e}", print(&grammar)));
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
    ("start s", (1, 8), "expected `;`, the text ends"),
    ("nt s = \"a\";", (1, 1), "no start symbol"),
    ("start s; nt s = \"a;\n", (1, 17), "string without a closing quote"),
    ("start s; nt s = /a", (1, 17), "regular expression without a closing"),
    ("start s; nt s = /a(/;", (1, 19), "unclosed group"),
    ("start s; nt s = /\\bx/;", (1, 18), "\\b"),
    ("start s; nt s = /x/q;", (1, 17), "unknown flag `q`"),
    ("start s; nt s = \"\";", (1, 17), "empty string: write `eps`"),
    ("start s; nt s = \"\\q\";", (1, 18), "unknown escape `\\q`"),
    ("start s; nt s = \"a\"{3,2};", (1, 20), "upper bound is below"),
    ("start s; nt s = \"a\" x; t x = y;", (1, 30), "`y` is not a `t` rule"),
    ("start s; nt s = x; t x = s;", (1, 26), "`t` rules are regular"),
    ("start s; nt s = \"a\"; nt s = \"b\";", (1, 25), "`s` is defined twice"),
    ("start s; start s; nt s = \"a\";", (1, 16), "a second `start`"),
    ("start s; nt s = a; t a = \"x\" b; t b = a?;", (1, 22), "`t` rule `a` refers to itself"),
    ("start s; nt s = a; internal t a = \"x\";", (1, 17), "`a` is internal"),
    ("start s; nt s = s - \"b\";", (1, 17), "`s` is not a `t` rule"),
    ("start s; nt s = \"a\"; ignore s+;", (1, 29), "`s` is not a `t` rule"),
    ("start s; nt s = x; t x = \"a\" @mark(1);", (1, 30), "are events"),
    ("start s; nt s = @token(4-2);", (1, 23), "goes backwards"),
    ("start s; nt s = @token(0-4000000000);", (1, 23), "token ids of one atom: limit 1048576, given 4000000001"),
    ("start s; nt s = x; t x = \"a\" @token(1);", (1, 30), "are events"),
    ("start s; nt s = g; extern rule g;", (1, 27), "expected `grammar` or `token`"),
    ("start s; nt s = g; extern token g; extern grammar g;", (1, 51), "`g` is defined twice"),
    ("start s; nt s = g; grammar g { nt x = \"a\"; }", (1, 28), "no start symbol"),
    ("start s; nt s = \"a\"; ignore s;", (1, 29), "`s` is not a terminal"),
    ("start s;\nnt s = \"a\" ) \"b\";", (2, 12), "expected `;`, found `)`"),
    ("start s; nt s = \"a\"; /* open", (1, 22), "comment without"),
    ("start s; nt s = \"a\"; }", (1, 22), "expected a declaration, found `}`"),
    ("start s; nt eps = \"a\";", (1, 13), "cannot be a name"),
    ("start s; nt s = a b; t a = \"x\" ~ (\"y\");t b=[z-a];", (1, 45), "goes backwards"),
    ("start s; nt s = 99999999999999999999;", (1, 17), "number out of range"),
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
fn a_mistake_is_reported_once() {
    for text in ["start s; nt s = {3}; nt t = \"a\"{2}; nt s = ;", "start s; nt s = \"a\"{3; nt t = ; nt u = \"b\"{2};"]
    {
        let error = parse(text).expect_err(text);
        assert_eq!(error.diagnostics().count(), 2, "{error}");
    }
}

#[test]
fn all_mistakes_are_reported() {
    let error =
        parse("start s; nt s = a b c; t t = ; grammar g { nt ) } keywords on; nt x = {;").expect_err("four mistakes");
    assert_eq!(error.diagnostics().count(), 4, "{error}");
    let error = parse("start s; nt s = a b c; nt s = eps; t x = y z;").expect_err("six mistakes");
    assert_eq!(error.diagnostics().count(), 6, "{error}");
}

#[test]
fn hostile_texts_are_errors() {
    let many = |part: &str, n: usize| part.repeat(n);
    let in_rule = |body: String| format!("start s; nt s = {body};");
    let chain: String = (0..20_000).map(|i| format!("t a{i} = a{} \"x\"?;", i + 1)).collect();
    let doubling: String = (0..64).map(|i| format!("t a{i} = a{} a{};", i + 1, i + 1)).collect();
    let texts = [
        in_rule(many("(", 100_000)),
        in_rule(many("(", 100_000) + "\"a\"" + &many(")", 100_000)),
        in_rule("\"a\"".to_owned() + &many("*", 100_000)),
        in_rule("\"a\"".to_owned() + &many(" - \"a\"", 100_000)),
        in_rule(many("\"a\" ~ (", 100_000)),
        many("grammar g {", 100_000),
        many("\u{0}§", 500_000),
        many("}", 1_000_000),
        many("\"", 1_000_001),
        many("nt ", 300_000),
        "/*".to_owned() + &many("x", 1_000_000),
        in_rule(format!("/{}/", many("(", 100_000))),
        format!("start s; nt s = a0; {doubling} t a64 = \"x\";"),
        format!("start s; nt s = a0; {chain} t a20000 = a0;"),
        "x".repeat((16 << 20) + 1),
    ];
    for text in texts {
        assert!(parse(&text).is_err(), "{}", text.chars().take(50).collect::<String>());
    }
}

#[test]
fn long_texts_are_read() {
    let rules: String = (0..20_000).map(|i| format!("nt r{i} = \"k{i}\" r{} | eps;", i + 1)).collect();
    let long_choice: String = (0..20_000).map(|i| format!("\"w{i}\" | ")).collect();
    let chain: String = (0..400).map(|i| format!("t a{i} = a{} \"x\"?;", i + 1)).collect();
    for text in [
        format!("start r0; {rules} nt r20000 = eps;"),
        format!("start s; nt s = {long_choice} \"end\";"),
        format!("start s; nt s = a0; {chain} t a400 = \"y\";"),
    ] {
        assert!(parse(&text).is_ok_and(|g| !g.productions.is_empty()));
    }
}

/// The language by the letters of the terminals.
fn letters(grammar: &Grammar, max: usize) -> BTreeSet<Word> {
    let letter = |t: u8| match &grammar.terminals[TerminalId(t.into())].pattern {
        Pattern::Literal(bytes) => bytes[0] - b'a',
        _ => unreachable!("only literals here"),
    };
    reference_language(grammar, max).iter().map(|word| word.iter().map(|&t| letter(t)).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn reading_what_was_printed_gives_the_same_language(grammar in any_grammar()) {
        let text = print(&grammar);
        let read = parse(&text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        // A rule without productions is printed as the empty class, a terminal that matches nothing.
        let mut letters_only = read;
        let is_void = |s: &Symbol| {
            matches!(s, Symbol::Terminal(t) if matches!(letters_only.terminals[*t].pattern, Pattern::Regex(_)))
        };
        let productions = letters_only.productions.iter().filter(|p| !p.rhs.iter().any(is_void)).cloned().collect();
        letters_only.productions = productions;
        prop_assert_eq!(letters(&letters_only, 4), letters(&grammar, 4), "{}", text);
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,80}") {
        let _ = parse(&text);
    }

    #[test]
    fn no_sequence_of_tokens_panics(parts in proptest::collection::vec(
        prop::sample::select(vec![
            "start", "nt", "t", "internal", "grammar", "lexer", "group", "keywords", "off", "extern", "ignore", "s", "x",
            "eps", "=", "::=", ";", "|", "?", "*", "+", "{", "}", "{1,2}", "(", ")", "~", "&", "-", ".", ",", "@token(1)",
            "\"a\"", "\"a\"i", "[a-z]", "[^\\xff]", "/a/", "/", "//", "[", "\"", "\n", "7",
        ]),
        0..40,
    )) {
        let _ = parse(&parts.join(" "));
    }
}

#[test]
fn events_and_slots_are_kept() {
    let text = "start s; nt s = @mark(7) \"a\" @mark(7) T g @token(5, 2-4); extern token T; extern grammar g, h;";
    let error = parse(text).expect_err("one name per declaration");
    assert!(error.to_string().contains("expected `;`, found `,`"), "{error}");
    let text = "start s; nt s = @mark(7) \"a\" @mark(7) T g inner @token(5, 2-4); extern token T; extern grammar g; \
        extern token unused; grammar inner { start x; nt x = g y @mark(7); extern grammar g; nt y = \"y\"; }";
    let grammar = parse(text).expect("a grammar with open slots");
    let again = parse(&print(&grammar)).unwrap_or_else(|e| panic!("{}\n{e}", print(&grammar)));
    for grammar in [&grammar, &again] {
        let mut slots: Vec<_> = grammar.slots.iter().map(|s| (s.name.as_str(), s.kind, s.scope.0)).collect();
        slots.sort_by_key(|slot| (slot.2, slot.0));
        let (token, rule) = (SlotKind::Token, SlotKind::Grammar);
        assert_eq!(slots, [("T", token, 0), ("g", rule, 0), ("unused", token, 0), ("g", rule, 1)]);
        assert_eq!(grammar.marks.iter().map(|m| m.id).collect::<Vec<_>>(), [7, 7]);
        assert_eq!(grammar.marks.iter().map(|m| grammar.nonterminals[m.nonterminal].scope.0).max(), Some(1));
        let tokens = grammar.terminals.iter().any(|t| t.pattern == Pattern::ExactTokens(vec![2, 3, 4, 5]));
        assert!(tokens, "{}", print(grammar));
        let error = crate::normalize(grammar, &Default::default()).expect_err("open slots").to_string();
        assert!(error.contains("nothing is bound to the slot"), "{error}");
    }
    assert_eq!(grammar.slots.first().and_then(|s| s.span).map(|s| s.column), Some(78));
    assert_eq!(print(&again), print(&parse(&print(&again)).expect("printed text")));
}
