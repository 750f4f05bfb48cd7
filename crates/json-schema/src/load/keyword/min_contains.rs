//! `minContains`: so many items at least that `contains` speaks of; read with that.

use super::{Definition, Vocabulary};
use crate::dialect::Draft;

/// The keyword.
pub(super) const DEFINITION: Definition = Definition {
    name: "minContains",
    vocabulary: Vocabulary::Validation,
    since: Draft::Draft2019,
    ..Definition::PLAIN
};
