//! `definitions`: what `$defs` is called up to draft 7.

use super::{Definition, Subschemas};

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "definitions", subschemas: Subschemas::Members, ..Definition::PLAIN };
