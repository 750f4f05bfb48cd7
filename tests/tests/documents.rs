//! JSON documents with rules of their own in other texts, beside all texts of small languages.
//!
//! The reference lists every text of the grammar without the rules, up to a length, keeps those that can be split such
//! that every document in them obeys its rules, and takes their prefixes: a token is allowed after a prefix exactly if both
//! together are one.

#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

use std::collections::BTreeSet;

use glrmask::{CompileOptions, ErrorKind, Grammar, PrepareOptions, Token};
use glrmask_compiler::Config;
use glrmask_json_schema::json::{self, Node, Value};
use glrmask_json_schema::{Limits, Options, PropertyOrder, Whitespace};
use glrmask_runtime::{Constraint, ConstraintState};
use glrmask_tests::engine;
use glrmask_tests::rng::Rng;
use glrmask_tests::texts::{pieces, single_bytes, texts};
use glrmask_vocab::{mask, TokenId, Vocab};

/// Items that differ, out of so few that they run out.
const FEW: &str =
    r#"{"type": "array", "items": {"enum": ["a", "b", "ab"]}, "uniqueItems": true, "minItems": 2, "maxItems": 4}"#;
/// The same, which may be empty.
const SOME: &str = r#"{"type": "array", "items": {"enum": ["a", "", true]}, "uniqueItems": true, "maxItems": 2}"#;
/// Members in any order, too many for the grammar.
const CROWDED: &str = r#"{"type": "object", "additionalProperties": false, "required": ["a", "b"],
    "properties": {"a": {"const": ""}, "b": {"const": ""}, "c": {"const": ""}}}"#;
/// A number, a string, or an array with a rule.
const MIXED: &str = r#"{"$schema": "http://json-schema.org/draft-04/schema#", "anyOf": [
    {"type": "integer", "minimum": 12, "maximum": 13}, {"enum": ["[1"]},
    {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 4}, "uniqueItems": true, "minItems": 1, "maxItems": 2}]}"#;

struct Case {
    source: &'static str,
    /// What is bound to the slots `x` and `y`.
    schemas: &'static [&'static str],
    /// Whether documents in the text can be found that obey.
    obeys: fn(&str) -> bool,
    longest: usize,
    /// Prefixes are trusted up to here.
    trusted: usize,
}

fn node(text: &str) -> Option<Node> {
    json::parse(text, 9).ok()
}

fn distinct(items: &[Node]) -> bool {
    (1..items.len()).all(|i| !items[..i].contains(&items[i]))
}

/// An array without equal items, or something else.
fn unique(text: &str) -> bool {
    node(text).is_some_and(|node| match &node.value {
        Value::Array(items) => distinct(items),
        _ => true,
    })
}

fn two_or_more(text: &str) -> bool {
    unique(text) && node(text).is_some_and(|node| matches!(&node.value, Value::Array(items) if items.len() > 1))
}

/// An object with `a` and `b`; equal keys are an error of the parser.
fn complete(text: &str) -> bool {
    node(text).is_some_and(|node| match &node.value {
        Value::Object(members) => members.contains_key("a") && members.contains_key("b"),
        _ => false,
    })
}

/// The text between two marks.
fn between<'t>(text: &'t str, first: &str, last: &str) -> Option<&'t str> {
    text.strip_prefix(first)?.strip_suffix(last)
}

fn splits(text: &str) -> impl Iterator<Item = (&str, &str)> {
    (0..=text.len()).filter_map(move |at| text.split_at_checked(at))
}

const CASES: [Case; 8] = [
    Case {
        source: r#"start s; extern grammar x; nt s = "<" x ">";"#,
        schemas: &[FEW],
        obeys: |text| between(text, "<", ">").is_some_and(two_or_more),
        longest: 30,
        trusted: 30,
    },
    Case {
        source: r#"start s; extern grammar x; nt s = "<" x ">";"#,
        schemas: &[CROWDED],
        obeys: |text| between(text, "<", ">").is_some_and(complete),
        longest: 24,
        trusted: 24,
    },
    // The next begins where one ends.
    Case {
        source: r#"start s; extern grammar x; nt s = x x;"#,
        schemas: &[SOME],
        obeys: |text| splits(text).any(|(first, second)| unique(first) && unique(second)),
        longest: 20,
        trusted: 20,
    },
    Case {
        source: r#"start s; extern grammar x; nt s = x | x "," s;"#,
        schemas: &[SOME],
        obeys: |text| {
            fn list(text: &str) -> bool {
                unique(text) || splits(text).any(|(a, b)| unique(a) && b.strip_prefix(',').is_some_and(list))
            }
            list(text)
        },
        longest: 14,
        trusted: 9,
    },
    // Where the document begins is in doubt: free text may look like one.
    Case {
        source: r#"start s; extern grammar x; t C = /["at,\[]/; nt s = x | C s;"#,
        schemas: &[SOME],
        obeys: |text| splits(text).any(|(_, last)| unique(last)),
        longest: 9,
        trusted: 4,
    },
    // Which of two documents it is, too.
    Case {
        source: r#"start s; extern grammar x; extern grammar y; nt s = x "!" | y "?";"#,
        schemas: &[SOME, r#"{"type": "array", "items": {"enum": ["a", "", true]}, "maxItems": 2}"#],
        obeys: |text| text.strip_suffix('!').is_some_and(unique) || text.ends_with('?'),
        longest: 12,
        trusted: 12,
    },
    // The same document in one of its own kind.
    Case {
        source: r#"start s; extern grammar x; nt s = x "(" s ")" | x;"#,
        schemas: &[SOME],
        obeys: |text| {
            fn nested(text: &str) -> bool {
                let inner = |(a, b)| unique(a) && between(b, "(", ")").is_some_and(nested);
                unique(text) || splits(text).any(inner)
            }
            nested(text)
        },
        longest: 14,
        trusted: 6,
    },
    // Numbers and strings have no rules, and may be several lexemes.
    Case {
        source: r#"start s; extern grammar x; nt s = x | x "," x;"#,
        schemas: &[MIXED],
        obeys: |text| unique(text) || splits(text).any(|(a, b)| unique(a) && b.strip_prefix(',').is_some_and(unique)),
        longest: 12,
        trusted: 12,
    },
];

/// So little is left to the grammar that the run time has to see to it.
fn options() -> Options {
    let limits = Limits { facts: 1, ..Limits::default() };
    let (whitespace, property_order) = (Whitespace::Compact, PropertyOrder::Any);
    Options { limits, whitespace, property_order, ..Options::default() }
}

fn bound(case: &Case) -> Grammar {
    let mut grammar = Grammar::from_glrm(case.source).unwrap();
    for (slot, schema) in ["x", "y"].into_iter().zip(case.schemas) {
        grammar.bind(slot, Grammar::from_json_schema_with(schema, &options()).unwrap()).unwrap();
    }
    grammar
}

/// Compiled part by part, as one grammar, from prepared parts, and saved.
fn constraints(case: &Case, vocab: &Vocab) -> Vec<Constraint> {
    let grammar = bound(case);
    let parts = grammar.compile(vocab, &CompileOptions::default()).unwrap();
    let plain = glrmask_compiler::compile(grammar.ir(), vocab, &Config::default()).unwrap();
    let options = PrepareOptions::default();
    let mut prepared = Grammar::from_glrm(case.source).unwrap().prepare(vocab, &options).unwrap();
    for (slot, schema) in ["x", "y"].into_iter().zip(case.schemas) {
        let child = Grammar::from_json_schema_with(schema, &self::options()).unwrap();
        prepared.bind(slot, child.prepare(vocab, &options).unwrap()).unwrap();
    }
    let linked = prepared.link(&CompileOptions::default()).unwrap();
    let saved = Constraint::load(&linked.save(false).unwrap(), None).unwrap();
    vec![parts, plain, linked, saved]
}

#[test]
fn masks_are_those_of_all_texts_whose_documents_obey() {
    for (number, case) in CASES.iter().enumerate() {
        let unruled = glrmask_grammar::Grammar { documents: Vec::new(), ..bound(case).ir().clone() };
        assert!(!bound(case).ir().documents.is_empty(), "{}: {:?}", case.source, case.schemas);
        let all = texts(&unruled, case.longest, usize::MAX).unwrap().unwrap();
        let valid: BTreeSet<&[u8]> = all.iter().filter(|text| (case.obeys)(text)).map(String::as_bytes).collect();
        assert!(!valid.is_empty() && valid.len() < all.len(), "{}", case.source);
        let prefixes: BTreeSet<&[u8]> = valid.iter().flat_map(|text| (0..=text.len()).map(|n| &text[..n])).collect();
        let trusted: Vec<&[u8]> = prefixes.iter().copied().filter(|u| u.len() <= case.trusted).collect();
        let mut rng = Rng::new(77 + number as u64);
        let vocab = pieces(&all, (300, 12), &mut rng).unwrap();
        for constraint in constraints(case, &vocab) {
            for _ in 0..60 {
                let text = *rng.pick(&trusted);
                check(&constraint, text, (&prefixes, &valid), &mut rng, case);
            }
        }
    }
}

fn check(
    constraint: &Constraint,
    text: &[u8],
    (prefixes, valid): (&BTreeSet<&[u8]>, &BTreeSet<&[u8]>),
    rng: &mut Rng,
    case: &Case,
) {
    let show = format!("{} in {}", String::from_utf8_lossy(text), case.source);
    let mut state = constraint.start();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, more) = rest.split_at(rng.between(1, rest.len().min(9)));
        state.commit_bytes(piece).unwrap_or_else(|error| panic!("{show}: {error}"));
        rest = more;
    }
    assert_eq!(state.is_accepting(), valid.contains(text), "{show}");
    let mut words = vec![u32::MAX; constraint.mask_words()];
    state.fill_mask(&mut words).unwrap();
    let mut known = vec![0; words.len()];
    if state.fill_mask_if_ready(&mut known).unwrap() {
        assert_eq!(known, words, "{show}");
    }
    for (id, token) in constraint.vocab().iter() {
        let both = [text, token].concat();
        if both.len() > case.trusted.max(text.len() + 1) {
            continue;
        }
        let expected = prefixes.contains(&both[..]);
        assert_eq!(mask::get(&words, id), expected, "{:?} after {show}", String::from_utf8_lossy(token));
        if rng.chance(10) {
            commit(&state, id, expected);
        }
    }
    if rng.chance(20) {
        complete_it(&state, text, valid, &show);
    }
}

/// Every way to commit a token agrees with the mask, and can be undone.
fn commit(state: &ConstraintState, id: TokenId, expected: bool) {
    let mut next = state.clone();
    assert_eq!(next.commit_token(id).is_ok(), expected);
    assert_eq!(next.is_rejected(), !expected);
    assert_eq!(state.validate_tokens(&[id]).unwrap(), usize::from(expected));
    let explanation = state.explain(id).unwrap();
    assert_eq!(explanation.allowed, expected);
    next.rollback(1).unwrap();
    assert_eq!(engine::allowed(&next).unwrap(), engine::allowed(state).unwrap());
}

/// The shortest completion is as long as that of the texts, where no members are missing that are written one by one.
fn complete_it(state: &ConstraintState, text: &[u8], valid: &BTreeSet<&[u8]>, show: &str) {
    let found = state.shortest_completion().unwrap().unwrap_or_else(|| panic!("{show}: none"));
    let shortest = valid.iter().filter_map(|other| other.strip_prefix(text)).map(<[u8]>::len).min();
    let whole = [text, &found].concat();
    assert!(valid.contains(&whole[..]), "{show}: {}", String::from_utf8_lossy(&whole));
    let is_shortest = Some(found.len()) == shortest;
    assert!(is_shortest || whole.contains(&b'{'), "{show}: {}", String::from_utf8_lossy(&whole));
    let tokens = state.shortest_completion_tokens().unwrap().unwrap().tokens;
    let mut last = state.clone();
    last.commit_tokens(&tokens).unwrap();
    assert!(last.is_accepting(), "{show}");
}

#[test]
fn documents_stand_in_lark_grammars_and_structural_tags() {
    let lark = format!("start: \"<\" doc \">\" doc\ndoc: %json {FEW}");
    let lark_options = glrmask::LarkOptions { profile: glrmask::LarkProfile::Llm, ..Default::default() };
    let tag = format!(
        r#"{{"type": "triggered_tags", "triggers": ["<f"], "tags": [
            {{"begin": "<f>", "content": {{"type": "json_schema", "json_schema": {FEW}}}, "end": "</f>"}}]}}"#
    );
    let lark = Grammar::from_lark_with(&lark, &lark_options).unwrap();
    let tag = Grammar::from_structural_tag(&tag).unwrap();
    let spelled = |a: &str, b: &str| format!(r#"["{a}", "{b}"]"#);
    for (grammar, text) in [
        (
            lark,
            &(|a: &str, b: &str| format!("<{}>{}", spelled("b", "a"), spelled(a, b))) as &dyn Fn(&str, &str) -> String,
        ),
        (tag, &|a: &str, b: &str| format!("[1, 1] <f>{}</f> [1, 1] <f>{}</f>", spelled("a", "b"), spelled(a, b))),
    ] {
        let constraint = grammar.compile(&single_bytes().unwrap(), &CompileOptions::default()).unwrap();
        for (a, b) in [("a", "b"), ("b", "a"), ("a", "a"), ("b", "b")] {
            let mut state = constraint.start();
            let committed = state.commit_bytes(text(a, b).as_bytes());
            assert_eq!(committed.is_ok() && state.is_accepting(), a != b, "{}: {committed:?}", text(a, b));
        }
    }
}

#[test]
fn an_event_may_follow_a_document() {
    let source = r#"start s; extern grammar x; extern token end; nt s = (x end)+;"#;
    let mut grammar = Grammar::from_glrm(source).unwrap();
    grammar.bind("x", Grammar::from_json_schema_with(CROWDED, &options()).unwrap()).unwrap();
    grammar.bind("end", Token::new(TokenId(256))).unwrap();
    let tokens = (0..=255u8).map(|byte| vec![byte]).chain([b"\",".to_vec(), b"{\"a\":\"\"}".to_vec()]);
    let vocab = Vocab::new((0..).map(TokenId).zip(tokens)).unwrap();
    let constraint = grammar.compile(&vocab, &CompileOptions::default()).unwrap();
    let mut state = constraint.start();
    let allowed = |state: &ConstraintState, id: u32| engine::allowed(state).unwrap().contains(&id);
    assert!(!allowed(&state, 257), "a member is missing");
    state.commit_bytes(br#"{"a":"""#).unwrap();
    assert!(!allowed(&state, u32::from(b'}')) && allowed(&state, u32::from(b',')));
    let completion = state.shortest_completion_tokens().unwrap().unwrap();
    state.commit_tokens(&completion.tokens).unwrap();
    assert!(state.is_accepting(), "{completion:?}");
    assert!(!allowed(&state, 257) && allowed(&state, u32::from(b'{')));
}

#[test]
fn what_could_go_on_into_a_document_is_refused() {
    let source = r#"start s; extern grammar x; t W = /a(\["[^"]|\["", "[^"])?/; nt s = W x;"#;
    let mut grammar = Grammar::from_glrm(source).unwrap();
    let schema = r#"{"type": "array", "items": {"type": "string"}, "uniqueItems": true, "minItems": 2}"#;
    grammar.bind("x", Grammar::from_json_schema(schema).unwrap()).unwrap();
    let error = grammar.compile(&single_bytes().unwrap(), &CompileOptions::default()).unwrap_err();
    assert!(error.to_string().contains("the lexeme W before it may go on into it"), "{error}");
    // Across another lexeme as well.
    let source = r#"start s; extern grammar x; t W = /a+(-[^]*)?/; nt s = W "-" x;"#.replace("[^]", r"[^\n]");
    let mut grammar = Grammar::from_glrm(&source).unwrap();
    grammar.bind("x", Grammar::from_json_schema(schema).unwrap()).unwrap();
    assert!(grammar.compile(&single_bytes().unwrap(), &CompileOptions::default()).is_err());
    // It is fine if what stands between ends it.
    let source = r#"start s; extern grammar x; t W = /[^<]+/; nt s = W "<" x;"#;
    let mut grammar = Grammar::from_glrm(source).unwrap();
    grammar.bind("x", Grammar::from_json_schema(schema).unwrap()).unwrap();
    assert!(grammar.compile(&single_bytes().unwrap(), &CompileOptions::default()).is_ok());
}

/// Where it takes too many steps to tell, that is a limit and not something unsupported.
#[test]
fn too_many_ways_into_a_document_are_a_limit() {
    let source = r#"start s; extern grammar x; t A = /a([a-z]{700}!)?/; t B = /[a-z]{1,700}/; nt s = A B* "," x;"#;
    let mut grammar = Grammar::from_glrm(source).unwrap();
    let schema = r#"{"type": "array", "items": {"type": "string"}, "uniqueItems": true}"#;
    grammar.bind("x", Grammar::from_json_schema(schema).unwrap()).unwrap();
    let error = grammar.compile(&single_bytes().unwrap(), &CompileOptions::default()).unwrap_err();
    assert!(error.to_string().contains("pairs of states"), "{error}");
    let ErrorKind::Compile(error) = error.kind() else { panic!("{error}") };
    assert_eq!((error.is_unsupported(), error.numbers()), (false, Some((200_001, 200_000))));
}

/// Alternatives of one place that do not agree about unique items: the value that has the rule is a document.
#[test]
fn alternatives_that_disagree_beside_all_texts() {
    let schema = r#"{"type": "object", "additionalProperties": false, "required": ["x"], "properties": {
            "k": {"enum": ["", "z"]}, "x": {"type": "array", "items": {"enum": ["a", "b", "ab"]}, "maxItems": 2},
            "l": {"enum": ["", "z"]}},
        "anyOf": [{"properties": {"x": {"uniqueItems": true}}}, {"properties": {"k": {"const": "z"}}, "required": ["k"]},
            {"properties": {"l": {"const": "z"}}, "required": ["l"]}]}"#;
    let member = |node: &Node, key: &str| match &node.value {
        Value::Object(members) => members.get(key).map(|value| value.value.clone()),
        _ => None,
    };
    let obeys = |text: &str| {
        let node = node(text).unwrap();
        let is_z = |key| matches!(member(&node, key), Some(Value::String(z)) if z == "z");
        let is_unique = matches!(member(&node, "x"), Some(Value::Array(items)) if distinct(&items));
        is_unique || is_z("k") || is_z("l")
    };
    let options = Options { property_order: PropertyOrder::Schema, ..options() };
    let grammar = Grammar::from_json_schema_with(schema, &options).unwrap();
    assert!(grammar.warnings().is_empty() && !grammar.ir().documents.is_empty());
    let all = texts(&glrmask_grammar::Grammar { documents: Vec::new(), ..grammar.ir().clone() }, 60, usize::MAX)
        .unwrap()
        .unwrap();
    let valid: BTreeSet<&[u8]> = all.iter().filter(|text| obeys(text)).map(String::as_bytes).collect();
    assert!(!valid.is_empty() && valid.len() < all.len());
    let prefixes: BTreeSet<&[u8]> = valid.iter().flat_map(|text| (0..=text.len()).map(|n| &text[..n])).collect();
    let chosen: Vec<&[u8]> = prefixes.iter().copied().collect();
    let mut rng = Rng::new(5);
    let vocab = pieces(&all, (300, 12), &mut rng).unwrap();
    let constraint = grammar.compile(&vocab, &CompileOptions::default()).unwrap();
    let case = Case { source: "", schemas: &[], obeys: |_| true, longest: 60, trusted: 60 };
    for _ in 0..200 {
        let text = *rng.pick(&chosen);
        check(&constraint, text, (&prefixes, &valid), &mut rng, &case);
    }
}
