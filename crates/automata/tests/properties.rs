//! Random expressions and automata against plain references.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use glrmask_automata::{AutomataError, Dfa, FingerprintKey, Id, Limits, Nfa, ParseConfig, Regex, StateId};
use proptest::prelude::*;
use support::{matches, regexes, words};

const KEY: FingerprintKey = FingerprintKey::new(7);

fn limits() -> Limits {
    Limits { states: 20_000, nfa_states: 100_000 }
}

fn compile(regex: &Regex) -> Dfa {
    regex.compile(&limits()).unwrap_or_else(|error| panic!("{regex}: {error}"))
}

/// Number of classes of Moore's refinement, the plain way: split by labels, then by successors, until nothing changes.
fn moore(dfa: &Dfa) -> usize {
    let mut class: Vec<usize> = dfa.states().map(|q| dfa.labels_id(q).index()).collect();
    loop {
        let mut number = BTreeMap::new();
        let refined: Vec<usize> = dfa
            .states()
            .map(|q| {
                let successors: Vec<Option<usize>> =
                    (0..=255).map(|b| class.get(dfa.next(q, b).index()).copied()).collect();
                let next = number.len();
                *number.entry((class[q.index()], successors)).or_insert(next)
            })
            .collect();
        if number.len() == class.iter().collect::<BTreeSet<_>>().len() {
            return number.len();
        }
        class = refined;
    }
}

/// An automaton for the same language with every state twice and edges into either copy.
fn doubled(dfa: &Dfa) -> Result<Nfa, AutomataError> {
    let mut nfa = Nfa::new(limits());
    let mut pair = |_| Ok([nfa.add_state()?, nfa.add_state()?]);
    let copies: Vec<[StateId; 2]> = dfa.states().map(&mut pair).collect::<Result<_, AutomataError>>()?;
    nfa.add_epsilon(nfa.start(), copies[0][1])?;
    for q in dfa.states() {
        for (side, &copy) in copies[q.index()].iter().enumerate() {
            if let [label] = *dfa.labels(q) {
                nfa.set_label(copy, label)?;
            }
            for (i, (set, target)) in dfa.transitions(q).enumerate() {
                nfa.add_edge(copy, &set, copies[target.index()][(side + i) % 2])?;
            }
        }
    }
    Ok(nfa)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn compiled_expressions_accept_what_matches(regex in regexes(true)) {
        let dfa = compile(&regex);
        prop_assert!(dfa.check_invariants().is_ok(), "{:?}\n{}", dfa.check_invariants(), dfa);
        prop_assert_eq!(moore(&dfa), dfa.len());
        prop_assert_eq!(regex.matches_empty(), dfa.accepts(b""));
        for word in words(b"abcx", 5) {
            prop_assert_eq!(dfa.accepts(&word), matches(&regex, &word), "{} on {:?}", regex, word);
        }
        if let Some(word) = regex.as_literal() {
            prop_assert_eq!(dfa.words(1), Some(vec![word]));
        }
    }

    #[test]
    fn printed_expressions_read_back(regex in regexes(false)) {
        let again = Regex::parse(&format!("(?s-u:{regex})"), &ParseConfig::default());
        let again = again.unwrap_or_else(|error| panic!("{regex}: {error}"));
        prop_assert_eq!(compile(&again), compile(&regex), "{} and {}", regex, again);
    }

    #[test]
    fn operations_agree_with_membership(a in regexes(true), b in regexes(true)) {
        let (x, y) = (compile(&a), compile(&b));
        let limits = limits();
        let (both, either) = (x.intersect(&y, &limits).unwrap(), x.union_plain(&y, &limits).unwrap());
        let (only, not) = (x.difference(&y, &limits).unwrap(), x.complement(&limits).unwrap());
        let (concat, star) = (x.concat(&y, &limits).unwrap(), x.star(&limits).unwrap());
        let (reverse, trimmed) = (x.reverse(&limits).unwrap(), x.without_empty());
        for dfa in [&both, &either, &only, &not, &concat, &star, &reverse, &trimmed] {
            prop_assert!(dfa.check_invariants().is_ok(), "{dfa}");
        }
        for word in words(b"abc", 4) {
            let (p, q) = (x.accepts(&word), y.accepts(&word));
            let mirrored: Vec<u8> = word.iter().rev().copied().collect();
            prop_assert_eq!((both.accepts(&word), either.accepts(&word)), (p && q, p || q));
            prop_assert_eq!((only.accepts(&word), not.accepts(&word)), (p && !q, !p));
            prop_assert_eq!((reverse.accepts(&mirrored), trimmed.accepts(&word)), (p, p && !word.is_empty()));
            let split = (0..=word.len()).any(|i| x.accepts(&word[..i]) && y.accepts(&word[i..]));
            prop_assert_eq!(concat.accepts(&word), split);
        }
        // Laws that hold between whole languages: the automata are equal, not only alike on short words.
        prop_assert_eq!(&not.complement(&limits).unwrap(), &x);
        prop_assert_eq!(&reverse.reverse(&limits).unwrap(), &x);
        prop_assert_eq!(&only.union_plain(&both, &limits).unwrap(), &x);
        prop_assert_eq!(&star, &compile(&a.star()));
        prop_assert_eq!(&concat, &compile(&Regex::concat([a, b])));
        prop_assert_eq!(x == y, x.fingerprint(KEY) == y.fingerprint(KEY));
        prop_assert_eq!(both == x, x.is_subset(&y, &limits).unwrap());
    }

    #[test]
    fn labelled_unions_report_labels_now_and_later(parts in proptest::collection::vec(regexes(true), 1..5)) {
        let dfas: Vec<Dfa> = parts.iter().map(compile).collect();
        let labelled: Vec<(&Dfa, u32)> = dfas.iter().zip([7, 3, 9, 3]).collect();
        let union = Dfa::union(&labelled, &limits()).unwrap();
        prop_assert!(union.check_invariants().is_ok());
        prop_assert_eq!(moore(&union), union.len());
        for word in words(b"abcx", 4) {
            let collect = |test: &dyn Fn(&Dfa, StateId) -> bool| -> Vec<u32> {
                let holds = |dfa: &Dfa| { let q = dfa.run(dfa.start(), &word); q != Dfa::DEAD && test(dfa, q) };
                let labels = labelled.iter().filter(|(dfa, _)| holds(dfa)).map(|&(_, label)| label);
                labels.collect::<BTreeSet<u32>>().into_iter().collect()
            };
            let q = union.run(union.start(), &word);
            prop_assert_eq!(union.labels(q), collect(&|dfa, q| dfa.is_accepting(q)));
            prop_assert_eq!(union.live(q), collect(&|dfa, q| !dfa.live(q).is_empty()));
            prop_assert_eq!(union.future(q), collect(&|dfa, q| !dfa.future(q).is_empty()));
        }
        let sevens = union.map_labels(|label| (label == 7).then_some(0));
        prop_assert_eq!(&sevens, &dfas[0]);
    }

    #[test]
    fn equal_residuals_are_equal_languages(a in regexes(true), b in regexes(true), more in 0u32..4) {
        // The same tail behind another head, and counted parts, whose ends are alike.
        let counted = Regex::concat([b.clone(), a.repeat(0, Some(more))]);
        let dfas = [compile(&a), compile(&b), compile(&counted), compile(&Regex::concat([b, a]))];
        let mut known: BTreeMap<u128, Dfa> = BTreeMap::new();
        let mut finite: BTreeMap<Vec<Vec<u8>>, u128> = BTreeMap::new();
        for dfa in &dfas {
            let residuals = dfa.residuals(KEY);
            prop_assert_eq!(residuals.len(), dfa.len());
            for state in dfa.states() {
                let (hash, language) = (residuals[state.index()], dfa.residual(state));
                if let Some(words) = language.words(200) {
                    prop_assert_eq!(*finite.entry(words).or_insert(hash), hash, "{}", language);
                }
                prop_assert_eq!(known.entry(hash).or_insert_with(|| language.clone()), &language);
            }
        }
    }

    #[test]
    fn equal_languages_are_equal_values(regex in regexes(true), word in proptest::collection::vec(b'a'..=b'c', 0..4)) {
        let dfa = compile(&regex);
        prop_assert_eq!(&doubled(&dfa).unwrap().determinize().unwrap(), &dfa);
        let q = dfa.run(dfa.start(), &word);
        let residual = dfa.residual(q);
        prop_assert!(residual.check_invariants().is_ok());
        for suffix in words(b"abc", 3) {
            prop_assert_eq!(residual.accepts(&suffix), dfa.accepts(&[&word[..], &suffix[..]].concat()));
        }
    }

    #[test]
    fn finite_languages_are_enumerated(literals in proptest::collection::vec(
        (proptest::collection::vec(b'a'..=b'c', 0..6), 0u32..3), 0..20)) {
        let pairs: Vec<(&[u8], u32)> = literals.iter().map(|(word, label)| (&word[..], *label)).collect();
        let dfa = Dfa::from_literals(&pairs);
        prop_assert!(dfa.check_invariants().is_ok());
        let mut expected: BTreeMap<Vec<u8>, BTreeSet<u32>> = BTreeMap::new();
        literals.iter().for_each(|(word, label)| { expected.entry(word.clone()).or_default().insert(*label); });
        prop_assert_eq!(dfa.words(20), Some(expected.keys().cloned().collect()));
        for (word, labels) in &expected {
            prop_assert_eq!(dfa.labels(dfa.run(dfa.start(), word)), labels.iter().copied().collect::<Vec<_>>());
        }
        let shortest = expected.keys().min_by_key(|word| (word.len(), (*word).clone())).cloned();
        prop_assert_eq!(dfa.shortest_match(dfa.start()), shortest);
        let alternation = Regex::alternate(expected.keys().map(Regex::literal));
        prop_assert_eq!(compile(&alternation), dfa.plain());
        prop_assert_eq!(compile(&Regex::concat([alternation.clone(), alternation.star()])), compile(&alternation.plus()));
    }

    #[test]
    fn classes_are_utf8(ranges in proptest::collection::vec((any::<char>(), any::<char>()), 0..5), probe in any::<char>()) {
        let dfa = compile(&Regex::char_class(ranges.clone()));
        let borders = ranges.iter().flat_map(|&(a, b)| [a, b]);
        let near = borders.flat_map(|c| [c as u32 - 1.min(c as u32), c as u32, c as u32 + 1]).filter_map(char::from_u32);
        for c in near.chain([probe]) {
            let inside = ranges.iter().any(|&(first, last)| (first..=last).contains(&c));
            prop_assert_eq!(dfa.accepts(c.to_string().as_bytes()), inside, "{:?}", c);
        }
        prop_assert!(dfa.is_subset(&compile(&Regex::any_char()), &limits()).unwrap());
    }

    #[test]
    fn patterns_never_panic(pattern in r"[ab|()*+?{}0-9,\\^$.\[\]dwpLé-]{0,24}") {
        if let Ok(regex) = Regex::parse(&pattern, &ParseConfig::default()) {
            if let Ok(dfa) = regex.compile(&Limits { states: 2000, nfa_states: 20_000 }) {
                prop_assert!(dfa.check_invariants().is_ok());
            }
        }
    }

    #[test]
    fn stored_automata_come_back_and_corrupt_ones_are_errors(
        regex in regexes(true), position in any::<proptest::sample::Index>(), byte in any::<u8>(),
    ) {
        let dfa = compile(&regex);
        let mut text = serde_json::to_vec(&dfa).unwrap();
        prop_assert_eq!(&serde_json::from_slice::<Dfa>(&text).unwrap(), &dfa);
        let position = position.index(text.len());
        text[position] = if byte < 200 { b'0' + byte % 10 } else { byte };
        if let Ok(read) = serde_json::from_slice::<Dfa>(&text) {
            prop_assert!(read.validate().is_ok());
            let mut q = read.start();
            (0..=255u8).for_each(|b| q = read.next(q, b));
            prop_assert!(read.to_string().len() > read.live(q).len());
        }
    }
}

/// Every table cell, class and label of a stored automaton replaced by every interesting number.
#[test]
fn systematic_corruption_is_noticed_or_harmless() {
    let dfa = compile(&Regex::literal("ab").star());
    let stored = serde_json::to_value(&dfa).unwrap();
    let mut refused = 0;
    for field in ["classes", "table", "labels"] {
        for i in 0..stored[field].as_array().unwrap().len() {
            for value in [0u32, 1, 2, 3, 255, u32::MAX - 1, u32::MAX] {
                let mut corrupt = stored.clone();
                corrupt[field][i] = value.into();
                match serde_json::from_value::<Dfa>(corrupt.clone()) {
                    Ok(read) => assert!(read.validate().is_ok() && (read == dfa) == (corrupt == stored)),
                    Err(_) => refused += 1,
                }
            }
        }
        let mut short = stored.clone();
        short[field].as_array_mut().unwrap().pop();
        assert!(serde_json::from_value::<Dfa>(short).is_err());
    }
    assert!(refused > 1000, "{refused}");
    let unsorted = serde_json::json!({"classes": vec![0; 256], "table": [0], "labels": [1], "sets": [[], [2, 1]]});
    assert!(serde_json::from_value::<Dfa>(unsorted).is_err());
}
