//! What the filter costs in a unique array, over a made-up vocabulary of 130 000 tokens.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{criterion_group, criterion_main, BatchSize, Criterion};
use glrmask_automata::{ByteSet, Dfa, Id, Limits, Regex, StateId};
use glrmask_instance::{filter, ArrayRules, Continuations, Place, Rules, TokenWalk, Tracker};
use glrmask_vocab::{mask, TokenId, Vocab};

const SYLLABLES: [&str; 16] =
    ["ba", "re", "ti", "on", "ing", "s", "ed", "er", "al", "com", "pro", "un", "a", "e", "o", "th"];

/// Words of up to four syllables, with a space or quote in front, and what JSON needs.
fn vocabulary() -> Vocab {
    let mut tokens: Vec<String> = (0..=127u8).map(|byte| char::from(byte).to_string()).collect();
    for i in 0..16usize.pow(4) {
        let word: String = (0..4).map(|place| SYLLABLES[i >> (4 * place) & 15]).collect();
        tokens.extend([format!(" {word}"), word]);
    }
    tokens.extend(["\",\"", "\", \"", "\",", "\"]", "[\"", "\":[\"", "\"},{\"", "[]", "\"\",\""].map(str::to_owned));
    tokens.sort();
    tokens.dedup();
    let entries = (0..).map(TokenId).zip(tokens);
    Vocab::new(entries).unwrap_or_else(|error| panic!("{error}"))
}

struct Grammar<'a>(&'a Dfa, StateId);

impl Continuations for Grammar<'_> {
    type Error = std::convert::Infallible;
    type Place = StateId;

    fn start(&mut self) -> StateId {
        self.1
    }

    fn next_bytes(&mut self, place: StateId) -> Result<ByteSet, Self::Error> {
        Ok(self.0.next_bytes(place))
    }

    fn step(&mut self, place: StateId, byte: u8) -> Result<Option<StateId>, Self::Error> {
        Ok(Some(self.0.next(place, byte)).filter(|&next| next != Dfa::DEAD))
    }
}

fn strings(criterion: &mut Criterion) {
    let vocab = vocabulary();
    let walk = TokenWalk::shared(&vocab);
    criterion.bench_function("look at a vocabulary", |b| b.iter(|| TokenWalk::new(black_box(&vocab))));
    let pattern = r#"\[("[^"\\]*"(, ?"[^"\\]*")*)?\]"#;
    let parsed = Regex::parse(pattern, &Default::default()).and_then(|regex| regex.compile(&Limits::default()));
    let dfa = parsed.unwrap_or_else(|error| panic!("{error}"));
    let array = ArrayRules { unique: true, ..ArrayRules::default() };
    let rules = Rules::new(vec![Place { array, ..Place::default() }]).map(Arc::new);
    let rules = rules.unwrap_or_else(|error| panic!("{error}"));
    for count in [10usize, 100, 1000] {
        let word = |i: usize| format!("{}{}{i}", SYLLABLES[i % 16], SYLLABLES[i / 16 % 16]);
        let items: Vec<String> = (0..count).map(|i| format!("\"{}\"", word(i))).collect();
        for (place, rest) in [("begins", ",\""), ("goes on", ",\"bare"), ("is new", ",\"xyz"), ("ends", "")] {
            let text = format!("[{}{rest}", items.join(","));
            let mut tracker = Tracker::new(rules.clone());
            tracker.advance(text.as_bytes()).unwrap_or_else(|violation| panic!("{violation}"));
            let state = dfa.run(dfa.start(), text.as_bytes());
            let mut words = vec![0; vocab.mask_words()];
            let allowed = vocab.iter().filter(|(_, bytes)| dfa.run(state, bytes) != Dfa::DEAD);
            allowed.for_each(|(id, _)| mask::set(&mut words, TokenId::from_usize(id.index())));
            criterion.bench_function(&format!("{count} strings, one {place}"), |b| {
                b.iter_batched_ref(
                    || words.clone(),
                    |words| filter(&tracker, &walk, &vocab, words, &mut Grammar(&dfa, state)),
                    BatchSize::SmallInput,
                )
            });
        }
    }
}

criterion_group!(benches, strings);
criterion_main!(benches);
