//! How many values a goal has at least: what makes `uniqueItems` safe to enforce at run time.
//!
//! The run time forbids a token after which an item must repeat an earlier one, and it looks ahead only while the item in
//! progress may still become an earlier one. Everywhere else it trusts that new values are never used up, so the compiler
//! proves that: position i of an array has more than i values, a free key has more keys than members are asked for.
//!
//! The numbers are lower bounds, as good as they come cheaply: what is hard to count counts nothing. [`PLENTY`] stands for
//! infinitely many, and for more than any text can use up. In a recursive schema a goal in progress counts nothing, so
//! that the bound holds for values that end.

use glrmask_automata::{Dfa, Id, StateId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Algebra, Case, Goal};
use crate::decimal::Decimal;
use crate::error::{Category, Result};
use crate::json::{Node, Value};
use crate::language;
use crate::schema::{Bound, SchemaId};
use crate::shape::{ArrayShape, FreeKeys, NumberShape, ObjectShape, StringShape};
use crate::types::TypeSet;

/// As good as infinitely many: no text has so many items or members.
pub(crate) const PLENTY: u64 = 1 << 40;

/// How deep into members and items is counted.
const MAX_DEPTH: usize = 12;
/// Goals counted for one question.
const MAX_GOALS: usize = 2_000;
/// Lengths of arrays that are added up.
const MAX_ITEMS: u32 = 10_000;
/// Bytes of strings that are counted.
const MAX_BYTES: usize = 4_096;
/// Strings of one character.
const CHARACTERS: u64 = 1_000_000;
/// Most bytes that spell a character: two escaped surrogates.
const CHARACTER_BYTES: u32 = 12;

/// What is known of the numbers of values.
#[derive(Default)]
pub(crate) struct Counts {
    known: FxHashMap<Goal, u64>,
    /// Goals that are being counted.
    open: Vec<Goal>,
    /// Whether something was left out because it is being counted, or lies too deep.
    cut: bool,
    goals: usize,
}

impl Algebra<'_> {
    /// A lower bound on the number of values that satisfy a goal; [`PLENTY`] for infinitely many.
    pub(crate) fn at_least(&mut self, goal: &Goal) -> Result<u64> {
        if let Some(&known) = self.counts.known.get(goal) {
            return Ok(known);
        }
        if self.counts.open.is_empty() {
            self.counts.goals = 0;
        }
        self.counts.goals += 1;
        if self.counts.open.len() >= MAX_DEPTH || self.counts.open.contains(goal) || self.counts.goals > MAX_GOALS {
            self.counts.cut = true;
            return Ok(0);
        }
        self.counts.open.push(goal.clone());
        let outside = std::mem::take(&mut self.counts.cut);
        let count = self.count(goal);
        self.counts.open.pop();
        let count = count?;
        if !self.counts.cut || count == PLENTY {
            self.counts.known.insert(goal.clone(), count);
        }
        self.counts.cut |= outside;
        Ok(count)
    }
    /// Cases may overlap: as many as the largest has.
    fn count(&mut self, goal: &Goal) -> Result<u64> {
        let mut most = 0;
        for case in self.expand(goal)?.iter() {
            most = most.max(match case {
                Case::Values(values) => values.iter().collect::<FxHashSet<&Node>>().len() as u64,
                Case::Assertions { members, types } => self.count_case(members, *types)?,
            });
            if most >= PLENTY {
                return Ok(PLENTY);
            }
        }
        Ok(most)
    }
    fn count_case(&mut self, members: &[SchemaId], types: TypeSet) -> Result<u64> {
        let words = [Value::Null, Value::Bool(true), Value::Bool(false)].map(|value| Node { value, bytes: (0, 0) });
        let words = words.iter().filter(|word| types.meets(TypeSet::of(word)) && !self.excludes(members, word));
        let mut sum = words.count() as u64;
        if types.meets(TypeSet::NUMBER) {
            sum += numbers(&NumberShape::merge(self, members, types)?);
        }
        if types.meets(TypeSet::STRING) && sum < PLENTY {
            let shape = StringShape::merge(self, members)?;
            sum += self.count_strings(&shape)?;
        }
        if types.meets(TypeSet::ARRAY) && sum < PLENTY {
            let (shape, unique) = ArrayShape::parts(self, members)?;
            sum += self.count_arrays(&shape, unique)?;
        }
        if types.meets(TypeSet::OBJECT) && sum < PLENTY {
            if let Some(shape) = ObjectShape::merge(self, members)? {
                sum += self.count_objects(&shape)?;
            }
        }
        Ok(sum.min(PLENTY))
    }
    fn count_strings(&mut self, shape: &StringShape) -> Result<u64> {
        let (min, max, excluded) = (shape.min_length, shape.max_length, shape.excluded.len() as u64);
        if max.is_some_and(|max| max < min) {
            return Ok(0);
        }
        if shape.regex || shape.languages.is_empty() {
            let plain = match max {
                Some(0) => 1,
                Some(1) => CHARACTERS,
                _ => PLENTY + excluded,
            };
            return Ok(plain.saturating_sub(excluded));
        }
        if let [(language, true)] = *shape.languages {
            let spelled_once = self.languages.spelling().is_unique();
            let automaton = self.languages.automaton(language, &self.options.limits);
            let Some(dfa) = unless_large(automaton)? else { return Ok(0) };
            // A string of so many bytes has at least, or at most, so many characters.
            let least = if min > 1 { min.saturating_mul(CHARACTER_BYTES) } else { min } as usize;
            let found = match max {
                None => words(dfa, least, None),
                Some(max) if spelled_once => words(dfa, least, Some(max as usize)),
                Some(_) => 0,
            };
            if found == PLENTY || spelled_once && found > excluded {
                return Ok(if found == PLENTY { PLENTY } else { found - excluded });
            }
        }
        let content = language::compile(&shape.content(&self.languages), &self.options.limits);
        let Some(dfa) = unless_large(content)? else { return Ok(0) };
        Ok(match words(&dfa, 0, None) {
            found if self.languages.spelling().is_unique() || is_infinite(&dfa) => found,
            // One string may have been counted in all its spellings.
            found => found.min(1),
        })
    }
    /// Lists of every length: the next item is any, and if they must be unique, any but those before.
    fn count_arrays(&mut self, shape: &ArrayShape, unique: bool) -> Result<u64> {
        if !shape.contains.is_empty() || shape.min_items > MAX_ITEMS {
            return Ok(0);
        }
        let (mut sum, mut lists) = (0u64, 1u64);
        for length in 0..=shape.max_items.unwrap_or(MAX_ITEMS).min(MAX_ITEMS) {
            if length >= shape.min_items {
                sum = sum.saturating_add(lists);
            }
            if shape.max_items == Some(length) || sum >= PLENTY {
                break;
            }
            let goal = shape.prefix.get(length as usize).unwrap_or(&shape.items).clone();
            let items = self.at_least(&goal)?;
            if items > 0 && !unique && length as usize >= shape.prefix.len() && shape.max_items.is_none() {
                return Ok(PLENTY);
            }
            let used = if unique { u64::from(length) } else { 0 };
            lists = lists.saturating_mul(if items == PLENTY { PLENTY } else { items.saturating_sub(used) });
            if lists == 0 {
                break;
            }
        }
        Ok(sum.min(PLENTY))
    }
    fn count_objects(&mut self, shape: &ObjectShape) -> Result<u64> {
        if shape.obligations > 0 {
            return Ok(0);
        }
        let (mut required, mut present, mut optional) = (1u64, 0u64, 1u64);
        for named in &shape.named {
            let values = self.at_least(&named.value)?;
            match named.required {
                true => required = required.saturating_mul(values),
                false => optional = optional.saturating_mul(values + 1),
            }
            present += u64::from(values > 0);
            if required == 0 {
                return Ok(0);
            }
        }
        let needed = shape.named.iter().filter(|named| named.required).count() as u64;
        let room = shape.max_properties.is_none_or(|max| u64::from(max) > needed);
        for free in shape.free.iter().filter(|_| room) {
            if self.count_keys(free)? == PLENTY && self.at_least(&free.value)? > 0 {
                return Ok(PLENTY);
            }
        }
        Ok(match (shape.min_properties, shape.max_properties) {
            (0, None) => required.saturating_mul(optional).min(PLENTY),
            (min, max) if u64::from(min) <= present && max.is_none_or(|max| u64::from(max) >= present) => {
                required.min(PLENTY)
            }
            _ => 0,
        })
    }
    /// A lower bound on the number of keys of a group.
    pub(crate) fn count_keys(&mut self, free: &FreeKeys) -> Result<u64> {
        if free.languages.is_empty() && free.names.is_empty() {
            return Ok(PLENTY);
        }
        let goal = free.as_goal(self);
        self.at_least(&goal)
    }
}

/// `None` for an automaton beyond the limits.
fn unless_large<T>(automaton: Result<T>) -> Result<Option<T>> {
    match automaton {
        Ok(dfa) => Ok(Some(dfa)),
        Err(error) if error.category() == Category::Limit => Ok(None),
        Err(error) => Err(error),
    }
}

fn numbers(shape: &NumberShape) -> u64 {
    if !shape.not_multiple_of.is_empty() || shape.is_visibly_empty() {
        return 0;
    }
    let excluded = shape.excluded.len() as u64;
    let (Some(lower), Some(upper)) = (&shape.lower, &shape.upper) else {
        // Multiples of whatever it is are integers again and again, and never fractions for sure.
        return if shape.integers || shape.multiple_of.is_empty() { PLENTY } else { 0 };
    };
    if !shape.multiple_of.is_empty() {
        return 0;
    }
    if shape.fractions {
        return if lower.value < upper.value { PLENTY } else { (1u64).saturating_sub(excluded) };
    }
    integers_between(lower, upper).saturating_sub(excluded)
}

/// Integers between two bounds, the bounds themselves left out where that makes it simpler.
fn integers_between(lower: &Bound, upper: &Bound) -> u64 {
    let (Some((low, low_is_whole)), Some((high, high_is_whole))) = (floor(&lower.value), floor(&upper.value)) else {
        return 0;
    };
    let first = if low_is_whole && !lower.exclusive { low } else { low.saturating_add(1) };
    let last = if high_is_whole && upper.exclusive { high.saturating_sub(1) } else { high };
    u64::try_from(last.saturating_sub(first).saturating_add(1)).unwrap_or(0).min(PLENTY)
}

/// The largest integer that is not above a number, and whether it is the number.
fn floor(number: &Decimal) -> Option<(i64, bool)> {
    let (whole, fraction) = number.magnitude().parts();
    let whole = if whole.is_empty() { 0 } else { whole.parse::<i64>().ok()? };
    let is_whole = fraction.bytes().all(|digit| digit == b'0');
    Some(match number.is_negative() {
        true => (-whole - i64::from(!is_whole), is_whole),
        false => (whole, is_whole),
    })
}

/// Words of at least and at most so many bytes; [`PLENTY`] for infinitely many.
fn words(dfa: &Dfa, least: usize, most: Option<usize>) -> u64 {
    if most.is_none() && is_infinite(dfa) {
        return PLENTY;
    }
    let (mut level, mut sum) = (vec![0u64; dfa.len()], 0u64);
    level[dfa.start().index()] = 1;
    // Without a loop no word is longer than there are states.
    for length in 0..=most.unwrap_or(dfa.len()).min(MAX_BYTES) {
        if length >= least {
            let accepted = dfa.states().filter(|&q| dfa.is_accepting(q)).map(|q| level[q.index()]);
            sum = accepted.fold(sum, u64::saturating_add);
        }
        if sum >= PLENTY || level.iter().all(|&words| words == 0) {
            break;
        }
        let mut next = vec![0u64; dfa.len()];
        for from in dfa.states().filter(|q| level[q.index()] > 0) {
            for (bytes, to) in dfa.transitions(from) {
                let more = level[from.index()].saturating_mul(bytes.len() as u64);
                next[to.index()] = next[to.index()].saturating_add(more);
            }
        }
        level = next;
    }
    sum.min(PLENTY)
}

/// Whether there are infinitely many words: every state is on the way to one, so whether there is a loop.
fn is_infinite(dfa: &Dfa) -> bool {
    let mut entered = vec![0usize; dfa.len()];
    let targets = |q: StateId| dfa.transitions(q).map(|(_, to)| to);
    dfa.states().flat_map(targets).for_each(|to| entered[to.index()] += 1);
    let mut ready: Vec<StateId> = dfa.states().filter(|q| entered[q.index()] == 0).collect();
    let mut sorted = 0;
    while let Some(from) = ready.pop() {
        sorted += 1;
        for to in targets(from) {
            entered[to.index()] -= 1;
            if entered[to.index()] == 0 {
                ready.push(to);
            }
        }
    }
    sorted < dfa.len()
}
