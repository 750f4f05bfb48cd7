//! `then`: what holds if `if` does; read with that.

use super::{Definition, Subschemas};

/// The keyword.
pub(super) const DEFINITION: Definition =
    Definition { name: "then", subschemas: Subschemas::Direct, ..Definition::PLAIN };
