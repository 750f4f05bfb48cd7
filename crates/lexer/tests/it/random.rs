//! Random lexers over three letters and random vocabularies.

use std::sync::Arc;

use glrmask_automata::{Id, Limits, ParseConfig, Regex, TerminalId};
use glrmask_lexer::{BitSet, Language, Lexer, TerminalDef};
use glrmask_vocab::{TokenId, Vocab};
use proptest::prelude::*;

use crate::reference::LETTERS;

/// Languages that overlap, begin alike, contain each other and outgrow each other.
const PATTERNS: &[&str] = &["a+", "[ab]+", "ab?", "(ab)+", "ba*c", "a*b", "c+", "[ab]c", "a|abc", "(a|b)b", "c(ab)*"];
const LITERALS: &[&str] = &["a", "b", "c", "aa", "ab", "ba", "abc", "cc", "bab"];

/// The language of a regular expression.
pub(crate) fn regex(pattern: &str) -> Language {
    let regex = Regex::parse(pattern, &ParseConfig::default()).expect("a pattern");
    Language::Automaton(Arc::new(regex.compile(&Limits::default()).expect("a small pattern")))
}

/// A terminal of the parser that competes with nobody and that everything below `count` may follow.
pub(crate) fn terminal(id: usize, language: Language, count: usize) -> TerminalDef {
    let parser_terminal = Some(TerminalId::from_usize(id));
    TerminalDef { language, ignored: false, parser_terminal, kills: Vec::new(), followers: BitSet::full(count) }
}

pub(crate) fn lexer(defs: &[TerminalDef]) -> Lexer {
    let lexer = Lexer::new(defs, &Limits::default()).expect("a small lexer");
    lexer.validate().expect("a valid lexer");
    lexer
}

pub(crate) fn vocab<B: AsRef<[u8]>>(tokens: impl IntoIterator<Item = B>) -> Vocab {
    Vocab::new(tokens.into_iter().enumerate().map(|(i, t)| (TokenId::from_usize(i), t))).expect("a vocabulary")
}

/// All words of one to `longest` letters.
pub(crate) fn words(longest: usize) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..longest {
        let to = all.len();
        for i in from..to {
            all.extend(LETTERS.iter().map(|&b| [&all[i][..], &[b]].concat()).collect::<Vec<_>>());
        }
        from = to;
    }
    all.split_off(1)
}

fn language() -> impl Strategy<Value = Language> {
    prop_oneof![
        3 => prop::sample::select(PATTERNS).prop_map(regex),
        2 => prop::sample::select(LITERALS).prop_map(|text| Language::Literal(text.into())),
        1 => Just(Language::Token),
    ]
}

/// How a terminal is used: a terminal of its own, merged with an earlier one, ignored, both, unused.
#[derive(Clone, Copy, Debug)]
enum Use {
    Own,
    Merged,
    Ignored,
    IgnoredAndOwn,
    Nothing,
}

fn usage() -> impl Strategy<Value = Use> {
    prop_oneof![
        8 => Just(Use::Own),
        1 => Just(Use::Merged),
        2 => Just(Use::Ignored),
        1 => Just(Use::IgnoredAndOwn),
        1 => Just(Use::Nothing),
    ]
}

/// Up to four terminals. Some compete; what may follow is random.
pub(crate) fn defs() -> impl Strategy<Value = Vec<TerminalDef>> {
    (1usize..=4).prop_flat_map(|count| {
        let languages = prop::collection::vec(language(), count);
        let usages = prop::collection::vec(usage(), count);
        let kills = prop::collection::vec(prop_oneof![2 => Just(0u8), 1 => any::<u8>()], count);
        let followers = prop::collection::vec(prop_oneof![1 => Just(u8::MAX), 2 => any::<u8>()], count);
        (languages, usages, kills, followers).prop_map(move |(languages, usages, kills, followers)| {
            let mut known: Vec<Option<TerminalId>> = Vec::new();
            for (t, usage) in usages.iter().enumerate() {
                let earlier = known.iter().flatten().next().copied();
                known.push(match usage {
                    Use::Own | Use::IgnoredAndOwn => Some(TerminalId::from_usize(t)),
                    Use::Merged => Some(earlier.unwrap_or(TerminalId::from_usize(t))),
                    Use::Ignored | Use::Nothing => None,
                });
            }
            let bits = |bits: u8| (0..count).filter(move |i| bits >> i & 1 == 1);
            let def = |(t, language): (usize, Language)| {
                let used = |u: &usize| known.contains(&Some(TerminalId::from_usize(*u)));
                let followers = known[t].map_or(0, |rep| followers[rep.index()]);
                TerminalDef {
                    language,
                    ignored: matches!(usages[t], Use::Ignored | Use::IgnoredAndOwn),
                    parser_terminal: known[t],
                    kills: bits(kills[t]).map(TerminalId::from_usize).collect(),
                    followers: bits(followers).filter(used).collect(),
                }
            };
            languages.into_iter().enumerate().map(def).collect()
        })
    })
}

/// A word over the letters.
pub(crate) fn word(lengths: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(LETTERS), lengths)
}

/// A vocabulary of such words, some of them aliases.
pub(crate) fn any_vocab() -> impl Strategy<Value = Vocab> {
    prop::collection::vec(word(1..=6), 1..60).prop_map(vocab)
}
