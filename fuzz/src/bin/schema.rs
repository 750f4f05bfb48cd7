//! JSON Schemas: never a panic; what compiles to a grammar normalises, or says why not.

use glrmask_grammar::{normalize, NormalizeConfig};
use glrmask_json_schema::{compile, Options};

const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ", ",
    ": ",
    "\"type\": \"object\"",
    "\"type\": [\"string\", \"null\"]",
    "\"properties\": {\"a\": ",
    "\"required\": [\"a\"]",
    "\"additionalProperties\": ",
    "\"items\": ",
    "\"minItems\": 2",
    "\"maxItems\": 3",
    "\"enum\": [1, \"a\"]",
    "\"const\": ",
    "\"pattern\": \"^a+$\"",
    "\"minLength\": 1",
    "\"maxLength\": 5",
    "\"minimum\": ",
    "\"maximum\": ",
    "1e5",
    "-0.5",
    "7",
    "\"anyOf\": [",
    "\"allOf\": [",
    "\"$ref\": \"#/$defs/x\"",
    "\"$ref\": \"#\"",
    "\"$defs\": {\"x\": ",
    "true",
    "false",
    "null",
    "\"a\"",
    "\"format\": \"date\"",
    "\"\\u00e9\"",
    "1e999999999",
];

fn main() {
    fuzz::fuzz("schema", WORDS, |input| {
        let text = String::from_utf8_lossy(input);
        check(&text);
        check(&format!("{{{text}}}"));
        check(&format!(
            "{{\"type\": \"object\", \"properties\": {{\"k\": {{{text}}}}}, \"$defs\": {{\"x\": {{{text}}}}}}}"
        ));
    });
}

fn check(text: &str) {
    match compile(text, &Options::default()) {
        Ok(compiled) => drop(normalize(&compiled.grammar, &NormalizeConfig::default())),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
