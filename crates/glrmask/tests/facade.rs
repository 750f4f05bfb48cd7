//! The facade: every front-end to masks, and errors that say where they come from.

#![allow(clippy::unwrap_used)] // clippy knows tests, but not their helpers

use std::error::Error as _;

use glrmask::{CommitError, CompileOptions, Constraint, Error, ErrorKind, Grammar, Optimization, TokenId, Vocab};

fn vocab(tokens: &[&str]) -> Vocab {
    Vocab::new((0..).map(TokenId).zip(tokens)).unwrap()
}

fn allowed(constraint: &Constraint, text: &str) -> Result<Vec<u32>, Error> {
    let (mut state, mut words) = (constraint.start(), vec![0; constraint.mask_words()]);
    state.commit_bytes(text.as_bytes())?;
    state.fill_mask(&mut words)?;
    Ok((0..32 * words.len() as u32).filter(|id| words[*id as usize / 32] >> (id % 32) & 1 == 1).collect())
}

#[test]
fn json_schema_to_masks() -> Result<(), Error> {
    let schema = r#"{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false}"#;
    let grammar = Grammar::from_json_schema(schema)?;
    assert!(grammar.warnings().is_empty());
    let options = CompileOptions { end_tokens: vec![TokenId(99)], ..CompileOptions::default() };
    let constraint =
        grammar.compile(&vocab(&["{", "}", "\"n\"", ":", "1", "-", "\"m\"", "{\"n\":", "1}"]), &options)?;
    assert_eq!(allowed(&constraint, "")?, [0, 7]);
    assert_eq!(allowed(&constraint, "{\"n\": ")?, [4, 5, 8]);
    assert_eq!(allowed(&constraint, "{\"n\": -1}")?, [99]);
    Ok(())
}

#[test]
fn glrm_and_ebnf_to_masks_in_every_mode() -> Result<(), Error> {
    let glrm = Grammar::from_glrm(r#"start s; nt s = "," ~ (NUM+); t NUM = [0-9]+;"#)?;
    let ebnf = Grammar::from_ebnf(r#"s ::= [0-9]+ ("," [0-9]+)*"#)?;
    let vocab = vocab(&["1", ",", "1,2", ",,", "x", "1,"]);
    for grammar in [&glrm, &ebnf, &Grammar::from_glrm(&glrm.to_glrm()?)?, &Grammar::from(glrm.ir().clone())] {
        for optimization in
            [Optimization::Auto, Optimization::Balanced, Optimization::FastBuild, Optimization::FastRuntime]
        {
            let constraint = grammar.compile(&vocab, &CompileOptions { optimization, ..CompileOptions::default() })?;
            assert_eq!(allowed(&constraint, "")?, [0, 2, 5]);
            assert_eq!(allowed(&constraint, "12")?, [0, 1, 2, 5]);
            assert_eq!(allowed(&constraint, "1,")?, [0, 2, 5]);
        }
    }
    Ok(())
}

#[test]
fn loading_keeps_what_is_complete_but_rows_where_first_terminals_are_shifted() -> Result<(), Error> {
    // Names, strings and numbers of JSON5 compete, so that its first terminals are shifted; those of JSON are not.
    let vocab = vocab(&["{", "}", "a", "nul", "l", "'", "\"", ":", "1", "[", "]", "/", "*", "Infin", "ity", ","]);
    for (name, is_shifted) in [("json", false), ("json5", true)] {
        for optimization in
            [Optimization::Auto, Optimization::FastBuild, Optimization::Balanced, Optimization::FastRuntime]
        {
            for background in [false, true] {
                let options = CompileOptions { optimization, background, ..CompileOptions::default() };
                let constraint = Grammar::builtin(name)?.compile(&vocab, &options)?;
                assert!(constraint.wait(None).is_ok());
                assert_eq!((constraint.shifts_first(), constraint.is_filling()), (is_shifted, false));
                let loaded = Constraint::load(&constraint.save(true).unwrap(), Some(&vocab)).unwrap();
                let what = format!("{name} {optimization:?} {background}");
                assert_eq!(loaded.is_complete(), constraint.is_complete() && !is_shifted, "{what}");
                assert_eq!(loaded.fill(&Default::default()).ok(), Some(None), "{what}");
                assert!(loaded.is_complete(), "{what}");
                assert_eq!(allowed(&loaded, "[")?, allowed(&constraint, "[")?, "{what}");
            }
        }
    }
    Ok(())
}

/// Display says something, the source is the crate's own error, and its text is not lost.
fn check(error: &Error, expected: &str) {
    assert!(error.to_string().contains(expected), "{error}");
    let source = error.source().unwrap();
    assert_eq!(source.to_string(), error.to_string());
    assert!(!format!("{error:?}").is_empty());
}

#[test]
fn errors_know_where_they_come_from() {
    let error = Error::from(Vocab::new([(TokenId(0), "a"), (TokenId(0), "b")]).unwrap_err());
    assert!(matches!(error.kind(), ErrorKind::Vocab(_)));
    check(&error, "declared twice");

    for error in [Grammar::from_glrm("start s;\nnt s = (;").unwrap_err(), Grammar::from_ebnf("\ns ::= (").unwrap_err()]
    {
        assert!(matches!(error.kind(), ErrorKind::Grammar(e) if e.span().is_some()));
        check(&error, "line 2");
    }

    let error = Grammar::from_json_schema(r#"{"properties": {"a": {"type": "nothing"}}}"#).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Schema(_)));
    check(&error, "/properties/a");
    check(&Grammar::from_json_schema("{").unwrap_err(), "");

    let grammar = Grammar::from_glrm(r#"start s; nt s = "a" s;"#).unwrap();
    let error = grammar.compile(&vocab(&["a"]), &CompileOptions::default()).map(drop).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Compile(_)));
    check(&error, "the language is empty");

    let constraint =
        Grammar::from_ebnf(r#"s ::= "a""#).unwrap().compile(&vocab(&["a"]), &CompileOptions::default()).unwrap();
    let error = Error::from(constraint.start().commit_token(TokenId(7)).unwrap_err());
    assert!(matches!(error.kind(), ErrorKind::Commit(CommitError::UnknownToken(TokenId(7)))));
    check(&error, "unknown token id 7");

    let error = Error::from(constraint.start().fill_mask(&mut []).unwrap_err());
    assert!(matches!(error.kind(), ErrorKind::Runtime(_)));
    check(&error, "0 words");
}

#[test]
fn everything_can_be_sent_and_shared() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Grammar>();
    check::<Constraint>();
    check::<glrmask::ConstraintState>();
    check::<Vocab>();
    check::<Error>();
    check::<CompileOptions>();
}
