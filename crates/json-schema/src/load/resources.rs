//! Where references can lead: the base-URI table of the documents (`$id`, anchors) and JSON Pointers.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::keyword::{self, Subschemas};
use super::library::Library;
use super::scope::ScopeId;
use crate::dialect::{Dialect, Draft};
use crate::error::{Result, SchemaError};
use crate::json::{Node, Value};
use crate::uri;

/// A schema in a document.
#[derive(Clone)]
pub(crate) struct Place<'t> {
    pub(crate) node: &'t Node,
    /// JSON Pointer from the root of the document, behind the URI and `#` of the document if it is not the first.
    pub(crate) pointer: String,
    /// Base URI for references: the resource the schema belongs to.
    pub(crate) base: Rc<str>,
    pub(crate) dialect: Dialect,
    /// Dynamic anchors where the schema is applied.
    pub(crate) scope: ScopeId,
    /// Whether the schema's own `$id` and `$schema` are taken in.
    entered: bool,
}

impl<'t> Place<'t> {
    /// A value inside this one.
    pub(crate) fn child(&self, keyword: &str, node: &'t Node) -> Self {
        let pointer = format!("{}/{}", self.pointer, escape(keyword));
        Self { node, pointer, entered: false, ..self.clone() }
    }
}

/// The named schemas of the documents that were reached.
pub(crate) struct Resources<'t> {
    library: &'t Library<'t>,
    root: Place<'t>,
    by_uri: FxHashMap<String, Place<'t>>,
    /// Dynamic anchors by resource; `""` is `$recursiveAnchor`.
    dynamic: FxHashMap<Rc<str>, Vec<(&'t str, Place<'t>)>>,
    /// Whether some schema of the first document has an unevaluated keyword.
    unevaluated: bool,
}

impl<'t> Resources<'t> {
    /// Collects every `$id` and anchor of a document without URI.
    ///
    /// # Errors
    /// Its `$schema` is not known.
    pub(crate) fn new(node: &'t Node, library: &'t Library<'t>) -> Result<Self> {
        let root = Place {
            node,
            pointer: String::new(),
            base: "".into(),
            dialect: root_dialect(node, library)?.unwrap_or(Dialect::full(Draft::Draft2020)),
            scope: ScopeId::EMPTY,
            entered: false,
        };
        let by_uri = FxHashMap::default();
        let mut resources =
            Self { library, root: root.clone(), by_uri, dynamic: FxHashMap::default(), unevaluated: false };
        resources.root = resources.enter(root);
        resources.add(resources.root.clone());
        Ok(resources)
    }
    /// The root schema.
    pub(crate) fn root(&self) -> Place<'t> {
        self.root.clone()
    }
    /// Whether an unevaluated keyword may be met: the first document has one, or a document of the caller might.
    pub(crate) fn mentions_unevaluated(&self) -> bool {
        self.unevaluated || self.library.mentions_unevaluated()
    }
    /// The dynamic anchors of the resource a place belongs to.
    pub(crate) fn anchors(&self, place: &Place<'t>) -> &[(&'t str, Place<'t>)] {
        self.dynamic.get(&place.base).map_or(&[], Vec::as_slice)
    }
    /// The place with the base URI that its own `$id` sets, and the dialect of its own `$schema`.
    pub(crate) fn enter(&self, mut place: Place<'t>) -> Place<'t> {
        if std::mem::replace(&mut place.entered, true) {
            return place;
        }
        let Value::Object(members) = &place.node.value else { return place };
        if members.contains_key("$id") || members.contains_key("id") {
            if let Some(Value::String(metaschema)) = members.get("$schema").map(|node| &node.value) {
                place.dialect = self.library.dialect(metaschema).ok().flatten().unwrap_or(place.dialect);
            }
        }
        if let Some(id) = id(&place) {
            let (uri, _) = uri::split_fragment(id);
            if !uri.is_empty() {
                place.base = uri::resolve(&place.base, uri).into();
            }
        }
        place
    }
    /// What a reference leads to. The scope of the place is empty.
    ///
    /// # Errors
    /// Nothing is there; a document of the library cannot be read.
    pub(crate) fn resolve(&mut self, reference: &str, base: &str) -> Result<Place<'t>> {
        let lost =
            || SchemaError::reference(format!("\"{reference}\" leads nowhere in this document and the registry"));
        let (uri, fragment) = uri::split_fragment(reference);
        let uri = uri::resolve(base, uri);
        let fragment = uri::percent_decode(fragment).ok_or_else(lost)?;
        if let Some(place) = self.find(&uri, &fragment) {
            return Ok(place);
        }
        self.fetch(&uri)?;
        if let Some(place) = self.find(&uri, &fragment) {
            return Ok(place);
        }
        for uri in self.library.uris() {
            self.fetch(uri)?;
        }
        self.find(&uri, &fragment).ok_or_else(lost)
    }

    fn find(&self, uri: &str, fragment: &str) -> Option<Place<'t>> {
        if !fragment.is_empty() && !fragment.starts_with('/') {
            return self.by_uri.get(&format!("{uri}#{fragment}")).cloned();
        }
        let resource = match self.by_uri.get(uri) {
            Some(place) => place.clone(),
            None if uri.is_empty() => self.root(),
            None => return None,
        };
        self.follow(resource, fragment)
    }
    /// Adds the document at a URI, if there is one.
    fn fetch(&mut self, uri: &str) -> Result<()> {
        let Some(node) = self.library.get(uri)? else { return Ok(()) };
        if self.by_uri.get(uri).is_some_and(|known| std::ptr::eq(known.node, node)) {
            return Ok(());
        }
        let place = Place {
            node,
            pointer: format!("{uri}#"),
            base: uri.into(),
            dialect: root_dialect(node, self.library).map_err(|error| error.within(uri))?.unwrap_or(self.root.dialect),
            scope: ScopeId::EMPTY,
            entered: false,
        };
        let place = self.enter(place);
        self.by_uri.entry(uri.to_owned()).or_insert_with(|| place.clone());
        self.add(place);
        Ok(())
    }
    /// Collects the names of a document: of schemas first, then those in places that no keyword makes a schema.
    fn add(&mut self, place: Place<'t>) {
        self.collect(place.clone(), true);
        self.collect(place, false);
    }
    /// Recursion is bounded by the nesting of the text.
    fn collect(&mut self, place: Place<'t>, schemas_only: bool) {
        let place = self.enter(place);
        match &place.node.value {
            Value::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    self.collect(place.child(&i.to_string(), item), schemas_only);
                }
            }
            Value::Object(members) => {
                self.declare(&place, schemas_only);
                for (key, node) in members {
                    let child = place.child(key, node);
                    match (keyword::find(key).map_or(Subschemas::None, |found| found.subschemas), &node.value) {
                        (Subschemas::Direct, _) => self.collect(child, schemas_only),
                        (Subschemas::Members, Value::Object(members)) => {
                            members.iter().for_each(|(key, node)| self.collect(child.child(key, node), schemas_only));
                        }
                        _ if schemas_only || is_data(key) => {}
                        _ => self.collect(child, schemas_only),
                    }
                }
            }
            _ => {}
        }
    }
    fn declare(&mut self, place: &Place<'t>, schemas_only: bool) {
        let Value::Object(members) = &place.node.value else { return };
        self.unevaluated |= ["unevaluatedProperties", "unevaluatedItems"].iter().any(|key| members.contains_key(*key));
        if let Some(id) = id(place) {
            let (uri, fragment) = uri::split_fragment(id);
            if !uri.is_empty() {
                self.by_uri.entry(place.base.to_string()).or_insert_with(|| place.clone());
            }
            if !fragment.is_empty() {
                self.by_uri.entry(format!("{}#{fragment}", place.base)).or_insert_with(|| place.clone());
            }
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(Value::String(name)) = members.get(keyword).map(|node| &node.value) {
                self.by_uri.entry(format!("{}#{name}", place.base)).or_insert_with(|| place.clone());
            }
        }
        if let Some(name) = dynamic_anchor(place).filter(|_| schemas_only) {
            self.dynamic.entry(place.base.clone()).or_default().push((name, place.clone()));
        }
    }
    fn follow(&self, start: Place<'t>, pointer: &str) -> Option<Place<'t>> {
        let mut place = start;
        for token in pointer.split('/').skip(1) {
            let key = token.replace("~1", "/").replace("~0", "~");
            let node = match &place.node.value {
                Value::Object(members) => members.get(&key)?,
                Value::Array(items) => items.get(key.parse::<usize>().ok()?)?,
                _ => return None,
            };
            place = self.enter(place.child(&key, node));
        }
        Some(place)
    }
}

/// The name under which dynamic references find the schema; `""` is `$recursiveAnchor`.
pub(super) fn dynamic_anchor<'t>(place: &Place<'t>) -> Option<&'t str> {
    let Value::Object(members) = &place.node.value else { return None };
    let keyword = if place.dialect.draft == Draft::Draft2019 { "$recursiveAnchor" } else { "$dynamicAnchor" };
    match &members.get(keyword)?.value {
        Value::String(name) => Some(name),
        Value::Bool(true) => Some(""),
        _ => None,
    }
}

/// The dialect that a document says it is written in.
fn root_dialect(node: &Node, library: &Library<'_>) -> Result<Option<Dialect>> {
    let Value::Object(members) = &node.value else { return Ok(None) };
    let Some(node) = members.get("$schema") else { return Ok(None) };
    let fail = |error: SchemaError| error.at("", "$schema");
    let Value::String(uri) = &node.value else { return Err(fail(SchemaError::invalid("must be a string"))) };
    let unknown = || SchemaError::unsupported(format!("unknown dialect \"{uri}\""));
    library.dialect(uri).and_then(|dialect| dialect.ok_or_else(unknown)).map(Some).map_err(fail)
}

fn id<'t>(place: &Place<'t>) -> Option<&'t str> {
    let Value::Object(members) = &place.node.value else { return None };
    let draft = place.dialect.draft;
    if draft.ref_hides_siblings() && members.contains_key("$ref") {
        return None;
    }
    match &members.get(draft.id_keyword())?.value {
        Value::String(id) => Some(id),
        _ => None,
    }
}

/// Whether the value of a keyword is data, not schemas.
fn is_data(keyword: &str) -> bool {
    matches!(keyword, "enum" | "const" | "default" | "example" | "examples")
}

/// A key as a JSON Pointer token.
fn escape(key: &str) -> String {
    if key.contains(['~', '/']) {
        key.replace('~', "~0").replace('/', "~1")
    } else {
        key.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointer(text: &str, reference: &str, base: &str) -> Option<String> {
        let root = crate::json::parse(text, 99).unwrap();
        let registry = [("http://far/doc", r#"{"$id": "named", "$defs": {"x": {"$id": "inner", "$anchor": "y"}}}"#)];
        let registry = registry.map(|(uri, text)| (uri.to_owned(), text.to_owned())).into();
        let options = crate::Options { registry, ..Default::default() };
        let library = Library::new(&options);
        let mut resources = Resources::new(&root, &library).unwrap();
        resources.resolve(reference, base).ok().map(|place| place.pointer)
    }

    #[test]
    fn resolves_pointers_ids_and_anchors() {
        let text = r#"{"$id": "http://x/root.json", "a~/b": {"c": [1, 2]}, "$defs": {
            "n": {"$id": "sub/n.json", "$anchor": "here", "q": {}}, "m": {"$anchor": "top"}}, "enum": [{"$id": "no"}]}"#;
        let find = |reference, base| pointer(text, reference, base);
        let root = "http://x/root.json";
        assert_eq!(find("#/a~0~1b/c/1", root).as_deref(), Some("/a~0~1b/c/1"));
        assert_eq!(find("#/a~0%2F".trim_end_matches("%2F"), root), None);
        assert_eq!(find("#top", root).as_deref(), Some("/$defs/m"));
        assert_eq!(find("sub/n.json#here", root).as_deref(), Some("/$defs/n"));
        assert_eq!(find("#/q", "http://x/sub/n.json").as_deref(), Some("/$defs/n/q"));
        assert_eq!(find("../root.json#/$defs/m", "http://x/sub/n.json").as_deref(), Some("/$defs/m"));
        assert_eq!(find("no", root), None);
        assert_eq!(find("http://elsewhere/", root), None);
    }

    #[test]
    fn draft_4_names_are_fragments_of_id() {
        let text = r##"{"$schema": "http://json-schema.org/draft-04/schema#", "definitions": {"a": {"id": "#foo"}}, "properties": {"id": {"type": "string"}}}"##;
        assert_eq!(pointer(text, "#foo", "").as_deref(), Some("/definitions/a"));
        assert_eq!(pointer(text, "#", "").as_deref(), Some(""));
    }

    #[test]
    fn documents_of_the_registry_are_found_by_their_uri_and_by_the_names_in_them() {
        let find = |reference, base| pointer("{}", reference, base);
        for (reference, expected) in [
            ("http://far/doc", "http://far/doc#"),
            ("http://far/doc#/$defs/x", "http://far/doc#/$defs/x"),
            ("http://far/named", "http://far/doc#"),
            ("http://far/inner#y", "http://far/doc#/$defs/x"),
        ] {
            assert_eq!(find(reference, "").as_deref(), Some(expected), "{reference}");
        }
        assert_eq!(find("doc#", "http://far/other").as_deref(), Some("http://far/doc#"));
        let metaschema = "http://json-schema.org/draft-07/schema#/definitions/schemaArray";
        assert_eq!(find(metaschema, "").as_deref(), Some(metaschema));
        assert_eq!(find("http://far/none", ""), None);
    }

    #[test]
    fn names_of_schemas_win_over_names_elsewhere() {
        let text = r#"{"unknown": {"a": {"$id": "http://x/s"}}, "not": {"$id": "http://x/s", "$anchor": "here"}}"#;
        assert_eq!(pointer(text, "http://x/s", "").as_deref(), Some("/not"));
        assert_eq!(pointer(text, "#/unknown/a", "").as_deref(), Some("/unknown/a"));
    }
}
