//! Where items and keys are remembered at run time: the places of a text, as an automaton over its structure.
//!
//! A place is a set of goals: what a value there may have to satisfy, by all ways to read the text so far. From a place
//! with its array shapes and object shapes lead steps to the places of items (by position) and of members (by key). The
//! run time follows one place, so all shapes of a place must agree whether items are remembered; a shape whose grammar
//! admits no equal items anyway agrees with both. That keys are remembered harms no shape: whoever repeats a key could
//! say the same without. Required keys are seen to where some shape is *crowded* (`emit/crowded.rs`): those that all shapes of
//! the place require.
//!
//! Only places on the way to such a shape are told apart; all others are one, where nothing is asked.

mod keys;
mod steps;

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use glrmask_instance::{ArrayRules, ObjectRules, Place, PlaceId, Rules};
use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use crate::algebra::{Algebra, Case, Goal, PLENTY};
use crate::error::{Result, SchemaError};
use crate::options::PropertyOrder;
use crate::shape::{ArrayShape, ObjectShape, Unique};
use steps::{GoalId, Shapes, Steps};

/// Goals that one value may have to satisfy; sorted.
type GoalSet = Vec<GoalId>;

/// What the run time knows of the objects of a shape, wherever one may stand.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Remembered {
    /// Whether no key stands twice.
    pub(crate) distinct: bool,
    /// Keys that are there at the end.
    pub(crate) required: BTreeSet<Rc<str>>,
}

/// What there is beside a grammar.
pub(crate) struct Found {
    /// The rules, if any.
    pub(crate) rules: Option<Arc<Rules>>,
    /// What they say about crowded objects, in the order of these.
    pub(crate) remembered: Vec<Remembered>,
}

/// The rules that texts of the goal obey beside the grammar, in which some shapes of objects are crowded.
pub(crate) fn rules(algebra: &mut Algebra<'_>, root: &Goal, crowded: IndexSet<Rc<ObjectShape>>) -> Result<Found> {
    let steps = Steps::explore(algebra, root, &crowded)?;
    let remembered = vec![None; crowded.len()];
    let mut builder = Builder { algebra, steps, sets: IndexSet::new(), places: Vec::new(), crowded, remembered };
    builder.number(vec![Steps::ROOT]);
    let mut next = 0;
    while let Some(set) = builder.sets.get_index(next).cloned() {
        let place = builder.place(&set)?;
        builder.places.push(place);
        next += 1;
        let (given, limit) = (builder.sets.len(), builder.algebra.options.limits.places);
        if given > limit {
            return Err(SchemaError::limit("places where items or keys are remembered", given, limit));
        }
    }
    let remembered = builder.remembered.into_iter().map(Option::unwrap_or_default).collect();
    let places = pruned(builder.places);
    if places.is_empty() {
        return Ok(Found { rules: None, remembered });
    }
    let rules = Rules::new(places).map_err(|error| SchemaError::unsupported(error.to_string()))?;
    Ok(Found { rules: Some(Arc::new(rules)), remembered })
}

struct Builder<'a, 'o> {
    algebra: &'a mut Algebra<'o>,
    steps: Steps,
    sets: IndexSet<GoalSet>,
    places: Vec<Draft>,
    crowded: IndexSet<Rc<ObjectShape>>,
    /// What all places so far say about each of them.
    remembered: Vec<Option<Remembered>>,
}

/// A place whose steps may lead nowhere (`None`), where nothing is asked.
#[derive(Default)]
struct Draft {
    prefix: Vec<Option<usize>>,
    items: Option<usize>,
    unique: bool,
    settled: (u32, u32),
    named: Vec<(Box<str>, Option<usize>)>,
    others: Vec<(glrmask_instance::KeyLanguage, usize)>,
    distinct: bool,
    required: BTreeSet<Rc<str>>,
    keys_until: u32,
}

impl Builder<'_, '_> {
    /// The number of the place of these goals; `None` if nothing is asked there or below.
    fn number(&mut self, mut goals: Vec<GoalId>) -> Option<usize> {
        goals.sort_unstable();
        goals.dedup();
        goals.iter().any(|&goal| self.steps.matters(goal)).then(|| self.sets.insert_full(goals).0)
    }
    fn place(&mut self, set: &GoalSet) -> Result<Draft> {
        let shapes: Vec<Rc<Shapes>> = set.iter().map(|&goal| self.steps.shapes(goal)).collect();
        let mut draft = Draft::default();
        self.arrays(set, &shapes, &mut draft)?;
        self.objects(set, &shapes, &mut draft)?;
        Ok(draft)
    }
    fn arrays(&mut self, set: &GoalSet, shapes: &[Rc<Shapes>], draft: &mut Draft) -> Result<()> {
        let arrays: Vec<&ArrayShape> = shapes.iter().flat_map(|shapes| &shapes.arrays).collect();
        let settled = arrays.iter().filter_map(|shape| match shape.unique {
            Unique::Remembered { settled_from, settled_until } => Some((settled_from, settled_until)),
            _ => None,
        });
        if let Some(settled) = settled.reduce(|a, b| (a.0.max(b.0), a.1.min(b.1))) {
            let may_repeat =
                |shape: &&ArrayShape| shape.unique == Unique::No && shape.max_items.is_none_or(|max| max > 1);
            draft.unique = !arrays.iter().any(may_repeat);
            draft.settled = settled;
            if !draft.unique {
                let reason = "another alternative at the same place of the text allows equal items";
                self.unsupported(set, "uniqueItems", reason)?;
            }
        }
        let prefix = arrays.iter().map(|shape| shape.prefix.len()).max().unwrap_or(0);
        for i in 0..prefix {
            let goals = shapes.iter().flat_map(|shapes| shapes.items_at(i)).collect();
            draft.prefix.push(self.number(goals));
        }
        draft.items = self.number(shapes.iter().flat_map(|shapes| shapes.items_at(prefix)).collect());
        Ok(())
    }
    fn objects(&mut self, set: &GoalSet, shapes: &[Rc<Shapes>], draft: &mut Draft) -> Result<()> {
        let objects = || shapes.iter().flat_map(|shapes| &shapes.objects);
        self.keys(set, &objects().collect::<Vec<_>>(), draft)?;
        let below = shapes.iter().flat_map(|shapes| shapes.members());
        if !below.into_iter().any(|goal| self.steps.matters(goal)) {
            return Ok(());
        }
        let mut keys: IndexSet<&str> = IndexSet::new();
        keys.extend(objects().flat_map(|shape| shape.named.iter().map(|named| &*named.key)));
        for key in keys {
            let mut goals = Vec::new();
            for shapes in shapes {
                shapes.members_called(self.algebra, key, &mut goals)?;
            }
            let place = self.number(goals);
            draft.named.push((key.into(), place));
        }
        for (language, goals) in keys::free(self.algebra, shapes)? {
            if let Some(place) = self.number(goals) {
                draft.others.push((language, place));
            }
        }
        Ok(())
    }
    /// Whether the keys of objects are remembered, and which of them must be there.
    fn keys(&mut self, set: &GoalSet, objects: &[&ObjectShape], draft: &mut Draft) -> Result<()> {
        let counted = objects.iter().any(|shape| shape.distinct);
        let crowded: Vec<usize> = objects.iter().filter_map(|&shape| self.crowded.get_index_of(shape)).collect();
        if counted || !crowded.is_empty() {
            (draft.distinct, draft.keys_until) = (true, u32::MAX);
            for shape in objects {
                let keys = self.distinct_keys(shape)?;
                draft.distinct &= keys > 0;
                draft.keys_until = draft.keys_until.min(u32::try_from(keys).unwrap_or(u32::MAX));
            }
        }
        if draft.distinct && !crowded.is_empty() {
            let required = |shape: &&ObjectShape| -> BTreeSet<Rc<str>> {
                shape.named.iter().filter(|named| named.required).map(|named| named.key.clone()).collect()
            };
            draft.required = objects.iter().map(required).reduce(|a, b| &a & &b).unwrap_or_default();
        }
        let asked = Remembered { distinct: draft.distinct, required: draft.required.clone() };
        for number in crowded {
            let known = &mut self.remembered[number];
            *known = Some(known.as_ref().map_or(asked.clone(), |known| known.and(&asked)));
        }
        if counted && !draft.distinct {
            let reason = "another alternative at the same place of the text may run out of keys";
            self.unsupported(set, "minProperties", reason)?;
        }
        Ok(())
    }
    /// With how many members, at least, an object of the shape may have used up its keys; [`PLENTY`] for never, or if
    /// the grammar sees to that. 0 if it cannot be told.
    fn distinct_keys(&mut self, shape: &ObjectShape) -> Result<u64> {
        let is_crowded = self.crowded.contains(shape);
        if shape.distinct {
            return Ok(shape.keys_until);
        }
        if shape.free.is_empty() && !is_crowded && !self.may_repeat_named(shape) {
            return Ok(PLENTY);
        }
        if shape.obligations > 0 {
            return Ok(0);
        }
        if shape.key_supply(self.algebra)? == PLENTY {
            return Ok(PLENTY);
        }
        let in_any_order = self.algebra.options.property_order == PropertyOrder::Any;
        if !in_any_order || shape.min_properties > 1 || shape.max_properties.is_some() {
            return Ok(0);
        }
        let mut keys = 0;
        for named in &shape.named {
            keys += u64::from(self.algebra.at_least(&named.value)? > 0);
        }
        for free in &shape.free {
            if self.algebra.at_least(&free.value)? > 0 {
                keys += self.algebra.count_keys(free)?;
            }
        }
        Ok(keys.min(PLENTY))
    }
    /// Whether the grammar lets named members be repeated in a shape that is not crowded: of many keys in any order it
    /// may remember the required ones only.
    fn may_repeat_named(&self, shape: &ObjectShape) -> bool {
        self.algebra.options.property_order == PropertyOrder::Any
            && sets(shape.named.len()) > self.algebra.options.limits.facts
    }
    /// Refuses a rule that not all shapes of a place obey, or warns; at the schema that asks for it.
    fn unsupported(&mut self, set: &GoalSet, keyword: &str, reason: &str) -> Result<()> {
        let mut blamed = None;
        for &id in set {
            let goal = self.steps.goal(id);
            for case in self.algebra.expand(&goal)?.iter() {
                let Case::Assertions { members, .. } = case else { continue };
                let asks = |id: &&crate::schema::SchemaId| {
                    let schema = self.algebra.store.get(**id);
                    match keyword {
                        "uniqueItems" => schema.array.unique,
                        _ => schema.object.min_properties > 1,
                    }
                };
                blamed = blamed.or_else(|| members.iter().find(asks).copied());
            }
        }
        self.algebra.disagreements += 1;
        let blamed = blamed.unwrap_or(self.algebra.store.always);
        self.algebra.unsupported_at(blamed, keyword, reason).map_err(SchemaError::helped_by_documents)
    }
}

/// Number of sets of so many keys, saturating.
fn sets(keys: usize) -> usize {
    u32::try_from(keys).ok().and_then(|keys| 1usize.checked_shl(keys)).unwrap_or(usize::MAX)
}

/// The places from which a rule can be reached, and one for all others. None at all if nothing is asked anywhere.
fn pruned(drafts: Vec<Draft>) -> Vec<Place> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); drafts.len()];
    for (from, draft) in drafts.iter().enumerate() {
        draft.targets().for_each(|to| before[to].push(from));
    }
    let mut asks = vec![false; drafts.len()];
    let mut pending: Vec<usize> = (0..drafts.len()).filter(|&i| drafts[i].unique || drafts[i].distinct).collect();
    while let Some(place) = pending.pop() {
        if !std::mem::replace(&mut asks[place], true) {
            pending.extend(&before[place]);
        }
    }
    if asks.first() != Some(&true) {
        return Vec::new();
    }
    let kept: Vec<usize> = (0..drafts.len()).filter(|&i| asks[i]).collect();
    let numbers: FxHashMap<usize, u32> = (0u32..).zip(&kept).map(|(number, &old)| (old, number)).collect();
    let nothing = PlaceId(kept.len() as u32);
    let to = |place: &Option<usize>| place.and_then(|old| numbers.get(&old)).map(|&number| PlaceId(number));
    let keep = |(_, draft): (usize, Draft)| {
        let items = to(&draft.items);
        let mut prefix: Vec<Option<PlaceId>> = draft.prefix.iter().map(to).collect();
        while prefix.last() == Some(&items) {
            prefix.pop();
        }
        let others = draft.others.into_iter().filter_map(|(language, place)| Some((language, to(&Some(place))?)));
        let others: Vec<_> = others.collect();
        let named = draft.named.into_iter().map(|(key, place)| (key, to(&place)));
        // A key that is not named here would be like any other.
        let named = named.filter(|(_, place)| place.is_some() || !others.is_empty());
        let named = named.map(|(key, place)| (key, place.unwrap_or(nothing))).collect();
        let prefix = prefix.into_iter().map(|place| place.unwrap_or(nothing)).collect();
        let (settled_from, settled_until) = draft.settled;
        let unique = draft.unique;
        let required = draft.required.iter().map(|key| Box::from(&**key)).collect();
        Place {
            array: ArrayRules { prefix, items, unique, settled_from, settled_until },
            object: ObjectRules { named, others, distinct: draft.distinct, required, settled_until: draft.keys_until },
        }
    };
    let places = drafts.into_iter().enumerate().filter(|(i, _)| asks[*i]).map(keep);
    places.chain([Place::default()]).collect()
}

impl Remembered {
    /// What both say.
    fn and(&self, other: &Self) -> Self {
        Self { distinct: self.distinct && other.distinct, required: &self.required & &other.required }
    }
}

impl Draft {
    fn targets(&self) -> impl Iterator<Item = usize> + '_ {
        let named = self.named.iter().map(|(_, place)| *place);
        let others = self.others.iter().map(|(_, place)| Some(*place));
        self.prefix.iter().copied().chain([self.items]).chain(named).chain(others).flatten()
    }
}
