//! The driver: all transformations in order, and the form the parser generator reads.

use glrmask_automata::{Id, IndexVec, NonterminalId, Symbol, TerminalId};
use rustc_hash::FxHashSet;

use super::{
    emptiness, epsilon, ignore, inline, marks, merge_terminals, right_recursion, split, trim, unit_bypass, unit_cycles,
    Cfg,
};
use crate::diagnostic::GrammarError;
use crate::ir::{Grammar, Pattern, Production};
use crate::pattern::is_visibly_empty;

/// How often merging and folding take turns.
const MAX_MERGES: usize = 8;

/// Which transformations run. All of them keep the language; those without a switch are needed for the form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalizeConfig {
    /// Leave ignored terminals to the lexer where everything is in the root scope.
    pub global_ignore: bool,
    /// Split right-hand sides with many nullable symbols (off: more than twelve are an error).
    pub split: bool,
    /// Turn direct right recursion into left recursion.
    pub right_recursion: bool,
    /// Fold nonterminals that are another name of one symbol.
    pub inline: bool,
    /// Bypass `A → B` where B has at most this many alternatives or occurs only there; 0 switches it off.
    pub unit_bypass: usize,
    /// Merge terminals that the grammar cannot tell apart.
    pub merge_terminals: bool,
    /// Terminals known to match nothing (found by compiling them); the visibly empty ones need not be listed.
    pub empty_terminals: Vec<TerminalId>,
    /// Terminals that stand for something else, such as a grammar that will be linked: neither empty nor merged, whatever
    /// their pattern says.
    pub opaque_terminals: Vec<TerminalId>,
    /// The most productions at any stage.
    pub max_productions: usize,
}

impl Default for NormalizeConfig {
    fn default() -> Self {
        Self {
            global_ignore: true,
            split: true,
            right_recursion: true,
            inline: true,
            unit_bypass: 4,
            merge_terminals: true,
            empty_terminals: Vec::new(),
            opaque_terminals: Vec::new(),
            max_productions: 2_000_000,
        }
    }
}

impl NormalizeConfig {
    /// Only what the form needs: every optimisation off.
    pub fn plain() -> Self {
        Self {
            global_ignore: false,
            right_recursion: false,
            inline: false,
            unit_bypass: 0,
            merge_terminals: false,
            ..Self::default()
        }
    }
}

/// A grammar ready for parser construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Normalized {
    /// ε-free, without unit cycles, trimmed, without repetitions, sorted. None at all: the language is {ε}.
    pub productions: Vec<Production>,
    /// Number of nonterminals; all ids are below it, and there is at least one.
    pub nonterminals: usize,
    /// A name of each nonterminal for dumps.
    pub names: IndexVec<NonterminalId, String>,
    /// The start symbol.
    pub start: NonterminalId,
    /// Whether the empty string (of terminals) is in the language.
    pub accepts_empty: bool,
    /// Terminals that the lexer drops anywhere between, before and after others. Sorted.
    pub global_ignore: Vec<TerminalId>,
    /// The terminal that stands for each terminal in `productions` (itself unless merged).
    pub merged: IndexVec<TerminalId, TerminalId>,
}

/// Rewrites a grammar into the form that parser construction needs.
///
/// ```
/// use glrmask_grammar::{normalize, Expr, GrammarBuilder, NormalizeConfig};
///
/// let mut builder = GrammarBuilder::new();
/// let (start, a) = (builder.nonterminal("start"), builder.literal("a"));
/// builder.define(start, Expr::from(a).star());
/// let normalized = normalize(&builder.build(start)?, &NormalizeConfig::default())?;
/// assert!(normalized.accepts_empty);
/// assert_eq!(normalized.productions.len(), 2); // a | start a
/// # Ok::<(), glrmask_grammar::GrammarError>(())
/// ```
///
/// # Errors
/// A grammar that is not [valid](Grammar::validate), open slots, an empty language (the message names the rule that
/// derives nothing), more productions than allowed.
///
/// # Complexity
/// Linear in the grammar times the bypass limit; merging terminals sorts contexts and repeats while it finds some.
pub fn normalize(grammar: &Grammar, config: &NormalizeConfig) -> Result<Normalized, GrammarError> {
    grammar.validate()?;
    check_closed(grammar)?;
    let found = match grammar.marks.is_empty() {
        true => rewrite(grammar, config)?,
        false => rewrite(&marks::erase(grammar), &for_markers(config))?,
    };
    found.ok_or_else(|| emptiness::explain(grammar, &dead_terminals(grammar, config)))
}

/// The grammar of its texts with exactly one marker picked, as a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// The grammar. Its terminals are those of the original, and one for each marker after them; nothing is merged.
    pub normalized: Normalized,
    /// Number of terminals.
    pub terminals: usize,
    /// The terminal of each marker that some text has, and its number. Sorted by terminal.
    pub markers: Vec<(TerminalId, u32)>,
}

/// Where markers may stand: texts with one of them picked, all others erased. `None` if no text has a marker.
///
/// # Errors
/// As for [`normalize`], an empty language apart.
pub fn normalize_marked(grammar: &Grammar, config: &NormalizeConfig) -> Result<Option<Marked>, GrammarError> {
    grammar.validate()?;
    check_closed(grammar)?;
    let limit = config.max_productions.saturating_mul(8);
    let Some(marks::Picked { grammar, mut markers }) = marks::pick(grammar, limit)? else { return Ok(None) };
    let Some(normalized) = rewrite(&grammar, &for_markers(config))? else { return Ok(None) };
    let used: FxHashSet<Symbol> = normalized.productions.iter().flat_map(|p| p.rhs.iter().copied()).collect();
    markers.retain(|marker| used.contains(&Symbol::Terminal(marker.0)));
    markers.sort_unstable();
    Ok(Some(Marked { normalized, terminals: grammar.terminals.len(), markers }))
}

/// Both grammars must know the same terminals, and what can be merged in one of them may differ in the other.
fn for_markers(config: &NormalizeConfig) -> NormalizeConfig {
    NormalizeConfig { merge_terminals: false, ..config.clone() }
}

/// All transformations; `None` if the language is empty. There are no slots and no markers.
fn rewrite(grammar: &Grammar, config: &NormalizeConfig) -> Result<Option<Normalized>, GrammarError> {
    let dead = dead_terminals(grammar, config);
    let (mut cfg, global_ignore) = ignore::ignore(grammar, config.global_ignore, |t| !dead.contains(&t));
    cfg.productions.retain(|p| !p.rhs.iter().any(|s| matches!(s, Symbol::Terminal(t) if dead.contains(t))));
    let Some(mut cfg) = trim::trim(cfg) else { return Ok(None) };
    if config.split {
        cfg = check(split::split(cfg), config)?;
    }
    let (cfg, accepts_empty) = epsilon::epsilon(cfg)?;
    let mut cfg = check(cfg, config)?;
    match trim::trim(cfg) {
        Some(trimmed) => cfg = optimize(trimmed, config)?,
        // Nothing but ε is left.
        None => cfg = Cfg { start: NonterminalId(0), nonterminals: 1, productions: Vec::new() },
    }
    let mut merged: IndexVec<TerminalId, TerminalId> = grammar.terminals.ids().collect();
    let unmerged: Vec<_> = global_ignore.iter().chain(&config.opaque_terminals).copied().collect();
    // Merging may leave a nonterminal as another name of one terminal, and folding that may allow more merging.
    for _ in 0..MAX_MERGES {
        if !(config.merge_terminals && merge(&mut cfg, grammar, &unmerged, &mut merged) && config.inline) {
            break;
        }
        cfg = inline::inline(cfg);
    }
    Ok(Some(finish(cfg, grammar, accepts_empty, global_ignore, merged)))
}

/// Refuses what has no meaning for a parser: open slots.
fn check_closed(grammar: &Grammar) -> Result<(), GrammarError> {
    if let Some(slot) = grammar.slots.first() {
        return Err(GrammarError::invalid(format!("nothing is bound to the slot `{}`", slot.name), slot.span));
    }
    Ok(())
}

/// What comes after ε-elimination. The language is not empty.
fn optimize(cfg: Cfg, config: &NormalizeConfig) -> Result<Cfg, GrammarError> {
    let mut cfg = unit_cycles::unit_cycles(cfg);
    if config.right_recursion {
        cfg = check(right_recursion::right_recursion(cfg), config)?;
    }
    if config.inline {
        cfg = inline::inline(cfg);
    }
    if config.unit_bypass > 0 {
        cfg = check(unit_bypass::unit_bypass(cfg, config.unit_bypass), config)?;
        if config.inline {
            cfg = inline::inline(cfg);
        }
    }
    let start = cfg.start;
    Ok(trim::trim(cfg).unwrap_or(Cfg { start, nonterminals: start.index() + 1, productions: Vec::new() }))
}

fn check(cfg: Cfg, config: &NormalizeConfig) -> Result<Cfg, GrammarError> {
    match cfg.productions.len() <= config.max_productions {
        true => Ok(cfg),
        false => Err(GrammarError::limit("productions", config.max_productions, cfg.productions.len(), None)),
    }
}

/// Terminals that match nothing.
fn dead_terminals(grammar: &Grammar, config: &NormalizeConfig) -> FxHashSet<TerminalId> {
    let visible = grammar.terminals.iter_enumerated().filter(|(_, t)| is_visibly_empty(&t.pattern)).map(|(id, _)| id);
    let empty = visible.chain(config.empty_terminals.iter().copied());
    empty.filter(|t| !config.opaque_terminals.contains(t)).collect()
}

/// Merges terminals: token events apart from bytes, `kept` ones not at all. Returns whether any were merged.
fn merge(cfg: &mut Cfg, grammar: &Grammar, kept: &[TerminalId], merged: &mut IndexVec<TerminalId, TerminalId>) -> bool {
    let is_event = |t| matches!(grammar.terminals[t].pattern, Pattern::ExactTokens(_));
    let kind = |t| (!kept.contains(&t)).then(|| is_event(t));
    let more = merge_terminals::merge_terminals(cfg, grammar.terminals.len(), kind);
    let before = merged.clone();
    merged.iter_mut().for_each(|t| *t = more[*t]);
    *merged != before
}

/// Renumbers nonterminals densely, the start symbol first, and sorts.
fn finish(
    cfg: Cfg,
    grammar: &Grammar,
    accepts_empty: bool,
    global_ignore: Vec<TerminalId>,
    merged: IndexVec<TerminalId, TerminalId>,
) -> Normalized {
    let mut used = vec![false; cfg.nonterminals];
    cfg.productions.iter().for_each(|p| used[p.lhs.index()] = true);
    used[cfg.start.index()] = false;
    let order = std::iter::once(cfg.start.index()).chain((0..used.len()).filter(|&n| used[n]));
    let mut number = vec![NonterminalId(0); cfg.nonterminals];
    let mut names = IndexVec::new();
    for old in order {
        let name = grammar.nonterminals.as_slice().get(old).map_or_else(|| format!("${old}"), |n| n.name.clone());
        number[old] = names.push(name);
    }
    let mut productions = cfg.productions;
    for Production { lhs, rhs } in &mut productions {
        *lhs = number[lhs.index()];
        for symbol in rhs {
            if let Symbol::Nonterminal(n) = symbol {
                *n = number[n.index()];
            }
        }
    }
    productions.sort_unstable();
    let nonterminals = names.len();
    Normalized { productions, nonterminals, names, start: NonterminalId(0), accepts_empty, global_ignore, merged }
}

impl Normalized {
    /// Checks everything the fields promise.
    ///
    /// # Errors
    /// The first broken promise.
    pub fn check_invariants(&self) -> Result<(), String> {
        let cfg = Cfg { start: self.start, nonterminals: self.nonterminals, productions: self.productions.clone() };
        let in_range = |s: &Symbol| match s {
            Symbol::Nonterminal(n) => n.index() < self.nonterminals,
            Symbol::Terminal(t) => self.merged.get(*t) == Some(t),
        };
        let ensure = |holds: bool, what: &str| if holds { Ok(()) } else { Err(what.to_owned()) };
        ensure(self.start.index() < self.nonterminals, "start out of range")?;
        ensure(self.names.len() == self.nonterminals, "a name per nonterminal")?;
        ensure(cfg.productions.iter().all(|p| p.lhs.index() < self.nonterminals), "left-hand side out of range")?;
        ensure(cfg.productions.iter().flat_map(|p| &p.rhs).all(in_range), "symbol out of range or not merged")?;
        ensure(cfg.productions.iter().all(|p| !p.rhs.is_empty()), "ε-free")?;
        ensure(cfg.productions.windows(2).all(|w| matches!(w, [a, b] if a < b)), "sorted, without repetitions")?;
        ensure(unit_cycles::unit_cycles(cfg.clone()) == cfg, "without unit cycles")?;
        match cfg.productions.is_empty() {
            true => ensure(self.accepts_empty, "not empty"),
            false => ensure(trim::trim(cfg.clone()) == Some(cfg), "trimmed"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{any_grammar, language, reference_language, Word};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// The language that a normalised grammar stands for: merged and ignored terminals spelled out.
    fn denoted(n: &Normalized, max: usize) -> BTreeSet<Word> {
        let mut cfg = Cfg { start: n.start, nonterminals: n.nonterminals, productions: n.productions.clone() };
        if n.accepts_empty {
            cfg.productions.push(Production { lhs: n.start, rhs: Vec::new() });
            // The start symbol may occur inside; ε is for the whole text only.
            let start = cfg.fresh();
            if let Some(epsilon) = cfg.productions.last_mut() {
                epsilon.lhs = start;
            }
            if !n.productions.is_empty() {
                cfg.productions.push(Production { lhs: start, rhs: vec![Symbol::Nonterminal(n.start)] });
            }
            cfg.start = start;
        }
        let members = |r: TerminalId| n.merged.iter_enumerated().filter(move |(_, m)| **m == r).map(|(t, _)| t);
        let slots: Vec<NonterminalId> = n.merged.ids().map(|_| cfg.fresh()).collect();
        for symbol in cfg.productions.iter_mut().flat_map(|p| &mut p.rhs) {
            if let Symbol::Terminal(t) = *symbol {
                *symbol = Symbol::Nonterminal(slots[t.index()]);
            }
        }
        let gap = cfg.fresh();
        let gap_symbol = Symbol::Nonterminal(gap);
        cfg.productions.push(Production { lhs: gap, rhs: Vec::new() });
        for &i in &n.global_ignore {
            cfg.productions.push(Production { lhs: gap, rhs: vec![gap_symbol, Symbol::Terminal(i)] });
        }
        for (r, &lhs) in n.merged.ids().zip(&slots) {
            cfg.productions.extend(members(r).map(|t| Production { lhs, rhs: vec![Symbol::Terminal(t), gap_symbol] }));
        }
        let root = cfg.fresh();
        let rhs = vec![gap_symbol, Symbol::Nonterminal(cfg.start)];
        cfg.productions.push(Production { lhs: root, rhs });
        cfg.start = root;
        language(&cfg, max)
    }

    fn any_config() -> impl Strategy<Value = NormalizeConfig> {
        (any::<[bool; 5]>(), 0usize..6).prop_map(|(on, unit_bypass)| NormalizeConfig {
            global_ignore: on[0],
            split: on[1],
            right_recursion: on[2],
            inline: on[3],
            merge_terminals: on[4],
            unit_bypass,
            ..NormalizeConfig::default()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn every_configuration_keeps_the_language(g in any_grammar(), config in any_config()) {
            let wanted = reference_language(&g, 4);
            match normalize(&g, &config) {
                Ok(n) => {
                    prop_assert_eq!(n.check_invariants(), Ok(()));
                    prop_assert_eq!(denoted(&n, 4), wanted);
                }
                Err(error) => {
                    prop_assert!(error.to_string().contains("the language is empty"), "{}", error);
                    prop_assert!(wanted.is_empty());
                }
            }
        }

        #[test]
        fn empty_terminals_are_unproductive(g in any_grammar()) {
            let wanted: BTreeSet<Word> = reference_language(&g, 4).into_iter().filter(|w| !w.contains(&0)).collect();
            let config = NormalizeConfig { empty_terminals: vec![TerminalId(0)], ..NormalizeConfig::default() };
            match normalize(&g, &config) {
                Ok(n) => prop_assert_eq!(denoted(&n, 4), wanted),
                Err(_) => prop_assert!(wanted.is_empty()),
            }
        }
    }
}
