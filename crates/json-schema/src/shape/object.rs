//! Objects: the named members in order, and the free keys split by the patterns they match.

use std::rc::Rc;

use glrmask_automata::Dfa;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::algebra::{Algebra, Goal, PLENTY};
use crate::error::{Result, SchemaError};
use crate::json::{Node, Value};
use crate::language::{self, LanguageId};
use crate::schema::{ObjectRules, Schema, SchemaId, SomeMember, StringRules};
use crate::types::TypeSet;

/// So many key patterns are combined without a look at the combinations.
const FEW_PATTERNS: usize = 4;
/// Most combinations of key patterns in one object.
const MAX_ATOMS: usize = 256;

/// Most free keys that are treated like named ones where members are counted.
const MAX_FEW: usize = 32;

/// A set of objects.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ObjectShape {
    /// Members in the order in which they may stand.
    pub(crate) named: Vec<Named>,
    /// Keys that may not stand at all.
    pub(crate) forbidden: Vec<Rc<str>>,
    /// Other keys.
    pub(crate) free: Vec<FreeKeys>,
    pub(crate) min_properties: u32,
    pub(crate) max_properties: Option<u32>,
    /// Number of obligations: conditions that some member must meet.
    pub(crate) obligations: u32,
    /// Whether free keys may not be repeated, which is enforced at run time.
    pub(crate) distinct: bool,
    /// With so many members it is not known any more that some key is left; read only if `distinct`.
    pub(crate) keys_until: u64,
}

/// A member with a known key.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Named {
    pub(crate) key: Rc<str>,
    pub(crate) required: bool,
    pub(crate) value: Goal,
    /// Obligations that the member meets whatever its value is.
    pub(crate) meets: Obligations,
    /// Values that meet more of them.
    pub(crate) meeting: Vec<(Obligations, Goal)>,
}

impl Named {
    /// Without obligations.
    pub(crate) fn new(key: Rc<str>, required: bool, value: Goal) -> Self {
        Self { key, required, value, meets: 0, meeting: Vec::new() }
    }
}

/// A set of obligations of one object, as bits.
pub(crate) type Obligations = u32;

/// A kind of keys: in each of these languages, or not in it.
type Atom = Vec<(LanguageId, bool)>;

/// Keys that are not named: those in (or not in) some languages.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct FreeKeys {
    pub(crate) languages: Atom,
    /// What the key itself must satisfy.
    pub(crate) names: Goal,
    pub(crate) value: Goal,
    /// Obligations that such a member meets.
    pub(crate) meets: Obligations,
}

impl ObjectShape {
    /// Objects of these members and no others.
    pub(crate) fn closed(named: Vec<Named>) -> Self {
        Self {
            named,
            forbidden: Vec::new(),
            free: Vec::new(),
            min_properties: 0,
            max_properties: None,
            obligations: 0,
            distinct: false,
            keys_until: PLENTY,
        }
    }
    /// `None` if no object is left.
    pub(crate) fn merge(algebra: &mut Algebra<'_>, members: &[SchemaId]) -> Result<Option<Self>> {
        let schemas: Vec<_> = members.iter().map(|&id| algebra.store.get(id)).collect();
        let rules: Vec<&ObjectRules> = schemas.iter().map(|schema| &schema.object).filter(|r| asserts(r)).collect();
        let names = algebra.goal(rules.iter().filter_map(|rules| rules.names));
        let mut shape = Self {
            named: Vec::new(),
            forbidden: Vec::new(),
            free: Vec::new(),
            min_properties: rules.iter().map(|rules| rules.min_properties).max().unwrap_or(0),
            max_properties: rules.iter().filter_map(|rules| rules.max_properties).min(),
            obligations: 0,
            distinct: false,
            keys_until: PLENTY,
        };
        if !shape.name(algebra, &rules, &names)? {
            return Ok(None);
        }
        shape.split_free(algebra, &rules, &names, members)?;
        let obliged = rules.iter().any(|rules| !rules.some.is_empty());
        shape.name_few(algebra, obliged)?;
        if !shape.oblige(algebra, &rules, members)? {
            return Ok(None);
        }
        shape.drop_known(algebra)?;
        shape.check_counts(algebra, members)?;
        let required = shape.named.iter().filter(|named| named.required).count() as u64;
        let possible =
            shape.max_properties.is_none_or(|max| u64::from(max) >= required.max(shape.min_properties.into()));
        Ok(possible.then_some(shape))
    }
    /// Fills in the named members. `false` if one of them is required and impossible.
    fn name(&mut self, algebra: &mut Algebra<'_>, rules: &[&ObjectRules], names: &Goal) -> Result<bool> {
        let tables: Vec<Table<'_>> = rules.iter().map(|rules| Table::new(rules)).collect();
        let required: FxHashSet<&Rc<str>> = rules.iter().flat_map(|rules| &rules.required).collect();
        let declared = rules.iter().flat_map(|rules| rules.properties.iter().map(|(key, _)| key));
        let undeclared = rules.iter().flat_map(|rules| &rules.required);
        // So that every free key is like every other for the obligations.
        let excepted = rules.iter().flat_map(|rules| &rules.some).flat_map(|some| &some.keys.except);
        let mut few: Vec<Rc<str>> = Vec::new();
        for some in rules.iter().flat_map(|rules| &rules.some) {
            few.extend(obliged_keys(algebra, some)?);
        }
        let mut seen = FxHashSet::default();
        let keys = declared.chain(undeclared).chain(excepted).chain(&few);
        for key in keys.filter(|&key| seen.insert(key.clone())) {
            let mut schemas = Vec::new();
            for table in &tables {
                table.applicable(algebra, key, &mut schemas)?;
            }
            let value = algebra.goal(schemas);
            let name = Node { value: Value::String(key.to_string()), bytes: (0, 0) };
            let possible = !value.contains(&algebra.store.never) && algebra.holds(names, &name)?;
            match (possible, required.contains(key)) {
                (true, required) => {
                    self.named.push(Named::new(key.clone(), required, value));
                }
                (false, true) => return Ok(false),
                (false, false) => self.forbidden.push(key.clone()),
            }
        }
        Ok(true)
    }
    /// Splits the free keys by the patterns of all rules.
    fn split_free(
        &mut self,
        algebra: &mut Algebra<'_>,
        rules: &[&ObjectRules],
        names: &Goal,
        members: &[SchemaId],
    ) -> Result<()> {
        let mut patterns: Vec<LanguageId> = Vec::new();
        let obliged = rules.iter().flat_map(|rules| &rules.some).flat_map(|some| &some.keys.languages);
        let mentioned = rules.iter().flat_map(|rules| &rules.patterns).map(|(language, _)| language);
        for &language in mentioned.chain(obliged.map(|(language, _)| language)) {
            if !patterns.contains(&language) {
                patterns.push(language);
            }
        }
        for languages in self.atoms(algebra, &patterns, members)? {
            let value = algebra.goal(rules.iter().flat_map(|rules| free_schemas(rules, &languages)));
            if !value.contains(&algebra.store.never) && !names.contains(&algebra.store.never) {
                self.free.push(FreeKeys { languages, names: names.clone(), value, meets: 0 });
            }
        }
        Ok(())
    }
    /// The keys split by patterns: for each kind of keys, which patterns it matches. Few patterns are combined in all
    /// ways; of many, only the combinations that some key has.
    fn atoms(&self, algebra: &mut Algebra<'_>, patterns: &[LanguageId], members: &[SchemaId]) -> Result<Vec<Atom>> {
        if patterns.len() <= FEW_PATTERNS {
            let matches = |subset: usize, i: usize| subset >> i & 1 == 1;
            let atom = |subset| patterns.iter().enumerate().map(|(i, &p)| (p, matches(subset, i))).collect();
            return Ok((0..1usize << patterns.len()).map(atom).collect());
        }
        let limits = &algebra.options.limits;
        let all = language::compile(&algebra.languages.any_char().star(), limits)?;
        let mut atoms: Vec<(Atom, Dfa)> = vec![(Vec::new(), all)];
        for &pattern in patterns {
            let keys = algebra.languages.automaton(pattern, limits)?;
            let mut split = Vec::new();
            for (atom, dfa) in &atoms {
                for matches in [false, true] {
                    let bounds = language::bounds(limits);
                    let part = if matches { dfa.intersect(keys, &bounds) } else { dfa.difference(keys, &bounds) };
                    let part = part.map_err(|error| language::automaton_error(&error, limits))?;
                    if !part.is_empty_language() {
                        split.push(([atom.as_slice(), &[(pattern, matches)]].concat(), part));
                    }
                }
            }
            if split.len() > MAX_ATOMS {
                let at = members.iter().find(|&&id| !algebra.store.get(id).object.patterns.is_empty());
                let pointer = algebra.store.pointer(at.copied().unwrap_or(algebra.store.always));
                let error = SchemaError::limit("kinds of keys told apart by patterns", split.len(), MAX_ATOMS);
                return Err(error.at(&pointer, "patternProperties"));
            }
            atoms = split;
        }
        Ok(atoms.into_iter().map(|(atom, _)| atom).collect())
    }
    /// Where members are counted or some must meet a condition, free keys that are few become named, so that none can be
    /// repeated.
    fn name_few(&mut self, algebra: &mut Algebra<'_>, obliged: bool) -> Result<()> {
        if self.min_properties < 2 && self.max_properties.is_none() && !obliged {
            return Ok(());
        }
        for free in std::mem::take(&mut self.free) {
            match self.few_keys(algebra, &free)? {
                None => self.free.push(free),
                Some(keys) => {
                    let named = |key: String| Named::new(key.into(), false, free.value.clone());
                    self.named.extend(keys.into_iter().map(named));
                }
            }
        }
        Ok(())
    }
    /// The keys of a group, if they are few and known at once.
    pub(super) fn few_keys(&self, algebra: &mut Algebra<'_>, free: &FreeKeys) -> Result<Option<Vec<String>>> {
        if free.names.is_empty() && !free.languages.iter().any(|(_, positive)| *positive) {
            return Ok(None);
        }
        let goal = free.as_goal(algebra);
        let Some(values) = algebra.enumerate(&goal, MAX_FEW)? else { return Ok(None) };
        let known = |key: &String| {
            self.named.iter().any(|named| *named.key == **key) || self.forbidden.iter().any(|other| **other == **key)
        };
        let keys = values.into_iter().filter_map(|node| match node.value {
            Value::String(key) => Some(key),
            _ => None,
        });
        Ok(Some(keys.filter(|key| !known(key)).collect()))
    }
    /// A text may repeat a free key, which would be counted twice, and could take back that a condition is met. So members
    /// are counted or obliged only where none is free, or where keys are remembered at run time.
    fn check_counts(&mut self, algebra: &mut Algebra<'_>, members: &[SchemaId]) -> Result<()> {
        let required = self.named.iter().filter(|named| named.required).count() as u64;
        if u64::from(self.min_properties) <= required {
            self.min_properties = 0;
        }
        if self.free.is_empty() && self.max_properties.is_some_and(|max| max as usize >= self.named.len()) {
            self.max_properties = None;
        }
        let single = self.max_properties.is_some_and(|max| max < 2);
        if self.free.is_empty() || single || self.min_properties < 2 && self.obligations == 0 {
            return Ok(());
        }
        // As long as there are more keys than members, and than members that may have to follow, a new one can be taken.
        let needed = u64::from(self.obligations) + u64::from(self.min_properties);
        let supply = self.key_supply(algebra)?;
        self.distinct = supply > needed;
        self.keys_until = if supply == PLENTY { PLENTY } else { supply.saturating_sub(needed) };
        if !self.distinct {
            let counts = |id: &&SchemaId| algebra.store.get(**id).object.min_properties == self.min_properties;
            let obliges = |id: &&SchemaId| !algebra.store.get(**id).object.some.is_empty();
            let (at, keyword, reason) = match self.min_properties > 1 {
                true => (members.iter().find(counts), "minProperties", "a free key that is repeated counts twice"),
                false => (members.iter().find(obliges), "not", "a free key that meets the condition may be repeated"),
            };
            algebra.unsupported_at(at.copied().unwrap_or(algebra.store.always), keyword, reason)?;
        }
        Ok(())
    }
    /// Kinds of free keys whose every key is named, or forbidden, are none.
    fn drop_known(&mut self, algebra: &mut Algebra<'_>) -> Result<()> {
        if self.obligations == 0 {
            return Ok(());
        }
        for free in std::mem::take(&mut self.free) {
            if self.few_keys(algebra, &free)?.is_none_or(|keys| !keys.is_empty()) {
                self.free.push(free);
            }
        }
        Ok(())
    }
    /// At least so many free keys there are of some kind, so that behind a comma there is another member; of every kind,
    /// where it matters which kind it is.
    pub(crate) fn key_supply(&self, algebra: &mut Algebra<'_>) -> Result<u64> {
        let (mut least, mut most) = (PLENTY, 0);
        for free in &self.free {
            if algebra.visibly_unsatisfiable(&free.value)? {
                continue;
            }
            let keys = if algebra.at_least(&free.value)? > 0 { algebra.count_keys(free)? } else { 0 };
            (least, most) = (least.min(keys), most.max(keys));
        }
        let known = (self.named.len() + self.forbidden.len()) as u64;
        let supply = if self.obligations > 0 { least.min(most) } else { most };
        Ok(if supply == PLENTY { PLENTY } else { supply.saturating_sub(known) })
    }
}

impl FreeKeys {
    /// What a key satisfies as a string.
    pub(crate) fn as_goal(&self, algebra: &mut Algebra<'_>) -> Goal {
        let languages = StringRules { languages: self.languages.clone(), ..StringRules::default() };
        let languages = Schema { string: languages, ..Schema::typed(TypeSet::STRING) };
        let languages = algebra.store.intern(languages, "");
        algebra.goal(self.names.iter().copied().chain([languages]))
    }
}

/// The keys by which a member meets an obligation, if they are few: then they are like declared ones.
fn obliged_keys(algebra: &mut Algebra<'_>, some: &SomeMember) -> Result<Vec<Rc<str>>> {
    let Some(names) = some.keys.names else { return Ok(Vec::new()) };
    let names = algebra.goal([names]);
    let keys = FreeKeys { languages: some.keys.languages.clone(), value: names.clone(), names, meets: 0 };
    let goal = keys.as_goal(algebra);
    let values = algebra.enumerate(&goal, MAX_FEW)?.unwrap_or_default();
    let key = |node: Node| match node.value {
        Value::String(key) => Some(key.into()),
        _ => None,
    };
    Ok(values.into_iter().filter_map(key).collect())
}

fn asserts(rules: &ObjectRules) -> bool {
    *rules != ObjectRules::default()
}

/// What the rules say about the values of free keys in these languages.
fn free_schemas(rules: &ObjectRules, languages: &[(LanguageId, bool)]) -> Vec<SchemaId> {
    let matching = rules.patterns.iter().filter(|(language, _)| languages.contains(&(*language, true)));
    let mut schemas: Vec<SchemaId> = matching.map(|&(_, schema)| schema).collect();
    if schemas.is_empty() {
        schemas.extend(rules.additional);
    }
    schemas
}

/// The rules of one schema with its properties by name.
struct Table<'r> {
    rules: &'r ObjectRules,
    properties: FxHashMap<&'r str, SchemaId>,
}

impl<'r> Table<'r> {
    fn new(rules: &'r ObjectRules) -> Self {
        Self { rules, properties: rules.properties.iter().map(|(key, schema)| (&**key, *schema)).collect() }
    }
    fn applicable(&self, algebra: &Algebra<'_>, key: &str, schemas: &mut Vec<SchemaId>) -> Result<()> {
        let before = schemas.len();
        schemas.extend(self.properties.get(key));
        for &(language, schema) in &self.rules.patterns {
            if algebra.languages.contains(language, key, &algebra.options.limits)? {
                schemas.push(schema);
            }
        }
        if schemas.len() == before {
            schemas.extend(self.rules.additional);
        }
        Ok(())
    }
}
