//! `contentSchema`: an annotation, which may hold what is referred to.

use super::{Definition, Subschemas};

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "contentSchema", subschemas: Subschemas::Direct, ..Definition::PLAIN };
