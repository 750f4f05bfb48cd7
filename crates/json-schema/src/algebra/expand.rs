//! Goals to cases: closure under `$ref` and `allOf`, then one branch of every choice.

use std::rc::Rc;

use super::implied::only_named_members;
use super::unevaluated::Kind;
use super::{Algebra, Case, Goal};
use crate::error::{Result, SchemaError};
use crate::json::Node;
use crate::schema::{Schema, SchemaId};
use crate::types::TypeSet;

/// The in-place schemas that led to one, innermost first. Coming back to one of them consumes nothing: an error.
#[derive(Clone)]
struct Trail(Option<Rc<(SchemaId, Trail)>>);

impl Trail {
    fn contains(&self, id: SchemaId) -> bool {
        let mut rest = &self.0;
        while let Some(link) = rest {
            if link.0 == id {
                return true;
            }
            rest = &link.1 .0;
        }
        false
    }
    fn push(&self, id: SchemaId) -> Self {
        Self(Some(Rc::new((id, self.clone()))))
    }
}

/// A choice that is still open.
#[derive(Clone)]
struct Choice {
    branches: Vec<Vec<SchemaId>>,
    /// Exactly one branch holds (else at least one).
    exactly_one: bool,
    /// The branches are ways to violate a schema.
    dual: bool,
    trail: Trail,
}

/// A case in the making.
#[derive(Clone)]
pub(super) struct Partial {
    pub(super) members: Vec<SchemaId>,
    pub(super) types: TypeSet,
    /// A stack: what comes first in the document is on top.
    pending: Vec<(SchemaId, Trail)>,
    /// A stack likewise.
    choices: Vec<Choice>,
    /// Keys that must be there, if the value is an object.
    pub(super) required: Vec<Rc<str>>,
    /// Keys that must not.
    pub(super) forbidden: Vec<Rc<str>>,
    /// Schemas that must not hold.
    negated: Vec<SchemaId>,
    /// Whether a branch was chosen on the way here.
    chosen: bool,
}

impl Partial {
    fn new(goal: &Goal) -> Self {
        let mut start = Self {
            members: Vec::new(),
            types: TypeSet::ALL,
            pending: Vec::new(),
            choices: Vec::new(),
            required: Vec::new(),
            forbidden: Vec::new(),
            negated: Vec::new(),
            chosen: false,
        };
        start.push_all(goal, &Trail(None));
        start
    }
    fn note_keys(&mut self, schema: &Schema, never: SchemaId) {
        self.required.extend(schema.object.required.iter().cloned());
        let forbidden = schema.object.properties.iter().filter(|(_, value)| *value == never);
        self.forbidden.extend(forbidden.map(|(key, _)| key.clone()));
        if self.forbidden.iter().any(|key| self.required.contains(key)) {
            self.types = self.types.intersection(TypeSet::OBJECT.complement());
        }
    }
    fn push_all(&mut self, schemas: &[SchemaId], trail: &Trail) {
        self.pending.extend(schemas.iter().rev().map(|&id| (id, trail.clone())));
    }
}

impl Algebra<'_> {
    /// The ways to satisfy a goal. No case at all: nothing does.
    ///
    /// # Errors
    /// An unsupported assertion, a schema that refers to itself in place, too many cases.
    pub(crate) fn expand(&mut self, goal: &Goal) -> Result<Rc<[Case]>> {
        if let Some(known) = self.expanded.get(goal) {
            return Ok(known.clone());
        }
        let mut stack = vec![Partial::new(goal)];
        let mut cases = Vec::new();
        while let Some(partial) = stack.pop() {
            self.step()?;
            if let Some(closed) = self.close(partial)? {
                self.branch(closed, &mut stack, &mut cases)?;
            }
            let (given, limit) = (cases.len() + stack.len(), self.options.limits.branches);
            if given > limit {
                let error = SchemaError::limit("alternatives of one schema", given, limit);
                return Err(error.at(&self.goal_pointer(goal), ""));
            }
        }
        let cases: Rc<[Case]> = cases.into();
        self.expanded.insert(goal.clone(), cases.clone());
        Ok(cases)
    }
    /// Where the first schema of a goal stands.
    pub(crate) fn goal_pointer(&self, goal: &Goal) -> Rc<str> {
        goal.first().map_or_else(|| "".into(), |&id| self.store.pointer(id))
    }

    /// Takes in all pending schemas. `None`: contradiction.
    fn close(&mut self, mut partial: Partial) -> Result<Option<Partial>> {
        while let Some((id, trail)) = partial.pending.pop() {
            if trail.contains(id) {
                let error = SchemaError::invalid("the schema refers to itself in place");
                return Err(error.at(&self.store.pointer(id), "$ref"));
            }
            if id == self.store.always || partial.members.contains(&id) {
                continue;
            }
            if partial.negated.contains(&id) {
                return Ok(None);
            }
            let schema = self.store.get(id);
            for note in &schema.unsupported {
                self.unsupported(note)?;
            }
            partial.types = partial.types.intersection(schema.types);
            partial.note_keys(&schema, self.store.never);
            if partial.types.is_empty() {
                return Ok(None);
            }
            partial.members.push(id);
            if !self.take_in(&mut partial, id, &schema, &trail.push(id))? {
                return Ok(None);
            }
        }
        Ok(Some(partial))
    }
    /// Queues what a schema says through sub-schemas. `false`: contradiction.
    fn take_in(&mut self, partial: &mut Partial, id: SchemaId, schema: &Schema, trail: &Trail) -> Result<bool> {
        let mut choices = Vec::new();
        for (lists, exactly_one) in [(&schema.any_of, false), (&schema.one_of, true)] {
            for list in lists {
                let branches = list.iter().map(|&id| vec![id]).collect();
                choices.push(Choice { branches, exactly_one, dual: false, trail: trail.clone() });
            }
        }
        for &negated in &schema.not {
            if partial.members.contains(&negated) {
                return Ok(false);
            }
            partial.negated.push(negated);
            let mut branches = self.negation(negated)?;
            match branches.len() {
                0 => return Ok(false),
                1 => partial.push_all(&branches.swap_remove(0), trail),
                _ => choices.push(Choice { branches, exactly_one: false, dual: true, trail: trail.clone() }),
            }
        }
        for kind in [Kind::Properties, Kind::Items] {
            if let Some(mut branches) = self.unevaluated(id, kind)? {
                match branches.len() {
                    1 => partial.push_all(&branches.swap_remove(0), trail),
                    _ => choices.push(Choice { branches, exactly_one: false, dual: false, trail: trail.clone() }),
                }
            }
        }
        partial.push_all(&self.in_place(schema), trail);
        partial.choices.extend(choices.into_iter().rev());
        Ok(true)
    }
    /// Finishes a closed case, or splits it at its first open choice.
    fn branch(&mut self, mut partial: Partial, stack: &mut Vec<Partial>, cases: &mut Vec<Case>) -> Result<()> {
        if let Some(values) = self.finite(&partial.members)? {
            if !values.is_empty() {
                cases.push(Case::Values(values));
            }
            return Ok(());
        }
        if partial.chosen && partial.types.meets(TypeSet::OBJECT) && self.clashes(&partial)? {
            partial.types = partial.types.intersection(TypeSet::OBJECT.complement());
            if partial.types.is_empty() {
                return Ok(());
            }
        }
        while let Some(choice) = partial.choices.pop() {
            let always = self.store.always;
            let trivial = choice.branches.iter().any(|branch| branch.iter().all(|&id| id == always));
            if (trivial && !choice.exactly_one) || self.settles(&partial, &choice)? {
                continue;
            }
            let branches = self.branches(&choice, partial.types)?;
            let apart = choice.dual && partial.choices.iter().any(|other| other.dual);
            let first = stack.len();
            let mut none_before = Vec::new();
            for branch in &branches {
                let mut next = partial.clone();
                next.push_all(&none_before, &choice.trail);
                next.push_all(branch, &choice.trail);
                next.chosen = true;
                stack.push(next);
                if let (&[id], true) = (branch.as_slice(), apart) {
                    none_before.extend(self.not_this_key(id, partial.types)?);
                }
            }
            stack[first..].reverse();
            return Ok(());
        }
        cases.push(Case::Assertions { members: partial.members, types: partial.types });
        Ok(())
    }
    /// The negation of a schema about a named member, if that is one schema: what the branches after it may assume.
    ///
    /// n schemas, each violated in k ways, are kⁿ cases. Where the first way is another discriminator, and the other ways
    /// come with "not that discriminator", one violation mostly settles all others.
    fn not_this_key(&mut self, id: SchemaId, types: TypeSet) -> Result<Option<SchemaId>> {
        let schema = self.store.get(id);
        if types != TypeSet::OBJECT || !only_named_members(&schema) {
            return Ok(None);
        }
        let mut branches = self.negation(id)?;
        branches.retain(|branch| branch.iter().all(|&id| self.store.get(id).types.meets(types)));
        match branches.as_slice() {
            [branch] => Ok(branch.first().copied().filter(|_| branch.len() == 1)),
            _ => Ok(None),
        }
    }
    /// Whether some branch of the choice already holds.
    fn settles(&mut self, partial: &Partial, choice: &Choice) -> Result<bool> {
        if choice.exactly_one {
            return Ok(false);
        }
        for branch in &choice.branches {
            let mut holds = true;
            for &id in branch {
                holds = holds && self.implied(partial, id)?;
            }
            if holds {
                return Ok(true);
            }
        }
        Ok(false)
    }
    /// Whether some required key cannot have a value, as far as that shows without opening choices.
    fn clashes(&mut self, partial: &Partial) -> Result<bool> {
        let schemas: Vec<_> = partial.members.iter().map(|&id| self.store.get(id)).collect();
        for key in &partial.required {
            let values = schemas.iter().flat_map(|schema| &schema.object.properties);
            let values = self.goal(values.filter(|(name, _)| name == key).map(|&(_, value)| value));
            if values.len() > 1 && self.visibly_unsatisfiable(&values)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
    /// Whether a goal fails without any choice being opened: cheap, and never recurses.
    pub(crate) fn visibly_unsatisfiable(&mut self, goal: &Goal) -> Result<bool> {
        if let Some(&known) = self.visible.get(goal) {
            return Ok(known);
        }
        self.step()?;
        let fails = match self.close(Partial::new(goal))? {
            None => true,
            Some(closed) => self.finite(&closed.members)?.is_some_and(|values| values.is_empty()),
        };
        self.visible.insert(goal.clone(), fails);
        Ok(fails)
    }
    /// If the members list values: those that satisfy all of them.
    fn finite(&mut self, members: &[SchemaId]) -> Result<Option<Vec<Node>>> {
        let mut lists: Vec<Rc<[Node]>> = Vec::new();
        for &id in members {
            lists.extend(self.store.get(id).values.iter().cloned());
        }
        let Some(shortest) = lists.into_iter().min_by_key(|list| list.len()) else { return Ok(None) };
        let mut values = Vec::new();
        for value in shortest.iter() {
            if self.holds(members, value)? {
                values.push(value.clone());
            }
        }
        Ok(Some(values))
    }
    /// The branches of a choice; for "exactly one", each with the negation of those it overlaps.
    fn branches(&mut self, choice: &Choice, types: TypeSet) -> Result<Vec<Vec<SchemaId>>> {
        if !choice.exactly_one {
            return Ok(choice.branches.clone());
        }
        let mut result = Vec::new();
        for (i, branch) in choice.branches.iter().enumerate() {
            let mut conjunction = branch.clone();
            for (j, other) in choice.branches.iter().enumerate() {
                if i != j && self.overlap(branch, other, types)? {
                    for &id in other {
                        let pointer = self.store.pointer(id);
                        conjunction.push(self.store.intern(Schema::negated(id), &pointer));
                    }
                }
            }
            result.push(conjunction);
        }
        Ok(result)
    }
    fn overlap(&mut self, a: &[SchemaId], b: &[SchemaId], types: TypeSet) -> Result<bool> {
        let both = self.goal(a.iter().chain(b).copied());
        if !self.satisfiable(&both)? {
            return Ok(false);
        }
        if types == TypeSet::ALL {
            return Ok(true);
        }
        let typed = self.store.intern(Schema::typed(types), "");
        let goal = self.goal([typed].into_iter().chain(both));
        self.satisfiable(&goal)
    }
}
