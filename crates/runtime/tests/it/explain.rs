//! Why tokens are allowed or not, beside masks; and that everything can be looked at.

use glrmask_runtime::explain::{Outcome, Verdict};
use glrmask_runtime::{Config, ConstraintState, Explanation, View};
use glrmask_vocab::{TokenId, Vocab};
use proptest::prelude::*;

use crate::constraints::{allowed, settings, vocab, walk, Spec, DOOMED, GENERICS, LISTS, WORDS};

/// The explanation of `token` after `text`; the vocabulary is the token alone.
fn explained(spec: &Spec, text: &str, token: &str) -> (ConstraintState, Explanation) {
    let mut state = spec.constraint(&vocab([token])).start();
    state.commit_bytes(text.as_bytes()).unwrap();
    let explanation = state.explain(TokenId(0)).unwrap();
    assert_eq!(explanation.allowed, allowed(&state) == [TokenId(0)]);
    (state, explanation)
}

fn words(spec: &Spec, text: &str, token: &str) -> String {
    explained(spec, text, token).1.to_string()
}

#[test]
fn the_lexer_does_not_know_the_byte() {
    assert_eq!(words(&LISTS, "[1", "x"), "Token 0, \"x\", is not allowed:\n- what came before is read as t0 (such as \"0\"); no terminal begins with \"x\"");
    let (_, at_start) = explained(&LISTS, "", "x");
    assert_eq!(at_start.readings[0].outcome, Outcome::NoLexeme { at: 0, inside: vec![] });
}

#[test]
fn the_lexeme_does_not_go_on() {
    let (_, explanation) = explained(&LISTS, "[-", "]");
    assert!(matches!(&explanation.readings[0].outcome, Outcome::NoLexeme { at: 0, inside } if inside.len() == 1));
    assert!(explanation.to_string().ends_with("- t0 (such as \"0\") does not go on with \"]\""), "{explanation}");
}

#[test]
fn the_parser_refuses_a_lexeme_that_begins() {
    let text = words(&LISTS, "[1", "[");
    assert!(text.contains("the parser does not take \"[\" after t0"), "{text}");
    assert!(text.ends_with("it would take \"]\" or \",\""), "{text}");
}

#[test]
fn the_parser_refuses_a_lexeme_inside_the_token() {
    let (_, explanation) = explained(&LISTS, "[", "1,,");
    let Outcome::Refused { at: 2, terminals, expected, .. } = &explanation.readings[0].outcome else {
        panic!("{explanation}")
    };
    assert_eq!((terminals.len(), expected.len() > 1), (1, true));
    let spans: Vec<_> = explanation.readings[0].lexemes.iter().map(|l| (l.terminal.0, l.start, l.end)).collect();
    assert_eq!(spans, [(0, Some(0), 1), (3, Some(1), 2)]);
    let (_, too_many) = explained(&LISTS, "", "[]]");
    assert!(too_many.to_string().contains("the parser does not take"), "{too_many}");
}

#[test]
fn ignored_text_is_a_lexeme_too() {
    let (_, explanation) = explained(&LISTS, "[1", " , 2");
    assert!(explanation.allowed);
    let terminals: Vec<u32> = explanation.readings[0].lexemes.iter().map(|l| l.terminal.0).collect();
    assert_eq!(terminals, [0, 4, 3, 4]);
}

#[test]
fn a_keyword_would_have_to_be_longer() {
    // `if` ends with the blank; `ifx` cannot be `if` and `x`.
    let text = words(&WORDS, "i", "fx;");
    assert!(text.contains("longest match forbids it: with \"x\" a longer t1"), "{text}");
    assert!(words(&WORDS, "if", " a;").starts_with("Token 0, \" a;\", is allowed"));
}

#[test]
fn operators_compete() {
    let (_, explanation) = explained(&GENERICS, "x<y>", "=");
    // `>=` is one terminal there, and the parser does not take it.
    assert!(!explanation.allowed && explanation.to_string().contains("longer \">=\" matches"), "{explanation}");
    let (_, two) = explained(&GENERICS, "xx=x", ">>y");
    assert!(two.allowed && two.to_string().contains("\">>\""), "{two}");
}

#[test]
fn nothing_completes_what_can_be_read() {
    let (_, explanation) = explained(&DOOMED, "", "a");
    let Outcome::NothingCompletes { open, pending } = &explanation.readings[0].outcome else { panic!("{explanation}") };
    assert_eq!((open.len(), pending.len()), (1, 1));
    assert!(explanation.to_string().contains("no text completes it: \"a\" could be t0"), "{explanation}");
}

#[test]
fn allowed_tokens_say_what_they_can_become() {
    let (_, explanation) = explained(&WORDS, "", "if");
    let Outcome::Allowed { open } = &explanation.readings[0].outcome else { panic!("{explanation}") };
    assert_eq!(open.len(), 2);
    assert!(explanation.to_string().contains("\"if\" can become \"if\" or t1 (such as \"a\")"), "{explanation}");
    let (_, closed) = explained(&LISTS, "[1", "]");
    assert!(closed.to_string().ends_with("\"]\" can become \"]\""), "{closed}");
}

#[test]
fn ids_that_are_no_text() {
    let tokens = Vocab::new([(TokenId(0), "c"), (TokenId(3), ""), (TokenId(9), "d")]).unwrap();
    let config = Config { end_tokens: vec![TokenId(9), TokenId(77)], ..Config::default() };
    let mut state = DOOMED.with(&tokens, config).start();
    let verdict = |state: &ConstraintState, id| {
        let explanation = state.explain(TokenId(id)).unwrap();
        (explanation.verdict, explanation.allowed)
    };
    assert_eq!(verdict(&state, 5), (Verdict::Unknown, false));
    assert_eq!(verdict(&state, 3), (Verdict::NoBytes, false));
    assert_eq!(verdict(&state, 77), (Verdict::End, false));
    assert_eq!(verdict(&state, 9), (Verdict::Text, true));
    state.commit_token(TokenId(0)).unwrap();
    assert_eq!((verdict(&state, 77), verdict(&state, 9)), ((Verdict::End, true), (Verdict::End, true)));
    assert_eq!(state.explain(TokenId(77)).unwrap().to_string(), "End token 77 is allowed: the text is complete.");
    state.commit_token(TokenId(77)).unwrap();
    assert_eq!(verdict(&state, 0), (Verdict::Over, false));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Along walks: what the readings say is what the mask says, for every token.
    #[test]
    fn readings_agree_with_masks((spec, vocab) in settings(), choices in prop::collection::vec(any::<u8>(), 0..6)) {
        let constraint = spec.constraint(&vocab);
        let mut state = constraint.start();
        for token in walk(&constraint, &choices) {
            let mask = allowed(&state);
            for (id, bytes) in vocab.iter() {
                let explanation = state.explain(id).unwrap();
                prop_assert_eq!(explanation.allowed, mask.contains(&id));
                if explanation.verdict == Verdict::Text && !explanation.is_cut {
                    let succeeds = explanation.readings.iter().any(|r| matches!(r.outcome, Outcome::Allowed { .. }));
                    prop_assert_eq!(succeeds, explanation.allowed, "{}", explanation);
                    prop_assert!(!explanation.readings.is_empty());
                }
                prop_assert_eq!(&explanation.bytes, bytes);
                prop_assert!(!explanation.to_string().is_empty());
            }
            state.commit_token(token).unwrap();
        }
    }

    #[test]
    fn everything_can_be_looked_at((spec, vocab) in settings(), choices in prop::collection::vec(any::<u8>(), 0..6)) {
        let constraint = spec.constraint(&vocab);
        let mut state = constraint.start();
        for token in walk(&constraint, &choices) {
            let _ = allowed(&state);
            state.commit_token(token).unwrap();
            let graph = state.to_dot();
            prop_assert!(is_graph(&graph), "{}", graph);
            prop_assert_eq!(state.dump().lines().filter(|l| l.starts_with("inside") || l.starts_with("between")).count(), state.branches().len());
        }
        for view in [View::Lexer, View::Classes, View::Tables, View::Rows, View::Rules] {
            prop_assert!(is_graph(&constraint.to_dot(view)));
            prop_assert!(!constraint.dump(view).is_empty() || choices.is_empty());
        }
    }
}

/// Braces and quotes are balanced, as far as that can be told line by line.
fn is_graph(text: &str) -> bool {
    let outside = |line: &str| line.replace("\\\\", "").replace("\\\"", "").split('"').step_by(2).collect::<String>();
    let braces = |c| text.lines().map(|line| outside(line).matches(c).count()).sum::<usize>();
    let quotes = |line: &str| line.replace("\\\\", "").replace("\\\"", "").matches('"').count();
    text.starts_with("digraph ") && braces('{') == braces('}') && text.lines().all(|line| quotes(line) % 2 == 0)
}
