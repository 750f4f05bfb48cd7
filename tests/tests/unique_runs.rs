//! Unique items at run time, with the whole engine: numbers in every spelling beside what can be reached in few bytes,
//! states on several threads, and completions of many items.

#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

use glrmask_compiler::Config;
use glrmask_grammar::Grammar;
use glrmask_json_schema::json::{self, Value};
use glrmask_json_schema::{compile, Options, PropertyOrder, Whitespace};
use glrmask_runtime::{Constraint, ConstraintState};
use glrmask_tests::rng::Rng;
use glrmask_vocab::{mask, TokenId, Vocab};

const NUMBERS: [&str; 2] = [
    r#"{"type": "array", "items": {"type": "number"}, "uniqueItems": true}"#,
    r#"{"type": "array", "items": {"type": "integer"}, "uniqueItems": true}"#,
];

fn grammar(schema: &str) -> Grammar {
    let options = Options { whitespace: Whitespace::Compact, ..Options::default() };
    compile(schema, &options).unwrap().grammar
}

/// Single bytes, and these.
fn vocab(longer: &[&str]) -> Vocab {
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    let tokens: Vec<Vec<u8>> = bytes.chain(longer.iter().map(|token| token.as_bytes().to_vec())).collect();
    Vocab::new((0..).map(TokenId).zip(tokens)).unwrap()
}

fn spelled() -> Vocab {
    vocab(&[
        "10", "12", "100", ".0", ".00", "1.0", "1.5", "1e0", "e0", "e-1", "10e-1", "-1", ",1", "0,1", "1,2", ",0]",
        ".0,",
    ])
}

fn words(state: &ConstraintState) -> Vec<u32> {
    let mut words = vec![u32::MAX; state.constraint().mask_words()];
    state.fill_mask(&mut words).unwrap();
    words
}

fn is_unique(text: &[u8]) -> bool {
    let text = std::str::from_utf8(text).unwrap();
    let Ok(node) = json::parse(text, 9) else { return false };
    matches!(&node.value, Value::Array(items) if (1..items.len()).all(|i| !items[..i].contains(&items[i])))
}

/// Whether so many bytes more complete a text of the grammar without rules such that no item is there twice.
fn completes(state: &ConstraintState, text: &mut Vec<u8>, room: usize) -> bool {
    if state.is_accepting() && is_unique(text) {
        return true;
    }
    // The end first: mostly that is all it takes.
    room > 0
        && b"]210543.e-,6789".iter().any(|&byte| {
            let mut next = state.clone();
            if next.commit_token(TokenId(byte.into())).is_err() {
                return false;
            }
            text.push(byte);
            let found = completes(&next, text, room - 1);
            text.pop();
            found
        })
}

#[test]
fn masks_of_numbers_are_those_of_every_spelling() {
    let mut refused = 0;
    for (number, schema) in NUMBERS.iter().enumerate() {
        let ruled = grammar(schema);
        let unruled = Grammar { instance: None, ..ruled.clone() };
        let vocab = spelled();
        let ruled = glrmask_compiler::compile(&ruled, &vocab, &Config::default()).unwrap();
        let unruled = glrmask_compiler::compile(&unruled, &vocab, &Config::default()).unwrap();
        let mut rng = Rng::new(3 + number as u64);
        for _ in 0..25 {
            let (mut state, mut plain, mut text) = (ruled.start(), unruled.start(), Vec::new());
            for _ in 0..rng.between(2, 14) {
                let (masked, unmasked) = (words(&state), words(&plain));
                for (id, token) in vocab.iter().filter(|&(id, _)| mask::get(&unmasked, id)) {
                    let mut next = plain.clone();
                    next.commit_token(id).unwrap();
                    let mut both = [&text[..], token].concat();
                    let expected = completes(&next, &mut both, 3);
                    let shown = String::from_utf8_lossy(&both);
                    assert_eq!(mask::get(&masked, id), expected, "{shown} in {schema}");
                    refused += usize::from(!expected);
                }
                let ids: Vec<TokenId> = mask::iter(&masked).collect();
                if ids.is_empty() {
                    break;
                }
                let id = pick(&ids, &mut rng);
                state.commit_token(id).unwrap();
                plain.commit_token(id).unwrap();
                text.extend(vocab.bytes(id).unwrap());
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

/// One of these. Longer tokens are rare among single bytes, and taken more often.
fn pick(ids: &[TokenId], rng: &mut Rng) -> TokenId {
    let long: Vec<TokenId> = ids.iter().copied().filter(|id| id.0 > 255).collect();
    let from = if long.is_empty() || rng.chance(35) { ids } else { &long };
    *rng.pick(from)
}

/// Random tokens from the start on, and the mask before each.
fn walk(constraint: &Constraint, rng: &mut Rng) -> Vec<(Vec<u32>, TokenId)> {
    let (mut state, mut walk) = (constraint.start(), Vec::new());
    for _ in 0..rng.between(5, 40) {
        let words = words(&state);
        let ids: Vec<TokenId> = mask::iter(&words).collect();
        if ids.is_empty() {
            break;
        }
        let id = pick(&ids, rng);
        walk.push((words, id));
        state.commit_token(id).unwrap();
    }
    walk
}

/// What states find out about the grammar they share; what they say does not depend on it.
#[test]
fn states_on_several_threads_agree() {
    let objects = r#"{"type": "array", "uniqueItems": true, "items": {"type": "object", "additionalProperties": false,
        "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["a"]}}"#;
    let tokens =
        ["{\"a\":", "{\"a\":1", "},{\"a\":1", ",\"b\":\"", "\"},", "x", "xy", "1.0", "1", "10", "}]", ".0", ".00"];
    for (schema, vocab) in [(NUMBERS[0], spelled()), (objects, vocab(&tokens))] {
        let grammar = grammar(schema);
        let compile = || glrmask_compiler::compile(&grammar, &vocab, &Config::default()).unwrap();
        let alone = compile();
        let walks: Vec<_> = (0..30).map(|seed| walk(&alone, &mut Rng::new(seed))).collect();
        let shared = compile();
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let (walks, shared) = (&walks, &shared);
                scope.spawn(move || {
                    let mut rng = Rng::new(100 + thread);
                    for i in 0..walks.len() {
                        replay(shared, &walks[(i + 7 * thread as usize) % walks.len()], &mut rng);
                    }
                });
            }
        });
    }
}

/// With no room for what is found out, it is found out again.
#[test]
fn what_is_forgotten_changes_nothing() {
    let compile = |config| glrmask_compiler::compile(&grammar(NUMBERS[0]), &spelled(), &config).unwrap();
    let (keeping, forgetting) = (compile(Config::default()), compile(Config { cache_bytes: 1, ..Config::default() }));
    for seed in 0..6 {
        let walk = walk(&keeping, &mut Rng::new(seed));
        replay(&forgetting, &walk, &mut Rng::new(seed));
    }
}

/// The masks of a walk, with steps back and clones that go elsewhere in between.
fn replay(constraint: &Constraint, walk: &[(Vec<u32>, TokenId)], rng: &mut Rng) {
    let mut state = constraint.start();
    for (step, (expected, id)) in walk.iter().enumerate() {
        assert_eq!(&words(&state), expected);
        if rng.chance(30) {
            let back = rng.below(step + 1);
            state.rollback(back).unwrap();
            assert_eq!(words(&state), walk[step - back].0);
            let again: Vec<TokenId> = walk[step - back..step].iter().map(|(_, id)| *id).collect();
            state.commit_tokens(&again).unwrap();
        }
        if rng.chance(30) {
            let mut other = state.clone();
            let other_id = *rng.pick(&mask::iter(expected).collect::<Vec<_>>());
            other.commit_token(other_id).unwrap();
            words(&other);
            assert_eq!(&words(&state), expected);
        }
        state.commit_token(*id).unwrap();
    }
}

/// The distinct items of a text.
fn items(text: &[u8]) -> usize {
    let node = json::parse(std::str::from_utf8(text).unwrap(), 9).unwrap();
    assert!(is_unique(text));
    match &node.value {
        Value::Array(items) => items.len(),
        _ => 0,
    }
}

#[test]
fn many_items_that_differ_are_completed() {
    for (items_schema, least, longest) in [
        (r#"{"type": "integer"}"#, 9, 19),
        (r#"{"type": "integer"}"#, 12, 2 + 10 + 2 * 2 + 11),
        (r#"{"type": "integer"}"#, 300, 1 + 10 * 2 + 90 * 3 + 200 * 4),
        (r#"{"type": "string"}"#, 150, 1 + 4 + 149 * 5),
    ] {
        let schema =
            format!(r#"{{"type": "array", "uniqueItems": true, "minItems": {least}, "items": {items_schema}}}"#);
        let constraint = glrmask_compiler::compile(&grammar(&schema), &vocab(&[]), &Config::default()).unwrap();
        let state = constraint.start();
        let rest = state.shortest_completion().unwrap().unwrap();
        assert_eq!(items(&rest), least);
        assert!(rest.len() <= longest, "{} bytes for {least} of {items_schema}", rest.len());
        let tokens = state.shortest_completion_tokens().unwrap().unwrap();
        assert_eq!(state.validate_tokens(&tokens.tokens).unwrap(), tokens.tokens.len());
        assert!(least < 100 || !tokens.is_minimal);
    }
}

/// Members that must be there are written one after the other, but not behind a beginning that only repeats an item.
#[test]
fn a_missing_member_is_not_written_into_an_item_that_is_there() {
    let fixed: String = (1..14).map(|i| format!(r#", "k{i}": {{"const": true}}"#)).collect();
    let required: Vec<String> = (0..14).map(|i| format!("\"k{i}\"")).collect();
    let schema = format!(
        r#"{{"type": "array", "uniqueItems": true, "minItems": 2, "items": {{"type": "object",
            "properties": {{"k0": {{"type": "integer"}}{fixed}}}, "required": [{}], "additionalProperties": false}}}}"#,
        required.join(", ")
    );
    let options = Options { whitespace: Whitespace::Compact, property_order: PropertyOrder::Any, ..Options::default() };
    let grammar = compile(&schema, &options).unwrap().grammar;
    let constraint = glrmask_compiler::compile(&grammar, &vocab(&[]), &Config::default()).unwrap();
    let rest: String = (1..14).map(|i| format!(r#","k{i}":true"#)).collect();
    let mut state = constraint.start();
    state.commit_bytes(format!(r#"[{{"k0":0{rest}}},"#).as_bytes()).unwrap();
    for begun in ["", r#"{"k0":"#, r#"{"k1":true,"#] {
        let mut state = state.clone();
        state.commit_bytes(begun.as_bytes()).unwrap();
        let rest = state.shortest_completion().unwrap().unwrap();
        state.commit_bytes(&rest).unwrap();
        assert!(state.is_accepting(), "{begun}: {}", String::from_utf8_lossy(&rest));
    }
}
