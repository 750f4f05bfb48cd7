//! `not`, pushed inwards by duality: the negation of a conjunction is a choice between negated assertions, and every
//! assertion has a dual (`minimum`/`maximum`, `items`/`contains`, `required`/forbidden, `properties`/required and
//! violated, `additionalProperties`/some member that violates it, pattern/complement).

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::unevaluated::{Kind, Leftover};
use super::Algebra;
use crate::error::Result;
use crate::json::{Node, Value};
use crate::schema::{
    ArrayRules, Bound, Contains, KeySet, NumberRules, ObjectRules, Schema, SchemaId, SomeMember, StringRules,
    Unsupported,
};
use crate::types::TypeSet;

/// Most properties that the violation of one of them mentions, so that they keep their order.
const MAX_MENTIONED: usize = 32;

type Branches = Vec<Vec<SchemaId>>;

impl Algebra<'_> {
    /// Conjunctions of which at least one must hold for the schema not to. None: the schema always holds.
    pub(super) fn negation(&mut self, id: SchemaId) -> Result<Branches> {
        let schema = self.store.get(id);
        if let Some(note) = schema.unsupported.first() {
            self.unsupported(note)?;
            return Ok(vec![Vec::new()]);
        }
        let mut dual = Dual { algebra: self, id, branches: Vec::new(), given_up: false };
        dual.values(&schema);
        dual.number(&schema.number);
        dual.string(&schema.string)?;
        dual.array(&schema.array)?;
        dual.object(&schema.object);
        dual.free_members(&schema.object);
        dual.applicators(&schema);
        dual.unevaluated()?;
        let Dual { branches, given_up, .. } = dual;
        Ok(if given_up { vec![Vec::new()] } else { branches })
    }
}

/// The branches of a negation in the making.
struct Dual<'a, 'o> {
    algebra: &'a mut Algebra<'o>,
    id: SchemaId,
    branches: Branches,
    /// An assertion without dual was weakened away: the negation asserts nothing.
    given_up: bool,
}

impl Dual<'_, '_> {
    fn made(&mut self, schema: Schema) -> SchemaId {
        let pointer = self.algebra.store.pointer(self.id);
        self.algebra.store.intern(schema, &pointer)
    }
    fn branch(&mut self, schema: Schema) {
        let made = self.made(schema);
        self.branches.push(vec![made]);
    }
    fn not(&mut self, schema: SchemaId) -> SchemaId {
        match schema {
            id if id == self.algebra.store.always => self.algebra.store.never,
            id if id == self.algebra.store.never => self.algebra.store.always,
            _ => self.made(Schema::negated(schema)),
        }
    }
    fn no_dual(&mut self, keyword: &str) -> Result<()> {
        let note = Unsupported {
            pointer: self.algebra.store.pointer(self.id).to_string(),
            keyword: keyword.to_owned(),
            reason: "its negation (for \"not\", \"if\" or an overlapping \"oneOf\") is not supported yet".to_owned(),
            category: crate::Category::Unsupported,
        };
        self.given_up = true;
        self.algebra.unsupported(&note)
    }

    fn values(&mut self, schema: &Schema) {
        if schema.types != TypeSet::ALL {
            self.branch(Schema::typed(schema.types.complement()));
        }
        for list in &schema.values {
            let others = self.none_of(list);
            self.branches.push(others);
        }
        for list in &schema.excluded {
            self.branch(Schema { values: vec![list.clone()], ..Schema::default() });
        }
    }
    /// Scalars are excluded by value, arrays and objects by what makes them up.
    fn none_of(&mut self, list: &[Node]) -> Vec<SchemaId> {
        let is_composite = |node: &&Node| matches!(node.value, Value::Array(_) | Value::Object(_));
        let scalars: Rc<[Node]> = list.iter().filter(|node| !is_composite(node)).cloned().collect();
        let mut others = Vec::new();
        if !scalars.is_empty() {
            others.push(self.made(Schema { excluded: vec![scalars], ..Schema::default() }));
        }
        for node in list.iter().filter(is_composite) {
            let constant = self.constant(node);
            others.push(self.not(constant));
        }
        others
    }
    /// A schema that only this value satisfies. Recursion is bounded by the nesting of the schema text.
    fn constant(&mut self, node: &Node) -> SchemaId {
        let schema = match &node.value {
            Value::Array(items) => {
                let length = items.len() as u32;
                let prefix = items.iter().map(|item| self.constant(item)).collect();
                let array = ArrayRules { prefix, min_items: length, max_items: Some(length), ..ArrayRules::default() };
                Schema { array, ..Schema::typed(TypeSet::ARRAY) }
            }
            Value::Object(members) => {
                let required: Vec<Rc<str>> = members.keys().map(|key| key.as_str().into()).collect();
                let properties =
                    required.iter().cloned().zip(members.values().map(|value| self.constant(value))).collect();
                let (additional, max_properties) = match members.is_empty() {
                    true => (None, Some(0)),
                    false => (Some(self.algebra.store.never), None),
                };
                let object = ObjectRules { required, properties, additional, max_properties, ..ObjectRules::default() };
                Schema { object, ..Schema::typed(TypeSet::OBJECT) }
            }
            _ => Schema { values: vec![[node.clone()].into()], ..Schema::default() },
        };
        self.made(schema)
    }
    fn number(&mut self, rules: &NumberRules) {
        let flip = |bound: &Bound| Bound { value: bound.value.clone(), exclusive: !bound.exclusive };
        let numbers = |number| Schema { number, ..Schema::typed(TypeSet::NUMBER) };
        for bound in &rules.lower {
            self.branch(numbers(NumberRules { upper: vec![flip(bound)], ..NumberRules::default() }));
        }
        for bound in &rules.upper {
            self.branch(numbers(NumberRules { lower: vec![flip(bound)], ..NumberRules::default() }));
        }
        for divisor in &rules.multiple_of {
            let not_multiple_of = vec![divisor.clone()];
            self.branch(numbers(NumberRules { not_multiple_of, ..NumberRules::default() }));
        }
        for divisor in &rules.not_multiple_of {
            let multiple_of = vec![divisor.clone()];
            self.branch(numbers(NumberRules { multiple_of, ..NumberRules::default() }));
        }
    }
    fn string(&mut self, rules: &StringRules) -> Result<()> {
        let strings = |string| Schema { string, ..Schema::typed(TypeSet::STRING) };
        if let Some(max) = rules.min_length.checked_sub(1) {
            self.branch(strings(StringRules { max_length: Some(max), ..StringRules::default() }));
        }
        if let Some(max) = rules.max_length {
            self.branch(strings(StringRules { min_length: max.saturating_add(1), ..StringRules::default() }));
        }
        for &(language, positive) in &rules.languages {
            self.branch(strings(StringRules { languages: vec![(language, !positive)], ..StringRules::default() }));
        }
        if rules.regex {
            self.no_dual("format")?;
        }
        Ok(())
    }
    fn array(&mut self, rules: &ArrayRules) -> Result<()> {
        let arrays = |array| Schema { array, ..Schema::typed(TypeSet::ARRAY) };
        if let Some(max) = rules.min_items.checked_sub(1) {
            self.branch(arrays(ArrayRules { max_items: Some(max), ..ArrayRules::default() }));
        }
        if let Some(max) = rules.max_items {
            self.branch(arrays(ArrayRules { min_items: max.saturating_add(1), ..ArrayRules::default() }));
        }
        for (i, &schema) in rules.prefix.iter().enumerate() {
            let mut prefix = vec![self.algebra.store.always; i];
            prefix.push(self.not(schema));
            self.branch(arrays(ArrayRules { min_items: i as u32 + 1, prefix, ..ArrayRules::default() }));
        }
        if let Some(items) = rules.items {
            let from = rules.prefix.len() as u32;
            let contains = Some(Contains { schema: self.not(items), min: 1, max: None, from });
            self.branch(arrays(ArrayRules { contains, ..ArrayRules::default() }));
        }
        if let Some(contains) = &rules.contains {
            self.contains(contains);
        }
        if rules.unique {
            self.no_dual("uniqueItems")?;
        }
        Ok(())
    }
    fn contains(&mut self, rule: &Contains) {
        let arrays = |array| Schema { array, ..Schema::typed(TypeSet::ARRAY) };
        let counted = |min, max| ArrayRules {
            contains: Some(Contains { schema: rule.schema, min, max, from: rule.from }),
            ..ArrayRules::default()
        };
        match rule.min {
            0 => {}
            1 => {
                let prefix = vec![self.algebra.store.always; rule.from as usize];
                let items = Some(self.not(rule.schema));
                self.branch(arrays(ArrayRules { prefix, items, ..ArrayRules::default() }));
            }
            min => self.branch(arrays(counted(0, Some(min - 1)))),
        }
        if let Some(max) = rule.max {
            self.branch(arrays(counted(max.saturating_add(1), None)));
        }
    }
    fn object(&mut self, rules: &ObjectRules) {
        let objects = |object| Schema { object, ..Schema::typed(TypeSet::OBJECT) };
        let (always, never) = (self.algebra.store.always, self.algebra.store.never);
        let required: FxHashSet<&Rc<str>> = rules.required.iter().collect();
        let declared: FxHashMap<&Rc<str>, SchemaId> = rules.properties.iter().map(|(key, id)| (key, *id)).collect();
        for key in &rules.required {
            // One branch for "not there" and "there with another value": n keys would split into 2ⁿ cases.
            let violated = declared.get(key).map_or(never, |&schema| self.not(schema));
            let properties =
                if violated == never { vec![(key.clone(), never)] } else { with(rules, key, violated, always) };
            self.branch(objects(ObjectRules { properties, ..ObjectRules::default() }));
        }
        let optional = rules.properties.iter().filter(|(key, schema)| *schema != always && !required.contains(key));
        for (key, schema) in optional {
            let properties = with(rules, key, self.not(*schema), always);
            let required = vec![key.clone()];
            self.branch(objects(ObjectRules { properties, required, ..ObjectRules::default() }));
        }
        if let Some(max) = rules.min_properties.checked_sub(1) {
            self.branch(objects(ObjectRules { max_properties: Some(max), ..ObjectRules::default() }));
        }
        if let Some(max) = rules.max_properties {
            self.branch(objects(ObjectRules { min_properties: max.saturating_add(1), ..ObjectRules::default() }));
        }
    }
    /// Some member that is not named violates what is said about its kind; or, the other way round, none is as required.
    fn free_members(&mut self, rules: &ObjectRules) {
        let always = self.algebra.store.always;
        if let Some(additional) = rules.additional {
            let except = rules.properties.iter().map(|(key, _)| key.clone()).collect();
            let languages = rules.patterns.iter().map(|&(language, _)| (language, false)).collect();
            self.some(KeySet { except, languages, names: None }, additional);
        }
        for &(language, schema) in rules.patterns.iter().filter(|(_, schema)| *schema != always) {
            self.some(KeySet { languages: vec![(language, true)], ..KeySet::default() }, schema);
        }
        if let Some(names) = rules.names {
            let names = Some(self.not(names));
            self.some(KeySet { names, ..KeySet::default() }, self.algebra.store.never);
        }
        for some in &rules.some {
            self.none(some);
        }
    }
    /// Some member among `keys` whose value violates the schema.
    fn some(&mut self, keys: KeySet, violated: SchemaId) {
        let some = vec![SomeMember { keys, value: self.not(violated) }];
        let object = ObjectRules { some, ..ObjectRules::default() };
        self.branch(Schema { object, ..Schema::typed(TypeSet::OBJECT) });
    }
    /// All members among the keys violate the value: one rule per way in which `some` is made above.
    fn none(&mut self, some: &SomeMember) {
        let value = self.not(some.value);
        let SomeMember { keys: KeySet { except, languages, names }, .. } = some;
        let (always, mut object) = (self.algebra.store.always, ObjectRules::default());
        match (names, languages.as_slice()) {
            (Some(names), _) => object.names = Some(self.not(*names)),
            (None, &[(language, true)]) => object.patterns.push((language, value)),
            (None, languages) => {
                object.properties.extend(except.iter().map(|key| (key.clone(), always)));
                object.patterns.extend(languages.iter().map(|&(language, _)| (language, always)));
                object.additional = Some(value);
            }
        }
        self.branch(Schema { object, ..Schema::typed(TypeSet::OBJECT) });
    }
    /// In some case, what is left over violates the rule.
    fn unevaluated(&mut self) -> Result<()> {
        for kind in [Kind::Properties, Kind::Items] {
            for Leftover { mut conditions, rule } in self.algebra.leftovers(self.id, kind)? {
                if let Some(rule) = rule {
                    conditions.push(self.not(rule));
                    self.branches.push(conditions);
                }
            }
        }
        Ok(())
    }
    fn applicators(&mut self, schema: &Schema) {
        for inner in self.algebra.in_place(schema) {
            let negated = self.not(inner);
            self.branches.push(vec![negated]);
        }
        for list in schema.any_of.iter().chain(&schema.one_of) {
            let none = list.iter().map(|&id| self.not(id)).collect();
            self.branches.push(none);
        }
        for list in &schema.one_of {
            for (i, &a) in list.iter().enumerate() {
                self.branches.extend(list.iter().skip(i + 1).map(|&b| vec![a, b]));
            }
        }
        self.branches.extend(schema.not.iter().map(|&inner| vec![inner]));
    }
}

/// The properties of a schema, of which one has another value and the others any.
fn with(rules: &ObjectRules, key: &Rc<str>, value: SchemaId, always: SchemaId) -> Vec<(Rc<str>, SchemaId)> {
    if rules.properties.len() > MAX_MENTIONED {
        return vec![(key.clone(), value)];
    }
    let others = |name: &Rc<str>| if name == key { value } else { always };
    rules.properties.iter().map(|(name, _)| (name.clone(), others(name))).collect()
}
