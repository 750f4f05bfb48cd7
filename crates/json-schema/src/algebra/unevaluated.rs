//! `unevaluatedProperties` and `unevaluatedItems`: what is left over by everything that applies in place.
//!
//! Which members a schema evaluates depends on which of its branches hold: every branch of an `anyOf` that does counts,
//! the one of a `oneOf`, an `if` with its `then` or else the `else`, whatever `$ref` leads to. So a schema is split into
//! *cases*: conditions, and what is evaluated where they hold. The conditions exclude each other as far as it matters
//! and one case always applies, hence
//!
//! ```text
//! unevaluatedProperties: U  =  some case: conditions and (evaluated keys: anything, other keys: U)
//! not that                  =  some case: conditions and some other key violates U
//! ```
//!
//! and the inner part is an ordinary schema with `properties`, `patternProperties` and `additionalProperties` (or
//! `prefixItems` and `items`). A branch that evaluates nothing is not split, so the cost is exponential only in branches
//! that do.

use std::rc::Rc;

use super::Algebra;
use crate::error::{Result, SchemaError};
use crate::language::LanguageId;
use crate::schema::{ArrayRules, ObjectRules, Schema, SchemaId};
use crate::types::TypeSet;

/// Deepest nesting of schemas that apply in place.
const MAX_DEPTH: usize = 100;

/// Which of the two keywords.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Properties,
    Items,
}

/// The members or items that a schema evaluates.
#[derive(Clone, Default, PartialEq, Eq)]
struct Evaluated {
    all: bool,
    keys: Vec<Rc<str>>,
    patterns: Vec<LanguageId>,
    /// That many first items.
    prefix: usize,
    /// Items that satisfy one of these.
    contained: Vec<SchemaId>,
}

impl Evaluated {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
    fn union(&self, other: &Self) -> Self {
        let mut union = self.clone();
        union.all |= other.all;
        union.keys.extend(other.keys.iter().filter(|key| !self.keys.contains(key)).cloned());
        union.patterns.extend(other.patterns.iter().filter(|pattern| !self.patterns.contains(pattern)));
        union.prefix = union.prefix.max(other.prefix);
        union.contained.extend(other.contained.iter().filter(|schema| !self.contained.contains(schema)));
        union
    }
}

/// What is evaluated where the conditions hold.
#[derive(Clone)]
struct Case {
    conditions: Vec<SchemaId>,
    evaluated: Evaluated,
}

impl Case {
    fn and(&self, other: &Self) -> Self {
        let mut conditions = self.conditions.clone();
        conditions.extend(other.conditions.iter().filter(|id| !self.conditions.contains(id)));
        Self { conditions, evaluated: self.evaluated.union(&other.evaluated) }
    }
}

/// A case of an unevaluated keyword: the conditions, and the rule for what they leave over (none: nothing is left over).
pub(super) struct Leftover {
    pub(super) conditions: Vec<SchemaId>,
    pub(super) rule: Option<SchemaId>,
}

impl Algebra<'_> {
    /// The cases of the unevaluated keyword of a schema.
    ///
    /// # Errors
    /// Too many cases, a schema that refers to itself in place.
    pub(super) fn leftovers(&mut self, id: SchemaId, kind: Kind) -> Result<Vec<Leftover>> {
        let schema = self.store.get(id);
        let rule = match kind {
            Kind::Properties => schema.object.unevaluated,
            Kind::Items => schema.array.unevaluated,
        };
        let Some(rule) = rule else { return Ok(Vec::new()) };
        let cases = self.inner_cases(&schema, id, kind, 0)?;
        let leftover = |case: Case| {
            let rule = (!case.evaluated.all).then(|| self.leftover_rule(id, kind, rule, &case.evaluated));
            Leftover { conditions: case.conditions, rule }
        };
        Ok(cases.into_iter().map(leftover).collect())
    }
    /// The keyword as a choice between conjunctions. None: it asserts nothing.
    pub(super) fn unevaluated(&mut self, id: SchemaId, kind: Kind) -> Result<Option<Vec<Vec<SchemaId>>>> {
        let leftovers = self.leftovers(id, kind)?;
        if leftovers.iter().all(|leftover| leftover.rule.is_none()) {
            return Ok(None);
        }
        let conjunction = |leftover: &Leftover| leftover.conditions.iter().copied().chain(leftover.rule).collect();
        let mut branches: Vec<Vec<SchemaId>> = leftovers.iter().map(conjunction).collect();
        if branches.len() > 1 {
            let pointer = self.store.pointer(id);
            let concerned = if kind == Kind::Properties { TypeSet::OBJECT } else { TypeSet::ARRAY };
            let typed = self.store.intern(Schema::typed(concerned), &pointer);
            branches.iter_mut().for_each(|branch| branch.insert(0, typed));
            branches.push(vec![self.store.intern(Schema::typed(concerned.complement()), &pointer)]);
        }
        Ok(Some(branches))
    }

    /// A schema that says `rule` of everything that is not evaluated.
    fn leftover_rule(&mut self, id: SchemaId, kind: Kind, rule: SchemaId, evaluated: &Evaluated) -> SchemaId {
        let always = self.store.always;
        let pointer = self.store.pointer(id);
        let mut schema = Schema::default();
        match kind {
            Kind::Properties => {
                schema.object = ObjectRules {
                    properties: evaluated.keys.iter().map(|key| (key.clone(), always)).collect(),
                    patterns: evaluated.patterns.iter().map(|&pattern| (pattern, always)).collect(),
                    additional: Some(rule),
                    ..ObjectRules::default()
                };
            }
            Kind::Items => {
                let mut items = rule;
                if !evaluated.contained.is_empty() {
                    let either = evaluated.contained.iter().copied().chain([rule]).filter(|&id| id != self.store.never);
                    let either = Schema { any_of: vec![either.collect()], ..Schema::default() };
                    items = self.store.intern(either, &pointer);
                }
                schema.array =
                    ArrayRules { prefix: vec![always; evaluated.prefix], items: Some(items), ..ArrayRules::default() };
            }
        }
        self.store.intern(schema, &pointer)
    }
    /// The cases of a schema, seen from outside.
    fn cases(&mut self, id: SchemaId, kind: Kind, depth: usize) -> Result<Vec<Case>> {
        if depth > MAX_DEPTH {
            let error = SchemaError::limit("schemas applied in place", depth, MAX_DEPTH);
            return Err(error.at(&self.store.pointer(id), "$ref"));
        }
        self.step()?;
        let schema = self.store.get(id);
        let own = own(&schema, kind, self.store.never);
        if own.all {
            return Ok(vec![Case { conditions: Vec::new(), evaluated: own }]);
        }
        self.inner_cases(&schema, id, kind, depth)
    }
    /// The cases of a schema without its own unevaluated keywords.
    fn inner_cases(&mut self, schema: &Schema, id: SchemaId, kind: Kind, depth: usize) -> Result<Vec<Case>> {
        let mut evaluated = own(schema, kind, self.store.never);
        evaluated.all &= !only_by_keyword(schema, kind);
        let mut cases = vec![Case { conditions: Vec::new(), evaluated }];
        for inner in self.in_place(schema) {
            let more = self.cases(inner, kind, depth + 1)?;
            cases = self.product(id, &cases, &more)?;
        }
        for list in &schema.any_of {
            let choices = self.any_of_cases(list, kind, depth)?;
            cases = self.product(id, &cases, &choices)?;
        }
        for list in &schema.one_of {
            let choices = self.one_of_cases(list, kind, depth)?;
            cases = self.product(id, &cases, &choices)?;
        }
        for &branch in &schema.annotating {
            let choices = self.optional(branch, kind, depth)?;
            cases = self.product(id, &cases, &choices)?;
        }
        Ok(cases)
    }
    fn product(&mut self, id: SchemaId, left: &[Case], right: &[Case]) -> Result<Vec<Case>> {
        let (given, limit) = (left.len() * right.len(), self.options.limits.branches);
        if given > limit {
            let error = SchemaError::limit("ways to evaluate members or items", given, limit);
            return Err(error.at(&self.store.pointer(id), ""));
        }
        Ok(left.iter().flat_map(|a| right.iter().map(move |b| a.and(b))).collect())
    }
    /// Every branch that holds counts. The branches of a condition exclude each other.
    fn any_of_cases(&mut self, list: &[SchemaId], kind: Kind, depth: usize) -> Result<Vec<Case>> {
        if self.is_conditional(list) {
            return self.one_of_cases(list, kind, depth);
        }
        let mut cases = vec![Case { conditions: Vec::new(), evaluated: Evaluated::default() }];
        for &branch in list {
            let choices = self.optional(branch, kind, depth)?;
            cases = self.product(branch, &cases, &choices)?;
        }
        Ok(cases)
    }
    fn one_of_cases(&mut self, list: &[SchemaId], kind: Kind, depth: usize) -> Result<Vec<Case>> {
        let mut cases = Vec::new();
        let mut silent = true;
        for &branch in list {
            let holds = Case { conditions: vec![branch], evaluated: Evaluated::default() };
            for case in self.cases(branch, kind, depth + 1)? {
                silent &= case.evaluated.is_empty();
                cases.push(holds.and(&case));
            }
        }
        match silent {
            true => Ok(vec![Case { conditions: Vec::new(), evaluated: Evaluated::default() }]),
            false => Ok(cases),
        }
    }
    /// A branch that may hold and then counts.
    fn optional(&mut self, branch: SchemaId, kind: Kind, depth: usize) -> Result<Vec<Case>> {
        let nothing = Case { conditions: Vec::new(), evaluated: Evaluated::default() };
        let cases = self.cases(branch, kind, depth + 1)?;
        if cases.iter().all(|case| case.evaluated.is_empty()) {
            return Ok(vec![nothing]);
        }
        let holds = Case { conditions: vec![branch], ..nothing.clone() };
        let pointer = self.store.pointer(branch);
        let fails = Case { conditions: vec![self.store.intern(Schema::negated(branch), &pointer)], ..nothing };
        Ok(cases.iter().map(|case| holds.and(case)).chain([fails]).collect())
    }
    /// Whether these are the two branches that `if` becomes.
    fn is_conditional(&self, list: &[SchemaId]) -> bool {
        let &[holds, fails] = list else { return false };
        let (holds, fails) = (self.store.get(holds), self.store.get(fails));
        match (holds.all_of.first(), fails.all_of.first()) {
            (Some(condition), Some(&negated)) => self.store.get(negated).not == [*condition],
            _ => false,
        }
    }
}

/// What the keywords of a schema evaluate by themselves.
fn own(schema: &Schema, kind: Kind, never: SchemaId) -> Evaluated {
    let (object, array) = (&schema.object, &schema.array);
    match kind {
        Kind::Properties => Evaluated {
            all: object.evaluates_all || object.additional.is_some() || object.unevaluated.is_some(),
            // A key that must be absent is not there to be evaluated.
            keys: object.properties.iter().filter(|(_, value)| *value != never).map(|(key, _)| key.clone()).collect(),
            patterns: object.patterns.iter().map(|(pattern, _)| *pattern).collect(),
            ..Evaluated::default()
        },
        Kind::Items => Evaluated {
            all: array.evaluates_all || array.items.is_some() || array.unevaluated.is_some(),
            prefix: array.prefix.len(),
            contained: array.evaluates.clone(),
            ..Evaluated::default()
        },
    }
}

/// Whether everything is evaluated by the unevaluated keyword only.
fn only_by_keyword(schema: &Schema, kind: Kind) -> bool {
    match kind {
        Kind::Properties => !schema.object.evaluates_all && schema.object.additional.is_none(),
        Kind::Items => !schema.array.evaluates_all && schema.array.items.is_none(),
    }
}
