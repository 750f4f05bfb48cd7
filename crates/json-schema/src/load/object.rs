//! What keywords about objects share. Dependencies become "the key is absent, or …".

use std::rc::Rc;

use super::{object, strings, Keyword, Loader};
use crate::error::Result;
use crate::json::Value;
use crate::schema::{Schema, SchemaId};

impl<'t> Loader<'t> {
    /// The dependencies of all keys of the keyword's object.
    pub(super) fn dependencies(&mut self, schema: &mut Schema, keyword: &Keyword<'_, 't>) -> Result<()> {
        let outer = keyword.place.child(keyword.name, keyword.node);
        for (key, node) in object(keyword.node)? {
            let trigger: Rc<str> = key.as_str().into();
            let then = match &node.value {
                Value::Array(_) if keyword.name != "dependentSchemas" => {
                    let keys = [trigger.clone()].into_iter().chain(strings(node)?).collect();
                    self.made(keyword, Schema::required(unique(keys)))
                }
                _ => {
                    let target = self.schema(outer.child(key, node))?;
                    self.when_present(keyword, &trigger, target)
                }
            };
            let absent = self.made(keyword, Schema::property(&trigger, self.store.never));
            schema.any_of.push(vec![absent, then]);
        }
        Ok(())
    }
    /// `schema` and, of objects, that the key is there: so the two cases of a dependency do not overlap on objects.
    fn when_present(&mut self, keyword: &Keyword<'_, 't>, key: &Rc<str>, schema: SchemaId) -> SchemaId {
        let present = self.made(keyword, Schema::required(vec![key.clone()]));
        self.made(keyword, Schema::all(vec![present, schema]))
    }
}

/// The keys without repetition.
pub(super) fn unique(keys: Vec<Rc<str>>) -> Vec<Rc<str>> {
    let mut seen = rustc_hash::FxHashSet::default();
    keys.into_iter().filter(|key| seen.insert(key.clone())).collect()
}
