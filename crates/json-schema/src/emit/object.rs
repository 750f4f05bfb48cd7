//! Objects as a left-recursive chain in schema order.
//!
//! The comma (or its absence) is fused into the key terminal: `"k": ` where `k` comes first, `, "k": ` where it comes
//! later. `pᵢ` derives the members up to the i-th, at least one of them:
//!
//! ```text
//! pᵢ → "{" FIRSTᵢ vᵢ        if everything before may be absent
//! pᵢ → pᵢ₋₁ LATERᵢ vᵢ
//! pᵢ → pᵢ₋₁                 if the i-th may be absent
//! ```
//!
//! That is O(n) productions and a conflict-free table, where "every member after every earlier one" takes O(n²) and a
//! separate comma leaves the parser guessing. Where members are counted, there is one `p` per count.

use glrmask_automata::{NonterminalId, Regex, Symbol};

use super::string::quoted;
use super::Emitter;
use crate::algebra::{Case, Goal};
use crate::error::Result;
use crate::shape::{FreeKeys, ObjectShape, StringShape};
use crate::spell;
use crate::types::TypeSet;

/// Nonterminals by number of members (from 1), saturated.
type Row = Vec<Option<NonterminalId>>;

/// A member as the two terminals of its key and the symbol of its value.
#[derive(Clone, Copy)]
struct Member {
    first: Symbol,
    later: Symbol,
    value: Symbol,
}

/// How members are counted.
#[derive(Clone, Copy)]
struct Counting {
    min: usize,
    max: Option<usize>,
}

impl Counting {
    /// Number of counts that are told apart.
    fn states(self) -> usize {
        self.max.unwrap_or(self.min.max(1))
    }
    /// The index after one member more; `None` beyond the maximum.
    fn next(self, index: usize) -> Option<usize> {
        match self.max {
            Some(max) => (index + 1 < max).then_some(index + 1),
            None => Some((index + 1).min(self.states() - 1)),
        }
    }
}

impl Emitter<'_, '_> {
    pub(super) fn object(&mut self, lhs: NonterminalId, shape: &ObjectShape) -> Result<()> {
        let open = self.text.object_open();
        let open = self.terminal("OBJECT_OPEN", open);
        let close = self.text.object_close();
        let close = self.terminal("OBJECT_CLOSE", close);
        let counting =
            Counting { min: shape.min_properties as usize, max: shape.max_properties.map(|max| max as usize) };
        let mut row: Row = vec![None; counting.states()];
        let mut may_be_empty = true;
        for named in &shape.named {
            let member = match self.symbol(&named.value)? {
                Some(value) => Some(self.member(Regex::literal(spell::quoted(&named.key)), value)),
                None if named.required => {
                    self.blame(lhs, &named.value);
                    return Ok(());
                }
                None => None,
            };
            if let Some(member) = member {
                row = self.append(&row, member, named.required, may_be_empty.then_some(open), counting)?;
                may_be_empty &= !named.required;
            }
        }
        row = self.append_free(row, shape, may_be_empty.then_some(open), counting)?;
        for (i, prefix) in row.into_iter().enumerate() {
            if let Some(prefix) = prefix.filter(|_| i + 1 >= counting.min) {
                self.production(lhs, vec![Symbol::Nonterminal(prefix), close])?;
            }
        }
        if may_be_empty && counting.min == 0 {
            self.production(lhs, vec![open, close])?;
        }
        Ok(())
    }
    fn member(&mut self, key: Regex, value: Symbol) -> Member {
        let first = self.text.first_key(key.clone());
        let later = self.text.later_key(key);
        Member { first: self.terminal("FIRST_KEY", first), later: self.terminal("LATER_KEY", later), value }
    }
    /// The chain with one more named member. `open` is given if nothing need stand before it.
    fn append(
        &mut self,
        row: &Row,
        member: Member,
        required: bool,
        open: Option<Symbol>,
        counting: Counting,
    ) -> Result<Row> {
        let mut next: Row = vec![None; row.len()];
        if let (Some(open), Some(_)) = (open, row.first()) {
            let to = self.state(&mut next, 0);
            self.production(to, vec![open, member.first, member.value])?;
        }
        for (i, from) in row.iter().enumerate() {
            let Some(from) = *from else { continue };
            if !required {
                let to = self.state(&mut next, i);
                self.production(to, vec![Symbol::Nonterminal(from)])?;
            }
            if let Some(j) = counting.next(i) {
                let to = self.state(&mut next, j);
                self.production(to, vec![Symbol::Nonterminal(from), member.later, member.value])?;
            }
        }
        Ok(next)
    }
    /// The chain with any number of free members.
    fn append_free(&mut self, row: Row, shape: &ObjectShape, open: Option<Symbol>, counting: Counting) -> Result<Row> {
        let members = self.free_members(shape)?;
        if members.is_empty() || row.is_empty() {
            return Ok(row);
        }
        let mut next: Row = vec![None; row.len()];
        for (i, from) in row.iter().enumerate() {
            if let Some(from) = *from {
                let to = self.state(&mut next, i);
                self.production(to, vec![Symbol::Nonterminal(from)])?;
            }
        }
        for &member in &members {
            if let Some(open) = open {
                let to = self.state(&mut next, 0);
                self.production(to, vec![open, member.first, member.value])?;
            }
        }
        for i in 0..next.len() {
            let (Some(from), Some(j)) = (next[i], counting.next(i)) else { continue };
            let to = self.state(&mut next, j);
            for member in &members {
                self.production(to, vec![Symbol::Nonterminal(from), member.later, member.value])?;
            }
        }
        Ok(next)
    }
    fn state(&mut self, row: &mut Row, i: usize) -> NonterminalId {
        *row[i].get_or_insert_with(|| self.builder.fresh("members"))
    }

    fn free_members(&mut self, shape: &ObjectShape) -> Result<Vec<Member>> {
        let mut members = Vec::new();
        for free in &shape.free {
            let Some(value) = self.symbol(&free.value)? else { continue };
            if let Some(key) = self.free_key(shape, free)? {
                members.push(self.member(key, value));
            }
        }
        Ok(members)
    }
    /// The keys of a group, with quotes: every spelling if nothing is said about them, else the canonical one without
    /// the named keys. A named key cannot slip in under another spelling, because there is no other.
    fn free_key(&mut self, shape: &ObjectShape, free: &FreeKeys) -> Result<Option<Regex>> {
        let keys = shape.named.iter().map(|named| &named.key).chain(&shape.forbidden);
        let taken: Vec<Regex> = keys.map(|key| Regex::literal(spell::canonical(key))).collect();
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
                    contents.push(StringShape::merge(self.algebra, members).content(&self.algebra.languages));
                }
                Case::Assertions { .. } => {}
                Case::Values(values) => {
                    let text = |node: &crate::json::Node| match &node.value {
                        crate::json::Value::String(text) => Some(Regex::literal(spell::canonical(text))),
                        _ => None,
                    };
                    contents.extend(values.iter().filter_map(text));
                }
            }
        }
        Ok(Regex::alternate(contents))
    }
}
