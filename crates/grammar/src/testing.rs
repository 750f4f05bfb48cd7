//! What the tests compare with: a plain enumerator of all short strings of a grammar, and random grammars.

use std::collections::BTreeSet;

use glrmask_automata::{NonterminalId, Regex, Symbol, TerminalId};
use proptest::prelude::*;

use crate::ir::{Grammar, Nonterminal, Pattern, Production, Scope, ScopeId, Terminal};
use crate::transform::ignore::ignore;
use crate::transform::Cfg;

/// A string of terminals.
pub(crate) type Word = Vec<u8>;
/// Words by length.
type Words = Vec<BTreeSet<Word>>;

/// All words of at most `max` terminals, by iterating the productions until nothing is new.
pub(crate) fn language(cfg: &Cfg, max: usize) -> BTreeSet<Word> {
    words(cfg, max, |_, symbols| symbols)
}

/// The definition of scoped ignores: ignored lexemes at every position of every production.
pub(crate) fn reference_language(grammar: &Grammar, max: usize) -> BTreeSet<Word> {
    let cfg = Cfg {
        start: grammar.start,
        nonterminals: grammar.nonterminals.len(),
        productions: grammar.productions.clone(),
    };
    words(&cfg, max, |lhs, parts| {
        let ignored = &grammar.scopes[grammar.nonterminals[lhs].scope].ignore;
        let any = closure(&ignored.iter().map(|t| vec![t.0 as u8]).collect::<Vec<_>>(), max);
        parts.into_iter().flat_map(|part| [any.clone(), part]).chain([any.clone()]).collect()
    })
}

fn words(cfg: &Cfg, max: usize, spaced: impl Fn(NonterminalId, Vec<Words>) -> Vec<Words>) -> BTreeSet<Word> {
    let mut known: Vec<Words> = vec![vec![BTreeSet::new(); max + 1]; cfg.nonterminals];
    loop {
        let mut grown = false;
        for p in &cfg.productions {
            let parts = p.rhs.iter().map(|s| match s {
                Symbol::Terminal(t) => single(vec![t.0 as u8], max),
                Symbol::Nonterminal(n) => known[n.0 as usize].clone(),
            });
            let parts = spaced(p.lhs, parts.collect());
            let derived = parts.iter().fold(single(Vec::new(), max), |left, right| concat(&left, right, max));
            for (old, new) in known[p.lhs.0 as usize].iter_mut().zip(derived) {
                let before = old.len();
                old.extend(new);
                grown |= old.len() > before;
            }
        }
        if !grown {
            return known.swap_remove(cfg.start.0 as usize).into_iter().flatten().collect();
        }
    }
}

fn single(word: Word, max: usize) -> Words {
    let mut words = vec![BTreeSet::new(); max + 1];
    if let Some(set) = words.get_mut(word.len()) {
        set.insert(word);
    }
    words
}

fn concat(left: &Words, right: &Words, max: usize) -> Words {
    let mut out = vec![BTreeSet::new(); max + 1];
    for (i, a) in left.iter().enumerate() {
        for (j, b) in right.iter().enumerate().take(max + 1 - i) {
            out[i + j].extend(a.iter().flat_map(|x| b.iter().map(move |y| [x.as_slice(), y].concat())));
        }
    }
    out
}

/// All words over one-letter words.
fn closure(letters: &[Word], max: usize) -> Words {
    let mut words = single(Vec::new(), max);
    for n in 0..max {
        let longer = words[n].iter().flat_map(|w| letters.iter().map(move |l| [w.as_slice(), l].concat()));
        words[n + 1] = longer.collect();
    }
    words
}

/// Reads `0: a 1 | b; 1: c |`: digits are nonterminals, letters terminals, 0 is the start symbol.
pub(crate) fn cfg(text: &str) -> Cfg {
    let mut cfg = Cfg { start: NonterminalId(0), nonterminals: 1, productions: Vec::new() };
    for rule in text.split(';') {
        let (lhs, bodies) = rule.split_once(':').expect("a rule has a colon");
        let lhs = NonterminalId(lhs.trim().parse().expect("a rule starts with its number"));
        for body in bodies.split('|') {
            let rhs: Vec<Symbol> = body.split_whitespace().map(symbol).collect();
            cfg.productions.push(Production { lhs, rhs });
        }
    }
    let used = cfg.productions.iter().flat_map(|p| p.nonterminals().chain([p.lhs]));
    cfg.nonterminals = used.map(|n| n.0 as usize + 1).max().unwrap_or(1);
    cfg
}

fn symbol(text: &str) -> Symbol {
    match text.parse() {
        Ok(n) => Symbol::Nonterminal(NonterminalId(n)),
        Err(_) => Symbol::Terminal(TerminalId(u32::from(text.as_bytes()[0] - b'a'))),
    }
}

fn any_symbol() -> impl Strategy<Value = Symbol> {
    prop_oneof![
        (0u32..3).prop_map(|t| Symbol::Terminal(TerminalId(t))),
        (0u32..4).prop_map(|n| Symbol::Nonterminal(NonterminalId(n)))
    ]
}

fn any_productions() -> impl Strategy<Value = Vec<Production>> {
    let body = prop_oneof![
        4 => proptest::collection::vec(any_symbol(), 0..4),
        1 => proptest::collection::vec(any_symbol(), 4..7)
    ];
    let production = (0u32..4, body).prop_map(|(lhs, rhs)| Production { lhs: NonterminalId(lhs), rhs });
    proptest::collection::vec(production, 1..11)
}

/// A random grammar of up to ten productions, four nonterminals and three terminals.
pub(crate) fn any_cfg() -> impl Strategy<Value = Cfg> {
    any_productions().prop_map(|productions| Cfg { start: NonterminalId(0), nonterminals: 4, productions })
}

/// A random grammar with up to three scopes and random ignores; terminal i is the literal of the i-th letter.
pub(crate) fn any_grammar() -> impl Strategy<Value = Grammar> {
    let scopes = prop_oneof![Just(vec![0u32; 4]), proptest::collection::vec(0u32..3, 4)];
    let ignores = proptest::collection::vec(proptest::collection::btree_set(0u32..3, 0..2), 3);
    (any_productions(), scopes, ignores).prop_map(|(productions, scopes, ignores)| Grammar {
        terminals: (0..3u8).map(|i| letter(b'a' + i)).collect(),
        nonterminals: (0..4).map(|i| nonterminal(i, scopes[i])).collect(),
        productions,
        scopes: ignores.iter().enumerate().map(|(i, ignored)| scope(i, ignored)).collect(),
        start: NonterminalId(0),
        slots: Vec::new(),
        marks: Vec::new(),
        instance: None,
        documents: Vec::new(),
    })
}

fn letter(byte: u8) -> Terminal {
    let name = char::from(byte).to_string();
    Terminal { name, pattern: Pattern::Literal(vec![byte]), scope: ScopeId(0), span: None }
}
fn nonterminal(i: usize, scope: u32) -> Nonterminal {
    Nonterminal { name: format!("n{i}"), scope: ScopeId(scope), span: None }
}
fn scope(i: usize, ignored: &BTreeSet<u32>) -> Scope {
    let name = if i == 0 { String::new() } else { format!("s{i}") };
    Scope { name, ignore: ignored.iter().map(|&t| TerminalId(t)).collect(), ..Scope::default() }
}

/// Whether some lexing of `text` is derived: spans per nonterminal to the fixpoint, no longest-match rule.
pub(crate) fn recognizes(grammar: &Grammar, text: &[u8]) -> bool {
    let (cfg, _) = ignore(grammar, false, |_| true);
    let lexemes: Vec<BTreeSet<(usize, usize)>> = grammar.terminals.iter().map(|t| matches(&t.pattern, text)).collect();
    let mut spans: Vec<BTreeSet<(usize, usize)>> = vec![BTreeSet::new(); cfg.nonterminals];
    loop {
        let before: usize = spans.iter().map(BTreeSet::len).sum();
        for p in &cfg.productions {
            let mut found: BTreeSet<(usize, usize)> = (0..=text.len()).map(|i| (i, i)).collect();
            for symbol in &p.rhs {
                let next = match symbol {
                    Symbol::Terminal(t) => &lexemes[t.0 as usize],
                    Symbol::Nonterminal(n) => &spans[n.0 as usize],
                };
                found = found
                    .iter()
                    .flat_map(|&(i, j)| next.range((j, 0)..(j + 1, 0)).map(move |&(_, k)| (i, k)))
                    .collect();
            }
            spans[p.lhs.0 as usize].extend(found);
        }
        if spans.iter().map(BTreeSet::len).sum::<usize>() == before {
            return spans[cfg.start.0 as usize].contains(&(0, text.len()));
        }
    }
}

/// Where a pattern matches (never the empty string).
fn matches(pattern: &Pattern, text: &[u8]) -> BTreeSet<(usize, usize)> {
    let regex = match pattern {
        Pattern::Literal(bytes) => Regex::literal(bytes),
        Pattern::LiteralIgnoreCase(text) => Regex::literal_ignore_case(text),
        Pattern::Regex(regex) => regex.clone(),
        Pattern::ExactTokens(_) => Regex::empty(),
    };
    let dfa = regex.compile(&Default::default()).expect("a small regex");
    let all = (0..text.len()).flat_map(|i| (i + 1..=text.len()).map(move |j| (i, j)));
    all.filter(|&(i, j)| dfa.accepts(&text[i..j])).collect()
}
