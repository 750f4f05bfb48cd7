//! The keywords, each in a file of its own: what it means, since which draft, and how it gets into the schema IR.
//!
//! To add one, write a file with a [`Definition`], list it here twice, and put cases beside it in `tests/keywords`: schemas
//! with texts that they accept and refuse. A keyword that is known but cannot be enforced is noted in the schema and only
//! reported if the schema is used, so unused definitions never stand in the way. What a new field of the IR means is
//! then to be said where values are tried (`algebra/validate.rs`), where it is negated (`algebra/negation.rs`), and where
//! shapes are merged (`shape/`) and written (`emit/`).

mod additional_items;
mod additional_properties;
mod all_of;
mod any_of;
mod conditional;
mod constant;
mod contains;
mod content_schema;
mod definitions;
mod defs;
mod dependencies;
mod dependent_required;
mod dependent_schemas;
mod dynamic_reference;
mod exclusive_maximum;
mod exclusive_minimum;
mod format;
mod items;
mod kind;
mod listed;
mod max_contains;
mod max_items;
mod max_length;
mod max_properties;
mod maximum;
mod min_contains;
mod min_items;
mod min_length;
mod min_properties;
mod minimum;
mod multiple_of;
mod not;
mod one_of;
mod otherwise;
mod pattern;
mod pattern_properties;
mod prefix_items;
mod properties;
mod property_names;
mod recursive_reference;
mod reference;
mod required;
mod then;
mod unevaluated_items;
mod unevaluated_properties;
mod unique_items;

use super::object::unique;
use super::{array, boolean, count, least, most, string, strings, Keyword, Loader};
use crate::dialect::Draft;
use crate::error::Result;
use crate::schema::Schema;

/// A keyword.
pub(crate) struct Definition {
    /// As it stands in schemas.
    pub(crate) name: &'static str,
    /// The first draft that has it,
    pub(crate) since: Draft,
    /// and the last.
    pub(crate) until: Draft,
    pub(crate) vocabulary: Vocabulary,
    pub(crate) subschemas: Subschemas,
    /// Reads it into a schema.
    pub(super) read: Read,
}

type Read = for<'t> fn(&mut Loader<'t>, &mut Schema, &Keyword<'_, 't>) -> Result<()>;

/// What has to be in use for a keyword to mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vocabulary {
    /// Nothing more than the draft.
    Core,
    /// Keywords that apply sub-schemas.
    Applicator,
    /// Keywords that assert something by themselves.
    Validation,
}

/// Where the value of a keyword holds schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subschemas {
    /// It is one, or an array of them.
    Direct,
    /// Its members are.
    Members,
    /// Nowhere.
    None,
}

impl Definition {
    /// Of every draft, an applicator that holds no schemas and does nothing by itself.
    const PLAIN: Self = Self {
        name: "",
        since: Draft::Draft4,
        until: Draft::Draft2020,
        vocabulary: Vocabulary::Applicator,
        subschemas: Subschemas::None,
        read: |_, _, _| Ok(()),
    };
}

/// All keywords, sorted by name.
const ALL: &[&Definition] = &[
    &defs::DEFINITION,
    &dynamic_reference::DEFINITION,
    &recursive_reference::DEFINITION,
    &reference::DEFINITION,
    &additional_items::DEFINITION,
    &additional_properties::DEFINITION,
    &all_of::DEFINITION,
    &any_of::DEFINITION,
    &constant::DEFINITION,
    &contains::DEFINITION,
    &content_schema::DEFINITION,
    &definitions::DEFINITION,
    &dependencies::DEFINITION,
    &dependent_required::DEFINITION,
    &dependent_schemas::DEFINITION,
    &otherwise::DEFINITION,
    &listed::DEFINITION,
    &exclusive_maximum::DEFINITION,
    &exclusive_minimum::DEFINITION,
    &format::DEFINITION,
    &conditional::DEFINITION,
    &items::DEFINITION,
    &max_contains::DEFINITION,
    &max_items::DEFINITION,
    &max_length::DEFINITION,
    &max_properties::DEFINITION,
    &maximum::DEFINITION,
    &min_contains::DEFINITION,
    &min_items::DEFINITION,
    &min_length::DEFINITION,
    &min_properties::DEFINITION,
    &minimum::DEFINITION,
    &multiple_of::DEFINITION,
    &not::DEFINITION,
    &one_of::DEFINITION,
    &pattern::DEFINITION,
    &pattern_properties::DEFINITION,
    &prefix_items::DEFINITION,
    &properties::DEFINITION,
    &property_names::DEFINITION,
    &required::DEFINITION,
    &then::DEFINITION,
    &kind::DEFINITION,
    &unevaluated_items::DEFINITION,
    &unevaluated_properties::DEFINITION,
    &unique_items::DEFINITION,
];

/// The keyword with this name, of whatever draft.
pub(crate) fn find(name: &str) -> Option<&'static Definition> {
    let found = ALL.binary_search_by(|definition| definition.name.cmp(name)).ok()?;
    ALL.get(found).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_is_found() {
        assert!(ALL.windows(2).all(|pair| pair[0].name < pair[1].name));
        assert!(ALL.iter().all(|definition| find(definition.name).is_some_and(|found| found.name == definition.name)));
        assert!(find("title").is_none());
    }
}
