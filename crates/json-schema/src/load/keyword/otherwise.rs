//! `else`: what holds if `if` does not; read with that.

use super::{Definition, Subschemas};

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "else", subschemas: Subschemas::Direct, ..Definition::PLAIN };
