//! Random schemas against a validator of their own: a text is accepted iff its value is valid.
//!
//! Key order is free here: a valid object must be accepted in some order of its keys, an invalid one in none.

#![allow(clippy::unwrap_used)]

mod support;

use glrmask_json_schema::{compile, Category, Limits, Options, PropertyOrder};
use proptest::prelude::*;
use support::Recognizer;

#[derive(Clone, Debug, PartialEq)]
enum V {
    Null,
    Bool(bool),
    /// In halves.
    Number(i32),
    Text(&'static str),
    Array(Vec<V>),
    Object(Vec<(&'static str, V)>),
}

#[derive(Clone, Debug)]
enum S {
    Constant(bool),
    Type(&'static str),
    Enum(Vec<V>),
    Range(Option<i32>, Option<i32>, bool),
    MultipleOf(i32),
    Length(u32, Option<u32>),
    Pattern(usize),
    Items(Option<Box<S>>, u32, Option<u32>),
    Prefix(Vec<S>, Box<S>),
    Contains(Box<S>, u32, Option<u32>),
    Unique,
    Object(Vec<(&'static str, S)>, Vec<&'static str>, Option<Box<S>>),
    KeyPattern(usize, Box<S>),
    Count(u32, Option<u32>),
    Names(Box<S>),
    Dependent(&'static str, &'static str),
    All(Vec<S>),
    Any(Vec<S>),
    One(Vec<S>),
    Not(Box<S>),
    If(Box<S>, Box<S>, Box<S>),
    /// The root, inside an array.
    Recursive,
}

type Matcher = fn(&str) -> bool;

const PATTERNS: [(&str, Matcher); 5] = [
    ("^a", |s| s.starts_with('a')),
    ("b", |s| s.contains('b')),
    ("^ab?$", |s| s == "a" || s == "ab"),
    ("^(?!a)", |s| !s.starts_with('a')),
    ("[^a]$", |s| s.chars().last().is_some_and(|c| c != 'a')),
];
const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];
const TEXTS: [&str; 7] = ["", "a", "b", "ab", "ba", "é\"", "\n"];
const KEYS: [&str; 4] = ["a", "b", "ab", "c"];

fn value_json(value: &V) -> String {
    match value {
        V::Null => "null".into(),
        V::Bool(b) => b.to_string(),
        V::Number(n) if n % 2 == 0 => (n / 2).to_string(),
        V::Number(n) => format!("{}{}.5", if *n < 0 { "-" } else { "" }, n.abs() / 2),
        V::Text(s) => format!("\"{}\"", s.replace('"', "\\\"").replace('\n', "\\n")),
        V::Array(items) => format!("[{}]", items.iter().map(value_json).collect::<Vec<_>>().join(", ")),
        V::Object(members) => {
            let members = members.iter().map(|(k, v)| format!("\"{k}\": {}", value_json(v)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
    }
}

fn list(schemas: &[S]) -> String {
    format!("[{}]", schemas.iter().map(json).collect::<Vec<_>>().join(", "))
}

fn json(schema: &S) -> String {
    let half = |n: i32| value_json(&V::Number(n));
    let bounded = |low: &str, min: u32, high: &str, max: &Option<u32>| {
        format!("\"{low}\": {min}{}", max.map_or(String::new(), |max| format!(", \"{high}\": {max}")))
    };
    match schema {
        S::Constant(b) => b.to_string(),
        S::Type(name) => format!("{{\"type\": \"{name}\"}}"),
        S::Enum(values) => format!("{{\"enum\": [{}]}}", values.iter().map(value_json).collect::<Vec<_>>().join(", ")),
        S::Range(min, max, exclusive) => {
            let (low, high) =
                if *exclusive { ("exclusiveMinimum", "exclusiveMaximum") } else { ("minimum", "maximum") };
            let parts =
                [min.map(|n| format!("\"{low}\": {}", half(n))), max.map(|n| format!("\"{high}\": {}", half(n)))];
            format!("{{{}}}", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
        }
        S::MultipleOf(n) => format!("{{\"multipleOf\": {}}}", half(*n)),
        S::Length(min, max) => format!("{{{}}}", bounded("minLength", *min, "maxLength", max)),
        S::Pattern(i) => format!("{{\"pattern\": \"{}\"}}", PATTERNS[*i].0),
        S::Items(items, min, max) => {
            let items = items.as_ref().map_or(String::new(), |items| format!("\"items\": {}, ", json(items)));
            format!("{{{items}{}}}", bounded("minItems", *min, "maxItems", max))
        }
        S::Prefix(prefix, rest) => format!("{{\"prefixItems\": {}, \"items\": {}}}", list(prefix), json(rest)),
        S::Contains(inner, min, max) => {
            format!("{{\"contains\": {}, {}}}", json(inner), bounded("minContains", *min, "maxContains", max))
        }
        S::Unique => "{\"uniqueItems\": true}".into(),
        S::Object(properties, required, additional) => {
            let properties = properties.iter().map(|(k, s)| format!("\"{k}\": {}", json(s)));
            let required = required.iter().map(|k| format!("\"{k}\"")).collect::<Vec<_>>().join(", ");
            let more =
                additional.as_ref().map_or(String::new(), |s| format!(", \"additionalProperties\": {}", json(s)));
            let properties = properties.collect::<Vec<_>>().join(", ");
            format!("{{\"properties\": {{{properties}}}, \"required\": [{required}]{more}}}")
        }
        S::KeyPattern(i, inner) => format!("{{\"patternProperties\": {{\"{}\": {}}}}}", PATTERNS[*i].0, json(inner)),
        S::Count(min, max) => format!("{{{}}}", bounded("minProperties", *min, "maxProperties", max)),
        S::Names(inner) => format!("{{\"propertyNames\": {}}}", json(inner)),
        S::Dependent(key, then) => format!("{{\"dependentRequired\": {{\"{key}\": [\"{then}\"]}}}}"),
        S::All(parts) => format!("{{\"allOf\": {}}}", list(parts)),
        S::Any(parts) => format!("{{\"anyOf\": {}}}", list(parts)),
        S::One(parts) => format!("{{\"oneOf\": {}}}", list(parts)),
        S::Not(inner) => format!("{{\"not\": {}}}", json(inner)),
        S::If(i, t, e) => format!("{{\"if\": {}, \"then\": {}, \"else\": {}}}", json(i), json(t), json(e)),
        S::Recursive => "{\"type\": \"array\", \"items\": {\"$ref\": \"#\"}}".into(),
    }
}

fn valid(schema: &S, root: &S, value: &V) -> bool {
    let check = |schema: &S, value: &V| valid(schema, root, value);
    let within = |n: usize, min: &u32, max: &Option<u32>| n >= *min as usize && max.is_none_or(|max| n <= max as usize);
    match (schema, value) {
        (S::Constant(b), _) => *b,
        (S::Type(name), _) => match value {
            V::Null => *name == "null",
            V::Bool(_) => *name == "boolean",
            V::Number(n) => *name == "number" || (*name == "integer" && n % 2 == 0),
            V::Text(_) => *name == "string",
            V::Array(_) => *name == "array",
            V::Object(_) => *name == "object",
        },
        (S::Enum(values), _) => values.iter().any(|v| same(v, value)),
        (S::Range(min, max, exclusive), V::Number(n)) => {
            min.is_none_or(|m| *n > m || (!exclusive && *n == m))
                && max.is_none_or(|m| *n < m || (!exclusive && *n == m))
        }
        (S::MultipleOf(m), V::Number(n)) => n % m == 0,
        (S::Length(min, max), V::Text(s)) => within(s.chars().count(), min, max),
        (S::Pattern(i), V::Text(s)) => PATTERNS[*i].1(s),
        (S::Items(items, min, max), V::Array(a)) => {
            within(a.len(), min, max) && items.as_ref().is_none_or(|s| a.iter().all(|v| check(s, v)))
        }
        (S::Prefix(prefix, rest), V::Array(a)) => {
            a.iter().enumerate().all(|(i, v)| check(prefix.get(i).unwrap_or(rest), v))
        }
        (S::Contains(inner, min, max), V::Array(a)) => within(a.iter().filter(|v| check(inner, v)).count(), min, max),
        (S::Unique, V::Array(a)) => a.iter().enumerate().all(|(i, v)| a.iter().skip(i + 1).all(|w| !same(v, w))),
        (S::Object(properties, required, additional), V::Object(members)) => {
            required.iter().all(|k| members.iter().any(|(m, _)| m == k))
                && members.iter().all(|(k, v)| match properties.iter().find(|(p, _)| p == k) {
                    Some((_, s)) => check(s, v),
                    None => additional.as_ref().is_none_or(|s| check(s, v)),
                })
        }
        (S::KeyPattern(i, inner), V::Object(members)) => {
            members.iter().all(|(k, v)| !PATTERNS[*i].1(k) || check(inner, v))
        }
        (S::Count(min, max), V::Object(members)) => within(members.len(), min, max),
        (S::Names(inner), V::Object(members)) => members.iter().all(|(k, _)| check(inner, &V::Text(k))),
        (S::Dependent(key, then), V::Object(members)) => {
            let has = |key: &str| members.iter().any(|(k, _)| *k == key);
            !has(key) || has(then)
        }
        (S::All(parts), _) => parts.iter().all(|s| check(s, value)),
        (S::Any(parts), _) => parts.iter().any(|s| check(s, value)),
        (S::One(parts), _) => parts.iter().filter(|s| check(s, value)).count() == 1,
        (S::Not(inner), _) => !check(inner, value),
        (S::If(i, t, e), _) => check(if check(i, value) { t } else { e }, value),
        (S::Recursive, V::Array(a)) => a.iter().all(|v| check(root, v)),
        (S::Recursive, _) => false,
        _ => true,
    }
}

/// Equality without key order.
fn same(a: &V, b: &V) -> bool {
    match (a, b) {
        (V::Array(a), V::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (V::Object(a), V::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.iter().any(|(l, w)| k == l && same(v, w)))
        }
        _ => a == b,
    }
}

/// The value with its keys in every order.
fn orders(value: &V) -> Vec<V> {
    match value {
        V::Array(items) => {
            let mut all = vec![Vec::new()];
            for item in items {
                let item = orders(item);
                all =
                    all.iter().flat_map(|a| item.iter().map(|v| [&a[..], std::slice::from_ref(v)].concat())).collect();
            }
            all.into_iter().map(V::Array).collect()
        }
        V::Object(members) => permutations(members).into_iter().map(V::Object).collect(),
        _ => vec![value.clone()],
    }
}

fn permutations(members: &[(&'static str, V)]) -> Vec<Vec<(&'static str, V)>> {
    if members.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for i in 0..members.len() {
        let mut rest = members.to_vec();
        let (key, value) = rest.remove(i);
        for tail in permutations(&rest) {
            all.extend(orders(&value).into_iter().map(|v| [&[(key, v)], &tail[..]].concat()));
        }
    }
    all
}

fn value() -> impl Strategy<Value = V> {
    let leaf = prop_oneof![
        Just(V::Null),
        any::<bool>().prop_map(V::Bool),
        (-6..7i32).prop_map(V::Number),
        prop::sample::select(&TEXTS[..]).prop_map(V::Text),
        Just(V::Array(vec![])),
        Just(V::Object(vec![])),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        let members = (prop::sample::subsequence(&KEYS[..], 0..=3), prop::collection::vec(inner.clone(), 3));
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(V::Array),
            members.prop_map(|(keys, values)| V::Object(keys.into_iter().zip(values).collect())),
        ]
    })
}

fn schema() -> impl Strategy<Value = S> {
    let bound = || prop::option::of(-6..7i32);
    let count = || (0..3u32, prop::option::of(0..4u32));
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(S::Constant),
        3 => prop::sample::select(&TYPES[..]).prop_map(S::Type),
        2 => prop::collection::vec(value(), 1..4).prop_map(S::Enum),
        2 => (bound(), bound(), any::<bool>()).prop_map(|(a, b, e)| S::Range(a, b, e)),
        1 => prop::sample::select(&[1, 2, 3, 4, 5, 6][..]).prop_map(S::MultipleOf),
        1 => count().prop_map(|(a, b)| S::Length(a, b)),
        2 => (0..PATTERNS.len()).prop_map(S::Pattern),
        1 => count().prop_map(|(a, b)| S::Items(None, a, b)),
        1 => (0..2u32, prop::option::of(0..4u32)).prop_map(|(a, b)| S::Count(a, b)),
        1 => (prop::sample::select(&KEYS[..]), prop::sample::select(&KEYS[..])).prop_map(|(a, b)| S::Dependent(a, b)),
        1 => prop::sample::subsequence(&KEYS[..], 0..=2).prop_map(|keys| S::Object(vec![], keys, None)),
        1 => Just(S::Recursive),
        1 => Just(S::Unique),
    ];
    leaf.prop_recursive(3, 14, 3, move |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        let some = || prop::collection::vec(inner.clone(), 1..4);
        let properties = (prop::sample::subsequence(&KEYS[..], 1..=3), prop::collection::vec(inner.clone(), 3));
        let properties = properties.prop_map(|(keys, schemas)| keys.into_iter().zip(schemas).collect::<Vec<_>>());
        prop_oneof![
            1 => (boxed(), 0..3u32, prop::option::of(0..4u32)).prop_map(|(s, a, b)| S::Items(Some(s), a, b)),
            1 => (some(), boxed()).prop_map(|(p, r)| S::Prefix(p, r)),
            1 => (boxed(), 0..3u32, prop::option::of(0..3u32)).prop_map(|(s, a, b)| S::Contains(s, a, b)),
            4 => (properties, prop::sample::subsequence(&KEYS[..], 0..=2), prop::option::of(boxed()))
                .prop_map(|(p, r, a)| S::Object(p, r, a)),
            1 => (0..PATTERNS.len(), boxed()).prop_map(|(i, s)| S::KeyPattern(i, s)),
            1 => boxed().prop_map(S::Names),
            3 => some().prop_map(S::All),
            2 => some().prop_map(S::Any),
            2 => some().prop_map(S::One),
            1 => boxed().prop_map(S::Not),
            1 => (boxed(), boxed(), boxed()).prop_map(|(i, t, e)| S::If(i, t, e)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
    #[test]
    fn accepts_exactly_the_valid_values(schema in schema(), values in prop::collection::vec(value(), 12)) {
        let text = json(&schema);
        let recognizer = match compile(&text, &Options::default()) {
            Ok(compiled) => Some(Recognizer::new(&compiled.grammar).unwrap()),
            Err(error) if error.category() == Category::Empty => None,
            Err(error) => {
                prop_assert!(matches!(error.category(), Category::Unsupported | Category::Limit), "{} {}", error, text);
                return Ok(());
            }
        };
        for value in values {
            let accepted = recognizer.as_ref().is_some_and(|r| orders(&value).iter().any(|v| r.accepts(&value_json(v))));
            prop_assert_eq!(accepted, valid(&schema, &schema, &value), "{} in {}", value_json(&value), text);
        }
    }
}

/// Compiles and says which of the texts are accepted; `None` if it refuses.
fn verdicts(schema: &str, options: &Options, texts: &[String]) -> Option<Vec<bool>> {
    match compile(schema, options) {
        Ok(compiled) => {
            let recognizer = Recognizer::new(&compiled.grammar).unwrap();
            Some(texts.iter().map(|text| recognizer.accepts(text)).collect())
        }
        Err(error) if error.category() == Category::Empty => Some(vec![false; texts.len()]),
        Err(_) => None,
    }
}

/// Options of any order; `facts` says how many sets of keys a grammar tells apart, beyond which the run time does.
fn any_order(facts: usize) -> Options {
    let limits = Limits { facts, ..Limits::default() };
    Options { property_order: PropertyOrder::Any, limits, ..Options::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
    #[test]
    fn any_order_accepts_every_order(
        schema in schema(),
        values in prop::collection::vec(value(), 8),
        facts in prop::sample::select(&[1, 2, 4, 1024][..]),
    ) {
        let text = json(&schema);
        for value in values {
            let texts: Vec<String> = orders(&value).iter().map(value_json).collect();
            if let Some(verdicts) = verdicts(&text, &any_order(facts), &texts) {
                for (text, accepted) in texts.iter().zip(verdicts) {
                    prop_assert_eq!(accepted, valid(&schema, &schema, &value), "{} in {}", text, json(&schema));
                }
            }
        }
    }

    /// A reader may keep the first or the last of members with one key.
    #[test]
    fn a_text_with_a_key_twice_is_accepted_only_if_either_way_it_is_valid(
        schema in schema(),
        values in prop::collection::vec((value(), value(), any::<prop::sample::Index>(), any::<prop::sample::Index>()), 8),
        facts in prop::sample::select(&[1, 4, 1024][..]),
    ) {
        let text = json(&schema);
        for (value, more, which, to) in values {
            let V::Object(members) = value else { continue };
            if members.is_empty() {
                continue;
            }
            let at = which.index(members.len());
            let mut last = members.clone();
            last[at].1 = more.clone();
            let mut repeated = members.clone();
            repeated.insert(at + 1 + to.index(members.len() - at), (members[at].0, more));
            let texts = [value_json(&V::Object(repeated))];
            let both = [members, last].into_iter().all(|members| valid(&schema, &schema, &V::Object(members)));
            for options in [Options::default(), any_order(facts)] {
                if let Some(verdicts) = verdicts(&text, &options, &texts) {
                    prop_assert!(!verdicts[0] || both, "{} in {}", texts[0], text);
                }
            }
        }
    }
}
