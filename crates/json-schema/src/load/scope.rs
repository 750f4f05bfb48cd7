//! Dynamic scopes, as far as they matter: which schema each dynamic anchor means.
//!
//! A dynamic reference goes to the outermost resource on the way from the root that has the anchor. A scope is therefore
//! the first schema met per anchor, not the whole way; there are finitely many, and a schema is loaded once per scope in
//! which it is reached. Scopes only grow: entering a resource adds the anchors that are not there yet.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::resources::Place;

/// A scope in [`Scopes`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ScopeId(usize);

impl ScopeId {
    /// No anchors.
    pub(crate) const EMPTY: Self = Self(0);
}

/// Anchors and what they mean, sorted by name.
type Scope<'t> = Rc<Vec<(&'t str, Place<'t>)>>;

/// All scopes met.
pub(crate) struct Scopes<'t> {
    scopes: Vec<Scope<'t>>,
    /// By the anchors and the pointers of their schemas.
    ids: FxHashMap<Vec<(&'t str, String)>, ScopeId>,
}

impl<'t> Scopes<'t> {
    pub(crate) fn new() -> Self {
        Self { scopes: vec![Scope::default()], ids: [(Vec::new(), ScopeId::EMPTY)].into_iter().collect() }
    }
    /// The scope inside a resource with these anchors.
    pub(crate) fn enter(&mut self, scope: ScopeId, anchors: &[(&'t str, Place<'t>)]) -> ScopeId {
        let outer = &self.scopes[scope.0];
        let new = anchors.iter().filter(|(name, _)| outer.iter().all(|(known, _)| known != name));
        let new: Vec<_> = new.cloned().collect();
        if new.is_empty() {
            return scope;
        }
        let mut inner: Vec<_> = outer.iter().cloned().chain(new).collect();
        inner.sort_by_key(|(name, _)| *name);
        inner.dedup_by_key(|(name, _)| *name);
        let key = inner.iter().map(|(name, place)| (*name, place.pointer.clone())).collect();
        let next = ScopeId(self.scopes.len());
        let id = *self.ids.entry(key).or_insert(next);
        if id == next {
            self.scopes.push(Rc::new(inner));
        }
        id
    }
    /// What an anchor means in a scope.
    pub(crate) fn find(&self, scope: ScopeId, anchor: &str) -> Option<&Place<'t>> {
        self.scopes[scope.0].iter().find(|(name, _)| *name == anchor).map(|(_, place)| place)
    }
}
