//! Rules beside the grammar: a text read in pieces is read as the whole is, and the filter does to each token what the
//! tracker does to it alone.

use std::convert::Infallible;
use std::sync::Arc;

use glrmask_automata::ByteSet;
use glrmask_instance::{
    filter, must_filter, outlook, ArrayRules, Continuations, ObjectRules, Outlook, Place, PlaceId, Rules, TokenWalk,
    Tracker,
};
use glrmask_vocab::{mask, TokenId, Vocab};

const WORDS: &[&str] = &[
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "\"",
    "\\",
    "\\u006",
    "1",
    "\\ud83d",
    "\\ude00",
    "😀",
    "a",
    "b",
    "\"a\"",
    "\"a\":",
    "\"b\":1",
    "\"u\":[",
    "0",
    "-",
    ".0",
    "1",
    "12",
    "e1",
    "E-1",
    "true",
    "null",
    "fal",
    "se",
    " ",
    "\n",
    "[1,1",
    "[[",
    "]]",
    "\",\"",
    "},{",
    "[[1],[",
    "{\"a\":1,\"a\":",
];

/// A grammar that allows every byte everywhere.
struct Anything;

impl Continuations for Anything {
    type Error = Infallible;
    type Place = ();

    fn start(&mut self) {}

    fn next_bytes(&mut self, (): ()) -> Result<ByteSet, Infallible> {
        Ok(ByteSet::FULL)
    }

    fn step(&mut self, (): (), _: u8) -> Result<Option<()>, Infallible> {
        Ok(Some(()))
    }
}

fn rules(distinct: bool, settled_from: u32) -> Arc<Rules> {
    let items = Some(PlaceId(0));
    let array = ArrayRules { items, unique: true, settled_from, ..ArrayRules::default() };
    let named = [("u".into(), PlaceId(0)), ("b".into(), PlaceId(1))].into();
    let place = Place { array, object: ObjectRules { named, distinct, ..ObjectRules::default() } };
    let plain = ArrayRules { items, ..ArrayRules::default() };
    Arc::new(Rules::new(vec![place, Place { array: plain, ..Place::default() }]).expect("two places"))
}

fn main() {
    let vocab = Vocab::new((0..).map(TokenId).zip(WORDS.iter().filter(|word| **word != "1"))).expect("a vocabulary");
    let walk = TokenWalk::new(&vocab);
    let nothing = Arc::new(Rules::new(vec![Place::default()]).expect("a place"));
    let variants = [rules(false, 0), rules(true, 0), rules(true, 1)];
    fuzz::fuzz("instance", WORDS, |input| {
        let Some((&choice, text)) = input.split_first() else { return };
        let start = Tracker::with_limit(variants[usize::from(choice % 3)].clone(), 1 << 16);
        let whole = start.clone().advance(text);
        let mut tracker = start;
        // Tells what is JSON.
        let mut syntax = Tracker::new(nothing.clone());
        let mut at = 0;
        for chunk in text.chunks(usize::from(choice / 3 % 7) + 1) {
            let result = tracker.advance(chunk);
            if let Err(violation) = result {
                let told = whole.as_ref().map_err(|whole| whole.offset());
                assert!(violation.is_limit() || told == Err(at + violation.offset()), "{violation}");
                return;
            }
            at += chunk.len();
            syntax.advance(chunk).expect("what keeps the rules is JSON");
            if at < 200 && tracker.check_limit().is_ok() {
                check_filter(&tracker, &syntax, &walk, &vocab, choice % 3 < 2);
            }
        }
        assert!(whole.is_ok());
    });
}

/// Every bit is set before; one that goes has a token that breaks a rule, and each that stays has not. Where arrays are not
/// settled, the searches of a mask share their bounds, so that one alone may find what they do not.
fn check_filter(tracker: &Tracker, syntax: &Tracker, walk: &TokenWalk, vocab: &Vocab, settled: bool) {
    let before = vec![u32::MAX; vocab.mask_words()];
    let mut words = before.clone();
    let Ok(()) = filter(tracker, walk, vocab, &mut words, &mut Anything);
    assert!(words == before || must_filter(tracker, walk, vocab, &before));
    for (id, bytes) in vocab.iter() {
        // Of what is not JSON, the grammar is the judge.
        if syntax.clone().advance(bytes).is_ok() {
            let Ok(alone) = outlook(tracker, bytes, &mut Anything);
            let excluded = match mask::get(&words, id) {
                true => Some(Outlook::Closed),
                false => settled.then_some(Outlook::Open),
            };
            assert_ne!(Some(alone), excluded, "{}", bytes.escape_ascii());
        }
    }
}
