//! Where `$ref` can lead: the base-URI table of a document (`$id`, anchors) and JSON Pointers.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::dialect::Draft;
use crate::error::{Result, SchemaError};
use crate::json::{Node, Value};
use crate::uri;

/// A schema in the document.
#[derive(Clone)]
pub(crate) struct Place<'t> {
    pub(crate) node: &'t Node,
    /// JSON Pointer from the root of the document.
    pub(crate) pointer: String,
    /// Base URI for references.
    pub(crate) base: Rc<str>,
}

impl<'t> Place<'t> {
    /// A value inside this one.
    pub(crate) fn child(&self, keyword: &str, node: &'t Node) -> Self {
        Self { node, pointer: format!("{}/{}", self.pointer, escape(keyword)), base: self.base.clone() }
    }
}

/// The named schemas of a document.
pub(crate) struct Resources<'t> {
    draft: Draft,
    root: Place<'t>,
    by_uri: FxHashMap<String, Place<'t>>,
}

impl<'t> Resources<'t> {
    /// Collects every `$id` and anchor.
    pub(crate) fn new(root: &'t Node, draft: Draft) -> Self {
        let root = Place { node: root, pointer: String::new(), base: "".into() };
        let mut resources = Self { draft, root: root.clone(), by_uri: FxHashMap::default() };
        resources.collect(root);
        resources
    }
    /// The root schema.
    pub(crate) fn root(&self) -> Place<'t> {
        self.enter(self.root.clone())
    }
    /// The place with the base URI that its own `$id` sets.
    pub(crate) fn enter(&self, mut place: Place<'t>) -> Place<'t> {
        if let Some(id) = self.id(place.node) {
            let (uri, _) = uri::split_fragment(id);
            if !uri.is_empty() {
                place.base = uri::resolve(&place.base, uri).into();
            }
        }
        place
    }
    /// What a reference leads to.
    ///
    /// # Errors
    /// Nothing is there.
    pub(crate) fn resolve(&self, reference: &str, base: &str) -> Result<Place<'t>> {
        let lost = || SchemaError::reference(format!("\"{reference}\" leads nowhere in this document"));
        let (uri, fragment) = uri::split_fragment(reference);
        let uri = uri::resolve(base, uri);
        let fragment = uri::percent_decode(fragment).ok_or_else(lost)?;
        if !fragment.is_empty() && !fragment.starts_with('/') {
            return self.by_uri.get(&format!("{uri}#{fragment}")).cloned().ok_or_else(lost);
        }
        let resource = match self.by_uri.get(&uri) {
            Some(place) => place.clone(),
            None if uri.is_empty() => self.root(),
            None => return Err(lost()),
        };
        self.follow(resource, &fragment).ok_or_else(lost)
    }

    fn id(&self, node: &'t Node) -> Option<&'t str> {
        let Value::Object(members) = &node.value else { return None };
        if self.draft.ref_hides_siblings() && members.contains_key("$ref") {
            return None;
        }
        match &members.get(self.draft.id_keyword())?.value {
            Value::String(id) => Some(id),
            _ => None,
        }
    }
    /// Recursion is bounded by the nesting of the text.
    fn collect(&mut self, place: Place<'t>) {
        let place = self.enter(place);
        match &place.node.value {
            Value::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    self.collect(place.child(&i.to_string(), item));
                }
            }
            Value::Object(members) => {
                self.declare(&place);
                for (key, node) in members {
                    let data = matches!(key.as_str(), "enum" | "const" | "default" | "example" | "examples");
                    if !data && matches!(node.value, Value::Array(_) | Value::Object(_)) {
                        self.collect(place.child(key, node));
                    }
                }
            }
            _ => {}
        }
    }
    fn declare(&mut self, place: &Place<'t>) {
        let Value::Object(members) = &place.node.value else { return };
        if let Some(id) = self.id(place.node) {
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

    fn pointer(text: &str, draft: Draft, reference: &str, base: &str) -> Option<String> {
        let root = crate::json::parse(text, 99).unwrap();
        let resources = Resources::new(&root, draft);
        resources.resolve(reference, base).ok().map(|place| place.pointer)
    }

    #[test]
    fn resolves_pointers_ids_and_anchors() {
        let text = r#"{"$id": "http://x/root.json", "a~/b": {"c": [1, 2]}, "$defs": {
            "n": {"$id": "sub/n.json", "$anchor": "here", "q": {}}, "m": {"$anchor": "top"}}, "enum": [{"$id": "no"}]}"#;
        let find = |reference, base| pointer(text, Draft::Draft2020, reference, base);
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
        let text = r##"{"definitions": {"a": {"id": "#foo"}}, "properties": {"id": {"type": "string"}}}"##;
        assert_eq!(pointer(text, Draft::Draft4, "#foo", "").as_deref(), Some("/definitions/a"));
        assert_eq!(pointer(text, Draft::Draft4, "#", "").as_deref(), Some(""));
    }
}
