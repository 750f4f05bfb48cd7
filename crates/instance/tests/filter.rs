//! The filter beside brute force: over grammars whose texts can all be listed, or completed in few bytes, a token stays
//! exactly if some text that keeps the rules begins with it.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;

use common::{keeps, keeps_so_far, parse};
use glrmask_automata::{ByteSet, Dfa, Id, Limits, Regex, StateId};
use glrmask_instance::{
    filter, must_filter, outlook, viable, ArrayRules, Continuations, ObjectRules, Outlook, Place, PlaceId, Rules,
    TokenWalk, Tracker,
};
use glrmask_vocab::{mask, TokenId, Vocab};

/// A grammar, and what has been read.
struct Grammar<'a> {
    dfa: &'a Dfa,
    at: StateId,
    asked: usize,
}

impl Continuations for Grammar<'_> {
    type Error = Infallible;
    type Place = StateId;

    fn start(&mut self) -> StateId {
        self.at
    }

    fn next_bytes(&mut self, place: StateId) -> Result<ByteSet, Infallible> {
        self.asked += 1;
        assert_ne!(place, Dfa::DEAD);
        Ok(self.dfa.next_bytes(place))
    }

    fn step(&mut self, place: StateId, byte: u8) -> Result<Option<StateId>, Infallible> {
        Ok(Some(self.dfa.next(place, byte)).filter(|&next| next != Dfa::DEAD))
    }
}

/// The reference: continues a text in every way, and looks at what is complete as a whole.
struct Reference<'a> {
    dfa: &'a Dfa,
    rules: &'a Rules,
    /// Bytes to the nearest end, by state.
    distance: Vec<usize>,
}

impl<'a> Reference<'a> {
    fn new(dfa: &'a Dfa, rules: &'a Rules) -> Self {
        let mut distance: Vec<usize> =
            dfa.states().map(|state| if dfa.is_accepting(state) { 0 } else { usize::MAX }).collect();
        for _ in 0..dfa.len() {
            for state in dfa.states() {
                let next = dfa.row(state).iter().filter_map(|target| distance.get(target.index())).min();
                distance[state.index()] =
                    distance[state.index()].min(next.map_or(usize::MAX, |next| next.saturating_add(1)));
            }
        }
        Self { dfa, rules, distance }
    }

    /// Whether some text that keeps the rules begins with `text` and `token`; `state` is the automaton's after them.
    fn allows(&self, text: &[u8], token: &[u8], state: StateId) -> bool {
        let mut text = text.to_vec();
        for &byte in token {
            if byte == b',' && self.is_broken(&text) {
                return false;
            }
            text.push(byte);
        }
        self.completes(&mut text, state, ROOM)
    }

    fn completes(&self, text: &mut Vec<u8>, state: StateId, room: usize) -> bool {
        if self.distance[state.index()] > room {
            return false;
        }
        if text.ends_with(b",") && self.is_broken(&text[..text.len() - 1]) {
            return false;
        }
        if self.dfa.is_accepting(state) {
            let doc = parse(std::str::from_utf8(text).unwrap()).unwrap();
            if keeps(self.rules, Some(PlaceId::ROOT), &doc) {
                return true;
            }
        }
        // The nearest end first, or all the room may be used up before it is tried.
        let mut bytes: Vec<u8> = self.dfa.next_bytes(state).iter().collect();
        bytes.sort_by_key(|&byte| self.distance[self.dfa.next(state, byte).index()]);
        bytes.into_iter().any(|byte| {
            text.push(byte);
            let found = self.completes(text, self.dfa.next(state, byte), room.saturating_sub(1));
            text.pop();
            found
        })
    }
}

impl Reference<'_> {
    /// Whether a text that ends behind an item or member breaks a rule that nothing can mend.
    fn is_broken(&self, text: &[u8]) -> bool {
        let mut closed = text.to_vec();
        let mut open = Vec::new();
        for byte in text {
            match byte {
                b'[' => open.push(b']'),
                b'{' => open.push(b'}'),
                b']' | b'}' => drop(open.pop()),
                _ => {}
            }
        }
        closed.extend(open.iter().rev());
        let doc = parse(std::str::from_utf8(&closed).unwrap()).unwrap();
        !keeps_so_far(self.rules, Some(PlaceId::ROOT), &doc, open.len())
    }
}

/// A few random bits.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % count
    }
}

/// A text of the language, by random steps that turn to the end after a while.
fn sample(reference: &Reference<'_>, random: &mut Random) -> Vec<u8> {
    let (mut text, mut state) = (Vec::new(), reference.dfa.start());
    loop {
        let bytes: Vec<u8> = reference.dfa.next_bytes(state).iter().collect();
        if bytes.is_empty() || reference.dfa.is_accepting(state) && random.below(2) == 0 {
            return text;
        }
        let nearest = bytes.iter().copied().min_by_key(|&b| reference.distance[reference.dfa.next(state, b).index()]);
        let byte = if text.len() > 24 { nearest.unwrap() } else { bytes[random.below(bytes.len())] };
        text.push(byte);
        state = reference.dfa.next(state, byte);
    }
}

/// Tokens cut out of texts of the language, and all bytes of it.
fn vocabulary(reference: &Reference<'_>, random: &mut Random) -> Vocab {
    let bytes = reference.dfa.states().flat_map(|state| reference.dfa.next_bytes(state).iter().collect::<Vec<u8>>());
    let mut strings: BTreeSet<Vec<u8>> = bytes.map(|byte| vec![byte]).collect();
    for _ in 0..40 {
        let text = sample(reference, random);
        for _ in 0..3 {
            let begin = random.below(text.len());
            let end = (begin + 1 + random.below(7)).min(text.len());
            strings.insert(text[begin..end].to_vec());
        }
    }
    // Some strings have two ids, one id has no bytes.
    let mut tokens: Vec<Vec<u8>> = strings.into_iter().collect();
    (0..6).for_each(|_| tokens.push(tokens[random.below(tokens.len())].clone()));
    tokens.push(Vec::new());
    let entries = tokens.into_iter().enumerate();
    Vocab::new(entries.map(|(i, bytes)| (TokenId::from_usize(3 * i), bytes))).unwrap()
}

/// So many bytes complete every text of these tests that can be completed.
const ROOM: usize = 20;

/// Random walks over tokens that stay, every mask beside the reference.
fn check(pattern: &str, places: Vec<Place>, seeds: u64) {
    let dfa = compiled(pattern);
    let rules = Arc::new(Rules::new(places).unwrap());
    let reference = Reference::new(&dfa, &rules);
    let (mut refused, mut ends) = (0, 0);
    for seed in 0..seeds {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (seed + 1) << 20);
        let vocab = vocabulary(&reference, &mut random);
        let walk = TokenWalk::shared(&vocab);
        let (mut text, mut state, mut tracker) = (Vec::new(), dfa.start(), Tracker::new(rules.clone()));
        for _ in 0..30 {
            let mut words = vec![0; vocab.mask_words() + 1];
            // An id that the vocabulary does not have, and one without bytes: left alone.
            let extra = TokenId::from_usize(words.len() * 32 - 1);
            mask::set(&mut words, extra);
            for (id, bytes) in vocab.iter() {
                if dfa.run(state, bytes) != Dfa::DEAD {
                    mask::set(&mut words, id);
                }
            }
            let before = words.clone();
            let mut grammar = Grammar { dfa: &dfa, at: state, asked: 0 };
            filter(&tracker, &walk, &vocab, &mut words, &mut grammar).unwrap();
            let had_work = grammar.asked > 0 || words != before;
            assert!(!had_work || must_filter(&tracker, &walk, &vocab, &before));
            assert!(mask::get(&words, extra));
            let mut staying = Vec::new();
            for (id, bytes) in vocab.iter() {
                let next = dfa.run(state, bytes);
                if next == Dfa::DEAD {
                    continue;
                }
                let expected = reference.allows(&text, bytes, next);
                let shown = format!("{} after {}", bytes.escape_ascii(), text.escape_ascii());
                assert_eq!(mask::get(&words, id), expected || bytes.is_empty(), "{shown} in {pattern}");
                assert_eq!(viable(&tracker, bytes, &mut grammar).unwrap(), expected, "{shown} in {pattern}, alone");
                refused += usize::from(!expected);
                if expected && !bytes.is_empty() {
                    staying.push(bytes);
                }
            }
            if staying.is_empty() {
                assert!(dfa.is_accepting(state), "stuck after {} in {pattern}", text.escape_ascii());
                ends += 1;
                break;
            }
            let token = staying[random.below(staying.len())];
            tracker.advance(token).unwrap();
            text.extend_from_slice(token);
            state = dfa.run(state, token);
        }
    }
    assert!(refused > 0 && ends > 0, "{refused} refused, {ends} texts ended in {pattern}");
}

fn unique() -> ArrayRules {
    ArrayRules { unique: true, ..ArrayRules::default() }
}

fn array(array: ArrayRules) -> Place {
    Place { array, ..Place::default() }
}

/// A unique array over a list of items, at least `min` and at most `max`.
fn list(item: &str, separator: &str, min: usize, max: &str) -> String {
    format!(r"\[(({item})({separator}({item})){{{},{max}}})?\]", min - 1)
}

#[test]
fn items_with_infinitely_many_values() {
    check(&list(r#""[ab]*""#, ",", 1, ""), vec![array(unique())], 100);
    check(&list(r#""a"|"b"|(0|[12][0-2]*)(\.[01]+)?(e1)?"#, ",", 1, ""), vec![array(unique())], 100);
    check(&list(r#"true|null|"a*""#, ",", 2, ""), vec![array(unique())], 100);
}

/// Each value in infinitely many spellings, of which zeros at the end of a fraction lead back to where they began.
#[test]
fn numbers_in_many_spellings() {
    let some = |until| vec![array(ArrayRules { settled_until: until, ..unique() })];
    check(&list(r"(1|10)(\.0+)?", ",", 1, "2"), some(2), 40);
    check(&list(r"(1|10|0)(\.0+)?(e-?0*[01])?", ",", 1, "1"), some(5), 40);
    check(&list(r"-?(0|1[01]*)(\.0+)?", ",", 1, "2"), vec![array(unique())], 40);
    check(&list(r"-?0\.0*1", ",", 1, "2"), vec![array(unique())], 40);
}

/// An automaton of a pattern, and the tracker and the grammar behind a text.
fn behind<'a>(dfa: &'a Dfa, rules: ArrayRules, text: &[u8]) -> (Tracker, Grammar<'a>) {
    let mut tracker = Tracker::new(Arc::new(Rules::new(vec![array(rules)]).unwrap()));
    tracker.advance(text).unwrap();
    (tracker, Grammar { dfa, at: dfa.run(dfa.start(), text), asked: 0 })
}

fn compiled(pattern: &str) -> Dfa {
    Regex::parse(pattern, &Default::default()).unwrap().compile(&Limits::default()).unwrap()
}

/// Behind `[1, 1`, a fraction stays 1 however many zeros it has: that is seen, and for all tokens at once.
#[test]
fn zeros_at_the_end_are_seen_to_change_nothing() {
    for (exponents, allowed) in [("", false), ("(e[1-9])?", true)] {
        let dfa = compiled(&list(&format!(r"-?(0|[1-9][0-9]*)(\.0+)?{exponents}"), ", ?", 1, ""));
        let zeros = (1..200).map(|count| format!(".{}", "0".repeat(count)));
        let digits = (0..1000).map(|number| number.to_string());
        let tokens: Vec<String> = zeros.chain(digits).chain([".", ",", "]", ", "].map(str::to_owned)).collect();
        let vocab = Vocab::new((0..).map(TokenId).zip(&tokens)).unwrap();
        let (tracker, mut grammar) = behind(&dfa, unique(), b"[1, 1");
        let mut words = vec![u32::MAX; vocab.mask_words()];
        filter(&tracker, &TokenWalk::new(&vocab), &vocab, &mut words, &mut grammar).unwrap();
        for (id, token) in (0..).map(TokenId).zip(&tokens) {
            let expected = if token.starts_with('.') { allowed } else { token.parse::<u32>().is_ok() };
            assert_eq!(mask::get(&words, id), expected, "{token} {exponents}");
        }
        // Nearly all of them at places where a fraction stands that has ended in 0 before.
        assert!(grammar.asked < 250, "{} questions", grammar.asked);
        assert_eq!(outlook(&tracker, b".", &mut grammar).unwrap() == Outlook::Open, allowed);
    }
}

/// Where more and more spellings lead to other values, the search ends by its bounds, and says so.
#[test]
fn a_search_without_an_end_is_bounded() {
    let dfa = compiled(&list(r"5|0(\.0+)?", ",", 1, ""));
    let (tracker, mut grammar) = behind(&dfa, ArrayRules { settled_until: 2, ..unique() }, b"[5,0,0");
    assert_eq!(outlook(&tracker, b".", &mut grammar).unwrap(), Outlook::Unknown);
    assert!((1000..4000).contains(&grammar.asked), "{}", grammar.asked);
    // In a mask each of them costs no more: what has been given up is not taken up again.
    let tokens: Vec<String> = (0..50).map(|count| format!(".{}", "0".repeat(count))).collect();
    let vocab = Vocab::new((0..).map(TokenId).zip(&tokens)).unwrap();
    let mut words = vec![u32::MAX; vocab.mask_words()];
    grammar.asked = 0;
    filter(&tracker, &TokenWalk::new(&vocab), &vocab, &mut words, &mut grammar).unwrap();
    assert!((0..50).all(|id| !mask::get(&words, TokenId(id))) && grammar.asked < 4000, "{}", grammar.asked);
    assert_eq!(outlook(&tracker, b"", &mut grammar).unwrap(), Outlook::Unknown);
    assert_eq!(outlook(&tracker, b"]", &mut grammar).unwrap(), Outlook::Closed);
}

#[test]
fn white_space_and_escapes() {
    let spaced = list(r#""(a|b|\\u006[12]|\\n|\\ud83d\\ude00|😀)*""#, r"[ \n]{0,2},[ \n]{0,2}", 1, "2");
    check(&spaced, vec![array(unique())], 100);
    check(r#"\[ ?1 ?(, ?(1|2|1\.0|10?e0) ?)*\]"#, vec![array(ArrayRules { settled_until: 2, ..unique() })], 100);
}

#[test]
fn items_with_finitely_many_values() {
    let some = |until| vec![array(ArrayRules { settled_until: until, ..unique() })];
    check(&list("[1-9]|1[0-2]", ",", 3, ""), some(12), 100);
    check(&list(r#""a"|"b"|"ab""#, ",", 2, ""), some(3), 100);
    check(&list(r#""a"|"b"|"ab"|"ba""#, ",", 2, "3"), some(0), 100);
}

#[test]
fn first_items_with_finitely_many_values() {
    let places = vec![array(ArrayRules { settled_from: 2, ..unique() })];
    check(r#"\[("a"|"b"),("b"|"c"|"bc")(,"[bc]+")*\]"#, places.clone(), 100);
    // The second item decides which strings the first may be.
    check(r#"\["[ab]+",("a"|"b")(,"[ab]*")?\]"#, places, 100);
}

/// Found by fuzzing: in an array that is not settled, the search preferred `}` within a string too, and filled memory
/// with strings of braces instead of ending one.
#[test]
fn strings_in_arrays_that_are_not_settled_are_ended() {
    let items = Some(PlaceId(0));
    let rules = Rules::new(vec![array(ArrayRules { items, settled_from: 1, ..unique() })]).unwrap();
    let mut tracker = Tracker::new(Arc::new(rules));
    tracker.advance(b"[[\n").unwrap();
    let mut grammar = Anything { asked: 0 };
    for token in ["\"", "\"a", "{\"a\":\"", "[\"\\", "-", "[tr"] {
        assert!(viable(&tracker, token.as_bytes(), &mut grammar).unwrap(), "{token}");
    }
    assert!(grammar.asked < 200, "{}", grammar.asked);
}

/// Allows every byte everywhere.
struct Anything {
    asked: usize,
}

impl Continuations for Anything {
    type Error = Infallible;
    type Place = ();

    fn start(&mut self) {}

    fn next_bytes(&mut self, (): ()) -> Result<ByteSet, Infallible> {
        self.asked += 1;
        Ok(ByteSet::FULL)
    }

    fn step(&mut self, (): (), _: u8) -> Result<Option<()>, Infallible> {
        Ok(Some(()))
    }
}

/// The searches of a mask share bounds. Of the characters that go on in a string one stands for the others at first, so that
/// no token is lost that a search alone finds.
#[test]
fn a_mask_has_what_a_search_alone_finds() {
    let items = Some(PlaceId(0));
    let rules = Arc::new(Rules::new(vec![array(ArrayRules { items, settled_from: 1, ..unique() })]).unwrap());
    let letters = || (b' '..=b'~').map(char::from);
    let pairs = letters().flat_map(|a| "\"a,:{}[]1".chars().map(move |b| format!("{a}{b}")));
    let tokens: Vec<String> = letters().map(String::from).chain(pairs).collect();
    let vocab = Vocab::new((0..).map(TokenId).zip(&tokens)).unwrap();
    for text in [r#"[{"a":1,"a"#, r#"[[["b"#, r#"[{"a":"x","b":["#, r#"[{"a":1,"b"#] {
        let mut tracker = Tracker::new(rules.clone());
        tracker.advance(text.as_bytes()).unwrap();
        let mut words = vec![u32::MAX; vocab.mask_words()];
        filter(&tracker, &TokenWalk::new(&vocab), &vocab, &mut words, &mut Anything { asked: 0 }).unwrap();
        for (id, token) in (0..).map(TokenId).zip(&tokens) {
            let mut next = tracker.clone();
            let alone = match next.advance(token.as_bytes()) {
                Err(violation) if violation.is_not_json() => continue,
                _ => viable(&tracker, token.as_bytes(), &mut Anything { asked: 0 }).unwrap(),
            };
            assert_eq!(mask::get(&words, id), alone, "{token:?} after {text}");
        }
    }
}

#[test]
fn objects_as_items() {
    let object = r#"\{"k":"x"(,"v":"[ab]*")?\}"#;
    check(&list(object, ",", 1, "2"), vec![array(unique())], 30);
    // In any order, with keys that stand twice: the last one counts.
    let object = r#"\{(("a":[12]|"b":1|"":[0-2])(,("a":[12]|"b":1|"":[0-2])){0,2})?\}"#;
    check(&list(object, ",", 1, "2"), vec![array(unique())], 30);
    let object = r#"\{"a":1(,"a":[12]){0,2}\}"#;
    check(&list(object, ",", 1, "1"), vec![array(ArrayRules { settled_until: 2, ..unique() })], 100);
}

#[test]
fn arrays_within_arrays() {
    let inner = list("[1-3]", ",", 1, "2");
    let outer = |inside: ArrayRules| {
        vec![array(ArrayRules { items: Some(PlaceId(1)), settled_until: 9, ..unique() }), array(inside)]
    };
    check(&list(&inner, ",", 1, "2"), outer(ArrayRules { settled_until: 3, ..unique() }), 100);
    check(&list(&inner, ",", 1, "2"), outer(ArrayRules::default()), 100);
    let inner = r#"\[("[ab]+"(,"[ab]+")*)?\]"#;
    let places = vec![array(ArrayRules { items: Some(PlaceId(1)), ..ArrayRules::default() }), array(unique())];
    check(&list(inner, ",", 1, "2"), places, 100);
}

#[test]
fn keys_that_are_distinct() {
    let distinct = ObjectRules { distinct: true, ..ObjectRules::default() };
    let place = |object| Place { object, ..Place::default() };
    check(r#"\{("[ab]+":1(,"([ab]|\\u0061)+":1){1,})?\}"#, vec![place(distinct.clone())], 100);
    // Within an item of a unique array, and around one.
    let object = ObjectRules { named: [("a".into(), PlaceId(0))].into(), ..distinct };
    let both = Place { array: ArrayRules { items: Some(PlaceId(0)), ..unique() }, object };
    check(r#"\[(\{"[ab]":(1|\[1(,[1-9][0-9]*)*\])(,"[ab]+":1)*\},)*0\]"#, vec![both], 100);
}

#[test]
fn keys_that_must_be_there() {
    let place = |required: &[&str], settled_until| {
        let required = required.iter().map(|&key| key.into()).collect();
        let object = ObjectRules { distinct: true, required, settled_until, ..ObjectRules::default() };
        Place { object, ..Place::default() }
    };
    // Any of these in any order; behind three members there is no other.
    let key = r#""(a|ab|b)":(1|"a?"|\{\})"#;
    let object = format!(r"\{{({key}(,{key})*)?\}}");
    check(&object, vec![place(&["a", "ab"], 3)], 100);
    check(&object, vec![place(&[], 3)], 100);
    check(&object, vec![place(&["a"], 0)], 100);
    // Keys never run out here.
    check(r#"\{"[ab]+":1(,"([ab]|\\u0061)+":1)*\}"#, vec![place(&["b"], u32::MAX)], 60);
    // One within another, and within and around arrays with unique items.
    let named = [("x".into(), PlaceId(1))].into();
    let outer = place(&["x", "y"], 2);
    let outer = Place { object: ObjectRules { named, ..outer.object }, ..outer };
    let inner = r#"\{"[ab]":1(,"[ab]":[12])*\}"#;
    let pattern = format!(r#"\{{("x":{inner}|"y":[01])(,("x":{inner}|"y":[01]))*\}}"#);
    check(&pattern, vec![outer, place(&["a"], 2)], 60);
    let items = Some(PlaceId(0));
    let both = Place { array: ArrayRules { items, ..unique() }, ..place(&["a", "b"], 2) };
    check(&list(r#"\{"[ab]":[1-4](,"[ab]":[1-4])*\}"#, ",", 1, "1"), vec![both], 60);
}

#[test]
fn arrays_as_members() {
    let array_place = array(unique());
    let object = ObjectRules { named: [("u".into(), PlaceId(1))].into(), ..ObjectRules::default() };
    let pattern = r#"\{"v":\[(1(,1)*)?\],"u":\[("a*"(,"a*")*)?\](,"v":\[("a"(,"a")*)?\])?\}"#;
    check(pattern, vec![Place { object, ..Place::default() }, array_place], 100);
}
