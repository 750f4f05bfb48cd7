//! The string languages a document mentions (patterns and formats), each compiled at most once.

use std::cell::OnceCell;

use glrmask_automata::{AutomataError, Dfa, Regex, RegexKind, StateId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ecma::{self, PatternError};
use crate::error::{Result, SchemaError};
use crate::spell::Spelling;

/// A language in [`Languages`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct LanguageId(usize);

struct Language {
    pattern: String,
    /// Contents of JSON strings, without quotes.
    content: Regex,
    automaton: OnceCell<Dfa>,
}

/// String languages by pattern.
#[derive(Default)]
pub(crate) struct Languages {
    spelling: Spelling,
    any_char: Option<Regex>,
    languages: Vec<Language>,
    by_pattern: FxHashMap<String, LanguageId>,
}

impl Languages {
    /// No language yet; all of them will be spelled like this.
    pub(crate) fn new(spelling: Spelling) -> Self {
        Self { spelling, any_char: Some(spelling.any_char()), ..Self::default() }
    }
    /// Any character.
    pub(crate) fn any_char(&self) -> Regex {
        self.any_char.clone().unwrap_or_else(|| self.spelling.any_char())
    }
    /// How the characters of all languages are spelled.
    pub(crate) fn spelling(&self) -> Spelling {
        self.spelling
    }
    /// The language of the strings in which an ECMA-262 pattern is found.
    pub(crate) fn pattern(&mut self, pattern: &str) -> std::result::Result<LanguageId, PatternError> {
        if let Some(&id) = self.by_pattern.get(pattern) {
            return Ok(id);
        }
        let content = ecma::compile_with(pattern, &|ranges| match ranges {
            [(0, 0x10_ffff)] => self.any_char(),
            _ => self.spelling.class(ranges),
        })?;
        let id = LanguageId(self.languages.len());
        self.languages.push(Language { pattern: pattern.to_owned(), content, automaton: OnceCell::new() });
        self.by_pattern.insert(pattern.to_owned(), id);
        Ok(id)
    }
    /// The contents of the strings of a language.
    pub(crate) fn content(&self, id: LanguageId) -> Regex {
        self.languages[id.0].content.clone()
    }
    /// The strings of a language as they are, in UTF-8.
    pub(crate) fn plain(&self, id: LanguageId) -> Regex {
        // It is a pattern: it was compiled before.
        ecma::in_utf8(&self.languages[id.0].pattern).unwrap_or_else(|_| Regex::empty())
    }
    /// Whether a string is in the language.
    pub(crate) fn contains(&self, id: LanguageId, text: &str, limits: &crate::Limits) -> Result<bool> {
        Ok(self.automaton(id, limits)?.accepts(self.spelling.canonical(text).as_bytes()))
    }
    /// The minimal automaton of the contents.
    pub(crate) fn automaton(&self, id: LanguageId, limits: &crate::Limits) -> Result<&Dfa> {
        let language = &self.languages[id.0];
        if let Some(dfa) = language.automaton.get() {
            return Ok(dfa);
        }
        let dfa = compile(&language.content, limits)?;
        Ok(language.automaton.get_or_init(|| dfa))
    }
}

/// Bytes of the shortest string, as the expression is written: `None` if a Boolean operation hides it, or if there is
/// none. Recursion is bounded by the depth of expressions that compile.
pub(crate) fn written_shortest(regex: &Regex) -> Option<u64> {
    if regex.depth() > Regex::MAX_DEPTH {
        return None;
    }
    match regex.kind() {
        RegexKind::Empty | RegexKind::Intersect(..) | RegexKind::Difference(..) => None,
        RegexKind::Epsilon => Some(0),
        RegexKind::Bytes(_) => Some(1),
        RegexKind::Concat(parts) => parts.iter().try_fold(0u64, |sum, part| sum.checked_add(written_shortest(part)?)),
        RegexKind::Alternate(parts) => {
            let lengths: Option<Vec<u64>> = parts.iter().map(written_shortest).collect();
            lengths?.into_iter().min()
        }
        RegexKind::Repeat { inner, min, .. } => written_shortest(inner)?.checked_mul(u64::from(*min)),
    }
}

/// Bytes of the shortest accepted string.
pub(crate) fn shortest(dfa: &Dfa) -> Option<usize> {
    let mut level: Vec<StateId> = vec![dfa.start()];
    let mut seen: FxHashSet<StateId> = level.iter().copied().collect();
    for length in 0..=dfa.len() {
        if level.iter().any(|&state| dfa.is_accepting(state)) {
            return Some(length);
        }
        let next = level.iter().flat_map(|&state| dfa.transitions(state)).map(|(_, target)| target);
        level = next.filter(|&target| seen.insert(target)).collect();
    }
    None
}

/// The automaton of a regular expression, within the limits.
pub(crate) fn compile(regex: &Regex, limits: &crate::Limits) -> Result<Dfa> {
    regex.compile(&bounds(limits)).map_err(|error| automaton_error(&error, limits))
}

/// Bounds on automata.
pub(crate) fn bounds(limits: &crate::Limits) -> glrmask_automata::Limits {
    glrmask_automata::Limits { states: limits.regex_states, ..Default::default() }
}

/// What an automaton that cannot be built means here.
pub(crate) fn automaton_error(error: &AutomataError, limits: &crate::Limits) -> SchemaError {
    if error.is_limit() {
        let mut limit = SchemaError::limit("states of an automaton", limits.regex_states + 1, limits.regex_states);
        limit.explain(&error.to_string());
        limit
    } else {
        SchemaError::unsupported(error.to_string())
    }
}
