//! Shifting the first terminal changes no mask: programming languages over a vocabulary cut from their texts.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::{Arc, Once};

use glrmask_compiler::{compile, Config, Optimization};
use glrmask_grammar::builtin;
use glrmask_runtime::{Budget, Constraint, ConstraintState};
use glrmask_vocab::{TokenId, Vocab};

const TEXTS: [(&str, &str); 4] = [
    (
        "javascript",
        "// sum\nfunction add(first, ...rest) {\n  let instance = first ?? 0x1F;\n  for (const item of rest) { instance += item; }\n  return `${instance}` + /a[/]+b/g.test('in') - -1.5e3;\n}\nif (a === b && !(c in d)) throw new Error(\"no\"); else i++;\n",
    ),
    (
        "sql",
        "SELECT DISTINCT o.id, count(*) AS n FROM orders o LEFT JOIN items i ON i.order_id = o.id WHERE o.total >= 10.5 AND NOT o.note IS NULL GROUP BY o.id ORDER BY n DESC LIMIT 10; -- all\nINSERT INTO t (a, b) VALUES (1, 'it''s');",
    ),
    (
        "c",
        "#include <stdio.h>\nstatic unsigned int format(const char *text, int n) {\n  int i = 0; /* none */\n  while (i < n && text[i] != '\\n') { i += sizeof(int) >> 1; n--; }\n  return text->length ? 0x2aUL : n;\n}\n",
    ),
    ("json5", "{unquoted: 'single', 'a': +.5e1, // note\n  \"b\": [Infinity, -NaN, 0xFF, null,],}"),
];

/// Every byte, and every piece of up to nine bytes that the texts have, as far as they are many.
fn vocabulary() -> Vocab {
    let mut count: BTreeMap<&[u8], usize> = BTreeMap::new();
    for (_, text) in &TEXTS {
        for length in 2..=9 {
            text.as_bytes().windows(length).for_each(|piece| *count.entry(piece).or_default() += 1);
        }
    }
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    // A sample that is the same each time: all short pieces, some of the longer ones.
    let kept = count.into_iter().enumerate().filter(|(i, (piece, _))| piece.len() < 4 || i % 5 == 0);
    let tokens: Vec<Vec<u8>> = bytes.chain(kept.map(|(_, (piece, _))| piece.to_vec())).collect();
    Vocab::new(tokens.iter().enumerate().map(|(id, token)| (TokenId(id as u32), token))).unwrap()
}

fn id(vocab: &Vocab, bytes: &[u8]) -> Option<TokenId> {
    let trie = vocab.trie();
    vocab.first_id(trie.token(trie.find(bytes)?)?)
}

fn constraint(name: &str, vocab: &Vocab, shift_first: bool, optimization: Optimization) -> Constraint {
    let mut config = Config { shift_first: Some(shift_first), ..Config::default() };
    config.policy.optimization = optimization;
    compile(&builtin::grammar(name).unwrap(), vocab, &config).unwrap()
}

fn mask(state: &ConstraintState, constraint: &Constraint) -> Vec<u32> {
    let mut words = vec![0; constraint.mask_words()];
    state.fill_mask(&mut words).unwrap();
    words
}

/// The mask before every token of the text, read in the longest pieces that the vocabulary has, up to `longest` bytes.
fn masks(constraint: &Constraint, text: &[u8], longest: usize) -> Vec<Vec<u32>> {
    let vocab = constraint.vocab();
    let (mut state, mut masks, mut at) = (constraint.start(), Vec::new(), 0);
    while at < text.len() {
        masks.push(mask(&state, constraint));
        let lengths = (1..=longest.min(text.len() - at)).rev();
        let token = lengths
            .filter_map(|n| id(vocab, &text[at..at + n]).map(|id| (n, id)))
            .find(|&(_, id)| masks.last().is_some_and(|words| words[id.0 as usize / 32] >> (id.0 % 32) & 1 == 1));
        let (length, token) = token.unwrap_or_else(|| panic!("{:?}", String::from_utf8_lossy(&text[at..])));
        state.commit_token(token).unwrap();
        at += length;
    }
    assert!(state.is_accepting());
    masks.push(mask(&state, constraint));
    masks
}

#[test]
fn masks_of_programming_languages_are_the_same() {
    let vocab = vocabulary();
    for (name, text) in TEXTS {
        let plain = constraint(name, &vocab, false, Optimization::FastBuild);
        let lazy = constraint(name, &vocab, true, Optimization::FastBuild);
        let filled = constraint(name, &vocab, true, Optimization::FastRuntime);
        assert!(lazy.shifts_first() && filled.is_complete());
        let loaded = Constraint::load(&filled.save(true).unwrap(), Some(&vocab)).unwrap();
        assert!(loaded.shifts_first());
        for longest in [1, 3, 9] {
            let wanted = masks(&plain, text.as_bytes(), longest);
            for (which, other) in [("lazy", &lazy), ("filled", &filled), ("loaded", &loaded)] {
                assert!(wanted == masks(other, text.as_bytes(), longest), "{name}, {which}, pieces of {longest}");
            }
        }
    }
}

#[test]
fn a_fill_that_decoding_overtakes_is_complete_in_the_end() {
    let vocab = vocabulary();
    for (name, text) in &TEXTS[..3] {
        let plain = constraint(name, &vocab, false, Optimization::FastBuild);
        let filling = constraint(name, &vocab, true, Optimization::FastBuild);
        // Decoding meets its first pending conditions while the fill is under way.
        let (once, decoding) = (Once::new(), filling.clone());
        let stop = move || {
            once.call_once(|| drop(masks(&decoding, text.as_bytes(), 1)));
            false
        };
        filling.fill_in_background((usize::MAX, usize::MAX, 1), Arc::new(stop), |_| None).unwrap();
        assert_eq!(filling.wait(None).unwrap(), Some(None), "{name}");
        assert!(filling.is_complete());
        assert!(masks(&plain, text.as_bytes(), 3) == masks(&filling, text.as_bytes(), 3), "{name}");
    }
}

#[test]
fn a_loaded_fill_goes_on_where_it_was() {
    let vocab = vocabulary();
    let (name, text) = TEXTS[1];
    let filled = constraint(name, &vocab, true, Optimization::FastRuntime);
    let data = filled.save(true).unwrap();
    // On a vocabulary of its own, so that no walk is found there.
    let vocab = vocabulary();
    let loaded = Constraint::load(&data, Some(&vocab)).unwrap();
    let misses = vocab.cache().stats().misses;
    assert_eq!(loaded.fill(&Budget::default()).unwrap(), None);
    assert!(loaded.is_complete());
    assert_eq!(vocab.cache().stats().misses, misses, "what places see is known");
    assert_eq!(loaded.stats().rows, filled.stats().rows);
    assert!(masks(&filled, text.as_bytes(), 3) == masks(&loaded, text.as_bytes(), 3));
}

#[test]
fn it_is_the_default_where_many_terminals_compete() {
    let vocab = vocabulary();
    for (name, wanted) in [("javascript", true), ("sql", true), ("c", true), ("json5", true), ("json", false)] {
        let constraint = compile(&builtin::grammar(name).unwrap(), &vocab, &Config::default()).unwrap();
        assert_eq!(constraint.shifts_first(), wanted, "{name}");
    }
}
