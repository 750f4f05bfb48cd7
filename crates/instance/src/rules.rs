//! What is asked of a JSON text beyond its grammar, place by place.
//!
//! A *place* is where a value may stand in a document, as far as rules can tell: the root, the member `tags` of the root,
//! every item below it. Places form an automaton: from an object's place to those of its members by their keys, from an
//! array's place to those of its items by their positions. Where no place is named, nothing is asked of anything below.
//!
//! ```text
//! {"tags": unique array of any values}         place 0: object, "tags" → place 1
//!                                              place 1: array, unique
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glrmask_automata::{typed_id, Dfa, Id};

use crate::InstanceError;

typed_id!(
    /// A place of [`Rules`]; the root of the document stands at [`PlaceId::ROOT`].
    pub struct PlaceId, "place"
);

impl PlaceId {
    /// The place of the document itself.
    pub const ROOT: Self = Self(0);
}

/// The places of a document, the root first. Immutable and checked, also when read from storage.
///
/// ```
/// use glrmask_instance::{ArrayRules, Place, Rules};
/// let array = ArrayRules { unique: true, ..ArrayRules::default() };
/// let rules = Rules::new(vec![Place { array, ..Place::default() }])?;
/// assert_eq!(rules.places().len(), 1);
/// # Ok::<(), glrmask_instance::InstanceError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "StoredRules", into = "StoredRules")]
pub struct Rules {
    places: Vec<Place>,
    /// Whether an array or object of some place is not settled somewhere, so that opening it, or a comma in it, needs a
    /// search.
    unsettled: bool,
    /// Whether an object of some place must have certain members, so that what closes it may be refused.
    requiring: bool,
}

/// What is asked of the value at a place, if it is an array and if it is an object. The default asks nothing.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Place {
    /// Asked of an array.
    pub array: ArrayRules,
    /// Asked of an object.
    pub object: ObjectRules,
}

/// What is asked of an array.
///
/// An array is *settled* before the item at position `i` if `settled_from ≤ i < settled_until`: whatever stood at
/// earlier positions, an item can be written there that none of them equals, and so can the items that must follow.
/// That is what whoever makes the rules has proved (there are infinitely many values, or more than `settled_until`); where
/// an array is not settled, a way to its end is searched for.
#[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct ArrayRules {
    /// Places of the first items, by position.
    pub prefix: Vec<PlaceId>,
    /// Place of the items after them; `None` asks nothing of what is in them.
    pub items: Option<PlaceId>,
    /// Whether no two items may be equal.
    pub unique: bool,
    /// The first position from which on the array is settled; 0 by default. Read only if `unique`.
    pub settled_from: u32,
    /// The first position at which it is settled no more; `u32::MAX`, the default, stands for never. Read only if
    /// `unique`.
    pub settled_until: u32,
}

impl Default for ArrayRules {
    fn default() -> Self {
        Self { prefix: Vec::new(), items: None, unique: false, settled_from: 0, settled_until: u32::MAX }
    }
}

/// What is asked of an object.
///
/// `required` relies on the grammar: behind any member, whatever the members so far, it must allow each required one that
/// is missing; and likewise some key that is new, as long as there are fewer than `settled_until` members.
#[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct ObjectRules {
    /// Places of members by key, after unescaping.
    pub named: BTreeMap<Box<str>, PlaceId>,
    /// Places of other members: of the first language that has the key. Nothing is asked of a member with neither.
    pub others: Vec<(KeyLanguage, PlaceId)>,
    /// Whether no key may stand twice.
    pub distinct: bool,
    /// Keys that must be there when the object ends. Read only if `distinct`.
    pub required: BTreeSet<Box<str>>,
    /// So many members may have used up all keys; `u32::MAX`, the default, stands for never. Read only if `distinct`.
    pub settled_until: u32,
}

impl Default for ObjectRules {
    fn default() -> Self {
        let (named, others, required) = Default::default();
        Self { named, others, distinct: false, required, settled_until: u32::MAX }
    }
}

/// A language of keys: an automaton over their UTF-8 bytes, after unescaping.
#[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct KeyLanguage(pub Arc<Dfa>);

/// What is stored of [`Rules`].
#[derive(serde::Serialize, serde::Deserialize)]
struct StoredRules {
    places: Vec<Place>,
}

impl Rules {
    /// Rules of these places, the root first. O(places and what they hold).
    ///
    /// # Errors
    /// No place at all, more than `u32` can number, or a place that is not among them.
    pub fn new(places: Vec<Place>) -> Result<Self, InstanceError> {
        if places.is_empty() {
            return Err(InstanceError::no_root());
        }
        for place in &places {
            if let Some(stray) = place.places().find(|place| place.index() >= places.len()) {
                return Err(InstanceError::no_such_place(stray, places.len()));
            }
        }
        let unsettled =
            places.iter().any(|place| place.array.is_unsettled_somewhere() || place.object.is_unsettled_somewhere());
        let requiring = places.iter().any(|place| place.object.needed() > 0);
        Ok(Self { places, unsettled, requiring })
    }

    /// The places, by [`PlaceId`].
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Whether anything is asked at all: whether some array is `unique` or some object `distinct`.
    pub fn ask_something(&self) -> bool {
        self.places.iter().any(|place| place.array.unique || place.object.distinct)
    }

    /// Whether some unique array is not settled at some position, or some object may use up its keys: then it takes a search
    /// to tell that some text obeys the rules.
    pub fn are_unsettled(&self) -> bool {
        self.unsettled
    }

    /// Whether some object must have certain members.
    pub(crate) fn are_requiring(&self) -> bool {
        self.requiring
    }

    pub(crate) fn array(&self, place: Option<PlaceId>) -> Option<&ArrayRules> {
        Some(&self.places.get(place?.index())?.array)
    }

    pub(crate) fn object(&self, place: Option<PlaceId>) -> Option<&ObjectRules> {
        Some(&self.places.get(place?.index())?.object)
    }
}

impl Place {
    /// Every place that can be reached from here by one step.
    fn places(&self) -> impl Iterator<Item = PlaceId> + '_ {
        let items = self.array.prefix.iter().copied().chain(self.array.items);
        let members = self.object.named.values().copied();
        items.chain(members).chain(self.object.others.iter().map(|&(_, place)| place))
    }
}

impl ArrayRules {
    fn is_unsettled_somewhere(&self) -> bool {
        self.unique && (self.settled_from > 0 || self.settled_until < u32::MAX)
    }

    /// Place of the item at this position.
    pub(crate) fn item(&self, position: u32) -> Option<PlaceId> {
        self.prefix.get(position as usize).copied().or(self.items)
    }
}

impl ObjectRules {
    fn is_unsettled_somewhere(&self) -> bool {
        self.distinct && self.settled_until < u32::MAX
    }

    /// How many members must be there.
    pub(crate) fn needed(&self) -> u32 {
        match self.distinct {
            true => u32::try_from(self.required.len()).unwrap_or(u32::MAX),
            false => 0,
        }
    }

    /// Whether a member with this key must be there.
    pub(crate) fn requires(&self, key: &[u8]) -> bool {
        self.distinct && std::str::from_utf8(key).is_ok_and(|key| self.required.contains(key))
    }

    /// Whether the place of a member depends on its key.
    pub(crate) fn reads_keys(&self) -> bool {
        !self.named.is_empty() || !self.others.is_empty()
    }

    /// Place of the member with this key; bytes that are not UTF-8 match by languages only.
    pub(crate) fn member(&self, key: &[u8]) -> Option<PlaceId> {
        let named = std::str::from_utf8(key).ok().and_then(|key| self.named.get(key));
        named
            .copied()
            .or_else(|| self.others.iter().find(|(language, _)| language.0.accepts(key)).map(|&(_, place)| place))
    }
}

impl TryFrom<StoredRules> for Rules {
    type Error = InstanceError;

    fn try_from(stored: StoredRules) -> Result<Self, InstanceError> {
        Self::new(stored.places)
    }
}

impl From<Rules> for StoredRules {
    fn from(rules: Rules) -> Self {
        Self { places: rules.places }
    }
}
