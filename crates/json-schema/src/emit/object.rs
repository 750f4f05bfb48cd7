//! Objects: braces around members.
//!
//! What may stand between the braces is made by `chain.rs` (schema order), `counted.rs` (schema order, with counts),
//! `obligation.rs` (schema order, with obligations), `order.rs` (any order) or `crowded.rs` (any order of many keys). All of them fuse the comma (or its absence)
//! into the key terminal: `"k": ` where `k` comes first, `, "k": ` where it comes later; a separate comma would leave the
//! parser guessing. A colon with flexible white space around it stands before the value instead.

use std::rc::Rc;

use glrmask_automata::{NonterminalId, Regex, Symbol};

use super::chain::{Contents, Member};
use super::counted::Counting;
use super::crowded::Crowded;
use super::string::quoted;
use super::Emitter;
use crate::algebra::{Case, Goal};
use crate::error::Result;
use crate::options::PropertyOrder;
use crate::shape::{all_obligations, FreeKeys, Named, ObjectShape, Obligations, StringShape};
use crate::types::TypeSet;

/// A member as it may be written, and the obligations it then meets.
pub(super) type Way = (Member, Obligations);

/// A named member in all its ways.
pub(super) struct NamedWays {
    pub(super) key: Rc<str>,
    pub(super) ways: Vec<Way>,
    pub(super) required: bool,
}

impl Emitter<'_, '_> {
    pub(super) fn object(&mut self, lhs: NonterminalId, shape: &ObjectShape) -> Result<()> {
        let mut named = Vec::new();
        for member in &shape.named {
            let ways = self.ways(member)?;
            if ways.is_empty() && member.required {
                self.blame(lhs, &member.value);
                return Ok(());
            }
            if !ways.is_empty() {
                named.push(NamedWays { key: member.key.clone(), ways, required: member.required });
            }
        }
        let free = self.free_members(shape)?;
        let counting =
            Counting { min: shape.min_properties as usize, max: shape.max_properties.map(|max| max as usize) };
        if self.is_crowded(shape, named.len(), counting) {
            self.crowded.insert(Rc::new(shape.clone()), Crowded { lhs, named, free, counting });
            return Ok(());
        }
        let contents = self.contents(lhs, shape, (&named, &free), counting)?;
        self.braces(lhs, contents)
    }
    fn contents(
        &mut self,
        lhs: NonterminalId,
        shape: &ObjectShape,
        (named, free): (&[NamedWays], &[Way]),
        counting: Counting,
    ) -> Result<Contents> {
        let obligations = all_obligations(shape.obligations);
        if self.algebra.options.property_order == PropertyOrder::Any {
            let tracked = self.tracked(lhs, named, counting.min <= 1 && obligations == 0)?;
            return self.any_order(&tracked, (named, free), counting, obligations);
        }
        if obligations != 0 {
            return self.obliged(named, free, counting, obligations);
        }
        let plain = |NamedWays { ways, required, .. }: &NamedWays| ways.first().map(|&(member, _)| (member, *required));
        let named: Vec<(Member, bool)> = named.iter().filter_map(plain).collect();
        let free: Vec<Member> = free.iter().map(|&(member, _)| member).collect();
        if counting.min > 1 || counting.max.is_some() {
            return self.counted(&named, &free, counting);
        }
        let contents = self.chain(&named, &free)?;
        Ok(Contents { may_be_empty: contents.may_be_empty && counting.min == 0, ..contents })
    }
    /// The ways in which a member may be written.
    fn ways(&mut self, named: &Named) -> Result<Vec<Way>> {
        let mut ways = Vec::new();
        let more = named.meeting.iter().map(|(meets, value)| (*meets, value));
        for (meets, value) in [(named.meets, &named.value)].into_iter().chain(more) {
            if let Some(value) = self.symbol(value)? {
                ways.push((self.named_member(&named.key, value)?, meets));
            }
        }
        Ok(ways)
    }
    pub(super) fn braces(&mut self, lhs: NonterminalId, contents: Contents) -> Result<()> {
        let open = self.text.object_open();
        let open = self.terminal("OBJECT_OPEN", open);
        let close = self.text.object_close();
        let close = self.terminal("OBJECT_CLOSE", close);
        for members in contents.members {
            let rhs = [open].into_iter().chain(members).chain([close]);
            self.production(lhs, rhs.collect())?;
        }
        if contents.may_be_empty {
            self.production(lhs, vec![open, close])?;
        }
        Ok(())
    }
    fn named_member(&mut self, key: &str, value: Symbol) -> Result<Member> {
        Ok(match self.text.literal_keys(key) {
            Some(keys) => {
                let [first, later] = keys.map(|text| Symbol::Terminal(self.builder.literal(text)));
                Member { first, later, value }
            }
            None => self.member(self.text.spelling.quoted(key), value)?,
        })
    }
    fn member(&mut self, key: Regex, value: Symbol) -> Result<Member> {
        let value = self.behind_colon(value)?;
        let first = self.text.first_key(key.clone());
        let later = self.text.later_key(key);
        Ok(Member { first: self.terminal("FIRST_KEY", first), later: self.terminal("LATER_KEY", later), value })
    }
    /// A value with the colon before it, unless the keys have it.
    fn behind_colon(&mut self, value: Symbol) -> Result<Symbol> {
        let Some(colon) = self.text.colon_apart() else { return Ok(value) };
        if let Some(&known) = self.behind_colon.get(&value) {
            return Ok(known);
        }
        let lhs = self.builder.fresh("value");
        let colon = self.terminal("COLON", colon);
        self.production(lhs, vec![colon, value])?;
        self.behind_colon.insert(value, Symbol::Nonterminal(lhs));
        Ok(Symbol::Nonterminal(lhs))
    }
    /// The kinds of free members, and the obligations each of them meets.
    fn free_members(&mut self, shape: &ObjectShape) -> Result<Vec<Way>> {
        let mut members = Vec::new();
        for free in &shape.free {
            let Some(value) = self.symbol(&free.value)? else { continue };
            if let Some(key) = self.free_key(shape, free)? {
                members.push((self.member(key, value)?, free.meets));
            }
        }
        Ok(members)
    }
    /// The keys of a group, with quotes: every spelling if nothing is said about them, else the spelling of
    /// constrained strings without the named keys. Those are left out in the same spelling, so that no named key can
    /// slip in under another one.
    fn free_key(&mut self, shape: &ObjectShape, free: &FreeKeys) -> Result<Option<Regex>> {
        let keys = shape.named.iter().map(|named| &named.key).chain(&shape.forbidden);
        let taken: Vec<Regex> = keys.map(|key| self.text.spelling.text(key)).collect();
        if taken.is_empty() && free.languages.is_empty() && free.names.is_empty() {
            return Ok(Some(quoted(self.any_string())));
        }
        let languages = StringShape { languages: free.languages.clone(), ..StringShape::default() };
        let mut content = languages.content(&self.algebra.languages);
        if !free.names.is_empty() {
            content = content.intersect(&self.key_names(&free.names)?);
        }
        if !taken.is_empty() {
            content = content.difference(&Regex::alternate(taken));
        }
        let plain = free.languages.is_empty() && free.names.is_empty();
        Ok((plain || self.is_inhabited(&content)?).then(|| quoted(content)))
    }
    /// Contents of the strings that satisfy a goal.
    fn key_names(&mut self, names: &Goal) -> Result<Regex> {
        let mut contents = Vec::new();
        for case in self.algebra.expand(names)?.iter() {
            match case {
                Case::Assertions { members, types } if types.meets(TypeSet::STRING) => {
                    let shape = StringShape::merge(self.algebra, members)?;
                    if shape.regex {
                        let id = members.first().copied().unwrap_or(self.algebra.store.always);
                        self.algebra.unsupported_at(id, "propertyNames", "keys of the format \"regex\"")?;
                    }
                    contents.push(shape.content(&self.algebra.languages));
                }
                Case::Assertions { .. } => {}
                Case::Values(values) => {
                    let text = |node: &crate::json::Node| match &node.value {
                        crate::json::Value::String(text) => Some(self.text.spelling.text(text)),
                        _ => None,
                    };
                    contents.extend(values.iter().filter_map(text));
                }
            }
        }
        Ok(Regex::alternate(contents))
    }
}
