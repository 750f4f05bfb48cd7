//! Unique items and distinct keys at run time, beside all texts of small languages and along random walks.
//!
//! The reference lists every text of the grammar without the rules, up to a length, keeps those that obey the rules, and
//! takes their prefixes: a token is allowed after a prefix exactly if both together are one.

#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

use std::collections::BTreeSet;

use glrmask_compiler::Config;
use glrmask_grammar::Grammar;
use glrmask_json_schema::json::{self, Node, Value};
use glrmask_json_schema::{compile, Escapes, Limits, Options, PropertyOrder, Whitespace};
use glrmask_runtime::{CommitError, Constraint, ConstraintState};
use glrmask_tests::engine;
use glrmask_tests::rng::Rng;
use glrmask_tests::texts::{pieces, single_bytes, texts};
use glrmask_vocab::{mask, TokenId, Vocab};

/// Whether a value obeys rules.
type Check = fn(&Node) -> bool;

/// A schema, whether a value obeys its rules, and the longest texts that are listed. Where the language goes on beyond,
/// prefixes are trusted up to `trusted` bytes.
struct Case {
    schema: &'static str,
    obeys: Check,
    longest: usize,
    trusted: usize,
}

const fn finite(schema: &'static str, obeys: Check) -> Case {
    Case { schema, obeys, longest: 200, trusted: 200 }
}

fn distinct(items: &[Node]) -> bool {
    (1..items.len()).all(|i| !items[..i].contains(&items[i]))
}

/// No array anywhere has an item twice.
fn everywhere(node: &Node) -> bool {
    match &node.value {
        Value::Array(items) => distinct(items) && items.iter().all(everywhere),
        Value::Object(members) => members.values().all(everywhere),
        _ => true,
    }
}

/// The root has no item twice.
fn outside(node: &Node) -> bool {
    matches!(&node.value, Value::Array(items) if distinct(items))
}

/// Nor has any of its items, whatever the root has.
fn inside(node: &Node) -> bool {
    matches!(&node.value, Value::Array(items) if items.iter().all(outside))
}

/// The member `x` of the root has no item twice.
fn under_x(node: &Node) -> bool {
    matches!(&node.value, Value::Object(members) if members.get("x").is_none_or(outside))
}

fn has(node: &Node, key: &str) -> bool {
    matches!(&node.value, Value::Object(members) if members.contains_key(key))
}

fn has_a(node: &Node) -> bool {
    has(node, "a")
}

fn has_a_and_ab(node: &Node) -> bool {
    has(node, "a") && has(node, "ab")
}

/// Different objects with `a` and `b`.
fn pairs(node: &Node) -> bool {
    let complete = |item: &Node| has(item, "a") && has(item, "b");
    matches!(&node.value, Value::Array(items) if distinct(items) && items.iter().all(complete))
}

/// Keys are distinct if it can be parsed at all.
fn any(_: &Node) -> bool {
    true
}

const CASES: [Case; 14] = [
    finite(
        r#"{"type": "array", "items": {"enum": ["a", "ab", "b", "ba\"", ""]}, "uniqueItems": true, "maxItems": 3}"#,
        everywhere,
    ),
    finite(
        r#"{"type": "array", "items": {"enum": ["a", "ab", "b"]}, "uniqueItems": true, "minItems": 2, "maxItems": 4}"#,
        everywhere,
    ),
    finite(
        r#"{"$schema": "http://json-schema.org/draft-04/schema#", "type": "array", "uniqueItems": true, "minItems": 1, "maxItems": 3,
            "items": {"type": "integer", "minimum": -1, "maximum": 12}}"#,
        everywhere,
    ),
    finite(
        r#"{"type": "array", "uniqueItems": true, "maxItems": 3, "items": {"type": "object", "additionalProperties": false,
            "properties": {"a": {"enum": [null, "x"]}, "b": {"enum": ["x", "xy"]}}}}"#,
        everywhere,
    ),
    finite(
        r#"{"type": "array", "uniqueItems": true, "maxItems": 2, "items": {"type": "array", "uniqueItems": true, "maxItems": 2,
            "items": {"enum": ["x", true, "y"]}}}"#,
        everywhere,
    ),
    finite(
        r#"{"type": "array", "uniqueItems": true, "maxItems": 3, "items": {"type": "array", "maxItems": 2, "items": {"enum": ["x", true]}}}"#,
        outside,
    ),
    finite(
        r#"{"type": "array", "maxItems": 2, "items": {"type": "array", "uniqueItems": true, "maxItems": 3, "items": {"enum": ["x", false, "xx"]}}}"#,
        inside,
    ),
    finite(
        r#"{"type": "object", "additionalProperties": false, "required": ["y"], "properties": {
            "x": {"type": "array", "uniqueItems": true, "maxItems": 3, "items": {"enum": ["x", "xx", null]}},
            "y": {"type": "array", "maxItems": 2, "items": {"enum": ["x", "xx"]}}}}"#,
        under_x,
    ),
    finite(
        r#"{"type": "array", "uniqueItems": true, "minItems": 3, "maxItems": 4, "items": {"enum": ["c", "d", "cd", "e", "f"]},
            "prefixItems": [{"enum": ["c", "cd"]}, {"enum": ["cd", "c"]}]}"#,
        everywhere,
    ),
    Case {
        schema: r#"{"type": "array", "uniqueItems": true, "items": {"type": "string", "pattern": "^a*$"}}"#,
        obeys: everywhere,
        longest: 22,
        trusted: 12,
    },
    Case {
        schema: r#"{"type": "object", "minProperties": 2, "maxProperties": 3, "additionalProperties": false,
                    "patternProperties": {"^b*$": {"const": 1}}}"#,
        obeys: any,
        longest: 34,
        trusted: 18,
    },
    Case {
        schema: r#"{"type": "object", "additionalProperties": false, "required": ["a", "ab"],
                    "properties": {"a": {"const": true}, "ab": {"enum": [true, "}"]}, "c": {"const": null}}}"#,
        obeys: has_a_and_ab,
        longest: 30,
        trusted: 30,
    },
    Case {
        schema: r#"{"anyOf": [{"type": "object", "additionalProperties": false, "required": ["a", "ab"],
                    "properties": {"a": {"const": true}, "ab": {"const": true}, "c": {"const": true}}},
                    {"type": "object", "additionalProperties": false, "required": ["a", "x"],
                    "properties": {"a": {"const": null}, "x": {"const": true}, "z": {"const": true}}}]}"#,
        obeys: has_a,
        longest: 30,
        trusted: 30,
    },
    Case {
        schema: r#"{"$schema": "http://json-schema.org/draft-04/schema#", "type": "array", "uniqueItems": true, "maxItems": 2,
                    "items": {"type": "object", "additionalProperties": false, "required": ["a", "b"], "properties": {
                    "a": {"type": "integer", "minimum": 1, "maximum": 2}, "b": {"type": "integer", "minimum": 1, "maximum": 2},
                    "c": {"type": "integer", "minimum": 1, "maximum": 1}}}}"#,
        obeys: pairs,
        longest: 36,
        trusted: 20,
    },
];

/// So few sets of items that the grammar leaves them to the run time.
fn options() -> Vec<Options> {
    let limits = Limits { facts: 1, ..Limits::default() };
    let plain = Options { limits, ..Options::default() };
    let compact = Options { whitespace: Whitespace::Compact, ..plain.clone() };
    let spelled = Options { escapes: Escapes::Any, ..compact.clone() };
    let ordered = Limits { facts: 4, ..Limits::default() };
    vec![plain, Options { property_order: PropertyOrder::Any, limits: ordered, ..compact.clone() }, spelled]
}

fn words(state: &ConstraintState) -> Vec<u32> {
    let mut words = vec![u32::MAX; state.constraint().mask_words()];
    state.fill_mask(&mut words).unwrap();
    words
}

#[test]
fn masks_are_those_of_all_texts_that_obey() {
    let mut compared = 0;
    for (number, case) in CASES.iter().enumerate() {
        for (which, options) in options().iter().enumerate() {
            let compiled = compile(case.schema, options).unwrap();
            assert!(compiled.grammar.instance.is_some() || compiled.warnings.is_empty(), "{}", case.schema);
            if compiled.grammar.instance.is_none() {
                // Another order or spelling can make the grammar do it.
                continue;
            }
            let mut rng = Rng::new(31 * number as u64 + which as u64);
            let unruled = Grammar { instance: None, ..compiled.grammar.clone() };
            let Some(all) = texts(&unruled, case.longest, 30_000).unwrap() else { continue };
            compared += 1;
            let valid: BTreeSet<&[u8]> = all
                .iter()
                .filter(|text| json::parse(text, 9).is_ok_and(|node| (case.obeys)(&node)))
                .map(String::as_bytes)
                .collect();
            assert!(!valid.is_empty() && valid.len() < all.len(), "{}", case.schema);
            let prefixes: BTreeSet<&[u8]> =
                valid.iter().flat_map(|text| (0..=text.len()).map(|n| &text[..n])).collect();
            let vocab = pieces(&all, (200, 9), &mut rng).unwrap();
            let constraint = glrmask_compiler::compile(&compiled.grammar, &vocab, &Config::default()).unwrap();
            let constraint = match which {
                0 => constraint,
                _ => Constraint::load(&constraint.save(false).unwrap(), None).unwrap(),
            };
            let trusted: Vec<&[u8]> = prefixes.iter().copied().filter(|u| u.len() <= case.trusted).collect();
            for _ in 0..150 {
                let text = *rng.pick(&trusted);
                check(&constraint, text, &prefixes, &valid, &mut rng, case);
            }
        }
    }
    assert!(compared > 24, "{compared}");
}

fn check(
    constraint: &Constraint,
    text: &[u8],
    prefixes: &BTreeSet<&[u8]>,
    valid: &BTreeSet<&[u8]>,
    rng: &mut Rng,
    case: &Case,
) {
    let show = String::from_utf8_lossy(text);
    let mut state = constraint.start();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, more) = rest.split_at(rng.between(1, rest.len().min(9)));
        state.commit_bytes(piece).unwrap_or_else(|error| panic!("{show} in {}: {error}", case.schema));
        rest = more;
    }
    assert_eq!(state.is_accepting(), valid.contains(text), "{show} in {}", case.schema);
    let words = words(&state);
    let mut known = vec![0; words.len()];
    if state.fill_mask_if_ready(&mut known).unwrap() {
        assert_eq!(known, words);
    }
    for (id, token) in constraint.vocab().iter() {
        let both = [text, token].concat();
        if both.len() > case.trusted.max(text.len() + 1) {
            continue;
        }
        let expected = prefixes.contains(&both[..]);
        let shown = String::from_utf8_lossy(token);
        assert_eq!(mask::get(&words, id), expected, "{shown:?} after {show} in {}", case.schema);
        if rng.chance(10) {
            commit(&state, id, expected);
        }
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
    let mut ready = state.clone();
    match ready.commit_token_if_ready(id) {
        Some(result) => assert_eq!(result.is_ok(), expected),
        None => assert_eq!(engine::allowed(&ready).unwrap(), engine::allowed(state).unwrap()),
    }
    next.rollback(1).unwrap();
    assert_eq!(engine::allowed(&next).unwrap(), engine::allowed(state).unwrap());
}

/// Schemas with infinitely many texts.
const WALKED: [(&str, Check); 5] = [
    (
        r#"{"type": "array", "items": {"type": "string", "maxLength": 4}, "uniqueItems": true, "minItems": 3}"#,
        everywhere,
    ),
    (r#"{"type": "array", "items": {"type": "number"}, "uniqueItems": true, "minItems": 5}"#, everywhere),
    (
        r#"{"type": "array", "uniqueItems": true, "minItems": 3, "items": {"type": "object", "additionalProperties": false,
            "properties": {"id": {"type": "integer"}, "on": {"type": "boolean"}}, "required": ["id", "on"]}}"#,
        everywhere,
    ),
    (
        r#"{"type": "array", "items": {"type": ["array", "integer"], "items": {"type": "integer"}, "uniqueItems": true}, "uniqueItems": true}"#,
        everywhere,
    ),
    (r#"{"type": "object", "minProperties": 4, "additionalProperties": {"type": "integer"}}"#, any),
];

#[test]
fn random_walks_are_never_stuck() {
    let pieces = [
        "\"",
        "\", \"",
        "a",
        "ab",
        "[",
        "[[",
        "]",
        "]]",
        ", ",
        ", [",
        "1",
        "10",
        "0",
        "1.0",
        "1e0",
        "-",
        "{\"id\": ",
        "}, {\"id\": ",
        "1, \"on\": ",
        "true",
        "false",
        "}",
        "}]",
        "\\u0061",
        "\": 1, \"",
        "{\"",
        "\": ",
    ];
    let tokens: BTreeSet<Vec<u8>> =
        (0..=255u8).map(|b| vec![b]).chain(pieces.iter().map(|piece| piece.as_bytes().to_vec())).collect();
    let vocab = Vocab::new((0..).map(TokenId).zip(tokens)).unwrap();
    for (number, (schema, obeys)) in WALKED.iter().enumerate() {
        let compiled = compile(schema, &Options::default()).unwrap();
        let constraint = glrmask_compiler::compile(&compiled.grammar, &vocab, &Config::default()).unwrap();
        let mut rng = Rng::new(7 + number as u64);
        for _ in 0..60 {
            let mut state = constraint.start();
            let mut text = Vec::new();
            for _ in 0..rng.between(1, 60) {
                let ids: Vec<TokenId> = mask::iter(&words(&state)).collect();
                if ids.is_empty() {
                    assert!(state.is_accepting(), "stuck in {}", String::from_utf8_lossy(&text));
                    break;
                }
                // Longer tokens are rare among single bytes.
                let long: Vec<TokenId> = ids.iter().copied().filter(|id| vocab.bytes(*id).unwrap().len() > 1).collect();
                let chosen = if long.is_empty() || rng.chance(30) { &ids } else { &long };
                let id = *rng.pick(chosen);
                state.commit_token(id).unwrap();
                text.extend(vocab.bytes(id).unwrap());
            }
            let rest = state.shortest_completion().unwrap().unwrap();
            let tokens = state.shortest_completion_tokens().unwrap().unwrap().tokens;
            assert_eq!(state.validate_tokens(&tokens).unwrap(), tokens.len());
            let by_tokens: Vec<u8> = tokens.iter().flat_map(|&id| vocab.bytes(id).unwrap().to_vec()).collect();
            state.commit_bytes(&rest).unwrap();
            assert!(state.is_accepting());
            for end in [rest, by_tokens] {
                let whole = String::from_utf8([&text[..], &end].concat()).unwrap();
                assert!(json::parse(&whole, 99).is_ok_and(|node| obeys(&node)), "{whole}");
            }
        }
    }
}

#[test]
fn completions_close_what_compact_text_leaves_open() {
    let options = Options { whitespace: Whitespace::Compact, ..Options::default() };
    let schema = r#"{"type": "array", "minItems": 3, "uniqueItems": true,
        "items": {"type": "array", "minItems": 1, "items": {"type": "integer"}}}"#;
    let compiled = compile(schema, &options).unwrap();
    let constraint =
        glrmask_compiler::compile(&compiled.grammar, &single_bytes().unwrap(), &Config::default()).unwrap();
    for (text, length) in [("[[0],[1", 6), ("[[0],[", 7), ("", 13)] {
        let mut state = constraint.start();
        state.commit_bytes(text.as_bytes()).unwrap();
        let rest = state.shortest_completion().unwrap().unwrap();
        assert_eq!(rest.len(), length, "{text}{}", String::from_utf8_lossy(&rest));
        state.commit_bytes(&rest).unwrap();
        assert!(state.is_accepting());
    }
}

/// No search for a completion could try the orders of so many members.
#[test]
fn completions_write_the_members_that_are_missing() {
    let member = |i: usize| format!(r#""k{i}": {{"type": "array", "items": {{"type": "number"}}, "minItems": 1}}"#);
    let members: Vec<String> = (0..40).map(member).collect();
    let required: Vec<String> = (0..30).map(|i| format!("\"k{i}\"")).collect();
    let schema = format!(
        r#"{{"type": "object", "properties": {{{}, "in": {{"$ref": "\u0023"}}}}, "required": [{}]}}"#,
        members.join(", "),
        required.join(", ")
    );
    for whitespace in [Whitespace::Spaced, Whitespace::Compact, Whitespace::Flexible] {
        let options = Options { whitespace, property_order: PropertyOrder::Any, ..Options::default() };
        let compiled = compile(&schema, &options).unwrap();
        let constraint =
            glrmask_compiler::compile(&compiled.grammar, &single_bytes().unwrap(), &Config::default()).unwrap();
        for text in ["", "{\"k3", "{\"x\":", "{\"in\":{\"k0\":[1"] {
            let mut state = constraint.start();
            let text = if whitespace == Whitespace::Spaced { text.replace(':', ": ") } else { text.to_owned() };
            state.commit_bytes(text.as_bytes()).unwrap();
            let rest = state.shortest_completion().unwrap().unwrap();
            let whole = String::from_utf8([text.as_bytes(), &rest].concat()).unwrap();
            state.commit_bytes(&rest).unwrap();
            assert!(state.is_accepting(), "{whole}");
            let node = json::parse(&whole, 9).unwrap();
            assert!((0..30).all(|i| has(&node, &format!("k{i}"))), "{whole}");
        }
    }
}

/// The way out is farther than the search has questions, but there is only one.
#[test]
fn a_long_way_out_without_a_choice_is_found() {
    let long = "x".repeat(3000);
    let schema = format!(
        r#"{{"type": "array", "uniqueItems": true, "items": {{"type": "string", "pattern": "^{long}[0-9]+$"}}}}"#
    );
    let compiled = compile(&schema, &Options::default()).unwrap();
    let constraint =
        glrmask_compiler::compile(&compiled.grammar, &single_bytes().unwrap(), &Config::default()).unwrap();
    let mut state = constraint.start();
    state.commit_bytes(format!("[\"{long}1\", \"").as_bytes()).unwrap();
    for byte in long.bytes() {
        assert_eq!(mask::iter(&words(&state)).collect::<Vec<_>>(), [TokenId(byte.into())]);
        state.commit_token(TokenId(byte.into())).unwrap();
    }
    state.commit_bytes(b"1").unwrap();
    assert!(!mask::iter(&words(&state)).any(|id| id == TokenId(b'"'.into())));
    state.commit_bytes(b"2\"]").unwrap();
    assert!(state.is_accepting());
}

#[test]
fn a_rule_is_explained() {
    let vocab =
        Vocab::new((0..).map(TokenId).zip(["[", "]", ", ", "1", "\"a\"", "\"b\"", ", \"a\"", ", 1.0]"])).unwrap();
    let compiled = compile(r#"{"type": "array", "uniqueItems": true}"#, &Options::default()).unwrap();
    let constraint = glrmask_compiler::compile(&compiled.grammar, &vocab, &Config::default()).unwrap();
    let mut state = constraint.start();
    for id in [0, 4, 2, 3] {
        state.commit_token(TokenId(id)).unwrap();
    }
    let text = state.explain(TokenId(6)).unwrap().to_string();
    assert!(text.contains("is not allowed") && text.contains("\"a\" is in the array already"), "{text}");
    let text = state.explain(TokenId(7)).unwrap().to_string();
    assert!(text.contains("1 is in the array already"), "{text}");
    assert_eq!(state.clone().commit_bytes(b", 1.0]"), Err(CommitError::ForbiddenBytes(5)));
    assert_eq!(state.commit_token(TokenId(6)), Err(CommitError::ForbiddenToken(TokenId(6))));
    assert!(state.is_rejected());
}
