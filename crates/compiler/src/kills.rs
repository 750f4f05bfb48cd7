//! Kill sets: whose longer match forbids a shorter one.
//!
//! K(t) always holds t. The keyword rule adds t′ where t is a finite set of words that are all words of t′, t′ consists of
//! identifier characters only, and some parser state accepts both: so `returnx` is not read as `return x`. Lexer groups
//! add each other's members. K stays within a scope and leaves ignored terminals out; a member that never matches longer
//! than a word of t is dropped. Source: `docs/semantics.md`, section 2.

use std::sync::Arc;

use glrmask_automata::{Dfa, Id, IndexVec, Limits, TerminalId};
use glrmask_glr::{LrState, Tables};
use glrmask_grammar::Grammar;

use crate::error::CompileError;
use crate::terminals::Compiled;

/// The kill set of each terminal, without the terminal itself, sorted.
pub type KillSets = IndexVec<TerminalId, Vec<TerminalId>>;

/// Which terminals compete, and which would.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rivals {
    /// The kill sets.
    pub(crate) kills: KillSets,
    /// Pairs (t, t′) for which t′ ∈ K(t) as soon as some parser state accepts both. Only looked for if asked.
    pub(crate) apart: Vec<(TerminalId, TerminalId)>,
}

/// Finds the kill sets.
///
/// # Errors
/// A product of automata over the limits.
pub(crate) fn kill_sets(
    grammar: &Grammar,
    compiled: &IndexVec<TerminalId, Compiled>,
    merged: &IndexVec<TerminalId, TerminalId>,
    tables: &Tables,
    limits: &Limits,
    find_apart: bool,
) -> Result<Rivals, CompileError> {
    let mut kills: KillSets = IndexVec::from_elem(Vec::new(), grammar.terminals.len());
    let mut apart = Vec::new();
    groups(grammar, &mut kills);
    let longer: Vec<(TerminalId, Arc<Dfa>)> = identifier_like(grammar, compiled);
    for (t, terminal) in grammar.terminals.iter_enumerated() {
        let scope = &grammar.scopes[terminal.scope];
        if longer.is_empty() || !scope.keywords || is_ignored(grammar, t) || !compiled[t].is_identifier_like() {
            continue;
        }
        if compiled[t].is_empty() || !compiled[t].is_finite() {
            continue;
        }
        let (word, companions) = (compiled[t].a_word(), companions(tables, merged[t]));
        for (other, dfa) in longer.iter().filter(|(o, _)| *o != t && grammar.terminals[*o].scope == terminal.scope) {
            let together = has(&companions, merged[*other]);
            // One word tells most pairs apart.
            if (together || find_apart) && dfa.accepts(&word) && contains(dfa, &compiled[t], &terminal.name, limits)? {
                match together {
                    true => kills[t].push(*other),
                    false if can_outgrow(compiled, t, *other) => apart.push((t, *other)),
                    false => {}
                }
            }
        }
    }
    for (t, set) in kills.ids().zip(std::mem::take(&mut kills).iter()) {
        let mut set: Vec<TerminalId> = set.iter().copied().filter(|&k| k != t && can_outgrow(compiled, t, k)).collect();
        set.sort_unstable();
        set.dedup();
        kills.push(set);
    }
    Ok(Rivals { kills, apart })
}

fn groups(grammar: &Grammar, kills: &mut KillSets) {
    for scope in grammar.scopes.iter() {
        for group in &scope.groups {
            for &t in group {
                kills[t].extend(group.iter().filter(|&&k| grammar.terminals[k].scope == grammar.terminals[t].scope));
            }
        }
    }
}

fn is_ignored(grammar: &Grammar, t: TerminalId) -> bool {
    grammar.scopes.iter().any(|scope| scope.ignore.contains(&t))
}

/// Terminals of identifier characters with more than one word: candidates for the longer match.
fn identifier_like(grammar: &Grammar, compiled: &IndexVec<TerminalId, Compiled>) -> Vec<(TerminalId, Arc<Dfa>)> {
    let candidate = |t: &TerminalId| {
        let has_words = matches!(compiled[*t], Compiled::Automaton(_)) && !compiled[*t].is_empty();
        has_words && compiled[*t].is_identifier_like() && !is_ignored(grammar, *t)
    };
    grammar.terminals.ids().filter(candidate).map(|t| (t, compiled[t].to_dfa())).collect()
}

/// The terminals on which some state has an action that has one on `t`, as bits. Time: the states, and the words of those
/// sets in which `t` is.
pub(crate) fn companions(tables: &Tables, t: TerminalId) -> Vec<u64> {
    let mut all = Vec::new();
    for words in (0..tables.states() as u32).map(|s| tables.actionable_words(LrState(s))).filter(|words| has(words, t))
    {
        all.resize(words.len().max(all.len()), 0);
        all.iter_mut().zip(words).for_each(|(all, more)| *all |= more);
    }
    all
}

/// Whether a terminal is in a set of bits.
pub(crate) fn has(words: &[u64], t: TerminalId) -> bool {
    words.get(t.index() / 64).is_some_and(|word| word >> (t.index() % 64) & 1 == 1)
}

/// Whether every word of `short` is one of `long`, which has one of them.
fn contains(long: &Dfa, short: &Compiled, name: &str, limits: &Limits) -> Result<bool, CompileError> {
    match short {
        Compiled::Automaton(short) => short.is_subset(long, limits).map_err(|e| CompileError::terminal(name, e)),
        Compiled::Literal(_) | Compiled::Tokens { .. } => Ok(true),
    }
}

/// Pairs of states beyond which [`can_outgrow`] gives up.
const PAIRS: usize = 200_000;

/// Whether some word of `k` is longer than a word of `t` that it begins with. Also true if that takes too long to tell: a
/// member of a kill set that never matches longer leaves no condition and changes nothing.
fn can_outgrow(compiled: &IndexVec<TerminalId, Compiled>, t: TerminalId, k: TerminalId) -> bool {
    let (short, long) = (compiled[t].to_dfa(), compiled[k].to_dfa());
    let mut seen = rustc_hash::FxHashSet::from_iter([(short.start(), long.start())]);
    let mut work = vec![(short.start(), long.start())];
    while let Some((a, b)) = work.pop() {
        if short.is_accepting(a) && !long.future(b).is_empty() || seen.len() > PAIRS {
            return true;
        }
        for (bytes, next) in short.transitions(a) {
            for byte in bytes.iter() {
                let other = long.next(b, byte);
                if other != Dfa::DEAD && seen.insert((next, other)) {
                    work.push((next, other));
                }
            }
        }
    }
    false
}
