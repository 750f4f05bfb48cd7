//! What the benchmarks measure with: a few grammars, a text of each, and a vocabulary made up the same way every time.
//!
//! The grammars are chosen to be unlike each other: an everyday schema, a wide object, an enum of many words, a long
//! bounded string, and a small programming language with keywords and operators. They are small enough for a bare
//! machine; corpora and real vocabularies are measured from Python, see the README.

use std::collections::BTreeSet;
use std::fmt::Write;

use glrmask_grammar::{glrm, Grammar};
use glrmask_runtime::ConstraintState;
use glrmask_vocab::{TokenId, Vocab};

/// Whatever went wrong while preparing an input.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// Mask and commit for every token.
///
/// # Errors
/// A token that is forbidden, or `words` too short for a mask.
pub fn replay(state: &mut ConstraintState, text: &[TokenId], words: &mut [u32]) -> Result<(), Error> {
    for &token in text {
        state.fill_mask(words)?;
        state.commit_token(token)?;
    }
    Ok(())
}

/// A language and a text of it.
pub struct Input {
    /// For the report.
    pub name: &'static str,
    /// Text in the format below.
    pub source: String,
    /// How to read the source.
    pub format: Format,
    /// A text of the language.
    pub text: String,
}

/// A front-end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON Schema, default options.
    JsonSchema,
    /// GLRM.
    Glrm,
}

impl Input {
    /// Reads the source.
    ///
    /// # Errors
    /// Those of the front-end.
    pub fn grammar(&self) -> Result<Grammar, Error> {
        Ok(match self.format {
            Format::JsonSchema => glrmask_json_schema::compile(&self.source, &Default::default())?.grammar,
            Format::Glrm => glrm::parse(&self.source)?,
        })
    }
}

/// All inputs.
#[must_use]
pub fn inputs() -> Vec<Input> {
    let schema = |name, source, text| Input { name, source, format: Format::JsonSchema, text };
    let order = include_str!("../inputs/order.json").to_owned();
    let program = include_str!("../inputs/program.txt").to_owned();
    vec![
        schema("order", include_str!("../inputs/order.schema.json").to_owned(), order),
        schema("300 keys", wide_object(300), r#"{"key_7": 1, "key_150": "some text", "key_299": true}"#.to_owned()),
        schema("enum of 1000", words(1_000), r#""word_3bb""#.to_owned()),
        schema(
            "string of 500",
            r#"{"type": "string", "maxLength": 500}"#.to_owned(),
            format!("\"{}\"", "words and words; ".repeat(20)),
        ),
        Input {
            name: "language",
            source: include_str!("../inputs/language.glrm").to_owned(),
            format: Format::Glrm,
            text: program,
        },
    ]
}

/// An object of optional properties, three types in turn.
fn wide_object(keys: usize) -> String {
    let types = [r#"{"type": "string"}"#, r#"{"type": "integer"}"#, r#"{"type": "boolean"}"#];
    let member = |i: usize| format!("\"key_{i}\": {}", types[i % 3]);
    let members: Vec<String> = (0..keys).map(member).collect();
    format!(r#"{{"type": "object", "properties": {{{}}}, "additionalProperties": false}}"#, members.join(", "))
}

fn words(count: usize) -> String {
    let words: Vec<String> = (0..count).map(|i| format!("\"word_{:x}\"", i * 7 + 3)).collect();
    format!(r#"{{"enum": [{}]}}"#, words.join(", "))
}

/// A vocabulary of this many tokens: every byte, JSON punctuation in pairs and triples, words of one to five syllables
/// with and without a space in front. The same in every run.
///
/// # Errors
/// None for sizes in the range of `u32`.
pub fn vocabulary(size: usize) -> Result<Vocab, Error> {
    let mut tokens: BTreeSet<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    let marks = ["\"", ":", ",", "{", "}", "[", "]", " ", "\n", "  "];
    for a in marks {
        for b in marks {
            tokens.extend([format!("{a}{b}"), format!("{a}{b}{a}"), format!("{a}{b} ")].map(String::into_bytes));
        }
    }
    tokens.extend((0..1000).map(|i: u32| i.to_string().into_bytes()));
    let mut random = Random(42);
    while tokens.len() < size {
        let mut word = if random.below(2) == 0 { " ".to_owned() } else { String::new() };
        for _ in 0..=random.below(5) {
            word += SYLLABLES[random.below(SYLLABLES.len())];
        }
        if random.below(20) == 0 {
            write!(word, "\"{}", marks[random.below(3)])?;
        }
        tokens.insert(word.into_bytes());
    }
    Ok(Vocab::new((0..).map(TokenId).zip(tokens))?)
}

const SYLLABLES: [&str; 24] = [
    "a", "be", "con", "de", "er", "for", "gra", "he", "ing", "ly", "ment", "no", "or", "pre", "qu", "re", "st", "tion",
    "un", "_", "(", "key", "é", "世",
];

/// A small generator (SplitMix64), so that every run sees the same words.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

/// The text as tokens, the longest at each place.
///
/// # Errors
/// When a byte of the text is no token.
pub fn tokens(vocab: &Vocab, text: &str) -> Result<Vec<TokenId>, Error> {
    let mut rest = text.as_bytes();
    let mut tokens = Vec::new();
    while !rest.is_empty() {
        let prefixes = (1..=rest.len().min(vocab.max_token_len())).rev();
        let found = prefixes.filter_map(|end| rest.get(..end)).find_map(|token| {
            let rank = vocab.trie().find(token).and_then(|node| vocab.trie().token(node))?;
            Some((vocab.first_id(rank)?, token.len()))
        });
        let (id, length) = found.ok_or("a byte that is no token")?;
        tokens.push(id);
        rest = &rest[length..];
    }
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_belongs_to_its_language() -> Result<(), Error> {
        let vocab = vocabulary(4_000)?;
        for input in inputs() {
            let constraint = glrmask_compiler::compile(&input.grammar()?, &vocab, &Default::default())?;
            let mut state = constraint.start();
            for token in tokens(&vocab, &input.text)? {
                state.commit_token(token)?;
            }
            assert!(state.is_accepting(), "{}", input.name);
        }
        Ok(())
    }
}
