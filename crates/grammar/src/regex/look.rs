//! Look-ahead and look-behind, where what they find is part of the lexeme.
//!
//! A sequence is put together from the left. A look-behind `(?<!p)` keeps those words so far that do not end with p; a
//! look-ahead `(?!p)` keeps those of the rest that do not begin with p. Both are regular. A lexer, however, lets them
//! see the text beyond the lexeme: that has no meaning for a terminal by itself, so it has to be impossible. The words so
//! far are at least as long as the longest match of a look-behind, and no word of the rest is the beginning of a match of
//! a look-ahead without having one.

use glrmask_automata::{Dfa, Limits, Nfa, Regex, RegexKind};

use super::extended::{Extended, Kind, LanguageError};
use super::lazy::{flatten, is_prefix_free, shortest};

type Result<T> = std::result::Result<T, LanguageError>;

/// Most sequences looked at: alternatives with assertions are told apart.
const MAX_SEQUENCES: usize = 1000;

/// The language of an expression with assertions.
pub(super) fn language(expression: &Extended) -> Result<Regex> {
    if let Kind::Alternate(branches) = expression.kind() {
        let branches = branches.iter().map(Extended::language).collect::<Result<Vec<_>>>()?;
        return Ok(Regex::alternate(branches));
    }
    let parts = flatten(expression);
    let whole = Sequences { left: MAX_SEQUENCES }.sequence(Regex::epsilon(), &parts)?;
    match parts.iter().rposition(is_lazy) {
        None => Ok(whole),
        Some(last) => {
            let rest = parts.iter().skip(last + 1).filter(|part| !matches!(part.kind(), Kind::Look { .. }));
            let rest = Regex::concat(rest.map(Extended::forget_laziness).collect::<Vec<_>>());
            match is_prefix_free(&rest)? {
                true => Ok(shortest(&whole)),
                false => Err(unsupported("a lazy quantifier beside an assertion, with a greedy choice after it")),
            }
        }
    }
}

fn unsupported(what: impl Into<String>) -> LanguageError {
    LanguageError::Unsupported(what.into())
}

fn beyond(expression: &Extended) -> LanguageError {
    let spelling = expression.assertion().unwrap_or_default();
    unsupported(format!("the assertion `{spelling}`, which depends on text beyond the lexeme,"))
}

/// Whether there is a choice to prefer.
fn is_lazy(part: &Extended) -> bool {
    match part.kind() {
        Kind::Plain(_) | Kind::Look { .. } | Kind::Assertion(_) => false,
        Kind::Repeat { inner, lazy, .. } => *lazy || is_lazy(inner),
        Kind::Concat(parts) | Kind::Alternate(parts) => parts.iter().any(is_lazy),
    }
}

struct Sequences {
    /// How many more may be looked at.
    left: usize,
}

impl Sequences {
    /// Words of `before` followed by the parts.
    fn sequence(&mut self, before: Regex, parts: &[Extended]) -> Result<Regex> {
        self.left = self.left.checked_sub(1).ok_or_else(|| unsupported("so many alternatives with assertions"))?;
        let mut before = before;
        for (i, part) in parts.iter().enumerate() {
            let rest = parts.get(i + 1..).unwrap_or_default();
            before = match part.kind() {
                Kind::Look { inner, ahead: false, negative } => behind(&before, &plain(inner)?, *negative, part)?,
                Kind::Look { inner, ahead: true, negative } => {
                    let after = self.sequence(Regex::epsilon(), rest)?;
                    return Ok(Regex::concat([before, ahead(&after, &plain(inner)?, *negative, part)?]));
                }
                Kind::Alternate(branches) if part.assertion().is_some() => {
                    let with = |branch: &Extended| flatten(branch).into_iter().chain(rest.iter().cloned()).collect();
                    let all: Vec<Vec<Extended>> = branches.iter().map(with).collect();
                    let words =
                        all.iter().map(|parts| self.sequence(before.clone(), parts)).collect::<Result<Vec<_>>>()?;
                    return Ok(Regex::alternate(words));
                }
                _ => Regex::concat([before, plain(part)?]),
            };
        }
        Ok(before)
    }
}

/// The language of a part without assertions, preferences forgotten.
fn plain(part: &Extended) -> Result<Regex> {
    match (part.assertion(), part.kind()) {
        (None, _) => Ok(part.forget_laziness()),
        (Some(text), Kind::Assertion(_)) => Err(unsupported(format!("the assertion `{text}`"))),
        (Some(text), _) => Err(unsupported(format!("the assertion `{text}` inside a repetition or another assertion"))),
    }
}

fn behind(before: &Regex, look: &Regex, negative: bool, part: &Extended) -> Result<Regex> {
    let longest = longest(look).ok_or_else(|| beyond(part))?;
    let words = compile(before)?;
    // Nothing stands before: there is no word at all.
    let shortest = words.shortest_match(words.start()).map_or(usize::MAX, |word| word.len());
    if longest > shortest {
        return Err(beyond(part));
    }
    let found = Regex::concat([Regex::any_byte().star(), look.clone()]);
    Ok(if negative { before.difference(&found) } else { before.intersect(&found) })
}

fn ahead(after: &Regex, look: &Regex, negative: bool, part: &Extended) -> Result<Regex> {
    let found = Regex::concat([look.clone(), Regex::any_byte().star()]);
    let automata = |e: glrmask_automata::AutomataError| LanguageError::Limit(e.to_string());
    let limits = Limits::default();
    let undecided =
        beginnings(&compile(look)?).map_err(automata)?.difference(&compile(&found)?, &limits).map_err(automata)?;
    if !undecided.intersect(&compile(after)?, &limits).map_err(automata)?.is_empty_language() {
        return Err(beyond(part));
    }
    Ok(if negative { after.difference(&found) } else { after.intersect(&found) })
}

fn compile(regex: &Regex) -> Result<Dfa> {
    regex.compile(&Limits::default()).map_err(|e| LanguageError::Limit(e.to_string()))
}

/// Everything that a word of the language begins with.
fn beginnings(dfa: &Dfa) -> std::result::Result<Dfa, glrmask_automata::AutomataError> {
    let mut nfa = Nfa::new(Limits::default());
    if dfa.is_empty_language() {
        return nfa.determinize();
    }
    for state in dfa.states() {
        if state != dfa.start() {
            nfa.add_state()?;
        }
        // A minimal automaton has no dead states.
        nfa.set_label(state, 0)?;
    }
    for state in dfa.states() {
        for (set, target) in dfa.transitions(state) {
            nfa.add_edge(state, &set, target)?;
        }
    }
    nfa.determinize()
}

/// Bytes of the longest word by the structure, if it is bounded.
fn longest(regex: &Regex) -> Option<usize> {
    match regex.kind() {
        RegexKind::Empty | RegexKind::Epsilon => Some(0),
        RegexKind::Bytes(_) => Some(1),
        RegexKind::Concat(parts) => parts.iter().try_fold(0usize, |sum, part| Some(sum.saturating_add(longest(part)?))),
        RegexKind::Alternate(parts) => parts.iter().try_fold(0, |most, part| Some(longest(part)?.max(most))),
        RegexKind::Repeat { inner, max, .. } => Some(longest(inner)?.saturating_mul((*max)? as usize)),
        RegexKind::Intersect(a, b) => longest(a).or_else(|| longest(b)),
        RegexKind::Difference(a, _) => longest(a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn any_extended() -> impl Strategy<Value = Extended> {
        let leaf = prop::sample::select(vec!["a", "b", "[ab]", "a*", "[ab]+", "ab?", ""]);
        let leaf =
            leaf.prop_map(|text| Extended::plain(Regex::parse(text, &Default::default()).expect("a small regex")));
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                2 => proptest::collection::vec(inner.clone(), 1..4).prop_map(Extended::concat),
                1 => proptest::collection::vec(inner.clone(), 1..3).prop_map(Extended::alternate),
                2 => (inner, any::<(bool, bool)>()).prop_map(|(inner, (ahead, negative))| inner.look(ahead, negative)),
            ]
        })
    }

    /// Where matches that begin at `from` may end: the definition.
    fn ends(e: &Extended, text: &[u8], from: usize) -> BTreeSet<usize> {
        match e.kind() {
            Kind::Plain(regex) => {
                let dfa = regex.compile(&Default::default()).expect("a small automaton");
                (from..=text.len()).filter(|&to| dfa.accepts(&text[from..to])).collect()
            }
            Kind::Concat(parts) => parts
                .iter()
                .fold(BTreeSet::from([from]), |at, part| at.into_iter().flat_map(|at| ends(part, text, at)).collect()),
            Kind::Alternate(parts) => parts.iter().flat_map(|part| ends(part, text, from)).collect(),
            Kind::Look { inner, ahead, negative } => {
                let found = match ahead {
                    true => !ends(inner, text, from).is_empty(),
                    false => (0..=from).any(|start| ends(inner, text, start).contains(&from)),
                };
                (found != *negative).then_some(from).into_iter().collect()
            }
            Kind::Repeat { .. } | Kind::Assertion(_) => unreachable!("not generated"),
        }
    }

    fn words(most: usize) -> Vec<Vec<u8>> {
        let mut all = vec![Vec::new()];
        for i in 0.. {
            if all.get(i).is_none_or(|word: &Vec<u8>| word.len() == most) {
                return all;
            }
            all.extend(b"ab".map(|c| [all[i].as_slice(), &[c]].concat()));
        }
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn what_is_accepted_does_not_depend_on_other_text(e in any_extended()) {
            let Ok(language) = e.language() else { return Ok(()) };
            let dfa = language.compile(&Default::default()).map_err(|e| TestCaseError::fail(e.to_string()))?;
            for word in words(3) {
                for (before, after) in words(1).iter().flat_map(|x| words(2).into_iter().map(move |y| (x.clone(), y))) {
                    let text = [before.as_slice(), &word, &after].concat();
                    let found = ends(&e, &text, before.len()).contains(&(before.len() + word.len()));
                    prop_assert_eq!(found, dfa.accepts(&word), "{:?} in {:?}", word, text);
                }
            }
        }
    }
}
