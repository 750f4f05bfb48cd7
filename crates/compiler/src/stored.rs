//! Prepared grammars as bytes: components, what is bound in them, and what was compiled of each.
//!
//! In the envelope of `glrmask_runtime::artifact` under a mark of its own. Every definition is written once, however often
//! it is bound, and so is every component. Nothing that is read is trusted: the grammar is validated, tables and lexers are
//! checked as those of constraints are, and every index is in range afterwards. As there, whether tables belong to the
//! grammar cannot be checked without making them again; forged ones give strange masks and no worse.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use glrmask_automata::{Id, TerminalId};
use glrmask_grammar::assembly::{Bound, Define};
use glrmask_grammar::{Assembly, Grammar, Source};
use glrmask_lexer::BitSet;
use glrmask_runtime::artifact::{vocabulary, Envelope};
use glrmask_runtime::ArtifactError;
use glrmask_vocab::{Content, Vocab};
use serde::{Deserialize, Serialize};

use crate::prepared::{Language, Prepared, Program, Shape};

/// Its version is raised whenever the payload changes.
const ENVELOPE: Envelope = Envelope { magic: *b"glrmaskp", version: 1 };

#[derive(Serialize, Deserialize)]
struct Payload {
    vocab: Content,
    definitions: Vec<StoredDefinition>,
    /// Components as numbers of definitions with what fills their slots; the root is the last.
    parts: Vec<(u32, Vec<Bound>)>,
    /// Whatever the caller wants to keep with it.
    note: u8,
}

#[derive(Serialize, Deserialize)]
struct StoredDefinition {
    grammar: Grammar,
    programs: BTreeMap<Shape, StoredLanguage>,
}

#[derive(Serialize, Deserialize)]
enum StoredLanguage {
    Nothing,
    Epsilon,
    Texts(Arc<Program>),
}

/// Writes an assembly with its vocabulary, and a number that [`load`] gives back. Time and size: those of the tables and
/// of the vocabulary.
///
/// # Errors
/// More than 1 GiB.
pub fn save(assembly: &Assembly<Prepared>, vocab: &Vocab, note: u8) -> Result<Vec<u8>, ArtifactError> {
    let mut numbers: BTreeMap<u128, u32> = BTreeMap::new();
    let mut definitions = Vec::new();
    let mut parts = Vec::new();
    for part in assembly.parts() {
        let number = *numbers.entry(part.definition.identity()).or_insert_with(|| {
            definitions.push(stored(part.definition));
            definitions.len() as u32 - 1
        });
        parts.push((number, part.slots.iter().map(Bound::from).collect()));
    }
    ENVELOPE.seal(vocab.fingerprint(), &Payload { vocab: Content::from(vocab), definitions, parts, note })
}

fn stored(prepared: &Prepared) -> StoredDefinition {
    let programs = prepared.programs.lock().unwrap_or_else(PoisonError::into_inner);
    let language = |language: &Language| match language {
        Language::Nothing => StoredLanguage::Nothing,
        Language::Epsilon => StoredLanguage::Epsilon,
        Language::Texts(program) => StoredLanguage::Texts(program.clone()),
    };
    let programs = programs.iter().map(|(shape, made)| (shape.clone(), language(made))).collect();
    StoredDefinition { grammar: prepared.grammar().clone(), programs }
}

/// Reads what [`save`] wrote. A vocabulary that is given must be the one it was saved with, and is then used, so that
/// its caches are shared.
///
/// # Errors
/// Bytes that are cut short, damaged, of another version, of another vocabulary, or no prepared grammar.
pub fn load(data: &[u8], vocab: Option<&Vocab>) -> Result<(Assembly<Prepared>, Vocab, u8), ArtifactError> {
    let (fingerprint, payload) = ENVELOPE.open(data)?;
    if vocab.is_some_and(|vocab| vocab.fingerprint() != fingerprint) {
        return Err(ArtifactError::other_vocab());
    }
    let Payload { vocab: content, definitions, parts, note } = Envelope::decode(payload)?;
    let vocab = match vocab {
        Some(vocab) => vocab.clone(),
        None => vocabulary(content, fingerprint)?,
    };
    let definitions: Vec<Arc<Prepared>> =
        definitions.into_iter().map(|d| restored(d).map(Arc::new)).collect::<Result<_, _>>()?;
    let part = |(definition, slots): (u32, Vec<Bound>)| {
        let definition = definitions.get(definition as usize).cloned();
        definition.map(|d| (d, slots)).ok_or_else(|| ArtifactError::invalid("a component without its definition"))
    };
    let parts = parts.into_iter().map(part).collect::<Result<_, _>>()?;
    let assembly = Assembly::from_parts(parts).map_err(|e| ArtifactError::part("composition", e))?;
    Ok((assembly, vocab, note))
}

fn restored(stored: StoredDefinition) -> Result<Prepared, ArtifactError> {
    let StoredDefinition { grammar, programs } = stored;
    grammar.validate().map_err(|e| ArtifactError::part("grammar", e))?;
    let mut languages = rustc_hash::FxHashMap::default();
    for (shape, language) in programs {
        let language = match language {
            StoredLanguage::Nothing => Language::Nothing,
            StoredLanguage::Epsilon => Language::Epsilon,
            StoredLanguage::Texts(program) => {
                check(&grammar, &program)?;
                Language::Texts(program)
            }
        };
        languages.insert(shape, language);
    }
    Ok(Prepared { source: Arc::new(Source::new(grammar)), programs: Mutex::new(languages) })
}

/// Every index in range.
fn check(grammar: &Grammar, program: &Program) -> Result<(), ArtifactError> {
    program.lexer.validate().map_err(|e| ArtifactError::part("lexer", e))?;
    let terminals = program.tables.terminals();
    let known = |t: &TerminalId| t.index() < terminals;
    let own = |t: &TerminalId| t.index() < grammar.terminals.len();
    let within = |set: &BitSet| set.iter().all(|t| t < terminals);
    let slots = program.slots.iter().all(|s| known(&s.terminal) && s.group < grammar.slots.len() && within(&s.follow));
    let events = program.events.iter().all(|(t, slot)| known(t) && *slot < grammar.slots.len());
    let apart = program.apart.iter().all(|a| own(&a.pair.0) && own(&a.pair.1));
    let sets = within(&program.first) && within(&program.last);
    match program.lexer.terminal_count() == terminals && slots && events && apart && sets {
        true => Ok(()),
        false => Err(ArtifactError::invalid("a component names what it does not have")),
    }
}
