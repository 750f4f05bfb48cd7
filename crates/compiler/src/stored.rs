//! Prepared grammars as bytes: components, what is bound in them, and what was compiled of each.
//!
//! In the envelope of `glrmask_runtime::artifact` under a mark of its own. Every definition is written once, however often
//! it is bound, and so is every component. Nothing that is read is trusted: the grammar is validated, tables and lexers are
//! checked as those of constraints are, and every index is in range afterwards. As there, whether tables belong to the
//! grammar cannot be checked without making them again; forged ones give strange masks and no worse.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use glrmask_automata::{Id, TerminalId};
use glrmask_grammar::assembly::{Bound, Define};
use glrmask_grammar::{Assembly, Grammar, Source};
use glrmask_lexer::BitSet;
use glrmask_runtime::artifact::{vocabulary, Envelope};
use glrmask_runtime::{ArtifactError, StoredPart};
use glrmask_vocab::{Content, Vocab};
use serde::{Deserialize, Serialize};

use crate::fills::Fill;
use crate::policy::Optimization;
use crate::prepared::{Apart, Entry, Language, Prepared, Program, Shape, SlotShape};

/// Its version is raised whenever the payload changes.
const ENVELOPE: Envelope = Envelope { magic: *b"glrmaskp", version: 7 };

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
    /// With what was filled of it: in which mode, and whether it would take long.
    Texts(Arc<Program>, Option<(Optimization, bool, Option<Box<StoredPart>>)>),
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
        Language::Texts(program) => {
            let fill = program
                .fills
                .get()
                .map(|fill| (fill.mode, fill.is_large, fill.part.map(|part| Box::new(part.stored()))));
            StoredLanguage::Texts(program.clone(), fill)
        }
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
        definitions.into_iter().map(|d| restored(d, &vocab).map(Arc::new)).collect::<Result<_, _>>()?;
    let part = |(definition, slots): (u32, Vec<Bound>)| {
        let definition = definitions.get(definition as usize).cloned();
        definition.map(|d| (d, slots)).ok_or_else(|| ArtifactError::invalid("a component without its definition"))
    };
    let parts = parts.into_iter().map(part).collect::<Result<_, _>>()?;
    let assembly = Assembly::from_parts(parts).map_err(|e| ArtifactError::part("composition", e))?;
    Ok((assembly, vocab, note))
}

fn restored(stored: StoredDefinition, vocab: &Vocab) -> Result<Prepared, ArtifactError> {
    let StoredDefinition { grammar, programs } = stored;
    grammar.validate().map_err(|e| ArtifactError::part("grammar", e))?;
    let mut languages = rustc_hash::FxHashMap::default();
    for (shape, language) in programs {
        let language = match language {
            StoredLanguage::Nothing => Language::Nothing,
            StoredLanguage::Epsilon => Language::Epsilon,
            StoredLanguage::Texts(program, fill) => {
                check(&grammar, &shape, &program)?;
                if let Some((mode, is_large, part)) = fill {
                    let restore = |part: Box<StoredPart>| part.restore(&program.lexer, &program.tables, vocab);
                    program.fills.set(Fill { mode, is_large, part: part.map(restore).transpose()? });
                }
                Language::Texts(program)
            }
        };
        languages.insert(shape, language);
    }
    Ok(Prepared::with_programs(Arc::new(Source::new(grammar)), languages))
}

/// Every index in range, and slots as the shape has them: linking looks for something to parse in each.
fn check(grammar: &Grammar, shape: &Shape, program: &Program) -> Result<(), ArtifactError> {
    program.lexer.validate().map_err(|e| ArtifactError::part("lexer", e))?;
    let terminals = program.tables.terminals();
    let known = |t: &TerminalId| t.index() < terminals;
    let own = |t: &TerminalId| t.index() < grammar.terminals.len();
    let within = |set: &BitSet| set.iter().all(|t| t < terminals);
    let shaped =
        |s: &Entry| matches!(shape.slots.get(s.group), Some(SlotShape::Texts { group, .. }) if *group == s.group);
    let rising = program.slots.windows(2).all(|pair| matches!(pair, [a, b] if a.terminal < b.terminal));
    let slots = program.slots.iter().all(|s| known(&s.terminal) && shaped(s) && within(&s.follow)) && rising;
    let is_event = |slot: usize| shape.slots.get(slot) == Some(&SlotShape::Event);
    let events = program.events.iter().all(|(t, slot)| known(t) && is_event(*slot));
    let apart = |a: &Apart| [a.pair.0, a.pair.1].iter().all(own) && [a.known.0, a.known.1].iter().all(known);
    let apart = program.apart.iter().all(apart);
    let sets = within(&program.first) && within(&program.last);
    let kills = program.kills.len() == terminals && program.kills.iter().flatten().all(known);
    let counts = program.lexer.terminal_count() == terminals && shape.slots.len() == grammar.slots.len();
    match counts && slots && events && apart && sets && kills {
        true => Ok(()),
        false => Err(ArtifactError::invalid("a component names what it does not have")),
    }
}

#[cfg(test)]
mod tests {
    use glrmask_grammar::{glrm, Binding};
    use glrmask_vocab::TokenId;

    use super::*;
    use crate::prepared::SlotShape;
    use crate::Config;

    fn prepared(text: &str) -> Prepared {
        Prepared::new(Arc::new(Source::new(glrm::parse(text).expect("a valid grammar"))))
    }

    /// Linking would look for something to parse in the slot, and there is nothing.
    #[test]
    fn a_program_with_other_slots_than_its_shape_is_refused() {
        let vocab = Vocab::new([(TokenId(0), "a")]).expect("a vocabulary");
        let (root, child) =
            (prepared("start s; extern grammar x; nt s = \"a\" x;"), prepared("start s; nt s = \"a\";"));
        root.prepare(&Config::default(), &vocab).expect("small");
        let saved = |root, child| {
            let mut assembly = Assembly::new(Arc::new(root));
            assembly.bind("x", Binding::Component(Assembly::new(Arc::new(child)))).expect("an open slot");
            save(&assembly, &vocab, 0).expect("small")
        };
        let shape = |slots| Shape { alone: false, slots };
        let programs = root.programs.into_inner().expect("no panic");
        let made =
            programs.get(&shape(vec![SlotShape::Texts { group: 0, nullable: false }])).expect("prepared").clone();
        let with = |source: &Arc<Source>, shape: Shape, language: Language| {
            Prepared::with_programs(source.clone(), [(shape, language)].into_iter().collect())
        };
        let nothing = || with(&child.source, shape(vec![]), Language::Nothing);
        let right = with(&root.source, shape(vec![SlotShape::Texts { group: 0, nullable: false }]), made.clone());
        assert!(load(&saved(right, nothing()), Some(&vocab)).is_ok());
        let forged = with(&root.source, shape(vec![SlotShape::Nothing]), made);
        assert!(load(&saved(forged, nothing()), Some(&vocab)).is_err());
    }
}
