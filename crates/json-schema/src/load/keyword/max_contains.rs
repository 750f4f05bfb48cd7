//! `maxContains`: so many items at most that `contains` speaks of; read with that.

use super::{Definition, Vocabulary};
use crate::dialect::Draft;

/// The keyword.
pub(super) const DEFINITION: Definition = Definition {
    name: "maxContains",
    vocabulary: Vocabulary::Validation,
    since: Draft::Draft2019,
    ..Definition::PLAIN
};
