//! Unique items and distinct keys over unboundedly many values: enforced beside the grammar, by the place of the text.

#![allow(clippy::unwrap_used)]

mod support;

use glrmask_json_schema::{compile, Category, Escapes, Limits, Options, PropertyOrder, Unsupported, Whitespace};
use support::Recognizer;

type Case = (&'static str, &'static [&'static str], &'static [&'static str]);

fn check(cases: &[Case], options: &Options) {
    for (schema, good, bad) in cases {
        let compiled = compile(schema, options).unwrap_or_else(|error| panic!("{schema}: {error}"));
        assert!(compiled.grammar.instance.is_some(), "{schema}");
        assert!(compiled.warnings.is_empty(), "{schema}");
        let recognizer = Recognizer::new(&compiled.grammar).unwrap();
        for text in *good {
            assert!(recognizer.accepts(text), "{schema} accepts {text}");
        }
        for text in *bad {
            assert!(!recognizer.accepts(text), "{schema} refuses {text}");
        }
    }
}

const STRINGS: &str = r#"{"type": "array", "items": {"type": "string"}, "uniqueItems": true}"#;

#[test]
fn items_of_any_kind() {
    check(
        &[
            (STRINGS, &["[]", "[\"a\"]", "[\"a\", \"b\", \"ab\"]"], &["[\"a\", \"a\"]", "[\"\\u0061\", \"b\", \"a\"]"]),
            (
                r#"{"uniqueItems": true}"#,
                &["1", "{\"a\": [1, 1]}", "[1, true, \"1\", [1], {\"a\": 1}, 10]", "[[1, 1], [1]]"],
                &["[1, 1.0]", "[0, -0e1]", "[{\"a\": 1, \"b\": 2}, {\"b\": 2, \"a\": 1}]", "[[1, 2], 3, [1, 2]]"],
            ),
            (
                r#"{"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 1000}, "uniqueItems": true, "minItems": 2}"#,
                &["[1, 1000]", "[3, 2, 1]"],
                &["[7]", "[7, 7]", "[1001, 1]"],
            ),
            (
                r#"{"type": "array", "items": {"type": "string"}, "uniqueItems": true, "contains": {"pattern": "^x"}}"#,
                &["[\"x\"]", "[\"a\", \"xy\"]"],
                &["[]", "[\"a\", \"b\"]", "[\"x\", \"x\"]"],
            ),
            (
                r#"{"type": "array", "prefixItems": [{"enum": [1, 2]}, {"enum": [1, 2]}], "items": {"type": "integer"}, "uniqueItems": true}"#,
                &["[]", "[1]", "[1, 2]", "[2, 1, 3]"],
                &["[1, 1]", "[1, 3]", "[1, 2, 1]"],
            ),
        ],
        &Options::default(),
    );
}

#[test]
fn only_where_it_is_asked_for() {
    check(
        &[
            (
                r#"{"type": "object", "properties": {"a": {"items": {"type": "string"}, "uniqueItems": true},
                    "b": {"items": {"type": "array", "items": {"type": "number"}, "uniqueItems": true}}}}"#,
                &[
                    "{\"a\": [\"x\", \"y\"], \"b\": [[1, 2], [1, 2]]}",
                    "{\"c\": [1, 1]}",
                    "{\"c\": {\"a\": [1, 1]}}",
                    "{\"b\": [[1], [1], [2]]}",
                ],
                &["{\"a\": [\"x\", \"x\"]}", "{\"b\": [[1, 2], [3, 3]]}", "{\"a\": [], \"b\": [[1], [0, 2, 0]]}"],
            ),
            (
                r#"{"type": "object", "patternProperties": {"^u": {"items": {"type": "string"}, "uniqueItems": true}, "e$": {"items": {"type": "string"}}},
                    "properties": {"us": {"items": {"type": "string"}}, "set": {"items": {"type": "string"}, "uniqueItems": true}}, "additionalProperties": {"type": "array"}}"#,
                &["{\"set\": [\"a\"], \"e\": [\"a\", \"a\"], \"xyz\": [1, 1]}", "{\"ux\": [\"a\", \"b\"]}"],
                &[
                    "{\"set\": [\"a\", \"a\"]}",
                    "{\"ux\": [\"a\", \"a\"]}",
                    "{\"ue\": [\"b\", \"b\"]}",
                    "{\"us\": [\"a\", \"a\"]}",
                ],
            ),
            (
                r##"{"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "properties": {"v": {"type": "string"},
                    "n": {"type": "array", "items": {"$ref": "#/$defs/node"}, "uniqueItems": true}}, "required": ["v"], "additionalProperties": false}}}"##,
                &["{\"v\": \"a\", \"n\": [{\"v\": \"b\"}, {\"v\": \"b\", \"n\": []}]}"],
                &[
                    "{\"v\": \"a\", \"n\": [{\"v\": \"b\"}, {\"v\": \"b\"}]}",
                    "{\"v\": \"a\", \"n\": [{\"v\": \"b\", \"n\": [{\"v\": \"c\"}, {\"v\": \"c\"}]}]}",
                ],
            ),
            (
                r#"{"items": [{"items": {"type": "string"}, "uniqueItems": true}, {"items": {"type": "string"}}], "$schema": "http://json-schema.org/draft-07/schema#"}"#,
                &["[[\"a\"], [\"a\", \"a\"], [\"a\", \"a\"]]"],
                &["[[\"a\", \"a\"]]"],
            ),
        ],
        &Options::default(),
    );
}

#[test]
fn alternatives_that_agree() {
    check(
        &[
            (
                r#"{"uniqueItems": true, "anyOf": [{"items": {"type": "string"}}, {"items": {"type": "number"}}, {"type": "null"}]}"#,
                &["[\"a\", \"b\"]", "[1, 2]", "null"],
                &["[\"a\", \"a\"]", "[1, 1]", "[1, \"a\"]"],
            ),
            (
                r#"{"anyOf": [{"items": {"type": "string"}, "uniqueItems": true}, {"items": {"type": "number"}, "maxItems": 1},
                    {"enum": [[1, 2], "x"]}, {"items": {"enum": [1, 2]}, "uniqueItems": true}]}"#,
                &["[\"a\", \"b\"]", "[1]", "[1, 2]", "[2, 1]"],
                &["[\"a\", \"a\"]", "[1, 1]", "[2, 2]"],
            ),
        ],
        &Options::default(),
    );
    for schema in [
        r#"{"anyOf": [{"items": {"type": "string"}, "uniqueItems": true}, {"items": {"type": "number"}, "maxItems": 2}]}"#,
        r#"{"anyOf": [{"items": {"type": "string"}, "uniqueItems": true}, {"enum": [[1, 1]]}]}"#,
    ] {
        let error = compile(schema, &Options::default()).unwrap_err();
        let place = (error.category(), error.pointer(), error.keyword());
        assert_eq!(place, (Category::Unsupported, Some("/anyOf/0"), Some("uniqueItems")), "{schema}");
        let weaken = Options { unsupported: Unsupported::Weaken, ..Options::default() };
        let compiled = compile(schema, &weaken).unwrap();
        assert_eq!(compiled.warnings[0].keyword, "uniqueItems");
        assert!(compiled.grammar.instance.is_none());
    }
}

/// Where alternatives do not agree, the values with a rule are documents; what is weakened elsewhere is not weakened then.
#[test]
fn alternatives_that_do_not_agree() {
    let schema = r#"{"type": "object", "properties": {"k": {"type": "integer"}, "x": {"type": "array", "items": {"type": "string"}}},
        "anyOf": [{"properties": {"x": {"uniqueItems": true}}}, {"properties": {"k": {"const": 1}}, "required": ["k"]}]}"#;
    for unsupported in [Unsupported::Error, Unsupported::Weaken] {
        let compiled = compile(schema, &Options { unsupported, ..Options::default() }).unwrap();
        assert!(compiled.warnings.is_empty() && compiled.grammar.instance.is_none());
        assert_eq!(compiled.grammar.documents.len(), 1);
    }
    // Two objects of many keys in any order at one place, with other keys required.
    let names = |prefix: &str| (0..16).map(|i| format!("\"{prefix}{i}\"")).collect::<Vec<_>>().join(", ");
    let object =
        |prefix: &str| format!(r#"{{"type": "object", "properties": {{"v": {{"required": [{}]}}}}}}"#, names(prefix));
    let schema = format!(r#"{{"anyOf": [{}, {}]}}"#, object("a"), object("b"));
    let any = Options { property_order: PropertyOrder::Any, ..Options::default() };
    let compiled = compile(&schema, &any).unwrap();
    assert_eq!(compiled.grammar.documents.len(), 2);
    // What was left out before that was found out is enforced as well, and nothing is said of it.
    let object = |prefix: &str, array: &str| {
        let v = format!(r#"{{"required": [{}]}}"#, names(prefix));
        format!(r#"{{"type": "object", "properties": {{"u": {{"type": "array"{array}}}, "v": {v}}}}}"#)
    };
    let schema = format!(r#"{{"anyOf": [{}, {}]}}"#, object("a", r#", "uniqueItems": true"#), object("b", ""));
    let compiled = compile(&schema, &Options { unsupported: Unsupported::Weaken, ..any.clone() }).unwrap();
    assert_eq!((compiled.grammar.documents.len(), compiled.warnings), (3, vec![]));
    // Within a document alternatives have to agree.
    let nested = r#"{"type": "array", "uniqueItems": true, "items": {"anyOf": [
        {"properties": {"x": {"uniqueItems": true}}}, {"properties": {"k": {"const": 1}}, "required": ["k"]}]}}"#;
    let error = compile(nested, &Options::default()).unwrap_err();
    assert_eq!((error.category(), error.keyword()), (Category::Unsupported, Some("uniqueItems")));
}

#[test]
fn values_that_may_run_out_are_refused() {
    for schema in [
        r#"{"items": {"type": "integer", "minimum": 1, "maximum": 100}, "minItems": 101, "uniqueItems": true}"#,
        r#"{"items": {"type": "string"}, "contains": {"const": "a"}, "minContains": 2, "uniqueItems": true}"#,
        r#"{"items": {"type": "string"}, "contains": {"minLength": 2}, "maxContains": 2, "uniqueItems": true}"#,
        r#"{"prefixItems": [{"type": "string"}, {"enum": [1, 2]}, {"enum": [1, 2]}], "minItems": 3, "uniqueItems": true}"#,
        r#"{"type": "object", "minProperties": 702, "propertyNames": {"pattern": "^[a-z]{1,2}$"}}"#,
        r#"{"type": "object", "minProperties": 701, "propertyNames": {"pattern": "^[a-z]{1,2}$"},
            "not": {"additionalProperties": {"type": "string"}}}"#,
    ] {
        let error = compile(schema, &Options::default()).expect_err(schema);
        assert_eq!(error.category(), Category::Unsupported, "{schema}: {error}");
    }
}

/// Where there is one member at most, none is repeated, and nothing has to be remembered.
#[test]
fn single_members() {
    let schema =
        r#"{"type": "object", "maxProperties": 1, "not": {"additionalProperties": {"multipleOf": 5, "maximum": 60}}}"#;
    let compiled = compile(schema, &Options::default()).unwrap();
    assert!(compiled.grammar.instance.is_none());
    let recognizer = Recognizer::new(&compiled.grammar).unwrap();
    for (text, valid) in [
        ("{\"a\": 1}", true),
        ("{\"b\": 65}", true),
        ("{}", false),
        ("{\"a\": 5}", false),
        ("{\"a\": 1, \"b\": 1}", false),
    ] {
        assert_eq!(recognizer.accepts(text), valid, "{text}");
    }
}

#[test]
fn keys_that_are_counted() {
    let cases: [Case; 6] = [
        // Finitely many keys, and more than members may have to follow.
        (
            r#"{"type": "object", "minProperties": 2, "propertyNames": {"pattern": "^[a-z]{1,2}$"}}"#,
            &["{\"a\": 1, \"b\": 1}"],
            &["{\"a\": 1}", "{\"a\": 1, \"a\": 1}"],
        ),
        (
            r#"{"type": "object", "propertyNames": {"pattern": "^[a-z]{1,2}$"}, "not": {"additionalProperties": {"type": "string"}}}"#,
            &["{\"a\": 1}", "{\"a\": \"x\", \"b\": 1}"],
            &["{}", "{\"a\": \"x\"}", "{\"a\": 1, \"a\": \"x\"}"],
        ),
        // One key only meets the condition: it is like a declared one.
        (
            r#"{"type": "object", "not": {"propertyNames": {"not": {"const": "0"}}}, "patternProperties": {"[0-9]": {"type": "boolean"}}}"#,
            &["{\"0\": true}", "{\"0\": true, \"a\": 1}", "{\"0\": true, \"1\": false}"],
            &["{}", "{\"0\": 1}", "{\"a\": 1}", "{\"0\": true, \"0\": true}"],
        ),
        (
            r#"{"type": "object", "minProperties": 2}"#,
            &["{\"a\": 1, \"b\": 1}", "{\"a\": 1, \"b\": {\"c\": 1, \"c\": 1}}"],
            &[
                "{}",
                "{\"a\": 1}",
                "{\"a\": 1, \"a\": 2}",
                "{\"a\": 1, \"\\u0061\": 2}",
                "{\"a\": 1, \"b\": 1, \"b\": 2}",
            ],
        ),
        (
            r#"{"type": "object", "properties": {"x": {"type": "integer"}}, "minProperties": 3, "maxProperties": 3, "additionalProperties": {"type": "integer"}}"#,
            &["{\"x\": 1, \"b\": 1, \"c\": 2}", "{\"a\": 1, \"b\": 1, \"c\": 2}"],
            &["{\"x\": 1, \"b\": 1}", "{\"x\": 1, \"b\": 1, \"b\": 2}", "{\"x\": 1, \"b\": 1, \"c\": 2, \"d\": 3}"],
        ),
        (
            r#"{"type": "object", "patternProperties": {"^[a-z]+$": {"type": "integer"}}, "additionalProperties": false, "minProperties": 2}"#,
            &["{\"a\": 1, \"b\": 1}"],
            &["{\"a\": 1, \"B\": 1}", "{\"a\": 1, \"a\": 1}"],
        ),
    ];
    check(&cases, &Options::default());
    check(&cases, &Options { property_order: PropertyOrder::Any, ..Options::default() });
}

#[test]
fn members_that_must_meet_a_condition() {
    let cases: [Case; 3] = [
        (
            r#"{"type": "object", "not": {"additionalProperties": {"type": "string"}}}"#,
            &["{\"a\": 1}", "{\"a\": \"x\", \"b\": 1}"],
            &["{}", "{\"a\": \"x\"}", "{\"a\": 1, \"a\": \"x\"}", "{\"a\": \"x\", \"a\": 1}"],
        ),
        (
            r#"{"type": "object", "minProperties": 2, "not": {"additionalProperties": {"type": "string"}}}"#,
            &["{\"a\": 1, \"b\": 1}", "{\"a\": \"x\", \"b\": 1}"],
            &["{\"a\": 1}", "{\"a\": \"x\", \"b\": \"x\"}", "{\"a\": \"x\", \"b\": 1, \"b\": 1}"],
        ),
        // Each condition is met by many keys, both together by two: these are like declared ones.
        (
            r#"{"type": "object", "allOf": [{"not": {"propertyNames": {"not": {"pattern": "a"}}}}, {"not": {"propertyNames": {"not": {"pattern": "b"}}}}],
                "propertyNames": {"pattern": "^[a-z]{2}$"}, "additionalProperties": {"type": "integer"}, "maxProperties": 2}"#,
            &["{\"ab\": 1}", "{\"ab\": 1, \"ax\": 2}", "{\"ax\": 1, \"xb\": 2}"],
            &[
                "{}",
                "{\"ax\": 1}",
                "{\"ax\": 1, \"ay\": 2}",
                "{\"ab\": 1, \"ab\": 2}",
                "{\"ab\": 1, \"ax\": 2, \"ay\": 3}",
                "{\"abb\": 1}",
            ],
        ),
    ];
    check(&cases, &Options::default());
    check(&cases, &Options { property_order: PropertyOrder::Any, ..Options::default() });
}

#[test]
fn many_keys_in_any_order() {
    let limits = Limits { facts: 4, ..Limits::default() };
    let options = Options { property_order: PropertyOrder::Any, limits, ..Options::default() };
    let closed = r#"{"type": "object", "properties": {"a": {"const": 1}, "b": {"const": 1}, "c": {"const": 1}, "d": {"const": 1}},
        "required": ["a", "b", "d"], "additionalProperties": false}"#;
    let open = r#"{"type": "object", "properties": {"a": {"const": 1}, "b": {"const": 1}, "c": {"const": 1}}, "required": ["a", "x"]}"#;
    let nested = r##"{"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "required": ["a", "b", "c"], "additionalProperties": false,
        "properties": {"a": {"const": 1}, "b": {"const": 1}, "c": {"anyOf": [{"$ref": "#/$defs/n"}, {"const": 1}]}}}}}"##;
    // Of one place, the run time sees to `a`, the grammar to `b` or `c`.
    let either = r#"{"anyOf": [{"type": "object", "properties": {"a": {"const": 1}, "b": {"const": 1}, "x": {"const": 1}}, "required": ["a", "b"],
        "additionalProperties": false}, {"type": "object", "properties": {"a": {"const": 2}, "c": {"const": 2}, "x": {"const": 2}},
        "required": ["c", "a"], "additionalProperties": false}]}"#;
    check(
        &[
            (
                closed,
                &["{\"d\": 1, \"b\": 1, \"a\": 1}", "{\"c\": 1, \"b\": 1, \"d\": 1, \"a\": 1}"],
                &[
                    "{}",
                    "{\"d\": 1, \"b\": 1}",
                    "{\"d\": 1, \"b\": 1, \"a\": 1, \"d\": 1}",
                    "{\"d\": 1, \"b\": 1, \"c\": 1}",
                ],
            ),
            (
                open,
                &["{\"y\": 1, \"x\": 1, \"a\": 1}", "{\"x\": 1, \"c\": 1, \"a\": 1, \"y\": 2}"],
                &["{\"x\": 1}", "{\"x\": 1, \"a\": 2}", "{\"x\": 1, \"a\": 1, \"y\": 1, \"y\": 1}"],
            ),
            (
                nested,
                &["{\"c\": {\"b\": 1, \"c\": 1, \"a\": 1}, \"b\": 1, \"a\": 1}"],
                &["{\"c\": {\"b\": 1, \"c\": 1}, \"b\": 1, \"a\": 1}", "{\"c\": 1, \"a\": 1}"],
            ),
            (
                either,
                &["{\"b\": 1, \"x\": 1, \"a\": 1}", "{\"x\": 2, \"a\": 2, \"c\": 2}"],
                &["{\"b\": 1, \"x\": 1}", "{\"a\": 1, \"x\": 1}", "{\"a\": 2, \"c\": 2, \"b\": 1}", "{\"a\": 2}"],
            ),
        ],
        &options,
    );
    // A required member that nothing satisfies, though every other part of the object can be written.
    let endless = r##"{"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "required": ["c"], "additionalProperties": false,
        "properties": {"a": {"const": 1}, "b": {"const": 1}, "c": {"$ref": "#/$defs/n"}}}}}"##;
    let error = compile(endless, &options).unwrap_err();
    assert_eq!(error.category(), Category::Empty, "{error}");
}

#[test]
fn however_it_is_spelled() {
    let schema = r#"{"items": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}, "uniqueItems": true}"#;
    let flexible = Options {
        whitespace: Whitespace::Flexible,
        property_order: PropertyOrder::Any,
        escapes: Escapes::Any,
        ensure_ascii: true,
        ..Options::default()
    };
    check(
        &[(
            schema,
            &["[ {\"a\" : \"\\u00e9\"},{\"a\":\"e\"} ]", "[{\"a\":\"1\",\"b\":\"2\"},{\"a\":\"2\",\"b\":\"1\"}]"],
            &[
                "[ {\"a\" : \"\\u00e9\"},{\"a\":\"\\u00E9\"} ]",
                "[{\"a\":\"1\",\"b\":\"2\"} , {\"b\":\"\\u0032\",\"\\u0061\":\"1\"}]",
            ],
        )],
        &flexible,
    );
}
