//! The values of a goal, listed, if they are few: what `uniqueItems` needs, since it remembers the values seen.

use glrmask_automata::{Dfa, StateId};
use indexmap::IndexMap;

use super::{Algebra, Case, Goal};
use crate::decimal::Decimal;
use crate::error::{Category, Result};
use crate::json::{self, Node, Value};
use crate::language;
use crate::schema::{Bound, SchemaId};
use crate::shape::{ArrayShape, NumberShape, ObjectShape, StringShape};
use crate::types::TypeSet;

/// How deep into members and items the listing goes.
const MAX_DEPTH: usize = 4;

/// The list in the making.
struct Listing {
    values: Vec<Node>,
    limit: usize,
}

impl Listing {
    /// `None` beyond the limit.
    fn push(&mut self, value: Value) -> Option<()> {
        let node = Node { value, bytes: (0, 0) };
        if !self.values.contains(&node) {
            self.values.push(node);
        }
        (self.values.len() <= self.limit).then_some(())
    }
}

impl Algebra<'_> {
    /// All values that satisfy a goal, each once. `None` if there are more than `limit`, or if that is not obvious.
    pub(crate) fn enumerate(&mut self, goal: &Goal, limit: usize) -> Result<Option<Vec<Node>>> {
        self.step()?;
        if self.listings >= MAX_DEPTH {
            return Ok(None);
        }
        self.listings += 1;
        let values = self.list(goal, limit);
        self.listings -= 1;
        values
    }
    fn list(&mut self, goal: &Goal, limit: usize) -> Result<Option<Vec<Node>>> {
        let mut listing = Listing { values: Vec::new(), limit };
        for case in self.expand(goal)?.iter() {
            let listed = match case {
                Case::Values(values) => values.iter().try_for_each(|node| listing.push(node.value.clone())),
                Case::Assertions { members, types } => self.list_case(&mut listing, members, *types)?,
            };
            if listed.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(listing.values))
    }
    fn list_case(&mut self, listing: &mut Listing, members: &[SchemaId], types: TypeSet) -> Result<Option<()>> {
        for value in [Value::Null, Value::Bool(true), Value::Bool(false)] {
            let node = Node { value, bytes: (0, 0) };
            if types.meets(TypeSet::of(&node)) && !self.excludes(members, &node) && listing.push(node.value).is_none() {
                return Ok(None);
            }
        }
        let mut listed = Some(());
        if types.meets(TypeSet::NUMBER) {
            let shape = NumberShape::merge(self, members, types)?;
            listed = list_integers(listing, &shape, self.options.limits.digits);
        }
        if types.meets(TypeSet::STRING) && listed.is_some() {
            let shape = StringShape::merge(self, members)?;
            listed = self.list_strings(listing, &shape)?;
        }
        if types.meets(TypeSet::ARRAY) && listed.is_some() {
            listed = match ArrayShape::merge(self, members)? {
                Some(shape) => self.list_arrays(listing, members, &shape)?,
                None => Some(()),
            };
        }
        if types.meets(TypeSet::OBJECT) && listed.is_some() {
            listed = match ObjectShape::merge(self, members)? {
                Some(shape) => self.list_objects(listing, members, &shape)?,
                None => Some(()),
            };
        }
        Ok(listed)
    }
    fn list_strings(&mut self, listing: &mut Listing, shape: &StringShape) -> Result<Option<()>> {
        if shape.languages.iter().all(|(_, positive)| !positive) && shape.max_length.is_none_or(|max| max > 0) {
            return Ok(None);
        }
        let dfa = match language::compile(&shape.content(&self.languages), &self.options.limits) {
            Ok(dfa) => dfa,
            Err(error) if error.category() == Category::Limit => return Ok(None),
            Err(error) => return Err(error),
        };
        let Some(words) = words(&dfa, listing.limit) else { return Ok(None) };
        let texts = words.iter().filter_map(|word| std::str::from_utf8(word).ok());
        let nodes = texts.filter_map(|text| json::parse(&format!("\"{text}\""), 1).ok());
        Ok(nodes.map(|node| node.value).try_for_each(|value| listing.push(value)))
    }
    fn list_arrays(&mut self, listing: &mut Listing, members: &[SchemaId], shape: &ArrayShape) -> Result<Option<()>> {
        let Some(max) = shape.max_items.filter(|&max| max as usize <= listing.limit) else { return Ok(None) };
        let mut lists: Vec<Vec<Node>> = vec![Vec::new()];
        for length in 0..=max {
            for list in lists.iter().filter(|_| length >= shape.min_items) {
                let node = Node { value: Value::Array(list.clone()), bytes: (0, 0) };
                if self.holds(members, &node)? && listing.push(node.value).is_none() {
                    return Ok(None);
                }
            }
            if length == max {
                break;
            }
            let goal = shape.prefix.get(length as usize).unwrap_or(&shape.items).clone();
            let Some(items) = self.enumerate(&goal, listing.limit)? else { return Ok(None) };
            if lists.len().saturating_mul(items.len()) > listing.limit {
                return Ok(None);
            }
            let longer = |list: &Vec<Node>| items.iter().map(|item| with(list, item)).collect::<Vec<_>>();
            lists = lists.iter().flat_map(longer).collect();
        }
        Ok(Some(()))
    }
    fn list_objects(&mut self, listing: &mut Listing, members: &[SchemaId], shape: &ObjectShape) -> Result<Option<()>> {
        let mut objects: Vec<IndexMap<String, Node>> = vec![IndexMap::new()];
        for named in &shape.named {
            let Some(values) = self.enumerate(&named.value, listing.limit)? else { return Ok(None) };
            if objects.len().saturating_mul(values.len() + 1) > listing.limit {
                return Ok(None);
            }
            let absent = if named.required { Vec::new() } else { objects.clone() };
            let present = |object: &IndexMap<String, Node>| {
                let value = |value: &Node| {
                    let mut object = object.clone();
                    object.insert(named.key.to_string(), value.clone());
                    object
                };
                values.iter().map(value).collect::<Vec<_>>()
            };
            objects = absent.into_iter().chain(objects.iter().flat_map(present)).collect();
        }
        if !shape.free.is_empty() {
            return Ok(None);
        }
        for object in objects {
            let node = Node { value: Value::Object(object), bytes: (0, 0) };
            if self.holds(members, &node)? && listing.push(node.value).is_none() {
                return Ok(None);
            }
        }
        Ok(Some(()))
    }
}

fn with(list: &[Node], item: &Node) -> Vec<Node> {
    list.iter().chain([item]).cloned().collect()
}

/// Integers between two bounds.
fn list_integers(listing: &mut Listing, shape: &NumberShape, digits: usize) -> Option<()> {
    if shape.is_visibly_empty() {
        return Some(());
    }
    let whole = |bound: &Option<Bound>| {
        let bound = bound.as_ref().filter(|bound| bound.value.is_integer() && bound.value.plain_len() < 18)?;
        let (int, _) = bound.value.parts();
        let size = int.parse::<i64>().ok()?;
        Some((if bound.value.is_negative() { -size } else { size }, i64::from(bound.exclusive)))
    };
    let ((low, low_open), (high, high_open)) = (whole(&shape.lower)?, whole(&shape.upper)?);
    let (low, high) = (low + low_open, high - high_open);
    if shape.fractions || high.saturating_sub(low) > 16 * listing.limit as i64 {
        return None;
    }
    for n in low..=high {
        let number = Decimal::parse(&n.to_string())?;
        let mut fits = !shape.excluded.contains(&number);
        for divisor in &shape.multiple_of {
            fits &= number.is_multiple_of(divisor, digits)?;
        }
        for divisor in &shape.not_multiple_of {
            fits &= !number.is_multiple_of(divisor, digits)?;
        }
        if fits {
            listing.push(Value::Number(number))?;
        }
    }
    Some(())
}

/// The words of a finite language. `None` if there are more than `limit`.
pub(crate) fn words(dfa: &Dfa, limit: usize) -> Option<Vec<Vec<u8>>> {
    let mut found = Vec::new();
    let mut pending: Vec<(StateId, Vec<u8>)> = vec![(dfa.start(), Vec::new())];
    while let Some((state, word)) = pending.pop() {
        if dfa.is_accepting(state) {
            found.push(word.clone());
        }
        // In a minimal automaton every prefix goes on to a word, and a longer path than there are states is a loop.
        if found.len() + pending.len() > limit || word.len() > dfa.len() {
            return None;
        }
        for (bytes, target) in dfa.transitions(state) {
            pending.extend(bytes.iter().map(|byte| (target, [word.as_slice(), &[byte]].concat())));
        }
    }
    found.sort_unstable();
    Some(found)
}
