//! The schema IR: one record of assertions per schema, hash-consed.
//!
//! Annotations are gone and sugar is resolved (`const`, `if`, `dependencies`, draft differences); a [`Schema`] is the
//! conjunction of its fields. Equal schemas are one [`SchemaId`], so equal parts of a document, and equal conjunctions
//! later on, become one nonterminal. References go through [`RefId`]s, which makes recursion possible.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::decimal::Decimal;
use crate::error::{Category, SchemaError};
use crate::json::Node;
use crate::language::LanguageId;
use crate::types::TypeSet;

/// A schema in a [`Store`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SchemaId(u32);

/// The target of a `$ref`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct RefId(pub(crate) usize);

/// A conjunction of assertions. [`Schema::default`] asserts nothing.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Schema {
    pub(crate) types: TypeSet,
    /// `enum`, `const`: the value is in each of these lists.
    pub(crate) values: Vec<Rc<[Node]>>,
    /// The value is in none of these lists.
    pub(crate) excluded: Vec<Rc<[Node]>>,
    pub(crate) number: NumberRules,
    pub(crate) string: StringRules,
    pub(crate) array: ArrayRules,
    pub(crate) object: ObjectRules,
    pub(crate) references: Vec<RefId>,
    pub(crate) all_of: Vec<SchemaId>,
    /// Of each list, at least one holds.
    pub(crate) any_of: Vec<Vec<SchemaId>>,
    /// Of each list, exactly one holds.
    pub(crate) one_of: Vec<Vec<SchemaId>>,
    pub(crate) not: Vec<SchemaId>,
    /// Asserted nowhere, but what they evaluate is evaluated if they hold (`if` without `then` and `else`).
    pub(crate) annotating: Vec<SchemaId>,
    /// Assertions that cannot be enforced; reported where the schema is used.
    pub(crate) unsupported: Vec<Unsupported>,
}

/// A bound on numbers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Bound {
    pub(crate) value: Decimal,
    pub(crate) exclusive: bool,
}

/// Assertions about numbers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct NumberRules {
    pub(crate) lower: Vec<Bound>,
    pub(crate) upper: Vec<Bound>,
    pub(crate) multiple_of: Vec<Decimal>,
    /// A multiple of none of these.
    pub(crate) not_multiple_of: Vec<Decimal>,
}

/// Assertions about strings.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct StringRules {
    pub(crate) min_length: u32,
    pub(crate) max_length: Option<u32>,
    /// Patterns and formats: the string is in the language (or, if `false`, not).
    pub(crate) languages: Vec<(LanguageId, bool)>,
    /// The string is a regular expression.
    pub(crate) regex: bool,
}

/// Assertions about arrays.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct ArrayRules {
    /// Schemas of the first items.
    pub(crate) prefix: Vec<SchemaId>,
    /// Schema of the items after the prefix.
    pub(crate) items: Option<SchemaId>,
    pub(crate) min_items: u32,
    pub(crate) max_items: Option<u32>,
    pub(crate) contains: Option<Contains>,
    pub(crate) unique: bool,
    /// What items satisfy that nothing in place evaluates.
    pub(crate) unevaluated: Option<SchemaId>,
    /// Items that satisfy one of these are evaluated.
    pub(crate) evaluates: Vec<SchemaId>,
    /// Whether all items are evaluated without any assertion about them.
    pub(crate) evaluates_all: bool,
}

/// `contains`, `minContains`, `maxContains`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Contains {
    pub(crate) schema: SchemaId,
    pub(crate) min: u32,
    pub(crate) max: Option<u32>,
    /// Only items from this one on count.
    pub(crate) from: u32,
}

/// Assertions about objects.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct ObjectRules {
    pub(crate) properties: Vec<(Rc<str>, SchemaId)>,
    pub(crate) patterns: Vec<(LanguageId, SchemaId)>,
    pub(crate) additional: Option<SchemaId>,
    pub(crate) required: Vec<Rc<str>>,
    pub(crate) min_properties: u32,
    pub(crate) max_properties: Option<u32>,
    pub(crate) names: Option<SchemaId>,
    /// What members satisfy that nothing in place evaluates.
    pub(crate) unevaluated: Option<SchemaId>,
    /// Whether all members are evaluated without any assertion about them.
    pub(crate) evaluates_all: bool,
    /// Of each, some member must be there: the dual of assertions about all members of a kind.
    pub(crate) some: Vec<SomeMember>,
}

/// A member that must be there.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SomeMember {
    pub(crate) keys: KeySet,
    /// What its value satisfies.
    pub(crate) value: SchemaId,
}

/// A set of keys.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct KeySet {
    /// None of these.
    pub(crate) except: Vec<Rc<str>>,
    /// In each of these languages, or not in it.
    pub(crate) languages: Vec<(LanguageId, bool)>,
    /// What the key as a string satisfies.
    pub(crate) names: Option<SchemaId>,
}

/// An assertion that cannot be enforced, and where it stands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Unsupported {
    pub(crate) pointer: String,
    pub(crate) keyword: String,
    pub(crate) reason: String,
    pub(crate) category: Category,
}

impl Unsupported {
    pub(crate) fn to_error(&self) -> SchemaError {
        let error = match self.category {
            Category::Invalid => SchemaError::invalid(self.reason.clone()),
            _ => SchemaError::unsupported(self.reason.clone()),
        };
        error.at(&self.pointer, &self.keyword)
    }
}

impl Default for Schema {
    fn default() -> Self {
        Self {
            types: TypeSet::ALL,
            values: Vec::new(),
            excluded: Vec::new(),
            number: NumberRules::default(),
            string: StringRules::default(),
            array: ArrayRules::default(),
            object: ObjectRules::default(),
            references: Vec::new(),
            all_of: Vec::new(),
            any_of: Vec::new(),
            one_of: Vec::new(),
            not: Vec::new(),
            annotating: Vec::new(),
            unsupported: Vec::new(),
        }
    }
}

impl Schema {
    /// The schema `false`.
    pub(crate) fn never() -> Self {
        Self::typed(TypeSet::NONE)
    }
    /// Only a type.
    pub(crate) fn typed(types: TypeSet) -> Self {
        Self { types, ..Self::default() }
    }
    /// All of these.
    pub(crate) fn all(parts: Vec<SchemaId>) -> Self {
        Self { all_of: parts, ..Self::default() }
    }
    /// Not that one.
    pub(crate) fn negated(schema: SchemaId) -> Self {
        Self { not: vec![schema], ..Self::default() }
    }
    /// An object schema that asserts something of one key.
    pub(crate) fn property(key: &Rc<str>, schema: SchemaId) -> Self {
        let object = ObjectRules { properties: vec![(key.clone(), schema)], ..ObjectRules::default() };
        Self { object, ..Self::default() }
    }
    /// An object schema that requires keys.
    pub(crate) fn required(keys: Vec<Rc<str>>) -> Self {
        Self { object: ObjectRules { required: keys, ..ObjectRules::default() }, ..Self::default() }
    }
}

/// All schemas of a document, each once, with the place where it was first met.
pub(crate) struct Store {
    schemas: Vec<Rc<Schema>>,
    pointers: Vec<Rc<str>>,
    ids: FxHashMap<Rc<Schema>, SchemaId>,
    targets: Vec<Option<SchemaId>>,
    /// The schema `true`.
    pub(crate) always: SchemaId,
    /// The schema `false`.
    pub(crate) never: SchemaId,
}

impl Store {
    pub(crate) fn new() -> Self {
        let mut store = Self {
            schemas: Vec::new(),
            pointers: Vec::new(),
            ids: FxHashMap::default(),
            targets: Vec::new(),
            always: SchemaId(0),
            never: SchemaId(1),
        };
        store.always = store.intern(Schema::default(), "");
        store.never = store.intern(Schema::never(), "");
        store
    }
    /// The id of a schema; `pointer` is kept if it is new.
    pub(crate) fn intern(&mut self, schema: Schema, pointer: &str) -> SchemaId {
        if let Some(&id) = self.ids.get(&schema) {
            return id;
        }
        let id = SchemaId(u32::try_from(self.schemas.len()).unwrap_or(u32::MAX));
        let schema = Rc::new(schema);
        self.schemas.push(schema.clone());
        self.pointers.push(pointer.into());
        self.ids.insert(schema, id);
        id
    }
    /// The schema of an id of this store.
    pub(crate) fn get(&self, id: SchemaId) -> Rc<Schema> {
        self.schemas[id.0 as usize].clone()
    }
    /// Where the schema was first met.
    pub(crate) fn pointer(&self, id: SchemaId) -> Rc<str> {
        self.pointers[id.0 as usize].clone()
    }
    pub(crate) fn set_target(&mut self, reference: RefId, schema: SchemaId) {
        if self.targets.len() <= reference.0 {
            self.targets.resize(reference.0 + 1, None);
        }
        self.targets[reference.0] = Some(schema);
    }
    /// What a reference leads to (every reference is resolved once loading is done).
    pub(crate) fn target(&self, reference: RefId) -> SchemaId {
        self.targets.get(reference.0).copied().flatten().unwrap_or(self.never)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_schemas_are_one() {
        let mut store = Store::new();
        let a = store.intern(Schema::typed(TypeSet::NULL), "/a");
        let b = store.intern(Schema::typed(TypeSet::NULL), "/b");
        assert_eq!(a, b);
        assert_eq!(&*store.pointer(b), "/a");
        assert_ne!(store.intern(Schema::negated(a), "/c"), a);
        assert_eq!(store.intern(Schema::default(), "/d"), store.always);
    }
}
