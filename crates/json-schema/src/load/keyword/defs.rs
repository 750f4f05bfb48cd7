//! `$defs`: schemas to be referred to; they assert nothing.

use super::{Definition, Subschemas};

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "$defs", subschemas: Subschemas::Members, ..Definition::PLAIN };
