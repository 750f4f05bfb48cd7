//! The tracker beside trees: random documents with repeated items and keys in random spellings, read in random chunks.

#![allow(clippy::unwrap_used)]

mod common;

use std::sync::Arc;

use common::{keeps, parse, Doc};
use glrmask_automata::{Dfa, Limits, Regex};
use glrmask_instance::{ArrayRules, KeyLanguage, ObjectRules, Place, PlaceId, Rules, Tracker};
use proptest::prelude::*;
use proptest::test_runner::TestRng;
use serde_json::Value;

/// Documents out of few values, so that they repeat.
fn docs() -> impl Strategy<Value = Doc> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-4i32..4).prop_map(|quarters| Value::from(f64::from(quarters) / 4.0)),
        (0i32..3).prop_map(|tens| Value::from(f64::from(tens) * 10.0)),
        "[a\u{e9}\u{1f600}\"\\\\\n]{0,2}".prop_map(Value::from),
    ];
    let key = prop_oneof![Just("a"), Just("z"), Just("\u{1f600}"), Just("u"), Just("")].prop_map(str::to_owned);
    leaf.prop_map(Doc::Scalar).prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Doc::Array),
            proptest::collection::vec((key.clone(), inner), 0..4).prop_map(Doc::Object),
        ]
    })
}

/// Everything is asked at place 0, where nothing else is said; arrays are not unique below `z`; below `u` keys may repeat.
fn rules() -> Rules {
    let unique = |items| ArrayRules { unique: true, items: Some(PlaceId(items)), ..ArrayRules::default() };
    let any = Regex::parse("(?s).*", &Default::default()).unwrap().compile(&Limits::default()).unwrap();
    let others = |place| vec![(KeyLanguage(Arc::new(any.clone())), PlaceId(place))];
    let named = |place| [("z".into(), PlaceId(2)), ("u".into(), PlaceId(place))].into();
    let required = ["a".into()].into();
    let everything =
        ObjectRules { named: named(1), others: others(0), distinct: true, required, ..ObjectRules::default() };
    let repeating = ObjectRules { named: named(0), others: others(1), ..ObjectRules::default() };
    let plain = ObjectRules { others: others(2), ..ObjectRules::default() };
    let array = ArrayRules { items: Some(PlaceId(0)), ..ArrayRules::default() };
    Rules::new(vec![
        Place { array: ArrayRules { prefix: vec![PlaceId(1)], ..unique(0) }, object: everything },
        Place { array: unique(1), object: repeating },
        Place { array, object: plain },
    ])
    .unwrap()
}

/// Writes a document in one of its spellings.
struct Writer {
    rng: TestRng,
    out: String,
}

impl Writer {
    fn pick(&mut self, count: u32) -> u32 {
        self.rng.next_u32() % count
    }

    fn space(&mut self) {
        let space = ["", "", "", " ", "\n\t", "\r "][self.pick(6) as usize];
        self.out.push_str(space);
    }

    fn doc(&mut self, doc: &Doc) {
        self.space();
        match doc {
            Doc::Scalar(Value::Number(number)) => self.number(number.as_f64().unwrap()),
            Doc::Scalar(Value::String(content)) => self.string(content),
            Doc::Scalar(value) => self.out.push_str(&value.to_string()),
            Doc::Array(items) => {
                self.list(['[', ']'], items.len(), |writer, i| writer.doc(&items[i]));
            }
            Doc::Object(members) => self.list(['{', '}'], members.len(), |writer, i| {
                writer.space();
                writer.string(&members[i].0);
                writer.space();
                writer.out.push(':');
                writer.doc(&members[i].1);
            }),
        }
        self.space();
    }

    fn list(&mut self, [open, close]: [char; 2], len: usize, element: impl Fn(&mut Self, usize)) {
        self.out.push(open);
        for i in 0..len {
            if i > 0 {
                self.out.push(',');
            }
            element(self, i);
        }
        self.space();
        self.out.push(close);
    }

    fn number(&mut self, value: f64) {
        let spelling = match self.pick(5) {
            0 => format!("{value}"),
            1 => format!("{value:.3}"),
            2 => format!("{:.2}e1", value / 10.0).replace("e1", if value % 1.0 == 0.0 { "E+01" } else { "0e1" }),
            3 => format!("{}e-2", value * 100.0),
            _ => format!("{value:?}"),
        };
        let exact = serde_json::from_str::<f64>(&spelling).is_ok_and(|read| read == value);
        self.out.push_str(&if exact { spelling } else { value.to_string() });
    }

    fn string(&mut self, content: &str) {
        self.out.push('"');
        for character in content.chars() {
            match self.pick(3) {
                0 => {
                    let mut units = [0; 2];
                    for unit in character.encode_utf16(&mut units) {
                        self.out.push_str(&format!("\\u{unit:04x}"));
                    }
                }
                _ => {
                    let quoted = serde_json::to_string(&character).unwrap();
                    self.out.push_str(&quoted[1..quoted.len() - 1]);
                }
            }
        }
        self.out.push('"');
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_document_is_read_to_its_end_exactly_if_it_keeps_the_rules(doc in docs(), rng in any::<u64>().prop_perturb(|_, rng| rng)) {
        let mut writer = Writer { rng, out: String::new() };
        writer.doc(&doc);
        let text = writer.out.clone();
        let read = parse(&text).unwrap();
        prop_assert_eq!(read.value(), doc.value());
        let rules = Arc::new(rules());
        let keeps = keeps(&rules, Some(PlaceId::ROOT), &read);
        let mut tracker = Tracker::new(rules.clone());
        let whole = tracker.clone().advance(text.as_bytes());
        prop_assert_eq!(whole.is_ok(), keeps, "{} {:?}", text, whole);
        // In chunks, with clones that go other ways in between, the same is found at the same byte.
        let mut at = 0;
        while at < text.len() {
            let end = (at + 1 + writer.pick(6) as usize).min(text.len());
            let result = tracker.advance(&text.as_bytes()[at..end]);
            let other = tracker.clone().advance(br#"]]}, "a": [1, 1, {"b"#);
            prop_assert!(other.is_err());
            if let Err(violation) = result {
                prop_assert_eq!(at + violation.offset(), whole.unwrap_err().offset());
                // Nothing has been broken before, and nothing has been read.
                prop_assert!(tracker.clone().advance(&text.as_bytes()[at..at + violation.offset()]).is_ok());
                prop_assert!(tracker.advance(&text.as_bytes()[at..end]).is_err());
                prop_assert!(violation.repeated().is_some() || violation.missing() == Some("\"a\""));
                return Ok(());
            }
            at = end;
        }
        prop_assert!(keeps && tracker.is_idle() && tracker.is_free());
    }
}

#[test]
fn long_and_deep_texts_cost_no_stack_and_little_time() {
    let rules = Arc::new(rules());
    let deep = format!("[{}", "[".repeat(200_000));
    let mut tracker = Tracker::with_limit(rules.clone(), 1 << 30);
    tracker.advance(deep.as_bytes()).unwrap();
    tracker.advance("]".repeat(200_000).as_bytes()).unwrap();
    let again = tracker.advance(format!(",{}{}", "[".repeat(200_000), "]".repeat(200_000)).as_bytes());
    assert_eq!(again.unwrap_err().offset(), 400_000);
    // A long item, token by token, with the whole history kept.
    let mut history = vec![Tracker::new(rules)];
    let mut read = |bytes: &[u8]| {
        let mut next = history.last().unwrap().clone();
        let result = next.advance(bytes);
        history.push(next);
        result
    };
    read(b"[\"").unwrap();
    (0..100_000).for_each(|_| read(b"abc").unwrap());
    read(b"\", \"").unwrap();
    (0..100_000).for_each(|_| read(b"abc").unwrap());
    assert!(read(b"\"").is_err());
    read(b"x\"").unwrap();
    (0..30_000).for_each(|i| read(format!(", {i}").as_bytes()).unwrap());
    assert!(read(b", 29999 ").is_err() && read(b", 30001 ").is_ok());
}

/// Objects of many members, of which every key stands twice and the last one counts.
#[test]
fn keys_that_stand_twice_cost_little() {
    let array = ArrayRules { unique: true, ..ArrayRules::default() };
    let rules = Arc::new(Rules::new(vec![Place { array, ..Place::default() }]).unwrap());
    let members = |value: u32| (0..30_000).map(move |i| format!("\"k{i}\":{value}")).collect::<Vec<_>>().join(",");
    let mut tracker = Tracker::new(rules);
    tracker.advance(format!("[{{{}}}, {{{}}}, {{", members(1), members(2)).as_bytes()).unwrap();
    // At first no earlier object and then the first; the first and then the second; the second and then neither.
    for (first, second, is_there) in [(0, 1, true), (1, 2, true), (2, 0, false)] {
        let mut tracker = tracker.clone();
        let result = tracker.advance(format!("{},{}}}", members(first), members(second)).as_bytes());
        assert_eq!((result.is_err(), tracker.is_free()), (is_there, !is_there), "{first} {second}");
    }
    // One key over and over, with which the first object is possible again every other time.
    let turns = (0..30_000).map(|i| format!(",\"k7\":{}", i % 3)).collect::<String>();
    tracker.advance(format!("{}{turns}", members(1)).as_bytes()).unwrap();
    assert!(tracker.clone().advance(b",\"k7\":1}").is_err() && tracker.advance(b",\"k7\":0}").is_ok());
}

#[test]
fn what_is_remembered_is_bounded() {
    let mut tracker = Tracker::with_limit(Arc::new(rules()), 10_000);
    let mut items = 0;
    tracker.advance(b"[").unwrap();
    let violation = loop {
        items += 1;
        if let Err(violation) = tracker.advance(format!("{items},").as_bytes()) {
            break violation;
        }
    };
    assert!(violation.is_limit() && (40..200).contains(&items), "{items}");
    assert_eq!(violation.numbers().unwrap().1, 10_000);
    assert!(tracker.check_limit().is_err());
    // Outside of arrays whose items are unique nothing is remembered for long.
    let mut tracker = Tracker::with_limit(Arc::new(rules()), 10_000);
    tracker.advance(br#"{"z": ["#).unwrap();
    for i in 0..10_000 {
        tracker.advance(br#"[1, [2, 3], {"a": "b"}], "#).unwrap_or_else(|violation| panic!("{i}: {violation}"));
    }
}

#[test]
fn rules_from_storage_are_checked() {
    let rules = rules();
    let stored = serde_json::to_string(&rules).unwrap();
    assert_eq!(serde_json::from_str::<Rules>(&stored).unwrap(), rules);
    let stray = stored.replacen("\"items\":0", "\"items\":7", 1);
    let error = serde_json::from_str::<Rules>(&stray).unwrap_err().to_string();
    assert!(error.contains("place 7, there are 3"), "{error}");
    assert!(Rules::new(Vec::new()).unwrap_err().to_string().contains("root"));
    let dfa: Dfa =
        serde_json::from_str(&serde_json::to_string(&rules.places()[0].object.others[0].0).unwrap()).unwrap();
    assert!(dfa.accepts(b"any key"));
}
