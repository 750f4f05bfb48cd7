//! The vocabulary as a lexer of numbers and signs sees it from between two lexemes: tokens by class.

use std::error::Error;
use std::sync::Arc;

use glrmask_automata::lexdag::ConditionSetId;
use glrmask_automata::{Limits, ParseConfig, Regex, TerminalId};
use glrmask_lexer::{profile, BitSet, Language, Lexer, LexerCache, TerminalDef, TokenSet};
use glrmask_vocab::{mask, TokenId, Vocab};

fn main() -> Result<(), Box<dyn Error>> {
    let number = Regex::parse("[0-9]+", &ParseConfig::default())?.compile(&Limits::default())?;
    let languages = [Language::Automaton(Arc::new(number)), Language::Literal(b"+".to_vec())];
    let defs: Vec<TerminalDef> =
        (0..).map(TerminalId).zip(languages).map(|(id, language)| terminal(id, language)).collect();
    let lexer = Lexer::new(&defs, &Limits::default())?;

    let vocab = Vocab::new((0..).map(TokenId).zip(["1", "23", "+", "4+", "+5", "a", "1a"]))?;
    let mut cache = LexerCache::new();
    let start = cache.anywhere(&lexer, ConditionSetId::NONE);
    let profile = profile(&lexer, &mut cache, &vocab, start)?;
    let mut classes: Vec<Vec<u32>> = profile.classes.iter().map(|(_, tokens)| ids(&vocab, tokens)).collect();
    classes.sort_unstable();
    assert_eq!(classes, [vec![0, 1], vec![2], vec![3], vec![4]]);
    println!("{classes:?}");
    Ok(())
}

/// Numbers and signs alternate; nothing is ignored, nothing is taken back.
fn terminal(id: TerminalId, language: Language) -> TerminalDef {
    let mut followers = BitSet::new(2);
    followers.insert(1 - id.0 as usize);
    TerminalDef { language, ignored: false, parser_terminal: Some(id), kills: Vec::new(), followers }
}

fn ids(vocab: &Vocab, tokens: &TokenSet) -> Vec<u32> {
    let mut words = vec![0; vocab.mask_words()];
    tokens.add_to(vocab, &mut words);
    mask::iter(&words).map(|id| id.0).collect()
}

#[test]
fn runs() -> Result<(), Box<dyn Error>> {
    main()
}
