//! Patterns: parse, compile, and agree with the `regex` crate on short texts.

use glrmask_automata::{Dfa, Limits, ParseConfig, Regex};

const WORDS: &[&str] = &[
    "(",
    ")",
    "(?:",
    "|",
    "*",
    "+",
    "?",
    "+?",
    "{2}",
    "{0,3}",
    "{2,}",
    "{1,50}",
    "[a-c]",
    "[^a]",
    "[^\\x00-\\x1f]",
    "[",
    "]",
    "-",
    "^",
    "$",
    "\\d",
    "\\w",
    "\\s",
    "\\b",
    "\\pL",
    "\\x{10FFFF}",
    "\\n",
    "\\",
    ".",
    "a",
    "b",
    "abc",
    "é",
    "日",
    "ß",
    "(?i)",
    "(?s)",
    "(?-u:\\xff)",
    "(?x)",
    "&&",
    "[[:alpha:]]",
    "1",
    ",",
    "\"",
];

fn main() {
    let config = ParseConfig { nest_limit: 50, ..ParseConfig::default() };
    let limits = Limits { states: 2_000, nfa_states: 20_000 };
    fuzz::fuzz("regex", WORDS, |input| {
        let Ok(pattern) = std::str::from_utf8(input) else { return };
        let Ok(regex) = Regex::parse(pattern, &config) else { return };
        let Ok(dfa) = regex.compile(&limits) else { return };
        if let Err(error) = dfa.check_invariants() {
            panic!("{error}");
        }
        assert_eq!(regex.matches_empty(), dfa.accepts(b""));
        compare(pattern, &dfa);
    });
}

/// On the shortest text the automaton accepts, on neighbours of it, and on a few fixed ones.
fn compare(pattern: &str, dfa: &Dfa) {
    let whole = format!("^(?:{pattern})$");
    let Ok(reference) = regex::bytes::RegexBuilder::new(&whole).size_limit(1 << 20).build() else { return };
    let shortest = dfa.shortest_match(dfa.start());
    let mut texts: Vec<Vec<u8>> =
        ["", "a", "b", "abc", "A", "é", "1", "\n"].map(|text| text.as_bytes().to_vec()).into();
    if let Some(text) = shortest {
        texts.extend((0..text.len()).map(|end| text[..end].to_vec()));
        texts.push([&text[..], &text[..]].concat());
        texts.push([&text[..], b"a"].concat());
        texts.push(text);
    }
    for text in texts {
        assert_eq!(dfa.accepts(&text), reference.is_match(&text), "on \"{}\"", text.escape_ascii());
    }
}
