//! References within and between documents, dynamic ones included, and what is left unevaluated: schemas with texts
//! that must and must not be accepted, run through a plain recogniser.

mod support;

use glrmask_json_schema::{compile, Category, Options};
use support::Recognizer;

/// A schema, texts that it accepts, texts that it refuses.
type Case = (&'static str, &'static [&'static str], &'static [&'static str]);

fn check(cases: &[Case], registry: &[(&str, &str)]) {
    let registry = registry.iter().map(|&(uri, text)| (uri.to_owned(), text.to_owned())).collect();
    let options = Options { registry, ..Options::default() };
    for (schema, good, bad) in cases {
        let compiled = compile(schema, &options).unwrap_or_else(|error| panic!("{schema}: {error}"));
        let recognizer = Recognizer::new(&compiled.grammar).unwrap_or_else(|error| panic!("{schema}: {error}"));
        for text in *good {
            assert!(recognizer.accepts(text), "{schema} accepts {text}");
        }
        for text in *bad {
            assert!(!recognizer.accepts(text), "{schema} refuses {text}");
        }
    }
}

#[test]
fn references_between_documents() {
    let registry = [
        ("http://x/integer.json", r#"{"type": "integer"}"#),
        ("http://x/defs.json#", r##"{"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"type": "null"}}}"##),
        ("http://x/dir/list.json", r#"{"type": "array", "items": {"$ref": "../integer.json"}}"#),
        (
            "http://x/old.json",
            r#"{"$schema": "http://json-schema.org/draft-07/schema#",
            "type": "array", "items": [{"type": "integer"}], "additionalItems": false}"#,
        ),
    ];
    check(
        &[
            (r#"{"items": {"$ref": "http://x/integer.json"}}"#, &["[1]", "[]"], &["[null]"]),
            (r#"{"$id": "http://x/root", "$ref": "integer.json"}"#, &["1"], &["null"]),
            (r#"{"$ref": "http://x/defs.json#/$defs/a"}"#, &["null"], &["1"]),
            (r#"{"$ref": "http://x/dir/list.json"}"#, &["[1, 2]"], &["[null]"]),
            // A document keeps the draft it is written in.
            (r#"{"$ref": "http://x/old.json"}"#, &["[1]"], &["[1, 2]", "[null]"]),
            (
                r#"{"$schema": "http://json-schema.org/draft-07/schema#",
                    "$ref": "http://json-schema.org/draft-07/schema#/definitions/simpleTypes"}"#,
                &["\"null\""],
                &["\"float\"", "1"],
            ),
        ],
        &registry,
    );
}

#[test]
fn errors_name_the_document() {
    let compiled = |text: &str, document: &str| {
        let registry = [("http://x/y".to_owned(), document.to_owned())].into();
        compile(text, &Options { registry, ..Options::default() })
    };
    let error = compiled(r#"{"$ref": "http://x/y"}"#, r#"{"items": {"minimum": "1"}}"#).unwrap_err();
    assert_eq!((error.pointer(), error.keyword()), (Some("http://x/y#/items"), Some("minimum")));
    let error = compiled(r#"{"$ref": "http://x/y"}"#, "{,}").unwrap_err();
    assert_eq!((error.category(), error.span().is_some()), (Category::Syntax, true));
    assert!(error.message().contains("http://x/y"));
    let error = compiled(r#"{"not": {"$ref": "http://x/z"}}"#, "{}").unwrap_err();
    assert_eq!((error.category(), error.pointer()), (Category::Reference, Some("/not")));
}

#[test]
fn dynamic_references_go_to_the_outermost_resource() {
    let tree = r##"{"$id": "http://x/tree", "$dynamicAnchor": "node", "type": "object", "properties": {
        "data": true, "children": {"type": "array", "items": {"$dynamicRef": "#node"}}}}"##;
    let old = r##"{"$schema": "https://json-schema.org/draft/2019-09/schema", "$id": "http://x/old",
        "$recursiveAnchor": true, "type": "object", "properties": {
        "data": true, "children": {"type": "array", "items": {"$recursiveRef": "#"}}}}"##;
    check(
        &[
            (
                r#"{"$id": "http://x/strict", "$dynamicAnchor": "node", "$ref": "tree", "unevaluatedProperties": false}"#,
                &["{\"children\": [{\"data\": 1}]}", "{\"data\": 1, \"children\": []}"],
                &["{\"children\": [{\"daat\": 1}]}", "{\"daat\": 1}"],
            ),
            (
                r#"{"$schema": "https://json-schema.org/draft/2019-09/schema", "$id": "http://x/strict",
                    "$recursiveAnchor": true, "$ref": "old", "unevaluatedProperties": false}"#,
                &["{\"children\": [{\"data\": 1}]}"],
                &["{\"children\": [{\"daat\": 1}]}"],
            ),
            // An anchor that is not dynamic is a plain reference.
            (
                r##"{"$id": "http://x/a", "$ref": "b", "$defs": {
                    "outer": {"$dynamicAnchor": "t", "type": "null"},
                    "b": {"$id": "b", "items": {"$dynamicRef": "#t"}, "$defs": {"t": {"$anchor": "t", "type": "integer"}}}}}"##,
                &["[1]"],
                &["[null]"],
            ),
        ],
        &[("http://x/tree", tree), ("http://x/old", old)],
    );
}

#[test]
fn unevaluated_properties() {
    check(
        &[
            (
                r#"{"type": "object", "properties": {"a": true}, "patternProperties": {"^b": true}, "unevaluatedProperties": false}"#,
                &["{}", "{\"a\": 1}", "{\"a\": 1, \"bb\": 2}"],
                &["{\"c\": 1}", "{\"a\": 1, \"c\": 1}"],
            ),
            (
                r#"{"type": "object", "allOf": [{"properties": {"a": {"type": "integer"}}}], "unevaluatedProperties": {"type": "null"}}"#,
                &["{\"a\": 1, \"c\": null}"],
                &["{\"a\": null}", "{\"c\": 1}"],
            ),
            // Every branch that holds counts.
            (
                r#"{"type": "object", "anyOf": [
                    {"properties": {"a": {"const": 1}}, "required": ["a"]},
                    {"properties": {"b": {"const": 2}}, "required": ["b"]}], "unevaluatedProperties": false}"#,
                &["{\"a\": 1}", "{\"b\": 2}", "{\"a\": 1, \"b\": 2}"],
                &["{\"a\": 1, \"b\": 3}", "{\"a\": 2, \"b\": 2}", "{}", "{\"a\": 1, \"c\": 3}"],
            ),
            (
                r#"{"type": "object", "if": {"properties": {"a": {"const": 1}}, "required": ["a"]},
                    "then": {"properties": {"b": true}}, "else": {"properties": {"c": true}}, "unevaluatedProperties": false}"#,
                &["{\"a\": 1}", "{\"a\": 1, \"b\": 2}", "{\"c\": 2}", "{}"],
                &["{\"a\": 2}", "{\"a\": 1, \"c\": 2}", "{\"b\": 2}"],
            ),
            // `if` alone asserts nothing but evaluates.
            (
                r#"{"type": "object", "if": {"properties": {"a": {"const": 1}}}, "unevaluatedProperties": false}"#,
                &["{\"a\": 1}", "{}"],
                &["{\"a\": 2}", "{\"b\": 2}"],
            ),
            (
                r#"{"type": "object", "dependentSchemas": {"a": {"properties": {"b": true}}}, "properties": {"a": true},
                    "unevaluatedProperties": false}"#,
                &["{\"a\": 1, \"b\": 2}", "{\"a\": 1}", "{}"],
                &["{\"b\": 2}", "{\"c\": 2}"],
            ),
            // What stands under `not` evaluates nothing.
            (
                r#"{"type": "object", "not": {"not": {"properties": {"a": true}}}, "unevaluatedProperties": false}"#,
                &["{}"],
                &["{\"a\": 1}"],
            ),
            (
                r#"{"type": "object", "additionalProperties": true, "unevaluatedProperties": false}"#,
                &["{\"a\": 1}"],
                &["[]"],
            ),
            // Negated: something is left over.
            (
                r#"{"type": "object", "not": {"properties": {"a": true}, "unevaluatedProperties": false}}"#,
                &["{\"b\": 1}", "{\"a\": 1, \"b\": 1}"],
                &["{}", "{\"a\": 1}"],
            ),
            (
                r#"{"enum": [{"a": 1}, {"b": 1}], "properties": {"a": true}, "unevaluatedProperties": false}"#,
                &["{\"a\": 1}"],
                &["{\"b\": 1}"],
            ),
        ],
        &[],
    );
}

#[test]
fn unevaluated_items() {
    check(
        &[
            (
                r#"{"type": "array", "prefixItems": [true], "unevaluatedItems": {"type": "null"}}"#,
                &["[]", "[1]", "[1, null, null]"],
                &["[1, 2]"],
            ),
            (r#"{"type": "array", "items": true, "unevaluatedItems": false}"#, &["[1, 2]"], &["{}"]),
            (
                r#"{"type": "array", "anyOf": [{"prefixItems": [{"const": 1}]}, {"prefixItems": [true, {"const": 2}]}],
                    "minItems": 1, "unevaluatedItems": false}"#,
                &["[1]", "[0, 2]", "[1, 2]", "[0]"],
                &["[0, 2, 3]", "[1, 3]"],
            ),
            // In 2020-12, what `contains` finds is evaluated; in 2019-09 it is not.
            (
                r#"{"type": "array", "contains": {"type": "string"}, "unevaluatedItems": {"type": "null"}}"#,
                &["[\"a\"]", "[null, \"a\", null, \"b\"]"],
                &["[]", "[null]", "[\"a\", 1]"],
            ),
            (
                r#"{"$schema": "https://json-schema.org/draft/2019-09/schema",
                    "type": "array", "contains": {"type": "string"}, "unevaluatedItems": {"type": ["null", "string"], "maxLength": 1}}"#,
                &["[\"a\", null]"],
                &["[\"ab\"]", "[1, \"a\"]"],
            ),
        ],
        &[],
    );
}
