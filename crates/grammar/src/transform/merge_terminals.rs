//! Merges terminals that the grammar cannot tell apart.
//!
//! t and u merge iff their sets of contexts (A, α, β), over *single* occurrences A → α • β, are equal. Replacing all
//! occurrences at once would be wrong: in `'` W `'` | `"` W `"` the quotes have equal contexts up to themselves and must
//! not merge. A merge may make other contexts equal, so it is repeated. Contexts are compared exactly, as pairs of nodes
//! in a trie of prefixes and one of suffixes.

use glrmask_automata::{Id, IndexVec, NonterminalId, Symbol, TerminalId};
use rustc_hash::FxHashMap;

use super::trie::{Node, Trie};
use super::Cfg;

/// Rounds are bounded; stopping early is always sound.
const MAX_ROUNDS: usize = 32;

/// Rewrites the grammar by representatives and returns the representative of each of `terminals` terminals (the least
/// id of its class). Terminals merge only within the same `kind`; `None` keeps a terminal out. Each round is linear up
/// to sorting contexts.
pub fn merge_terminals<K: Eq + std::hash::Hash>(
    cfg: &mut Cfg,
    terminals: usize,
    kind: impl Fn(TerminalId) -> Option<K>,
) -> IndexVec<TerminalId, TerminalId> {
    let mut merged: IndexVec<TerminalId, TerminalId> = (0..terminals).map(TerminalId::from_usize).collect();
    for _ in 0..MAX_ROUNDS {
        let round = classes(cfg, terminals, &kind);
        if round.iter_enumerated().all(|(t, r)| t == *r) {
            break;
        }
        merged.iter_mut().for_each(|t| *t = round[*t]);
        for symbol in cfg.productions.iter_mut().flat_map(|p| &mut p.rhs) {
            if let Symbol::Terminal(t) = symbol {
                *t = round[*t];
            }
        }
        cfg.dedup();
    }
    merged
}

/// Representatives by equal context sets, one round.
fn classes<K: Eq + std::hash::Hash>(
    cfg: &Cfg,
    terminals: usize,
    kind: impl Fn(TerminalId) -> Option<K>,
) -> IndexVec<TerminalId, TerminalId> {
    let mut first: FxHashMap<_, TerminalId> = FxHashMap::default();
    let mut round: IndexVec<TerminalId, TerminalId> = IndexVec::new();
    for (t, contexts) in contexts(cfg, terminals).into_iter().enumerate() {
        let t = TerminalId::from_usize(t);
        round.push(match kind(t) {
            Some(kind) if !contexts.is_empty() => *first.entry((kind, contexts)).or_insert(t),
            _ => t,
        });
    }
    round
}

/// The sorted contexts of each terminal.
fn contexts(cfg: &Cfg, terminals: usize) -> Vec<Vec<(NonterminalId, Node, Node)>> {
    let (mut prefixes, mut suffixes) = (Trie::default(), Trie::default());
    let mut contexts = vec![Vec::new(); terminals];
    let mut after: Vec<Node> = Vec::new();
    for production in &cfg.productions {
        after.clear();
        after.push(Trie::ROOT);
        for symbol in production.rhs.iter().rev() {
            after.push(suffixes.child(after[after.len() - 1], *symbol));
        }
        after.pop(); // Now popping gives what follows the first symbol, the second, …
        let mut before = Trie::ROOT;
        for symbol in &production.rhs {
            let rest = after.pop().unwrap_or(Trie::ROOT);
            if let Symbol::Terminal(t) = symbol {
                contexts[t.index()].push((production.lhs, before, rest));
            }
            before = prefixes.child(before, *symbol);
        }
    }
    for list in &mut contexts {
        list.sort_unstable();
        list.dedup();
    }
    contexts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{any_cfg, cfg, language, Word};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn merge(text: &str) -> Vec<u32> {
        merge_terminals(&mut cfg(text), 4, |_| Some(())).iter().map(|t| t.0).collect()
    }

    #[test]
    fn interchangeable_terminals_merge() {
        assert_eq!(merge("0: a c | b c"), [0, 0, 2, 3]);
        // Only after a = b are c and d alike.
        assert_eq!(merge("0: a c | b c | a d | b d"), [0, 0, 2, 2]);
        assert_eq!(merge("0: a 1 a | b 1 b; 1: c"), [0, 1, 2, 3]);
        assert_eq!(merge("0: a a | b a | a b"), [0, 1, 2, 3]);
        assert_eq!(merge("0: a a | b a | a b | b b"), [0, 0, 2, 3]);
    }

    #[test]
    fn kinds_stay_apart() {
        let merged = merge_terminals(&mut cfg("0: a | b | c | d"), 4, |t| (t.0 != 3).then_some(t.0 / 2));
        assert_eq!(merged.as_slice(), [0, 0, 2, 3].map(TerminalId));
    }

    /// All words whose representatives spell `word`.
    fn expand(word: &Word, merged: &IndexVec<TerminalId, TerminalId>) -> Vec<Word> {
        word.iter().fold(vec![Vec::new()], |words, &r| {
            let members = merged.iter_enumerated().filter(|(_, m)| m.0 == u32::from(r)).map(|(t, _)| t.0 as u8);
            members.flat_map(|t| words.iter().map(move |w| [w.as_slice(), &[t]].concat())).collect()
        })
    }

    proptest! {
        #[test]
        fn the_merged_language_expands_to_the_language(g in any_cfg()) {
            let mut m = g.clone();
            let merged = merge_terminals(&mut m, 4, |_| Some(()));
            let expanded: BTreeSet<Word> = language(&m, 4).iter().flat_map(|w| expand(w, &merged)).collect();
            prop_assert_eq!(expanded, language(&g, 4));
        }
    }
}
