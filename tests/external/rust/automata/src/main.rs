//! Which strings match one pattern and not another?

use glrmask_automata::{AutomataError, Limits, ParseConfig, Regex};

fn main() -> Result<(), AutomataError> {
    let parse = |pattern| Regex::parse(pattern, &ParseConfig::default());
    let names = parse("[a-c]{1,2}")?.difference(&parse("a.?|.c")?);
    let dfa = names.compile(&Limits::default())?;
    let words = dfa.words(100).unwrap_or_default();
    assert_eq!(words.len(), 6);
    assert!(words.iter().all(|word| dfa.accepts(word)) && !dfa.accepts(b"ab"));
    for word in words {
        println!("{}", word.escape_ascii());
    }
    Ok(())
}

#[test]
fn runs() -> Result<(), AutomataError> {
    main()
}
