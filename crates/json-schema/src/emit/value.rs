//! Values that a schema lists: `enum` and `const`.
//!
//! A listed array or object is one text in one order of keys, so it becomes part of a terminal. In any order its objects
//! have many texts; then it is emitted like the schema that lists its members one by one.

use super::{number, Alternatives, Emitter};
use crate::algebra::Goal;
use crate::json::{Node, Value};
use crate::options::PropertyOrder;
use crate::shape::{ArrayShape, Named, ObjectShape};

impl Emitter<'_, '_> {
    pub(super) fn add_value(&mut self, all: &mut Alternatives, node: &Node) {
        match &node.value {
            Value::Null => super::add(&mut all.words, "null"),
            Value::Bool(true) => super::add(&mut all.words, "true"),
            Value::Bool(false) => super::add(&mut all.words, "false"),
            Value::Number(number) => all.numbers.push(number::spelled(number)),
            Value::String(text) => all.string_values.push(text.clone()),
            Value::Array(items) if self.has_orders(node) => {
                let items: Vec<Goal> = items.iter().map(|item| self.constant(item)).collect();
                all.arrays.push(ArrayShape::tuple(items, self.algebra.store.never));
            }
            Value::Object(members) if self.has_orders(node) => {
                let members =
                    members.iter().map(|(key, value)| Named::new(key.as_str().into(), true, self.constant(value)));
                let named: Vec<Named> = members.collect();
                all.objects.push(ObjectShape::closed(named));
            }
            Value::Array(_) | Value::Object(_) => all.texts.push(self.text.value(node)),
        }
    }
    /// Whether keys of the value may be exchanged. Recursion is bounded by the nesting of the schema text.
    fn has_orders(&self, node: &Node) -> bool {
        self.algebra.options.property_order == PropertyOrder::Any
            && match &node.value {
                Value::Array(items) => items.iter().any(|item| self.has_orders(item)),
                Value::Object(members) => members.len() > 1 || members.values().any(|value| self.has_orders(value)),
                _ => false,
            }
    }
    /// The goal of one value.
    pub(super) fn constant(&mut self, node: &Node) -> Goal {
        self.algebra.constant(node)
    }
}
