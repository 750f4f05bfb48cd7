//! Instances as text, in the order given and in every other order of their keys.
//!
//! The orders are not enumerated: the constraint is asked which key may come next, by feeding each remaining key to a
//! clone of the state, and only what it takes is followed (depth first, within a budget of feeds). A key after which
//! every other key that was possible still is goes first; in a fixed order that is the right one.

use glrmask_json_schema::json::{parse, Node, Value};
use glrmask_runtime::{Constraint, ConstraintState};
use rustc_hash::FxHashMap;

/// A JSON value, with its scalars and keys spelled the way Python's `json.dumps(ensure_ascii=False)` spells them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instance {
    /// A scalar.
    Atom(String),
    /// An array.
    Array(Vec<Instance>),
    /// An object: keys (with their quotes) and values.
    Object(Vec<(String, Instance)>),
}

impl Instance {
    /// The value of a node of `source`. Numbers keep their spelling.
    pub fn new(node: &Node, source: &str) -> Self {
        match &node.value {
            Value::Array(items) => Self::Array(items.iter().map(|item| Self::new(item, source)).collect()),
            Value::Object(members) => {
                Self::Object(members.iter().map(|(key, value)| (quoted(key), Self::new(value, source))).collect())
            }
            Value::String(text) => Self::Atom(quoted(text)),
            _ => Self::Atom(source.get(node.bytes.0..node.bytes.1).unwrap_or_default().to_owned()),
        }
    }
    /// The text in the order given.
    pub fn text(&self) -> String {
        match self {
            Self::Atom(text) => text.clone(),
            Self::Array(items) => format!("[{}]", items.iter().map(Self::text).collect::<Vec<_>>().join(", ")),
            Self::Object(members) => {
                let member = |(key, value): &(String, Self)| format!("{key}: {}", value.text());
                format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
            }
        }
    }
    /// Whether some object has more than one key.
    fn has_orders(&self) -> bool {
        match self {
            Self::Atom(_) => false,
            Self::Array(items) => items.iter().any(Self::has_orders),
            Self::Object(members) => members.len() > 1 || members.iter().any(|(_, value)| value.has_orders()),
        }
    }
}

/// The keys that a schema mentions (with their quotes), in the order of their first mention.
#[derive(Clone, Debug, Default)]
pub(super) struct Mentions(FxHashMap<String, usize>);

impl Mentions {
    /// Keys of objects first, then other strings (undeclared keys in `required`).
    pub(super) fn new(schema: &str) -> Self {
        let mut mentions = Self::default();
        if let Ok(node) = parse(schema, 600) {
            mentions.keys(&node);
            mentions.strings(&node);
        }
        mentions
    }
    fn note(&mut self, text: &str) {
        let next = self.0.len();
        self.0.entry(quoted(text)).or_insert(next);
    }
    fn keys(&mut self, node: &Node) {
        match &node.value {
            Value::Array(items) => items.iter().for_each(|item| self.keys(item)),
            Value::Object(members) => members.iter().for_each(|(key, value)| {
                self.note(key);
                self.keys(value);
            }),
            _ => {}
        }
    }
    fn strings(&mut self, node: &Node) {
        match &node.value {
            Value::Array(items) => items.iter().for_each(|item| self.strings(item)),
            Value::Object(members) => members.values().for_each(|value| self.strings(value)),
            Value::String(text) => self.note(text),
            _ => {}
        }
    }
    fn sort<'i>(&self, members: &'i [(String, Instance)]) -> Vec<&'i (String, Instance)> {
        let mut sorted: Vec<_> = members.iter().collect();
        sorted.sort_by_key(|(key, _)| self.0.get(key).copied().unwrap_or(usize::MAX));
        sorted
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Whether the constraint accepts the text of the instance.
pub(super) fn accepts_as_written(constraint: &Constraint, instance: &Instance) -> bool {
    let mut state = constraint.start();
    state.commit_bytes(instance.text().as_bytes()).is_ok() && state.is_accepting()
}

/// Whether the constraint accepts the instance in some order of its keys, as far as the search feeds at most `budget`
/// pieces of text.
pub(super) fn accepts_in_some_order(
    constraint: &Constraint,
    instance: &Instance,
    mentions: &Mentions,
    budget: usize,
) -> bool {
    let mut search = Search { mentions, left: budget };
    instance.has_orders() && search.value(&constraint.start(), instance).is_some_and(|state| state.is_accepting())
}

struct Search<'m> {
    mentions: &'m Mentions,
    /// Pieces of text that may still be fed.
    left: usize,
}

impl Search<'_> {
    /// The state after the value in the first order found. Recursion is bounded by the nesting and the number of members.
    fn value(&mut self, state: &ConstraintState, value: &Instance) -> Option<ConstraintState> {
        match value {
            Instance::Atom(text) => self.feed(state, text),
            Instance::Array(items) => {
                let mut state = self.feed(state, "[")?;
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        state = self.feed(&state, ", ")?;
                    }
                    state = self.value(&state, item)?;
                }
                self.feed(&state, "]")
            }
            Instance::Object(members) => {
                let state = self.feed(state, "{")?;
                self.members(&state, &self.mentions.sort(members), "")
            }
        }
    }
    /// The rest of an object, whose next member needs `separator` before it. Keys that leave all others possible are
    /// tried before those that do not.
    fn members(
        &mut self,
        state: &ConstraintState,
        members: &[&(String, Instance)],
        separator: &str,
    ) -> Option<ConstraintState> {
        if members.is_empty() {
            return self.feed(state, "}");
        }
        let key = |i: usize, separator: &str| format!("{separator}{}: ", members[i].0);
        let open: Vec<(usize, ConstraintState)> =
            (0..members.len()).filter_map(|i| Some((i, self.feed(state, &key(i, separator))?))).collect();
        let mut worse = Vec::new();
        for (index, state) in &open {
            let Some(state) = self.value(state, &members[*index].1) else { continue };
            let others = open.iter().filter(|(other, _)| other != index);
            let lost = others.filter(|(other, _)| self.feed(&state, &key(*other, ", ")).is_none()).count();
            match lost {
                0 => match self.without(&state, members, *index) {
                    Some(end) => return Some(end),
                    None => continue,
                },
                _ => worse.push((lost, *index, state)),
            }
        }
        worse.sort_by_key(|(lost, ..)| *lost);
        worse.into_iter().find_map(|(_, index, state)| self.without(&state, members, index))
    }
    /// The rest of an object after the member at `index`.
    fn without(
        &mut self,
        state: &ConstraintState,
        members: &[&(String, Instance)],
        index: usize,
    ) -> Option<ConstraintState> {
        let mut rest = members.to_vec();
        rest.remove(index);
        self.members(state, &rest, ", ")
    }
    fn feed(&mut self, state: &ConstraintState, text: &str) -> Option<ConstraintState> {
        self.left = self.left.checked_sub(1)?;
        let mut state = state.clone();
        state.commit_bytes(text.as_bytes()).is_ok().then_some(state)
    }
}
