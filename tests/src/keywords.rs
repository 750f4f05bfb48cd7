//! The keyword rule, apart from the compiler: which pairs must compete, and which may.
//!
//! `t′ ∈ K(t)` when t is a finite set of words, all of them words of t′, t′ is made of identifier characters, neither is
//! ignored, both belong to one scope, *and some parser state accepts both*. The last part depends on the table: a coarser
//! one joins states. So there are two answers: pairs that a canonical LR(1) state accepts together, which every table
//! must join, and pairs that no table of any equivalent grammar can join, because nothing in the language has both next
//! to the same terminal or at the beginning. Between the two, the rule is the compiler's to decide.

use std::collections::BTreeSet;

use glrmask_automata::TerminalId;

use crate::dfa::Dfa;
use crate::lr1::actions;
use crate::plain::Plain;
use crate::spec::Spec;
use crate::TooLarge;

/// Pairs (t, t′) with t′ ∈ K(t) by the keyword rule.
pub type Pairs = BTreeSet<(TerminalId, TerminalId)>;

/// What every table must find, and what some table might.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Pairs that every table joins.
    pub certain: Pairs,
    /// Pairs that a table can join at all.
    pub possible: Pairs,
}

/// The most words of a finite terminal.
const WORD_LIMIT: usize = 64;

/// Both bounds for `spec`.
pub fn bounds(spec: &Spec) -> Result<Bounds, TooLarge> {
    let eligible = eligible(spec)?;
    if eligible.is_empty() {
        return Ok(Bounds { certain: Pairs::new(), possible: Pairs::new() });
    }
    let plain = Plain::new(spec)?;
    let joined = |sets: &[BTreeSet<TerminalId>]| -> Pairs {
        let together = |&(t, u): &(TerminalId, TerminalId)| sets.iter().any(|set| set.contains(&t) && set.contains(&u));
        eligible.iter().copied().filter(together).collect()
    };
    let certain = joined(&actions(&plain)?);
    // Scoped ignore is rewritten into productions, which may join more states than the productions as written.
    let possible = if spec.scopes.len() > 1 { eligible.clone() } else { joined(&plain.neighbourhoods()) };
    Ok(Bounds { certain, possible })
}

/// Does some word of `k` go on where a word of `t` ends? (If not, k in K(t) means nothing.)
pub fn can_outgrow(spec: &Spec, t: TerminalId, k: TerminalId) -> Result<bool, TooLarge> {
    let (Some(short), Some(long)) = (spec.text(t), spec.text(k)) else { return Ok(false) };
    let (short, long) = (Dfa::new(short)?, Dfa::new(long)?);
    let (mut seen, mut work) = (BTreeSet::new(), vec![(0, 0)]);
    while let Some((p, q)) = work.pop() {
        if !seen.insert((p, q)) {
            continue;
        }
        if p != 0 && short.is_accepting(p) && long.has_future(q) {
            return Ok(true);
        }
        work.extend((0..=255).filter_map(|byte| Some((short.next(p, byte)?, long.next(q, byte)?))));
    }
    Ok(false)
}

/// Pairs that satisfy all but the last condition.
fn eligible(spec: &Spec) -> Result<Pairs, TooLarge> {
    let competes = |&t: &TerminalId| spec.scopes[spec.terminals[t].scope].keywords && !spec.is_ignored(t);
    let mut pairs = Pairs::new();
    let mut automata = Vec::new();
    for t in spec.terminals.ids().filter(competes) {
        if let Some(rx) = spec.text(t) {
            automata.push((t, Dfa::new(rx)?));
        }
    }
    for (t, automaton) in &automata {
        let Some(words) = automaton.words(WORD_LIMIT) else { continue };
        for (other, wider) in &automata {
            let same_scope = spec.terminals[*t].scope == spec.terminals[*other].scope;
            let covers = wider.bytes().into_iter().all(is_identifier) && words.iter().all(|word| wider.matches(word));
            if t != other && same_scope && covers {
                pairs.insert((*t, *other));
            }
        }
    }
    Ok(pairs)
}

fn is_identifier(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::{bounds, can_outgrow, Pairs};
    use crate::generate::{read_shape, spec};
    use crate::regex_syntax::parse;
    use crate::rng::Rng;
    use crate::spec::Spec;
    use glrmask_automata::TerminalId;
    use glrmask_grammar::ROOT_SCOPE;

    /// A grammar in which w, x, y, z stand for `patterns`.
    fn grammar(shape: &str, patterns: &[&str]) -> Spec {
        let terminals = patterns.iter().map(|p| (format!("/{p}/"), parse(p).unwrap())).collect();
        let mut spec = Spec::new(terminals, 3, read_shape(shape, &[0, 1, 2, 3]));
        spec.scopes[ROOT_SCOPE].keywords = true;
        spec
    }

    fn pairs(list: &[(u32, u32)]) -> Pairs {
        list.iter().map(|&(t, u)| (TerminalId(t), TerminalId(u))).collect()
    }

    #[test]
    fn a_keyword_competes_with_the_identifier_beside_it() {
        let both = bounds(&grammar("A=wxz|yz;B=y", &["return", "[a-z]+", "[a-z_]+", ";"])).unwrap();
        assert_eq!((both.certain.clone(), both.possible), (pairs(&[(0, 2)]), pairs(&[(0, 2)])));
    }

    #[test]
    fn a_literal_that_stands_alone_keeps_its_meaning() {
        let both = bounds(&grammar("A=wx", &["user_", "[a-z_]+"])).unwrap();
        assert_eq!((both.certain, both.possible), (pairs(&[]), pairs(&[])));
    }

    #[test]
    fn words_infinite_sets_and_other_characters_do_not_compete() {
        for (left, right) in [("ab", "[a-z -]+"), ("a|b-", "[a-z]+"), ("a+", "[a-z]+"), ("do", "[a-c]+")] {
            assert!(bounds(&grammar("A=w|x", &[left, right])).unwrap().possible.is_empty(), "{left} {right}");
        }
        assert_eq!(bounds(&grammar("A=w|x", &["a|A", "[a-zA-Z]+"])).unwrap().certain.len(), 1);
    }

    #[test]
    fn outgrowing_needs_a_longer_word() {
        let spec = grammar("A=w|x|y|z", &["ab", "[a-z]+", "[ab]{2}", "b+"]);
        let grows = |t, k| can_outgrow(&spec, TerminalId(t), TerminalId(k)).unwrap();
        assert!(grows(0, 1) && grows(3, 1) && grows(3, 3) && !grows(0, 0) && !grows(0, 2) && !grows(3, 0));
    }

    #[test]
    fn ignored_terminals_are_left_out() {
        let mut spec = grammar("A=w|x", &["ab", "[a-z]+"]);
        spec.scopes[ROOT_SCOPE].ignore = vec![TerminalId(1)];
        assert!(bounds(&spec).unwrap().possible.is_empty());
    }

    #[test]
    fn certain_pairs_are_possible_and_mostly_equal() {
        let (mut decided, mut some) = (0, 0);
        for seed in 0..500 {
            let spec = spec(&mut Rng::new(seed));
            if let Ok(both) = bounds(&spec) {
                assert!(both.certain.is_subset(&both.possible), "seed {seed}\n{spec}");
                some += usize::from(!both.certain.is_empty());
                decided += usize::from(both.certain == both.possible);
            }
        }
        assert!(decided > 350 && some > 40, "{decided} decided, {some} with keywords");
    }
}
