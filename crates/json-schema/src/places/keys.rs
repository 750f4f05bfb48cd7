//! Free keys by the patterns that tell their members apart.

use std::rc::Rc;
use std::sync::Arc;

use glrmask_automata::{ByteSet, Regex};
use glrmask_instance::KeyLanguage;

use super::steps::{GoalId, Shapes};
use crate::algebra::Algebra;
use crate::error::Result;
use crate::language::{self, LanguageId};

/// Patterns of one place that are told apart; of more, none are.
const MAX_PATTERNS: usize = 4;

/// Sets of keys, without overlap, and the goals of their members.
pub(super) fn free(algebra: &Algebra<'_>, shapes: &[Rc<Shapes>]) -> Result<Vec<(KeyLanguage, Vec<GoalId>)>> {
    let kinds = || shapes.iter().flat_map(|shapes| shapes.free());
    let mut patterns: Vec<LanguageId> = Vec::new();
    for &(language, _) in kinds().flat_map(|(kind, _)| &kind.languages) {
        if !patterns.contains(&language) {
            patterns.push(language);
        }
    }
    if patterns.len() > MAX_PATTERNS {
        patterns.clear();
    }
    let mut found = Vec::new();
    for subset in 0..1usize << patterns.len() {
        let atom: Vec<(LanguageId, bool)> =
            patterns.iter().enumerate().map(|(i, &language)| (language, subset >> i & 1 == 1)).collect();
        let fits = |(language, positive): &(LanguageId, bool)| !atom.contains(&(*language, !positive));
        let goals: Vec<GoalId> =
            kinds().filter(|(kind, _)| kind.languages.iter().all(fits)).map(|(_, goal)| goal).collect();
        if goals.is_empty() {
            continue;
        }
        let dfa = language::compile(&keys(algebra, &atom), &algebra.options.limits)?;
        if !dfa.is_empty_language() {
            found.push((KeyLanguage(Arc::new(dfa)), goals));
        }
    }
    Ok(found)
}

/// The keys that match these patterns and not those, as they are after unescaping.
fn keys(algebra: &Algebra<'_>, atom: &[(LanguageId, bool)]) -> Regex {
    let any = Regex::bytes(ByteSet::FULL).star();
    atom.iter().fold(any, |keys, &(language, positive)| {
        let language = algebra.languages.plain(language);
        if positive {
            keys.intersect(&language)
        } else {
            keys.difference(&language)
        }
    })
}
