//! What can go wrong with rules.

use crate::PlaceId;

/// Why rules were refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct InstanceError(#[from] Kind);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Kind {
    #[error("rules of a JSON text have no place for its root")]
    NoRoot,
    #[error("rules of a JSON text name place {given}, there are {places}")]
    NoSuchPlace { given: u32, places: usize },
}

impl InstanceError {
    pub(crate) fn no_root() -> Self {
        Kind::NoRoot.into()
    }
    pub(crate) fn no_such_place(place: PlaceId, places: usize) -> Self {
        Kind::NoSuchPlace { given: place.0, places }.into()
    }
}
