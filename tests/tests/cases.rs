//! Cases as data, against the oracle and against the engine, in several configurations and after printing.

#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

use std::path::Path;

use glrmask_compiler::Config;
use glrmask_grammar::{glrm, Grammar, NormalizeConfig};
use glrmask_runtime::{Constraint, ConstraintState};
use glrmask_tests::case::{Case, Step};
use glrmask_tests::cases::{load, steps, TextCase};
use glrmask_tests::reference::Reference;
use glrmask_tests::{convert, engine};
use glrmask_vocab::TokenId;

fn cases() -> Vec<TextCase> {
    load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")).unwrap()
}

/// Runs `check` on every case and reports all that fail, not only the first.
fn all(check: impl Fn(&TextCase) -> Result<(), String>) {
    let cases = cases();
    let failures: Vec<String> =
        cases.iter().filter_map(|case| Some(format!("{}: {}", case.name, check(case).err()?))).collect();
    assert!(cases.len() > 30, "{} cases", cases.len());
    assert!(failures.is_empty(), "{} of {} cases fail\n{}", failures.len(), cases.len(), failures.join("\n"));
}

fn configs(case: &TextCase) -> Vec<Config> {
    let end_tokens: Vec<TokenId> = case.end_tokens.iter().map(|&id| TokenId(id)).collect();
    let config =
        |normalize, cache_bytes| Config { end_tokens: end_tokens.clone(), normalize, cache_bytes, ..Config::default() };
    vec![
        config(NormalizeConfig::default(), 1 << 28),
        config(NormalizeConfig::plain(), 1 << 28),
        config(NormalizeConfig { merge_terminals: false, ..NormalizeConfig::default() }, 0),
        config(NormalizeConfig { right_recursion: false, inline: false, ..NormalizeConfig::default() }, 0),
    ]
}

fn expect<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    (found == expected).then_some(()).ok_or_else(|| format!("{what}: {found:?}, expected {expected:?}"))
}

#[test]
fn the_oracle_agrees_with_every_case() {
    all(|text| {
        let grammar = glrm::parse(&text.grammar).map_err(|e| e.to_string())?;
        let plain = convert::spec(&grammar);
        let spec = match engine::with_kills(&plain, &grammar, &Config::default()) {
            Ok(spec) => spec,
            Err(_) if text.empty => return Ok(()),
            Err(error) => return Err(error.to_string()),
        };
        let case = Case {
            spec,
            vocabulary: text.tokens()?,
            end_tokens: text.end_tokens.clone(),
            steps: Vec::new(),
            shift_first: None,
        };
        let mut reference = Reference::new(&case).map_err(|e| e.to_string())?;
        let at = |text: &str, reference: &mut Reference| {
            reference.reset()?;
            steps(text).unwrap_or_default().iter().try_for_each(|step| reference.commit(step))
        };
        expect("empty", &reference.is_empty_language().map_err(|e| e.to_string())?, &text.empty)?;
        for (member, list) in [(true, &text.accepted), (false, &text.rejected)] {
            for bytes in list {
                at(bytes, &mut reference).map_err(|e| e.to_string())?;
                expect(bytes, &reference.is_accepting().map_err(|e| e.to_string())?, &member)?;
            }
        }
        for (prefix, allowed) in &text.masks {
            at(prefix, &mut reference).map_err(|e| e.to_string())?;
            let mask = reference.mask().map_err(|e| e.to_string())?;
            let words = show(text, &mask)?;
            expect(&format!("mask after {prefix:?} {words:?}"), &mask, &text.ids(allowed)?.into_iter().collect())?;
        }
        for (prefix, markers) in &text.markers {
            at(prefix, &mut reference).map_err(|e| e.to_string())?;
            expect(&format!("markers after {prefix:?}"), &reference.markers().map_err(|e| e.to_string())?, markers)?;
        }
        Ok(())
    });
}

fn show(text: &TextCase, ids: &[u32]) -> Result<Vec<String>, String> {
    let tokens = text.tokens()?;
    let word = |id| tokens.iter().find(|token| token.0 == id).map_or(String::new(), |t| t.1.escape_ascii().to_string());
    Ok(ids.iter().map(|&id| word(id)).collect())
}

#[test]
fn the_engine_agrees_with_every_case_in_every_configuration() {
    all(|text| {
        let grammar = glrm::parse(&text.grammar).map_err(|e| e.to_string())?;
        configs(text).iter().enumerate().try_for_each(|(i, config)| {
            engine_agrees(text, &grammar, config).map_err(|e| format!("configuration {i}: {e}"))
        })
    });
}

#[test]
fn the_engine_agrees_with_every_case_after_printing_it() {
    all(|text| {
        let printed = glrm::print(&glrm::parse(&text.grammar).map_err(|e| e.to_string())?);
        let grammar = glrm::parse(&printed).map_err(|e| format!("{e}\n{printed}"))?;
        engine_agrees(text, &grammar, &configs(text)[0]).map_err(|e| format!("{e}\n{printed}"))
    });
}

fn engine_agrees(text: &TextCase, grammar: &Grammar, config: &Config) -> Result<(), String> {
    let case = Case {
        spec: convert::spec(grammar),
        vocabulary: text.tokens()?,
        end_tokens: text.end_tokens.clone(),
        steps: Vec::new(),
        shift_first: None,
    };
    let constraint = engine::constraint(grammar, &engine::vocab(&case)?, config);
    if text.empty {
        return expect("compiles", &constraint.is_ok(), &false);
    }
    let constraint = constraint.map_err(|e| e.to_string())?;
    for (member, list) in [(true, &text.accepted), (false, &text.rejected)] {
        for bytes in list {
            // A text that is no member may be rejected on the way, or be unfinished at its end.
            let accepting = committed(&constraint, bytes)?.is_some_and(|state| state.is_accepting());
            expect(&format!("{bytes:?}"), &accepting, &member)?;
        }
    }
    for (prefix, allowed) in &text.masks {
        let mask = match committed(&constraint, prefix)? {
            Some(state) => engine::allowed(&state)?,
            None => Vec::new(),
        };
        let words = show(text, &mask)?;
        expect(&format!("mask after {prefix:?} {words:?}"), &mask, &text.ids(allowed)?.into_iter().collect())?;
    }
    for (prefix, markers) in &text.markers {
        let state = committed(&constraint, prefix)?.unwrap_or_else(|| constraint.start());
        let found: Vec<_> = state.marker_events().iter().map(|event| (event.offset, event.id)).collect();
        expect(&format!("markers after {prefix:?}"), &found, markers)?;
    }
    Ok(())
}

/// The state after `text`, its bytes committed one by one and at once; `None` if both ways reject.
fn committed(constraint: &Constraint, text: &str) -> Result<Option<ConstraintState>, String> {
    let (mut whole, mut split) = (constraint.start(), constraint.start());
    let (mut at_once, mut one_by_one) = (true, true);
    for step in steps(text)? {
        match step {
            Step::Token(id) => {
                at_once &= whole.commit_token(TokenId(id)).is_ok();
                one_by_one &= split.commit_token(TokenId(id)).is_ok();
            }
            Step::Bytes(bytes) => {
                at_once &= whole.commit_bytes(&bytes).is_ok();
                one_by_one &= bytes.iter().all(|&b| split.commit_bytes(&[b]).is_ok());
            }
        }
    }
    expect("committing at once and byte by byte", &at_once, &one_by_one)?;
    Ok(at_once.then_some(whole))
}
