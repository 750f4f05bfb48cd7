//! Objects of many keys in any order, whose members the run time remembers.
//!
//! Which of n named keys have been seen takes 2ⁿ states of a grammar. Instead the grammar lets members of all kinds
//! follow each other as often as they like, and the rules beside it forbid a key that is there already, and the end of
//! an object that lacks a required one:
//!
//! ```text
//! members → FIRSTₖ vₖ | members LATERₖ vₖ | …        object.distinct, object.required at the place
//! ```
//!
//! Rules belong to places, and shapes that meet at one place may require different keys. The run time sees to those that
//! all of them require (`places/`); the others a grammar remembers as `order.rs` does, if they are few.

use glrmask_automata::{NonterminalId, Symbol};

use super::counted::Counting;
use super::object::{NamedWays, Way};
use super::order::Tracked;
use super::Emitter;
use crate::error::Result;
use crate::options::PropertyOrder;
use crate::places::Remembered;
use crate::shape::ObjectShape;

/// An object that is still to be written.
pub(super) struct Crowded {
    pub(super) lhs: NonterminalId,
    pub(super) named: Vec<NamedWays>,
    pub(super) free: Vec<Way>,
    pub(super) counting: Counting,
}

impl Emitter<'_, '_> {
    /// Whether the members of an object in any order are too many for the grammar to remember.
    pub(super) fn is_crowded(&self, shape: &ObjectShape, keys: usize, counting: Counting) -> bool {
        let may_be = self.algebra.options.property_order == PropertyOrder::Any
            && shape.obligations == 0
            && counting.min <= 1
            && counting.max.is_none();
        may_be && !self.may_track_all(keys)
    }
    /// Writes the objects that were put off; `remembered` says what the run time knows of each of them.
    pub(super) fn crowded_objects(&mut self, remembered: &[Remembered]) -> Result<()> {
        let crowded: Vec<Crowded> = std::mem::take(&mut self.crowded).into_values().collect();
        for (Crowded { lhs, named, free, counting }, remembered) in crowded.into_iter().zip(remembered) {
            let tracked = if remembered.distinct {
                let tracks = |named: &NamedWays| named.required && !remembered.required.contains(&named.key);
                self.reserve_more(lhs, named.iter().filter(|named| tracks(named)).count())?;
                self.need(lhs, named.iter().filter(|named| remembered.required.contains(&named.key)));
                Tracked::of(&named, tracks)
            } else {
                self.tracked(lhs, &named, true)?
            };
            let contents = self.any_order(&tracked, (&named, &free), counting, 0)?;
            self.braces(lhs, contents)?;
        }
        Ok(())
    }
    /// Notes the values without which there is no such object.
    fn need<'m>(&mut self, object: NonterminalId, members: impl Iterator<Item = &'m NamedWays>) {
        let values = members.filter_map(|named| named.ways.first()).filter_map(|(member, _)| match member.value {
            Symbol::Nonterminal(value) => Some(value),
            Symbol::Terminal(_) => None,
        });
        self.needs.insert(object, values.collect());
    }
}
