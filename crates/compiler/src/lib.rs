//! The compiler of glrmask: grammar to lexer components and parser tables to a runnable constraint.
//!
//! Stages, each of which can be entered with the product of the one before: terminals to automata, [`mod@normalize`] (in
//! `glrmask-grammar`), LR tables and adjacency (in `glrmask-glr`), [`kills`] (longest match), lexer components (in
//! `glrmask-lexer`), and the [`Constraint`] of `glrmask-runtime`, whose tables fill on demand or, as the [`Policy`] says, now.
//!
//! # In short
#![doc = include_str!("../README.md")]

mod documents;
mod error;
mod fills;
pub mod kills;
mod link;
mod padding;
mod policy;
mod prepared;
mod stored;
mod terminals;
mod triggers;

use glrmask_automata::{Id, IndexVec, TerminalId};
use glrmask_glr::{Adjacency, Rule, RuleSet, Tables};
use glrmask_grammar::{normalize, normalize_marked, Grammar, Marked, NormalizeConfig, Normalized, Pattern};
use glrmask_lexer::{BitSet, Language, Lexer, TerminalDef};
use glrmask_runtime::{BoundaryTrigger, Constraint, MarkerTables, Parts, TokenIds, TokenTerminal};
use glrmask_vocab::{Cache, TokenId, Vocab};

pub use error::CompileError;
pub use kills::KillSets;
pub use link::compile_assembly;
pub use policy::{Check, FillLimits, Interrupt, Optimization, Policy};
pub use prepared::Prepared;
pub use stored::{load as load_prepared, save as save_prepared};
pub use triggers::BoundaryTriggerDetail;

use fills::Fillable;
use policy::Size;
use terminals::Compiled;

/// How to compile. The language does not depend on it.
#[derive(Clone, Debug)]
pub struct Config {
    /// Tokens that end the sequence; allowed exactly when the text is complete. None beyond
    /// [`max_end_token`](glrmask_runtime::max_end_token).
    pub end_tokens: Vec<TokenId>,
    /// Grammar transformations.
    pub normalize: NormalizeConfig,
    /// Limits on automata.
    pub automata: glrmask_automata::Limits,
    /// Limits on parser tables.
    pub tables: glrmask_glr::Limits,
    /// Bytes that tables filled while decoding may take before they are emptied and start anew.
    pub cache_bytes: usize,
    /// See [`glrmask_runtime::Config::compare_from`].
    pub compare_from: usize,
    /// See [`glrmask_runtime::Config::shift_first`].
    pub shift_first: Option<bool>,
    /// How much is filled before decoding.
    pub policy: Policy,
    /// Whether bound grammars are compiled part by part and linked; otherwise as one grammar.
    pub by_parts: bool,
    /// Whether the lexer is told of ignored text that the grammar spells out (`padding.rs`), so that less is asked of stacks.
    pub padding: bool,
    /// What is found out about the boundaries of bound grammars.
    pub boundary_trigger: BoundaryTriggerDetail,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            end_tokens: Vec::new(),
            normalize: NormalizeConfig::default(),
            automata: glrmask_automata::Limits::default(),
            tables: glrmask_glr::Limits::default(),
            cache_bytes: glrmask_runtime::Config::default().cache_bytes,
            compare_from: glrmask_runtime::Config::default().compare_from,
            shift_first: None,
            // Whoever wants it filled says so.
            policy: Policy { optimization: Optimization::FastBuild, ..Policy::default() },
            by_parts: true,
            padding: true,
            boundary_trigger: BoundaryTriggerDetail::None,
        }
    }
}

impl Config {
    fn runtime(&self, boundary_triggers: Vec<BoundaryTrigger>) -> glrmask_runtime::Config {
        glrmask_runtime::Config {
            end_tokens: self.end_tokens.clone(),
            cache_bytes: self.cache_bytes,
            compare_from: self.compare_from,
            shift_first: self.shift_first,
            boundary_triggers,
        }
    }
}

/// Everything that does not depend on the vocabulary.
#[derive(Clone, Debug)]
pub struct Program {
    /// What the runtime needs.
    pub parts: Parts,
    /// The normalised grammar.
    pub normalized: Normalized,
    /// The kill set of each terminal, without the terminal itself.
    pub kills: KillSets,
}

/// A stage of compiling that has just ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Terminals to automata.
    Terminals,
    /// Grammar transformations.
    Normalize,
    /// LR tables.
    Tables,
    /// What may stand beside what, and which terminals compete.
    Relations,
    /// Lexer components.
    Lexer,
    /// The constraint put together, and shown not to be empty.
    Constraint,
    /// Tables filled before decoding.
    Fill,
}

/// Compiles a grammar for a vocabulary.
///
/// # Errors
/// An empty language, a limit, an interrupt, or something that is not supported.
pub fn compile(grammar: &Grammar, vocab: &Vocab, config: &Config) -> Result<Constraint, CompileError> {
    compile_observed(grammar, vocab, config, &mut |_| {})
}

/// [`compile`], telling `observe` when a stage has ended.
///
/// # Errors
/// As for [`compile`].
pub fn compile_observed(
    grammar: &Grammar,
    vocab: &Vocab,
    config: &Config,
    observe: &mut dyn FnMut(Stage),
) -> Result<Constraint, CompileError> {
    compile_with(grammar, vocab, config, (Vec::new(), None), observe)
}

/// [`compile_observed`], keeping what is known of boundaries, and of which terminals compete.
fn compile_with(
    grammar: &Grammar,
    vocab: &Vocab,
    config: &Config,
    (boundary_triggers, kills): (Vec<BoundaryTrigger>, Option<KillSets>),
    observe: &mut dyn FnMut(Stage),
) -> Result<Constraint, CompileError> {
    let mut observe = |stage| {
        observe(stage);
        config.policy.check()
    };
    check_tokens(grammar, vocab)?;
    let program = analyze_with(grammar, config, (vocab.cache(), kills), &mut observe)?;
    finish((program.parts, boundary_triggers, None), vocab, config, &mut observe)
}

/// Puts the constraint together and fills its tables as the policy says. With `components` it was linked from prepared ones,
/// of which these may have been filled alone.
fn finish(
    (parts, boundary_triggers, components): (Parts, Vec<BoundaryTrigger>, Option<Vec<Fillable>>),
    vocab: &Vocab,
    config: &Config,
    observe: &mut dyn FnMut(Stage) -> Result<(), CompileError>,
) -> Result<Constraint, CompileError> {
    let constraint = Constraint::new(parts, vocab.clone(), config.runtime(boundary_triggers))?;
    observe(Stage::Constraint)?;
    fills::adopt(&constraint, components.as_deref().unwrap_or_default(), config)?;
    let size = |all: Vec<Fillable>| if all.iter().any(Fillable::is_large) { Size::Large } else { Size::Small };
    config.policy.fill(&constraint, components.map(size))?;
    observe(Stage::Fill)?;
    Ok(constraint)
}

/// Token events name ids of the vocabulary.
fn check_tokens(grammar: &Grammar, vocab: &Vocab) -> Result<(), CompileError> {
    for terminal in grammar.terminals.iter() {
        let Pattern::ExactTokens(ids) = &terminal.pattern else { continue };
        if let Some(&id) = ids.iter().find(|&&id| !vocab.contains(TokenId(id))) {
            return Err(CompileError::unknown_token(TokenId(id), &terminal.name));
        }
    }
    Ok(())
}

/// Builds lexer and parser tables.
///
/// # Errors
/// An empty language, a limit, an interrupt, or something that is not supported.
pub fn analyze(grammar: &Grammar, config: &Config) -> Result<Program, CompileError> {
    analyze_with(grammar, config, (&Cache::new(0), None), &mut |_| config.policy.check())
}

/// [`analyze`] with a cache where automata of terminals are found again, and kill sets if they are known.
fn analyze_with(
    grammar: &Grammar,
    config: &Config,
    (known, kills): (&Cache, Option<KillSets>),
    observe: &mut dyn FnMut(Stage) -> Result<(), CompileError>,
) -> Result<Program, CompileError> {
    let compiled = terminals::compile(grammar, &config.automata, known, config.policy.threads)?;
    observe(Stage::Terminals)?;
    let mut normalize_config = config.normalize.clone();
    let empty = compiled.iter_enumerated().filter(|(_, c)| c.is_empty()).map(|(t, _)| t);
    normalize_config.empty_terminals.extend(empty);
    let normalized = normalize(grammar, &normalize_config)?;
    observe(Stage::Normalize)?;
    let rules = rule_set(grammar.terminals.len(), &normalized);
    let tables = Tables::build(&rules, &config.tables)?;
    observe(Stage::Tables)?;
    let adjacency = Adjacency::new(&rules, &config.tables)?;
    let kills = match kills {
        Some(kills) => kills,
        None => kills::kill_sets(grammar, &compiled, &normalized.merged, &tables, &config.automata, false)?.kills,
    };
    observe(Stage::Relations)?;
    let defs = terminal_defs(&normalized, &compiled, &adjacency, &kills);
    let regions = documents::regions(grammar, &grammar.documents);
    let mut lexer = Lexer::with_regions(&defs, regions, &config.automata)?;
    if config.padding {
        lexer = padding::with_padding(lexer, grammar, &normalized);
    }
    observe(Stage::Lexer)?;
    documents::check_texts(grammar, &grammar.documents, config)?;
    let documents = documents::documents(grammar, &grammar.documents, &lexer, 0);
    documents::check_neighbours(&lexer, &documents, |t| grammar.terminals.get(t).map(|t| t.name.as_str()))?;
    let token_terminals = token_terminals(grammar, &lexer);
    let markers = marker_tables(grammar, &normalize_config, config)?;
    let (accepts_empty, rules) = (normalized.accepts_empty, grammar.instance.as_ref().map(|asked| asked.rules.clone()));
    let parts = Parts { lexer, tables, accepts_empty, token_terminals, markers, rules, documents };
    Ok(Program { parts, normalized, kills })
}

/// The ids of the token events that a text can hold.
fn token_terminals(grammar: &Grammar, lexer: &Lexer) -> Vec<TokenTerminal> {
    let ids = |t: TerminalId| match &grammar.terminals[t].pattern {
        Pattern::ExactTokens(ids) => ids.iter().copied().map(TokenId).collect(),
        _ => TokenIds::default(),
    };
    lexer.token_terminals().iter().map(|&terminal| TokenTerminal { terminal, ids: ids(terminal) }).collect()
}

/// The tables of texts with one marker picked; none if no text has a marker.
fn marker_tables(
    grammar: &Grammar,
    normalize: &NormalizeConfig,
    config: &Config,
) -> Result<Option<MarkerTables>, CompileError> {
    if grammar.marks.is_empty() {
        return Ok(None);
    }
    let Some(Marked { normalized, terminals, markers }) = normalize_marked(grammar, normalize)? else {
        return Ok(None);
    };
    let tables = Tables::build(&rule_set(terminals, &normalized), &config.tables)?;
    Ok(Some(MarkerTables { tables, markers }))
}

fn rule_set(terminals: usize, normalized: &Normalized) -> RuleSet {
    let rules = normalized.productions.iter().map(|p| Rule { lhs: p.lhs, rhs: p.rhs.clone() }).collect();
    RuleSet { terminals, nonterminals: normalized.nonterminals, rules, start: normalized.start }
}

fn terminal_defs(
    normalized: &Normalized,
    compiled: &IndexVec<TerminalId, Compiled>,
    adjacency: &Adjacency,
    kills: &KillSets,
) -> Vec<TerminalDef> {
    let mut used = BitSet::new(compiled.len());
    for production in &normalized.productions {
        for symbol in &production.rhs {
            if let glrmask_automata::Symbol::Terminal(t) = symbol {
                used.insert(t.index());
            }
        }
    }
    let killers: BitSet = kills.iter().flatten().map(|t| t.index()).collect();
    let def = |(t, language): (TerminalId, &Compiled)| {
        let parser_terminal = Some(normalized.merged[t]).filter(|rep| used.contains(rep.index()));
        let ignored = normalized.global_ignore.binary_search(&t).is_ok();
        let followers = parser_terminal
            .map_or_else(BitSet::default, |rep| adjacency.follow(rep).iter().map(|u| u.index()).collect());
        // A terminal that nobody can emit still matters where its longer match forbids another's.
        let matters = parser_terminal.is_some() || ignored || killers.contains(t.index());
        let language = match language {
            _ if !matters => Language::None,
            Compiled::Tokens { any } if *any => Language::Token,
            Compiled::Tokens { .. } => Language::None,
            Compiled::Literal(bytes) => Language::Literal(bytes.clone()),
            Compiled::Automaton(dfa) if dfa.is_empty_language() => Language::None,
            Compiled::Automaton(dfa) => Language::Automaton(dfa.clone()),
        };
        TerminalDef { language, ignored, parser_terminal, kills: kills[t].clone(), followers }
    };
    compiled.iter_enumerated().map(def).collect()
}
