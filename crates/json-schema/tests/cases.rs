//! Schemas with texts that must and must not be accepted, run through a plain recogniser.

mod support;

use glrmask_json_schema::{compile, Category, Options, Whitespace};
use support::Recognizer;

type Case = (&'static str, &'static [&'static str], &'static [&'static str]);

fn check(cases: &[Case], options: &Options) {
    for (schema, good, bad) in cases {
        let compiled = compile(schema, options).unwrap_or_else(|error| panic!("{schema}: {error}"));
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
fn types_and_values() {
    check(
        &[
            (
                "true",
                &["1", "\"x\"", "[1, {\"a\": []}]", "null", "{}", "[]", "-1.5e3"],
                &["", "[1,2]", " 1", "{\"a\":1}", "tru"],
            ),
            (r#"{"type": "integer"}"#, &["0", "-7", "2.0"], &["2.5", "\"2\"", "null"]),
            (
                r#"{"type": ["string", "null"]}"#,
                &["\"\"", "\"\\u00e9\\/\"", "null"],
                &["1", "true", "\"\n\"", "\"\\ud800\""],
            ),
            (
                r#"{"enum": ["a", 1, null, [1, {"b": "\n"}], "é"]}"#,
                &["\"a\"", "1", "1.0", "null", "[1, {\"b\": \"\\n\"}]", "\"é\""],
                &["\"b\"", "2", "[1]", "\"\\u0061\""],
            ),
            (r#"{"const": {"a": [], "b": {}}}"#, &["{\"a\": [], \"b\": {}}"], &["{\"a\": []}", "{}"]),
            (r#"{"enum": ["a", 1, true], "type": "string"}"#, &["\"a\""], &["1", "true"]),
            (
                r#"{"enum": ["aa", "ab", "c"], "pattern": "^a", "not": {"const": "ab"}}"#,
                &["\"aa\""],
                &["\"ab\"", "\"c\""],
            ),
            (r#"{"type": "boolean", "not": {"const": true}}"#, &["false"], &["true"]),
        ],
        &Options::default(),
    );
}

#[test]
fn strings() {
    check(
        &[
            (
                r#"{"type": "string", "minLength": 2, "maxLength": 3}"#,
                &["\"ab\"", "\"é😀\\n\"", "\"\\\\\\\"\""],
                &["\"a\"", "\"abcd\"", "\"\""],
            ),
            (r#"{"minLength": 2}"#, &["\"ab\"", "1", "[]"], &["\"a\""]),
            (r#"{"type": "string", "pattern": "^[a-z]+\\d$"}"#, &["\"ab1\""], &["\"1\"", "\"ab12\"", "\"AB1\""]),
            (
                r#"{"type": "string", "pattern": "b", "maxLength": 2}"#,
                &["\"b\"", "\"ab\"", "\"b\\\"\""],
                &["\"abc\"", "\"a\""],
            ),
            (r#"{"type": "string", "format": "date"}"#, &["\"2024-02-29\""], &["\"2023-02-29\"", "\"x\""]),
            (r#"{"type": "string", "format": "color"}"#, &["\"x\""], &["1"]),
            (r#"{"type": "string", "not": {"pattern": "^a"}}"#, &["\"b\"", "\"\""], &["\"a\"", "\"ab\"", "1"]),
        ],
        &Options::default(),
    );
}

#[test]
fn long_strings_are_exact() {
    for (min, max) in
        [(0, Some(200)), (150, Some(300)), (129, None), (64, Some(192)), (300, Some(300)), (100, Some(129))]
    {
        let bound = max.map_or(String::new(), |max| format!(", \"maxLength\": {max}"));
        let schema = format!("{{\"type\": \"string\", \"minLength\": {min}{bound}}}");
        let recognizer = Recognizer::new(&compile(&schema, &Options::default()).unwrap().grammar).unwrap();
        for length in
            [0, 1, 63, 64, 65, 99, 100, 127, 128, 129, 149, 150, 191, 192, 193, 199, 200, 201, 299, 300, 301, 500]
        {
            let expected = length >= min && max.is_none_or(|max| length <= max);
            let text = format!("\"{}\"", "é".repeat(length));
            assert_eq!(recognizer.accepts(&text), expected, "{schema} {length}");
        }
    }
}

#[test]
fn numbers() {
    check(
        &[
            (
                r#"{"type": "integer", "minimum": 0, "maximum": 255}"#,
                &["0", "7", "255", "255.0"],
                &["-1", "256", "1000", "-0", "1.5"],
            ),
            (
                r#"{"type": "number", "exclusiveMinimum": -1.5, "exclusiveMaximum": 2}"#,
                &["-1.49", "0", "1.99", "-0.1", "1e-06"],
                &["-1.5", "2", "2.0", "3"],
            ),
            (r#"{"minimum": 5}"#, &["5", "6.5", "\"x\"", "null", "1e3"], &["4", "-5"]),
            (r#"{"type": "number", "multipleOf": 0.01}"#, &["1.25", "-500.25", "3", "2.500"], &["1.255"]),
            (
                r#"{"type": "integer", "multipleOf": 16, "minimum": -2032, "maximum": 2031}"#,
                &["-64", "0", "2016", "16.0"],
                &["8", "2032", "-2048"],
            ),
            (
                r#"{"$schema": "http://json-schema.org/draft-04/schema#", "type": "number", "minimum": 1, "exclusiveMinimum": true}"#,
                &["1.1"],
                &["1"],
            ),
            (r#"{"type": "number", "not": {"type": "integer"}}"#, &["1.5"], &["1", "1.0"]),
            (
                r#"{"type": "integer", "minimum": 9223372036854775807, "maximum": 9223372036854775809}"#,
                &["9223372036854775808"],
                &["9223372036854775810"],
            ),
        ],
        &Options::default(),
    );
}

#[test]
fn objects() {
    check(
        &[
            (
                r#"{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}, "c": {"type": "null"}},
                    "required": ["b"], "additionalProperties": false}"#,
                &["{\"b\": \"\"}", "{\"a\": 1, \"b\": \"x\", \"c\": null}", "{\"b\": \"x\", \"c\": null}"],
                &[
                    "{}",
                    "{\"a\": 1}",
                    "{\"b\": \"x\", \"a\": 1}",
                    "{\"b\": \"x\", \"d\": 1}",
                    "{\"a\": 1 , \"b\": \"\"}",
                    "{, \"b\": \"\"}",
                ],
            ),
            (
                r#"{"type": "object", "properties": {"a": {"type": "integer"}}}"#,
                &["{}", "{\"a\": 1}", "{\"x\": 1}", "{\"a\": 1, \"x\": [], \"y\": {}}", "{\"aa\": \"\"}"],
                &["{\"a\": \"x\"}", "{\"\\u0061\": \"x\"}", "{\"a\": 1, \"\\u0061\": \"x\"}", "{\"x\": 1, \"a\": 1}"],
            ),
            (
                r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#,
                &["{\"\\u0061\": 1}", "{\"x\": 1, \"y\": 2}"],
                &["{\"x\": \"\"}"],
            ),
            (
                r#"{"type": "object", "required": ["z", "a"], "properties": {"b": true}}"#,
                &["{\"b\": 1, \"z\": 2, \"a\": 3, \"q\": 4}"],
                &["{\"z\": 1}", "{\"a\": 1, \"z\": 1}"],
            ),
            (r#"{"type": "object", "properties": {"a": false, "b": true}}"#, &["{}", "{\"b\": 1}"], &["{\"a\": 1}"]),
            (
                r#"{"type": "object", "patternProperties": {"^x": {"type": "integer"}, "y$": {"minimum": 5}}, "additionalProperties": false,
                    "properties": {"xa": {"maximum": 3}}}"#,
                &["{\"xa\": 2}", "{\"xb\": 7, \"xy\": 5}", "{\"ay\": \"s\"}"],
                &["{\"xa\": 4}", "{\"xa\": \"s\"}", "{\"xy\": 4}", "{\"q\": 1}"],
            ),
            (r#"{"type": "object", "minProperties": 1}"#, &["{\"a\": 1}"], &["{}"]),
            (
                r#"{"type": "object", "maxProperties": 2, "properties": {"a": {}, "b": {}}}"#,
                &["{}", "{\"a\": 1, \"b\": 2}", "{\"a\": 1, \"c\": 2}", "{\"c\": 1}"],
                &["{\"a\": 1, \"b\": 2, \"c\": 3}"],
            ),
            (
                r#"{"type": "object", "minProperties": 2, "maxProperties": 2, "properties": {"a": {}, "b": {}, "c": {}}, "additionalProperties": false}"#,
                &["{\"a\": 1, \"c\": 2}", "{\"b\": 1, \"c\": 2}"],
                &["{\"a\": 1}", "{}", "{\"a\": 1, \"b\": 2, \"c\": 3}"],
            ),
            (r#"{"type": "object", "maxProperties": 0}"#, &["{}"], &["{\"a\": 1}"]),
            (
                r#"{"type": "object", "propertyNames": {"pattern": "^[a-c]$"}, "properties": {"d": true}}"#,
                &["{\"a\": 1}", "{}"],
                &["{\"d\": 1}", "{\"e\": 1}"],
            ),
        ],
        &Options::default(),
    );
}

#[test]
fn arrays() {
    check(
        &[
            (
                r#"{"type": "array", "items": {"type": "integer"}}"#,
                &["[]", "[1]", "[1, 2, 3]"],
                &["[1,2]", "[\"\"]", "[1, ]"],
            ),
            (
                r#"{"type": "array", "items": {"type": "null"}, "minItems": 2, "maxItems": 3}"#,
                &["[null, null]", "[null, null, null]"],
                &["[]", "[null]", "[null, null, null, null]"],
            ),
            (r#"{"type": "array", "maxItems": 0}"#, &["[]"], &["[1]"]),
            (r#"{"type": "array", "items": false}"#, &["[]"], &["[1]"]),
            (
                r#"{"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": {"type": "null"}, "minItems": 1}"#,
                &["[1]", "[1, \"\"]", "[1, \"\", null, null]"],
                &["[]", "[\"\"]", "[1, null]", "[1, \"\", 1]"],
            ),
            (
                r#"{"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "integer"}], "additionalItems": false}"#,
                &["[]", "[1]", "\"x\""],
                &["[1, 2]", "[\"\"]"],
            ),
            (r#"{"type": "array", "contains": {"type": "integer"}}"#, &["[1]", "[\"\", 1, null]"], &["[]", "[\"\"]"]),
            (
                r#"{"type": "array", "contains": {"type": "integer"}, "minContains": 1, "maxContains": 2, "maxItems": 3}"#,
                &["[1]", "[1, \"\", 2]"],
                &["[]", "[1, 2, 3]", "[1, \"\", \"\", \"\"]"],
            ),
            (r#"{"type": "array", "not": {"items": {"type": "integer"}}}"#, &["[\"\"]", "[1, null]"], &["[]", "[1]"]),
            (
                r#"{"type": "array", "items": {"type": "null"}, "minItems": 100, "maxItems": 1000}"#,
                &[],
                &["[]", "[null]"],
            ),
        ],
        &Options::default(),
    );
}

#[test]
fn combinations() {
    check(
        &[
            (
                r#"{"anyOf": [{"type": "integer"}, {"type": "string", "maxLength": 1}]}"#,
                &["1", "\"a\""],
                &["\"ab\"", "null"],
            ),
            (
                r#"{"allOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"properties": {"b": {"type": "null"}}}], "type": "object", "additionalProperties": {"maxLength": 1}}"#,
                &["{\"a\": 1}", "{\"a\": 1, \"b\": null, \"c\": \"x\"}"],
                &["{}", "{\"a\": \"\"}", "{\"a\": 1, \"c\": \"xy\"}"],
            ),
            (
                r#"{"oneOf": [{"type": "number", "maximum": 2}, {"type": "number", "maximum": 5}]}"#,
                &["3", "5"],
                &["2", "6", "1", "\"\""],
            ),
            (r#"{"oneOf": [{"type": "string", "pattern": "^a"}, {"type": "string"}]}"#, &["\"b\""], &["\"a\"", "1"]),
            (
                r#"{"type": "object", "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}"#,
                &["{\"a\": 1}", "{\"b\": 1, \"c\": 2}"],
                &["{}", "{\"a\": 1, \"b\": 1}"],
            ),
            (
                r#"{"oneOf": [{"properties": {"t": {"const": "x"}, "v": {"type": "integer"}}, "required": ["t", "v"]},
                              {"properties": {"t": {"const": "y"}, "v": {"type": "string"}}, "required": ["t", "v"]}], "type": "object"}"#,
                &["{\"t\": \"x\", \"v\": 1}", "{\"t\": \"y\", \"v\": \"\"}"],
                &["{\"t\": \"x\", \"v\": \"\"}", "{\"t\": \"z\", \"v\": 1}"],
            ),
            (
                r#"{"type": "object", "not": {"required": ["a", "b"]}}"#,
                &["{}", "{\"a\": 1}", "{\"b\": 1}"],
                &["{\"a\": 1, \"b\": 2}"],
            ),
            (
                r#"{"type": "object", "properties": {"k": {"enum": ["p", "q"]}}, "if": {"properties": {"k": {"const": "p"}}, "required": ["k"]},
                    "then": {"required": ["x"]}, "else": {"required": ["y"]}}"#,
                &["{\"k\": \"p\", \"x\": 1}", "{\"k\": \"q\", \"y\": 1}", "{\"y\": 1}"],
                &["{\"k\": \"p\"}", "{\"k\": \"q\", \"x\": 1}", "{}"],
            ),
            (
                r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "dependencies": {"a": ["b"], "c": {"maxProperties": 1}}}"#,
                &["{}", "{\"a\": 1, \"b\": 2}", "{\"c\": 1}"],
                &["{\"a\": 1}", "{\"c\": 1, \"d\": 1}"],
            ),
            (
                r#"{"dependentRequired": {"a": ["b"]}, "type": "object", "properties": {"b": {}, "a": {}}}"#,
                &["{\"b\": 1, \"a\": 2}", "{\"b\": 1}"],
                &["{\"a\": 1}"],
            ),
        ],
        &Options::default(),
    );
}

#[test]
fn references() {
    check(
        &[
            (
                r##"{"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "object", "properties": {"v": {"type": "integer"}, "c": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}, "additionalProperties": false, "required": ["v"]}}}"##,
                &["{\"v\": 1}", "{\"v\": 1, \"c\": [{\"v\": 2, \"c\": []}, {\"v\": 3}]}"],
                &["{\"v\": 1, \"c\": [{}]}", "{\"c\": []}"],
            ),
            (
                r##"{"properties": {"a": {"type": "null"}, "b": {"$ref": "#/properties/a"}}, "type": "object"}"##,
                &["{\"b\": null}"],
                &["{\"b\": 1}"],
            ),
            (
                r##"{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {"type": "integer"}}, "$ref": "#/definitions/a", "type": "string"}"##,
                &["1"],
                &["\"\""],
            ),
            (r##"{"$defs": {"a": {"maximum": 5}}, "$ref": "#/$defs/a", "type": "integer"}"##, &["1"], &["6", "\"\""]),
            (
                r##"{"$id": "http://x/a", "$defs": {"b": {"$id": "b", "$anchor": "k", "type": "null"}}, "items": {"$ref": "b#k"}, "type": "array"}"##,
                &["[null]"],
                &["[1]"],
            ),
            (
                r##"{"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#"}}]}"##,
                &["1", "[1, [2, []]]"],
                &["[\"\"]"],
            ),
        ],
        &Options::default(),
    );
}

#[test]
fn spacing() {
    let schema = r#"{"properties": {"a": {"type": "array", "items": {"type": "integer"}}}, "additionalProperties": {"enum": [{"x": [1, 2], "y": []}]}, "type": "object"}"#;
    let compact = Options { whitespace: Whitespace::Compact, ..Options::default() };
    check(
        &[(schema, &["{\"a\":[1,2],\"b\":{\"x\":[1,2],\"y\":[]}}", "{}"], &["{\"a\": [1]}", "{\"a\":[1, 2]}"])],
        &compact,
    );
    let flexible = Options { whitespace: Whitespace::Flexible, max_whitespace: Some(2), ..Options::default() };
    check(
        &[(
            schema,
            &["{\"a\":[1,2]}", "{ \n\"a\" : [ ]\t,\"b\": { \"x\" :[ 1 , 2 ],\"y\":[ ]} }", "{ }", "{\"a\": [1, 2]}"],
            &[
                "{   }",
                " {}",
                "{} ",
                "{\"a\":[   1]}",
                "{\"a\":1}",
                "{\"a\":[     ]}",
                "{\"a\"   :[]}",
                "{\"a\":   []}",
            ],
        )],
        &flexible,
    );
    let constant = (
        r#"{"enum": [{"a": 1, "b": [{}]}]}"#,
        &["{\"a\":1,\"b\":[{}]}", "{ \"a\" : 1 , \"b\"\t:\n[ { } ] }"][..],
        &["{\"a\"1,\"b\":[{}]}", "{\"a\":1,\"b\"[{}]}", "{\"a\":1}"][..],
    );
    check(&[constant], &flexible);
}

#[test]
fn refusals_name_pointer_and_keyword() {
    let cases: &[(&str, Category, &str, &str)] = &[
        (
            r#"{"properties": {"a": {"anyOf": [{"minItems": 1, "uniqueItems": true}, {"type": "array"}]}}}"#,
            Category::Unsupported,
            "/properties/a/anyOf/0",
            "uniqueItems",
        ),
        (r#"{"items": {"type": "strng"}}"#, Category::Invalid, "/items", "type"),
        (r#"{"allOf": [{"format": "regex", "maxLength": 3}]}"#, Category::Unsupported, "/allOf/0", "format"),
        (r##"{"$ref": "#/nowhere"}"##, Category::Reference, "", "$ref"),
        (r#"{"pattern": "(?<=a)b"}"#, Category::Unsupported, "", "pattern"),
        (r#"{"pattern": "("}"#, Category::Invalid, "", "pattern"),
        (r#"{"multipleOf": 123457}"#, Category::Limit, "", "multipleOf"),
        (r##"{"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}"##, Category::Invalid, "", "$ref"),
    ];
    for (schema, category, pointer, keyword) in cases {
        let error = compile(schema, &Options::default()).expect_err(schema);
        assert_eq!(
            (error.category(), error.pointer(), error.keyword()),
            (*category, Some(*pointer), Some(*keyword)),
            "{error}"
        );
    }
}

#[test]
fn emptiness_is_reported_or_pruned() {
    for (schema, pointer) in [
        ("false", ""),
        (r#"{"type": "string", "allOf": [{"type": "integer"}]}"#, ""),
        (
            r#"{"type": "object", "properties": {"a": {"type": "integer", "minimum": 5, "maximum": 4}}, "required": ["a"]}"#,
            "/properties/a",
        ),
        (r##"{"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}"##, ""),
        (r#"{"enum": []}"#, ""),
        (r#"{"type": "string", "pattern": "^a$", "minLength": 2}"#, ""),
    ] {
        let error = compile(schema, &Options::default()).expect_err(schema);
        assert_eq!((error.category(), error.pointer()), (Category::Empty, Some(pointer)), "{schema} {error}");
    }
    check(
        &[
            (
                r#"{"type": "object", "properties": {"a": {"type": "integer", "minimum": 5, "maximum": 4}, "b": true}, "additionalProperties": false}"#,
                &["{}", "{\"b\": 1}"],
                &["{\"a\": 1}"],
            ),
            (
                r#"{"type": "array", "items": {"type": "string", "pattern": "^a$", "minLength": 2}}"#,
                &["[]"],
                &["[\"a\"]"],
            ),
        ],
        &Options::default(),
    );
}

#[test]
fn negated_free_members() {
    check(
        &[
            (
                r#"{"type": "object", "not": {"properties": {"a": {"type": "integer"}}, "additionalProperties": false}}"#,
                &["{\"b\": 1}", "{\"a\": \"x\"}", "{\"a\": 1, \"b\": null}", "{\"b\": 1, \"c\": 2}"],
                &["{}", "{\"a\": 1}", "{\"\\u0061\": 2}", "[]"],
            ),
            (
                r#"{"type": "object", "not": {"additionalProperties": {"type": "integer"}}}"#,
                &["{\"a\": null}", "{\"a\": 1, \"b\": \"x\", \"c\": 2}"],
                &["{}", "{\"a\": 1}", "{\"a\": 1, \"b\": 2}"],
            ),
            (
                r#"{"type": "object", "not": {"patternProperties": {"^a": {"type": "string"}}}}"#,
                &["{\"ab\": 1}", "{\"b\": 1, \"a\": null, \"ac\": \"x\"}"],
                &["{}", "{\"a\": \"x\"}", "{\"b\": 1}"],
            ),
            (
                r#"{"type": "object", "not": {"propertyNames": {"enum": ["a", "b"]}}, "maxProperties": 2}"#,
                &["{\"c\": 1}", "{\"a\": 1, \"c\": 2}"],
                &["{}", "{\"a\": 1}", "{\"a\": 1, \"b\": 2}", "{\"c\": 1, \"d\": 2, \"e\": 3}"],
            ),
            (
                r#"{"oneOf": [
                    {"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "additionalProperties": false},
                    {"type": "object", "properties": {"a": {}, "c": {}}, "additionalProperties": false}]}"#,
                &["{\"a\": 1, \"b\": 2}", "{\"a\": \"x\"}", "{\"c\": 1}", "{\"b\": 1}"],
                &["{}", "{\"a\": 1}", "{\"b\": 1, \"c\": 2}", "{\"a\": \"x\", \"b\": 1}"],
            ),
            (
                r#"{"type": "object", "not": {"not": {"additionalProperties": {"type": "integer"}}}}"#,
                &["{}", "{\"a\": 1}"],
                &["{\"a\": null}"],
            ),
        ],
        &Options::default(),
    );
}

#[test]
fn negated_values_and_numbers() {
    check(
        &[
            (
                r#"{"type": "integer", "not": {"multipleOf": 7}, "minimum": 0}"#,
                &["1", "8", "20"],
                &["0", "7", "14", "-1"],
            ),
            (r#"{"type": "number", "not": {"multipleOf": 0.5}}"#, &["0.25", "-1.3"], &["1", "2.5", "0", "-0.50"]),
            (
                r#"{"not": {"enum": [{"a": 1, "b": [true]}, [1, null], {}, [], "x"]}}"#,
                &[
                    "{\"a\": 1}",
                    "{\"a\": 1, \"b\": [false]}",
                    "{\"a\": 1, \"b\": [true], \"c\": 0}",
                    "{\"a\": 2, \"b\": [true]}",
                    "[1]",
                    "[1, null, 2]",
                    "[1, 2]",
                    "\"y\"",
                ],
                &["{\"a\": 1, \"b\": [true]}", "[1, null]", "[1.0, null]", "{}", "[]", "\"x\""],
            ),
            (
                r#"{"type": "array", "not": {"prefixItems": [true], "items": {"type": "null"}}}"#,
                &["[1, 2]", "[null, null, 1]", "[1, 2, null]"],
                &["[]", "[1]", "[1, null]"],
            ),
        ],
        &Options::default(),
    );
}
