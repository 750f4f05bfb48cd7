//! Components compiled on their own, to be linked later.
//!
//! What a component's automata, tables and lexer depend on is the component itself and very little of what is bound to it:
//! whether that can be empty, and which slots have the same component. So a [`Prepared`] keeps a [`Program`] for each
//! such *shape* that was asked for; preparing makes that in which every slot is still open. A slot becomes a terminal ẋ
//! that no transformation touches, in a rule `X → ẋ` of its own (see `glrmask_glr::link`).

use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use glrmask_automata::{Id, NonterminalId, Regex, Symbol, TerminalId};
use glrmask_glr::{Adjacency, Tables, TerminalSet};
use glrmask_grammar::assembly::{Define, SlotNames};
use glrmask_grammar::{
    normalize, DiagnosticKind, Grammar, Normalized, Pattern, Production, Slot, SlotKind, Source, Terminal,
};
use glrmask_lexer::{BitSet, Lexer};
use glrmask_vocab::{Cache, Vocab};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::documents;
use crate::error::CompileError;
use crate::fills::Fills;
use crate::kills::{self, KillSets, Rivals};
use crate::padding;
use crate::terminals;
use crate::{rule_set, terminal_defs, Config, Stage};

/// Shapes kept of one component.
const MAX_SHAPES: usize = 32;

/// A component with what has been compiled of it.
#[derive(Debug)]
pub struct Prepared {
    pub(crate) source: Arc<Source>,
    pub(crate) programs: Mutex<FxHashMap<Shape, Language>>,
    /// Whether each document is known to have a text: as the whole grammar, and as a part.
    texts: [OnceLock<()>; 2],
}

impl Define for Prepared {
    fn grammar(&self) -> &Grammar {
        self.source.grammar()
    }
    fn identity(&self) -> u128 {
        self.source.identity()
    }
    fn slot_names(&self) -> &SlotNames {
        self.source.slot_names()
    }
}

/// What matters of the things around a component.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Shape {
    /// Whether the component is the whole grammar, so that the lexer may drop ignored text.
    pub(crate) alone: bool,
    pub(crate) slots: Vec<SlotShape>,
}

/// What matters of what is bound to a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum SlotShape {
    /// It derives nothing.
    Nothing,
    /// It derives the empty text only.
    Epsilon,
    /// It is a token event.
    Event,
    /// It derives texts, the empty one among them or not; the same thing as in the slots of the same group. Groups are
    /// named after their first slot.
    Texts { group: usize, nullable: bool },
}

/// The language of a component.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Language {
    /// Empty.
    Nothing,
    /// The empty text.
    Epsilon,
    /// Texts, as compiled.
    Texts(Arc<Program>),
}

/// A component compiled on its own, in what linking needs.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Program {
    pub(crate) tables: Tables,
    pub(crate) lexer: Lexer,
    pub(crate) accepts_empty: bool,
    /// Slots that occur.
    pub(crate) slots: Vec<Entry>,
    /// Terminals that are token events, by the slots that say which.
    pub(crate) events: Vec<(TerminalId, usize)>,
    /// Terminals it can begin and end with.
    pub(crate) first: BitSet,
    pub(crate) last: BitSet,
    /// Terminals that compete: the kill set of each.
    pub(crate) kills: KillSets,
    /// Terminals that compete as soon as some state accepts both.
    pub(crate) apart: Vec<Apart>,
    /// What was filled of it alone.
    #[serde(skip)]
    pub(crate) fills: Fills,
}

/// A slot.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// What stands for it.
    pub(crate) terminal: TerminalId,
    /// The first slot with the same component.
    pub(crate) group: usize,
    /// Terminals that can follow it.
    pub(crate) follow: BitSet,
}

/// A pair t, t′: t′ is in K(t) where some state accepts both.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Apart {
    pub(crate) pair: (TerminalId, TerminalId),
    /// The same as the parser knows them.
    pub(crate) known: (TerminalId, TerminalId),
}

impl Prepared {
    /// Nothing compiled yet.
    pub fn new(source: Arc<Source>) -> Self {
        Self::with_programs(source, FxHashMap::default())
    }

    /// So much compiled.
    pub(crate) fn with_programs(source: Arc<Source>, programs: FxHashMap<Shape, Language>) -> Self {
        Self { source, programs: Mutex::new(programs), texts: Default::default() }
    }

    /// The documents of the component, as the whole grammar or as a part.
    pub(crate) fn documents(&self, is_part: bool) -> Cow<'_, [glrmask_grammar::Document]> {
        match is_part {
            false => Cow::Borrowed(&self.grammar().documents),
            true => Cow::Owned(self.grammar().documents_as_part()),
        }
    }

    /// Checks that each document has a text that obeys its rules, unless that is known.
    pub(crate) fn check_texts(&self, is_part: bool, config: &Config) -> Result<(), CompileError> {
        let [whole, part] = &self.texts;
        let known = if is_part { part } else { whole };
        if known.get().is_none() {
            documents::check_texts(self.grammar(), &self.documents(is_part), config)?;
            known.get_or_init(|| ());
        }
        Ok(())
    }

    /// Compiles the component as it is with every slot open, if it can be linked at all; if it has no slots, fills the
    /// tables that linking can take over, as the policy says.
    ///
    /// # Errors
    /// A limit, an interrupt, or something that is not supported.
    pub fn prepare(&self, config: &Config, vocab: &Vocab) -> Result<(), CompileError> {
        let known = vocab.cache();
        config.policy.check()?;
        if !self.is_linkable() {
            return Ok(());
        }
        let slots = self.grammar().slots.len();
        let open = |(group, slot): (usize, &Slot)| match slot.kind {
            SlotKind::Grammar => SlotShape::Texts { group, nullable: false },
            SlotKind::Token => SlotShape::Event,
        };
        let open = self.grammar().slots.iter().enumerate().map(open).collect();
        let mut observe = |_| config.policy.check();
        let language = self.language(Shape { alone: false, slots: open }, config, known, &mut observe)?;
        if let Language::Texts(program) = language {
            program.fill(vocab, config)?;
            config.policy.check()?;
        }
        // That there is none is an error where it is needed.
        if self.check_texts(true, config).is_err() {
            config.policy.check()?;
        }
        // Without slots it may be linked alone as well as bound.
        if slots == 0 && self.ignores() {
            self.language(Shape { alone: true, slots: Vec::new() }, config, known, &mut observe)?;
        }
        Ok(())
    }

    /// Whether anything is ignored.
    pub(crate) fn ignores(&self) -> bool {
        self.grammar().scopes.iter().any(|scope| !scope.ignore.is_empty())
    }

    /// Whether it has no markers.
    pub(crate) fn is_linkable(&self) -> bool {
        self.grammar().marks.is_empty()
    }

    /// The component in this shape, compiled now unless it is known.
    pub(crate) fn language(
        &self,
        shape: Shape,
        config: &Config,
        known: &Cache,
        observe: &mut dyn FnMut(Stage) -> Result<(), CompileError>,
    ) -> Result<Language, CompileError> {
        let lock = || self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = lock().get(&shape) {
            return Ok(found.clone());
        }
        let made = compile(self.grammar(), &shape, &[], config, known, observe)?;
        let mut programs = lock();
        if programs.len() < MAX_SHAPES {
            programs.insert(shape, made.clone());
        }
        Ok(made)
    }

    /// The lexer in this shape where more terminals compete; a rare thing, and made from the beginning.
    pub(crate) fn lexer_with(
        &self,
        shape: &Shape,
        more: &[(TerminalId, TerminalId)],
        config: &Config,
        known: &Cache,
    ) -> Result<Option<Lexer>, CompileError> {
        let mut observe = |_| config.policy.check();
        Ok(match compile(self.grammar(), shape, more, config, known, &mut observe)? {
            Language::Texts(program) => Some(program.lexer.clone()),
            Language::Nothing | Language::Epsilon => None,
        })
    }
}

/// Compiles a grammar in a shape; pairs in `more` compete besides.
fn compile(
    grammar: &Grammar,
    shape: &Shape,
    more: &[(TerminalId, TerminalId)],
    config: &Config,
    known: &Cache,
    observe: &mut dyn FnMut(Stage) -> Result<(), CompileError>,
) -> Result<Language, CompileError> {
    let Shaped { grammar, slots, events } = shaped(grammar, &shape.slots);
    grammar.validate()?;
    let compiled = terminals::compile(&grammar, &config.automata, known, config.policy.threads)?;
    observe(Stage::Terminals)?;
    let mut normalize_config = config.normalize.clone();
    normalize_config.global_ignore &= shape.alone;
    normalize_config.opaque_terminals = slots.iter().map(|slot| slot.0).collect();
    let empty = compiled.iter_enumerated().filter(|(_, c)| c.is_empty()).map(|(t, _)| t);
    normalize_config.empty_terminals.extend(empty);
    let mut normalized = match normalize(&grammar, &normalize_config) {
        // It is valid, so it is empty; which is an error if it is needed, and that shows when all parts are known.
        Err(error) if error.kind() == DiagnosticKind::Invalid => return Ok(Language::Nothing),
        result => result?,
    };
    observe(Stage::Normalize)?;
    if normalized.productions.is_empty() {
        return Ok(Language::Epsilon);
    }
    let slots = entry_rules(&mut normalized, slots);
    let rules = rule_set(grammar.terminals.len(), &normalized);
    let tables = Tables::build(&rules, &config.tables)?;
    observe(Stage::Tables)?;
    let adjacency = Adjacency::new(&rules, &config.tables)?;
    let Rivals { mut kills, apart } =
        kills::kill_sets(&grammar, &compiled, &normalized.merged, &tables, &config.automata, !shape.alone)?;
    for &(t, other) in more {
        kills[t].push(other);
        kills[t].sort_unstable();
    }
    observe(Stage::Relations)?;
    let mut defs = terminal_defs(&normalized, &compiled, &adjacency, &kills);
    for &(slot, _) in &slots {
        // Nothing is ever lexed as a slot.
        defs[slot.index()].parser_terminal = None;
    }
    let mut lexer = Lexer::with_regions(&defs, documents::regions(&grammar, &grammar.documents), &config.automata)?;
    if config.padding {
        lexer = padding::with_padding(lexer, &grammar, &normalized);
    }
    observe(Stage::Lexer)?;
    let bits = |set: &TerminalSet| set.iter().map(|t| t.index()).collect::<BitSet>();
    let entry = |(terminal, group)| Entry { terminal, group, follow: bits(adjacency.follow(terminal)) };
    let known =
        |pair: (TerminalId, TerminalId)| Apart { pair, known: (normalized.merged[pair.0], normalized.merged[pair.1]) };
    Ok(Language::Texts(Arc::new(Program {
        tables,
        lexer,
        accepts_empty: normalized.accepts_empty,
        slots: slots.into_iter().map(entry).collect(),
        events,
        first: bits(adjacency.first()),
        last: bits(adjacency.last()),
        kills,
        apart: apart.into_iter().map(known).collect(),
        fills: Fills::default(),
    })))
}

/// A grammar without slots.
struct Shaped {
    grammar: Grammar,
    /// A terminal for each group of slots.
    slots: Vec<(TerminalId, usize)>,
    /// Token events, by the slots that say which ones.
    events: Vec<(TerminalId, usize)>,
}

/// Any token id: which ones an event takes is said when linking.
const SOME_ID: u32 = 0;

/// The grammar with terminals in the place of slots.
fn shaped(grammar: &Grammar, shapes: &[SlotShape]) -> Shaped {
    let mut made = grammar.clone();
    let slots = std::mem::take(&mut made.slots);
    let (mut by_group, mut events): (Vec<(TerminalId, usize)>, Vec<_>) = (Vec::new(), Vec::new());
    for (i, (slot, shape)) in slots.iter().zip(shapes).enumerate() {
        let terminal = |pattern| Terminal { name: slot.name.clone(), pattern, scope: slot.scope, span: slot.span };
        let event = Pattern::ExactTokens(vec![SOME_ID]);
        let lhs = match (slot.symbol, shape) {
            (Symbol::Nonterminal(lhs), _) => lhs,
            (Symbol::Terminal(t), SlotShape::Event) => {
                made.terminals[t].pattern = event;
                events.push((t, i));
                continue;
            }
            // A slot without a token matches nothing, as it is.
            (Symbol::Terminal(_), _) => continue,
        };
        let mut derives = |rhs| made.productions.push(Production { lhs, rhs });
        match *shape {
            SlotShape::Nothing => {}
            SlotShape::Epsilon => derives(Vec::new()),
            SlotShape::Event => {
                let t = made.terminals.push(terminal(event));
                events.push((t, i));
                derives(vec![Symbol::Terminal(t)]);
            }
            SlotShape::Texts { group, nullable } => {
                if nullable {
                    derives(Vec::new());
                }
                let known = by_group.iter().find(|entry| entry.1 == group).map(|entry| entry.0);
                let t = known.unwrap_or_else(|| {
                    let t = made.terminals.push(terminal(Pattern::Regex(Regex::empty())));
                    by_group.push((t, group));
                    t
                });
                derives(vec![Symbol::Terminal(t)]);
            }
        }
    }
    Shaped { grammar: made, slots: by_group, events }
}

/// Puts a nonterminal of its own in the place of every slot that occurs, with the one rule `X → ẋ`.
fn entry_rules(normalized: &mut Normalized, slots: Vec<(TerminalId, usize)>) -> Vec<(TerminalId, usize)> {
    let mut occurring = Vec::new();
    for (t, group) in slots {
        let (slot, entry) = (Symbol::Terminal(t), NonterminalId::from_usize(normalized.nonterminals));
        let occurrences = normalized.productions.iter_mut().flat_map(|p| &mut p.rhs).filter(|s| **s == slot);
        if occurrences.map(|symbol| *symbol = Symbol::Nonterminal(entry)).count() == 0 {
            continue;
        }
        normalized.productions.push(Production { lhs: entry, rhs: vec![slot] });
        normalized.nonterminals += 1;
        normalized.names.push(format!("${entry}"));
        occurring.push((t, group));
    }
    occurring
}
