//! Objects in any order, counted and remembered items, divisors, regular expressions as values: texts that must and must not be accepted.

#![allow(clippy::unwrap_used)]

mod support;

use glrmask_json_schema::{compile, Category, Limits, Options, PropertyOrder, Unsupported};
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

fn any_order() -> Options {
    Options { property_order: PropertyOrder::Any, ..Options::default() }
}

#[test]
fn keys_in_any_order_but_never_twice() {
    let cases: &[Case] = &[
        (
            r#"{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "null"}, "c": true}, "required": ["b"], "additionalProperties": false}"#,
            &[
                r#"{"b": null}"#,
                r#"{"b": null, "a": 1}"#,
                r#"{"a": 1, "b": null}"#,
                r#"{"c": [], "b": null, "a": 2}"#,
                r#"{"a": 1, "c": {}, "b": null}"#,
            ],
            &[
                "{}",
                r#"{"a": 1}"#,
                r#"{"b": null, "b": null}"#,
                r#"{"a": 1, "b": null, "a": 1}"#,
                r#"{"b": null, "d": 1}"#,
                r#"{"b": 1}"#,
                r#"{"b": null, "c": 1, "a": 2, "c": 3}"#,
                r#"{"b": null, "\u0061": 1}"#,
            ],
        ),
        (
            r#"{"type": "object", "properties": {"a": {"type": "integer"}}, "patternProperties": {"^x": {"type": "null"}}, "additionalProperties": {"type": "boolean"}, "minProperties": 1}"#,
            &[
                r#"{"x": null, "a": 1, "q": true}"#,
                r#"{"q": true, "x1": null, "r": false, "a": 3}"#,
                r#"{"x": null}"#,
                r#"{"a": 1}"#,
            ],
            &["{}", r#"{"a": 1, "x": true}"#, r#"{"q": null}"#, r#"{"a": 1, "q": true, "a": 1}"#],
        ),
        (
            r#"{"type": "object", "properties": {"a": true, "b": true, "c": true}, "additionalProperties": false, "minProperties": 2, "maxProperties": 2}"#,
            &[r#"{"a": 1, "b": 2}"#, r#"{"c": 1, "a": 2}"#, r#"{"b": 1, "c": 2}"#],
            &["{}", r#"{"a": 1}"#, r#"{"a": 1, "b": 2, "c": 3}"#, r#"{"a": 1, "a": 2}"#],
        ),
        (
            r#"{"type": "object", "properties": {"a": true}, "maxProperties": 2}"#,
            &["{}", r#"{"z": 1, "a": 2}"#, r#"{"y": 1, "z": 2}"#],
            &[r#"{"z": 1, "a": 2, "y": 1}"#],
        ),
        (
            r#"{"enum": [{"a": 1, "b": [{"c": 1, "d": "x"}]}]}"#,
            &[r#"{"a": 1, "b": [{"c": 1, "d": "x"}]}"#, r#"{"b": [{"d": "x", "c": 1}], "a": 1}"#],
            &[r#"{"a": 1}"#, r#"{"b": [{"d": "x"}], "a": 1}"#, r#"{"a": 1, "b": []}"#],
        ),
        (
            r#"{"type": "object", "dependentRequired": {"a": ["b"]}, "properties": {"a": true, "b": true}, "additionalProperties": false}"#,
            &["{}", r#"{"b": 1}"#, r#"{"b": 1, "a": 2}"#, r#"{"a": 1, "b": 2}"#],
            &[r#"{"a": 1}"#],
        ),
    ];
    check(cases, &any_order());
}

#[test]
fn too_many_keys_for_any_order() {
    let keys: Vec<String> = (0..30).map(|i| format!("\"k{i}\": true")).collect();
    let schema = format!(
        "{{\"properties\": {{\"o\": {{\"type\": \"object\", \"properties\": {{{}}}, \"required\": [\"k3\", \"k7\"]}}}}}}",
        keys.join(", ")
    );
    let compiled = compile(&schema, &any_order()).unwrap();
    assert!(compiled.warnings.is_empty() && compiled.grammar.instance.is_some());
    let recognizer = Recognizer::new(&compiled.grammar).unwrap();
    assert!(recognizer.accepts(r#"{"o": {"k9": 1, "k7": 2, "k0": 3, "k3": 4}}"#));
    assert!(!recognizer.accepts(r#"{"o": {"k9": 1, "k7": 2, "k7": 3, "k3": 4}}"#));
    assert!(!recognizer.accepts(r#"{"o": {"k9": 1, "k7": 2}}"#));
    assert!(!recognizer.accepts(r#"{"o": {"k9": 1, "k7": 2, "k9": 3, "k3": 4}}"#));
    // Counts beside it take a grammar that remembers all keys.
    let counted = schema.replace("\"required\"", "\"minProperties\": 4, \"additionalProperties\": false, \"required\"");
    for unsupported in [Unsupported::Error, Unsupported::Weaken] {
        let error = compile(&counted, &Options { unsupported, ..any_order() }).unwrap_err();
        assert_eq!((error.category(), error.pointer()), (Category::Limit, Some("/properties/o")));
        assert_eq!(error.numbers(), Some((1 << 30, Limits::default().facts as u64)));
    }
}

/// The ninth object and later ones go beyond what all objects may take before the run time remembers keys.
#[test]
fn where_members_count_no_key_is_repeated_in_any_of_many_objects() {
    let object = |i: usize| {
        format!(
            r#""o{i}": {{"type": "object", "minProperties": 2, "properties": {{"a{i}": true, "b{i}": true}},
                "additionalProperties": false}}"#
        )
    };
    let objects: Vec<String> = (0..12).map(object).collect();
    let schema = format!("{{\"properties\": {{{}}}}}", objects.join(", "));
    let limits = Limits { facts: 4, ..Limits::default() };
    let compiled = compile(&schema, &Options { limits, ..any_order() }).unwrap();
    assert!(compiled.warnings.is_empty());
    let recognizer = Recognizer::new(&compiled.grammar).unwrap();
    for i in 0..12 {
        assert!(recognizer.accepts(&format!(r#"{{"o{i}": {{"b{i}": 1, "a{i}": 2}}}}"#)), "{i}");
        assert!(!recognizer.accepts(&format!(r#"{{"o{i}": {{"a{i}": 1, "a{i}": 2}}}}"#)), "{i}");
    }
}

#[test]
fn required_keys_alone_are_no_reason_to_warn() {
    let keys: Vec<String> = (0..12).map(|i| format!("\"k{i}\"")).collect();
    let schema =
        format!("{{\"type\": \"object\", \"required\": [{}], \"additionalProperties\": {{}}}}", keys.join(", "));
    assert!(compile(&schema, &any_order()).unwrap().warnings.is_empty());
}

#[test]
fn many_objects_in_any_order() {
    let keys: Vec<String> = (0..10).map(|i| format!("\"k{i}\": true")).collect();
    let object =
        |i: usize| format!("\"o{i}\": {{\"required\": [\"r{i}\"], \"properties\": {{{}}}}}", keys[1..].join(", "));
    let objects: Vec<String> = (0..20).map(object).collect();
    let compiled = compile(&format!("{{\"properties\": {{{}}}}}", objects.join(", ")), &any_order()).unwrap();
    assert!(compiled.grammar.nonterminals.len() < 10_000, "{}", compiled.grammar.nonterminals.len());
    assert!(compiled.warnings.is_empty() && compiled.grammar.instance.is_some());
}

/// An alternative whose keys are finitely many, as no grammar in schema order sees to it that they do not run out.
#[test]
fn where_keys_may_run_out_optional_ones_may_be_repeated() {
    let keys: Vec<String> = (0..14).map(|i| format!("\"k{i}\": true")).collect();
    let schema = format!(
        r#"{{"anyOf": [{{"type": "object", "properties": {{{}}}, "required": ["k3"], "additionalProperties": false}},
            {{"type": "object", "maxProperties": 3, "propertyNames": {{"pattern": "^[a-z]{{2}}$"}}}}]}}"#,
        keys.join(", ")
    );
    let compiled = compile(&schema, &any_order()).unwrap();
    let [warning] = compiled.warnings.as_slice() else { panic!("{:?}", compiled.warnings) };
    assert_eq!((warning.pointer.as_str(), warning.keyword.as_str()), ("", "properties"));
    let recognizer = Recognizer::new(&compiled.grammar).unwrap();
    assert!(recognizer.accepts(r#"{"k9": 1, "k3": 2, "k9": 3}"#) && recognizer.accepts(r#"{"xy": 1}"#));
    assert!(!recognizer.accepts(r#"{"k9": 1}"#) && !recognizer.accepts(r#"{"k3": 1, "k3": 1}"#));
}

#[test]
fn optional_members_stay_linear() {
    let keys: Vec<String> = (0..2000).map(|i| format!("\"key{i}\": {{\"type\": \"integer\"}}")).collect();
    let schema = format!("{{\"type\": \"object\", \"properties\": {{{}}}}}", keys.join(", "));
    let compiled = compile(&schema, &Options::default()).unwrap();
    assert!(compiled.grammar.productions.len() < 13_000, "{}", compiled.grammar.productions.len());
    assert!(compiled.grammar.productions.iter().all(|p| p.rhs.len() <= 4));
}

/// Objects of `n` optional members, one of which may be required, with some of the members present.
fn choices(n: usize, required: Option<usize>, subsets: &[u128]) {
    let keys: Vec<String> = (0..n).map(|i| format!("\"k{i}\": {{\"const\": {i}}}")).collect();
    let list = required.map_or(String::new(), |i| format!("\"k{i}\""));
    let schema = format!(
        "{{\"type\": \"object\", \"properties\": {{{}}}, \"required\": [{list}], \"additionalProperties\": false}}",
        keys.join(", ")
    );
    let recognizer = Recognizer::new(&compile(&schema, &Options::default()).unwrap().grammar).unwrap();
    for subset in subsets {
        let mut present: Vec<String> =
            (0..n).filter(|i| subset >> i & 1 == 1).map(|i| format!("\"k{i}\": {i}")).collect();
        let text = format!("{{{}}}", present.join(", "));
        assert_eq!(recognizer.accepts(&text), required.is_none_or(|i| subset >> i & 1 == 1), "{text} {required:?}");
        if present.len() > 1 {
            present.swap(0, 1);
            assert!(!recognizer.accepts(&format!("{{{}}}", present.join(", "))), "swapped {text}");
        }
    }
}

#[test]
fn every_choice_of_optional_members() {
    let all: Vec<u128> = (0..32).collect();
    for required in [None, Some(0), Some(2), Some(4)] {
        choices(5, required, &all);
    }
    // Runs long enough to be trees.
    let some: Vec<u128> =
        (0..40).map(|i| (0x9e37_79b9_7f4a_7c15_u128 << (i % 7)).rotate_left(i * 13) & ((1 << 100) - 1)).collect();
    choices(100, None, &some);
    choices(100, Some(90), &some);
}

#[test]
fn several_contains() {
    check(
        &[
            (
                r#"{"type": "array", "contains": {"const": 1}, "allOf": [{"contains": {"const": 2}, "minContains": 2, "maxContains": 3}]}"#,
                &["[1, 2, 2]", "[2, 1, 2, 2]", "[0, 2, 2, 1, 1]"],
                &["[]", "[1, 2]", "[2, 2]", "[1, 2, 2, 2, 2]"],
            ),
            (
                r#"{"type": "array", "contains": {"minimum": 5}, "allOf": [{"contains": {"multipleOf": 2}}], "items": {"type": "integer"}}"#,
                &["[6]", "[5, 2]", "[2, 5]"],
                &["[5]", "[2]", "[]", "[7, 9]"],
            ),
            (
                r#"{"type": "array", "contains": {"const": 1}, "maxItems": 1500, "minItems": 3}"#,
                &["[0, 0, 1]", "[1, 1, 1]"],
                &["[0, 1]", "[0, 0, 0]"],
            ),
        ],
        &Options::default(),
    );
}

#[test]
fn unique_items_out_of_few_values() {
    check(
        &[
            (
                r#"{"type": "array", "items": {"enum": ["a", "b", 1]}, "uniqueItems": true}"#,
                &["[]", "[\"a\"]", "[1, \"a\"]", "[\"b\", 1.0, \"a\"]"],
                &["[\"a\", \"a\"]", "[1, 1.0]", "[\"a\", \"b\", 1, \"b\"]", "[2]"],
            ),
            (
                r#"{"type": "array", "items": {"type": ["boolean", "null"]}, "uniqueItems": true, "minItems": 2, "contains": {"const": true}}"#,
                &["[true, false]", "[null, true]", "[false, null, true]"],
                &["[true]", "[true, true]", "[false, null]", "[]"],
            ),
            (
                r#"{"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 20}, "uniqueItems": true, "maxItems": 2}"#,
                &["[]", "[1, 20]", "[20, 3]"],
                &["[3, 3]", "[1, 2, 3]", "[21]"],
            ),
            (
                r#"{"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false, "uniqueItems": true}"#,
                &["[]", "[\"x\"]", "[\"x\", 1]"],
                &["[1]", "[\"x\", 1, 2]"],
            ),
            (
                r#"{"type": "array", "items": {"type": "object", "properties": {"a": {"enum": [1, 2]}}, "additionalProperties": false}, "uniqueItems": true}"#,
                &["[{}, {\"a\": 1}]", "[{\"a\": 2}, {\"a\": 1}, {}]"],
                &["[{}, {}]", "[{\"a\": 1}, {\"a\": 1}]"],
            ),
            (
                r#"{"type": "array", "items": {"type": "string", "pattern": "^[ab]$"}, "uniqueItems": true}"#,
                &["[\"a\", \"b\"]"],
                &["[\"a\", \"a\"]", "[\"c\"]"],
            ),
        ],
        &Options::default(),
    );
    let unbounded =
        r#"{"anyOf": [{"items": {"type": "string"}, "uniqueItems": true}, {"items": {"const": "a"}, "minItems": 2}]}"#;
    let error = compile(unbounded, &Options::default()).unwrap_err();
    assert_eq!((error.category(), error.keyword()), (Category::Unsupported, Some("uniqueItems")));
    let weaken = Options { unsupported: Unsupported::Weaken, ..Options::default() };
    assert_eq!(compile(unbounded, &weaken).unwrap().warnings[0].keyword, "uniqueItems");
}

#[test]
fn few_free_keys_can_be_counted() {
    check(
        &[
            (
                r#"{"type": "object", "propertyNames": {"enum": ["a", "b", "c"]}, "minProperties": 2}"#,
                &["{\"a\": 1, \"b\": 2}", "{\"a\": 1, \"b\": 2, \"c\": 3}", "{\"b\": 1, \"c\": 2}"],
                &["{\"a\": 1}", "{\"a\": 1, \"a\": 2}", "{\"d\": 1, \"e\": 2}"],
            ),
            (
                r#"{"type": "object", "patternProperties": {"^x[12]$": {"type": "null"}}, "additionalProperties": false, "minProperties": 2}"#,
                &["{\"x1\": null, \"x2\": null}"],
                &["{\"x1\": null}", "{\"x1\": null, \"x1\": null}"],
            ),
        ],
        &Options::default(),
    );
    let bomb = compile(r#"{"type": "object", "maxProperties": 4000000000}"#, &Options::default()).unwrap_err();
    assert_eq!(bomb.category(), Category::Limit);
}

#[test]
fn divisors() {
    check(
        &[
            (
                r#"{"type": "integer", "multipleOf": 7, "minimum": -20, "maximum": 1000}"#,
                &["0", "7", "-14", "994", "21.0"],
                &["1", "-21", "1001", "7.7", "6", "007"],
            ),
            (
                r#"{"type": "number", "multipleOf": 0.3}"#,
                &["0.3", "-0.6", "3", "0.90", "1.2"],
                &["0.1", "1", "0.31", "0.03"],
            ),
            (
                r#"{"type": "number", "multipleOf": 864e5}"#,
                &["0", "86400000", "172800000.0"],
                &["864", "86400001", "8640000"],
            ),
            (
                r#"{"allOf": [{"multipleOf": 6}, {"multipleOf": 10}], "type": "number"}"#,
                &["30", "-60"],
                &["6", "10", "45"],
            ),
        ],
        &Options::default(),
    );
}

#[test]
fn regular_expressions_as_values() {
    check(
        &[(
            r#"{"type": "string", "format": "regex"}"#,
            &[
                r#""""#,
                r#""^([abc])+\\s+$""#,
                r#""(?:a|b){2,10}c{3}?d{4,}""#,
                r#""[^a-z\\d_-]|[-+]|[]|[^]""#,
                r#""(?=x)(?!y)(?<=a+)b""#,
                r#""\\cA\\x41\\u00e9\\.é{12,13}""#,
                r#""\\b.*?""#,
            ],
            &[
                r#""^(abc]""#,
                r#""a**""#,
                r#""*""#,
                r#""\\a""#,
                r#""(?P<name>x)""#,
                r#""(?i)a""#,
                r#""(?#c)a""#,
                r#""[z-a]""#,
                r#""a{3,2}""#,
                r#""a{12,11}""#,
                r#""a{12,9}""#,
                r#""[""#,
                r#""\\""#,
                r#""a)""#,
            ],
        )],
        &Options::default(),
    );
}

/// A run of letters between short ends is counted without the product of pattern and length.
#[test]
fn long_runs_between_short_ends() {
    let schema =
        r#"{"type": "string", "pattern": "^data:(a|bcd|\\n);[A-Zé]*={0,2}$", "minLength": 4995, "maxLength": 5000}"#;
    let recognizer = Recognizer::new(&compile(schema, &Options::default()).unwrap().grammar).unwrap();
    for (head, ends, at_ends) in [("data:a;", 7, "="), ("data:bcd;", 9, ""), ("data:\\n;", 7, "==")] {
        for length in [0, 100, 4994, 4995, 4998, 5000, 5001, 6000] {
            let run = length.max(ends + at_ends.len()) - ends - at_ends.len();
            let letters: String = (0..run).map(|i| if i % 7 == 0 { 'é' } else { 'Q' }).collect();
            let text = format!("\"{head}{letters}{at_ends}\"");
            assert_eq!(recognizer.accepts(&text), (4995..=5000).contains(&length), "{head} {length} {at_ends}");
        }
    }
    assert!(!recognizer.accepts(&format!("\"data:b;{}\"", "A".repeat(4990))));
    assert!(!recognizer.accepts(&format!("\"data:a;{}q\"", "A".repeat(4990))));
    let short = r#"{"type": "string", "pattern": "^[a-z]{0,30}x{5001,}$", "maxLength": 5000}"#;
    assert_eq!(compile(short, &Options::default()).unwrap_err().category(), Category::Empty);
}
