//! Goals and what they say about the values inside: the steps of the automaton of places, before sets are made of them.

use std::rc::Rc;

use indexmap::{IndexMap, IndexSet};

use crate::algebra::{Algebra, Case, Goal};
use crate::error::Result;
use crate::json::{Node, Value};
use crate::shape::{ArrayShape, FreeKeys, Named, ObjectShape, Unique};
use crate::types::TypeSet;

/// A goal that some value of a text has to satisfy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct GoalId(usize);

/// The shapes of a goal, and the goals inside them.
#[derive(Default)]
pub(super) struct Shapes {
    pub(super) arrays: Vec<ArrayShape>,
    pub(super) objects: Vec<ObjectShape>,
    /// By array, then position: the prefix, then the others.
    items: Vec<Vec<Vec<GoalId>>>,
    /// By object, then named member.
    named: Vec<Vec<Vec<GoalId>>>,
    /// By object, then group of free keys.
    free: Vec<Vec<GoalId>>,
}

/// All goals of a text, and those from which a remembered item or key can be reached.
pub(super) struct Steps {
    goals: IndexMap<Goal, Rc<Shapes>>,
    matters: Vec<bool>,
}

impl Steps {
    /// The goal of the whole text.
    pub(super) const ROOT: GoalId = GoalId(0);

    /// Looks at every goal that can be reached, once.
    pub(super) fn explore(algebra: &mut Algebra<'_>, root: &Goal, crowded: &IndexSet<Rc<ObjectShape>>) -> Result<Self> {
        let mut steps = Self { goals: IndexMap::new(), matters: Vec::new() };
        steps.id(root);
        let mut next = 0;
        while let Some((goal, _)) = steps.goals.get_index(next) {
            let goal = goal.clone();
            let mut shapes = collected(algebra, &goal)?;
            steps.enter(algebra, &mut shapes);
            if let Some((_, known)) = steps.goals.get_index_mut(next) {
                *known = Rc::new(shapes);
            }
            next += 1;
        }
        steps.mark(crowded);
        Ok(steps)
    }
    pub(super) fn goal(&self, id: GoalId) -> Goal {
        self.goals.get_index(id.0).map(|(goal, _)| goal.clone()).unwrap_or_default()
    }
    pub(super) fn shapes(&self, id: GoalId) -> Rc<Shapes> {
        self.goals[id.0].clone()
    }
    /// Whether something is remembered in the value or anywhere inside of it.
    pub(super) fn matters(&self, id: GoalId) -> bool {
        self.matters.get(id.0) == Some(&true)
    }
    fn id(&mut self, goal: &Goal) -> GoalId {
        match self.goals.get_index_of(goal) {
            Some(known) => GoalId(known),
            None => GoalId(self.goals.insert_full(goal.clone(), Rc::default()).0),
        }
    }
    /// Numbers the goals inside.
    fn enter(&mut self, algebra: &Algebra<'_>, shapes: &mut Shapes) {
        for shape in &shapes.arrays {
            let positions = shape.prefix.iter().chain([&shape.items]);
            let goals = positions.map(|item| with_contains(algebra, shape, item));
            shapes.items.push(goals.map(|goals| goals.iter().map(|goal| self.id(goal)).collect()).collect());
        }
        for shape in &shapes.objects {
            let values = |named: &Named| {
                let values = std::iter::once(&named.value).chain(named.meeting.iter().map(|(_, value)| value));
                values.cloned().collect::<Vec<_>>()
            };
            let named = shape.named.iter().map(|named| values(named).iter().map(|goal| self.id(goal)).collect());
            shapes.named.push(named.collect());
            shapes.free.push(shape.free.iter().map(|free| self.id(&free.value)).collect());
        }
    }
    /// Marks the goals that matter, from those that remember something backwards.
    fn mark(&mut self, crowded: &IndexSet<Rc<ObjectShape>>) {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.goals.len()];
        let mut pending = Vec::new();
        for (from, shapes) in self.goals.values().enumerate() {
            shapes.inside().for_each(|to| before[to.0].push(from));
            if shapes.remember(crowded) {
                pending.push(from);
            }
        }
        self.matters = vec![false; self.goals.len()];
        while let Some(goal) = pending.pop() {
            if !std::mem::replace(&mut self.matters[goal], true) {
                pending.extend(&before[goal]);
            }
        }
    }
}

impl Shapes {
    fn remember(&self, crowded: &IndexSet<Rc<ObjectShape>>) -> bool {
        self.arrays.iter().any(|shape| matches!(shape.unique, Unique::Remembered { .. }))
            || self.objects.iter().any(|shape| shape.distinct || crowded.contains(shape))
    }
    fn inside(&self) -> impl Iterator<Item = GoalId> + '_ {
        self.items.iter().flatten().flatten().copied().chain(self.members())
    }
    /// Goals of the items at a position.
    pub(super) fn items_at(&self, i: usize) -> impl Iterator<Item = GoalId> + '_ {
        let reach = move |shape: &ArrayShape| shape.max_items.is_none_or(|max| max as usize > i);
        let arrays = self.arrays.iter().zip(&self.items).filter(move |(shape, _)| reach(shape));
        arrays.filter_map(move |(_, items)| items.get(i).or(items.last())).flatten().copied()
    }
    /// Goals of all members.
    pub(super) fn members(&self) -> impl Iterator<Item = GoalId> + '_ {
        self.named.iter().flatten().flatten().chain(self.free.iter().flatten()).copied()
    }
    /// Goals of the members with a key that some shape names.
    pub(super) fn members_called(&self, algebra: &mut Algebra<'_>, key: &str, goals: &mut Vec<GoalId>) -> Result<()> {
        for ((shape, named), free) in self.objects.iter().zip(&self.named).zip(&self.free) {
            if let Some(at) = shape.named.iter().position(|named| &*named.key == key) {
                goals.extend(&named[at]);
                continue;
            }
            if shape.forbidden.iter().any(|forbidden| &**forbidden == key) {
                continue;
            }
            for (kind, &goal) in shape.free.iter().zip(free) {
                if is_of(algebra, kind, key)? {
                    goals.push(goal);
                }
            }
        }
        Ok(())
    }
    /// Groups of free keys and the goals of their members.
    pub(super) fn free(&self) -> impl Iterator<Item = (&FreeKeys, GoalId)> {
        let groups = self.objects.iter().zip(&self.free);
        groups.flat_map(|(shape, goals)| shape.free.iter().zip(goals.iter().copied()))
    }
}

/// Whether a key is of the kind, as far as patterns tell.
fn is_of(algebra: &Algebra<'_>, kind: &FreeKeys, key: &str) -> Result<bool> {
    for &(language, positive) in &kind.languages {
        if algebra.languages.contains(language, key, &algebra.options.limits)? != positive {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The shapes of a goal, as they are emitted.
fn collected(algebra: &mut Algebra<'_>, goal: &Goal) -> Result<Shapes> {
    let mut shapes = Shapes::default();
    for case in algebra.expand(goal)?.iter() {
        match case {
            Case::Values(values) => values.iter().for_each(|value| shapes.add_value(algebra, value)),
            Case::Assertions { members, types } => {
                if types.meets(TypeSet::ARRAY) {
                    shapes.arrays.extend(ArrayShape::merge(algebra, members)?);
                }
                if types.meets(TypeSet::OBJECT) {
                    shapes.objects.extend(ObjectShape::merge(algebra, members)?);
                }
            }
        }
    }
    Ok(shapes)
}

impl Shapes {
    /// A value that is listed, as the schema of its items or members.
    fn add_value(&mut self, algebra: &mut Algebra<'_>, node: &Node) {
        match &node.value {
            Value::Array(items) => {
                let repeats = (1..items.len()).any(|i| items[..i].contains(&items[i]));
                let goals = items.iter().map(|item| algebra.constant(item)).collect();
                let unique = if repeats { Unique::No } else { Unique::Always };
                self.arrays.push(ArrayShape { unique, ..ArrayShape::tuple(goals, algebra.store.never) });
            }
            Value::Object(members) => {
                let named =
                    |(key, value): (&String, &Node)| Named::new(key.as_str().into(), true, algebra.constant(value));
                self.objects.push(ObjectShape::closed(members.iter().map(named).collect()));
            }
            _ => {}
        }
    }
}

/// The goals that an item may have where some items are counted.
fn with_contains(algebra: &Algebra<'_>, shape: &ArrayShape, item: &Goal) -> Vec<Goal> {
    let mut goals = vec![item.clone()];
    for rule in &shape.contains {
        let with = |goals: &[Goal], more: &Goal| -> Vec<Goal> {
            goals.iter().map(|goal| algebra.goal(goal.iter().chain(more).copied())).collect()
        };
        let counting = with(&goals, &rule.goal);
        let others = if rule.max.is_some() { with(&goals, &rule.negated) } else { Vec::new() };
        goals.extend(counting);
        goals.extend(others);
    }
    goals
}
