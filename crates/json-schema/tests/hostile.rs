//! Deep, wide and broken schemas: an error or a grammar, never a panic, an overflow or unbounded work.

use glrmask_json_schema::{compile, Category, Limits, Options, Unsupported};
use proptest::prelude::*;

#[test]
fn deep_schemas_do_not_overflow() {
    for (open, close) in [
        ("{\"items\": ", "}"),
        ("{\"not\": ", "}"),
        ("{\"allOf\": [", "]}"),
        ("{\"anyOf\": [", "]}"),
        ("{\"oneOf\": [{\"type\": \"null\"}, ", "]}"),
        ("{\"properties\": {\"a\": ", "}}"),
        ("{\"if\": ", ", \"then\": true}"),
        ("{\"const\": [", "]}"),
        ("[", "]"),
    ] {
        for depth in [100, 250, 511, 100_000] {
            let text = format!("{}true{}", open.repeat(depth), close.repeat(depth));
            let limits = Limits { steps: 2_000, ..Limits::default() };
            if let Err(error) = compile(&text, &Options { limits, ..Options::default() }) {
                assert_ne!(error.category(), Category::Syntax, "{open} {error}");
            }
        }
    }
}

#[test]
fn long_chains_of_references_do_not_overflow() {
    let links = (0..5000).map(|i| format!("\"d{i}\": {{\"$ref\": \"#/$defs/d{}\", \"maxLength\": {}}}", i + 1, i + 1));
    let text = format!(
        "{{\"$ref\": \"#/$defs/d0\", \"$defs\": {{{}, \"d5000\": {{}}}}}}",
        links.collect::<Vec<_>>().join(", ")
    );
    assert!(compile(&text, &Options::default()).is_ok());
}

#[test]
fn wide_schemas_stay_linear() {
    let members = (0..2000).map(|i| format!("\"key{i}\": {{\"type\": \"string\", \"maxLength\": {}}}", i % 7));
    let text = format!("{{\"type\": \"object\", \"properties\": {{{}}}}}", members.collect::<Vec<_>>().join(", "));
    let grammar = compile(&text, &Options::default()).unwrap().grammar;
    assert!(grammar.productions.len() < 13_000, "{}", grammar.productions.len());
    let values = (0..20_000).map(|i| format!("\"value {i}\"")).collect::<Vec<_>>().join(", ");
    let grammar = compile(&format!("{{\"enum\": [{values}]}}"), &Options::default()).unwrap().grammar;
    assert_eq!(grammar.terminals.len(), 1);
}

#[test]
fn limits_are_named() {
    let limited = |text: &str, limits: Limits| {
        let error = compile(text, &Options { limits, ..Options::default() }).unwrap_err();
        assert_eq!(error.category(), Category::Limit, "{error}");
        error.numbers().unwrap()
    };
    assert_eq!(limited("{\"a\": [[]]}", Limits { depth: 2, ..Limits::default() }), (3, 2));
    assert_eq!(limited("{        }", Limits { schema_bytes: 5, ..Limits::default() }), (10, 5));
    assert_eq!(limited("{\"maximum\": 1e30}", Limits { digits: 20, ..Limits::default() }), (31, 20));
    assert_eq!(limited("{\"type\": \"number\", \"not\": {\"const\": 1e2000}}", Limits::default()), (2001, 1000));
    let product = (0..12).map(|i| format!("{{\"anyOf\": [{{\"minLength\": {i}}}, {{\"minimum\": {i}}}]}}"));
    let product = format!("{{\"allOf\": [{}]}}", product.collect::<Vec<_>>().join(", "));
    assert_eq!(limited(&product, Limits { branches: 100, ..Limits::default() }).1, 100);
    assert_eq!(limited("{\"items\": {\"minItems\": 1}}", Limits { productions: 3, ..Limits::default() }), (4, 3));
    limited("{\"minItems\": 1e999999999}", Limits::default());
    assert_eq!(limited("{\"minItems\": 4294967299.0}", Limits::default()), (4_294_967_299, u64::from(u32::MAX) - 1));
    for (given, told) in [("1e30", format!("1{} given", "0".repeat(30))), ("12e500", "1.2e501 given".into())] {
        let error = compile(&format!("{{\"minLength\": {given}}}"), &Options::default()).unwrap_err();
        assert!(error.to_string().contains(&told) && error.numbers().unwrap().0 == u64::MAX, "{error}");
    }
    limited("{\"maximum\": 1e999999999}", Limits::default());
}

#[test]
fn weakening_lists_what_it_drops() {
    let options = Options { unsupported: Unsupported::Weaken, ..Options::default() };
    let text = r#"{"anyOf": [{"type": "array", "uniqueItems": true, "items": {"format": "regex", "minLength": 1}},
                             {"type": "array", "minItems": 2, "items": {"type": "null"}}]}"#;
    let compiled = compile(text, &options).unwrap();
    let mut dropped: Vec<_> = compiled.warnings.iter().map(|w| (w.pointer.as_str(), w.keyword.as_str())).collect();
    dropped.sort_unstable();
    assert_eq!(dropped, [("/anyOf/0", "uniqueItems"), ("/anyOf/0/items", "format")]);
}

proptest! {
    #[test]
    fn garbage_never_panics(text in "(\\{\"(items|not|type|\\$ref|enum|pattern|anyOf|required|minLength|properties)\": ?)?[\\[\\]{}\",:0-9a-u\\\\ .é#/$-]{0,30}") {
        let _ = compile(&text, &Options::default());
    }
}
