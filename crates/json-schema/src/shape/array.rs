//! Arrays: goals of the first items and of the rest, how many items, what must be among them.

use crate::algebra::{Algebra, Goal};
use crate::error::Result;
use crate::json::Node;
use crate::schema::{ArrayRules, SchemaId};

/// Most `contains` of one array: items are split by all of their combinations.
const MAX_CONTAINS: usize = 5;
/// Most values of unique items: one bit each.
const MAX_VALUES: usize = 64;
/// Longest array whose items are compared pair by pair.
const MAX_PAIRS: u32 = 8;

/// A set of arrays.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ArrayShape {
    pub(crate) prefix: Vec<Goal>,
    /// Items after the prefix.
    pub(crate) items: Goal,
    pub(crate) min_items: u32,
    pub(crate) max_items: Option<u32>,
    pub(crate) contains: Vec<ContainsShape>,
    pub(crate) unique: Unique,
}

/// Whether items must be unique, and who sees to it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Unique {
    /// Items may be equal.
    No,
    /// No two items can be equal, whatever they are.
    Always,
    /// The grammar: items have these values.
    Listed(UniqueShape),
    /// The run time.
    Remembered {
        /// From this item on, a value is left for each item that is needed,
        settled_from: u32,
        /// and up to this one, which is not among them.
        settled_until: u32,
    },
}

/// How many items satisfy a goal.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ContainsShape {
    pub(crate) goal: Goal,
    pub(crate) negated: Goal,
    pub(crate) min: u32,
    pub(crate) max: Option<u32>,
    /// Only items from this one on count.
    pub(crate) from: u32,
}

/// Unique items out of finitely many values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct UniqueShape {
    /// Without repetition.
    pub(crate) values: Vec<Node>,
    /// For the items of the prefix and for the others: which values they may have.
    pub(crate) positions: Vec<Vec<usize>>,
    /// For each `contains`: which values count.
    pub(crate) counted: Vec<Vec<usize>>,
}

impl ArrayShape {
    /// Arrays of exactly these items; `never` is the schema `false`.
    pub(crate) fn tuple(prefix: Vec<Goal>, never: SchemaId) -> Self {
        let length = prefix.len() as u32;
        Self {
            prefix,
            items: vec![never],
            min_items: length,
            max_items: Some(length),
            contains: Vec::new(),
            unique: Unique::No,
        }
    }
    /// `None` if no array is left.
    pub(crate) fn merge(algebra: &mut Algebra<'_>, members: &[SchemaId]) -> Result<Option<Self>> {
        let (mut shape, unique) = Self::parts(algebra, members)?;
        if unique {
            shape.unique(algebra, members)?;
        }
        let possible = shape.max_items.is_none_or(|max| shape.min_items <= max);
        Ok(possible.then_some(shape))
    }
    /// What is said about the items one by one, and whether they must be unique besides.
    pub(crate) fn parts(algebra: &mut Algebra<'_>, members: &[SchemaId]) -> Result<(Self, bool)> {
        let schemas: Vec<_> = members.iter().map(|&id| algebra.store.get(id)).collect();
        let rules: Vec<&ArrayRules> = schemas.iter().map(|schema| &schema.array).collect();
        let prefix_len = rules.iter().map(|rules| rules.prefix.len()).max().unwrap_or(0);
        let at = |i: usize| {
            let schemas = rules.iter().filter_map(move |rules| rules.prefix.get(i).copied().or(rules.items));
            algebra.goal(schemas)
        };
        let mut shape = Self {
            prefix: (0..prefix_len).map(at).collect(),
            items: algebra.goal(rules.iter().filter_map(|rules| rules.items)),
            min_items: rules.iter().map(|rules| rules.min_items).max().unwrap_or(0),
            max_items: rules.iter().filter_map(|rules| rules.max_items).min(),
            contains: Vec::new(),
            unique: Unique::No,
        };
        shape.contains(algebra, members)?;
        shape.cut(algebra);
        let unique = rules.iter().any(|rules| rules.unique);
        Ok((shape, unique))
    }
    fn contains(&mut self, algebra: &mut Algebra<'_>, members: &[SchemaId]) -> Result<()> {
        for &id in members {
            let Some(rule) = algebra.store.get(id).array.contains.clone() else { continue };
            if rule.min == 0 && rule.max.is_none() {
                continue;
            }
            if self.contains.len() >= MAX_CONTAINS {
                let reason = format!("more than {MAX_CONTAINS} \"contains\" for one array");
                algebra.unsupported_at(id, "contains", &reason)?;
                continue;
            }
            let pointer = algebra.store.pointer(rule.schema);
            let negated = algebra.store.intern(crate::schema::Schema::negated(rule.schema), &pointer);
            let (goal, negated) = (algebra.goal([rule.schema]), algebra.goal([negated]));
            let shape = ContainsShape { goal, negated, min: rule.min, max: rule.max, from: rule.from };
            if !self.contains.contains(&shape) {
                self.contains.push(shape);
            }
        }
        Ok(())
    }
    /// An impossible position ends the array before it.
    fn cut(&mut self, algebra: &Algebra<'_>) {
        let never = |goal: &Goal| goal.contains(&algebra.store.never);
        let longest = self.prefix.iter().position(never).or_else(|| never(&self.items).then_some(self.prefix.len()));
        if let Some(longest) = longest {
            self.prefix.truncate(longest);
            self.max_items = Some(self.max_items.unwrap_or(u32::MAX).min(longest as u32));
        }
    }
    fn unique(&mut self, algebra: &mut Algebra<'_>, members: &[SchemaId]) -> Result<()> {
        if self.max_items.is_some_and(|max| max <= 1) || self.never_repeats(algebra)? {
            self.unique = Unique::Always;
            return Ok(());
        }
        if let Some(unique) = self.finite(algebra)? {
            // There is no array longer than the values reach.
            let most = unique.values.len() as u32;
            self.max_items = Some(self.max_items.map_or(most, |max| max.min(most)));
            self.unique = Unique::Listed(unique);
            return Ok(());
        }
        match self.settled(algebra)? {
            Some((settled_from, settled_until)) => self.unique = Unique::Remembered { settled_from, settled_until },
            None => {
                let id = members.iter().copied().find(|&id| algebra.store.get(id).array.unique);
                let reason =
                    "the items have too many values for the grammar, and too few to be sure of others at run time";
                algebra.unsupported_at(id.unwrap_or(algebra.store.always), "uniqueItems", reason)?;
            }
        }
        Ok(())
    }
    /// Whether no two items can be equal, whatever they are.
    fn never_repeats(&self, algebra: &mut Algebra<'_>) -> Result<bool> {
        let Some(max) = self.max_items.filter(|&max| max <= MAX_PAIRS) else { return Ok(false) };
        let goals: Vec<Goal> = (0..max as usize).map(|i| self.prefix.get(i).unwrap_or(&self.items).clone()).collect();
        for (i, a) in goals.iter().enumerate() {
            for b in goals.iter().skip(i + 1) {
                let both = algebra.goal(a.iter().chain(b).copied());
                if algebra.satisfiable(&both)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
    fn finite(&self, algebra: &mut Algebra<'_>) -> Result<Option<UniqueShape>> {
        let mut unique = UniqueShape { values: Vec::new(), positions: Vec::new(), counted: Vec::new() };
        for goal in self.prefix.iter().chain([&self.items]) {
            let Some(values) = algebra.enumerate(goal, MAX_VALUES)? else { return Ok(None) };
            let places = values.into_iter().map(|value| unique.place(value)).collect();
            unique.positions.push(places);
        }
        for rule in &self.contains {
            let mut counted = Vec::new();
            for (i, value) in unique.values.iter().enumerate() {
                if algebra.holds(&rule.goal, value)? {
                    counted.push(i);
                }
            }
            unique.counted.push(counted);
        }
        let limit = algebra.options.limits.facts.saturating_mul(4);
        let fits = unique.values.len() <= MAX_VALUES && unique.subsets(self.max_items) <= limit;
        Ok(fits.then_some(unique))
    }
}

impl Unique {
    /// The values, if the grammar remembers them.
    pub(crate) fn listed(&self) -> Option<&UniqueShape> {
        match self {
            Self::Listed(unique) => Some(unique),
            _ => None,
        }
    }
}

impl UniqueShape {
    fn place(&mut self, value: Node) -> usize {
        self.values.iter().position(|known| *known == value).unwrap_or_else(|| {
            self.values.push(value);
            self.values.len() - 1
        })
    }
    /// Number of sets of at most so many values, saturating.
    fn subsets(&self, most: Option<u32>) -> usize {
        let n = self.values.len();
        let (mut sum, mut binomial) = (1usize, 1usize);
        for k in 1..=most.map_or(n, |most| n.min(most as usize)) {
            binomial = binomial.saturating_mul(n - k + 1) / k;
            sum = sum.saturating_add(binomial);
        }
        sum
    }
}
