//! What a case says about each type, merged: one interval of numbers, one set of string constraints, one list of items,
//! one list of members. Shapes are plain values; equal shapes become one nonterminal.

mod array;
mod length;
mod number;
mod object;
mod obligation;
mod remembered;
mod string;

pub(crate) use array::{ArrayShape, ContainsShape, Unique, UniqueShape};
pub(crate) use length::longest;
pub(crate) use number::NumberShape;
pub(crate) use object::{FreeKeys, Named, ObjectShape, Obligations};
pub(crate) use obligation::all as all_obligations;
pub(crate) use string::StringShape;

use crate::algebra::Algebra;
use crate::json::Node;
use crate::schema::SchemaId;

/// The excluded values of all members.
fn excluded(algebra: &Algebra<'_>, members: &[SchemaId]) -> Vec<Node> {
    let lists = members.iter().flat_map(|&id| algebra.store.get(id).excluded.clone());
    lists.flat_map(|list| list.to_vec()).collect()
}
