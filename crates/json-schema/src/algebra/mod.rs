//! Boolean algebra of schemas at one place of the instance.
//!
//! A [`Goal`] is a conjunction: a list of schemas that one value must satisfy together. [`Algebra::expand`] resolves
//! everything that concerns the value itself (`$ref`, `allOf`, `anyOf`, `oneOf`, `not`) and leaves a list of
//! [`Case`]s, each a conjunction of plain assertions. What the assertions say about members and items are goals again,
//! so a schema compiles to one nonterminal per goal, and recursion ends because there are finitely many goals.
//!
//! Negation never needs a complement automaton: `not` is pushed inwards (`negation.rs`) onto dual assertions.
//! `oneOf` is a plain choice where two branches cannot hold at once (`satisfiable.rs`); where they can, each branch is
//! taken together with the negation of those it overlaps.

mod expand;
mod finite;
mod implied;
mod infinite;
mod negation;
mod satisfiable;
mod unevaluated;
mod validate;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::dialect::Draft;
use crate::error::{Result, SchemaError};
use crate::json::Node;
use crate::language::Languages;
use crate::load::Document;
use crate::options::Unsupported as Policy;
use crate::schema::{Schema, SchemaId, Store, Unsupported};
use crate::types::TypeSet;
use crate::{Options, Warning};

pub(crate) use infinite::PLENTY;

/// Schemas that hold together, without repetition, in the order they are mentioned (it decides the order of keys).
pub(crate) type Goal = Vec<SchemaId>;

/// One way to satisfy a goal.
#[derive(Clone, Debug)]
pub(crate) enum Case {
    /// One of these values.
    Values(Vec<Node>),
    /// The plain assertions of these schemas; `types` is the intersection of their types.
    Assertions { members: Vec<SchemaId>, types: TypeSet },
}

/// The schemas of a document and what is known about their conjunctions.
pub(crate) struct Algebra<'o> {
    pub(crate) store: Store,
    pub(crate) languages: Languages,
    pub(crate) options: &'o Options,
    pub(crate) draft: Draft,
    pub(crate) warnings: Vec<Warning>,
    expanded: FxHashMap<Goal, Rc<[Case]>>,
    satisfiable: FxHashMap<Goal, bool>,
    /// Goals known to fail (or not) without opening choices.
    visible: FxHashMap<Goal, bool>,
    /// Nesting of [`satisfiable`](Self::satisfiable).
    depth: usize,
    /// Nesting of [`enumerate`](Self::enumerate).
    listings: usize,
    /// How many values goals have at least.
    counts: infinite::Counts,
    /// How often alternatives at one place of a text did not agree about a rule.
    pub(crate) disagreements: usize,
    steps: usize,
}

impl<'o> Algebra<'o> {
    pub(crate) fn new(document: Document, options: &'o Options) -> Self {
        let Document { store, languages, draft, warnings, .. } = document;
        Self {
            store,
            languages,
            options,
            draft,
            warnings,
            expanded: FxHashMap::default(),
            satisfiable: FxHashMap::default(),
            visible: FxHashMap::default(),
            depth: 0,
            listings: 0,
            counts: infinite::Counts::default(),
            disagreements: 0,
            steps: 0,
        }
    }
    /// A goal without trivial parts: pure wrappers are replaced by what they wrap.
    pub(crate) fn goal(&self, schemas: impl IntoIterator<Item = SchemaId>) -> Goal {
        let mut pending: Vec<SchemaId> = schemas.into_iter().collect();
        pending.reverse();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut goal = Goal::new();
        while let Some(id) = pending.pop() {
            if id == self.store.always || !seen.insert(id) {
                continue;
            }
            if id == self.store.never {
                return vec![id];
            }
            match self.wrapped(id) {
                Some(inner) => pending.extend(inner.into_iter().rev()),
                None => goal.push(id),
            }
        }
        goal
    }
    /// The goal of one value.
    pub(crate) fn constant(&mut self, node: &Node) -> Goal {
        let schema = Schema { values: vec![[node.clone()].into()], ..Schema::default() };
        vec![self.store.intern(schema, "")]
    }
    /// What a schema that is only `$ref` or `allOf` stands for. A schema that leads back to itself is kept.
    fn wrapped(&self, id: SchemaId) -> Option<Vec<SchemaId>> {
        let schema = self.store.get(id);
        if schema.references.is_empty() && schema.all_of.is_empty() {
            return None;
        }
        let bare = Schema { references: Vec::new(), all_of: Vec::new(), ..(*schema).clone() };
        let inner = self.in_place(&schema);
        (bare == Schema::default() && !inner.contains(&id)).then_some(inner)
    }
    /// The schemas that apply to the same value unconditionally.
    fn in_place(&self, schema: &Schema) -> Vec<SchemaId> {
        let targets = schema.references.iter().map(|&reference| self.store.target(reference));
        targets.chain(schema.all_of.iter().copied()).collect()
    }
    /// Meets an assertion that cannot be enforced: an error, or a warning if the caller prefers.
    pub(crate) fn unsupported(&mut self, note: &Unsupported) -> Result<()> {
        match self.options.unsupported {
            Policy::Error => Err(note.to_error()),
            Policy::Weaken => {
                self.warn(&note.pointer, &note.keyword, &note.reason);
                Ok(())
            }
        }
    }
    /// Notes that an assertion is not enforced.
    pub(crate) fn warn(&mut self, pointer: &str, keyword: &str, reason: &str) {
        let warning = Warning::new(pointer, keyword, &format!("not enforced: {reason}"));
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }
    /// The same for an assertion found out later.
    pub(crate) fn unsupported_at(&mut self, schema: SchemaId, keyword: &str, reason: &str) -> Result<()> {
        let note = Unsupported {
            pointer: self.store.pointer(schema).to_string(),
            keyword: keyword.to_owned(),
            reason: reason.to_owned(),
            category: crate::Category::Unsupported,
        };
        self.unsupported(&note)
    }
    fn step(&mut self) -> Result<()> {
        self.steps += 1;
        let limit = self.options.limits.steps;
        if self.steps > limit {
            return Err(SchemaError::limit("steps of checks at compile time", self.steps, limit));
        }
        Ok(())
    }
}
