//! Weighted automata against the definition: enumerate all paths.

use std::collections::BTreeMap;

use glrmask_automata::weighted::{Boolean, Divisible, Dwa, Nwa, Semiring, TokenSet, Tropical};
use glrmask_automata::{AutomataError, StateId};
use proptest::prelude::*;

fn booleans() -> impl Strategy<Value = Boolean> {
    any::<bool>().prop_map(Boolean)
}

fn costs() -> impl Strategy<Value = Tropical> {
    proptest::option::weighted(0.8, 0u32..5).prop_map(Tropical)
}

fn token_sets() -> impl Strategy<Value = TokenSet> {
    let few = proptest::collection::btree_set(0u32..6, 0..5).prop_map(TokenSet::from_iter);
    prop_oneof![4 => few.clone(), 1 => few.prop_map(|set| set.complement())]
}

fn check_laws<W: Divisible>(a: &W, b: &W, c: &W) {
    let (zero, one) = (W::zero(), W::one());
    assert_eq!(a.plus(&b.plus(c)), a.plus(b).plus(c));
    assert_eq!(a.times(&b.times(c)), a.times(b).times(c));
    assert_eq!((a.plus(b), &a.plus(&zero)), (b.plus(a), a));
    assert_eq!((&a.times(&one), &one.times(a)), (a, a));
    assert_eq!((a.times(&zero), zero.times(a)), (zero.clone(), zero.clone()));
    assert_eq!(a.times(&b.plus(c)), a.times(b).plus(&a.times(c)));
    assert_eq!(b.plus(c).times(a), b.times(a).plus(&c.times(a)));
    assert_eq!((a.is_zero(), one.is_zero()), (*a == zero, false));
    assert!(!W::IDEMPOTENT || a.plus(a) == *a);
    assert!(!W::COMMUTATIVE || a.times(b) == b.times(a));
    assert!(!W::LATTICE || a.plus(&a.times(b)) == *a && a.times(a) == *a);
    let sum = a.plus(b);
    assert!(sum.is_zero() || sum.times(&a.left_quotient(&sum)) == *a);
    assert!(sum.is_zero() || sum.left_quotient(&sum) == one);
}

/// Random automata with edges towards higher states only (finite path sets), or anywhere.
fn automata<W: Semiring + 'static>(weights: BoxedStrategy<W>, acyclic: bool) -> impl Strategy<Value = Nwa<char, W>> {
    let edges =
        proptest::collection::vec((0u32..5, proptest::sample::select(vec!['x', 'y']), 0u32..5, weights.clone()), 0..12);
    let lasts = proptest::collection::vec((0u32..5, weights.clone()), 0..4);
    let starts = proptest::collection::vec((0u32..5, weights), 0..3);
    (edges, lasts, starts).prop_map(move |(edges, lasts, starts)| {
        let mut nwa = Nwa::new();
        (0..5).for_each(|_| {
            nwa.add_state();
        });
        for (from, symbol, to, weight) in edges {
            let (from, to) = if acyclic { (from.min(to), from.max(to)) } else { (from, to) };
            if !acyclic || from < to {
                nwa.add_edge(StateId(from), symbol, StateId(to), weight);
            }
        }
        lasts.into_iter().for_each(|(q, weight)| nwa.set_final(StateId(q), weight));
        starts.into_iter().for_each(|(q, weight)| nwa.add_start(StateId(q), weight));
        nwa
    })
}

const LENGTH: usize = 5;

fn check_determinize<W: Divisible>(nwa: &Nwa<char, W>, initial: &W) -> Result<(), AutomataError> {
    let expected = nwa.words(LENGTH);
    let dwa = nwa.determinize(10_000)?;
    dwa.check_invariants()?;
    assert_eq!(dwa.words(LENGTH), expected, "{nwa}\n{dwa}");
    let merged = dwa.merge_equal_suffixes();
    merged.check_invariants()?;
    assert_eq!(merged.words(LENGTH), expected, "{dwa}\n{merged}");
    assert!(merged.len() <= dwa.len() && merged.merge_equal_suffixes() == merged);
    assert_eq!(nwa.trim().words(LENGTH), expected);
    assert!(nwa.trim().len() <= nwa.len());
    for word in words(LENGTH) {
        let value = expected.get(&word).cloned().unwrap_or_else(W::zero);
        assert_eq!((&nwa.weight(&word), &dwa.weight(&word), &merged.weight(&word)), (&value, &value, &value));
        let prefixes = (0..=word.len()).filter_map(|end| expected.get(&word[..end]));
        let sum = initial.times(&prefixes.fold(W::zero(), |sum, weight| sum.plus(weight)));
        assert_eq!((nwa.run(&word, initial), dwa.run(&word, initial)), (sum.clone(), sum));
    }
    Ok(())
}

fn check_combinations<W: Divisible>(a: &Nwa<char, W>, b: &Nwa<char, W>) {
    let (x, y) = (a.words(LENGTH), b.words(LENGTH));
    let (mut sums, mut products) = (BTreeMap::new(), BTreeMap::new());
    let add = |map: &mut BTreeMap<Vec<char>, W>, word: Vec<char>, weight: W| {
        let sum = map.get(&word).map_or(weight.clone(), |sum| sum.plus(&weight));
        map.insert(word, sum);
    };
    x.iter().chain(&y).for_each(|(word, weight)| add(&mut sums, word.clone(), weight.clone()));
    for (u, p) in &x {
        for (v, q) in y.iter().filter(|(v, _)| u.len() + v.len() <= LENGTH) {
            add(&mut products, [&u[..], v].concat(), p.times(q));
        }
    }
    products.retain(|_, weight| !weight.is_zero());
    assert_eq!(a.union(b).words(LENGTH), sums);
    assert_eq!(a.concat(b).words(LENGTH), products, "{a}\n{b}\n{}", a.concat(b));
}

fn words(length: usize) -> Vec<Vec<char>> {
    let mut all = vec![Vec::new()];
    let mut next = 0;
    while all[next].len() < length {
        let word: Vec<char> = all[next].clone();
        all.extend(['x', 'y'].map(|c| word.iter().copied().chain([c]).collect()));
        next += 1;
    }
    all
}

proptest! {
    #[test]
    fn semiring_laws(a in booleans(), b in booleans(), c in booleans(), d in costs(), e in costs(), f in costs(),
                     x in token_sets(), y in token_sets(), z in token_sets()) {
        check_laws(&a, &b, &c);
        check_laws(&d, &e, &f);
        check_laws(&x, &y, &z);
    }

    #[test]
    fn booleans_with_cycles(nwa in automata(booleans().boxed(), false), other in automata(booleans().boxed(), false)) {
        check_determinize(&nwa, &Boolean(true)).expect("small");
        check_combinations(&nwa, &other);
    }

    #[test]
    fn token_sets_with_cycles(nwa in automata(token_sets().boxed(), false),
                              other in automata(token_sets().boxed(), false), initial in token_sets()) {
        check_determinize(&nwa, &initial).expect("small");
        check_combinations(&nwa, &other);
    }

    #[test]
    fn costs_without_cycles(nwa in automata(costs().boxed(), true), other in automata(costs().boxed(), true),
                            initial in costs()) {
        check_determinize(&nwa, &initial).expect("small");
        check_combinations(&nwa, &other);
    }
}

#[test]
fn determinization_that_does_not_end_is_an_error() {
    let mut nwa = Nwa::new();
    let states = [(); 2].map(|()| nwa.add_state());
    for (i, q) in states.into_iter().enumerate() {
        nwa.add_start(q, Tropical::one());
        nwa.add_edge(q, 'x', q, Tropical(Some(i as u32)));
        nwa.set_final(q, Tropical::one());
    }
    assert!(nwa.determinize(1000).expect_err("costs drift apart").is_limit());
}

#[test]
fn printing_names_states_symbols_and_weights() {
    let dwa = Nwa::word(&["shift\"", "reduce"], Tropical(Some(3))).determinize(10).expect("small");
    let text = dwa.to_string();
    assert!(text.contains("s0: \"shift\\\"\" → s1"), "{text}");
    assert!(dwa.to_dot().contains("doublecircle") && dwa.to_dot().contains("s1 -> s2"));
    let stored = serde_json::to_string(&dwa).expect("plain data");
    let read: Dwa<String, Tropical> = serde_json::from_str(&stored).expect("same");
    read.check_invariants().expect("sound");
    assert_eq!(read.edge_count(), 2);
    let broken: Dwa<String, Tropical> =
        serde_json::from_str(&stored.replace("\"x\",1", "\"x\",9").replace(",1,", ",7,")).expect("shape");
    assert!(broken.check_invariants().is_err());
}

#[test]
fn token_sets_are_stored_as_ranges() {
    let set = TokenSet::range(3, 9).plus(&TokenSet::from_iter([11, 12])).plus(&TokenSet::range(5, 4));
    let text = serde_json::to_string(&set).expect("plain data");
    assert_eq!((text.as_str(), set.len(), set.contains(11), set.contains(10)), ("[[3,9],[11,12]]", 9, true, false));
    assert_eq!(serde_json::from_str::<TokenSet>("[[11,12],[7,9],[3,8],[2,1]]").expect("ranges"), set);
    assert_eq!(TokenSet::one().complement(), TokenSet::zero());
    assert!(TokenSet::zero().is_empty() && TokenSet::one().len() == 1 << 32);
}
