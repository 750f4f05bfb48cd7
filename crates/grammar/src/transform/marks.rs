//! Markers: texts without them, and texts with exactly one of them picked out.
//!
//! A marker derives the empty string, so the language is that of the grammar with all markers erased. To tell where a
//! marker may stand in a text, it is enough to look at one occurrence at a time: in the *picked* grammar every text has
//! exactly one marker left, as a terminal of its own, and all others erased. From each nonterminal A that can hold a marker
//! it makes A′, A with one picked:
//!
//! ```text
//! A → X₁ … Xₖ   gives   A′ → X₁ … Xᵢ′ … Xₖ   for each Xᵢ that can hold a marker, where (@mark(n))′ is the terminal
//! ```
//!
//! That is quadratic in k, so a long right-hand side is chopped before: `P₁ → X₁`, `P₂ → P₁ X₂`, …, which gives
//! `P₂′ → P₁′ X₂ | P₁ X₂′`, … Left-nested, as in `split`, so that the parser reduces as it goes.
//!
//! So a parser of the picked grammar reads a marker at most once and needs no closure over repeated ones: `(@mark(1))*` is
//! no different from `@mark(1)?`. Ignored text may stand on both sides of a marker, as it may between any two atoms.

use glrmask_automata::{Id, IndexVec, NonterminalId, Symbol, TerminalId};
use rustc_hash::FxHashMap;

use super::Cfg;
use crate::diagnostic::GrammarError;
use crate::ir::{Grammar, Nonterminal, Pattern, Production, ScopeId, Terminal, ROOT_SCOPE};

/// A grammar in which each marker is a terminal, and the number of each.
pub(super) struct Picked {
    pub(super) grammar: Grammar,
    pub(super) markers: Vec<(TerminalId, u32)>,
}

/// The grammar without markers. Linear.
pub(super) fn erase(grammar: &Grammar) -> Grammar {
    let mut erased = grammar.clone();
    let marks = numbers(grammar);
    for production in &mut erased.productions {
        production.rhs.retain(|symbol| number(&marks, symbol).is_none());
    }
    erased.marks.clear();
    erased
}

/// Up to so many symbols that can hold a marker a right-hand side is not chopped.
const MAX_HOLDERS: usize = 2;

/// The grammar of texts with one marker picked; `None` if no text has one. Linear: each right-hand side is copied once for
/// every symbol in it that can hold a marker, of which there are few after chopping.
///
/// # Errors
/// More than `max_symbols` in the new productions.
pub(super) fn pick(grammar: &Grammar, max_symbols: usize) -> Result<Option<Picked>, GrammarError> {
    let marks = numbers(grammar);
    let holds = holds_marker(grammar, &marks);
    if !holds[grammar.start.index()] {
        return Ok(None);
    }
    let grammar = &chopped(grammar, &holds);
    let mut picked = erase(grammar);
    let markers = marker_terminals(&mut picked, &marks);
    let holds = holds_marker(grammar, &marks);
    let partners = partners(&mut picked, &holds, &marks);
    let mut symbols = 0;
    for Production { lhs, rhs } in &grammar.productions {
        let Some(&Symbol::Nonterminal(partner)) = partners.get(lhs) else { continue };
        for (at, symbol) in rhs.iter().enumerate() {
            let one = match (*symbol, number(&marks, symbol)) {
                (_, Some(number)) => markers.get(&number).map(|&t| Symbol::Terminal(t)),
                (Symbol::Nonterminal(n), None) => partners.get(&n).copied(),
                (Symbol::Terminal(_), None) => None,
            };
            let Some(one) = one else { continue };
            let rest = |part: &[Symbol]| -> Vec<Symbol> {
                part.iter().copied().filter(|s| number(&marks, s).is_none()).collect()
            };
            let rhs = [rest(&rhs[..at]), vec![one], rest(&rhs[at + 1..])].concat();
            symbols += rhs.len();
            if symbols > max_symbols {
                return Err(GrammarError::limit("symbols in productions with a marker", max_symbols, symbols, None));
            }
            picked.productions.push(Production { lhs: partner, rhs });
        }
    }
    if let Some(&Symbol::Nonterminal(start)) = partners.get(&grammar.start) {
        picked.start = start;
    }
    let markers = markers.into_iter().map(|(number, terminal)| (terminal, number)).collect();
    Ok(Some(Picked { grammar: picked, markers }))
}

/// The grammar with at most [`MAX_HOLDERS`] symbols that can hold a marker in any right-hand side. Equal beginnings are
/// shared. Linear.
fn chopped(grammar: &Grammar, holds: &[bool]) -> Grammar {
    let holder = |s: &Symbol| matches!(s, Symbol::Nonterminal(n) if holds.get(n.index()) == Some(&true));
    let mut chopped = grammar.clone();
    let mut beginnings: FxHashMap<(ScopeId, Vec<Symbol>), NonterminalId> = FxHashMap::default();
    for at in 0..grammar.productions.len() {
        let Production { lhs, rhs } = &grammar.productions[at];
        if rhs.iter().filter(|s| holder(s)).count() <= MAX_HOLDERS {
            continue;
        }
        let whole = &grammar.nonterminals[*lhs];
        let mut body: Vec<Symbol> = Vec::new();
        for chunk in rhs.split_inclusive(holder) {
            if body.len() > 1 {
                let beginning = *beginnings.entry((whole.scope, body)).or_insert_with_key(|(_, body)| {
                    let name = format!("beginning of {}", whole.name);
                    let lhs = chopped.nonterminals.push(Nonterminal { name, ..whole.clone() });
                    chopped.productions.push(Production { lhs, rhs: body.clone() });
                    lhs
                });
                body = vec![Symbol::Nonterminal(beginning)];
            }
            body.extend_from_slice(chunk);
        }
        chopped.productions[at].rhs = body;
    }
    chopped
}

type Numbers = FxHashMap<NonterminalId, u32>;

fn numbers(grammar: &Grammar) -> Numbers {
    grammar.marks.iter().map(|mark| (mark.nonterminal, mark.id)).collect()
}

fn number(marks: &Numbers, symbol: &Symbol) -> Option<u32> {
    match symbol {
        Symbol::Nonterminal(n) => marks.get(n).copied(),
        Symbol::Terminal(_) => None,
    }
}

/// A terminal for each number, of a kind that nothing else is: no bytes, and not to be merged.
fn marker_terminals(grammar: &mut Grammar, marks: &Numbers) -> FxHashMap<u32, TerminalId> {
    let mut distinct: Vec<u32> = marks.values().copied().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let terminal = |number: u32| Terminal {
        name: format!("@mark({number})"),
        pattern: Pattern::ExactTokens(vec![number]),
        scope: ROOT_SCOPE,
        span: None,
    };
    distinct.into_iter().map(|number| (number, grammar.terminals.push(terminal(number)))).collect()
}

/// Which nonterminals can derive something with a marker: those that reach one.
fn holds_marker(grammar: &Grammar, marks: &Numbers) -> Vec<bool> {
    let (start, nonterminals) = (grammar.start, grammar.nonterminals.len());
    let cfg = Cfg { start, nonterminals, productions: grammar.productions.clone() };
    let occurrences = cfg.occurrences();
    let mut holds = vec![false; nonterminals];
    let mut work: Vec<NonterminalId> = marks.keys().copied().collect();
    while let Some(n) = work.pop() {
        if !std::mem::replace(&mut holds[n.index()], true) {
            work.extend(occurrences.get(n.index()).iter().map(|&i| cfg.productions[i as usize].lhs));
        }
    }
    holds
}

/// A′ for each A that can hold a marker and is none.
fn partners(grammar: &mut Grammar, holds: &[bool], marks: &Numbers) -> FxHashMap<NonterminalId, Symbol> {
    let all: IndexVec<NonterminalId, Nonterminal> = grammar.nonterminals.clone();
    let wanted = all.iter_enumerated().filter(|(n, _)| holds[n.index()] && !marks.contains_key(n));
    wanted
        .map(|(n, original)| {
            let partner = Nonterminal { name: format!("{} with a marker", original.name), ..original.clone() };
            (n, Symbol::Nonterminal(grammar.nonterminals.push(partner)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glrm;
    use crate::testing::{language, Word};
    use std::collections::BTreeSet;

    fn words(grammar: &Grammar, max: usize) -> BTreeSet<Word> {
        let (start, nonterminals) = (grammar.start, grammar.nonterminals.len());
        language(&Cfg { start, nonterminals, productions: grammar.productions.clone() }, max)
    }

    /// Each marker as a terminal, any number of them left: the picked grammar by its definition.
    fn picked_by_definition(grammar: &Grammar, max: usize) -> BTreeSet<Word> {
        let mut spelled = grammar.clone();
        let numbers = numbers(grammar);
        let terminals = marker_terminals(&mut spelled, &numbers);
        let productions = numbers.iter().map(|(&lhs, n)| Production { lhs, rhs: vec![Symbol::Terminal(terminals[n])] });
        spelled.productions.extend(productions);
        let is_marker = |letter: u8| terminals.values().any(|t| t.0 == u32::from(letter));
        let one = |word: &Word| word.iter().filter(|&&letter| is_marker(letter)).count() == 1;
        words(&spelled, max).into_iter().filter(one).collect()
    }

    const GRAMMARS: [&str; 11] = [
        "nt s = @mark(1) \"a\"? @mark(2) \"b\"? @mark(1) \"a\"? @mark(3);",
        "nt s = x \"a\" x x \"b\" | x \"a\" x x x; nt x = @mark(1) | eps;",
        "nt s = @mark(1) s @mark(2) s @mark(3) \"b\" | @mark(1) s @mark(2) \"a\" @mark(3) | eps;",
        "nt s = @mark(1) \"a\" @mark(2) \"b\";",
        "nt s = @mark(1)* \"a\"? @mark(1);",
        "nt s = @mark(3) s \"b\" | \"b\";",
        "nt s = s @mark(1) s | \"a\" | @mark(1);",
        "nt s = x x; nt x = @mark(1) | \"a\" x @mark(2) | eps;",
        "nt s = x | \"c\"; nt x = y @mark(9) \"a\" | y; nt y = (@mark(1) y | \"b\")?;",
        "nt s = (\"a\" @mark(1) @mark(2) | @mark(2))+;",
        "nt s = x; nt x = \"a\" @mark(5) dead | \"b\"; nt dead = \"a\" dead @mark(6);",
    ];

    #[test]
    fn the_picked_grammar_is_the_definition() {
        for text in GRAMMARS {
            let grammar = glrm::parse(&format!("start s; {text}")).expect("a valid grammar");
            let found = pick(&grammar, 1_000).expect("small").map(|picked| words(&picked.grammar, 5));
            assert_eq!(found.unwrap_or_default(), picked_by_definition(&grammar, 5), "{text}");
        }
    }

    #[test]
    fn erasing_keeps_the_language() {
        for text in GRAMMARS {
            let grammar = glrm::parse(&format!("start s; {text}")).expect("a valid grammar");
            assert_eq!(words(&erase(&grammar), 5), words(&grammar, 5), "{text}");
        }
    }

    #[test]
    fn no_marker_picks_nothing_and_too_many_are_an_error() {
        let grammar = |text: &str| glrm::parse(&format!("start s; {text}")).expect("a valid grammar");
        assert!(pick(&grammar("nt s = \"a\"; nt x = @mark(1);"), 100).is_ok_and(|picked| picked.is_none()));
        let wide = |n| grammar(&format!("nt s = {};", "@mark(1) \"a\"? ".repeat(n)));
        assert!(pick(&wide(50), 100).is_err_and(|e| e.to_string().contains("with a marker")));
        // Linear in the length.
        for n in [50, 500, 5_000] {
            assert!(pick(&wide(n), 10 * n).is_ok_and(|picked| picked.is_some()));
        }
    }
}
