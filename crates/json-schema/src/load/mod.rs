//! From JSON to the schema IR: every keyword becomes fields of a [`Schema`](crate::schema::Schema).
//!
//! One file per keyword (`keyword/`), beside them what several share. References are resolved to places and loaded from a
//! queue, each once, which is what makes recursive schemas finite.

mod applicator;
mod array;
pub(crate) mod keyword;
mod library;
mod object;
mod resources;
mod scalar;
mod scope;

use std::rc::Rc;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::decimal::Decimal;
use crate::dialect::Draft;
use crate::error::{Category, Result, SchemaError};
use crate::json::{Node, Value};
use crate::language::Languages;
use crate::schema::{RefId, Schema, SchemaId, Store, Unsupported};
use crate::spell::Spelling;
use crate::{Options, Warning};

pub(crate) use library::Library;
use resources::{Place, Resources};
use scope::{ScopeId, Scopes};

/// A loaded document.
pub(crate) struct Document {
    pub(crate) store: Store,
    pub(crate) languages: Languages,
    pub(crate) root: SchemaId,
    pub(crate) draft: Draft,
    pub(crate) warnings: Vec<Warning>,
}

/// Loads a document and what it refers to.
pub(crate) fn load<'t>(root: &'t Node, library: &'t Library<'t>, options: &'t Options) -> Result<Document> {
    let resources = Resources::new(root, library)?;
    let root = resources.root();
    let draft = root.dialect.draft;
    let mut loader = Loader {
        options,
        resources,
        scopes: Scopes::new(),
        store: Store::new(),
        languages: Languages::new(Spelling::constrained(options)),
        references: FxHashMap::default(),
        queue: Vec::new(),
        warnings: Vec::new(),
    };
    let root = loader.within(root, ScopeId::EMPTY);
    let root = loader.schema(root)?;
    while let Some((reference, place)) = loader.queue.pop() {
        let target = loader.schema(place)?;
        loader.store.set_target(reference, target);
    }
    let Loader { store, languages, warnings, .. } = loader;
    Ok(Document { store, languages, root, draft, warnings })
}

struct Loader<'t> {
    options: &'t Options,
    resources: Resources<'t>,
    scopes: Scopes<'t>,
    store: Store,
    languages: Languages,
    /// References by the pointer of their target and the scope it is seen in.
    references: FxHashMap<(String, ScopeId), RefId>,
    queue: Vec<(RefId, Place<'t>)>,
    warnings: Vec<Warning>,
}

/// The keyword being read: where it stands and what stands beside it.
struct Keyword<'k, 't> {
    name: &'t str,
    node: &'t Node,
    siblings: &'t IndexMap<String, Node>,
    place: &'k Place<'t>,
}

impl<'t> Loader<'t> {
    /// Recursion is bounded by the nesting of the text.
    fn schema(&mut self, place: Place<'t>) -> Result<SchemaId> {
        match &place.node.value {
            Value::Bool(true) => Ok(self.store.always),
            Value::Bool(false) => Ok(self.store.never),
            Value::Object(members) => {
                let mut schema = Box::<Schema>::default();
                let (outer, base) = (place.scope, place.base.clone());
                let mut place = self.resources.enter(place);
                if place.base != base {
                    place = self.within(place, outer);
                }
                self.keywords(&mut schema, members, &place)?;
                if schema.unsupported.iter().any(|note| note.keyword == "patternProperties") {
                    // Weakened: keys of an unknown pattern must not fall under `additionalProperties`.
                    schema.object.additional = None;
                }
                Ok(self.store.intern(*schema, &place.pointer))
            }
            _ => Err(SchemaError::invalid("a schema is an object or a Boolean").at(&place.pointer, "")),
        }
    }
    fn keywords(&mut self, schema: &mut Schema, siblings: &'t IndexMap<String, Node>, place: &Place<'t>) -> Result<()> {
        let only_ref = place.dialect.draft.ref_hides_siblings() && siblings.contains_key("$ref");
        for (name, node) in siblings {
            if !only_ref || name == "$ref" {
                let keyword = Keyword { name, node, siblings, place };
                self.keyword(schema, &keyword).map_err(|error| error.at(&place.pointer, name))?;
            }
        }
        Ok(())
    }
    fn keyword(&mut self, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
        match keyword::find(keyword.name) {
            Some(definition) if keyword.place.dialect.knows_definition(definition) => {
                (definition.read)(self, schema, keyword)
            }
            Some(definition) if definition.name == "dependencies" && keyword.draft() > definition.until => {
                self.warn(keyword, "not a keyword of this draft, ignored");
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The place as seen from a scope: its resource is entered.
    fn within(&mut self, mut place: Place<'t>, scope: ScopeId) -> Place<'t> {
        place.scope = self.scopes.enter(scope, self.resources.anchors(&place));
        place
    }
    /// Whether it matters what schemas evaluate without asserting anything.
    fn tracks_evaluation(&self) -> bool {
        self.resources.mentions_unevaluated()
    }
    fn warn(&mut self, keyword: &Keyword<'_, 't>, message: &str) {
        self.warnings.push(Warning::new(&keyword.place.pointer, keyword.name, message));
    }
    /// The schema that is the keyword's value.
    fn subschema(&mut self, keyword: &Keyword<'_, 't>) -> Result<SchemaId> {
        self.schema(keyword.place.child(keyword.name, keyword.node))
    }
    /// The schema that is the value of a sibling keyword.
    fn sibling(&mut self, keyword: &Keyword<'_, 't>, name: &str) -> Result<Option<SchemaId>> {
        let place = keyword.siblings.get(name).map(|node| keyword.place.child(name, node));
        place.map(|place| self.schema(place)).transpose()
    }
    /// The schemas in the keyword's array.
    fn subschemas(&mut self, keyword: &Keyword<'_, 't>) -> Result<Vec<SchemaId>> {
        let outer = keyword.place.child(keyword.name, keyword.node);
        let items = array(keyword.node)?;
        items.iter().enumerate().map(|(i, node)| self.schema(outer.child(&i.to_string(), node))).collect()
    }
    /// The schemas in the keyword's object, by key.
    fn members(&mut self, keyword: &Keyword<'_, 't>) -> Result<Vec<(&'t str, SchemaId)>> {
        let outer = keyword.place.child(keyword.name, keyword.node);
        let members = object(keyword.node)?;
        members.iter().map(|(key, node)| Ok((key.as_str(), self.schema(outer.child(key, node))?))).collect()
    }
    /// A schema that the document does not contain literally.
    fn made(&mut self, keyword: &Keyword<'_, 't>, schema: Schema) -> SchemaId {
        self.store.intern(schema, &format!("{}/{}", keyword.place.pointer, keyword.name))
    }
}

impl Keyword<'_, '_> {
    fn draft(&self) -> Draft {
        self.place.dialect.draft
    }
    fn unsupported(&self, reason: &str) -> Unsupported {
        self.note(Category::Unsupported, reason)
    }
    fn note(&self, category: Category, reason: &str) -> Unsupported {
        Unsupported {
            pointer: self.place.pointer.clone(),
            keyword: self.name.to_owned(),
            reason: reason.to_owned(),
            category,
        }
    }
}

fn array(node: &Node) -> Result<&Vec<Node>> {
    match &node.value {
        Value::Array(items) => Ok(items),
        _ => Err(SchemaError::invalid("must be an array")),
    }
}

fn object(node: &Node) -> Result<&IndexMap<String, Node>> {
    match &node.value {
        Value::Object(members) => Ok(members),
        _ => Err(SchemaError::invalid("must be an object")),
    }
}

fn string(node: &Node) -> Result<&str> {
    match &node.value {
        Value::String(text) => Ok(text),
        _ => Err(SchemaError::invalid("must be a string")),
    }
}

fn strings(node: &Node) -> Result<Vec<Rc<str>>> {
    array(node)?.iter().map(|item| string(item).map(Rc::from)).collect()
}

fn boolean(node: &Node) -> Result<bool> {
    match node.value {
        Value::Bool(value) => Ok(value),
        _ => Err(SchemaError::invalid("must be a Boolean")),
    }
}

/// A non-negative integer; values beyond `u32` saturate.
fn count(node: &Node) -> Result<u32> {
    match &node.value {
        Value::Number(number) => number.to_count(),
        _ => None,
    }
    .ok_or_else(|| SchemaError::invalid("must be a non-negative integer"))
}

/// A lower bound on a count: what saturates cannot be met in practice.
fn least(node: &Node) -> Result<u32> {
    match (count(node)?, &node.value) {
        (u32::MAX, Value::Number(number)) => {
            let limit = u64::from(u32::MAX - 1);
            Err(SchemaError::limit_on_number("a lower bound", &written(number), limit))
        }
        (n, _) => Ok(n),
    }
}

/// An integer for a message; a very long one with an exponent, and not all of its digits.
fn written(number: &Decimal) -> String {
    if number.plain_len() <= 40 {
        return number.parts().0;
    }
    let (digits, exponent) = number.scientific();
    let (first, rest) = digits.split_at_checked(1).unwrap_or_default();
    let cut = rest.get(..20).map_or_else(|| rest.to_owned(), |begin| format!("{begin}…"));
    format!("{first}{}{cut}e{exponent}", if cut.is_empty() { "" } else { "." })
}

/// An upper bound on a count; what saturates is no bound.
fn most(node: &Node) -> Result<Option<u32>> {
    count(node).map(|n| (n != u32::MAX).then_some(n))
}
