//! Grammars put together from components: slots, what is bound to them, and what is still open.
//!
//! An [`Assembly`] is a tree of shared nodes; a node is a definition (shared) with what is bound to its slots. Binding copies
//! the nodes along one path that somebody else holds and leaves everything else alone, so a clone is a snapshot at the price
//! of a pointer, a component bound once stays what it was, and a bind that fails has changed nothing. A component can be bound in many
//! places without being copied; no component can contain itself, since what is bound exists before its place does.
//!
//! *Equal components are one.* Where the same definition occurs with the same bindings, its scopes, terminals and
//! productions appear once in the assembled grammar, however often it is bound: a graph of n components that refer to
//! each other twice is n components, not 2ⁿ. [`Assembly::parts`] lists them, those that are bound before those that they
//! are bound in.
//!
//! The tree is generic in its definitions, because a grammar and a prepared grammar are put together by the same rules.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3Default;

use crate::diagnostic::GrammarError;
use crate::ir::{Grammar, Slot, SlotKind, Span};

/// Deepest nesting of components.
pub const MAX_DEPTH: usize = 128;
/// The most open slots that [`Assembly::requirements`] lists.
pub const MAX_REQUIREMENTS: usize = 10_000;
/// Between the segments of a path.
const SEPARATOR: &str = "::";

/// What an assembly is made of.
pub trait Define {
    /// The grammar whose slots are filled.
    fn grammar(&self) -> &Grammar;
    /// Equal for equal definitions, different for others (128 bits).
    fn identity(&self) -> u128;
    /// The slots of the grammar by name; made when first asked for.
    fn slot_names(&self) -> &SlotNames;
}

/// The slots of a grammar by the names that lead to them.
#[derive(Clone, Debug, Default)]
pub struct SlotNames(FxHashMap<String, usize>);

impl SlotNames {
    /// Time: the slots.
    pub fn new(grammar: &Grammar) -> Self {
        let mut names = FxHashMap::default();
        for (i, slot) in grammar.slots.iter().enumerate() {
            names.entry(grammar.slot_path(slot).join(SEPARATOR)).or_insert(i);
        }
        Self(names)
    }

    /// The slot with this name, or the first one that the path leads through, with the rest of the path. Time: the path.
    fn find<'p>(&self, path: &'p str) -> Option<(usize, Option<&'p str>)> {
        if let Some(&i) = self.0.get(path) {
            return Some((i, None));
        }
        let through = path.match_indices(SEPARATOR).filter_map(|(at, separator)| {
            let (name, rest) = (path.get(..at)?, path.get(at + separator.len()..)?);
            self.0.get(name).map(|&i| (i, Some(rest)))
        });
        through.min_by_key(|found| found.0)
    }
}

/// A grammar as a definition.
#[derive(Debug)]
pub struct Source {
    grammar: Grammar,
    identity: OnceLock<u128>,
    slot_names: OnceLock<SlotNames>,
}

impl Source {
    /// Takes a grammar.
    pub fn new(grammar: Grammar) -> Self {
        Self { grammar, identity: OnceLock::new(), slot_names: OnceLock::new() }
    }
}

impl Define for Source {
    fn grammar(&self) -> &Grammar {
        &self.grammar
    }
    fn identity(&self) -> u128 {
        *self.identity.get_or_init(|| {
            let mut hasher = Xxh3Default::new();
            self.grammar.hash(&mut hasher);
            hasher.digest128()
        })
    }
    fn slot_names(&self) -> &SlotNames {
        self.slot_names.get_or_init(|| SlotNames::new(&self.grammar))
    }
}

/// Token events that are bound to a slot.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Events {
    /// First and last id of each range; rising, neither overlapping nor touching.
    pub ranges: Arc<[(u32, u32)]>,
    /// The fingerprint of the vocabulary they were taken from; `None` for an id of whichever vocabulary is used.
    pub vocab: Option<u128>,
}

/// What is bound to a slot.
#[derive(Debug)]
pub enum Binding<D> {
    /// A component; fills grammar slots.
    Component(Assembly<D>),
    /// Token events; fill slots of both kinds.
    Events(Events),
}

/// A definition with what is bound to its slots. Cheap to clone; clones are independent.
#[derive(Debug)]
pub struct Assembly<D>(Arc<Node<D>>);

#[derive(Debug)]
struct Node<D> {
    definition: Arc<D>,
    /// By position among the slots of the definition.
    bindings: BTreeMap<usize, Binding<D>>,
    /// Nesting below, itself included.
    depth: usize,
    /// Slots of the definition that are not filled, or not closed below.
    open: usize,
}

impl<D> Clone for Node<D> {
    fn clone(&self) -> Self {
        let Self { definition, bindings, depth, open } = self;
        Self { definition: definition.clone(), bindings: bindings.clone(), depth: *depth, open: *open }
    }
}

/// An open slot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Requirement {
    /// What it takes.
    pub kind: SlotKind,
    /// The names that lead to it from the root; the last one is its own.
    pub path: Vec<String>,
    /// Where it is declared, in the source of its component.
    pub span: Option<Span>,
}

impl Requirement {
    /// The path as one name, joined with `::`.
    pub fn name(&self) -> String {
        self.path.join(SEPARATOR)
    }
}

/// One component of an assembly; equal ones are listed once.
#[derive(Debug)]
pub struct Part<'a, D> {
    /// The definition.
    pub definition: &'a Arc<D>,
    /// Per slot of the definition, what fills it.
    pub slots: Vec<Filled<'a>>,
}

/// What fills a slot of a [`Part`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Filled<'a> {
    /// Nothing.
    Open,
    /// The part of this number, which is less than that of the part it is bound in.
    Part(usize),
    /// Token events.
    Events(&'a Events),
}

/// What fills a slot of a part, as plain data.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Bound {
    /// Nothing.
    Open,
    /// The part of this number, an earlier one.
    Part(u32),
    /// Token events.
    Events(Events),
}

impl From<&Filled<'_>> for Bound {
    fn from(filled: &Filled<'_>) -> Self {
        match filled {
            Filled::Open => Self::Open,
            Filled::Part(part) => Self::Part(*part as u32),
            Filled::Events(events) => Self::Events((*events).clone()),
        }
    }
}

/// Makes a definition from another.
pub type Make<'m, D, E, X> = dyn FnMut(&Arc<D>) -> Result<Arc<E>, X> + 'm;

impl<D> Clone for Assembly<D> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<D> Clone for Binding<D> {
    fn clone(&self) -> Self {
        match self {
            Self::Component(component) => Self::Component(component.clone()),
            Self::Events(events) => Self::Events(events.clone()),
        }
    }
}

impl<D> Binding<D> {
    /// Nesting of components.
    fn depth(&self) -> usize {
        match self {
            Self::Component(component) => component.0.depth,
            Self::Events(_) => 0,
        }
    }
    /// Whether nothing in it is left to bind.
    fn is_closed(&self) -> bool {
        match self {
            Self::Component(component) => component.0.open == 0,
            Self::Events(_) => true,
        }
    }
}

impl<D: Define> Assembly<D> {
    /// A definition with all its slots open.
    pub fn new(definition: Arc<D>) -> Self {
        Self::of(definition, BTreeMap::new())
    }

    fn of(definition: Arc<D>, bindings: BTreeMap<usize, Binding<D>>) -> Self {
        let depth = 1 + bindings.values().map(Binding::depth).max().unwrap_or(0);
        let closed = bindings.values().filter(|b| b.is_closed()).count();
        let open = definition.grammar().slots.len().saturating_sub(closed);
        Self(Arc::new(Node { definition, bindings, depth, open }))
    }

    /// The definition at the root.
    pub fn definition(&self) -> &Arc<D> {
        &self.0.definition
    }
    /// Whether no slot is open.
    pub fn is_closed(&self) -> bool {
        self.0.open == 0
    }
    /// Whether anything is bound at the root.
    pub fn has_bindings(&self) -> bool {
        !self.0.bindings.is_empty()
    }

    /// Fills a slot. `path` is its name, or names joined with `::` that lead through what is bound already. Time: the
    /// length of the path, where nobody else holds what is along it; otherwise what is bound along it is copied, pointer by
    /// pointer.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use glrmask_grammar::assembly::{Assembly, Binding, Source};
    /// use glrmask_grammar::glrm;
    /// let read = |text| glrm::parse(text).map(|grammar| Assembly::new(Arc::new(Source::new(grammar))));
    /// let mut outer = read("start s; extern grammar inner; nt s = \"(\" inner \")\";")?;
    /// outer.bind("inner", Binding::Component(read("start s; extern grammar leaf; nt s = leaf leaf;")?))?;
    /// assert_eq!(outer.requirements()?[0].name(), "inner::leaf");
    /// outer.bind("inner::leaf", Binding::Component(read("start s; nt s = \"x\";")?))?;
    /// assert!(outer.is_closed() && outer.flatten()?.slots.is_empty());
    /// # Ok::<(), glrmask_grammar::GrammarError>(())
    /// ```
    ///
    /// # Errors
    /// No such slot, one that is filled, one that takes token events only, components nested too deeply. Nothing has
    /// changed then.
    pub fn bind(&mut self, path: &str, value: Binding<D>) -> Result<(), GrammarError> {
        let place = self.place(path, &value)?;
        self.fill(&place, value);
        Ok(())
    }

    /// The slots that a path leads through; the last one can be filled with the value.
    fn place(&self, whole: &str, value: &Binding<D>) -> Result<Vec<usize>, GrammarError> {
        let (mut node, mut path, mut place) = (self, whole, Vec::new());
        loop {
            let found = node.0.definition.slot_names().find(path);
            let (i, rest) = found.ok_or_else(|| no_slot(whole, path))?;
            place.push(i);
            let Some(rest) = rest else { break node.check(whole, i, value)? };
            node = match node.0.bindings.get(&i) {
                Some(Binding::Component(inner)) => inner,
                Some(Binding::Events(_)) => return Err(no_slot(whole, path)),
                None => {
                    let name = path.strip_suffix(rest).and_then(|name| name.strip_suffix(SEPARATOR)).unwrap_or(path);
                    return Err(invalid(format!("cannot bind `{whole}`: nothing is bound to `{name}` yet")));
                }
            };
            path = rest;
        }
        let depth = place.len() + value.depth();
        match depth <= MAX_DEPTH {
            true => Ok(place),
            false => Err(GrammarError::limit("nesting of bound grammars", MAX_DEPTH, depth, None)),
        }
    }

    /// Whether a slot of this definition can be filled with the value.
    fn check(&self, whole: &str, i: usize, value: &Binding<D>) -> Result<(), GrammarError> {
        if self.0.bindings.contains_key(&i) {
            return Err(invalid(format!("the slot `{whole}` is bound already")));
        }
        let kind = self.0.definition.grammar().slots.get(i).map(|slot| slot.kind);
        if matches!(value, Binding::Component(_)) && kind == Some(SlotKind::Token) {
            return Err(invalid(format!("the slot `{whole}` takes token events, not a grammar")));
        }
        Ok(())
    }

    /// Fills the slot at a place that was checked. Recursion is bounded by [`MAX_DEPTH`].
    fn fill(&mut self, place: &[usize], value: Binding<D>) {
        let node = Arc::make_mut(&mut self.0);
        let closes = match *place {
            [] => false,
            [i] => {
                node.depth = node.depth.max(1 + value.depth());
                let closes = value.is_closed();
                node.bindings.insert(i, value);
                closes
            }
            [i, ref rest @ ..] => {
                let Some(Binding::Component(inner)) = node.bindings.get_mut(&i) else { return };
                let was_closed = inner.is_closed();
                inner.fill(rest, value);
                node.depth = node.depth.max(1 + inner.0.depth);
                inner.is_closed() && !was_closed
            }
        };
        node.open = node.open.saturating_sub(usize::from(closes));
    }

    /// The open slots, outer ones first, each as often as there are paths to it.
    ///
    /// # Errors
    /// More than [`MAX_REQUIREMENTS`] (a component that is bound in many places counts in each).
    pub fn requirements(&self) -> Result<Vec<Requirement>, GrammarError> {
        let mut found = Vec::new();
        self.collect(&mut Vec::new(), &mut found)?;
        Ok(found)
    }

    /// Recursion is bounded by [`MAX_DEPTH`]; closed components are passed over, so every visit finds something.
    fn collect(&self, path: &mut Vec<String>, found: &mut Vec<Requirement>) -> Result<(), GrammarError> {
        let grammar = self.0.definition.grammar();
        for (i, slot) in grammar.slots.iter().enumerate().filter(|(i, _)| !self.0.bindings.contains_key(i)) {
            if found.len() == MAX_REQUIREMENTS {
                return Err(GrammarError::limit("open slots listed", MAX_REQUIREMENTS, MAX_REQUIREMENTS + 1, None));
            }
            let path = path.iter().cloned().chain(grammar.slot_path(slot)).collect();
            found.push(Requirement { kind: slot.kind, path, span: slot.span });
            debug_assert!(i < grammar.slots.len());
        }
        for (&i, binding) in &self.0.bindings {
            let (Binding::Component(inner), Some(slot)) = (binding, grammar.slots.get(i)) else { continue };
            if !inner.is_closed() {
                let before = path.len();
                path.extend(grammar.slot_path(slot));
                inner.collect(path, found)?;
                path.truncate(before);
            }
        }
        Ok(())
    }

    /// The same assembly over other definitions; `make` is asked once per node. Time: the nodes.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn map<E: Define, X>(&self, make: &mut Make<'_, D, E, X>) -> Result<Assembly<E>, X> {
        self.mapped(make, &mut FxHashMap::default())
    }

    fn mapped<E: Define, X>(
        &self,
        make: &mut Make<'_, D, E, X>,
        known: &mut FxHashMap<*const Node<D>, Assembly<E>>,
    ) -> Result<Assembly<E>, X> {
        if let Some(known) = known.get(&Arc::as_ptr(&self.0)) {
            return Ok(known.clone());
        }
        let mut bindings = BTreeMap::new();
        for (&i, binding) in &self.0.bindings {
            bindings.insert(
                i,
                match binding {
                    Binding::Component(inner) => Binding::Component(inner.mapped(make, known)?),
                    Binding::Events(events) => Binding::Events(events.clone()),
                },
            );
        }
        let made = Assembly::of(make(&self.0.definition)?, bindings);
        known.insert(Arc::as_ptr(&self.0), made.clone());
        Ok(made)
    }

    /// The assembly with these parts: definitions with what is bound to each slot, the root last.
    ///
    /// # Errors
    /// What is bound does not come earlier, or does not fit its slot; too deep a nesting; no part.
    pub fn from_parts(parts: Vec<(Arc<D>, Vec<Bound>)>) -> Result<Self, GrammarError> {
        let mut made: Vec<Self> = Vec::with_capacity(parts.len());
        for (definition, slots) in parts {
            let mut assembly = Self::new(definition);
            for (i, bound) in slots.into_iter().enumerate() {
                let value = match bound {
                    Bound::Open => continue,
                    Bound::Events(events) => Binding::Events(events),
                    Bound::Part(child) => {
                        let child =
                            made.get(child as usize).ok_or_else(|| invalid("a part is bound before it is made".into()));
                        Binding::Component(child?.clone())
                    }
                };
                if i >= assembly.0.definition.grammar().slots.len() {
                    return Err(invalid("a part binds a slot that it does not have".into()));
                }
                assembly.check("of a part", i, &value)?;
                if 1 + value.depth() > MAX_DEPTH {
                    return Err(GrammarError::limit("nesting of bound grammars", MAX_DEPTH, 1 + value.depth(), None));
                }
                assembly.fill(&[i], value);
            }
            made.push(assembly);
        }
        made.pop().ok_or_else(|| invalid("an assembly without parts".into()))
    }

    /// The components, each once, those that are bound before those they are bound in; the root is the last. Time: the
    /// nodes and their slots.
    pub fn parts(&self) -> Vec<Part<'_, D>> {
        let mut lister = Lister { parts: Vec::new(), by_node: FxHashMap::default(), by_content: FxHashMap::default() };
        lister.number(self);
        lister.parts
    }
}

/// Numbers components.
struct Lister<'a, D> {
    parts: Vec<Part<'a, D>>,
    by_node: FxHashMap<*const Node<D>, usize>,
    by_content: FxHashMap<(u128, Vec<Filled<'a>>), usize>,
}

impl<'a, D: Define> Lister<'a, D> {
    /// Recursion is bounded by [`MAX_DEPTH`].
    fn number(&mut self, assembly: &'a Assembly<D>) -> usize {
        let node = &assembly.0;
        if let Some(&known) = self.by_node.get(&Arc::as_ptr(node)) {
            return known;
        }
        let slots = node.definition.grammar().slots.len();
        let mut filled = Vec::with_capacity(slots);
        for i in 0..slots {
            filled.push(match node.bindings.get(&i) {
                None => Filled::Open,
                Some(Binding::Events(events)) => Filled::Events(events),
                Some(Binding::Component(inner)) => Filled::Part(self.number(inner)),
            });
        }
        let number = *self.by_content.entry((node.definition.identity(), filled.clone())).or_insert(self.parts.len());
        if number == self.parts.len() {
            self.parts.push(Part { definition: &node.definition, slots: filled });
        }
        self.by_node.insert(Arc::as_ptr(node), number);
        number
    }
}

impl Grammar {
    /// The names that lead to a slot from the root scope: those of the inline grammars around it, and its own.
    pub fn slot_path(&self, slot: &Slot) -> Vec<String> {
        let mut path = vec![slot.name.clone()];
        let mut scope = slot.scope;
        // A parent has a smaller id; whatever has not is ignored.
        while let Some((parent, here)) = self.scopes.get(scope).and_then(|s| Some((s.parent?, s))) {
            path.push(here.name.clone());
            if parent >= scope {
                break;
            }
            scope = parent;
        }
        path.reverse();
        path
    }
}

fn invalid(message: String) -> GrammarError {
    GrammarError::invalid(message, None)
}

fn no_slot(whole: &str, path: &str) -> GrammarError {
    match whole == path {
        true => invalid(format!("there is no slot `{whole}`")),
        false => invalid(format!("there is no slot `{whole}`: no `{path}` in what is bound")),
    }
}
