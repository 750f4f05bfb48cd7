//! Values with rules as documents of their own, where the places of a text do not agree about them.
//!
//! Rules beside a grammar belong to places, and at one place all alternatives have to agree (`places/`). Where they do
//! not, each value that has a rule, with everything in it, becomes a grammar of its own inside of the whole, a *document*
//! with its own rules. The run time follows documents reading by reading (`glrmask_runtime`), so alternatives may differ:
//!
//! ```text
//! {"anyOf": [{"properties": {"x": {"uniqueItems": true}}}, {"properties": {"y": …}, "required": ["y"]}]}
//!
//! {"x": ["a", "a"         the reading in which x is a document has ended; the other goes on, and needs y
//! ```
//!
//! Within a document places have to agree, and the whole text must not have a rule itself. Terminals and productions of what
//! is in a document are there once more, so this is done only where it has to be.

use glrmask_automata::Symbol;
use glrmask_grammar::Grammar;

use super::counted::Counting;
use super::{emitted, Alternatives, Emitter};
use crate::algebra::{Algebra, Goal};
use crate::error::{Category, Result, SchemaError};
use crate::shape::{ObjectShape, Unique};

/// The grammar of a goal with documents inside; `None` if there is none, for whatever reason.
pub(super) fn grammar(algebra: &mut Algebra<'_>, goal: &Goal) -> Option<Grammar> {
    emitted(algebra, goal, true).ok().filter(|grammar| !grammar.documents.is_empty())
}

/// The grammar with documents inside if that enforces what else is left out, with the warnings after the first `warned`,
/// since alternatives do not agree.
pub(super) fn instead_of_weakened(algebra: &mut Algebra<'_>, goal: &Goal, warned: usize) -> Option<Grammar> {
    if algebra.disagreements == 0 {
        return None;
    }
    let weakened = algebra.warnings.split_off(warned);
    let found = grammar(algebra, goal).filter(|_| algebra.warnings.len() < warned + weakened.len());
    if found.is_none() {
        algebra.warnings.truncate(warned);
        algebra.warnings.extend(weakened);
    }
    found
}

/// Where values with rules are documents, nothing else may have any.
pub(super) fn check_none(emitter: &Emitter<'_, '_>) -> Result<()> {
    match emitter.whole {
        Some(_) => Err(SchemaError::unsupported("rules around a document with rules")),
        None => Ok(()),
    }
}

impl Emitter<'_, '_> {
    /// Whether the values of a goal are to be documents.
    pub(super) fn is_document(&self, goal: &Goal, alternatives: &Alternatives) -> bool {
        self.whole.as_ref().is_some_and(|whole| whole != goal)
            && (alternatives.arrays.iter().any(|shape| matches!(shape.unique, Unique::Remembered { .. }))
                || alternatives.objects.iter().any(|shape| shape.distinct || self.will_be_crowded(shape)))
    }

    /// The symbol of a goal whose values are documents.
    pub(super) fn document(&mut self, goal: &Goal) -> Result<Option<Symbol>> {
        let symbol = match emitted(self.algebra, goal, false) {
            Ok(grammar) => {
                let (given, limit) =
                    (self.productions + grammar.productions.len(), self.algebra.options.limits.productions);
                if given > limit {
                    return Err(SchemaError::limit("productions of the grammar", given, limit));
                }
                self.productions = given;
                Some(Symbol::Nonterminal(self.builder.embed("document", &grammar)))
            }
            Err(error) if error.category() == Category::Empty => None,
            Err(error) => return Err(error),
        };
        self.symbols.insert(goal.clone(), symbol);
        Ok(symbol)
    }

    fn will_be_crowded(&self, shape: &ObjectShape) -> bool {
        let max = shape.max_properties.map(|max| max as usize);
        let counting = Counting { min: shape.min_properties as usize, max };
        self.is_crowded(shape, shape.named.len(), counting)
    }
}
