//! A plain check of the rules beside a grammar: the whole text is read into a tree, repeated keys and all, and looked at
//! from the root down. It shares nothing with the tracker of the run time.

use glrmask_automata::Id;
use glrmask_instance::{PlaceId, Rules};
use glrmask_json_schema::json::{self, Node, Value};
use indexmap::IndexMap;

enum Tree {
    Scalar(Node),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

/// Whether a text, which is JSON, obeys the rules.
pub(crate) fn obeys(rules: &Rules, text: &str) -> bool {
    let mut reader = Reader { text, at: 0 };
    let tree = reader.value();
    check(rules, Some(PlaceId::ROOT), &tree)
}

fn check(rules: &Rules, place: Option<PlaceId>, tree: &Tree) -> bool {
    let Some(place) = place.and_then(|place| rules.places().get(place.index())) else { return true };
    match tree {
        Tree::Scalar(_) => true,
        Tree::Array(items) => {
            let values: Vec<Node> = items.iter().map(Tree::value).collect();
            let repeats = (1..values.len()).any(|i| values[..i].contains(&values[i]));
            let at = |i: usize| place.array.prefix.get(i).copied().or(place.array.items);
            !(place.array.unique && repeats) && items.iter().enumerate().all(|(i, item)| check(rules, at(i), item))
        }
        Tree::Object(members) => {
            let repeats = (1..members.len()).any(|i| members[..i].iter().any(|(key, _)| *key == members[i].0));
            let called = |key: &str| {
                let others = || place.object.others.iter().find(|(language, _)| language.0.accepts(key.as_bytes()));
                place.object.named.get(key).copied().or_else(|| others().map(|&(_, place)| place))
            };
            let has = |key: &str| members.iter().any(|(other, _)| other == key);
            let missing = place.object.distinct && !place.object.required.iter().all(|key| has(key));
            !(missing || place.object.distinct && repeats)
                && members.iter().all(|(key, value)| check(rules, called(key), value))
        }
    }
}

impl Tree {
    /// As the parsed text would be: of members with one key, the last.
    fn value(&self) -> Node {
        let value = match self {
            Self::Scalar(node) => return node.clone(),
            Self::Array(items) => Value::Array(items.iter().map(Self::value).collect()),
            Self::Object(members) => {
                let members = members.iter().map(|(key, value)| (key.clone(), value.value()));
                Value::Object(members.collect::<IndexMap<_, _>>())
            }
        };
        Node { value, bytes: (0, 0) }
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    /// The next byte that is no white space.
    fn peek(&mut self) -> u8 {
        let rest = self.text[self.at..].trim_start_matches([' ', '\t', '\n', '\r']);
        self.at = self.text.len() - rest.len();
        rest.as_bytes()[0]
    }
    fn value(&mut self) -> Tree {
        match self.peek() {
            b'[' => Tree::Array(self.list(b']', Self::value)),
            b'{' => Tree::Object(self.list(b'}', |reader| {
                let Value::String(key) = reader.scalar().value else { panic!("a key") };
                assert_eq!(reader.peek(), b':');
                reader.at += 1;
                (key, reader.value())
            })),
            _ => Tree::Scalar(self.scalar()),
        }
    }
    fn list<T>(&mut self, close: u8, one: impl Fn(&mut Self) -> T) -> Vec<T> {
        let mut list = Vec::new();
        self.at += 1;
        while self.peek() != close {
            if self.peek() == b',' {
                self.at += 1;
            }
            list.push(one(self));
        }
        self.at += 1;
        list
    }
    fn scalar(&mut self) -> Node {
        self.peek();
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut end = start + 1;
        match bytes[start] {
            b'"' => {
                while bytes[end] != b'"' {
                    end += if bytes[end] == b'\\' { 2 } else { 1 };
                }
                end += 1;
            }
            _ => {
                while bytes.get(end).is_some_and(|byte| !b" \t\n\r,:]}".contains(byte)) {
                    end += 1;
                }
            }
        }
        self.at = end;
        json::parse(&self.text[start..end], 2).unwrap_or_else(|error| panic!("{error}"))
    }
}
