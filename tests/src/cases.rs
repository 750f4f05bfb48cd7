//! Hand-written cases as data: `tests/cases/*.toml`, read from Rust here and from Python with `tomllib`.
//!
//! ```toml
//! [[case]]
//! name = "what is shown"
//! why = "which mistake it catches"
//! grammar = '''nt start = "a"+;'''        # GLRM
//! vocabulary = ['a', 'aa']                  # ids are positions, unless `ids` says otherwise; '' has no bytes
//! accepted = ['a', 'aaa']                   # members
//! rejected = ['', 'b']                      # no members (prefixes of members among them)
//! masks = { 'a' = ['a', 'aa'] }             # committed bytes = tokens allowed next; '<7>' is the token with id 7
//! markers = { 'a' = [[1, 0]] }              # what is committed = [offset, number] of each marker, by the last part
//! ```
//! Strings stand for bytes: `\xHH`, `\n` and `\\` are escapes. In texts and prefixes `<7>` commits the token with id 7.
//! `empty = true` expects a compile error.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;

use crate::case::Step;
use crate::vocabulary::Token;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<TextCase>,
}

/// A case as written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TextCase {
    /// What it shows; a test name.
    pub name: String,
    /// The root cause of the mistake it catches.
    pub why: String,
    /// GLRM text.
    pub grammar: String,
    /// Tokens.
    pub vocabulary: Vec<String>,
    /// Their ids, if they are not their positions.
    pub ids: Vec<u32>,
    /// End tokens.
    pub end_tokens: Vec<u32>,
    /// Members of the language.
    pub accepted: Vec<String>,
    /// Texts that are no members.
    pub rejected: Vec<String>,
    /// Committed bytes and the tokens allowed next.
    pub masks: BTreeMap<String, Vec<String>>,
    /// What is committed, and the markers that the last part of it makes possible, as offset and number.
    pub markers: BTreeMap<String, Vec<(usize, u32)>>,
    /// Is the language empty?
    pub empty: bool,
}

impl TextCase {
    /// Ids and bytes of the vocabulary.
    pub fn tokens(&self) -> Result<Vec<Token>, String> {
        let id = |i: usize| self.ids.get(i).copied().unwrap_or(i as u32);
        self.vocabulary.iter().enumerate().map(|(i, word)| Ok((id(i), unescape(word)?))).collect()
    }

    /// The ids meant by a list of allowed tokens, every alias included.
    pub fn ids(&self, allowed: &[String]) -> Result<BTreeSet<u32>, String> {
        let tokens = self.tokens()?;
        let mut ids = BTreeSet::new();
        for text in allowed {
            let named = text.strip_prefix('<').and_then(|t| t.strip_suffix('>')).and_then(|t| t.parse().ok());
            let word = unescape(text)?;
            let before = ids.len();
            match named {
                Some(id) => _ = ids.insert(id),
                None => ids.extend(tokens.iter().filter(|token| token.1 == word).map(|token| token.0)),
            }
            if ids.len() == before {
                return Err(format!("{text:?} is not in the vocabulary, or twice in the list"));
            }
        }
        Ok(ids)
    }
}

/// Every case of every `.toml` file in `folder`, files in order of their names.
pub fn load(folder: &Path) -> Result<Vec<TextCase>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    files.sort();
    let mut cases = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let file: File = toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
        cases.extend(file.case);
    }
    Ok(cases)
}

/// What is committed for `text`: bytes, and tokens written as `<7>`.
pub fn steps(text: &str) -> Result<Vec<Step>, String> {
    let (mut steps, mut rest) = (Vec::new(), text);
    while let Some((before, id, after)) = next_token(rest) {
        if !before.is_empty() {
            steps.push(Step::Bytes(unescape(before)?));
        }
        steps.push(Step::Token(id));
        rest = after;
    }
    if !rest.is_empty() {
        steps.push(Step::Bytes(unescape(rest)?));
    }
    Ok(steps)
}

/// The first `<7>` of `text`: what stands before it, the id, and what stands after it.
fn next_token(text: &str) -> Option<(&str, u32, &str)> {
    text.match_indices('<').find_map(|(at, _)| {
        let (id, after) = text[at + 1..].split_once('>')?;
        Some((&text[..at], id.parse().ok()?, after))
    })
}

/// The bytes that `text` stands for.
pub fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let (mut bytes, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find('\\') {
        bytes.extend(&rest.as_bytes()[..at]);
        let tail = &rest[at + 1..];
        let (byte, length) = match tail.as_bytes().first() {
            Some(b'n') => (b'\n', 1),
            Some(b'\\') => (b'\\', 1),
            Some(b'x') => {
                (u8::from_str_radix(tail.get(1..3).unwrap_or(""), 16).map_err(|e| format!("{text:?}: {e}"))?, 3)
            }
            _ => return Err(format!("{text:?}: unknown escape")),
        };
        bytes.push(byte);
        rest = &tail[length..];
    }
    bytes.extend(rest.as_bytes());
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::{steps, unescape, TextCase};
    use crate::case::Step;

    #[test]
    fn escapes_are_bytes() {
        assert_eq!(unescape("a\\x00\\xfF\\n\\\\é").unwrap(), b"a\x00\xff\n\\\xc3\xa9");
        assert!(["\\", "\\q", "\\x1", "\\xzz"].iter().all(|text| unescape(text).is_err()));
    }

    #[test]
    fn texts_are_bytes_and_tokens() {
        let bytes = |b: &[u8]| Step::Bytes(b.to_vec());
        let all = [bytes(b"a<b"), Step::Token(17), Step::Token(0), bytes(b"<x>\n")];
        assert_eq!(steps("a<b<17><0><x>\\n").unwrap(), all);
        assert_eq!(steps(""), Ok(vec![]));
    }

    #[test]
    fn allowed_tokens_stand_for_all_their_aliases() {
        let words = ["a", "b", "a"].map(str::to_owned).to_vec();
        let case = TextCase { vocabulary: words, ids: vec![5, 6, 9], ..TextCase::default() };
        let ids = |list: &[&str]| case.ids(&list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
        assert_eq!(ids(&["a", "<77>"]).unwrap().into_iter().collect::<Vec<_>>(), [5, 9, 77]);
        assert!(ids(&["c"]).is_err() && ids(&["a", "a"]).is_err());
    }
}
