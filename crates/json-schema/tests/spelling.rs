//! Spellings of strings: escapes and raw characters, in values, keys, patterns and formats.

#![allow(clippy::unwrap_used)]

mod support;

use glrmask_json_schema::{compile, Escapes, Options};
use support::Recognizer;

const SCHEMA: &str = r#"{"type": "object", "properties": {"aé": {"enum": ["x/", "😀"]}, "n": {"type": "string"},
    "p": {"type": "string", "pattern": "^[à-ü]+$", "maxLength": 2}}, "additionalProperties": {"type": "null"}}"#;

/// Which of the texts are accepted.
fn verdicts(escapes: Escapes, ensure_ascii: bool, texts: &[&str]) -> Vec<bool> {
    let options = Options { escapes, ensure_ascii, ..Options::default() };
    let recognizer = Recognizer::new(&compile(SCHEMA, &options).unwrap().grammar).unwrap();
    texts.iter().map(|text| recognizer.accepts(text)).collect()
}

const TEXTS: [&str; 10] = [
    r#"{"aé": "x/"}"#,
    r#"{"a\u00e9": "\ud83d\ude00"}"#,
    r#"{"a\u00E9": "x\/"}"#,
    r#"{"n": "\u0041\/"}"#,
    r#"{"n": "é"}"#,
    r#"{"n": "\u00e9"}"#,
    r#"{"p": "éà"}"#,
    r#"{"p": "\u00e9"}"#,
    r#"{"q\u0041": null}"#,
    r#"{"é": null}"#,
];

fn expect(escapes: Escapes, ensure_ascii: bool, accepted: &str) {
    let accepted: Vec<bool> = accepted.chars().map(|c| c == '+').collect();
    let given = verdicts(escapes, ensure_ascii, &TEXTS);
    for ((text, given), accepted) in TEXTS.iter().zip(given).zip(accepted) {
        assert_eq!(given, accepted, "{escapes:?} {ensure_ascii} {text}");
    }
}

#[test]
fn spellings_by_option() {
    expect(Escapes::Natural, false, "+--++++--+");
    expect(Escapes::Canonical, false, "+---+-+--+");
    expect(Escapes::Any, false, "++++++++++");
    expect(Escapes::Natural, true, "-+-+-+-+--");
    expect(Escapes::Canonical, true, "-+---+-+--");
    expect(Escapes::Any, true, "-+++-+-++-");
}

#[test]
fn a_named_key_never_passes_as_a_free_one() {
    for escapes in [Escapes::Natural, Escapes::Canonical, Escapes::Any] {
        for ensure_ascii in [false, true] {
            let bad = [
                r#"{"a\u00e9": null}"#,
                r#"{"\u0061\u00e9": null}"#,
                r#"{"aé": null}"#,
                r#"{"\u006e": null}"#,
                r#"{"p": "\u0061"}"#,
                r#"{"p": "\u00e9\u00e9\u00e9"}"#,
                r#"{"n": "\ud83d"}"#,
            ];
            assert_eq!(verdicts(escapes, ensure_ascii, &bad), [false; 7], "{escapes:?} {ensure_ascii}");
        }
    }
}
