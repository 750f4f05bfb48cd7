//! JSON values up to the ways of spelling them.
//!
//! Two values are equal as JSON Schema has it: numbers by value, strings by code points, arrays in order, objects
//! whatever the order of their members. A scalar *is* its canonical text, an array or object has its hash for a text, so
//! that values sort by their texts and those that begin alike stand side by side:
//!
//! ```text
//! null, false, true   one tag byte
//! number              tag, sign, digits without zeros at either end, 0, exponent      (`number.rs`)
//! string              tag, code points in UTF-8, lone surrogates likewise             (`string.rs`)
//! array, object       tag, hash                                       equal texts: compare what is in them
//! ```
//!
//! A text may be nested deeper than a thread has stack, so comparing, printing and dropping keep their own.

use std::hash::Hasher;
use std::sync::Arc;

use rustc_hash::FxHasher;
use smallvec::SmallVec;

/// The first byte of a text.
pub(crate) mod tag {
    pub(crate) const NULL: u8 = 0;
    pub(crate) const FALSE: u8 = 1;
    pub(crate) const TRUE: u8 = 2;
    pub(crate) const NUMBER: u8 = 3;
    pub(crate) const STRING: u8 = 4;
    pub(crate) const ARRAY: u8 = 5;
    pub(crate) const OBJECT: u8 = 6;
}

/// A finished value.
#[derive(Debug)]
pub(crate) struct Value {
    text: Arc<[u8]>,
    hash: u64,
    body: Body,
}

/// What is in a value.
#[derive(Debug)]
pub(crate) enum Body {
    /// All is said by the text.
    Scalar,
    Array(Vec<Arc<Value>>),
    /// Members by key, no key twice; keys are texts of strings.
    Object(Vec<Entry>),
}

/// A value under the text that it is sorted by: its own, or that of a member's key.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) text: Arc<[u8]>,
    pub(crate) value: Arc<Value>,
}

impl Value {
    pub(crate) fn scalar(text: impl Into<Arc<[u8]>>) -> Arc<Self> {
        let text = text.into();
        Arc::new(Self { hash: hash_bytes(&text), text, body: Body::Scalar })
    }

    pub(crate) fn array(items: Vec<Arc<Self>>) -> Arc<Self> {
        let hash = combine(tag::ARRAY, items.iter().map(|item| item.hash));
        Arc::new(Self { text: container_text(tag::ARRAY, hash), hash, body: Body::Array(items) })
    }

    /// An object of members that are sorted by key, no key twice.
    pub(crate) fn object(members: Vec<Entry>) -> Arc<Self> {
        let parts = members.iter().flat_map(|member| [hash_bytes(&member.text), member.value.hash]);
        let hash = combine(tag::OBJECT, parts);
        Arc::new(Self { text: container_text(tag::OBJECT, hash), hash, body: Body::Object(members) })
    }

    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    pub(crate) fn items(&self) -> &[Arc<Self>] {
        match &self.body {
            Body::Array(items) => items,
            _ => &[],
        }
    }

    /// Members sorted by key; none if this is no object.
    pub(crate) fn members(&self) -> &[Entry] {
        match &self.body {
            Body::Object(members) => members,
            _ => &[],
        }
    }

    /// The member with this key (as the text of a string). O(log members).
    pub(crate) fn member(&self, key: &[u8]) -> Option<&Arc<Self>> {
        let members = self.members();
        let found = members.binary_search_by(|member| member.text.as_ref().cmp(key)).ok()?;
        members.get(found).map(|member| &member.value)
    }

    /// Bytes that this value takes, without the values in it: its own, and those of its entries in runs and columns.
    pub(crate) fn weight(&self) -> usize {
        let inside = size_of_val(self.items()) + size_of_val(self.members());
        size_of::<Self>() + 4 * size_of::<usize>() + 2 * size_of::<Entry>() + self.text.len() + inside
    }

    pub(crate) fn body(&self) -> &Body {
        &self.body
    }

    fn take_children(&mut self) -> Vec<Arc<Self>> {
        match std::mem::replace(&mut self.body, Body::Scalar) {
            Body::Scalar => Vec::new(),
            Body::Array(items) => items,
            Body::Object(members) => members.into_iter().map(|member| member.value).collect(),
        }
    }
}

/// Drops nested values one after the other.
impl Drop for Value {
    fn drop(&mut self) {
        let mut rest = self.take_children();
        while let Some(value) = rest.pop() {
            if let Some(mut value) = Arc::into_inner(value) {
                rest.append(&mut value.take_children());
            }
        }
    }
}

impl Entry {
    /// The value under its own text.
    pub(crate) fn of(value: &Arc<Value>) -> Self {
        Self { text: value.text.clone(), value: value.clone() }
    }
}

/// Whether two values are equal. O(size), but O(1) for most that are not.
pub(crate) fn same(a: &Arc<Value>, b: &Arc<Value>) -> bool {
    let mut pairs: SmallVec<[(&Arc<Value>, &Arc<Value>); 8]> = SmallVec::new();
    pairs.push((a, b));
    while let Some((a, b)) = pairs.pop() {
        if Arc::ptr_eq(a, b) {
            continue;
        }
        if a.text != b.text || a.items().len() != b.items().len() || a.members().len() != b.members().len() {
            return false;
        }
        pairs.extend(a.items().iter().zip(b.items()));
        for (a, b) in a.members().iter().zip(b.members()) {
            if a.text != b.text {
                return false;
            }
            pairs.push((&a.value, &b.value));
        }
    }
    true
}

fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

fn combine(tag: u8, parts: impl Iterator<Item = u64>) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u8(tag);
    parts.for_each(|part| hasher.write_u64(part));
    hasher.finish()
}

fn container_text(tag: u8, hash: u64) -> Arc<[u8]> {
    let [a, b, c, d, e, f, g, h] = hash.to_be_bytes();
    Arc::new([tag, a, b, c, d, e, f, g, h])
}
