//! `%regex { "substring_words": "…" }` of llguidance: the runs of consecutive chunks of a text.
//!
//! The language is `ε | c₁(c₂(c₃…)?)? | c₂(c₃…)? | …`: every suffix of the list of chunks, cut anywhere after a chunk.

use glrmask_automata::Regex;

use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::ir::Span;

/// Most chunks: the expression nests as deeply as there are chunks.
const MAX_CHUNKS: usize = 200;

/// What is wrong with a block.
pub(super) struct BlockError {
    kind: DiagnosticKind,
    message: String,
}

impl BlockError {
    fn syntax(message: &str) -> Self {
        Self { kind: DiagnosticKind::Syntax, message: message.to_owned() }
    }
    pub(super) fn at(self, span: Span) -> Option<Diagnostic> {
        Some(Diagnostic::new(self.kind, self.message, Some(span)))
    }
}

/// Reads the JSON object of a `%regex`.
pub(super) fn parse(text: &str) -> Result<Regex, BlockError> {
    let value: serde_json::Value =
        serde_json::from_str(text).map_err(|e| BlockError::syntax(&format!("`%regex` holds no JSON: {e}")))?;
    let Some((key, value)) = value.as_object().filter(|o| o.len() == 1).and_then(|o| o.iter().next()) else {
        return Err(BlockError::syntax("`%regex` takes exactly one key"));
    };
    let chunks = match (key.as_str(), value) {
        ("substring_chunks", serde_json::Value::Array(list)) => {
            list.iter().map(|v| v.as_str().map(str::to_owned)).collect()
        }
        ("substring_words", serde_json::Value::String(text)) => Some(words(text)),
        ("substring_chars", serde_json::Value::String(text)) => Some(text.chars().map(String::from).collect()),
        _ => {
            let message =
                format!("`%regex` with the key `{key}` (known: substring_chunks, substring_words, substring_chars)");
            return Err(BlockError { kind: DiagnosticKind::Unsupported, message });
        }
    };
    let chunks: Vec<String> = chunks.ok_or_else(|| BlockError::syntax("`substring_chunks` takes strings"))?;
    if chunks.len() > MAX_CHUNKS {
        let kind = DiagnosticKind::Limit { limit: MAX_CHUNKS as u64, given: chunks.len() as u64 };
        return Err(BlockError {
            kind,
            message: format!("chunks of a substring: limit {MAX_CHUNKS}, given {}", chunks.len()),
        });
    }
    Ok(substring(&chunks))
}

/// Maximal runs of letters and digits, and the characters between them one run each.
fn words(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let class = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            0
        } else if c.is_whitespace() {
            1
        } else {
            2
        }
    };
    for c in text.chars() {
        match out.last_mut() {
            Some(last) if class(c) < 2 && last.chars().next_back().is_some_and(|b| class(b) == class(c)) => {
                last.push(c)
            }
            _ => out.push(c.to_string()),
        }
    }
    out
}

fn substring(chunks: &[String]) -> Regex {
    let mut suffix = Regex::epsilon();
    let mut all = vec![Regex::epsilon()];
    for chunk in chunks.iter().rev() {
        suffix = Regex::concat([Regex::literal(chunk), suffix.optional()]);
        all.push(suffix.clone());
    }
    Regex::alternate(all)
}
