//! Cases of each keyword, as data: `keywords/*.json` beside the files of `src/load/keyword`.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use glrmask_json_schema::json::{self, Node, Value};
use glrmask_json_schema::{compile, Options};
use support::Recognizer;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn stems(folder: &Path) -> BTreeSet<String> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

fn member<'n>(node: &'n Node, key: &str) -> &'n Node {
    let Value::Object(members) = &node.value else { panic!("an object") };
    members.get(key).unwrap_or_else(|| panic!("{key} is missing"))
}

fn items(node: &Node) -> &[Node] {
    let Value::Array(items) = &node.value else { panic!("an array") };
    items
}

#[test]
fn every_keyword_has_cases() {
    let mut keywords = stems(&folder("src/load/keyword"));
    keywords.remove("mod");
    assert_eq!(keywords, stems(&folder("tests/keywords")));
}

#[test]
fn texts_are_accepted_and_refused() {
    for name in stems(&folder("tests/keywords")) {
        let text = fs::read_to_string(folder("tests/keywords").join(&name).with_extension("json")).unwrap();
        let root = json::parse(&text, 100).unwrap();
        assert!(!items(&root).is_empty(), "{name}");
        for case in items(&root) {
            let (start, end) = member(case, "schema").bytes;
            let schema = &text[start..end];
            let compiled = compile(schema, &Options::default()).unwrap_or_else(|error| panic!("{schema}: {error}"));
            let recognizer = Recognizer::new(&compiled.grammar).unwrap();
            for (list, expected) in [("accepts", true), ("refuses", false)] {
                assert!(!items(member(case, list)).is_empty(), "{schema} {list} nothing");
                for node in items(member(case, list)) {
                    let Value::String(text) = &node.value else { panic!("{name}: a text") };
                    assert_eq!(recognizer.accepts(text), expected, "{schema} {list} {text}");
                }
            }
        }
    }
}
