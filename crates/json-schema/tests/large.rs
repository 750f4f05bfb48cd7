//! Schemas with many alike parts, which must not multiply: presence of one key out of many, many kinds of objects told
//! apart by a key that may be absent, many key patterns.

#![allow(clippy::unwrap_used)]

mod support;

use glrmask_json_schema::{compile, Category, Options};
use support::Recognizer;

fn recognizer(schema: &str) -> Recognizer {
    Recognizer::new(&compile(schema, &Options::default()).unwrap_or_else(|error| panic!("{schema}: {error}")).grammar)
        .unwrap()
}

fn joined(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(", ")
}

/// `oneOf` of n branches, each of which wants its own key with a value of its own.
#[test]
fn exactly_one_key_out_of_many() {
    let branch =
        |i| format!(r#"{{"properties": {{"k{i}": {{"type": "integer", "minimum": {i}}}}}, "required": ["k{i}"]}}"#);
    let schema = format!(r#"{{"type": "object", "oneOf": [{}]}}"#, joined(26, branch));
    let recognizer = recognizer(&schema);
    for good in
        [r#"{"k3": 3}"#, r#"{"k25": 30}"#, r#"{"k4": 3, "k5": 5}"#, r#"{"k3": 9, "z": 1}"#, r#"{"k7": 7, "k9": "x"}"#]
    {
        assert!(recognizer.accepts(good) || recognizer.accepts(&reversed(good)), "{good}");
    }
    for bad in ["{}", r#"{"k3": 2}"#, r#"{"k3": 3, "k4": 4}"#, r#"{"k0": 0, "k25": 25}"#, "1"] {
        assert!(!recognizer.accepts(bad) && !recognizer.accepts(&reversed(bad)), "{bad}");
    }
}

/// The members of a flat object the other way round: the order of keys depends on the branch.
fn reversed(text: &str) -> String {
    let members: Vec<&str> = text.trim_matches(['{', '}']).split(", ").collect();
    format!("{{{}}}", members.into_iter().rev().collect::<Vec<_>>().join(", "))
}

/// Kinds of objects with a key that tells them apart but may be absent. Without it, what else they say must tell.
#[test]
fn kinds_with_an_optional_discriminator() {
    let branch = |i| {
        format!(
            r#"{{"type": "object", "properties": {{"kind": {{"enum": ["{i}"]}}, "id": {{"type": "string"}}, "own{i}": {{"type": "null"}}}},
                "required": ["own{i}"], "additionalProperties": false}}"#
        )
    };
    let closed = recognizer(&format!(r#"{{"oneOf": [{}]}}"#, joined(12, branch)));
    for good in [r#"{"kind": "3", "own3": null}"#, r#"{"own11": null}"#, r#"{"id": "", "own0": null}"#] {
        assert!(closed.accepts(good), "{good}");
    }
    for bad in [
        "{}",
        r#"{"kind": "3"}"#,
        r#"{"kind": "3", "own4": null}"#,
        r#"{"own3": 1}"#,
        r#"{"kind": "3", "own3": null, "own4": null}"#,
    ] {
        assert!(!closed.accepts(bad), "{bad}");
    }
    let branch = |i| {
        format!(
            r#"{{"properties": {{"kind": {{"enum": ["{i}"]}}, "a{i}": {{"type": "null"}}, "b{i}": {{"type": "null"}}}}, "required": ["kind"]}}"#
        )
    };
    let last = r#"{"properties": {"attributes": true}, "required": ["kind", "more"]}"#;
    let open = recognizer(&format!(r#"{{"type": "object", "oneOf": [{}, {last}]}}"#, joined(12, branch)));
    for good in [
        r#"{"kind": "3"}"#,
        r#"{"kind": "3", "a3": null, "a4": 1}"#,
        r#"{"kind": "x", "more": 1}"#,
        r#"{"kind": "3", "a3": 1, "more": 1}"#,
    ] {
        assert!(open.accepts(good) || open.accepts(&reversed(good)), "{good}");
    }
    for bad in [
        "{}",
        r#"{"kind": "3", "a3": 1}"#,
        r#"{"kind": "3", "a3": null, "more": 1}"#,
        r#"{"more": 1}"#,
        r#"{"kind": "x"}"#,
    ] {
        assert!(!open.accepts(bad) && !open.accepts(&reversed(bad)), "{bad}");
    }
}

/// The keys are split into the kinds that there are, not into all combinations of patterns.
#[test]
fn many_key_patterns() {
    let pattern = |i| format!(r#""^k{i}:": {{"type": "integer", "minimum": {i}}}"#);
    let schema = format!(
        r#"{{"type": "object", "patternProperties": {{{}, ":[ab]$": {{"maximum": 100}}}}, "additionalProperties": {{"type": "null"}}}}"#,
        joined(20, pattern)
    );
    let recognizer = recognizer(&schema);
    for good in [r#"{"k3:x": 3}"#, r#"{"k19:": 1000, "z": null, "k0:b": 100}"#, r#"{":a": 100}"#, r#"{"k1": null}"#] {
        assert!(recognizer.accepts(good), "{good}");
    }
    for bad in [r#"{"k3:x": 2}"#, r#"{"k19:a": 101}"#, r#"{":b": 101}"#, r#"{"k1": 1}"#, r#"{"k3:": null}"#] {
        assert!(!recognizer.accepts(bad), "{bad}");
    }
    let crossing =
        format!(r#"{{"patternProperties": {{{}}}}}"#, joined(10, |i| format!("\"{i}\": {{\"minimum\": {i}}}")));
    let error = compile(&crossing, &Options::default()).unwrap_err();
    assert_eq!((error.category(), error.keyword()), (Category::Limit, Some("patternProperties")));
}
