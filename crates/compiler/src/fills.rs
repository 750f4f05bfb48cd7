//! What components have filled alone: tables that linked constraints take over.
//!
//! Which tokens lead where inside a component depends on nothing around it, but for the few tokens that leave it. So
//! preparing a component without slots fills its tables as if it stood alone, and linking copies them
//! (`glrmask_runtime::LinkedPart`) and fills the rest. Small components are filled when they are prepared; where
//! everything is to be filled before decoding, what preparing did not do is done when it is first linked, and kept.
//!
//! The reference is linking with nothing filled: every mask is the same.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use glrmask_automata::{Id, NonterminalId};
use glrmask_glr::link::Layout;
use glrmask_glr::{LrState, Tables};
use glrmask_lexer::{BitSet, Lexer};
use glrmask_runtime::{Constraint, FilledPart, LinkedPart, Parts};
use glrmask_vocab::Vocab;
use rustc_hash::FxHashMap;

use crate::error::CompileError;
use crate::link::Linked;
use crate::policy::{FillLimits, Optimization};
use crate::prepared::Program;
use crate::Config;

/// What was filled of a component, and in which mode; nothing yet if it was not prepared.
#[derive(Debug, Default)]
pub(crate) struct Fills(Mutex<Option<Fill>>);

#[derive(Clone, Debug)]
pub(crate) struct Fill {
    pub(crate) mode: Optimization,
    /// Whether the component could be filled, and that was predicted to take long.
    pub(crate) is_large: bool,
    pub(crate) part: Option<FilledPart>,
}

impl Fills {
    pub(crate) fn get(&self) -> Option<Fill> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set(&self, fill: Fill) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(fill);
    }
}

impl Program {
    /// Fills the tables of the component alone as the policy says, unless that was done before or it has slots. Nothing is
    /// kept if the time is up meanwhile, and no tables if a limit of the policy cuts them off: others may have another.
    ///
    /// # Errors
    /// Cancelled; a limit, if the policy is strict.
    pub(crate) fn fill(&self, vocab: &Vocab, config: &Config) -> Result<(), CompileError> {
        let mode = config.policy.optimization;
        let is_complete = |part: &Option<FilledPart>| part.as_ref().is_some_and(|part| part.cut().is_none());
        let is_done = |fill: Fill| {
            is_complete(&fill.part) || fill.mode == Optimization::FastRuntime || mode != Optimization::FastRuntime
        };
        if self.fills.get().is_some_and(is_done) {
            return Ok(());
        }
        let (part, is_large) = if self.is_fillable() { self.filled(vocab, config)? } else { (None, false) };
        let is_cut = config.policy.limits != FillLimits::default() && !is_complete(&part);
        let fill = match is_cut {
            true => Fill { mode: Optimization::FastBuild, is_large, part: None },
            false => Fill { mode, is_large, part },
        };
        if config.policy.check().is_ok() {
            self.fills.set(fill);
        }
        Ok(())
    }

    fn is_fillable(&self) -> bool {
        self.slots.is_empty() && self.lexer.token_terminals().is_empty()
    }

    /// What was filled, and whether it would take long.
    fn filled(&self, vocab: &Vocab, config: &Config) -> Result<(Option<FilledPart>, bool), CompileError> {
        let parts = Parts {
            lexer: self.lexer.clone(),
            tables: self.tables.clone(),
            accepts_empty: self.accepts_empty,
            token_terminals: Vec::new(),
            markers: None,
            // These filter masks, and are known where the component is linked.
            rules: None,
            documents: Vec::new(),
        };
        // An empty component is an error where it is needed.
        let Ok(alone) = Constraint::new(parts, vocab.clone(), config.runtime(Vec::new())) else {
            return Ok((None, false));
        };
        let is_large = !config.policy.fill_part(&alone)?;
        Ok((alone.filled_part(), is_large))
    }
}

/// A component of a constraint, whose numbers these are, that can have been filled alone.
pub(crate) struct Fillable {
    program: Arc<Program>,
    terminals: Range<usize>,
    components: Range<usize>,
    states: Range<usize>,
    /// The nonterminal that stands for it; none for the root.
    symbol: Option<NonterminalId>,
    first: BitSet,
    follow: BitSet,
}

impl Fillable {
    /// The components that were prepared alone, and whose lexers are as they were then.
    pub(crate) fn all(
        linked: &[Linked<'_>],
        lexers: &[Cow<'_, Lexer>],
        layout: &Layout,
        (first, follow): (&[BitSet], &[BitSet]),
    ) -> Vec<Self> {
        let mut next = 0;
        let component = |(i, part): (usize, &Linked<'_>)| {
            let (program, lexer) = (&part.program, lexers.get(i)?);
            let components = next..next + lexer.components().len();
            next = components.end;
            let is_own = matches!(lexer, Cow::Borrowed(_)) && program.fills.get().is_some() && program.is_fillable();
            let range = |begins: &[u32], count| {
                let begin = begins.get(i).map_or(0, |&begin| begin as usize);
                begin..begin + count
            };
            let symbol = layout.nonterminals.get(i)? + program.tables.nonterminals() as u32;
            is_own.then(|| Self {
                program: program.clone(),
                terminals: range(&layout.terminals, program.tables.terminals()),
                components,
                states: range(&layout.states, program.tables.states()),
                symbol: (i + 1 < linked.len()).then_some(NonterminalId(symbol)),
                first: first.get(i).cloned().unwrap_or_default(),
                follow: follow.get(i).cloned().unwrap_or_default(),
            })
        };
        linked.iter().enumerate().filter_map(component).collect()
    }

    /// Whether filling it would take long.
    pub(crate) fn is_large(&self) -> bool {
        self.program.fills.get().is_some_and(|fill| fill.is_large)
    }

    /// What was filled of it, or is now, where the policy wants everything filled before decoding.
    fn linked(
        &self,
        constraint: &Constraint,
        entries: &Entries,
        config: &Config,
    ) -> Result<Option<LinkedPart>, CompileError> {
        if config.policy.optimization == Optimization::FastRuntime && !config.policy.background {
            self.program.fill(constraint.vocab(), config)?;
        }
        let Some(filled) = self.program.fills.get().and_then(|fill| fill.part) else { return Ok(None) };
        let entries = match self.symbol {
            Some(symbol) => entries.get(&symbol).cloned().unwrap_or_default(),
            None => vec![Tables::START],
        };
        Ok(Some(LinkedPart {
            filled,
            terminals: self.terminals.clone(),
            components: self.components.clone(),
            states: self.states.clone(),
            entries,
            first: self.first.clone(),
            last: self.program.last.moved(self.terminals.start),
            follow: self.follow.clone(),
        }))
    }
}

/// Lets a constraint take over what its components have filled. Not where somebody counts what is filled.
///
/// # Errors
/// An interrupt, or a limit on longest-match conditions.
pub(crate) fn adopt(constraint: &Constraint, parts: &[Fillable], config: &Config) -> Result<(), CompileError> {
    let policy = &config.policy;
    let is_counted = policy.strict || policy.limits != FillLimits::default();
    if is_counted || policy.optimization == Optimization::FastBuild {
        return Ok(());
    }
    let entries = entries(constraint.tables(), parts);
    let parts: Vec<Option<LinkedPart>> =
        parts.iter().map(|part| part.linked(constraint, &entries, config)).collect::<Result<_, _>>()?;
    let parts: Vec<LinkedPart> = parts.into_iter().flatten().collect();
    if !parts.is_empty() {
        constraint.adopt(&parts, &|| policy.check().is_err())?;
    }
    Ok(())
}

/// The states in which each component is entered, rising, by the nonterminal that stands for it.
type Entries = FxHashMap<NonterminalId, Vec<LrState>>;

/// Time: the gotos of all states.
fn entries(tables: &Tables, parts: &[Fillable]) -> Entries {
    let mut entries: Entries = parts.iter().filter_map(|part| Some((part.symbol?, Vec::new()))).collect();
    for state in (0..tables.states()).map(LrState::from_usize) {
        for (symbol, _) in tables.gotos(state) {
            entries.entry(symbol).and_modify(|states| states.push(state));
        }
    }
    entries
}
