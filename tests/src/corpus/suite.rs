//! The JSON-Schema-Test-Suite: a folder with `tests/DRAFT/*.json` and `remotes/`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use glrmask_json_schema::json::{parse, Node, Value};

use super::{Entry, Instance, Test};

/// Where the suite says its remote documents are.
const REMOTES: &str = "http://localhost:1234/";

/// The remote documents of the suite in `folder`, by URI.
///
/// # Errors
/// A file cannot be read.
pub fn registry(folder: &Path) -> Result<BTreeMap<String, String>, String> {
    let folder = folder.join("remotes");
    let mut documents = BTreeMap::new();
    for path in files(&folder, true)? {
        let name = path.strip_prefix(&folder).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        documents.insert(format!("{REMOTES}{name}"), read(&path)?);
    }
    Ok(documents)
}

/// The tests of one draft (`draft7`); with `optional`, those of its folder `optional` instead.
///
/// A schema that does not say which draft it is written in is told here, as the suite expects of its users.
///
/// # Errors
/// A file cannot be read or is not in the layout of the suite.
pub fn suite(folder: &Path, draft: &str, optional: bool) -> Result<Vec<Entry>, String> {
    let mut folder = folder.join("tests").join(draft);
    if optional {
        folder.push("optional");
    }
    let mut entries = Vec::new();
    for path in files(&folder, optional)? {
        let group = path.strip_prefix(&folder).unwrap_or(&path).with_extension("").to_string_lossy().into_owned();
        let source = read(&path)?;
        let root = parse(&source, 600).map_err(|error| format!("{}: {error}", path.display()))?;
        for case in items(&root)? {
            entries.push(entry(case, &source, &group, draft)?);
        }
    }
    Ok(entries)
}

fn entry(case: &Node, source: &str, group: &str, draft: &str) -> Result<Entry, String> {
    let tests = items(member(case, "tests")?)?.iter().map(|test| {
        let instance = Instance::new(member(test, "data")?, source);
        Ok(Test { name: text(test, "description"), valid: member(test, "valid")?.value == Value::Bool(true), instance })
    });
    Ok(Entry {
        group: group.to_owned(),
        name: text(case, "description"),
        schema: with_dialect(member(case, "schema")?, source, draft),
        tests: tests.collect::<Result<_, String>>()?,
    })
}

fn with_dialect(schema: &Node, source: &str, draft: &str) -> String {
    let text = source.get(schema.bytes.0..schema.bytes.1).unwrap_or_default();
    let Value::Object(members) = &schema.value else { return text.to_owned() };
    let Some(name) = draft.strip_prefix("draft").filter(|_| !members.contains_key("$schema")) else {
        return text.to_owned();
    };
    let uri = match name.len() {
        1 => format!("http://json-schema.org/draft-0{name}/schema#"),
        _ => format!("https://json-schema.org/draft/{name}/schema"),
    };
    let separator = if members.is_empty() { "" } else { ", " };
    format!("{{\"$schema\": \"{uri}\"{separator}{}", text.get(1..).unwrap_or_default())
}

pub(super) fn member<'n>(node: &'n Node, key: &str) -> Result<&'n Node, String> {
    match &node.value {
        Value::Object(members) => members.get(key).ok_or_else(|| format!("no \"{key}\"")),
        _ => Err(format!("no object where \"{key}\" was expected")),
    }
}

pub(super) fn items(node: &Node) -> Result<&[Node], String> {
    match &node.value {
        Value::Array(items) => Ok(items),
        _ => Err("not an array".to_owned()),
    }
}

/// A string member; empty if there is none.
pub(super) fn text(node: &Node, key: &str) -> String {
    match member(node, key).map(|node| &node.value) {
        Ok(Value::String(text)) => text.clone(),
        _ => String::new(),
    }
}

pub(super) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The JSON files of a folder, sorted.
fn files(folder: &Path, deep: bool) -> Result<Vec<PathBuf>, String> {
    let fail = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    for item in fs::read_dir(folder).map_err(fail)? {
        let path = item.map_err(fail)?.path();
        if path.is_dir() && deep {
            found.extend(files(&path, deep)?);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
