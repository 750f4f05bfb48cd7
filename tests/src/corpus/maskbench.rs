//! MaskBench: lines of `{"id": …, "schema": …, "tests": [{"valid": …, "data": …}, …]}`.

use std::path::Path;

use glrmask_json_schema::json::{parse, Node, Value};

use super::suite::{items, member, read, text};
use super::{Entry, Instance, Test};

/// The schemas of a file of lines; with `ids`, only those.
///
/// # Errors
/// The file cannot be read or is not in this layout.
pub fn maskbench(path: &Path, ids: Option<&[String]>) -> Result<Vec<Entry>, String> {
    let source = read(path)?;
    let mut entries = Vec::new();
    for line in source.lines().filter(|line| !line.trim().is_empty()) {
        let root = parse(line, 600).map_err(|error| error.to_string())?;
        let entry = entry(&root, line)?;
        if ids.is_none_or(|ids| ids.contains(&entry.name)) {
            entries.push(entry);
        }
    }
    Ok(entries)
}

fn entry(root: &Node, line: &str) -> Result<Entry, String> {
    let name = text(root, "id");
    let tests = items(member(root, "tests")?)?.iter().map(|test| {
        let instance = Instance::new(member(test, "data")?, line);
        Ok(Test { name: String::new(), valid: member(test, "valid")?.value == Value::Bool(true), instance })
    });
    let (start, end) = member(root, "schema")?.bytes;
    Ok(Entry {
        group: name.split(['-', '_']).next().unwrap_or_default().to_owned(),
        schema: line.get(start..end).unwrap_or_default().to_owned(),
        tests: tests.collect::<Result<_, String>>()?,
        name,
    })
}
